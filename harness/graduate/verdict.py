"""Decides: a rule is `safe` only where every demand is met, so that silence alone never certifies anything.

A difference is `changes`, whatever else is missing. The demands are listed in docs/explanation/graduation.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.field import Level
from harness.graduate.document import ChangeShown, Verdict
from harness.graduate.observer import Asked


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a run shows of one rule, summed over its parts.

    `stopped_early` says why the run did not end by its budget. `incomplete` are the requests of the kind for which no
    object was found that both sides accept, each with the reason. `cannot` says why no object fires the rule.
    `update_only`: the rule rejects changes, so that no create fires it and unchanged values do not violate it.
    `enforced`: the strategy of the kind serves rules at all; where it does not, nothing takes the place of a deleted
    check, and `change` is None. `unheard` are the paths below the value at which no update showed what an empty and an
    absent value are to both.
    """

    level: Level
    asked: tuple[Asked, ...] = ()
    change: ChangeShown | None = None
    has_limit: bool = False
    update_only: bool = False
    searched: bool = True
    served: bool = True
    enforced: bool = True
    crashes: int = 0
    stopped_early: str = ""
    incomplete: tuple[str, ...] = ()
    cannot: str = ""
    unheard: tuple[str, ...] = ()


def decide(evidence: Evidence) -> tuple[Verdict, tuple[str, ...]]:
    """Return the verdict, and for an unknown rule what is missing."""
    if evidence.change is not None:
        return "changes", ()
    missing = tuple(_missing(evidence))
    return ("unknown", missing) if missing else ("safe", ())


def _missing(evidence: Evidence) -> Sequence[str]:
    if not evidence.served:
        return ["version: this version is not served, so that no request reaches the rule"]
    if not evidence.searched:
        return ["kind: nothing that the target serves takes objects of this type"]
    asked = evidence.asked
    fired = [one for one in asked if one.both or one.rule]
    missing = [f"run: {evidence.stopped_early}"] if evidence.stopped_early else []
    missing += [f"kind: {reason}" for reason in evidence.incomplete]
    if not evidence.enforced:
        missing.append(
            "enforced: the strategy of the kind serves no declarative errors; no check may go before it does"
        )
    if evidence.crashes:
        missing.append(f"crash: the declarative validators crashed on {evidence.crashes:,} answers with its error")
    missing += [f"asked: no case of {one.request} has the field" for one in asked if not one.cases]
    if not fired:
        missing.append(f"fired: the rule never rejected a value{f' ({evidence.cannot})' if evidence.cannot else ''}")
        return missing
    if not any(one.both for one in asked):
        missing.append("check: the handwritten check was never seen to report the error beside the rule")
    limit = "at its limit" if evidence.has_limit else "a value"
    if not any(one.beyond for one in asked):
        missing.append("rejected: no value just beyond the limit was rejected")
    if not any(one.at_limit for one in asked):
        missing.append(f"accepted: no object was accepted that shows the rule accepting {limit}")
    has_updates = any(one.operation == "update" for one in asked)
    if has_updates and not evidence.update_only and not any(one.kept or one.held for one in asked):
        missing.append(
            "kept: no update left a rejected old value alone, so that nothing shows whether old objects stay updatable"
        )
    if evidence.unheard:
        first, more = evidence.unheard[0], len(evidence.unheard) - 1
        missing.append(
            f"empty: nothing shows whether the rule and the check compare empty and absent values alike at {first}"
            + (f" and {more} other paths" if more else "")
        )
    return missing
