"""The cause `not-explained`: a mismatch as it was met, when the run ended before it could be reduced and judged."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation

UNEXPLAINED = "not explained: budget"


def describe(detail: str) -> Explanation:
    """Say what is certain, and nothing that only looks likely."""
    fix = "give the run more time, or a budget in cases, which has everything explained"
    return Explanation(f"{detail}; {UNEXPLAINED}", fix, cause=NOT_EXPLAINED.code)


NOT_EXPLAINED = Cause(
    code="not-explained",
    page="""
Time was up before the cause was determined: the difference is reported as it was met, neither shrunk nor explained.
A run reserves time for explanations and finishes them beyond its limit, for half of its time or 30 s at most. What is
left even then has this cause and never a guess, so a cause is the same on a fast and on a slow machine. An exception
matches it by what is certain: side, Go type, member, error type and mismatch. Use `--max-cases` instead of
`--max-time`, or more time, to explain everything.
""",
    experiment="none: time was up",
    example="""
A run of 10 s meets 900 differences and explains 700 of them within its reserve.
""",
    told_by="harness/engine/explain.py",
)
