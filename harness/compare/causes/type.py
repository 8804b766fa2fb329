"""The cause `type`."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question
from harness.compare.forms import expect_errors_of, find_form_of_server, find_form_of_side, order_errors


def show(question: Question) -> Explanation | None:
    form = question.find_once(find_form_of_side)
    if form is None or form.differs_in != "type":
        return None
    rule, check = (form.error, form.other) if question.mismatch.side == "declarative" else (form.other, form.error)
    call = question.words.call(rule.type, rule.detail)
    return Explanation(
        f"one side says {form.error.type}, the other {form.other.type}",
        f"report {call} instead of {question.check_of(check)}, or declare a rule of the type that users know",
        form.other,
        is_guess=True,
    )


def show_of_servers(question: Question) -> Explanation | None:
    form = question.find_once(find_form_of_server)
    if form is None or form.differs_in != "type":
        return None
    old, new = order_errors(form, question)
    before, after = question.names
    return Explanation(f"{before} reports {old.text}, {after} {new.text}", expect_errors_of(after), form.other)


TYPE = Cause(
    code="type",
    page="""
Both sides report an error on the field, of different types.
A typical pair is Required against Invalid for an empty value. Clients that use the machine-readable reason notice.
""",
    experiment="the other errors repaired: the two forms come and go together",
    example="""
`spec.name: ""`: the rule reports `Required`, the check `Invalid`.
""",
    sides=Finder(show=show),
    servers=Finder(show=show_of_servers),
    validators=Finder(show=show_of_servers),
    extent="rule",
    is_of_both_sides=True,
)
