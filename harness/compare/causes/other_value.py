"""The cause `other-value`: both sides know the error at this path, and differ on the value of the case."""

from __future__ import annotations

from collections.abc import Sequence

from harness.compare.alike import choose_alike
from harness.compare.cause import Cause, Experiment, Explanation, Finder, Question
from harness.compare.othervalues import (
    OtherValuesResult,
    TriedValue,
    describe_own,
    describe_tried,
    is_about_change,
    path_in_object,
    try_other_values,
)
from harness.field import ErrorType
from harness.jsonpath import ABSENT, look

_SHOWN = 2  # values of each sort that are named


def search(question: Question) -> Experiment[Explanation | None]:
    """Let no cause that claims "for every value" stand where the silent side reports the error for one."""
    if question.mismatch.kind == "served" or question.mismatch.side == "both":
        return None
    if question.unmasked is not None and question.unmasked.uncovered is not None and question.guess is None:
        return None
    found = yield from question.search_once(try_other_values)
    agreeing, reverse = (
        tuple(one for one in every if _is_other(question, one)) for every in (found.agreeing, found.reverse)
    )
    if len(agreeing) + len(reverse) < len(found.agreeing) + len(found.reverse) and not agreeing and not reverse:
        return None  # the same value in another place: what is around it decides
    found = found._replace(agreeing=agreeing, reverse=reverse)
    if found.agreeing or found.reverse:
        alike = choose_alike(question, ((one.case, one.answer) for one in found.agreeing))
        spoken = alike or next((one.case for one in found.agreeing), None)
        return Explanation(_describe(question, found), _fix(question), experiment=_experiment(found), spoken=spoken)
    if question.hints.reported(question.case, question.silent, question.mismatch):
        name, none = question.name_of(question.silent), "other values of it were not tried"
        if found.tried:
            none = f"for none of the {found.described} tried in this one"
        detail = f"{name} reports it at this path for other objects of the run, {none}"
        return Explanation(detail, _fix(question), experiment=_experiment(found))
    return None


def _is_other(question: Question, tried: TriedValue) -> bool:
    """Whether what was tried is told as something else than the value of the case: another value, or as a create."""
    return describe_tried(question, tried) != describe_own(question)


def _experiment(found: OtherValuesResult) -> str:
    return f"{found.described} at the same path" if found.known else "the other answers of the run"


def _describe(question: Question, found: OtherValuesResult) -> str:
    """Name values where both report it, or the other one alone, and the one where they differ."""
    silent, loud = question.name_of(question.silent), question.name_of(question.loud)
    own = describe_own(question)
    if found.agreeing:
        both = "both" if question.is_about_servers else "both sides"
        text = f"{both} report it for {_name(question, found.agreeing)}, and for {own} {loud} alone"
    else:
        text = f"{loud} reports it for {own}, and {silent} for {_name(question, found.reverse)}"
    return f"{text} ({found.described} tried)"


def _name(question: Question, values: Sequence[TriedValue]) -> str:
    names = list(dict.fromkeys(describe_tried(question, one) for one in values))
    shortest = sorted(names, key=len)[:_SHOWN]
    return " and ".join(shortest) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _fix(question: Question) -> str:
    own = describe_own(question)
    if question.is_about_servers:
        return f"expect another answer to {own} at {question.where} from {question.names[1]}"
    is_marked = question.mismatch.kind == "unmatched" and question.mismatch.side == "handwritten"
    if question.mismatch.kind == "extra" and _is_unseen(question):
        rule = f"{question.tag_or_rule} at {question.declared_at}"
        return f"let {rule} skip {own}, by a rule of its level that makes the field optional, or write an exception"
    if is_marked and _is_unseen(question):
        unseen = f"{question.tag_or_rule} at {question.declared_at} is not asked about one"
        return f"take {question.words.mark} from {question.check} for {own}, or write an exception: {unseen}"
    check, rule = f"the check of {question.check}", f"{question.tag_or_rule} at {question.declared_at}"
    fix = f"let {check} and {rule} treat {own} alike: both report it, or neither"
    if _has_empty_member(question):
        unset = f"count {own} as without the empty member, as {rule} does"
        fix = f"let {check} {unset}: no tag makes the rule count an empty one"
    return f"{fix}; or take {question.words.mark} from {question.check} for {own}" if is_marked else fix


def _has_empty_member(question: Question) -> bool:
    """Whether members of a union are counted, one of which is there and empty."""
    value = look(question.case.object, path_in_object(question, question.case.object))
    is_union = any(one.place == "members" for one in question.declarations)
    return is_union and isinstance(value, dict) and any(one in ([], {}) for one in value.values())


def _is_unseen(question: Question) -> bool:
    """Whether rules for values do not run: where there is none, those run that require one or compare it."""
    value = look(question.case.object, path_in_object(question, question.case.object))
    return value is ABSENT and question.mismatch.type != ErrorType.REQUIRED and not is_about_change(question)


OTHER_VALUE = Cause(
    code="other-value",
    page="""
Both sides know this error at this path, and differ on the value: the report names values where they agree and the one
where they do not.
Typical are an empty list that one side takes for unset, uniqueness by another key, a member that is cleared where the
check looks at changes to another value, and two readings of one format. The rule is not missing and
the check is not missing: make both treat the value alike.
""",
    experiment="other values at the same path: empty, full, absent, the other constants, the other items of the list",
    example="""
`spec.attributes[a]: {"ints": []}`: the rule says that one member must be set, the check takes the empty list for a
member. For `{}` both report it.
""",
    sides=Finder(search=search),
    servers=Finder(search=search),
    extent="rule",
)
