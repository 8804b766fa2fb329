"""Two releases without a process: the one after has rules of its own, which gates turn off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import pytest

from harness.case import Answer, Case, Failure, KindInfo, Operation, TargetInfo
from harness.diagnostics import TargetError
from harness.field import FieldError
from harness.subject import Subject, SubjectSpec
from harness.targets.target import Closing
from harness.upgrade import run
from tests.cli.fakes import FakePending

Rule = Callable[[Case, Mapping[str, bool]], Sequence[FieldError]]

BEFORE, AFTER = "1.0.0", "1.1.0"
GATES: dict[str, dict[str, bool]] = {
    BEFORE: {"Strict": False, "Same": True},
    AFTER: {"Strict": True, "Same": True, "Other": True, "Locked": True},
}
"""The gates of both; `Locked` cannot be turned off."""


def kind(name: str, resource: str, group: str = "", version: str = "v1", **more: Any) -> KindInfo:
    """Return a kind whose users are served handwritten errors alone."""
    api_version = f"{group}/{version}" if group else version
    return KindInfo(group, version, name, resource, api_version, composition="shadow", rules=False, **more)


WIDGETS = kind("Widget", "widgets", "example.io")
STATUS = kind("Widget", "widgets", "example.io", subresource="status", operations=(Operation.UPDATE,))
OLD = kind("Widget", "widgets", "example.io", "v1beta1")
SECRETS, MAPS = kind("Secret", "secrets"), kind("ConfigMap", "configmaps")
KINDS = {BEFORE: (WIDGETS, STATUS, OLD, SECRETS, MAPS), AFTER: (WIDGETS, STATUS, SECRETS, MAPS)}


def invalid(path: str, detail: str) -> FieldError:
    """Return an error."""
    return FieldError("FieldValueInvalid", path, detail)


def rules_of_before(case: Case, gates: Mapping[str, bool]) -> list[FieldError]:
    """The release before wants a color of new objects."""
    return [invalid("spec.color", "must be set")] if _is_colorless(case) else []


def rules_of_after(case: Case, gates: Mapping[str, bool]) -> list[FieldError]:
    """The release after wants an even size, unless a gate is off, a short name of new objects, and no status `bad`."""
    spec, errors = case.object.get("spec", {}), []
    if spec.get("size", 0) % 2 and gates["Strict"]:
        errors.append(invalid("spec.size", "must be even"))
    if case.operation is Operation.CREATE and len(case.object["metadata"].get("name", "")) > 8:
        errors.append(invalid("metadata.name", "must be short"))
    if case.subresource and case.object.get("status", {}).get("phase") == "bad":
        errors.append(invalid("status.phase", "must be good"))
    return errors


def _is_colorless(case: Case) -> bool:
    return case.operation is Operation.CREATE and case.object.get("spec", {}).get("color") == ""


class FakeRelease(Closing):
    """One release under one configuration of gates. A widget named `crash` breaks it, `fatal` ends it."""

    restarts = 0

    def __init__(self, name: str, gates: Mapping[str, bool], asked: list[Case]) -> None:
        self.info = TargetInfo(name, release=name, kinds=KINDS[name], gates={**GATES[name], **gates})
        self.asked = asked
        self.rules: Rule = rules_of_before if name == BEFORE else rules_of_after

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch."""
        self.asked += cases
        return [self.answer(case) for case in cases]

    def submit(self, cases: Sequence[Case]) -> FakePending:
        """Answer a batch at once."""
        return FakePending(self.ask(cases))

    def answer(self, case: Case) -> Answer:
        """Answer one case."""
        if case.object["metadata"].get("name") == "fatal":
            raise TargetError("the worker is given up")
        if case.object["metadata"].get("name") == "crash":
            return Answer(case.id, failure=Failure("worker", "it ended"))
        return Answer(case.id, handwritten=tuple(self.rules(case, self.info.gates)))

    def close(self) -> None:
        """Free nothing."""


@dataclass
class FakeReleases:
    """Opens fake releases. `opened` are the gates of each, `asked` all cases of all of them."""

    opened: list[Mapping[str, bool]] = field(default_factory=list)
    asked: list[Case] = field(default_factory=list)

    def __call__(self, spec: SubjectSpec, note: Callable[[str], None] = lambda text: None) -> Subject:
        """Open one."""
        if spec.gates.get("Locked") is False:
            raise TargetError(f"{spec.location} rejects these feature gates", why="cannot set Locked to false")
        self.opened.append(spec.gates)
        release = FakeRelease(spec.location, spec.gates, self.asked)
        return Subject(spec, "kubernetes", release, None, None)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> Self:
        """Let an upgrade check open them."""
        monkeypatch.setattr(run, "open_subject", self)
        return self


def widget(name: str, *, size: int = 2, **more: Any) -> dict[str, Any]:
    """Return a widget as a cluster stores it."""
    metadata = {
        "name": name, "namespace": "shop", "uid": "5", "resourceVersion": "7", "generation": 3,
        "creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [{"manager": "kubectl"}],
    }  # fmt: skip
    return {"apiVersion": "example.io/v1", "kind": "Widget", "metadata": metadata, "spec": {"size": size}, **more}
