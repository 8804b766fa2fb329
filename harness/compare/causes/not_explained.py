"""The cause `not-explained`: a mismatch as it was met, when the run ended before it could be reduced and judged."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation

_BUDGET = "budget", "give the run more time, or a budget in cases, which has everything explained"
_REASONS = {
    "target-lost": ("the target was lost", "mend what the target ended with, which the end of the report tells"),
    "interrupted": ("the run was interrupted", "let the run go on to its end"),
    "internal-error": ("an error of the harness ended the run", "report that error, which the end of the report tells"),
}


def describe(detail: str, stopped: str = "") -> Explanation:
    """Say what is certain, and nothing that only looks likely. `stopped`: by what the run ended (`harness.events`)."""
    why, fix = _REASONS.get(stopped, _BUDGET)
    return Explanation(f"{detail}; not explained: {why}", fix, cause=NOT_EXPLAINED.code)


NOT_EXPLAINED = Cause(
    code="not-explained",
    page="""
The run ended before the cause was determined: the difference is reported as it was met, neither shrunk nor explained.
A run reserves time for explanations and finishes them beyond its limit, for half of its time or 30 s at most. What is
left even then has this cause and never a guess, so a cause is the same on a fast and on a slow machine. An exception
matches it by what is certain: side, Go type, member, error type and mismatch. Use `--max-cases` instead of
`--max-time`, or more time, to explain everything. The detail says what else ended the run: the target was lost, or
somebody interrupted it.
""",
    experiment="none: the run ended first",
    example="""
A run of 10 s meets 900 differences and explains 700 of them within its reserve.
""",
    told_by="harness/engine/explain.py",
)
