"""Objects of the user's own: asked first, told about, repaired and started from."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Json
from harness.engine import RunConfig, run
from harness.events import Budget, Noted, Result
from harness.subject import Example, SubjectSpec, open_subject

ROSTER = Path(__file__).parents[1] / "roster"
SPEC = {"ward": "ABC/12D", "weeks": 3}


def example(spec: Json, old: Json = None, **others: Any) -> Example:
    """Make an example of a roster."""
    objects = [
        {"apiVersion": "ward.example.org/v1", "kind": "Roster", "metadata": {"name": "own"}, "spec": one}
        for one in (spec, old)
    ]
    return Example("own.yaml:1", objects[0], None if old is None else objects[1], **others)


@dataclass
class Watched:
    """A run, and what was asked in it."""

    cases: list[Case] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def run(self, *examples: Example, path: Path = ROSTER, cases: int = 400, **options: Any) -> Result:
        """Search with these examples."""

        def opened(spec: SubjectSpec, note: Any) -> Any:
            subject: Any = open_subject(spec, note)
            ask = subject.target.ask

            def asked(cases: list[Case]) -> list[Answer]:
                self.cases += cases
                return list(ask(cases))

            subject.target.ask = asked
            return subject

        spec = SubjectSpec("suite", str(path), in_process=True)
        return run(
            spec,
            RunConfig(seed=1, budget=Budget(max_cases=cases), examples=examples, **options),
            opener=opened,
            on_event=lambda event: self.notes.append(event.text) if isinstance(event, Noted) else None,
        )


def test_examples_are_asked_before_anything_is_drawn() -> None:
    """The very first cases are the creation of an example and its update without a change."""
    watched = Watched()
    watched.run(example(SPEC))
    assert [("create", SPEC), ("update", SPEC)] == [
        (str(one.operation), one.object["spec"]) for one in watched.cases[:2]
    ]
    assert ["default", "default"] == [one.object["metadata"]["namespace"] for one in watched.cases[:2]]


def test_a_pair_is_an_update() -> None:
    """Old and new as they are; what it changes is an accepted change."""
    watched = Watched()
    result = watched.run(example({**SPEC, "weeks": 4}, SPEC), cases=2)
    assert [("update", 4, 3)] == [
        (str(one.operation), one.object["spec"]["weeks"], one.old["spec"]["weeks"]) for one in watched.cases[:1]
    ]
    changed = [(kind.operation, kind.changed_paths) for kind in result.kinds if kind.changed_paths]
    assert [("update", ("spec.weeks",))] == changed
    assert ["update"] == [report.operation for report in result.examples]


def test_one_accepted_example_is_enough_for_a_base() -> None:
    """With two questions both operations have an object that both sides accept."""
    assert [True, True] == [kind.has_seed for kind in Watched().run(example(SPEC), cases=2).kinds]
    assert [False, False] == [kind.has_seed for kind in Watched().run(cases=2).kinds]


def test_a_refused_example_is_told_with_the_errors_of_both_sides() -> None:
    """For each operation, as a note at once and in the result; a valid one is told about in the result alone."""
    watched = Watched()
    result = watched.run(example({"ward": "nowhere", "weeks": 15}), example(SPEC))
    first, second, *rest = result.examples
    assert [True, True] == [one.is_accepted for one in rest]
    assert ("create", "update") == (first.operation, second.operation)
    maximum = "spec.weeks: Invalid value: 15: must be less than or equal to 14"
    assert ('spec.ward: Invalid value: "nowhere": is not the mark of a ward', maximum) == first.handwritten
    assert (maximum,) == first.declarative
    (note,) = [note for note in watched.notes if "create" in note]
    assert "own.yaml:1" in note
    assert all(f"{side}: spec." in note for side in ("handwritten", "declarative"))


def test_an_example_that_is_expected_to_be_refused_is_no_news(tmp_path: Path) -> None:
    """Its file's name says so; it is news when both sides accept it."""
    watched = Watched()
    result = watched.run(example({"ward": ""}, is_rejected=True))
    assert [("create", True)] == [(one.operation, one.is_as_expected) for one in result.examples]
    assert [] == watched.notes
    result = watched.run(example(SPEC, is_rejected=True))
    assert [("create", False)] == [(one.operation, one.is_as_expected) for one in result.examples]
    assert any("both sides accept it" in note for note in watched.notes)


def test_kinds_that_nobody_serves_are_told() -> None:
    """Once for each kind, with the path of the first object."""
    watched = Watched()
    strange = [Example(f"a.yaml:{line}", {"apiVersion": "v1", "kind": "Other"}) for line in (1, 5)]
    result = watched.run(*strange)
    assert () == result.examples
    assert ["example a.yaml:1 and 1 more: roster_v1 does not serve v1 Other, so it is not asked"] == watched.notes


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A suite with a check that no text says anything of, nor what else it wants."""
    path = Path(shutil.copytree(ROSTER, tmp_path / "roster", ignore=shutil.ignore_patterns("__pycache__")))
    text = (path / "handwritten.py").read_text()
    (path / "handwritten.py").write_text(text.replace("WARD.fullmatch(ward)", 'ward.encode().hex() == "4d2f37"'))
    return path


def test_a_refused_example_is_repaired(closed: Path) -> None:
    """What is right in it is kept, what the messages speak of is fixed: it opens a door that the search cannot."""
    assert [False, False] == [kind.has_seed for kind in Watched().run(path=closed).kinds]
    result = Watched().run(example({"ward": "M/7", "weeks": 99, "call": {"note": "a" * 50}}), path=closed)
    assert [False, True] == [one.is_accepted for one in result.examples]  # an update ratchets what it leaves as it is
    assert [True, True] == [kind.has_seed for kind in result.kinds]


def test_the_examples_of_a_suite_are_read_from_its_folder(closed: Path) -> None:
    """Without any option; one operation alone has them as well."""
    (closed / "examples").mkdir()
    (closed / "examples" / "one.yaml").write_text(
        "apiVersion: ward.example.org/v1\nkind: Roster\nmetadata: {name: a}\nspec: {ward: M/7, weeks: 2}\n"
    )
    result = Watched().run(path=closed, operations=("update",))
    assert [("update", True)] == [(kind.operation, kind.has_seed) for kind in result.kinds]
    assert {str(closed / "examples" / "one.yaml:1")} == {one.source for one in result.examples}


def test_what_is_accepted_of_a_corpus_is_started_from(closed: Path, tmp_path: Path) -> None:
    """A kept case is a seed object like an example, and no example: nothing is told of it."""
    watched = Watched()
    known = watched.run(example({"ward": "M/7", "weeks": 2}), path=closed, cases=4, corpus=tmp_path / "one")
    assert [True, True] == [kind.has_seed for kind in known.kinds]
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "case.json").write_bytes(msgspec.json.encode(watched.cases[0]))
    result = Watched().run(path=closed, corpus=tmp_path / "two")
    assert [True, True] == [kind.has_seed for kind in result.kinds]
    assert () == result.examples


def test_the_same_examples_give_the_same_run(closed: Path) -> None:
    """Two runs of one seed ask the same."""
    runs = [Watched(), Watched()]
    for one in runs:
        one.run(example({"ward": "M/7", "weeks": 99}), example({"ward": "M/7", "weeks": 2}), path=closed)
    first, second = ([(one.operation, one.object, one.old) for one in watched.cases] for watched in runs)
    assert first == second
