"""The cause `wording`."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question
from harness.compare.comparison import quote
from harness.compare.forms import expect_errors_of, find_form_of_server, order_errors


def show(question: Question) -> Explanation | None:
    """See a served error whose words change with the side that reports it."""
    if question.mismatch.kind != "served" or question.mismatch.side != "both":
        return None
    # Where one side reports it once more than the other, an experiment may tell why: words are a guess.
    lists = question.answer.handwritten, question.answer.declarative
    counts = {len(question.select(errors)) for errors in lists}
    agree = "type, field and origin agree, the words do not"
    ours, theirs = ({one.detail for one in question.select(errors)} for errors in lists)
    whose, pairs = ("every error of ", "each pair") if len(ours - theirs) > 1 else ("", "the pair")
    if len(counts) == 1:
        mend = f"give the words of {question.tag_or_rule} to {whose}{question.check}"
    else:
        agree = f"{agree}, and one side reports more errors of it than the other"
        rule = question.tag_or_rule
        mend = f"let the check of {question.check} report each error of {rule} with its words, and no other"
    return Explanation(
        agree, f"{mend}, or add {pairs} to trusted_wordings.yaml with a reason", is_guess=len(counts) > 1
    )


def show_of_servers(question: Question) -> Explanation | None:
    """See one error of both servers in other words."""
    before, after = question.names
    form = question.find_once(find_form_of_server)
    if form is not None and form.differs_in == "words":
        old, new = order_errors(form, question)
        detail = f"{before} says {quote(old.detail)}, {after} says {quote(new.detail)}"
        return Explanation(detail, expect_errors_of(after), form.other)
    if form is None and question.mismatch.side == "both":
        return Explanation(question.mismatch.detail, expect_errors_of(after))
    return None


WORDING = Cause(
    code="wording",
    page="""
Both sides report the same error with different details.
Make the texts equal, or list the pair in trusted_wordings.yaml with a reason.
""",
    experiment="none: the lists show it",
    example="""
`spec.replicas: -1`: the check says "must be non-negative", the rule "must be greater than or equal to 0".
""",
    sides=Finder(show=show),
    servers=Finder(show=show_of_servers),
    validators=Finder(show=show_of_servers),
)
