"""A wrong path comes with a hint only where it can hardly send a reader to the wrong field."""

from __future__ import annotations

import pytest

from harness.engine.pathhint import has_path, hint_at, mend_path, versions_with
from harness.fuzzers.shape import FieldShape, Shape
from tests.fuzzers.toys import widget_shape

SHAPE = widget_shape()


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("cephFS", ("cephfs", "nfs"), "did you mean cephfs?"),
        ("downwarAPI", ("downwardAPI", "projected"), "did you mean downwardAPI?"),
        ("taint", ("taints", "taint1", "paint"), ""),
        ("service", ("servicePort", "serviceName"), ""),
        ("deprecatedTopology", ("topology",), ""),
        ("persistentDisk", ("gcePersistentDisk", "iscsi"), "did you mean gcePersistentDisk?"),
        ("persistentDisk", ("gcePersistentDisk", "awsPersistentDisk"), ""),
        ("persistentDisk", ("gcePersistentDisk", "seenPersistentDisk"), "did you mean seenPersistentDisk?"),
        ("labels", ("metadata", "metadata.labels"), "did you mean metadata.labels?"),
        ("labels", ("metadata.labels", "spec.labels"), ""),
        ("count", ("series", "series.count"), ""),
        ("count", ("deprecatedCount", "series.count"), "did you mean deprecatedCount?"),
        ("name", ("claimName",), ""),
        ("zzz", ("name",), ""),
        ("x" * 5000, ("x" * 4999,), ""),
    ],
)
def test_one_name_that_is_near_is_a_hint(name: str, known: tuple[str, ...], hint: str) -> None:
    """Several that are near, and one that only shares a part, are none."""
    assert hint == hint_at(name, name, known, {}, {"seenPersistentDisk"})


def test_a_member_of_a_member_is_told_with_the_path_of_its_struct() -> None:
    """`spec.devices` below `spec` is `spec.spec.devices`; a name in its place needs no path."""
    assert "did you mean spec.spec.devices?" == hint_at("spec.devices", "devices", ("spec.devices",), {}, (), "spec")
    assert "did you mean title?" == hint_at("spec.Title", "Title", ("title",), {}, (), "spec")


def test_a_path_of_another_served_version_is_told_as_such() -> None:
    """A check that reports the path of another version has no misspelt name."""
    others = {"v1": SHAPE, "v2": Shape("struct"), "v1beta1": SHAPE}
    assert ["v1", "v1beta1"] == versions_with("spec.ports[0].name", others)
    assert "v2 has no such field either" == hint_at("spec.ports[0].name", "ports", ("x",), others)
    assert "did you mean port?; v1 and v2 have no such field either" == hint_at(
        "spec.port", "Port", ("port",), {"v1": SHAPE, "v2": Shape("struct")}
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("spec.title", True), ("spec.ports[3].name", True), ("spec.labels[a.b/c]", True), ("spec.Title", False),
        ("spec.title.x", False), ("spec.ports[0].nowhere", False),
    ],
)  # fmt: skip
def test_a_path_is_known_to_its_end(path: str, expected: bool) -> None:
    """Also through lists and maps."""
    assert expected == has_path(path, SHAPE)


def _list(elem: Shape) -> Shape:
    made = Shape("list")
    made.__dict__["elem"] = elem
    return made


def _struct(**members: Shape) -> Shape:
    made = Shape("struct")
    made.__dict__["fields"] = tuple(FieldShape(name, shape) for name, shape in members.items())
    return made


_TEXT = Shape("string")
_QUOTAS = _struct(spec=_struct(overhead=_struct(podFixed=_TEXT), exactly=_struct(admin=_TEXT), plain=_TEXT))


@pytest.mark.parametrize(
    ("path", "mended", "wrong"),
    [
        ("overhead.limits", "spec.overhead.podFixed", {"overhead": "overhead", "limits": "overhead.limits"}),
        ("spec.overhead.limits", "spec.overhead.podFixed", {"limits": "spec.overhead.limits"}),
        ("Spec.admin", "spec.exactly.admin", {"Spec": "Spec", "admin": "Spec.admin"}),
        ("spec.admin", None, None),
        ("spec.plain.x", None, None),
        ("spec[0].plain", None, None),
        ("spec.plain", "spec.plain", {}),
    ],
)
def test_several_names_in_a_row_may_be_wrong(path: str, mended: str | None, wrong: dict[str, str] | None) -> None:
    """Below a wrong name, the single member and that of a member may be meant; a path that holds to its end is."""
    found = mend_path(path, _QUOTAS)
    assert (mended, wrong) == ((None, None) if found is None else (found.path, found.wrong))


_CLAIM = _struct(
    status=_struct(mappings=_list(_struct(requestName=_TEXT, name=_TEXT)), claimName=_TEXT),
    both=_struct(one=_list(_struct(requestName=_TEXT)), two=_struct(inner=_list(_struct(requestName=_TEXT)))),
    resources=_struct(limits=_list(_TEXT), requests=_list(_TEXT)),
    ports=_struct(items=_list(_TEXT), count=_TEXT),
)


@pytest.mark.parametrize(
    ("path", "read", "mended"),
    [
        ("status.requestName", (), "status.mappings[*].requestName"),
        ("status.name", (), None),
        ("both.requestName", (), None),
        ("status.mappings.requestName", (), None),
        ("ports[0]", (), "ports.items[*]"),
        ("resources[storage]", (), None),
        ("resources[storage]", ("requests", "spec"), "resources.requests[*]"),
        ("resources[storage]", ("requests", "limits"), None),
        ("resources[storage].x", ("requests",), None),
    ],
)
def test_a_name_that_stands_further_down_may_be_meant(path: str, read: tuple[str, ...], mended: str | None) -> None:
    """If it is long, and there is one; of lists and maps of which one is meant, the one that the check reads."""
    found = mend_path(path, _CLAIM, read)
    assert mended == (found and found.path)
