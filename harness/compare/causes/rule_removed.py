"""The cause `rule-removed`: what remains of an error that only the server before reports."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question
from harness.compare.othervalues import describe_silence


def remain(question: Question) -> Explanation | None:
    if question.mismatch.kind == "served" or question.mismatch.side == "handwritten":
        return None
    after = question.names[1]
    fix = f"rely on {after} no more to reject this at {question.where}"
    return Explanation(describe_silence(question), fix)


def remain_of_validators(question: Question) -> Explanation | None:
    if question.mismatch.side == "handwritten":
        return None
    after = question.names[1]
    written = question.tag or question.comparator.facts.tag_for("", "check")
    fix = f"declare it at {question.where} in {after}{_with(written)}"
    return Explanation(f"{after} has no such check, as far as was tried", fix)


def _with(written: str) -> str:
    return f": {written}" if written else ""


RULE_REMOVED = Cause(
    code="rule-removed",
    page="""
Of two targets, the one that users upgrade to was not seen to report an error that their current one reports.
It is what remains, as for new-rule, the other way round. Your objects are not affected; programs that rely on the error
are.
""",
    experiment="as a create, other old objects, the rest repaired, other sizes, and other values at the same path",
    example="""
The release that users have rejects more than 100 items of a list, the next one accepts them.
""",
    servers=Finder(remain=remain),
    validators=Finder(remain=remain_of_validators),
    extent="rule",
)
