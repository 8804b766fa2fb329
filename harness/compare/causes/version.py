"""The cause `version`: another version of the same object is validated by other rules."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from harness.case import Answer
from harness.compare.cause import Cause, Explanation, Finder, Question, Trial
from harness.compare.change import add
from harness.compare.conversions import version_losing

_NOTHING = "nothing to do for requests"


def show(question: Question) -> Explanation | None:
    if question.mismatch.kind != "version":
        return None
    comparator = question.comparator
    lacking = [version for version in _silent(question) if comparator.has_rules(version)]
    unruled = [version for version in _silent(question) if not comparator.has_rules(version)]
    differing = comparator.differing_versions(question.case, question.answer, question.mismatch)
    if losing := version_losing(question.answer.round_trips, differing, question.mismatch.path):
        fix = f"let the conversion from and to {losing} keep the value: its rules do not see it otherwise"
        return Explanation(f"the conversion to {losing} loses or changes the value", fix)
    unserved = [version for version in differing if not comparator.is_served(version)]
    if unserved and unserved == differing and comparator.info.served:
        ruled = list(filter(comparator.has_rules, unserved))
        names = " and ".join(unserved)
        has = "has" if len(unserved) == 1 else "have"
        detail = f"no request names {names} {comparator.info.plural}, which are registered and not served"
        if not ruled:
            return Explanation(f"{names} {has} no declarative validation at all; {detail}", _NOTHING)
        return Explanation(detail, f"{_NOTHING}; what converts objects of {' and '.join(ruled)} meets other rules")
    if unruled and not lacking:
        unruled = list(filter(comparator.is_served, unruled)) or unruled
        names = " and ".join(unruled)
        detail = f"{names} {'has' if len(unruled) == 1 else 'have'} no declarative validation at all"
        fix = f"write an exception, or generate the declarative validation of {names}"
        return Explanation(detail, fix, ungenerated=tuple(unruled))
    if not lacking and (levels := _levels(question)):
        rule = question.rule.replace(" on its type", "")
        return Explanation("", f"give {rule} the same level in every version: it is {levels}")
    change = add(question.declarations, question.mismatch.path, lacking[0], "") if lacking else None
    fix = f"declare the same rule, at the same level, in every version: {_declaration(question)}"
    return Explanation("", fix, change=change)


def _levels(question: Question) -> str:
    """Tell the levels of the rule, if versions give it different ones."""
    lists = {question.case.version: question.answer.declarative, **question.answer.versions}
    levels = {name: {one.level or "standard" for one in question.select(errors)} for name, errors in lists.items()}
    told = [f"{'/'.join(sorted(some))} in {name}" for name, some in levels.items() if some]
    return ", ".join(told) if len({frozenset(some) for some in levels.values() if some}) > 1 else ""


def _declaration(question: Question) -> str:
    """Return the tag as it stands in this version, with its value and level, and its field; without it, its name."""
    line, path = question.standing_line, question.declared_at
    levels = {one.level for one in question.select(question.answer.declarative)}
    around = line.count("=+") - any(level and f":{level}" in line for level in levels)
    is_of_items = around == 1 and path.endswith("[*]")
    if not question.tag or not line or (around and not is_of_items):  # it stands at another field, or none is known
        return question.rule
    of_type = " on its type" if question.tag.endswith(" on its type") else ""
    return f"{line}{of_type} on {path.removesuffix('[*]') if is_of_items else path}"


def _silent(question: Question) -> Iterator[str]:
    """Yield the versions whose rules do not report the error, those that are served first."""
    lists = {question.case.version: question.answer.declarative, **question.answer.versions}
    silent = (version for version, errors in lists.items() if not question.select(errors))
    return iter(sorted(silent, key=lambda version: not question.comparator.is_served(version)))


def trials(question: Question) -> Iterator[Trial]:
    # Only a missing rule is looked for in other versions: that another version lacks a rule too explains nothing, nor
    # does one that nobody can send, and a version without any rules lacks more than this one.
    comparator = question.comparator
    if not question.is_about_an_error or not comparator.info.versions or not comparator.info.rules:
        return
    if question.mismatch.side != "handwritten":
        return
    here = question.case.version

    def proves(said: Answer) -> Explanation | None:
        for version, errors in said.versions.items():
            if version != here and comparator.is_served(version) and question.select(errors):
                fix = f"declare the rule in {here} as in {version}: {question.rule}"
                change = add(question.declarations, question.mismatch.path, here, "")
                return Explanation(f"the rules of {version} report it, those of {here} do not", fix, change=change)
        return None

    yield Trial(msgspec.structs.replace(question.case, versions=True), proves)


VERSION = Cause(
    code="version",
    page="""
The same object sent through another version of the API agrees.
The versions declare different rules, or a conversion loses a field that one of them validates. A version that is
registered and not served explains nothing, and one without any declarative validation is told as such.
""",
    experiment="the same object sent through the other versions",
    example="""
`v1beta1` declares a maximum of `spec.replicas`, `v1` has the field without a tag.
""",
    sides=Finder(show=show, trials=trials),
)
