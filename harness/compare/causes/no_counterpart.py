"""The cause `no-counterpart`: what remains of an error that the declarative side reports alone."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question
from harness.compare.change import TagChange
from harness.compare.othervalues import describe_silence
from harness.field import ErrorType


def show(question: Question) -> Explanation | None:
    """See a rule that could not run: no check can say the same."""
    error = question.error
    if question.mismatch.kind != "extra" or error is None or error.type != ErrorType.INTERNAL:
        return None
    fix = "define every option that a tag names, and let the rule run"
    return Explanation(f"a rule could not run: {error.detail}", fix)


def remain(question: Question) -> Explanation | None:
    mismatch = question.mismatch
    if mismatch.side == "handwritten":
        return None
    rule = question.tag or f"the rule that reports {mismatch.type} {mismatch.origin}".rstrip()
    origin = f"{question.words.with_origin(mismatch.origin)} and " if mismatch.origin else ""
    write = f"write {question.check} with {origin}{question.words.mark}"
    change = _remove(question, write) if mismatch.kind == "extra" else None
    fix = f"remove {rule} from {question.declared_at}, or {write}"
    return Explanation(describe_silence(question), fix, change=change)


def _remove(question: Question, otherwise: str) -> TagChange | None:
    mismatch = question.mismatch
    names = question.facts.names_of(mismatch.type, mismatch.origin)
    if not names or not question.tag:
        return None
    return TagChange(
        "remove", mismatch.path, (question.tag,), question.case.version, replaces=names, otherwise=otherwise
    )


NO_COUNTERPART = Cause(
    code="no-counterpart",
    page="""
A declarative rule reports this, and no handwritten check was seen to report it.
It is what remains when no experiment made the handwritten side report it; the report says how many values were tried.
The rule is new: objects that were accepted are rejected. Remove the tag, or write the check and give clients time.
""",
    experiment="every other experiment, and other values at the same path: the handwritten side reports it for none",
    example="""
`spec.replicas: 101` is rejected by a tag with the limit 100, and the handwritten code has no upper limit.
""",
    sides=Finder(show=show, remain=remain),
    extent="rule",
    is_silence=True,
)
