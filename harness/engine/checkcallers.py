"""Warns in a fix of handwritten code that the line which it names is not of one field alone."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from harness.case import Vocabulary
from harness.compare.finding import Finding
from harness.engine.checksource import DEPENDS, GIVEN, MADE_THERE, NOT_TRACED, TracedErrors, made_of
from harness.jsonpath import canonical_path
from harness.subject.callsites import places_of
from harness.subject.deciding import HandwrittenCode

_SHARED_WORDS = frozenset({"wording", "other-value"})
_SHARED_ERRORS = (MADE_THERE | {"ratcheting", "type"}) - {"wrong-path"}
"""Causes whose fix changes an error for all who call what makes it; a wrong name is wrong for all of them."""
_MOST_NAMED = 3
"""Callers that are named where a mark, an origin or words do not change: of more, their number is enough."""


def add_callers(
    finding: Finding, words: Vocabulary, code: HandwrittenCode, traced: TracedErrors = NOT_TRACED
) -> Finding:
    """Warn in a fix that changes an error, its mark or its origin in a helper: it changes for all who call it.

    Words and the reading of a value are handed through the functions between the helper and the call for the path, so
    that who else calls these is named too.
    """
    told = finding.fix.partition("; the handwritten check")[0]
    origin = words.origin.partition("<origin>")[0]
    is_of_call = words.mark in told or origin in told or finding.cause in _SHARED_WORDS
    is_made_there = finding.cause in _SHARED_ERRORS and not any(one in finding.fix for one in (DEPENDS, GIVEN))
    is_told = finding.handwritten_source and finding.handwritten_source in finding.fix
    if not is_told or not (is_of_call or is_made_there):
        return finding
    finding = _name_constructor(finding, words, code)
    if is_of_call and (rounds := code.find_rounds(finding.handwritten_source)):
        warning = f"that line runs for each of `{rounds}`: change it by a condition where not all of them are meant"
        return msgspec.structs.replace(finding, fix=f"{finding.fix}; {warning}")
    calls = code.callers(finding.handwritten_source)
    if not calls:
        return finding
    if not is_of_call:
        number = code.count_callers(finding.handwritten_source)
        if number < 2 or not code.count_callers(finding.handwritten_source, finding.kind):
            return finding
        if number > _MOST_NAMED:
            calls = [
                f"{places_of(finding.handwritten_source)[0].function} is called by {number} functions of validators"
            ]
    how = "by an option of the call where not all of them are meant"
    if code.is_of_operations(finding.handwritten_source, finding.kind):
        how = "for creates and updates alike, or make the operation its condition"
    between = _tell_between(finding, traced, code) if finding.cause in _SHARED_WORDS else ()
    warning = f"{'; '.join([', '.join(calls), *between])}: change it {how}"
    return msgspec.structs.replace(finding, fix=f"{finding.fix}; {warning}")


def _name_constructor(finding: Finding, words: Vocabulary, code: HandwrittenCode) -> Finding:
    """Name the call that stands on the line of the check, where that is another one than is usual for such errors."""
    made = code.find_constructor(finding.handwritten_source)
    usual = next((one for one in words.calls.values() if f"{one} for " in finding.fix), "")
    package, dot, name = usual.partition("(")[0].rpartition(".")
    if not made or not usual or name == made:
        return finding
    return msgspec.structs.replace(finding, fix=finding.fix.replace(f"{usual} for ", f"{package}{dot}{made}(...) for "))


def _tell_between(finding: Finding, traced: TracedErrors, code: HandwrittenCode) -> Sequence[str]:
    made = [one for one in (*traced.own, *traced.elsewhere) if one.source == finding.handwritten_source]
    about = [one for one in made if canonical_path(one.field) == finding.path]
    return code.callers_on_way(made_of((about or made)[0], finding.kind)) if made else ()
