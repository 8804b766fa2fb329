"""Adds to certificates what is proved of their rules, beside what the run measured.

A proof is about created objects alone, so that it decides nothing against what the run saw: it takes the place of two
demands, which ask for an object at a limit, and of the doubt that a shared helper raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from harness.case import KindInfo
from harness.errormatch.matcher import matcher_for
from harness.graduate.conditions import read_kinds
from harness.graduate.document import Certificate, Proof
from harness.graduate.proof import Prover, Solved
from harness.jsonpath import canonical_path, first_items
from harness.rulecov.inventory import KnownRule

_LIFTED = ("accepted:", "rejected:")
"""Demands for an object that shows what is proved."""


def prove_rules(
    location: str | Path, rules: Sequence[KnownRule], kinds: Sequence[KindInfo], note: Callable[[str], None]
) -> tuple[Solved, ...]:
    """Prove the rules of a release, in order. Raises: HarnessError if its sources are missing, or the solver is."""
    read = read_kinds(location, sorted({known.type for known in rules}), note)
    provers = {name: Prover(kind) for name, kind in read.items()}
    normalization = {info.type: info.normalization for info in kinds}
    found = []
    for number, known in enumerate(rules):
        normalize = matcher_for(normalization.get(known.type, ())).normalize
        places = [(place, canonical_path(normalize(first_items(place)))) for place in known.places]
        rule = known.rule
        found.append(
            Solved("unread", _OF_CHANGES)
            if known.update
            else provers[known.type].prove(places, rule.type, rule.origin, rule.level)
        )
        if number % 50 == 49:
            note(f"solved {number + 1} of {len(rules)} rules")
    return tuple(found)


def with_proof(one: Certificate, found: Solved) -> Certificate:
    """Return a certificate with a proof; what is proved may make an unknown rule safe.

    A difference that the solver alone found is told where an object of the run shows one on the real validators.
    """
    change = one.change
    shown = change is not None and change.operation == "create"
    if found.outcome == "differs":
        proof = Proof("counterexample", found.why) if shown else Proof("unknown", _NOT_SHOWN)
    elif found.outcome == "unread":
        proof = Proof("unknown", found.why)
    elif shown and change is not None and change.effect in ("accepted", "rejected"):
        proof = Proof("unknown", "an object of the run shows that the sources were not read right: please report it")
    else:
        proof = Proof("proved", found.why)
    if proof.outcome != "proved" or one.verdict != "unknown":
        return msgspec.structs.replace(one, proof=proof)
    missing = tuple(text for text in one.missing if not text.startswith(_LIFTED))
    return msgspec.structs.replace(one, proof=proof, missing=missing, verdict="unknown" if missing else "safe")


_NOT_SHOWN = "the solver found values on which they differ, and no created object of the run shows it"
_OF_CHANGES = "the rule is about changes, and a proof about objects that are created"
