"""Objects as Go: what each type is written as, and how one object becomes another."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from harness.export.golang import Writer
from harness.export.series import Inexpressible
from tests.export.places import INTERNAL, PUBLISHED, writer


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Writer:
    """A writer of small types."""
    return writer(tmp_path_factory.mktemp("types"))


def spec(shop: Writer, value: dict[str, Any]) -> str:
    """Write a spec as one line."""
    text = shop.object({"spec": value}, f"{PUBLISHED}.Shop", f"{INTERNAL}.Shop")
    return re.sub(r"\s+", " ", text).removeprefix("&shop.Shop{ Spec: shop.Spec{ ").removesuffix(", }, }")


def changes(shop: Writer, base: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """The statements between two specs, each as one line."""
    found = shop.changes("obj", {"spec": base}, {"spec": other}, f"{PUBLISHED}.Shop", f"{INTERNAL}.Shop")
    return [re.sub(r"\s+", " ", one) for one in found]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"replicas": 3}, "Replicas: 3"),
        ({"paused": True}, "Paused: ptr.To(true)"),
        ({"items": [{"name": "a", "size": 2}]}, 'Items: []shop.Item{ { Name: "a", Size: 2, }, }'),
        ({"items": []}, "Items: []shop.Item{}"),
        ({"items": [{"name": "a", "colour": "Red"}]},
         'Items: []shop.Item{ { Name: "a", Colour: ptr.To(shop.Red), }, }'),
        ({"items": [{"name": "a", "colour": "?"}]},
         'Items: []shop.Item{ { Name: "a", Colour: ptr.To[shop.Colour]("?"), }, }'),
        ({"labels": {"b": "1", "a": '"'}}, r'Labels: map[string]string{ "a": "\"", "b": "1", }'),
        ({"capacity": {"Red": "1Gi"}},
         'Capacity: map[shop.Colour]resource.Quantity{shop.Red: resource.MustParse("1Gi")}'),
        ({"port": 80}, "Port: ptr.To(intstr.FromInt32(80))"),
        ({"port": "80%"}, 'Port: ptr.To(intstr.FromString("80%"))'),
        ({"after": "2026-01-02T03:04:05+01:00"},
         "After: ptr.To(metav1.Date(2026, time.January, 2, 2, 4, 5, 0, time.UTC))"),
        ({"grace": "1m30s"}, "Grace: metav1.Duration{Duration: 90 * time.Second}"),
        ({"secret": "AP8="}, r'Secret: []byte("\x00\xff")'),
        ({"secret": "YWI="}, 'Secret: []byte("ab")'),
        ({"raw": {"a": 1}}, r'Raw: runtime.RawExtension{Raw: []byte("{\"a\":1}")}'),
        ({"raw": {}, "replicas": 0}, 'Raw: runtime.RawExtension{Raw: []byte("{}")}'),
        ({"nested": {}}, "Nested: &shop.Item{}"),
        ({"driver": "d"}, 'Inlined: shop.Inlined{ Driver: "d", }'),
        ({"deep": "d"}, 'Inlined: shop.Inlined{ Innermost: shop.Innermost{ Deep: "d", }, }'),
        ({"driver": "x" * 64}, 'Inlined: shop.Inlined{ Driver: strings.Repeat("x", 64), }'),
        ({"driver": "a." + "x" * 64 + "/"}, 'Inlined: shop.Inlined{ Driver: "a." + strings.Repeat("x", 64) + "/", }'),
    ],
)  # fmt: skip
def test_literals(shop: Writer, value: dict[str, Any], expected: str) -> None:
    """Each sort of value is written as people would, nil and empty told apart."""
    assert expected == spec(shop, value)


@pytest.mark.parametrize(
    ("base", "other", "expected"),
    [
        ({"replicas": 3}, {"replicas": -1}, ["obj.Spec.Replicas = -1"]),
        ({"replicas": 3}, {}, ["obj.Spec.Replicas = 0"]),
        ({"replicas": 0}, {}, []),  # nil and zero are one thing inside
        ({"paused": True}, {}, ["obj.Spec.Paused = nil"]),
        ({}, {"paused": False}, ["obj.Spec.Paused = ptr.To(false)"]),
        ({"items": [{"name": "a"}]}, {"items": [{"name": "b"}]}, ['obj.Spec.Items[0].Name = "b"']),
        ({"items": [{"name": "a"}]}, {"items": []}, ["obj.Spec.Items = []shop.Item{}"]),
        ({"items": [{"name": "a"}]}, {}, ["obj.Spec.Items = nil"]),
        ({"nested": {"name": "a"}}, {"nested": {"name": "a", "size": 1}}, ["obj.Spec.Nested.Size = 1"]),
        ({}, {"nested": {"name": "a"}}, ['obj.Spec.Nested = &shop.Item{ Name: "a", }']),
        ({"driver": "a"}, {"driver": "b"}, ['obj.Spec.Driver = "b"']),
        ({"deep": "a"}, {"driver": "b"}, ['obj.Spec.Driver = "b"', 'obj.Spec.Deep = ""']),
        ({"labels": {"a": "1"}}, {"labels": {}}, ["obj.Spec.Labels = map[string]string{}"]),
        ({"grace": "1s"}, {}, ["obj.Spec.Grace = metav1.Duration{}"]),
    ],
)
def test_changes(shop: Writer, base: dict[str, Any], other: dict[str, Any], expected: list[str]) -> None:
    """Only what differs is assigned, as deep as it goes."""
    assert expected == changes(shop, base, other)


def test_metadata_is_promoted(shop: Writer) -> None:
    """Fields of embedded metadata are assigned by their own names."""
    names = f"{PUBLISHED}.Shop", f"{INTERNAL}.Shop"
    assert ['obj.Name = "b"'] == shop.changes("obj", {"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}, *names)


def test_a_long_list_is_a_loop(shop: Writer) -> None:
    """Items that differ in a number that counts are counted."""
    items = [{"name": "a"}, *({"name": f"a{number}"} for number in range(2, 33))]
    expected = (
        'Items: func() []shop.Item { var items []shop.Item items = append(items, shop.Item{ Name: "a", }) '
        'for i := range 31 { items = append(items, shop.Item{ Name: fmt.Sprintf("a%d", i+2), }) } return items }()'
    )
    assert expected == spec(shop, {"items": items})


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"old": "x"}, "the field old, which only the published type has"),
        ({"unknown": "x"}, "the field unknown, which its type does not have"),
        ({"items": [{"name": name} for name in "qwertzuiopasdfghjkl"]}, "a list of 19 items that follow no pattern"),
    ],
)
def test_what_cannot_be_said(shop: Writer, value: dict[str, Any], problem: str) -> None:
    """What has no literal is refused with a reason; nothing is left out in silence."""
    with pytest.raises(Inexpressible, match=problem):
        spec(shop, value)


def test_imports_are_those_that_are_used(shop: Writer, tmp_path: Path) -> None:
    """A name that a text does not use is not imported; two packages of one name get two."""
    imports = writer(tmp_path).imports
    assert "resource" == imports.name("k8s.io/kubernetes/pkg/apis/resource")
    assert "apiresource" == imports.name("k8s.io/apimachinery/pkg/api/resource")
    imports.name("time")
    assert ['"k8s.io/kubernetes/pkg/apis/resource"'] == imports.lines('x := resource.Claim{Name: "time.Now"}')
