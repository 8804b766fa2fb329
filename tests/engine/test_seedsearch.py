from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.case import Operation
from harness.engine import RunConfig, run
from harness.engine.boundaryphase import BoundaryPhase
from harness.engine.donorsearch import DonorSearch
from harness.engine.growthphase import GrowthPhase
from harness.engine.phases import in_rotation
from harness.engine.plan import Search, UnitPlan
from harness.events import Budget, KindReport, Noted, Result
from harness.fuzzers.donors import Donor
from harness.fuzzers.pathbits import PathBits
from harness.fuzzers.repair import SeedObject, is_accepted
from harness.fuzzers.smallseeds import encoded_size
from harness.subject import SubjectSpec, open_subject
from harness.targets.target import drive
from tests.engine.toys import ToySpec, open_toys

SUITES = Path(__file__).parents[2] / "suites"
CLAIM = SubjectSpec("suite", str(SUITES / "claim_v1"))


def search(corpus: Path | None = None, cases: int = 6000, **options: Any) -> Result:
    """Search the toy subject."""
    spec: Any = ToySpec()
    config = RunConfig(seed=1, budget=Budget(max_cases=cases), kinds=("widgets",), corpus=corpus)
    return run(spec, config, opener=open_toys, **options)


def by_operation(result: Result) -> dict[str, KindReport]:
    """Return the reports of the one kind."""
    return {report.operation: report for report in result.kinds}


def test_a_run_tells_how_full_accepted_objects_are() -> None:
    """Every path of a widget is reached, which is told once for all operations of its type."""
    reports = by_operation(search())
    create, update = reports["create"], reports["update"]
    assert (45, 45, ()) == (create.paths, create.accepted_paths, create.unaccepted_paths)
    assert (0, 0, ()) == (update.paths, update.accepted_paths, update.unaccepted_paths)


def test_a_search_without_accepted_objects_reaches_nothing() -> None:
    """With too few questions to find an object, the outermost paths are told about and no more."""
    create = by_operation(search(cases=3))["create"]
    assert not create.has_seed
    assert (45, 0) == (create.paths, create.accepted_paths)
    assert ["metadata", "spec"] == [path for path, _ in create.unaccepted_paths]


def test_the_search_for_an_object_came_to_its_end_unless_the_clock_cut_it_short() -> None:
    """A budget in cases is the same on every machine; with one in seconds another machine would have come further."""
    few = by_operation(search(cases=3))
    assert [True, True] == [report.seed_search_complete for report in few.values()]
    assert len(few["create"].remaining) == len(few["create"].sides) > 0
    spec: Any = ToySpec()
    late = run(spec, RunConfig(seed=1, budget=Budget(max_time=1e-9), kinds=("widgets",)), opener=open_toys)
    assert [(False, False)] * 2 == [(report.has_seed, report.seed_search_complete) for report in late.kinds]


def test_an_update_that_changes_something_is_found() -> None:
    """The update that both sides accept changes what may change, and not the ceiling, which is immutable."""
    changed = by_operation(search())["update"].changed_paths
    assert {"spec.replicas", "spec.title"} <= set(changed)
    assert "spec.ceiling" not in changed


def test_accepted_objects_are_found_once(tmp_path: Path) -> None:
    """A second run with the same corpus reaches the same paths and changes, and writes the same file."""
    first = by_operation(search(tmp_path))
    (kept,) = (tmp_path / "seeds").iterdir()
    before = kept.read_bytes()
    second = by_operation(search(tmp_path))
    for operation in ("create", "update"):
        assert second[operation].has_seed
        assert (first[operation].paths, first[operation].accepted_paths) == (
            second[operation].paths, second[operation].accepted_paths,
        )  # fmt: skip
        assert first[operation].unaccepted_paths == second[operation].unaccepted_paths
        assert bool(first[operation].changed_paths) == bool(second[operation].changed_paths)
    assert len(json.loads(before)["seeds"]) == len(json.loads(kept.read_bytes())["seeds"])


def test_a_kept_object_that_is_refused_now_is_looked_for_again(tmp_path: Path) -> None:
    """Spoilt objects in the corpus do no harm: the search finds its own."""
    search(tmp_path)
    (kept,) = (tmp_path / "seeds").iterdir()
    spoilt = json.loads(kept.read_bytes())
    for base in spoilt["seeds"]:
        base["case"]["object"] = {"spec": {"mode": "Odd"}}
    kept.write_text(json.dumps(spoilt))
    reports = by_operation(search(tmp_path))
    assert reports["create"].has_seed
    assert 45 == reports["create"].accepted_paths
    assert "Odd" not in kept.read_text()


def test_a_search_that_was_cut_off_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """What few questions found is kept as unfinished; the next run adds to it until nothing is left, and says so."""
    first = by_operation(search(tmp_path, 60))["create"].accepted_paths
    (kept,) = (tmp_path / "seeds").iterdir()
    assert 0 < first < 45
    assert not json.loads(kept.read_bytes())["done"]
    assert 45 == by_operation(search(tmp_path))["create"].accepted_paths
    assert json.loads(kept.read_bytes())["done"]


def test_a_run_without_time_for_kept_objects_leaves_them_as_they_are(tmp_path: Path) -> None:
    """A few questions after a full run take nothing away."""
    search(tmp_path)
    (kept,) = (tmp_path / "seeds").iterdir()
    before = json.loads(kept.read_bytes())
    for cases in (3, 40, 60):
        search(tmp_path, cases)
        after = json.loads(kept.read_bytes())
        assert [one for one in before["seeds"] if one not in after["seeds"]] == []


def test_one_object_that_is_refused_now_does_not_cost_the_others(tmp_path: Path) -> None:
    """The first of the kept objects is spoilt: the others are taken, and what it had is found again."""
    search(tmp_path)
    (kept,) = (tmp_path / "seeds").iterdir()
    spoilt = json.loads(kept.read_bytes())
    creates = [base for base in spoilt["seeds"] if base["case"]["operation"] == "create"]
    creates[0]["case"]["object"] = {"spec": {"mode": "Odd"}}
    kept.write_text(json.dumps(spoilt))
    assert 45 == by_operation(search(tmp_path))["create"].accepted_paths
    fixed = [base["case"]["object"] for base in json.loads(kept.read_bytes())["seeds"]]
    assert all(one["case"]["object"] in fixed for one in creates[1:])


def test_places_without_an_error_were_not_tried() -> None:
    """A search that ended early has refused nothing: what is not reached was not tried."""
    create = by_operation(search(cases=3))["create"]
    assert (45, 0, 0) == (create.paths, create.accepted_paths, create.rejected_paths)


def test_kept_objects_that_cannot_be_read_are_told_about(tmp_path: Path) -> None:
    """A broken file gives a note, and the run goes on without it."""
    search(tmp_path)
    (kept,) = (tmp_path / "seeds").iterdir()
    kept.write_text("{")
    notes: list[str] = []
    result = search(tmp_path, on_event=lambda event: notes.append(event.text) if isinstance(event, Noted) else None)
    assert any("corpus-file" in note for note in notes)
    assert by_operation(result)["create"].has_seed


def test_without_a_corpus_nothing_is_kept(tmp_path: Path) -> None:
    """Two runs without a corpus ask and find the same, and write nothing."""
    one, other = search(), search()
    assert one.cases == other.cases
    assert [finding.fingerprint for finding in one.findings] == [finding.fingerprint for finding in other.findings]
    assert [] == list(tmp_path.iterdir())


def steps_of(cases: int, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[bool, ...], bool]]:
    """Search, and tell when each step began: its name, which requests had a seed, and whether updates had a pair."""
    told: list[tuple[str, tuple[bool, ...], bool]] = []

    def telling(owner: Any, name: str) -> None:
        step = getattr(owner, name)

        def told_step(self: Any, *given: Any) -> Any:
            states = self.search.ledger.states.values()
            has_pairs = all(state.changed_paths for state in states if state.request.operation is Operation.UPDATE)
            told.append((f"{owner.__name__}.{name}", tuple(state.has_seed for state in states), has_pairs))
            return (yield from step(self, *given))

        monkeypatch.setattr(owner, name, told_step)

    telling(GrowthPhase, "run")
    telling(BoundaryPhase, "run")
    search(cases=cases)
    return told


def test_every_request_has_a_seed_and_every_update_a_pair_before_growth_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Growth and the deterministic pass find what they start from."""
    assert [(True, True), True] == [
        fact for name, *facts in steps_of(6000, monkeypatch) if name == "GrowthPhase.run" for fact in facts
    ]


def test_a_budget_too_small_for_growth_is_enough_for_bases() -> None:
    """With few questions all requests have what both sides accept, and not every path is reached."""
    reports = by_operation(search(cases=60))
    assert [True, True] == [reports[operation].has_seed for operation in ("create", "update")]
    assert reports["update"].changed_paths
    assert 0 < reports["create"].accepted_paths < 45


def test_growth_and_the_first_pass_take_turns() -> None:
    """Parts of a search that take turns are both asked for before either has ended, and each runs to its end."""
    asking: Any = SimpleNamespace(asked=0)
    order: list[str] = []

    def part(name: str, batches: int) -> Search:
        for _ in range(batches):
            asking.asked += 10
            order.append(name)
            answers = yield []
            assert [] == answers
        order.append(name.upper())

    batch: Any = next(steps := in_rotation(asking, (part("a", 6), 20), (part("b", 3), 20)), None)
    while batch is not None:
        try:
            batch = steps.send([])
        except StopIteration:
            batch = None
    assert "aabbaabBaaA" == "".join(order)


@pytest.fixture
def claim(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Search the suite of claims until all of its seeds have grown. Returns the search."""
    grown: list[Any] = []
    run_growth_phase = GrowthPhase.run

    def watched(growth_phase: GrowthPhase) -> Search:
        yield from run_growth_phase(growth_phase)
        grown.append(growth_phase.search)

    monkeypatch.setattr(GrowthPhase, "run", watched)
    run(CLAIM, RunConfig(seed=1, budget=Budget(max_cases=8000)))
    (one,) = grown
    return one


def test_what_was_grown_is_edited_in_small_objects(claim: Any) -> None:
    """Members that cannot stand beside others have accepted objects of their own, and none drags the rest along."""
    assert_small(claim.plan, claim.points.seeds)


def test_what_is_lent_is_small(claim: Any) -> None:
    """The fullest object comes first, and what only another one holds comes by itself."""
    plan = replace(claim.plan, donors=(), observers={}, kept=None, keep=None)
    donor = DonorSearch(plan, Donor(plan.shape, frozenset()))
    with open_subject(CLAIM) as subject:
        drive(donor.run(), subject.target.ask)
    assert donor.donor.is_ready
    assert_small(plan, donor.donor.seeds)
    path_bits = PathBits(plan.shape)
    full, *others = (path_bits.of(base.obj) for base in donor.donor.seeds)
    assert all(other & ~full for other in others)


def assert_small(plan: UnitPlan, seeds: Sequence[SeedObject]) -> None:
    """Check that members which exclude one another stand in accepted objects of half the first one's size at most."""
    full, *others = seeds
    alone = [base for base in others if base.focus[:1] == ("spec",)]
    assert {"node", "fabrics", "days"} <= {base.focus[-1] for base in alone}
    assert all(2 * encoded_size(base.obj) <= encoded_size(full.obj) for base in alone)
    info = plan.unit.requests[0].info
    cases = [info.case(Operation.CREATE, base.obj, None, id=number) for number, base in enumerate(alone, 1)]
    with open_subject(CLAIM) as subject:
        assert all(is_accepted(answer) for answer in subject.target.ask(cases))
