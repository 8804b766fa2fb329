"""The fields of the kinds of a run, with the calls that report there."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import KindInfo
from harness.cli import fieldcalls
from harness.cli.fieldcalls import field_entries
from harness.report.model.code import BlockEntry
from harness.report.model.fields import FieldErrors, MissedCall
from harness.targets.kubernetes.errorpaths.follow import FollowedError, FollowedKind
from tests.report.covered import PACKAGE, function

_FILE = f"{PACKAGE}/validation.go"
_SITES = (f"{_FILE}:3:4", f"{_FILE}:9:4", f"{_FILE}:13:4", "k8s.io/kubernetes/pkg/registry/x/strategy.go:1:1")
_REQUIRED, _INVALID = "FieldValueRequired", "FieldValueInvalid"
# Validate (1) calls check (2) at line 3 for one field and at line 9 (3) for another; check reports at line 13.
THING = FollowedKind(
    "k8s.io/api/x/v1.Thing",
    "x.Thing",
    ("Validate",),
    _SITES,
    ((1, 3, 0), (2, 0, 1), (3, 1, 1)),
    (
        FollowedError(2, 2, _REQUIRED, "spec.size", covered=True),
        FollowedError(3, 2, _REQUIRED, "spec.name", covered=True),
        FollowedError(3, 2, _INVALID, "spec.name", origin="format=x", covered=True),
        FollowedError(0, 3, _INVALID, "metadata.name", covered=True),
    ),
    (),
)
FUNCTIONS = (
    function("Validate", BlockEntry((2, 2), (4, 1), 1, reached=True), BlockEntry((8, 2), (10, 1), 1)),
    function("check", BlockEntry((12, 2), (14, 1), 1, reached=True)),
)
_INFOS = [
    KindInfo("x.k8s.io", version, "Thing", "things", f"x.k8s.io/{version}", type=f"k8s.io/api/x/{version}.Thing")
    for version in ("v1", "v1beta1")
]


def test_each_kind_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For all of its versions; a helper that another field reached is not reached for this one."""
    asked: list[list[str]] = []

    def follow(location: str, kinds: list[str], note: Any) -> list[FollowedKind]:
        asked.append(kinds)
        return [THING, THING]

    monkeypatch.setattr(fieldcalls, "follow_errors", follow)
    found = list(field_entries("kubernetes", "1.37.1", _INFOS, FUNCTIONS, print))
    missed = MissedCall(_FILE, 13, "check", (_INVALID, _REQUIRED), "validation.go:9")
    assert [
        FieldErrors("kubernetes", "x.k8s.io/Thing", "metadata.name", 0, (), 1),
        FieldErrors("kubernetes", "x.k8s.io/Thing", "spec.name", 0, (missed,)),
        FieldErrors("kubernetes", "x.k8s.io/Thing", "spec.size", 1),
    ] == found
    assert [["k8s.io/api/x/v1.Thing", "k8s.io/api/x/v1beta1.Thing"]] == asked


def test_kinds_without_types_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known of them."""
    monkeypatch.setattr(fieldcalls, "follow_errors", lambda *given: pytest.fail("asked"))
    assert [] == list(field_entries("s", "1.37.1", [KindInfo("", "v1", "Thing", "things", "v1")], (), print))
