"""The cause `path`."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question
from harness.compare.forms import expect_errors_of, find_form_of_server, find_form_of_side, order_errors
from harness.compare.two_servers import plain
from harness.jsonpath import canonical_path


def show(question: Question) -> Explanation | None:
    form = question.find_once(find_form_of_side)
    if form is None or form.differs_in != "path":
        return None
    ours, theirs = (canonical_path(error.field) or "the root" for error in (form.error, form.other))
    handwritten = form.error if question.mismatch.side == "handwritten" else form.other
    check = question.check_of(handwritten)
    fix = (
        f"let {check} and {question.tag_or_rule} report one path, {theirs} or {ours}; where the field moved "
        f"between versions, add a normalization rule from the declarative to the handwritten path"
    )
    detail = f"the other side reports it at {form.other.field}"
    if ours == theirs:  # a key of a map, in full or shortened
        detail += ", where a key is written otherwise"
        fix = f"let {check} and {question.tag_or_rule} write the keys of {ours.rpartition('[')[0]} alike"
    return Explanation(detail, fix, form.other, is_guess=True)


def show_of_servers(question: Question) -> Explanation | None:
    form = question.find_once(find_form_of_server)
    if form is None or form.differs_in != "path":
        return None
    old, new = order_errors(form, question)
    before, after = question.names
    detail = f"{before} reports it at {old.field}, {after} at {new.field}"
    if old.type != new.type:
        detail += f", as {new.type.removeprefix('FieldValue')} where it was {old.type.removeprefix('FieldValue')}"
    return Explanation(detail, expect_errors_of(after), plain(form.other), is_guess=True)


PATH = Cause(
    code="path",
    page="""
Both sides report the error, on different fields.
One unmatched and one extra error differ only in the field, and no repair removes one of them without the other.
Change the path of the handwritten error, or move the tag, or add a normalization rule if the field moved between
versions.
""",
    experiment="the other errors repaired: the two forms come and go together",
    example="""
The rule reports `spec.ports[0].name: Required value`, the check `spec.ports[0]: Required value`.
""",
    sides=Finder(show=show),
    servers=Finder(show=show_of_servers),
    validators=Finder(show=show_of_servers),
    is_of_both_sides=True,
)
