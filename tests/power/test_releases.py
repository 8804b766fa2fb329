"""Mutation testing of a release: what is kept, and gone on from; with the real validators, a few mutants of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from harness.diagnostics import UsageError
from harness.errormatch.trusted import own_wordings
from harness.fuzzers.budget import Clock
from harness.power import releases
from harness.power.handwritten import CodeTrial, judge_all, search_untouched
from harness.power.mutant import Record
from harness.power.releases import CodePlan, examine_code
from harness.subject import SubjectSpec
from harness.targets.kubernetes.build import VALIDATORS, worker_for
from harness.targets.kubernetes.mutants.gomutant import GoMutant
from harness.targets.kubernetes.mutants.population import all_mutants
from harness.targets.kubernetes.mutants.program import MutantBuild, build_mutants, mutated_folders
from harness.targets.kubernetes.release import find_release

SPEC = SubjectSpec("kubernetes", "1.37.1")
KNOWN = frozenset({(("", "v1", "pods", ""), "create", ("extra", "spec", "FieldValueRequired", "", "declarative"))})


def go_mutant(number: int) -> GoMutant:
    """A mutant that nobody builds."""
    return GoMutant("m", "pkg/a.go", (number, number + 1, "y"), "limit", number, "f", "x", number, "a value", number)


def plan(binary: str = "worker-1", seed: int = 1) -> CodePlan:
    """A plan for three mutants."""
    mutants = {number: go_mutant(number) for number in (1, 2, 3)}
    trial = CodeTrial((SPEC,), seed, 100, binary=Path(binary) / "worker", mutants=mutants)
    return CodePlan(trial, MutantBuild(VALIDATORS, mutants, {}, {}), (1, 2, 3))


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the judged mutants, 0 for the search of the unmutated code; the second interrupts, once."""
    asked: list[int] = []

    def judge(trial: CodeTrial, numbers: Sequence[int], jobs: int) -> Iterator[tuple[int, Record]]:
        for number in numbers:
            asked.append(number)
            assert (KNOWN, ("pods", "pods/status")) == (trial.known, trial.reached[0][1][0])
            if asked == [0, 1, 2]:
                raise KeyboardInterrupt
            yield number, Record(f"m{number}", "handwritten", "limit", "a.go:1", "x → y", "killed", cases=100)

    def search(trial: CodeTrial) -> CodeTrial:
        asked.append(0)
        return replace(trial, known=KNOWN, reached=({1: (("pods", "pods/status"),)}, {}))

    monkeypatch.setattr(releases, "search_untouched", search)
    monkeypatch.setattr(releases, "judge_all", judge)
    return asked


def test_an_interrupted_command_goes_on(tmp_path: Path, judged: list[int]) -> None:
    """What was judged is not judged again, nor is the unmutated code searched; what was not is told as such."""
    keep = tmp_path / "keep.json"
    first = examine_code(plan(), clock=Clock(None), keep=keep)
    assert (True, ["killed", "unjudged", "unjudged"]) == (first.interrupted, [one.state for one in first.records])
    second = examine_code(plan(), clock=Clock(None), keep=keep)
    assert (False, ["killed"] * 3) == (second.interrupted, [one.state for one in second.records])
    assert [0, 1, 2, 2, 3] == judged
    third = examine_code(plan(), clock=Clock(None), keep=keep)
    assert (second, 5) == (third, len(judged))


def test_results_of_something_else_are_not_mixed(tmp_path: Path, judged: list[int]) -> None:
    """Another seed or another worker; and a file of another sort is not overwritten."""
    keep = tmp_path / "keep.json"
    examine_code(plan(), clock=Clock(None), keep=keep)
    with pytest.raises(UsageError, match="seed 1, seed 2"):
        examine_code(plan(seed=2), clock=Clock(None), keep=keep)
    with pytest.raises(UsageError, match="worker-2"):
        examine_code(plan("worker-2"), clock=Clock(None), keep=keep)
    keep.write_text("[]", encoding="utf-8")
    with pytest.raises(UsageError, match="no kept results"):
        examine_code(plan(), clock=Clock(None), keep=keep)
    assert "[]" == keep.read_text(encoding="utf-8")


@pytest.mark.kubernetes
def test_mutants_of_a_release() -> None:
    """A mark that a rule needs is missed at once; a limit that no rule knows is changed unseen, which is told."""
    release = find_release("1.37.1")
    found = [one for one in all_mutants(mutated_folders(release)) if "apis/autoscaling/" in one.file]
    mark = next(one for one in found if one.operator == "mark removed" and "must be set and greater" in one.before)
    zero = next(one for one in found if one.edit[2] == "policy.PeriodSeconds < 0")
    build = build_mutants(release, [mark, zero], lambda text: None)
    assert {} == build.left_out
    binary = worker_for(release, lambda text: None, build.program)
    trial = CodeTrial(
        (SPEC,), 1, 2_000, ("autoscaling/v2/horizontalpodautoscalers",), trusted=own_wordings(), binary=binary,
        mutants=build.mutants, functions=build.functions,
    )  # fmt: skip
    trial = search_untouched(trial, 2_000)
    first, second = (record for _, record in judge_all(trial, (1, 2), 1))
    assert ("killed", True) == (first.state, "spec.maxReplicas" in first.shown)
    assert ("survived", True) == (second.state, second.uncompared), second.reason
    assert "spec.behavior" in second.reason
    none = replace(trial, kinds=(), reached=({},))
    assert ["unreached"] == [record.state for _, record in judge_all(none, (1,), 1)]
