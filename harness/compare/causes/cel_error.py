"""The cause `cel-error`: a CEL rule raises where it should answer, and a server counts that as a rejection."""

from __future__ import annotations

import re

from harness.compare.cause import Cause, Explanation, Finder, Question
from harness.compare.causes.cost import describe_ignored, is_about_cost, raised_by_rules

_EVALUATING = " evaluating rule: "
"""How the server words it. Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel/validation.go (2026-11)."""
_OF_POLICY = re.compile(r"expression '(?P<rule>.*)' resulted in error: (?P<raised>.*)", re.S)
"""How it words it of a policy. Source: k8s.io/apiserver pkg/admission/plugin/cel/condition.go (2026-11)."""
_RAISES = " raises"
"""How the origin of such an error ends, where the worker knows the rule."""
_KEY = re.compile(r"no such key: (\S+)")


def show(question: Question) -> Explanation | None:
    """See that the error says what a rule raised, and not what is wrong with the object."""
    errors = raised_by_rules(question)
    found = next(((one, read) for one in errors if (read := _read(one.detail)) is not None), None)
    if found is None:
        return None
    error, (raised, rule) = found
    place = error.origin.removesuffix(_RAISES)
    name = f"the rule {place}" if place != error.origin else f"a rule on {question.where}"
    key = _KEY.search(raised)
    field = _field(rule, key[1]) if key else ""
    fix = f"let the rule look first: has({field}) && ..." if field else "let the rule answer for every object"
    passed = describe_ignored(question, error)
    return Explanation(f"{name} raises `{raised}` instead of answering ({rule}){passed}", fix)


def _read(detail: str) -> tuple[str, str] | None:
    """Return what was raised, and the rule that raised it."""
    if is_about_cost(detail):
        return None
    if of_policy := _OF_POLICY.fullmatch(detail):
        return of_policy["raised"], of_policy["rule"]
    raised, found, rule = detail.partition(_EVALUATING)
    return (raised.rpartition('": ')[2], rule) if found else None


def _field(rule: str, key: str) -> str:
    """Return the field that a rule reads without looking; a rule of a CRD has a message in its place."""
    read = re.search(rf"\bobject(\.\w+)*\.{re.escape(key)}\b", rule)
    return read[0] if read else f"self.{key}"


CEL_ERROR = Cause(
    code="cel-error",
    page="""
A CEL rule or an expression of a policy raises an error instead of answering: mostly it reads a field that is not there.
The server rejects the object then, whatever the rule was meant to say, with the error in place of the message. Ask
with `has()` before a field is read. Such an error is not ratcheted: a stored object for which a rule raises may not be
updated any more. An expression of a policy does the same with `failurePolicy: Fail`. With `Ignore` it lets every such
object pass: where the other side denies it, the finding says what raised, and that users are served.
""",
    experiment="none: the error says what the rule raised",
    example="""
`self.min <= self.max` raises `no such key: max` for an object without `max`.
""",
    sides=Finder(show=show),
    servers=Finder(show=show),
    extent="rule",
)
