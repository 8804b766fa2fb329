"""A subject around the toy target, in the shape that the engine opens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from harness.case import Answer, Case, KindInfo, Mode
from harness.compare.comparator import Comparator
from harness.compare.comparison import TWO_SIDES
from harness.errormatch.trusted import Wordings
from harness.field.facts import NO_FACTS, RuleFacts
from harness.fuzzers.shape import Shape
from harness.gotypes.literals import NO_LITERALS, Literals
from harness.subject.deciding import UNREAD, HandwrittenCode
from tests.fuzzers.toys import WIDGETS, ToyTarget, widget_shape

GADGETS = msgspec.structs.replace(WIDGETS, resource="gadgets")
GIZMOS = msgspec.structs.replace(WIDGETS, resource="gizmos")


@dataclass(frozen=True)
class ToySpec:
    """What a job process opens the toy subject from. `fault` names what goes wrong, `at` after how many cases."""

    mode: Mode = "served"
    fault: str = ""
    at: int = 0
    corpus: Path | None = None
    gates: tuple[str, ...] = ()
    beside: int = 1


class GatedTarget(ToyTarget):
    """With the gate on, both sides have one limit for titles, and there is one kind more."""

    def _answer(self, case: Case) -> Answer:
        answer = super()._answer(case)
        late = {error.field for error in answer.declarative}
        twins = [
            msgspec.structs.replace(error, covered=False, level="beta")
            for error in answer.handwritten
            if error.field == "spec.title" and error.field not in late
        ]
        return msgspec.structs.replace(answer, declarative=(*answer.declarative, *twins))


class ToySubject:
    """The toy target with its types."""

    name = "toys"
    comparison = TWO_SIDES
    allow_incomplete = ()
    recording = None
    is_plain = False
    rules = None
    tags = None
    lists = None
    build = "toys"

    def __init__(self, spec: ToySpec) -> None:
        self.spec = spec
        gated = bool(spec.gates)
        kinds = (WIDGETS, GADGETS, GIZMOS) if gated else (WIDGETS, GADGETS)
        self.target: Any = (GatedTarget if gated else ToyTarget)(kinds, _faults(spec))
        self.corpus, self.examples = spec.corpus, None

    @property
    def part(self) -> str:
        """Its name among the parts of a run."""
        return " ".join((self.name, *self.spec.gates))

    def shape(self, info: KindInfo) -> Shape:
        """Return the shape of the toy kind."""
        return widget_shape()

    def is_known_path(self, info: KindInfo) -> Callable[[str], bool] | None:
        """Know no paths."""
        return None

    def comparator(self, info: KindInfo, trusted: Wordings, facts: RuleFacts = NO_FACTS) -> Comparator:
        """Compare as it is."""
        return Comparator(info, trusted=trusted, facts=facts)

    def code(self) -> HandwrittenCode:
        """Have no sources."""
        return UNREAD

    def versions(self, info: KindInfo) -> list[KindInfo]:
        """Return the versions of a kind."""
        return [one for one in self.target.info.kinds if one.resource == info.resource]

    def in_other_groups(self, info: KindInfo) -> list[KindInfo]:
        """Have one group."""
        return []

    def literals(self, info: KindInfo) -> Literals:
        """Know no sources."""
        return NO_LITERALS

    def close(self) -> None:
        """Nothing to free."""


def open_toys(spec: Any, note: Callable[[str], None]) -> Any:
    """Open the toy subject."""
    return ToySubject(spec)


def _faults(spec: ToySpec) -> Callable[[int], None]:
    def fails(asked: int) -> None:
        if spec.fault and asked >= spec.at:
            _FAULTS[spec.fault]()

    return fails


def _interrupt() -> None:
    raise KeyboardInterrupt


def _lose() -> None:
    from harness.diagnostics import TargetError

    raise TargetError("the worker does not come back")


def _die() -> None:
    import os

    os._exit(3)


_FAULTS: dict[str, Callable[[], None]] = {"interrupt": _interrupt, "lost": _lose, "die": _die}
