"""The cause `gate`: both sides agree when an option of the request is inverted, or under other gates of the process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case
from harness.compare.cause import Cause, Explanation, Finder, Question, Trial

Advise: TypeAlias = Callable[[Question, str], str]
"""Says how to mend it: of the question and of the option."""


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


def trials(question: Question, advise: Advise) -> Iterator[Trial]:
    if not question.is_about_an_error:
        return
    case = question.case
    for name, value in sorted({**question.comparator.info.options, **case.options}.items()):
        asked = msgspec.structs.replace(case, options={**case.options, name: not value})
        how = f"with the option {name} {'off' if value else 'on'}"
        yield Trial(asked, partial(_proves, question, asked, name, how, advise))


def _proves(question: Question, asked: Case, name: str, how: str, advise: Advise, said: Answer) -> Explanation | None:
    if question.comparator.remains(question.mismatch, asked, said):
        return None
    who = _who_agrees(question, said)
    return Explanation(f"{who} {how}", advise(question, name), spoken=asked) if who else None


def _who_agrees(question: Question, said: Answer) -> str:
    """Say who agrees in an answer without the mismatch; empty where that proves nothing of the silent side."""
    if question.is_about_servers:
        return "both agree"
    if question.mismatch.side == "both":
        return "both sides agree"
    handwritten, declarative = question.comparator.reporters(question.mismatch, said)
    if handwritten and declarative:
        return "both sides report it"
    # Where no side reports it, a rule may be off, or the field may not be set at all.
    speaks = handwritten if question.silent == "handwritten" else declarative
    return "it is the other way round" if speaks else ""


def advise_sides(question: Question, name: str) -> str:
    """Say which option both sides should ask."""
    return f"let the check of {question.check} and {question.tag_or_rule} ask the same option, {name}"


def advise_servers(question: Question, name: str) -> str:
    """Say which option two servers set differently."""
    return f"look how each of the two sets {name}"


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
    sides=Finder(show=show, trials=partial(trials, advise=advise_sides)),
    servers=Finder(trials=partial(trials, advise=advise_servers)),
    told_by="harness/engine/gatecheck.py",
    extent="rule",
)
