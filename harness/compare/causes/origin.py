"""The cause `origin`."""

from __future__ import annotations

import msgspec

from harness.compare.cause import Cause, Explanation, Finder, Question
from harness.compare.forms import find_form_of_side


def show(question: Question) -> Explanation | None:
    form = question.find_once(find_form_of_side)
    if form is None or form.differs_in != "origin":
        return None
    ours, theirs = form.error.origin, form.other.origin
    if ours == theirs:  # Invalid without origin on both sides: the matcher wants one
        detail = "both errors lack an origin, so nothing tells their rules apart"
        return Explanation(detail, "give both an origin", is_guess=True)
    rule, check = (form.error, form.other) if question.mismatch.side == "declarative" else (form.other, form.error)
    same = msgspec.structs.replace(check, origin=rule.origin)
    tried = "gone" if question.is_mended(check, same) else ""
    is_marked_too = question.is_mended(check, msgspec.structs.replace(same, covered=True)) if rule.origin else False
    if not tried and is_marked_too and question.facts.names_of(rule.type, rule.origin):
        tried = "gone"
        fix = f"give {question.words.with_origin(rule.origin)} and {question.words.mark} to {question.check_of(check)}"
    elif not tried or not question.facts.names_of(rule.type, rule.origin):  # no tag reports that, or more differs
        one = f"{rule.origin or 'none'} or {check.origin or 'none'}"
        fix = f"let {question.check_of(check)} and {question.tag_or_rule} report one error of one origin, {one}"
        tried = ""
    elif rule.origin:
        fix = f"give {question.words.with_origin(rule.origin)} to {question.check_of(check)}"
    else:
        fix = f"take {question.words.with_origin(check.origin)} from {question.check_of(check)}: the rule has none"
    told = f"the origins differ: {ours or 'none'} and {theirs or 'none'}"
    return Explanation(told, fix, partner=form.other, is_guess=True, tried=tried)


ORIGIN = Cause(
    code="origin",
    page="""
Both sides report the error, under different origins.
The origin names the rule. Give the handwritten error that of the rule: the fix names the call.
""",
    experiment="the other errors repaired: the two forms come and go together",
    example="""
The rule reports `Invalid` with the origin `minimum`, the check `Invalid` without an origin.
""",
    sides=Finder(show=show),
    extent="rule",
    is_of_both_sides=True,
)
