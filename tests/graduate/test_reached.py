"""What a run that missed calls of handwritten code makes of a certificate."""

from __future__ import annotations

import msgspec
import pytest

from harness.graduate.document import CallsReached, MissedLine
from harness.graduate.reached import with_calls
from harness.graduate.view import calls_of, missed_of
from tests.graduate.test_mutation import SAFE
from tests.graduate.test_page import CHANGES

_OWN = MissedLine("validation.go:9 check", "if size > 9")
_LEADING = MissedLine("validation.go:3 Validate", leads=True)
_GATED = MissedLine("validation.go:5 check", "if strict", sort="gate", reason="the gate A is off", behind="line 4")


def test_a_rule_whose_calls_are_all_reached_stays_safe() -> None:
    """Also if lines were not reached for a reason that is known."""
    for calls in (CallsReached(2, 2), CallsReached(2, 1, (_GATED,))):
        one = with_calls(SAFE, calls)
        assert ("safe", (), calls) == (one.verdict, one.missing, one.calls)
    assert "2 of 2 that report this error reached" == calls_of(CallsReached(2, 2))
    told = "1 of 2 that report this error reached; of the lines of these calls and on the way to them 1 not reached "
    assert f"{told}for a reason" == calls_of(CallsReached(2, 1, (_GATED,)))
    assert "validation.go:5 check; if strict; the gate A is off (of line 4, behind which it is)" == missed_of(_GATED)


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        (CallsReached(1, 0, (_OWN,)), "validation.go:9 check (if size > 9) reports its error, and no case reached it"),
        (CallsReached(1, 1, (_LEADING,)), "validation.go:3 Validate leads to a call that reports its error"),
        (CallsReached(), "no call that reports its marked error was found in the sources"),
        (CallsReached(uncounted=1), "the calls that report its error have no counter"),
        (CallsReached(1, 1, not_followed=("a.go:7 may report its error: not read",)), "a.go:7 may report its error"),
        (CallsReached(problem="the worker has no counters"), "the worker has no counters"),
    ],
)
def test_what_was_not_reached_makes_a_rule_unknown(calls: CallsReached, told: str) -> None:
    """The certificate names the line, or what is not known of the calls."""
    one = with_calls(SAFE, calls)
    (missing,) = one.missing
    assert ("unknown", f"reached: {told}") == (one.verdict, missing[: len(told) + 9])


def test_few_of_many_lines_are_named() -> None:
    """The document has them all."""
    lines = tuple(msgspec.structs.replace(_OWN, place=f"validation.go:{number} check") for number in range(5))
    missing = with_calls(SAFE, CallsReached(5, 0, lines)).missing
    assert (3, "reached: 3 more lines were not reached") == (len(missing), missing[-1])


def test_a_change_counts_whatever_was_reached() -> None:
    """It was shown."""
    one = with_calls(CHANGES, CallsReached(1, 0, (_OWN,)))
    assert ("changes", ()) == (one.verdict, one.missing)
