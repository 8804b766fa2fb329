"""What changes for users, read from a comparison of base and head."""

from __future__ import annotations

import pytest

from harness.case import Answer, Case, Operation
from harness.compare.finding import Finding
from harness.compare.two_servers import AGAIN
from harness.field import FieldError
from harness.report.model.verification import UserChange
from harness.verify.userchanges import DEFAULT_GATES, deduplicate, make_user_change

SUBJECT = "kubernetes against base"


def error(path: str, detail: str = "no", covered: bool = False) -> FieldError:
    """Make an error."""
    return FieldError("FieldValueInvalid", path, detail, covered=covered)


def read(head: tuple[FieldError, ...], base: tuple[FieldError, ...], name: str = "1", old: object = None) -> UserChange:
    """Read a finding in which the head serves some errors and the base others."""
    case = Case(1, "g", "v1", "T", Operation.CREATE, {"a": 1}, old, resource="ts")
    finding = Finding(
        fingerprint=name, code="no-rule", cause="no-rule", severity="verdict", mismatch="unmatched", group="g",
        version="v1", kind="T", resource="ts", subresource="", operation="create", path="a", type="", origin="",
        side="", gates={}, detail="", fix="", occurrences=1, case=case, answer=Answer(1, head, base),
        parts=(SUBJECT, f"{SUBJECT} DeclarativeValidationBeta=false"),
    )  # fmt: skip
    return make_user_change(finding, SUBJECT, ("T.A",), "replay it")


@pytest.mark.parametrize(
    ("head", "base", "direction", "words"),
    [
        ((error("a", covered=True),), (), "newly-rejected", "that was accepted is rejected: a: Invalid value: no"),
        ((), (error("a"),), "newly-accepted", "is accepted; the base said: a: Invalid value: no"),
        ((error("a", "x", covered=True),), (error("a", "y"),), "other-errors", "it read a: Invalid value: y, it"),
        ((error("b"),), (error("a"),), "other-errors", "it read a: Invalid value: no, it is gone now"),
        ((error("a"), error("a", "no" + AGAIN, covered=True)), (), "other-errors", "the same error twice: a: Invalid"),
    ],
)  # fmt: skip
def test_which_way_an_object_goes(
    head: tuple[FieldError, ...], base: tuple[FieldError, ...], direction: str, words: str
) -> None:
    """What both serve is no change; what one serves alone decides, and the sentence says what was read."""
    change = read(head, base)
    assert direction == change.direction
    assert words in change.sentence


def test_only_objects_that_change_sides_count_as_verdicts() -> None:
    """Other words alone are told, and are no reason to fail."""
    assert read((error("a", covered=True),), ()).is_verdict
    assert not read((error("b", covered=True),), (error("a"),)).is_verdict


def test_settings_are_named_by_their_gates() -> None:
    """The comparison's own name says nothing that a reader does not know."""
    assert (DEFAULT_GATES, "DeclarativeValidationBeta=false") == read((), (error("a"),)).settings


def test_one_object_is_told_once() -> None:
    """An error that reads differently is missed by one end and added by the other: two findings, one change."""
    one, two = (
        read((error("b", covered=True),), (error("a"),), "1"),
        read((error("b", covered=True),), (error("a"),), "2"),
    )
    assert ["1"] == [change.fingerprint for change in deduplicate([one, two])]
    assert 2 == len(deduplicate([one, read((), (error("a"),), "2")]))
