"""Says of a certificate whether the run reached the handwritten calls that report the error of its rule.

A call that no case reached was never compared with the rule: a check that is deleted may have done there what the rule
does not. Which calls these are is read from the sources, and what was reached is counted in the worker.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from harness.graduate.document import CallsReached, Certificate, MissedLine

_MOST_NAMED = 2


def with_calls(one: Certificate, calls: CallsReached) -> Certificate:
    """Return a certificate with what the run reached of the calls behind its rule; it may make a safe rule unknown."""
    missing = tuple(_missing(calls))
    if not missing or one.verdict == "changes":
        return msgspec.structs.replace(one, calls=calls)
    return msgspec.structs.replace(one, calls=calls, missing=(*one.missing, *missing), verdict="unknown")


def _missing(calls: CallsReached) -> Iterator[str]:
    if calls.problem:
        yield f"reached: {calls.problem}"
        return
    for text in calls.not_followed[:_MOST_NAMED]:
        yield f"reached: {text}"
    if not calls.size and not calls.not_followed:
        yield (
            "reached: the calls that report its error have no counter"
            if calls.uncounted
            else "reached: no call that reports its marked error was found in the sources"
        )
    open_lines = [line for line in calls.missed if not line.sort]
    for line in open_lines[:_MOST_NAMED]:
        yield f"reached: {_describe(line)}"
    if len(open_lines) > _MOST_NAMED:
        yield f"reached: {len(open_lines) - _MOST_NAMED} more lines were not reached"


def _describe(line: MissedLine) -> str:
    what = "leads to a call that reports its error" if line.leads else "reports its error"
    condition = f" ({line.condition})" if line.condition else ""
    return f"{line.place}{condition} {what}, and no case reached it"
