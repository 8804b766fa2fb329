"""Normalization rules are examined against the types: dead ones and those that make two fields meet are told."""

from __future__ import annotations

from pathlib import Path

import msgspec

from harness.case import KindInfo
from harness.engine.rules import examine_rules, paths_of
from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.packages import Universe

SOURCE = """package v1

type Thing struct {
    Spec Spec `json:"spec"`
}

type Spec struct {
    Ports []Port `json:"ports"`
    Labels map[string]string `json:"labels"`
    Size int32 `json:"size"`
    Child *Spec `json:"child"`
}

type Port struct {
    Number int32 `json:"number"`
    Old int32 `json:"old"`
}
"""


def thing(tmp_path: Path) -> Shape:
    """The shape of a type with a list, a map and itself inside."""
    file = tmp_path / "types.go"
    file.write_text(SOURCE, encoding="utf-8")
    return shape_of(Universe.from_files({"example/v1": [file]}), "example/v1.Thing")


def kind(*rules: tuple[str, str], resource: str = "things") -> KindInfo:
    """A kind with normalization rules."""
    return KindInfo("g", "v1", "Thing", resource, "g/v1", type="example/v1.Thing", normalization=rules)


def test_fields_are_named_as_validators_report_them(tmp_path: Path) -> None:
    """Items stand at index 0, map values at a key, and a type within itself is entered once."""
    assert ["spec", "spec.ports", "spec.ports[0]", "spec.ports[0].number", "spec.ports[0].old", "spec.labels",
            "spec.labels[k]", "spec.size", "spec.child"] == list(paths_of(thing(tmp_path)))  # fmt: skip


def test_a_rule_that_applies_nowhere_is_told_once(tmp_path: Path) -> None:
    """A dead rule that two kinds share is one finding; a rule that one of them uses is none."""
    shape = thing(tmp_path)
    dead, alive = (r"spec\.gone", "spec.here"), (r"ports\[(\d+)\]\.old", "ports[$1].elder")
    kinds = [kind(dead, alive), kind(dead, resource="others")]
    found = examine_rules(kinds, kinds, lambda info: shape, "s")
    assert [("things", "normalization", dead[0])] == [(one.resource, one.cause, one.origin) for one in found]


def test_a_rule_that_makes_two_fields_meet_is_told(tmp_path: Path) -> None:
    """Two fields of one version under one name hide a wrong path."""
    shape = thing(tmp_path)
    kinds = [kind((r"\.old$", ".number"))]
    (found,) = examine_rules(kinds, kinds, lambda info: shape, "s")
    assert ("normalization", "spec.ports[*].number") == (found.cause, found.path)


def test_a_rule_for_another_version_is_alive(tmp_path: Path) -> None:
    """What applies to the types of a version that is compared is no dead rule."""
    shape = thing(tmp_path)
    info = msgspec.structs.replace(kind((r"spec\.size", "size")), versions=("v1beta1",), version="v2")
    types: list[str] = []

    def by_version(one: KindInfo) -> Shape:
        types.append(one.version)
        return shape if one.version == "v1beta1" else Shape("any")

    assert [] == examine_rules([info], [info], by_version, "s")
    assert ["v2", "v1beta1"] == types


def test_only_kinds_of_the_run_are_reported(tmp_path: Path) -> None:
    """The use of another kind counts, its problems do not."""
    shape = thing(tmp_path)
    kinds = [kind((r"spec\.gone", "x"))]
    assert [] == examine_rules(kinds, [], lambda info: shape, "s")


def test_a_rule_that_another_one_takes_the_paths_of_is_told_of_the_kind_that_has_them(tmp_path: Path) -> None:
    """Not of the first kind that shares the rules; the version is the one whose types have the path."""
    shape = thing(tmp_path)
    rules = (r"ports\[(\d+)\]\.old", "ports[$1].elder"), (r"spec\.ports\[(\d+)\]\.old", "spec.ports[$1].elder")
    other, own = kind(*rules, resource="others"), msgspec.structs.replace(kind(*rules), versions=("v1beta1",))
    shapes = {("others", "v1"): Shape("any"), ("things", "v1"): Shape("any"), ("things", "v1beta1"): shape}
    (found,) = examine_rules([own, other], [other, own], lambda info: shapes[info.resource, info.version], "s")
    assert ("things", "v1beta1", rules[1][0]) == (found.resource, found.version, found.origin)
    assert f"`{rules[0][0]}`" in found.fix
