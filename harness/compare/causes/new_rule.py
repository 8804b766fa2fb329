"""The cause `new-rule`: what remains of an error that only the server after reports."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question
from harness.compare.othervalues import describe_silence


def remain(question: Question) -> Explanation | None:
    if question.mismatch.kind == "served" or question.mismatch.side != "handwritten":
        return None
    after = question.names[1]
    fix = f"mend {question.where} before you move to {after}"
    return Explanation(describe_silence(question), fix)


def remain_of_validators(question: Question) -> Explanation | None:
    if question.mismatch.side != "handwritten":
        return None
    before, after = question.names
    written = question.tag or question.comparator.facts.tag_for("", "check")
    fix = f"take the rule at {question.where} out of {after}{_as(written)}, or tell users of it"
    return Explanation(f"{before} has no such check, as far as was tried", fix)


def _as(written: str) -> str:
    return f" ({written})" if written else ""


NEW_RULE = Cause(
    code="new-rule",
    page="""
Of two targets, the one that users upgrade to reports an error that their current one was not seen to report.
It is what remains when no experiment made the current one report it; the report says how many values were tried.
Objects that were accepted may be rejected: fix them before you upgrade. A rule that validates unchanged values rejects
stored objects too.
""",
    experiment="as a create, other old objects, the rest repaired, other sizes, and other values at the same path",
    example="""
`spec.schedule: "TZ=UTC * * * * *"` is accepted by the release that users have, and rejected by the next one.
""",
    servers=Finder(remain=remain),
    validators=Finder(remain=remain_of_validators),
    extent="rule",
)
