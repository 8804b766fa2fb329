"""A live rule is noticed when it is broken, a dead one survives; other differences count for nothing."""

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
from harness.engine.drawing import Drawing
from harness.fuzzers.budget import Clock
from harness.power.judge import Judged, SuiteTrial, honest_run, judge, sabotages_of
from harness.power.known import Known
from harness.power.sabotage import Sabotage
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


def named(trial: SuiteTrial) -> dict[str, tuple[int, Sabotage]]:
    """The sabotages by name, with their numbers."""
    return {one.name: (number, one) for number, one in enumerate(sabotages_of(trial.spec))}


def test_a_live_rule_is_noticed_and_a_dead_one_survives(trial: SuiteTrial) -> None:
    """What showed it is told; the survivor took the whole budget."""
    ready, sabotages = honest_run(trial), named(trial)
    assert frozenset() == ready.honest
    live = judge(ready, *sabotages[LIVE])
    assert (True, True) == (live.noticed, live.shown.startswith("unmatched: no declarative twin of the covered size"))
    dead = judge(ready, *sabotages[DEAD])
    assert (False, True) == (dead.noticed, dead.cases >= 400)


def test_handwritten_code_is_sabotaged_in_a_copy(trial: SuiteTrial) -> None:
    """The folder stays as it is, and no module of the copy is left."""
    name = "handwritten handwritten.validate: size > 10: > to >="
    number, sabotage = named(trial)[name]
    ready, before = honest_run(trial), set(sys.modules)
    assert judge(ready, number, sabotage).noticed
    assert HANDWRITTEN == (Path(trial.spec.location) / "handwritten.py").read_text(encoding="utf-8")
    assert [] == [one for one in set(sys.modules) - before if "harness_suite" in one]


def test_what_differs_anyway_proves_nothing(trial: SuiteTrial) -> None:
    """A difference of the honest suite is not how a sabotage is noticed."""
    place = Path(trial.spec.location) / "handwritten.py"
    place.write_text(HANDWRITTEN.replace("origin", "detail").replace('detail, detail="maximum"', "detail"))
    ready = honest_run(trial)
    assert ready.honest
    assert not judge(ready, *named(trial)["declarative v1.Widget.dead: minimum (beta): change origin"]).noticed


def test_a_suite_that_cannot_be_loaded_is_noticed(trial: SuiteTrial) -> None:
    """Nobody could run it: its author would know at once."""
    ready = honest_run(trial)
    broken = Sabotage("handwritten", "x", "x", "x", "x", files={"handwritten.py": lambda: "syntax error"})
    assert judge(ready, 0, broken).shown.startswith("cannot be loaded: ")


def test_a_search_that_breaks_off_is_told(trial: SuiteTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sabotage survives when nothing shows it, and not when nobody looked."""

    def fails(self: object, lane: object, number: int) -> None:
        raise ValueError("no points")

    monkeypatch.setattr(Drawing, "draw", fails)
    with pytest.raises(HarnessError, match="broke off: ValueError: no points"):
        honest_run(trial)


def test_what_survives_is_searched_again_with_the_next_seeds(
    trial: SuiteTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every seed is searched before a sabotage survives, and what differs under any of them proves nothing."""
    seeds: list[int] = []
    run = engine.run

    def noted(spec: SubjectSpec, config: RunConfig, **options: Any) -> Any:
        seeds.append(config.seed)
        return run(spec, config, **options)

    monkeypatch.setattr(engine, "run", noted)
    ready = honest_run(replace(trial, again=2))
    assert [1, 2, 3] == seeds
    assert not judge(ready, *named(trial)[DEAD]).noticed
    assert [1, 2, 3] == seeds[3:]
    listed = replace(ready, equivalent=(Known("declarative v1.Widget.dead: *", "equivalent", "it never fires"),))
    assert not judge(listed, *named(trial)[DEAD]).noticed
    assert [1] == seeds[6:], "what is listed as equivalent needs one search: nobody would look at it"


def test_sabotages_are_asked_in_this_process(trial: SuiteTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the suite as it is has a process of its own: thousands of sabotages would only be starting them."""
    ready = honest_run(trial)

    def refuse(*args: Any, **options: Any) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(SuiteTarget, "__init__", refuse)
    found = [one for one in sabotages_of(trial.spec) if one.side == "handwritten"]
    assert found
    assert all(isinstance(judge(ready, number, one), Judged) for number, one in enumerate(found[:3]))


def test_processes_change_nothing(trial: SuiteTrial) -> None:
    """The same verdicts, whatever the number of processes, and every one is told."""
    told: list[JudgingProgress] = []
    one = examine(trial, jobs=1, every=4, clock=Clock(None), on_told=told.append)
    two = examine(trial, jobs=2, every=4, clock=Clock(None))
    assert [(n, one.judged[n]) for n in one.chosen] == [(n, two.judged[n]) for n in two.chosen]
    assert len(one.chosen) == len(told) == told[-1].judged


def test_an_example_for_authors_is_well_guarded(tmp_path: Path) -> None:
    """Of the example of the tutorial, a sample of sabotages is noticed within 500 cases."""
    folder = shutil.copytree(MIGRATION, tmp_path / "migration")
    outcome = examine(SuiteTrial(SubjectSpec("suite", str(folder)), 1, 500), every=9, clock=Clock(None))
    noticed = sum(one.noticed for one in outcome.judged.values())
    assert len(outcome.judged) * 0.5 <= noticed
