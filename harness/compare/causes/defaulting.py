"""The cause `defaulting`: two servers fill a field in otherwise, or only one of two validators does."""

from __future__ import annotations

import msgspec

from harness.case import Json
from harness.compare.cause import Cause, Experiment, Explanation, Finder, Question
from harness.compare.given import find_difference
from harness.field import ErrorType
from harness.jsonpath import ABSENT, look, path_of


def search(question: Question) -> Experiment[Explanation | None]:
    found = yield from question.search_once(find_difference)
    if found is None or found.lacking:
        return None
    before, after = question.names
    return Explanation(
        f"{found.path} is filled in otherwise: {before} has {_show(found.before)}, {after} {_show(found.after)}",
        f"write {found.path} out, so that both read the same",
    )


def show_of_validators(question: Question) -> Explanation | None:
    """See that one validator requires what the other takes objects without."""
    error_type, path = question.mismatch.type, path_of(question.mismatch.path)
    if error_type != ErrorType.REQUIRED or not path or look(question.case.object, path) is not ABSENT:
        return None
    (before, after), where = question.names, question.where
    facts = question.comparator.facts
    if question.mismatch.side == "declarative":
        written = question.tag or "a field without a default"
        detail = f"{before} requires {where}, {after} fills it in or does without"
        fix = f"declare {where} in {after} as {written}, or check it there if only some objects need it"
    else:
        detail = f"{after} requires {where}, {before} does without"
        fix = f"declare {facts.tag_for('', 'default') or 'a default'} at {where} in {after}"
    return Explanation(detail, fix, is_guess=True)


def _show(value: Json) -> str:
    return "nothing" if value is ABSENT else msgspec.json.encode(value).decode()[:80]


DEFAULTING = Cause(
    code="defaulting",
    page="""
Two targets default an absent field to different values.
With the value of one of them set explicitly, both serve the same. Set it explicitly until every server agrees.
Of two validators in Python, one requires the field, and the other has a default for it or does without.
""",
    experiment="the default of one target set explicitly",
    example="""
`spec.mode` is absent: one release validates `Auto` there, the next one nothing.
""",
    servers=Finder(search=search),
    validators=Finder(show=show_of_validators),
)
