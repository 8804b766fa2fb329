"""Many paths of a seed object are edited in one case, within a part of the cases that are left."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from harness import tuning
from harness.case import Answer, Case, Failure, Json, Operation
from harness.engine.combinedphase import CombinedPhase, combined_edits
from harness.engine.points import Points
from harness.engine.units import RequestKind
from harness.fuzzers.edits import sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.repair import SeedObject
from harness.jsonpath import Edit, JsonPath, apply_all, differences, later_first
from harness.objectmodel import stored
from tests.fuzzers.toys import WIDGETS, error, widget_shape

CREATE, UPDATE = RequestKind(WIDGETS, Operation.CREATE), RequestKind(WIDGETS, Operation.UPDATE)
WIDGET: Json = {"metadata": {"name": "a"}, "spec": {"mode": "Fast", "title": "a", "ports": [{"name": "a"}]}}
FULL_WIDGET: Json = {
    "metadata": {"name": "a"},
    "spec": {"mode": "Fast", "title": "a", "ports": [{"name": "a", "number": 1}], "labels": {"a": "b"}},
}
Spec = tuple[RequestKind, Json, Json, Json]


@pytest.fixture(autouse=True)
def _few_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try three boundary values of each path."""
    monkeypatch.setattr(tuning, "COMBINED_TURNS", 3)


class Asked:
    """Answers every case at once, and remembers it; `left` is the share."""

    def __init__(self, left: int = 10_000, answer: Callable[[Json], Answer] = lambda new: Answer(1)) -> None:
        self.random, self.harvest, self._answer, self._share = Random(1), Harvest(), answer, left
        self.points = Points(self.random, widget_shape(), self.harvest)
        states = {request.key: SimpleNamespace(request=request) for request in (CREATE, UPDATE)}
        self.ledger = SimpleNamespace(states=states)
        self.specs: list[Spec] = []

    @property
    def asked(self) -> int:
        """The number of cases so far."""
        return len(self.specs)

    def left(self) -> int:
        """Return what is left of the share."""
        return self._share - self.asked

    def is_spent(self) -> bool:
        """Whether nothing is."""
        return self.left() <= 0

    def ask(self, specs: Sequence[Spec], settle: bool = True) -> Generator[list[Case], list[Answer], list[Answer]]:
        """Answer cases."""
        assert not settle
        self.specs += specs
        return [self._answer(new) for _, new, _, _ in specs]
        yield []

    def run(self, *, takes: Callable[[RequestKind, JsonPath], bool] = lambda request, path: True) -> list[Spec]:
        """Go through the phase with one seed, and return the cases."""
        search: Any = self
        writable: Any = SimpleNamespace(has=takes)
        for _ in CombinedPhase(search, writable).run([SeedObject(WIDGET)]):
            pass
        return self.specs


def test_a_case_differs_from_its_seed_in_many_paths() -> None:
    """In creates and in updates; no case is asked twice."""
    specs = Asked().run()
    assert {Operation.CREATE, Operation.UPDATE} == {request.operation for request, _, _, _ in specs}
    assert max(len(list(differences(new, WIDGET))) for request, new, _, _ in specs if request == CREATE) >= 4
    assert {repr(stored(WIDGET))} == {repr(old) for request, _, old, _ in specs if request == UPDATE}
    assert len(specs) == len({(request.operation, repr(new), repr(old)) for request, new, old, _ in specs})


def test_it_takes_a_part_of_the_share() -> None:
    """The last turn that begins before that is finished."""
    assert 10 <= len(Asked(left=20).run()) < 20


def test_only_what_a_request_can_write_is_edited() -> None:
    """A status that the server resets would change nothing."""
    specs = Asked().run(takes=lambda request, path: path[:2] == ("spec", "title"))
    assert {("spec", "title")} >= {
        path for request, new, _, _ in specs if request == CREATE for path in differences(new, WIDGET)
    }


def test_an_object_that_cannot_be_decoded_is_asked_again_in_halves() -> None:
    """One undecodable value hides what the others show."""
    unreadable = Answer(1, failure=Failure("decode", "cannot unmarshal"))
    fine, failing = (
        Asked().run(),
        Asked(answer=lambda new: unreadable if new["spec"].get("title") != "a" else Answer(1)),
    )
    assert len(fine) < len(failing.run())


def test_it_ends_after_turns_without_a_new_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A validator that returns at its first error shows little when many paths are wrong."""
    monkeypatch.setattr(tuning, "COMBINED_TURNS", 9)
    same = error("Required", "spec")
    news = (error("Required", f"spec.member{number}") for number in range(10_000))
    quiet, loud = Asked(answer=lambda new: Answer(1, (same,))), Asked(answer=lambda new: Answer(1, (next(news),)))
    assert len(quiet.run()) < len(loud.run())


def _groups(turn: int) -> list[list[Edit]]:
    return list(combined_edits(sites_of(FULL_WIDGET, widget_shape()), Harvest(), turn))


def test_all_scalars_get_a_boundary_value_at_once() -> None:
    """Also absent ones, and those in items, but none of the metadata."""
    scalars, _ = _groups(1)
    edited = apply_all(later_first(scalars), FULL_WIDGET)
    assert {"name": "a"} == edited["metadata"]
    assert ("", "", -1) == tuple(edited["spec"][name] for name in ("mode", "title", "ceiling"))
    assert {"name": "", "number": 0} == edited["spec"]["ports"][0]


def test_no_container_is_edited_that_holds_another() -> None:
    """An edit of the outer one would undo that of the inner one."""
    _, containers = _groups(1)
    paths = [edit.path for edit in containers]
    assert ("spec", "ports", 0) in paths
    assert not {("spec",), ("spec", "ports")} & set(paths)


def test_it_ends_when_no_path_has_so_many_boundary_values() -> None:
    """Each turn takes the next value of each path."""
    assert [] == _groups(100_000)
    assert _groups(2) != _groups(3)
