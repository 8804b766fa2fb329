"""The exceptions that this repository carries."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

from harness.errormatch.exceptionfile import load_exceptions
from harness.ratchets.exceptions import NAME, count, read_counts

ROOT = Path(__file__).parents[2]
FILE = ROOT / "equivalence_exceptions.yaml"
ENTRIES = load_exceptions(FILE, date.min).entries


def test_they_are_sorted() -> None:
    """So that two people who add entries change different places."""
    assert [entry.key for entry in ENTRIES] == sorted(entry.key for entry in ENTRIES)


def test_every_reason_says_what_the_code_does() -> None:
    """It names a function, a rule or a format, and not only that the difference is known."""
    words = re.compile(r"[a-z][A-Z]|v1beta1|rule|tag|format")
    assert [] == [entry.id for entry in ENTRIES if len(entry.reason.split()) < 5 or not words.search(entry.reason)]


def test_all_are_of_a_release_and_owned() -> None:
    """By a group of people; the suites of this repository have none of their own."""
    assert {"kubernetes"} == {entry.suite for entry in ENTRIES}
    assert [] == [entry.owner for entry in ENTRIES if not re.match(r"(sig|wg)-", entry.owner)]


def test_a_place_has_few_rules_that_are_open() -> None:
    """A member is open only where the cause lies above the whole type, or where any name may be one: of a resource."""
    wide = {entry.scope["owner"].rpartition(".")[2] for entry in ENTRIES for rule in entry.rules if rule.member == "*"}
    above = {"Condition", "DeviceSubRequest", "DeviceToleration", "ManagedFieldsEntry", "OwnerReference"}
    assert above | {"DownwardAPIProjection", "DownwardAPIVolumeSource", "NodeStatus"} == wide


def test_their_number_is_held() -> None:
    """The ratchet holds exactly as many as there are."""
    held = read_counts(ROOT / NAME)
    assert {"kubernetes": held.held("kubernetes")} == count(entry.suite for entry in ENTRIES)
