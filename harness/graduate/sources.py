"""Finds the lines that make the handwritten errors of rules, who shares them, and what else they report.

A check that several fields share cannot be deleted with one of them, and a mark on it covers them all. Each rule's
check is asked again on one case of the run, with the ability `trace`; a target without it tells no lines.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from harness.case import Case
from harness.errormatch.matcher import matcher_for
from harness.graduate.after import RuleErrors
from harness.graduate.document import CALLED_AT, CheckSource, line_of
from harness.jsonpath import canonical_path
from harness.rulecov.inventory import KnownRule
from harness.subject import Subject

RuleNumber = tuple[str, int]
"""The Go type of a rule, and its number among the chosen rules of that type."""
_BATCH = 50


def trace_checks(
    subject: Subject, examples: Mapping[RuleNumber, Case], rules: Mapping[RuleNumber, KnownRule]
) -> dict[RuleNumber, CheckSource]:
    """Ask the cases again, and return where the check of each rule is."""
    if "trace" not in subject.target.info.abilities:
        return {}
    infos = {info.key: info for info in subject.target.info.kinds}
    lines: dict[RuleNumber, str] = {}
    stacks: dict[RuleNumber, str] = {}
    reported: dict[str, dict[str, None]] = {}
    names = list(examples)
    for start in range(0, len(names), _BATCH):
        batch = names[start : start + _BATCH]
        cases = [_traced(examples[name], number) for number, name in enumerate(batch)]
        for name, case, answer in zip(batch, cases, subject.target.ask(cases), strict=True):
            info = infos.get((case.group, case.version, case.resource, case.subresource))
            if info is None:
                continue
            known, matcher = rules[name], matcher_for(info.normalization)
            rule = known.rule
            errors = RuleErrors.of(known.places, rule.type, rule.origin, rule.level, matcher)
            for error in answer.handwritten:
                if error.source and error.covered:
                    words = f"{info.kind} {canonical_path(error.field)}"
                    reported.setdefault(line_of(error.source), {})[words] = None
                if error.source and errors.counts(error, matcher):
                    lines.setdefault(name, error.source)
                    stacks.setdefault(name, error.stack)
    code = subject.code()
    own = {name: f"{rules[name].rule.kind} {canonical_path(rules[name].rule.path)}" for name in lines}
    return {
        name: CheckSource(
            source,
            tuple(code.callers(source)),
            _others(reported.get(line_of(source), {}), own[name]),
            tuple(one.partition(" in ")[0] for one in stacks[name].split(CALLED_AT) if one),
        )
        for name, source in lines.items()
    }


def _others(reported: Mapping[str, None], own: str) -> tuple[str, ...]:
    return tuple(sorted(words for words in reported if words != own))


def _traced(case: Case, number: int) -> Case:
    """Return a case that asks for sources, and for nothing else beyond the two lists."""
    return msgspec.structs.replace(
        case, id=number + 1, trace=True, repeat=False, versions=False, served=False, validated=False
    )
