"""What a Go test expects of answers: the words of upstream's helper, and whether it would be content."""

from __future__ import annotations

from harness.case import Answer, KindInfo
from harness.export.expected import ExpectedError, expected_of
from harness.field import FieldError

INFO = KindInfo("shop", "v1", "Shop", "shops", "shop/v1")
OURS = FieldError("FieldValueInvalid", "spec.a", origin="minimum", level="beta")
THEIRS = FieldError("FieldValueInvalid", "spec.a", origin="minimum", covered=True)


def test_both_say_the_same() -> None:
    """A covered error with a counterpart is expected once, of the declarative side."""
    found = expected_of(INFO, Answer(0, (THEIRS, THEIRS), (OURS,)), lambda error: "alpha")
    assert ((ExpectedError(OURS, False),), ()) == (found.marks, found.differs)


def test_what_is_handwritten_alone() -> None:
    """An error that nobody marked is expected of the handwritten side."""
    alone = FieldError("FieldValueForbidden", "spec.b")
    found = expected_of(INFO, Answer(0, (alone,)), lambda error: "alpha")
    assert ((ExpectedError(alone, True),), ()) == (found.marks, found.differs)


def test_a_short_circuit() -> None:
    """A covered error below a path where the declarative side stops is expected to be skipped there."""
    info = KindInfo("shop", "v1", "Shop", "shops", "shop/v1", short_circuit_mismatch=True)
    stop = FieldError("FieldValueTooMany", "spec", origin="maxItems", level="beta", short_circuit=True)
    many = FieldError("FieldValueTooMany", "spec", origin="maxItems", covered=True)
    found = expected_of(info, Answer(0, (many, THEIRS), (stop,)), lambda error: "alpha")
    assert [ExpectedError(stop, False), ExpectedError(THEIRS, True, True)] == list(found.marks)
    assert () == found.differs


def test_a_missing_rule() -> None:
    """A mark without a rule is expected of a rule, and the test fails until there is one."""
    found = expected_of(INFO, Answer(0, (THEIRS,)), lambda error: "beta")
    assert [("beta", False)] == [(mark.error.level, mark.handwritten) for mark in found.marks]
    assert (
        "graduated: not served: spec.a: Invalid value",
        "handwritten, covered, without a counterpart: spec.a: Invalid value",
    ) == found.differs
    fixed = expected_of(INFO, Answer(0, (THEIRS,), (OURS,)), lambda error: "beta")
    assert [mark.error.level for mark in found.marks] == [mark.error.level for mark in fixed.marks]
    assert () == fixed.differs


def test_a_rule_alone() -> None:
    """A rule of a level without a handwritten counterpart is a difference."""
    found = expected_of(INFO, Answer(0, (), (OURS,)), lambda error: "alpha")
    assert "declarative, without a counterpart: spec.a: Invalid value" in found.differs


def test_versions_that_disagree() -> None:
    """The helper compares what all versions say."""
    found = expected_of(INFO, Answer(0, (THEIRS,), (OURS,), versions={"v2": ()}), lambda error: "alpha")
    assert ("v1 and v2 say different things",) == found.differs


def test_exact_duplicates() -> None:
    """The helper takes the very same error twice for a mistake, even where one expectation stands for both."""
    standard = FieldError("FieldValueInvalid", "spec.a", origin="minimum")
    found = expected_of(INFO, Answer(0, (standard,), (standard,)), lambda error: "alpha")
    assert [one for one in found.differs if "twice the same" in one]
