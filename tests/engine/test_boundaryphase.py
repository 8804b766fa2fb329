"""The deterministic pass: which paths get probes when, and which pairs follow a refusal."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

from harness.case import Answer, Case, Json, Operation
from harness.engine.asker import NO_OPTIONS
from harness.engine.boundaryphase import BoundaryPhase, PathSelection
from harness.engine.plan import Abilities
from harness.engine.points import Points
from harness.engine.units import RequestKind
from harness.engine.writableparts import WritableParts
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.repair import SeedObject
from harness.fuzzers.shape import Shape
from harness.jsonpath import ABSENT, look
from tests.fuzzers.toys import WIDGETS, error, widget_shape

UPDATE = RequestKind(WIDGETS, Operation.UPDATE)
Verdict = Callable[[Json, Json], Answer]
TWO: Json = {"metadata": {"name": "a"}, "spec": {"title": "t", "ports": [{"name": "x"}, {"name": "y"}]}}


def fine(new: Json, old: Json) -> Answer:
    """Nothing is wrong."""
    return Answer(1)


class Asked:
    """Answers at once by a verdict, and remembers old and new, and whether other versions were asked."""

    def __init__(self, verdict: Verdict = fine) -> None:
        self.verdict = verdict
        self.shape: Shape = widget_shape()
        self.plan = SimpleNamespace(shape=self.shape, abilities=Abilities(), compares_versions=True)
        self.points = Points(Random(1), self.shape, Harvest())
        states = {(UPDATE.info.key, UPDATE.operation): SimpleNamespace(request=UPDATE)}
        self.ledger = SimpleNamespace(states=states, judged={"spec.ports[*].name"})
        self.pairs: list[tuple[Json, Json]] = []
        self.versions: list[bool] = []
        self.explained: list[int] = []

    def is_spent(self) -> bool:
        """There is no end of it."""
        return False

    def ask(
        self,
        wanted: Sequence[tuple[RequestKind, Json, Json, Json]],
        settle: bool = True,
        versions: bool = False,
        options: Mapping[str, bool] = NO_OPTIONS,
    ) -> Generator[list[Case], list[Answer], list[Answer]]:
        """Judge every pair."""
        self.pairs += [(new, old) for _, new, old, _ in wanted]
        self.versions += [versions] * len(wanted)
        return [] if settle else [self.verdict(new, old) for _, new, old, _ in wanted]
        yield []

    def settle(self) -> Generator[list[Case], list[Answer], None]:
        """Remember how many had been asked when what is new was explained."""
        self.explained.append(len(self.pairs))
        yield from ()


def swept(search: Any, *seeds: Json, which: PathSelection = "new", turns: range = range(5)) -> BoundaryPhase:
    """Go through the pass once, and return it."""
    boundary_phase = BoundaryPhase(search, WritableParts(search))
    for _ in boundary_phase.run([SeedObject(base) for base in seeds], turns, which):
        pass
    return boundary_phase


def test_what_edits_showed_is_explained_before_related_pairs_are_asked() -> None:
    """A batch of edits, then the explanations of what was new, then the pairs that follow a refusal."""

    def refuse(new: Json, old: Json) -> Answer:
        return Answer(1, declarative=(error("Invalid", "spec.title"),) if look(new, ("spec", "title")) == "" else ())

    search, plain = Asked(refuse), Asked()
    swept(search, TWO)
    swept(plain, TWO)
    assert search.explained[0] == plain.explained[0] > 0
    assert len(search.pairs) > len(plain.pairs)


def test_what_a_create_is_refused_for_is_followed_by_updates_too() -> None:
    """A reason is new to each operation: the update that leaves the value as it is follows, whoever said it first."""

    def refuse(new: Json, old: Json) -> Answer:
        return Answer(1, declarative=(error("Invalid", "spec.title"),) if look(new, ("spec", "title")) == "" else ())

    search = Asked(refuse)
    create = RequestKind(WIDGETS, Operation.CREATE)
    search.ledger.states = {create.key: SimpleNamespace(request=create), **search.ledger.states}
    swept(search, TWO)
    assert any(look(new, ("spec", "title")) == "" and old == new for new, old in search.pairs)


def test_what_nobody_says_of_the_metadata_stands_there_twice() -> None:
    """The server brings back from the old object what it puts aside: only a pair that has it twice shows it."""
    search = Asked()
    swept(search, TWO)
    assert any(look(new, ("metadata", "generation")) == -1 and new == old for new, old in search.pairs)


def test_every_item_of_a_list_gets_probes() -> None:
    """A rule may look at the first item alone, so that the second is a place of its own."""
    search = Asked()
    swept(search, TWO)
    whole = [new for new, _ in search.pairs if len(look(new, ("spec", "ports")) or ()) == 2]
    for index in range(2):
        assert len({repr(look(new, ("spec", "ports", index, "name"))) for new in whole}) > 4


def test_a_member_that_another_base_lacks_is_probed_there_too() -> None:
    """To change and to set for the first time are two things for an update."""
    search = Asked()
    swept(search, TWO, {"metadata": {"name": "a"}, "spec": {"mode": "Fast"}})
    set_first = [new for new, old in search.pairs if look(old, ("spec", "title")) is ABSENT]
    assert len({repr(look(new, ("spec", "title"))) for new in set_first}) > 3


def test_a_place_that_a_base_had_before_gets_nothing_again() -> None:
    """The same member of the same sort in another base is no new path."""
    search, once = Asked(), Asked()
    swept(once, TWO)
    swept(search, TWO, {**TWO, "metadata": {"name": "b"}})
    assert len(once.pairs) == len(search.pairs)


def test_places_that_both_sides_look_at_can_be_gone_through_alone() -> None:
    """Of all paths only those whose errors are declared or covered change, once wherever they stand."""
    search = Asked()
    swept(search, TWO, TWO | {"metadata": {"name": "b"}}, which="judged")
    before = [port["name"] for port in look(TWO, ("spec", "ports"))]
    assert all(old["spec"]["title"] == new["spec"]["title"] for new, old in search.pairs)
    changed = [new["spec"]["ports"] for new, _ in search.pairs]
    assert len(changed) == 10
    assert all([port.get("name") for port in ports] != before for ports in changed)


def test_a_share_that_is_spent_lists_no_places() -> None:
    """Large objects have thousands: they are listed only while there is something left to ask."""
    search: Any = Asked()
    search.is_spent = lambda: True
    listed: list[SeedObject] = []
    search.points.sites = listed.append
    swept(search, TWO, which="every")
    assert not listed


def test_metadata_of_which_nobody_speaks_comes_last() -> None:
    """After the first probes only members of the metadata that somebody minds are gone on with."""

    def mind_labels(new: Json, old: Json) -> Answer:
        bad = look(new, ("metadata", "labels")) != look(old, ("metadata", "labels"))
        return Answer(1, handwritten=(error("Invalid", "metadata.labels"),) if bad else ())

    search: Any = Asked(mind_labels)
    boundary_phase = swept(search, TWO)

    def changed_values(which: PathSelection) -> set[str]:
        search.pairs.clear()
        for _ in boundary_phase.run([SeedObject(TWO)], range(5, 9), which):
            pass
        pairs = [(new.get("metadata") or {}, old["metadata"]) for new, old in search.pairs]
        return {name for new, old in pairs for name in {*new, *old} if new.get(name) != old.get(name)}

    assert {"labels"} == changed_values("new") - {"annotations"}
    assert {"annotations", "finalizers"} <= changed_values("quiet")
    assert "labels" not in changed_values("quiet")


def test_related_pairs_follow_once_for_each_reason() -> None:
    """How old and new correlate does not depend on the value, but on the rule that refuses it."""

    def mind_titles(new: Json, old: Json) -> Answer:
        title = look(new, ("spec", "title"))
        return Answer(1, declarative=(error("Invalid", "spec.title"),) if title != "t" else ())

    search: Any = Asked(mind_titles)
    swept(search, TWO)
    kept = {repr(look(new, ("spec", "title"))) for new, old in search.pairs if new == old}
    assert 1 == len(kept - {repr("t")})


def test_what_must_not_change_is_set_for_the_first_time_too() -> None:
    """A value that no update may change is asked about as a new one: another rule may have been hidden."""

    def keep_titles(new: Json, old: Json) -> Answer:
        before = look(old, ("spec", "title"))
        is_kept = before is ABSENT or look(new, ("spec", "title")) == before
        return Answer(1, declarative=() if is_kept else (error("Invalid", "spec.title", origin="immutable"),))

    search: Any = Asked(keep_titles)
    swept(search, TWO)
    refused = {repr(look(new, ("spec", "title"))) for new, old in search.pairs if keep_titles(new, old).declarative}
    first = {repr(look(new, ("spec", "title"))) for new, old in search.pairs if look(old, ("spec", "title")) is ABSENT}
    assert {"''", "'a b'"} <= refused & first
    assert len(refused - first) <= 1


def test_what_must_not_change_under_a_key_is_set_for_the_first_time_too() -> None:
    """The error of a value of a map names it by its key in brackets."""
    path = ("spec", "labels", "a.b/c")

    def keep_labels(new: Json, old: Json) -> Answer:
        before = look(old, path)
        is_kept = before is ABSENT or look(new, path) == before
        return Answer(1, declarative=() if is_kept else (error("Invalid", "spec.labels[a.b/c]", origin="immutable"),))

    base: Json = {"metadata": {"name": "a"}, "spec": {"labels": {"a.b/c": "t"}}}
    search: Any = Asked(keep_labels)
    swept(search, base)
    refused = {repr(look(new, path)) for new, old in search.pairs if keep_labels(new, old).declarative}
    first = {repr(look(new, path)) for new, old in search.pairs if look(old, path) is ABSENT}
    assert 2 < len(refused & first)


def test_other_versions_are_asked_in_the_first_part_only() -> None:
    """There every path gets its first probes once; later the lists of other versions are a sample."""
    search: Any = Asked()
    boundary_phase = swept(search, TWO)
    assert all(search.versions)
    search.versions.clear()
    for _ in boundary_phase.run([SeedObject(TWO)], range(5, 9), "new"):
        pass
    assert search.versions
    assert not any(search.versions)
