"""The judge is judged: compiled validators give the errors of the generated ones, to the letter and in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import msgspec
import pytest

from harness.case import Answer, Case
from harness.rulecov.unfireable import reasons_for
from harness.subject.goorder import in_order
from harness.targets.kubernetes import KubernetesTarget
from harness.targets.process import PendingBatch
from tests.conformance.cases import cases_of
from tests.conformance.conftest import Tell
from tests.conformance.kinds import Key, Kind, key_of, kinds_of

SEED = 1
CASES = {"1.37.1": 1000, "1.36.3": 1000, "1.35.4": 1000, "1.34.2": 1000, "1.33.13": 2000}
"""For each kind of a release; the objects that they are drawn around come on top."""
NO_SUBRESOURCES = ("1.33.13",)
"""Releases that hand subresources to generated functions beside the operation, and of which no strategy does so."""
STEPS = 1500
"""How many objects are looked at to collect those."""
BATCH = 250


@dataclass
class Tally:
    """What was asked of one release, and what came of it."""

    release: str
    kinds: Counter[str] = field(default_factory=Counter)
    cases: Counter[str] = field(default_factory=Counter)
    errors: int = 0
    refused: int = 0
    left_out: int = 0
    fired: set[tuple[str, Key]] = field(default_factory=set)
    declared: set[tuple[str, Key]] = field(default_factory=set)
    cannot: set[tuple[str, Key]] = field(default_factory=set)
    differences: list[tuple[int, str]] = field(default_factory=list)

    def note(self, kind: Kind, case: Case, answer: Answer) -> None:
        """Compare one answer with ours."""
        if answer.failure is not None and answer.failure.stage != "declarative":
            self.refused += 1
            return
        self.cases["subresource" if case.subresource else str(case.operation)] += 1
        self.kinds[kind.ruled.type] += 1
        self.errors += len(answer.declarative)
        self.fired.update((kind.ruled.type, key_of(error)) for error in answer.declarative)
        theirs, ours = in_order(answer.declarative, kind.shape), in_order(kind.validate(case), kind.shape)
        if theirs != ours:
            text = msgspec.json.encode(case).decode()
            missing = [row for row in theirs if row not in ours] or theirs
            extra = [row for row in ours if row not in theirs] or ours
            self.differences.append((len(text), f"{kind.ruled.type}\n  Go {missing}\n  Python {extra}\n  {text}"))

    @property
    def text(self) -> str:
        """The numbers on one line."""
        total = sum(self.cases.values())
        parts = ", ".join(f"{name} {self.cases[name]:,}" for name in ("create", "update", "subresource"))
        return (
            f"{self.release}: {len(self.kinds)} group-version-kinds, {total:,} cases ({parts}; "
            f"at least {min(self.kinds.values()):,} each, {self.refused:,} not decodable), "
            f"{self.errors:,} errors compared, "
            f"{len(self.declared & self.fired):,} of {len(self.declared):,} declared rules fired, "
            f"{len(self.differences)} differences"
        )


def batches(kind: Kind, number: int) -> Iterator[Sequence[Case]]:
    """Cut the cases of a kind into batches."""
    cases = cases_of(kind, SEED, number, STEPS)
    while batch := list(islice(cases, BATCH)):
        yield batch


def examine(target: KubernetesTarget, kinds: Sequence[Kind], tally: Tally) -> None:
    """Ask about every kind; while the worker answers one batch, the next one is drawn."""
    waiting = None
    for kind in kinds:
        tally.declared.update((kind.ruled.type, key) for key in kind.declared)
        for drawn in batches(kind, CASES[tally.release]):
            batch = [case for case in drawn if not (case.subresource and tally.release in NO_SUBRESOURCES)]
            tally.left_out += len(drawn) - len(batch)
            pending = target.submit(batch)
            if waiting is not None:
                collect(waiting, tally)
            waiting = kind, batch, pending
    if waiting is not None:
        collect(waiting, tally)


def collect(waiting: tuple[Kind, Sequence[Case], PendingBatch], tally: Tally) -> None:
    """Compare the answers of a batch."""
    kind, batch, pending = waiting
    for case, answer in zip(batch, pending.result(), strict=True):
        tally.note(kind, case, answer)


def judge(release: str, count: int, tell: Tell) -> Tally:
    """Compare every kind with rules of a release: no error may differ, and no kind may be missing."""
    tally = Tally(release)
    with KubernetesTarget(release, jobs=1) as target:
        # Releases before 1.36 generate validators of lists, too, which no request sends.
        ruled = [one for one in target.info.ruled if not one.kind.endswith("List")]
        assert count == len(ruled)
        examine(target, kinds_of(release, ruled), tally)
    tell(tally.text)
    assert [] == [text for _, text in sorted(tally.differences)][:3], tally.text
    assert count == len(tally.kinds)
    assert min(tally.kinds.values()) + tally.left_out >= CASES[release]
    names = {(one.group, one.version, one.kind): one.type for one in ruled}
    tally.cannot.update((names[key[:3]], key[3:]) for key in reasons_for(release))
    return tally


@pytest.mark.kubernetes
@pytest.mark.parametrize(
    ("release", "count"),
    [
        ("1.37.1", 149),
        pytest.param("1.36.3", 63, marks=pytest.mark.older),
        pytest.param("1.35.4", 27, marks=pytest.mark.older),
        pytest.param("1.34.2", 7, marks=pytest.mark.older),
        pytest.param("1.33.13", 1, marks=pytest.mark.older),
    ],
)
def test_compiled_validators_equal_the_generated_ones(release: str, count: int, tell: Tell) -> None:
    """Every kind with rules: the same errors in all parts and in order, for every case; every rule that can fires."""
    tally = judge(release, count, tell)
    assert tally.cannot == tally.declared - tally.fired
