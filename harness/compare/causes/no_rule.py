"""The cause `no-rule`: what remains of a covered error that the handwritten side reports alone."""

from __future__ import annotations

from harness.case import Operation
from harness.compare.cause import Cause, Explanation, Finder, Question
from harness.compare.change import add
from harness.compare.othervalues import describe_silence


def remain(question: Question) -> Explanation | None:
    mismatch, info = question.mismatch, question.comparator.info
    if mismatch.side != "handwritten" or mismatch.kind == "served":
        return None
    silence = describe_silence(question)
    if not info.rules:
        return Explanation(
            f"{info.version} has no declarative validation at all: no rule of it was generated for this kind",
            f"write an exception, or generate the declarative validation of {info.version}",
            experiment="none: the target says for which versions it has rules",
            certainty="observed",
            ungenerated=(info.version,),
        )
    own = question.hints.own_path(question.case, mismatch.path)
    tag = question.hints.tag(own, mismatch.type, mismatch.origin)
    if tag:
        return Explanation(
            f"the field has {tag}, and yet {silence}: its rule does not run here, or reports another error",
            f"look why {tag} on {question.declared_at} does not report this: another path, a condition, code that was "
            f"not generated anew; or take {question.words.mark} from {question.check}",
        )
    rule = question.tag or f"the rule that reports {mismatch.type} {mismatch.origin}".rstrip()
    check = "the check" if question.error is None else question.check_of(question.error)
    unmark = f"take {question.words.mark} from {check}"
    names = question.facts.names_of(mismatch.type, mismatch.origin)
    change = add(question.declarations, own, question.case.version, unmark, names)
    if question.tag and not question.declarations:
        rule += " with what the check has,"
    fix = f"declare {rule} on {question.declared_at}{question.every_version}, or {unmark}"
    if question.case.operation is Operation.UPDATE and question.mismatch.ratcheting:
        fix += "; rules ratchet what an update leaves as it was, so let the check do so too"
    return Explanation(silence, fix, change=change)


NO_RULE = Cause(
    code="no-rule",
    page="""
The handwritten error is marked as covered, and no declarative rule of this version was seen to report it.
It is what remains when no experiment made the declarative side report it; the report says how many values were tried.
When the handwritten code is deleted, the check is lost. Add the tag that the fix names, in every version, or remove
the mark. Where the field has such a tag already, or the version has no declarative validation at all, the report says
so.
""",
    experiment="every other experiment, and other values at the same path: the declarative side reports it for none",
    example="""
`spec.replicas: -1` is rejected by a check that is marked as covered, and `replicas` has no tag with a limit.
""",
    sides=Finder(remain=remain),
    extent="rule",
    is_silence=True,
)
