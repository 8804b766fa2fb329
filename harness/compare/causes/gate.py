"""The cause `gate`: both sides agree when an option of the request is inverted, or under other gates of the process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case
from harness.compare.cause import Cause, Explanation, Finder, Question, Trial

Describe: TypeAlias = Callable[[Question, str, str], Explanation]
"""Says what it means: of the question, of the option, and of how it was turned."""


def show(question: Question) -> Explanation | None:
    """See that the levels of a marked check and of its rule differ."""
    if question.mismatch.kind != "served" or question.mismatch.side == "both":
        return None
    handwritten = question.select(question.answer.handwritten)
    levels = {error.level for error in (*handwritten, *question.select(question.answer.declarative))}
    if len(levels) < 2 or not any(error.covered for error in handwritten):
        return None
    words = " and ".join(sorted(level or "standard" for level in levels))
    fix = f"give {question.check} the level of {question.tag_or_rule}"
    return Explanation(f"the levels of check and rule differ: {words}", fix)


def trials(question: Question, describe: Describe) -> Iterator[Trial]:
    if not question.is_about_an_error:
        return
    case = question.case
    for name, value in sorted({**question.comparator.info.options, **case.options}.items()):
        asked = msgspec.structs.replace(case, options={**case.options, name: not value})
        how = f"with the option {name} {'off' if value else 'on'}"
        yield Trial(asked, partial(_proves, question, asked, name, how, describe))


def _proves(
    question: Question, asked: Case, name: str, how: str, describe: Describe, said: Answer
) -> Explanation | None:
    comparator, mismatch = question.comparator, question.mismatch
    if comparator.remains(mismatch, asked, said):
        return None
    handwritten, declarative = comparator.reporters(mismatch, said)
    if not question.is_about_servers and mismatch.side != "both":
        # That no side reports it proves nothing: a rule may be off then, or forbid the field altogether.
        if not (handwritten if question.silent == "handwritten" else declarative):
            return None
        if not (handwritten and declarative):
            return describe(question, name, f"the other way round {how}")
    return describe(question, name, how)


def describe_sides(question: Question, name: str, how: str) -> Explanation:
    """Say of which option one side knows nothing."""
    return Explanation(
        f"{_who(question, how)} {how}",
        f"let the check of {question.check} and {question.tag_or_rule} ask the same option, {name}",
    )


def _who(question: Question, how: str) -> str:
    if question.mismatch.side == "both":
        return "both sides agree"
    return "it is" if how.startswith("the other way") else "both sides report it"


def describe_servers(question: Question, name: str, how: str) -> Explanation:
    """Say which option two servers set differently."""
    return Explanation(f"both agree {how}", f"look how each of the two sets {name}")


def describe_process(detail: str, path: str, parts: list[str]) -> Explanation:
    """Say under which gates of the process both sides report what one of them is silent on."""
    return Explanation(
        f"{detail}; with {' or with '.join(parts)} both sides report it",
        f"let check and rule at {path or 'the object itself'} depend on the same feature gate",
        cause=GATE.code,
        experiment="the same case under other gates of the process",
    )


GATE = Cause(
    code="gate",
    page="""
Both sides report the error under another setting of a feature gate or of an option.
An option is inverted in the request; a gate of the process is tested on a second target with other gates, if the run
has one. One side depends on the gate and the other does not. Use ifEnabled or ifDisabled on the tag, or check the
option in the code.
""",
    experiment=(
        "each option of the request inverted, one at a time; other gates of the process in another part of the run"
    ),
    example="""
The check runs with `NewFeature` on alone, the rule always: with the option on both sides report it.
""",
    sides=Finder(show=show, trials=partial(trials, describe=describe_sides)),
    servers=Finder(trials=partial(trials, describe=describe_servers)),
    told_by="harness/engine/gatecheck.py",
    extent="rule",
)
