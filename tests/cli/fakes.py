"""A small target for tests of commands, and an engine that finds what it is told to find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import msgspec
import pytest

from harness import engine, events
from harness.case import Answer, Case, Failure, TargetInfo
from harness.cli import check, kinds, replay
from harness.cli.main import run as harness
from harness.compare.finding import Finding
from harness.engine import RunConfig
from harness.events import Result
from harness.field import FieldError
from harness.subject import Subject, SubjectSpec
from harness.targets.target import Closing
from tests.report import made

EXCEPTION = """- suite: widgets_v1
  kind: Widget
  path: spec.size
  type: FieldValueInvalid
  origin: ""
  mismatch: unmatched
  cause: no-rule
  severity: graduation
  reason: goes away with v2
  owner: sig-example
  until: 2999-01-31
"""
"""An exception for the finding of the fake engine."""


@dataclass
class FakePending:
    """A batch that is already answered."""

    answers: list[Answer]
    seconds: float = 0.0

    def wait(self, seconds: float) -> bool:
        """Wait for nothing."""
        return True

    def result(self) -> list[Answer]:
        """The answers."""
        return self.answers


class FakeTarget(Closing):
    """Sizes must be even, says the handwritten side, and marks it as covered; no rule says so."""

    def __init__(self, info: TargetInfo | None = None) -> None:
        self._info = info or made.result().target
        self.closed = False
        self.asked: list[Case] = []

    @property
    def info(self) -> TargetInfo:
        """What it serves."""
        return self._info

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch."""
        self.asked += cases
        return [self.answer(case) for case in cases]

    def submit(self, cases: Sequence[Case]) -> FakePending:
        """Answer a batch at once."""
        return FakePending(self.ask(cases))

    def answer(self, case: Case) -> Answer:
        """Answer one case."""
        size = case.object.get("spec", {}).get("size", 0)
        if not isinstance(size, int):
            return Answer(case.id, failure=Failure("decode", f"spec.size is no number: {size!r}"))
        errors = (FieldError("FieldValueInvalid", "spec.size", "must be even", covered=True),) if size % 2 else ()
        return Answer(case.id, handwritten=errors)

    def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True


@dataclass
class Opened:
    """Opens fake subjects, and remembers for whom."""

    target: FakeTarget = field(default_factory=FakeTarget)
    specs: list[SubjectSpec] = field(default_factory=list)

    def __call__(self, spec: SubjectSpec, note: Callable[[str], None] = lambda text: None) -> Subject:
        """Open a subject."""
        self.specs.append(spec)
        note("opening takes a while")
        return Subject(spec, "widgets_v1", self.target, None, None)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> Self:
        """Let the commands open these subjects."""
        for module in (check, kinds, replay):
            monkeypatch.setattr(module, "open_subject", self)
        return self


class Asked(NamedTuple):
    """What a command asked the engine for."""

    spec: SubjectSpec
    config: RunConfig


@dataclass
class FakeEngine:
    """Runs by telling what it was told."""

    findings: Sequence[Finding] = ()
    changes: dict[str, Any] = field(default_factory=dict)
    error: BaseException | None = None
    calls: list[Asked] = field(default_factory=list)

    def __call__(
        self, specs: Sequence[SubjectSpec], config: RunConfig, on_event: Callable[[events.Event], None]
    ) -> tuple[Result, ...]:
        """Tell the events of a run and return its result."""
        spec, seed, budget = specs[0], config.seed, config.budget
        self.calls.append(Asked(spec, config))
        result = made.result(*self.findings, **{"seed": seed, "budget": budget, "mode": spec.mode, **self.changes})
        on_event(events.Started(result.target, seed, budget, 2))
        on_event(events.Progress(50, 1.0, len(self.findings), 0.5, "v1 widgets"))
        for finding in self.findings:
            on_event(events.Found(finding))
        if self.error is not None:
            raise self.error
        on_event(events.Finished(result))
        return (result,)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> Self:
        """Let `harness run` use this engine."""
        monkeypatch.setattr(engine, "run_parts", self)
        return self


class Told(msgspec.Struct):
    """What a command said and returned."""

    code: int
    out: str
    err: str


def call(capfd: pytest.CaptureFixture[str], *arguments: object) -> Told:
    """Run the command line in this process."""
    capfd.readouterr()
    code = harness([str(argument) for argument in arguments])
    said = capfd.readouterr()
    return Told(code, said.out, said.err)
