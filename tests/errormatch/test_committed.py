"""The exceptions that this repository carries."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

from harness.compare.finding import CAUSE_CODES
from harness.errormatch.exceptionfile import load_exceptions
from harness.errormatch.witness import encode, witness_file
from harness.ratchets.exceptions import NAME, count, read_counts

ROOT = Path(__file__).parents[2]
FILE = ROOT / "equivalence_exceptions.yaml"
KNOWN = load_exceptions(FILE, date.min, CAUSE_CODES)
ENTRIES = KNOWN.entries


def test_they_are_sorted() -> None:
    """So that two people who add entries change different places."""
    assert [entry.key for entry in ENTRIES] == sorted(entry.key for entry in ENTRIES)


def test_every_reason_describes_the_code() -> None:
    """It names a function, a rule or a format, and not only that the difference is known."""
    words = re.compile(r"[a-z][A-Z]|v1beta1|rule|tag|format")
    assert [] == [entry.id for entry in ENTRIES if len(entry.reason.split()) < 5 or not words.search(entry.reason)]


def test_all_are_of_a_release_and_owned() -> None:
    """By a group of people; the suites of this repository have none of their own."""
    assert {"kubernetes"} == {entry.suite for entry in ENTRIES}
    assert [] == [entry.owner for entry in ENTRIES if not re.match(r"(sig|wg)-", entry.owner)]


WIDE = {
    "wider than its field": "Condition DeviceToleration ManagedFieldsEntry OwnerReference "
    "ResourcePoolStatusRequestStatus",
    "an early return above the type": "BasicDevice CounterSet Device DeviceAttribute DeviceCounterConsumption "
    "DeviceRequest DeviceSubRequest DeviceTaint ExactDeviceRequest NodeAllocatableMapping",
    "the name of a resource, or of a field of the caller": "DownwardAPIProjection DownwardAPIVolumeSource NodeStatus",
}


def test_a_place_has_few_rules_that_are_open() -> None:
    """A member is open only where the cause lies above the whole type, or where any name may be one: of a resource."""
    wide = {
        owner.rpartition(".")[2]
        for entry in ENTRIES
        for rule in entry.rules
        for owner in entry.values("owner")
        if rule.member == "*"
    }
    assert wide == {name for names in WIDE.values() for name in names.split()}


def test_an_entry_for_any_error_is_mild_and_names_its_causes() -> None:
    """A function that returns early hides any error, of any field: it never changes a verdict."""
    wide = [(entry, rule) for entry in ENTRIES for rule in entry.rules if rule.type == "*"]
    assert {"extra"} == {rule.mismatch for _, rule in wide}
    assert {"visible", "shadow"} == {rule.severity for _, rule in wide}
    causes = {cause for entry, _ in wide for cause in entry.values("cause")}
    assert {"conditional", "masked", "ratcheting", "no-counterpart"} == causes


def test_every_entry_has_a_witness() -> None:
    """Of the release that they are known of; every file is that of an entry, and every case shows what it speaks of."""
    assert {entry.id for entry in ENTRIES} == set(KNOWN.witnesses)
    assert {f"{entry.id}.json" for entry in ENTRIES} == {place.name for place in (ROOT / "exceptions").iterdir()}
    assert {("kubernetes", "1.37.1")} == {(one.suite, one.release) for one in KNOWN.witnesses.values()}
    speak = {entry.id: entry.matches_finding for entry in ENTRIES}
    cases = [(name, case) for name, witness in KNOWN.witnesses.items() for case in witness.cases]
    assert [] == [(name, case.kind) for name, case in cases if not all(map(speak[name], case.shows))]


def test_witnesses_stand_as_they_are_written() -> None:
    """A command that writes an entry again changes no other line."""
    files = {name: witness_file(FILE, name).read_bytes() for name in KNOWN.witnesses}
    assert [] == [name for name, data in files.items() if encode(KNOWN.witnesses[name]) != data]


def test_their_number_is_held() -> None:
    """The ratchet holds exactly as many as there are."""
    held = read_counts(ROOT / NAME)
    assert {"kubernetes": held.held("kubernetes")} == count(entry.suite for entry in ENTRIES)
