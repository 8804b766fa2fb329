"""Findings whose handwritten check has a line, and sources that say what a test wants of it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from harness.case import Answer, Case
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compare.mismatch import Mismatch
from harness.engine.explain import Explainer
from harness.fuzzers.shape import Shape
from harness.subject.callsites import CodeLine
from harness.subject.deciding import Decision, HandwrittenCode, Stop
from harness.subject.errorstack import GivenName, Made
from harness.targets.target import drive
from tests.compare.builders import answer, case, errors, info


def traced_explanation(traces: bool, mismatch_of: str, *sources: str) -> tuple[Finding, list[Case]]:
    """Explain a difference of a target whose traced answers have these sources; return what it was asked too."""
    comparator, explainer = Comparator(info()), Explainer(Shape("struct"), "s", traces=traces)
    given = answer(errors("TooMany@spec.a/maxItems covered"), errors("TooMany@spec.b/maxItems"))
    asked: list[Case] = []

    def ask(cases: list[Case]) -> list[Answer]:
        asked.extend(cases)
        plain = given.handwritten
        told = tuple(msgspec.structs.replace(e, source=s) for e, s in zip(plain, sources, strict=False)) or plain
        return [msgspec.structs.replace(given, handwritten=told if one.trace else plain) for one in cases]

    mismatch = Mismatch("unmatched", mismatch_of, "FieldValueTooMany", "maxItems", "handwritten")
    if mismatch_of != "spec.a":
        mismatch = Mismatch("extra", mismatch_of, "FieldValueTooMany", "maxItems", "declarative")
    return drive(explainer.explain(case(), given, mismatch, comparator, False, 8), ask), asked


class ToldCode(HandwrittenCode):
    """Sources that show what a test says."""

    def find_way(self, check: Made) -> Sequence[CodeLine]:
        return [CodeLine("v.go", 2, "call"), CodeLine("v.go", 1, "top")] if "helper" in check.source else ()

    def find_name(self, check: Made, name: str, is_key: bool = False) -> GivenName | None:
        return GivenName(tuple(CodeLine("v.go", number, name) for number in (4, 5)))

    def find_items(self, check: Made, below: Sequence[str]) -> str:
        return f"v.go:6 in {below[0]}"

    def count_callers(self, source: str, besides: str = "") -> int:
        return 0 if besides and "own" in source else 4 if "many" in source else 3

    def __init__(self, callers: Sequence[str] = (), under: str = "", stop: str = "", unreached: str = "") -> None:
        super().__init__()
        self.told, self.under, self.stop, self.unreached = callers, under, stop, unreached

    @property
    def _branch(self) -> Decision:
        return Decision(self.under, CodeLine("v.go", 3, "validate"))

    def callers(self, source: str) -> Sequence[str]:
        return self.told

    def callers_on_way(self, check: Made) -> Sequence[str]:
        return [f"{check.kind} also by C (v.go:8)", check.path]

    def find_likes(self, check: Made) -> Sequence[int]:
        return [11, 12] if "validateID" in check.source else []

    def is_of_operations(self, source: str, kind: str) -> bool:
        return bool(self.under)

    def forwards(self, source: str) -> str:
        return "common.Check" if "forward" in source else ""

    def find_condition(self, check: Made, path: str, beside: str, made: Sequence[Made] = ()) -> Decision | None:
        return self._branch if self.under and beside else None

    def find_update(self, check: Made, path: str) -> Sequence[Decision]:
        return [self._branch] if self.under else []

    def find_unreached(self, check: Made, path: str, subresource: str) -> str:
        return self.unreached

    def find_stop(self, masking: Made, check: Made, path: str) -> Stop | None:
        return Stop(self.stop, self.stop.endswith("share")) if self.stop else None


SILENT = "; the handwritten check, which is silent here, is v.go:9 in f"
