"""YAML is read as kubectl reads it; what is expected was asked of sigs.k8s.io/yaml v1.6.0, which kubectl has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from harness.diagnostics import InputError
from harness.kubeyaml import Loader, UnusualYAMLError, read_plain
from harness.subject.manifests import read_manifests

SCALARS = {
    "1:30": "1:30",
    "1:30:15": "1:30:15",
    "0o35": 29,
    "035": 29,
    "08": 8,
    "09.5": 9.5,
    "010": 8,
    "0x1F": 31,
    "-0x1F": -31,
    "0b101": 5,
    "-0b11": -3,
    "0b2": "0b2",
    "0o8": "0o8",
    "0x": "0x",
    "0o": "0o",
    "+5": 5,
    "-5": -5,
    "+": "+",
    ".": ".",
    ".5": 0.5,
    "-.5": -0.5,
    "5.": 5,
    "5.e3": 5000,
    "1e3": 1000,
    "1E3": 1000,
    "1e-3": 0.001,
    "1e": "1e",
    "1e400": "1e400",
    "1e20": 100000000000000000000,
    "1e21": 1e21,
    "1.0": 1,
    "1.5": 1.5,
    "-0": 0,
    "-0.0": 0,
    "1_000": 1000,
    "1__0": 10,
    "_1": "_1",
    "0_7": 7,
    ".5_0": 0.5,
    "18446744073709551615": 18446744073709551615,
    "18446744073709551616": 18446744073709552000,
    "-9223372036854775809": -9223372036854776000,
    "+9223372036854775808": 9223372036854776000,
    "2026-01-01": "2026-01-01",
    "2026-01-01T10:00:00Z": "2026-01-01T10:00:00Z",
    "y": True,
    "Y": True,
    "yes": True,
    "on": True,
    "True": True,
    "tRue": "tRue",
    "n": False,
    "N": False,
    "No": False,
    "OFF": False,
    "null": None,
    "~": None,
    "": None,
    "Null": None,
    "nULL": "nULL",
    "<<": "<<",
    "=": "=",
    "NaN": "NaN",
    "inf": "inf",
    "Infinity": "Infinity",
    "10Gi": "10Gi",
    "100m": "100m",
    "1.2.3": "1.2.3",
    "0xGG": "0xGG",
    "0x1p-2": "0x1p-2",
    "--1": "--1",
    "1 2": "1 2",
    "!!str 1": "1",
    "!!str y": "y",
    "!!float 1": 1,
    "!!int 0x10": 16,
    "!!bool y": True,
    "!!binary aGk=": "hi",
    "!!timestamp 2026-01-01": "2026-01-01",
    "'08'": "08",
    '"y"': "y",
    "'.nan'": ".nan",
}


def read(text: str) -> Any:
    """What JSON says of a document."""
    return msgspec.json.decode(msgspec.json.encode(yaml.load(text, Loader=Loader)))


@pytest.mark.parametrize("text", SCALARS)
def test_a_value_is_what_kubectl_would_send(text: str) -> None:
    """To the sort of it: a whole float is an integer, a time a text, and `y` is true."""
    assert json.dumps({"a": SCALARS[text]}) == json.dumps(read(f"a: {text}"))


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("{1: a, true: b, 1.5: c, n: d}", {"1": "a", "true": "b", "1.5": "c", "false": "d"}),
        ("a: &x {b: 1}\nc: {<<: *x, d: 2}", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
        ("a: 1\na: 2", {"a": 2}),
        ("a:\n- \n- ~\n- ''", {"a": [None, None, ""]}),
        ("a: |\n  1\nb: >\n  y\n", {"a": "1\n", "b": "y\n"}),
    ],
)
def test_keys_are_texts_and_the_last_of_several_holds(document: str, expected: Any) -> None:
    """Numbers and truths as keys are written out."""
    assert expected == read(document)


@pytest.mark.parametrize(
    "value",
    [
        ".nan",
        ".NaN",
        ".inf",
        "-.Inf",
        "+.INF",
        "{~: 1}",
        "{[a]: 1}",
        "{18446744073709551615: 1}",
        "!!int a",
        "!!bool 1",
    ],
)
def test_what_json_cannot_say_is_refused_where_it_stands(value: str, tmp_path: Path) -> None:
    """kubectl refuses it as well, and sends nothing."""
    file = tmp_path / "a.yaml"
    file.write_text(f"apiVersion: v1\nkind: A\nspec:\n  a: {value}\n")
    with pytest.raises(InputError, match=r"a\.yaml:4:.*cannot be written as JSON"):
        read_manifests(str(file))


def test_objects_are_read_so(tmp_path: Path) -> None:
    """A manifest, a list of them, and several documents in one file."""
    file = tmp_path / "a.yaml"
    file.write_text(
        "apiVersion: v1\nkind: A\nspec: {at: 1:30, mode: 0o644, on: y, after: 1e3}\n---\napiVersion: v1\nkind: B\n"
    )
    first, second = read_manifests(str(file))
    assert {"at": "1:30", "mode": 420, "true": True, "after": 1000} == first.object["spec"]
    assert "B" == second.kind


@pytest.mark.parametrize(
    "text", [*SCALARS, "", "~", "yes", "Off", "null", "a b", "'1'", '"x\\ty"', "|\n    a\n    b\n"]
)
def test_the_fast_reader_reads_what_the_loader_reads(text: str) -> None:
    """Values, and keys that are texts, in lists and maps."""
    for form in (f"a: {text}\nb: [1, {{c: d}}]\n", f"- {text}\n- - x\n", text):
        try:
            expected = yaml.load(form, Loader=Loader)
        except yaml.YAMLError:
            continue
        try:
            assert repr(expected) == repr(read_plain(form, 20))
        except UnusualYAMLError:
            assert text.startswith(("<<", "!"))


@pytest.mark.parametrize(
    "text",
    ["a: &x 1\nb: *x", "*x", "<<: {a: 1}", "a: !!str 1", "1: 2", "a: .nan", "[a]: b", "a: 1\n---\nb: 2", "[[[[1]]]]"],
)
def test_the_fast_reader_leaves_the_rest_to_the_loader(text: str) -> None:
    """What depends on more than the value itself, or cannot be said in JSON."""
    with pytest.raises((UnusualYAMLError, yaml.YAMLError)):
        read_plain(text, 3)
