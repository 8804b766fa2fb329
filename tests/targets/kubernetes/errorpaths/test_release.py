"""What is followed in a release, held against the lines at which its validators made errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec
import pytest

from harness import engine
from harness.case import Answer, Case
from harness.engine import RunConfig
from harness.engine.units import Unit
from harness.events import Budget
from harness.fuzzers.aims import Aim
from harness.jsonpath import canonical_path
from harness.subject import Subject, SubjectSpec, open_subject
from harness.targets.kubernetes.errorpaths.follow import FollowedKind, follow_errors

_KINDS = "storageclasses", "ingresses", "networkpolicies", "resource.k8s.io/v1/resourceclaims", "limitranges"
_LINES = 3
"""A call of several lines is told by another one of them than the stack names."""
Kept: TypeAlias = dict[tuple[str, str, str, str], Case]


@dataclass
class _ErrorObserver:
    """Keeps a case of each error: the kind, the path, and the type."""

    kept: Kept = field(default_factory=dict)

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        for case, answer in zip(cases, answers, strict=True):
            for error in answer.handwritten:
                key = case.resource, case.subresource, canonical_path(error.field), error.type
                self.kept.setdefault(key, case)

    def aims(self) -> Sequence[Aim]:
        return ()

    def outcome(self) -> Kept:
        return self.kept


@dataclass(frozen=True)
class _ErrorObservers:
    def observer(self, subject: Subject, unit: Unit) -> _ErrorObserver:
        return _ErrorObserver()


@pytest.mark.kubernetes
@pytest.mark.parametrize("release", ["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def test_errors_that_were_made_are_told(release: str) -> None:
    """Each of some kinds, with its path, its type and its line."""
    spec = SubjectSpec("kubernetes", release)
    config = RunConfig(seed=1, budget=Budget(None, 6000), kinds=_KINDS, observers={"errors": _ErrorObservers()})
    (result,) = engine.run_parts([spec], config)
    cases = [case for kept in result.observed["errors"] for case in kept.values()]
    wrong: list[str] = []
    checked = 0
    with open_subject(spec) as subject:
        types = {info.key: info.type for info in subject.target.info.kinds}
        asked = {(one.group, one.version, one.resource, one.subresource): one for one in cases}
        followed = {one.kind: one for one in follow_errors(release, sorted({types[key] for key in asked}), print)}
        for start in range(0, len(cases), 50):
            traced = [
                msgspec.structs.replace(
                    case, id=number, trace=True, repeat=False, versions=False, served=False, validated=False
                )
                for number, case in enumerate(cases[start : start + 50], 1)
            ]
            for case, answer in zip(traced, subject.target.ask(traced), strict=True):
                kind = followed[types[case.group, case.version, case.resource, case.subresource]]
                for error in answer.handwritten:
                    checked += 1
                    if not _is_told(kind, canonical_path(error.field), error.type, error.stack or error.source):
                        wrong.append(f"{kind.kind} {error.field} {error.type} {error.source}")
    assert ([], True) == (wrong, checked > 300)


def _is_told(kind: FollowedKind, path: str, type_: str, stack: str) -> bool:
    file, _, line = stack.partition(" in ")[0].rpartition(":")
    file = file if file.startswith("k8s.io/") else f"k8s.io/kubernetes/{file}"
    sites = [kind.site(one.site) for one in kind.errors or () if one.is_at(path, type_)]
    return any(site.file == file and abs(site.line - int(line)) <= _LINES for site in sites)
