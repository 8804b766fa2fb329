"""What became of mutants is counted: those that a case could kill."""

from __future__ import annotations

import msgspec

from harness.campaign.mutants import MutantCount, MutantsPart, MutantState, PowerDocument, add_counts, count_mutants
from harness.power.document import Part, document_of
from harness.power.mutant import Record


def test_equivalent_and_untested_mutants_do_not_count() -> None:
    """Read from the document that `harness power` writes."""
    states = ("killed", "killed", "survived", "tolerated", "equivalent", "unjudged", "unreached")
    records = tuple(Record(f"m{n}", "declarative", "drop", "", "", state) for n, state in enumerate(states))  # type: ignore[arg-type]
    part = Part("s", 1, 10, None, 1, 0.5, 30, (), records)
    document = msgspec.json.decode(msgspec.json.encode(document_of([part])), type=PowerDocument)
    assert 30 == document.parts[0].cases
    assert MutantCount("now", 2, 4, ("m2", "m3")) == count_mutants(document, "now")


def test_counts_of_units_add_up() -> None:
    """A mutant that survives in two settings is named once."""
    one = count_mutants(PowerDocument((MutantsPart(1, (MutantState("a", "survived"),)),)), "1")
    two = count_mutants(
        PowerDocument((MutantsPart(1, (MutantState("a", "survived"), MutantState("b", "killed"))),)), "2"
    )
    assert MutantCount("2", 1, 3, ("a",)) == add_counts([one, two])
    assert MutantCount() == add_counts([])
