"""A suite of two validators of Python: what it says of itself, what it is refused for, and how it answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.case import Answer, Operation
from harness.diagnostics import InputError, UsageError
from harness.engine import RunConfig
from harness.engine import run as run_engine
from harness.events import Budget
from harness.subject import Subject, SubjectSpec, load_suite, open_subject
from harness.subject.opening import api_of
from harness.subject.validatorsuite import ValidatorSuite

TICKET = """
from harness.suite import Suite

SCHEMA = {
    "title": "Ticket", "type": "object", "required": ["seat"], "additionalProperties": False,
    "properties": {"seat": {"type": "string", "pattern": "^[A-Z]$"}, "price": {"type": "integer", "maximum": 500}},
}


def validate_ticket(ticket):
    if ticket.get("seat") == "crash":
        return {}["seat"]
    found = []
    if not isinstance(ticket.get("seat"), str) or len(ticket["seat"]) != 1:
        found.append(("seat", "one letter"))
    if not isinstance(ticket.get("price", 1), (int, str)) or int(ticket.get("price", 1)) > 100:
        found.append(("price", "at most 100"))
    return found


def is_ticket(ticket):
    return not validate_ticket(ticket)

"""
PAIR = "SUITE = Suite(old=validate_ticket, new=SCHEMA)\n"
MUTE = "SUITE = Suite(old=is_ticket, new=SCHEMA)\n"


def write(folder: Path, suite: str) -> Path:
    (folder / "suite.py").write_text(TICKET + suite)
    return folder


def spec(folder: Path, **more: Any) -> SubjectSpec:
    return SubjectSpec("suite", str(folder), **more)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Subject]:
    with open_subject(spec(write(tmp_path, PAIR))) as subject:
        yield subject


def ask(subject: Subject, obj: Any, **more: Any) -> Answer:
    [info] = subject.target.info.kinds
    [answer] = subject.target.ask([info.case(Operation.CREATE, obj, id=7, **more)])
    return answer


def told(subject: Subject, obj: Any) -> list[tuple[str, str, str]]:
    """Who rejects alone: the old or the new validator, where, and by which rule."""
    answer = ask(subject, obj)
    new = [("new", one.field, one.origin) for one in answer.handwritten if one.covered]
    return new + [("old", one.field, one.origin) for one in answer.declarative]


def test_a_suite_says_what_it_is_without_its_code(tmp_path: Path) -> None:
    """Its sides, its schema and the name of its objects are data."""
    suite = load_suite(write(tmp_path, PAIR))
    assert isinstance(suite, ValidatorSuite)
    assert ("the old function", "the new schema") == suite.names
    assert ("Ticket", tmp_path.name, "validate_ticket") == (suite.kind, suite.name, suite.old.name)
    assert str(tmp_path / "suite.py") == suite.old.file
    assert ["Ticket"] == [schema["title"] for schema in suite.schemas]
    assert api_of(spec(tmp_path)) is None


def test_objects_are_plain(opened: Subject) -> None:
    """One kind, that is created, without apiVersion and metadata."""
    [info] = opened.target.info.kinds
    assert ("ticket", "", (Operation.CREATE,)) == (info.name, info.api_version, info.operations)
    assert opened.is_plain
    assert {"seat", "price", "unexpected"} == opened.shape(info).by_name.keys()


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({"seat": "A"}, []),
        ({"seat": "A", "price": 100}, []),
        ({"seat": "AA"}, []),
        ({"seat": "a"}, [("new", "seat", "pattern")]),
        ({"seat": "A", "price": 101}, [("old", "price", "")]),
        ({"seat": "A", "price": "7"}, [("new", "price", "type")]),
        ({"seat": "A", "more": 1}, [("new", "more", "additionalProperties")]),
    ],
)
def test_answers_are_what_the_two_differ_in(opened: Subject, obj: Any, expected: list[tuple[str, str, str]]) -> None:
    """Each error of the one that rejects alone."""
    assert expected == told(opened, obj)


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({"seat": "A", "price": 101}, [("old", "price", "")]),
        ({"seat": "A", "price": 101, "more": 1}, []),
        ({"seat": "a"}, [("new", "seat", "pattern")]),
    ],
)
def test_a_validator_that_names_no_path_gets_one(tmp_path: Path, obj: Any, expected: list[Any]) -> None:
    """That of the value whose replacement makes it accept."""
    with open_subject(spec(write(tmp_path, MUTE))) as subject:
        assert expected == told(subject, obj)


@pytest.mark.parametrize(
    ("old", "obj", "expected"),
    [
        ('lambda obj: [("seat", "bad")]', {"seat": "A"}, ("seat", "")),
        ('lambda obj: [("price", "bad")]', {"seat": "A"}, ("price", "required")),
        ('lambda obj: [("price", "bad")]', {"seat": "A", "price": "1"}, ("price", "type")),
        ('lambda obj: [("price", "bad")]', {"seat": "A", "price": None}, ("price", "null")),
        ('lambda obj: [("gone", "bad")]', {"seat": "A", "gone": None}, ("gone", "additionalProperties")),
        ('lambda obj: "price" in obj', {"seat": "A"}, ("price", "required")),
        ("lambda obj: False", {"seat": "A"}, ("", "")),
    ],
)
def test_the_value_says_the_rule_of_an_error_that_has_none(
    tmp_path: Path, old: str, obj: Any, expected: tuple[str, str]
) -> None:
    """Missing, null, of another type, or unknown are different findings, whatever the message."""
    with open_subject(spec(write(tmp_path, f"SUITE = Suite(old={old}, new=lambda obj: True, schema=SCHEMA)\n"))) as one:
        assert [("old", *expected)] == told(one, obj)


@pytest.mark.parametrize("in_process", [False, True])
def test_a_crash_names_the_validator_and_the_line(tmp_path: Path, in_process: bool) -> None:
    """In the process of the suite and in this one; the next case is answered."""
    with open_subject(spec(write(tmp_path, PAIR), in_process=in_process)) as subject:
        failure = ask(subject, {"seat": "crash"}).failure
        assert failure is not None
        assert ("old", True, "KeyError: 'seat'") == (failure.stage, failure.panic, failure.message)
        line = TICKET[: TICKET.index('return {}["seat"]')].count("\n") + 1
        assert f"suite.py:{line} in validate_ticket" == failure.at
        assert [] == told(subject, {"seat": "A"})


def test_a_validator_that_changes_its_object_is_found(tmp_path: Path) -> None:
    """As that of any other suite, when a case is repeated."""
    changing = 'SUITE = Suite(old=lambda obj: obj.pop("seat", None) is None, new=lambda obj: True)\n'
    with open_subject(spec(write(tmp_path, changing))) as subject:
        failure = ask(subject, {"seat": "A"}, repeat=True).failure
        assert failure is not None
        assert "self" == failure.stage


def test_two_answers_of_one_validator_are_told_with_its_name(tmp_path: Path) -> None:
    """By its name, not by a side."""
    counting = "TIMES = []\nSUITE = Suite(old=lambda obj: TIMES.append(1) or len(TIMES) % 2, new=lambda obj: True)\n"
    with open_subject(spec(write(tmp_path, counting.replace("% 2,", "% 2 == 0,")))) as subject:
        failure = ask(subject, {}, repeat=True).failure
        assert failure is not None
        assert "two answers to one case: the old function says" in failure.message


@pytest.mark.parametrize(
    ("suite", "message"),
    [
        ("SUITE = Suite(old=validate_ticket)", "new is missing"),
        ("SUITE = Suite(new=SCHEMA)", "old is missing"),
        ("SUITE = Suite(old=3, new=SCHEMA)", "old: 3 is no validator"),
        ("SUITE = Suite(old=SCHEMA, new={'$ref': 'http://a.invalid/b.json'})", "refers to http://a.invalid/b.json"),
        ("SUITE = Suite(old=print, new=print, compare='words')", "compare is 'words'"),
        ("SUITE = Suite(old=print, new=print, rejections=ValueError)", "a tuple of exceptions"),
        ("SUITE = Suite(old=print, new=print, schema=3)", "schema: 3 is no validator"),
        ("SUITE = Suite(old=print, new=print, kinds=[1])", "it has kinds"),
        ("SUITE = Suite()", "neither old nor new"),
    ],
)
def test_a_suite_that_cannot_be_used(tmp_path: Path, suite: str, message: str) -> None:
    """Is refused when it is read, with its file."""
    with pytest.raises(InputError) as caught:
        load_suite(write(tmp_path, suite))
    assert message in str(caught.value)
    assert str(tmp_path / "suite.py") in str(caught.value)


@pytest.mark.parametrize(
    "more", [{"gates": {"A": True}}, {"types": "types"}, {"against": "other"}, {"handwritten": "recording"}]
)
def test_what_only_a_suite_with_types_has_is_refused(tmp_path: Path, more: Any) -> None:
    """Gates, types, another subject and a recording."""
    (tmp_path / "recording").write_text("")
    with pytest.raises((UsageError, InputError)):
        open_subject(spec(write(tmp_path, PAIR), **more))


def test_a_pair_of_pairs_is_refused(tmp_path: Path) -> None:
    """Both compare two validators already."""
    write(tmp_path, PAIR)
    with pytest.raises(UsageError, match="leave --against out"):
        open_subject(spec(tmp_path, against=str(tmp_path)))


UPDATES = """
from harness.suite import Suite


def before(new, old):
    price = new.get("price")
    found = [("price", "at most 100")] if isinstance(price, int) and price > 100 else []
    if old is not None and old.get("seat") != new.get("seat"):
        found.append(("seat", "cannot be changed"))
    return found


def after(new, old=None):
    return before(new, None) if old is None or old.get("price") != new.get("price") else []


SUITE = Suite(old=before, new=after, schema={"type": "object", "title": "Ticket", "properties": {
    "seat": {"type": "string"}, "price": {"type": "integer", "maximum": 100}}})
"""


def test_updates_are_compared_where_a_function_takes_the_old_object(tmp_path: Path) -> None:
    """What only one of them holds against an update is its error; creates are asked without an old object."""
    (tmp_path / "suite.py").write_text(UPDATES)
    with open_subject(spec(tmp_path)) as subject:
        [info] = subject.target.info.kinds
        assert (Operation.CREATE, Operation.UPDATE) == info.operations
        stored = {"seat": "A", "price": 101}
        cases = [
            info.case(Operation.CREATE, stored, id=1),
            info.case(Operation.UPDATE, {**stored, "seat": "B", "price": 5}, stored, id=2),
            info.case(Operation.UPDATE, {**stored, "note": 1}, stored, id=3),
        ]
        told = [[(one.field, one.detail) for one in answer.declarative] for answer in subject.target.ask(cases)]
    assert [[], [("seat", "cannot be changed")], [("price", "at most 100")]] == told


def test_differences_of_updates_are_found_with_their_cause(tmp_path: Path) -> None:
    """A field that cannot be changed any more, and an unchanged value that is let through: both by a search."""
    (tmp_path / "suite.py").write_text(UPDATES)
    result = run_engine(spec(tmp_path), RunConfig(seed=1, budget=Budget(max_cases=1500)))
    found = {(one.cause, one.operation, one.path) for one in result.findings}
    assert {"seat", "price"} == {path for _, _, path in found}
    assert {Operation.UPDATE} == {operation for _, operation, _ in found}
    assert not {"unknown", "panic"} & {cause for cause, _, _ in found}


HUGE = """
from harness.suite import Suite

SCHEMA = {"type": "object", "title": "Tree", "properties": {
    "name": {"type": "string", "maxLength": 10**15}, "size": {"type": "integer", "maximum": 10**15, "minimum": -10**15},
    "left": {"$ref": "#"}, "leaves": {"type": "array", "items": {"$ref": "#"}, "maxItems": 10**15}}}
SUITE = Suite(old=lambda tree: tree.get("name") != "a", new=SCHEMA)
"""


def test_recursion_and_huge_limits_end(tmp_path: Path) -> None:
    """A schema that is its own part, with limits that no object reaches, is searched as any other."""
    (tmp_path / "suite.py").write_text(HUGE)
    result = run_engine(spec(tmp_path), RunConfig(seed=1, budget=Budget(max_cases=400)))
    assert 300 < result.compared
    assert not {"unknown", "panic"} & {one.cause for one in result.findings}
