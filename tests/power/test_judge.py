"""A live rule is killed when it is broken, a dead one survives; other differences count for nothing."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness import engine
from harness.diagnostics import HarnessError
from harness.engine import RunConfig
from harness.engine.randomphase import RandomPhase
from harness.fuzzers.budget import Clock
from harness.power.judge import Judgement, SuiteTrial, judge, mutants_of, run_original
from harness.power.known import Known
from harness.power.mutant import Mutant
from harness.power.suites import JudgingProgress, examine
from harness.subject import SubjectSpec
from harness.subject.suiteprocess import SuiteTarget

MIGRATION = Path(__file__).parents[2] / "examples" / "migration"
TYPES = """package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta `json:",inline"`

	// +k8s:beta(since: "1.37")=+k8s:maximum=10
	Size int32 `json:"size"`
	// +k8s:beta(since: "1.37")=+k8s:minimum=-2147483648
	Dead int32 `json:"dead"`
}
"""
HANDWRITTEN = '''"""Validation of widgets."""

from harness.field import Path
from harness.field.make import invalid


def validate(new, old, context):
    """Small widgets only."""
    errors = []
    size = new.get("size", 0)
    if size > 10 and (old is None or size != old.get("size", 0)):
        detail = "must be less than or equal to 10"
        errors.append(invalid(Path().child("size"), size, detail, origin="maximum", covered=True))
    return errors
'''
SUITE = """from harness.suite import Suite, SuiteKind

from .handwritten import validate

SUITE = Suite("toy", "toys.example.com", [SuiteKind("Widget", "widgets", {"v1": "types.go"}, validate)])
"""
LIVE = "declarative v1.Widget.size: maximum (beta): drop"
DEAD = "declarative v1.Widget.dead: minimum (beta): drop"


@pytest.fixture
def trial(tmp_path: Path) -> SuiteTrial:
    """A suite with a rule that every search sees and one that can never fire."""
    folder = tmp_path / "toy"
    folder.mkdir()
    files = {"types.go": TYPES, "handwritten.py": HANDWRITTEN, "suite.py": SUITE}
    files["doc.go"] = "// +k8s:validation-gen=TypesWithField=TypeMeta\n\npackage v1\n"
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return SuiteTrial(SubjectSpec("suite", str(folder)), 1, 400)


def named(trial: SuiteTrial) -> dict[str, tuple[int, Mutant]]:
    """The mutants by name, with their numbers."""
    return {one.name: (number, one) for number, one in enumerate(mutants_of(trial.spec))}


def test_a_live_rule_is_killed_and_a_dead_one_survives(trial: SuiteTrial) -> None:
    """What showed it is told; the surviving mutant took the whole budget."""
    ready, mutants = run_original(trial), named(trial)
    assert frozenset() == ready.original
    live = judge(ready, *mutants[LIVE])
    assert live.killed
    assert live.shown.startswith("unmatched: no declarative counterpart of the covered size")
    dead = judge(ready, *mutants[DEAD])
    assert (False, True) == (dead.killed, dead.cases >= 400)


def test_handwritten_code_is_mutated_in_a_copy(trial: SuiteTrial) -> None:
    """The folder stays as it is, and no module of the copy is left."""
    name = "handwritten handwritten.validate: size > 10: > to >="
    number, mutant = named(trial)[name]
    ready, before = run_original(trial), set(sys.modules)
    assert judge(ready, number, mutant).killed
    assert HANDWRITTEN == (Path(trial.spec.location) / "handwritten.py").read_text(encoding="utf-8")
    assert [] == [one for one in set(sys.modules) - before if "harness_suite" in one]


def test_what_differs_anyway_proves_nothing(trial: SuiteTrial) -> None:
    """A difference of the original suite is not how a mutant is killed."""
    place = Path(trial.spec.location) / "handwritten.py"
    place.write_text(HANDWRITTEN.replace("origin", "detail").replace('detail, detail="maximum"', "detail"))
    ready = run_original(trial)
    assert ready.original
    assert not judge(ready, *named(trial)["declarative v1.Widget.dead: minimum (beta): change origin"]).killed


def test_a_suite_that_cannot_be_loaded_is_killed(trial: SuiteTrial) -> None:
    """Nobody could run it: its author would know at once."""
    ready = run_original(trial)
    broken = Mutant("handwritten", "x", "x", "x", "x", files={"handwritten.py": lambda: "syntax error"})
    assert judge(ready, 0, broken).shown.startswith("cannot be loaded: ")


def test_an_aborted_search_is_reported(trial: SuiteTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutant survives when nothing shows it, and not when nobody looked."""

    def fails(self: object, request: object, number: int) -> None:
        raise ValueError("no points")

    monkeypatch.setattr(RandomPhase, "draw", fails)
    with pytest.raises(HarnessError, match="aborted: ValueError: no points"):
        run_original(trial)


def test_what_survives_is_searched_again_with_the_next_seeds(
    trial: SuiteTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every seed is searched before a mutant survives, and what differs under any of them proves nothing."""
    seeds: list[int] = []
    run = engine.run

    def noted(spec: SubjectSpec, config: RunConfig, **options: Any) -> Any:
        seeds.append(config.seed)
        return run(spec, config, **options)

    monkeypatch.setattr(engine, "run", noted)
    ready = run_original(replace(trial, again=2))
    assert [1, 2, 3] == seeds
    assert not judge(ready, *named(trial)[DEAD]).killed
    assert [1, 2, 3] == seeds[3:]
    listed = replace(ready, equivalent=(Known("declarative v1.Widget.dead: *", "equivalent", "it never fires"),))
    assert not judge(listed, *named(trial)[DEAD]).killed
    assert [1] == seeds[6:], "what is listed as equivalent needs one search: nobody would look at it"


def test_mutants_are_asked_in_this_process(trial: SuiteTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the suite as it is has a process of its own: thousands of mutants would only be starting them."""
    ready = run_original(trial)

    def refuse(*args: Any, **options: Any) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(SuiteTarget, "__init__", refuse)
    found = [one for one in mutants_of(trial.spec) if one.side == "handwritten"]
    assert found
    assert all(isinstance(judge(ready, number, one), Judgement) for number, one in enumerate(found[:3]))


def test_processes_change_nothing(trial: SuiteTrial) -> None:
    """The same verdicts, whatever the number of processes, and every one is told."""
    told: list[JudgingProgress] = []
    one = examine(trial, jobs=1, every=4, clock=Clock(None), on_progress=told.append)
    two = examine(trial, jobs=2, every=4, clock=Clock(None))
    assert [(n, one.judged[n]) for n in one.chosen] == [(n, two.judged[n]) for n in two.chosen]
    assert len(one.chosen) == len(told) == told[-1].judged


def test_an_example_for_authors_is_well_guarded(tmp_path: Path) -> None:
    """Of the example of the tutorial, a sample of mutants is killed within 500 cases."""
    folder = shutil.copytree(MIGRATION, tmp_path / "migration")
    outcome = examine(SuiteTrial(SubjectSpec("suite", str(folder)), 1, 500), every=9, clock=Clock(None))
    killed = sum(one.killed for one in outcome.judged.values())
    assert len(outcome.judged) * 0.5 <= killed
