"""The first case that reached a rule or a block is kept, and asked before anything is drawn."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as made
from pathlib import Path
from typing import Any

import msgspec

from harness.case import Answer, Case, Operation
from harness.engine import RunConfig, run
from harness.engine.firstcases import FirstCases, KnownBlocks
from harness.engine.plan import Ahead, Search
from harness.events import Budget, Noted, Result
from harness.fuzzers.aims import Aim
from harness.fuzzers.corpus import ReachingCases, keep_file, load_reaching
from harness.subject import Subject
from harness.targets.target import drive
from tests.engine.toys import ToySpec, open_toys


def case(number: int, name: str, **more: Any) -> Case:
    """A case that a search asks."""
    return Case(number, "g", "v1", "K", Operation.CREATE, {"name": name}, **more)


@dataclass
class Counted:
    """A target that runs a block for each letter of a name, and tells of each batch what was not told before."""

    told: dict[str, set[int]] = made(default_factory=dict)
    asked: list[list[str]] = made(default_factory=list)

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer as a worker with counters does: the blocks since somebody asked, new to whom it names."""
        self.asked.append([one.object["name"] for one in cases])
        found, ran = [], set[int]()
        for one in cases:
            ran |= {ord(letter) for letter in one.object["name"]}
            told = self.told.setdefault(one.blocks, set()) if one.blocks else ran
            found.append(Answer(one.id, blocks=tuple(sorted(ran - told))))
            if one.blocks:
                told |= ran
                ran = set()
        return found


def searched(batches: Sequence[Sequence[str]], target: Counted, known: KnownBlocks, who: str) -> FirstCases:
    """Follow a search that asks batches of names."""

    def steps() -> Search:
        for names in batches:
            cases = [case(number, name, served=True) for number, name in enumerate(names)]
            assert len(cases) == len((yield [*cases[:-1], msgspec.structs.replace(cases[-1], blocks=who)]))

    firsts = FirstCases(known)
    drive(firsts.follow(steps()), target.ask)
    return firsts


def reached(firsts: FirstCases) -> dict[str, set[str]]:
    """The names of cases, with what they reached first."""
    return {one.case.object["name"]: set(one.reaches) for one in firsts.result().cases}


def test_a_batch_with_new_blocks_is_asked_case_by_case() -> None:
    """Each block belongs to the first case of the batch that runs it; a batch without new ones is asked once."""
    target, known = Counted(), KnownBlocks("1.37")
    firsts = searched([["a", "ab", "b"], ["ba", "a"]], target, known, "one")
    assert reached(firsts) == {"a": {f"block 1.37 {ord('a')}"}, "ab": {f"block 1.37 {ord('b')}"}}
    assert target.asked == [["a", "ab", "b"], ["a", "ab", "b"], ["ba", "a"]]
    assert [(one.case.id, one.case.blocks, one.case.served) for one in firsts.result().cases] == [(0, "", False)] * 2


def test_what_another_search_of_the_process_reached_is_not_kept_again() -> None:
    """All kinds share the checks of metadata; one case of one of them is enough."""
    target, known = Counted(), KnownBlocks("1.37")
    searched([["a"]], target, known, "one")
    assert reached(searched([["a"], ["c"]], target, known, "two")) == {"c": {f"block 1.37 {ord('c')}"}}


def test_batches_that_are_sent_ahead_are_followed_too() -> None:
    """Their answers come when the search yields the same list again."""
    cases = Ahead([case(1, "x", blocks="one")])
    seen: list[list[Answer]] = []

    def steps() -> Search:
        yield []
        seen.append((yield cases))
        seen.append((yield cases))

    target, firsts = Counted(), FirstCases(KnownBlocks(""))
    following = firsts.follow(steps())
    assert next(following) == []
    assert following.send([]) is cases
    assert following.send([]) is cases
    again = following.send(target.ask(cases))
    assert [one.blocks for one in again] == ["corpus"]
    assert list(drive_rest(following, target.ask(again))) == []
    assert [len(answers) for answers in seen] == [0, 1]
    assert reached(firsts) == {"x": {f"block  {ord('x')}"}}


def drive_rest(steps: Search, answers: list[Answer]) -> Search:
    """Go on with a search that has one step left."""
    try:
        yield steps.send(answers)
    except StopIteration:
        return []


class LongTitles:
    """Tells of the first case with a title of each length, which stands for a rule that it fires."""

    def __init__(self) -> None:
        self.on_first: Any = None
        self.lengths: set[int] = set()

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Look at titles."""
        for one in cases:
            spec = one.object.get("spec") if isinstance(one.object, dict) else None
            title = spec.get("title") if isinstance(spec, dict) else None
            if isinstance(title, str) and len(title) not in self.lengths:
                self.lengths.add(len(title))
                if self.on_first is not None:
                    self.on_first(one, f"rule {len(title)}")

    def aims(self) -> Sequence[Aim]:
        """No aims."""
        return ()

    def outcome(self) -> frozenset[int]:
        """The lengths."""
        return frozenset(self.lengths)


class LongTitleFactory:
    """Makes such observers."""

    def observer(self, subject: Subject, unit: Any) -> LongTitles:
        """Return one."""
        return LongTitles()


def search(cases: int, corpus: Path | None, seed: int = 1, on_event: Any = lambda event: None) -> Result:
    """Search the toy subject."""
    spec: Any = ToySpec()
    config = RunConfig(
        seed=seed, budget=Budget(max_cases=cases), kinds=("widgets",), corpus=corpus,
        observers={"titles": LongTitleFactory()},
    )  # fmt: skip
    return run(spec, config, opener=open_toys, on_event=on_event)


def lengths(result: Result) -> set[int]:
    """The lengths of titles that a search asked."""
    return {length for found in result.observed["titles"] for length in found}


def test_what_a_run_reached_the_next_one_reaches_at_once(tmp_path: Path) -> None:
    """With another seed, and a share of the cases that reaches a part of it otherwise."""
    first = lengths(search(3000, tmp_path))
    (file,) = (tmp_path / "reaching").iterdir()
    kept = load_reaching(file, print)
    assert kept is not None
    assert {name for one in kept.cases for name in one.reaches} == {f"rule {length}" for length in first}
    few = 1000
    alone = lengths(search(few, None, 2))
    assert first - alone
    assert not first - lengths(search(few, tmp_path, 2))
    again = load_reaching(file, print)
    assert again is not None
    assert {name for one in again.cases for name in one.reaches} >= {f"rule {length}" for length in first}


def test_cases_of_a_corpus_take_half_of_the_share_at_most(tmp_path: Path) -> None:
    """The other half finds accepted objects: without one a kind is incomplete."""
    search(300, tmp_path)
    (file,) = (tmp_path / "reaching").iterdir()
    kept = load_reaching(file, print)
    assert kept is not None
    shutil.rmtree(tmp_path)
    keep_file(file, ReachingCases(kept.cases * 1000), print)
    (create, *_) = search(1000, tmp_path).kinds
    assert create.has_seed


def test_what_a_corpus_shows_is_explained_after_accepted_objects_are_found(tmp_path: Path) -> None:
    """Explaining takes many cases: with a share that it would use up, a kind has its accepted objects nevertheless."""
    search(6000, tmp_path)
    shutil.rmtree(tmp_path / "seeds")
    shutil.rmtree(tmp_path / "reaching")
    (create, *_) = search(150, tmp_path).kinds
    assert create.has_seed


def test_a_file_that_cannot_be_read_is_told_and_left_out(tmp_path: Path) -> None:
    """The search goes on without it."""
    search(300, tmp_path)
    (file,) = (tmp_path / "reaching").iterdir()
    file.write_text("{")
    events: list[Any] = []
    assert search(300, tmp_path, on_event=events.append).cases > 0
    assert any("corpus-file: no cases, left out" in one.text for one in events if isinstance(one, Noted))
