"""The cause `duplicate`."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question
from harness.compare.forms import expect_errors_of, find_form_of_server


def show(question: Question) -> Explanation | None:
    """See an error that comes twice, or beside a rule that is already standard."""
    match question.mismatch.kind:
        case "unmatched":
            return _show_standard_rule(question)
        case "served" if question.mismatch.side != "both":
            return _show_twice(question)
    return None


def _show_standard_rule(question: Question) -> Explanation | None:
    error, matcher = question.error, question.comparator.matcher
    if error is None:
        return None
    counterpart = next((d for d in question.answer.declarative if matcher.matches(error, d)), None)
    if counterpart is None:
        return None
    tag = question.facts.name_of(counterpart.type, counterpart.origin) or "the rule"
    return Explanation(
        f"the rule is already standard: {counterpart.text}",
        f"delete {question.check_of(error)}, or give {tag} on {question.declared_at} a level",
    )


def _show_twice(question: Question) -> Explanation | None:
    handwritten, declarative = (
        question.select(errors) for errors in (question.answer.handwritten, question.answer.declarative)
    )
    if len(handwritten) + len(declarative) < 2:
        return None
    fix = f"delete {question.check}, or the second call of it"
    if not handwritten:
        rule = f"{question.tag_or_rule} on {question.declared_at}"
        fix = f"let {rule} say it once, or at each item: users cannot tell them apart"
    return Explanation(f"reported {'by both sides' if handwritten and declarative else 'twice by one side'}", fix)


def show_of_servers(question: Question) -> Explanation | None:
    """See an error that both serve, one of them more often."""
    form = question.find_once(find_form_of_server)
    if form is None or form.differs_in != "number":
        return None
    name = question.name_of(question.mismatch.side)
    return Explanation(f"{name} reports it once more", expect_errors_of(question.names[1]))


DUPLICATE = Cause(
    code="duplicate",
    page="""
One error is reported twice: by two calls of one check, by both sides for a rule that is already standard, or by a
rule
that reports two items with the same error at their list. Users get it twice. Remove one call, mark the handwritten
error as covered, or let the rule name the item.
""",
    experiment="none: the lists show it",
    example="""
`spec.name: Required value` twice: a standard rule reports it, and the check that it replaces is still there.
""",
    sides=Finder(show=show),
    servers=Finder(show=show_of_servers),
)
