"""What tests of causes share: the causes that are found of everything that a target in one function shows."""

from __future__ import annotations

from typing import Any

from harness.case import Answer, Case
from harness.compare.cause import NO_HINTS, Explanation, Hints, Repairs
from harness.compare.comparator import Comparator
from harness.compare.judge import find_cause
from harness.field import FieldError
from harness.tags.registry import rule_facts
from tests.compare.builders import Ask, answer, drive, errors, info


def causes(asked: Case, ask: Ask, **more: Any) -> dict[str, Explanation]:
    """Ask, compare, and find the cause of every mismatch, by path (of an extra one with a + before it)."""
    known, hints = more.pop("is_known_path", None), more.pop("hints", NO_HINTS)
    one = Comparator(info(**more), is_known_path=known, facts=rule_facts())
    said = ask(asked)
    found = {}
    for mismatch in one.compare(asked, said):
        name = ("+" if mismatch.kind == "extra" else "") + mismatch.path
        found[name] = drive(find_cause(asked, said, mismatch, one, hints), ask)
    return found


def slugs(asked: Case, ask: Ask, **more: Any) -> dict[str, str]:
    """Name the cause of every mismatch, by path."""
    return {path: found.cause for path, found in causes(asked, ask, **more).items()}


def causes_with(repairs: Repairs, ask: Ask, asked: Case, **more: Any) -> dict[str, Explanation]:
    """The causes with repairs from elsewhere, by path: of the first mismatch there."""
    one = Comparator(info(**more), facts=rule_facts())
    said = ask(asked)
    return {
        m.path: drive(find_cause(asked, said, m, one, Hints(repairs)), ask) for m in reversed(one.compare(asked, said))
    }


def repair_mode(asked: Case, wrong: FieldError) -> Any:
    """Know two values for a mode, of which the second helps."""
    if wrong.field == "spec.mode":
        yield {"spec": {**asked.object["spec"], "mode": "Exempt"}}, asked.old
        yield {"spec": {**asked.object["spec"], "mode": "Limited"}}, asked.old


def is_bad(value: Any) -> bool:
    """Whether such a target rejects an object."""
    return isinstance(value, dict) and value.get("spec", {}).get("a") == "bad"


def ratcheting_target(handwritten: bool, declarative: bool) -> Ask:
    """Both sides reject spec.a; on an update a side that ratchets skips what did not change."""

    def ask(asked: Case) -> Answer:
        bad, ratcheted = is_bad(asked.object), asked.old is not None and is_bad(asked.old)
        hv = errors("Invalid@spec.a/minimum covered") if bad and not (handwritten and ratcheted) else ()
        dv = errors("Invalid@spec.a/minimum beta") if bad and not (declarative and ratcheted) else ()
        return answer(hv, dv)

    return ask


BAD = {"spec": {"a": "bad"}}
"""A value that such a target rejects."""
