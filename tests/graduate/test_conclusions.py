"""What a proof makes of a certificate, beside what the run measured."""

from __future__ import annotations

import msgspec
import pytest

from harness.graduate.conclusions import with_proof
from harness.graduate.document import Certificate, ChangeShown, CheckSource, Proof
from harness.graduate.helpers import doubt_shared
from harness.graduate.proof import BOUNDS, Solved
from harness.graduate.view import proof_of

AT_LIMIT = "accepted: no object was accepted that shows the rule accepting at its limit"
UNKNOWN = Certificate(
    "g", "v1", "Thing", "spec.size", "FieldValueInvalid", "minimum", "beta", "k8s:minimum", 1, "unknown", (AT_LIMIT,),
    None, (),
)  # fmt: skip
CREATED = ChangeShown("accepted", "", ("an error",), (), "v1 things", "create", {"size": 0})
CHANGED = msgspec.structs.replace(UNKNOWN, verdict="changes", missing=(), change=CREATED)
PROVED = Solved("proved", BOUNDS)


def test_a_proof_takes_the_place_of_an_object_at_the_limit() -> None:
    """An unknown rule becomes safe, with the bounds."""
    one = with_proof(UNKNOWN, PROVED)
    assert ("safe", (), Proof("proved", BOUNDS)) == (one.verdict, one.missing, one.proof)
    assert one.proof is not None
    assert f"proved for {BOUNDS}" == proof_of(one.proof)


@pytest.mark.parametrize("word", ["fired: never", "kept: none", "asked: no case", "check: never", "run: interrupted"])
def test_a_proof_about_creates_takes_the_place_of_nothing_else(word: str) -> None:
    """Updates, versions and the run are not what it is about."""
    one = with_proof(msgspec.structs.replace(UNKNOWN, missing=(AT_LIMIT, word)), PROVED)
    assert ("unknown", (word,)) == (one.verdict, one.missing)


def test_a_difference_that_no_object_shows_is_not_told() -> None:
    """The solver's values are told beside a created object of the run alone."""
    hidden, found = with_proof(UNKNOWN, Solved("differs", "x = 1")), with_proof(CHANGED, Solved("differs", "x = 1"))
    assert hidden.proof is not None
    assert ("unknown", False) == (hidden.proof.outcome, "x = 1" in hidden.proof.why)
    assert Proof("counterexample", "x = 1") == found.proof
    assert "unknown" == hidden.verdict


def test_an_object_of_the_run_is_stronger_than_a_proof() -> None:
    """A created object that shows a change of the verdict takes the proof away, one of an update does not."""
    updated = msgspec.structs.replace(CHANGED, change=msgspec.structs.replace(CREATED, operation="update"))
    one, other = with_proof(CHANGED, PROVED), with_proof(updated, PROVED)
    assert one.proof is not None
    assert ("changes", "unknown") == (one.verdict, one.proof.outcome)
    assert ("changes", Proof("proved", BOUNDS)) == (other.verdict, other.proof)


def test_what_is_proved_is_not_doubted_for_a_shared_helper() -> None:
    """Another field that the line changes raises no doubt of a proved rule, and does of one that is not."""
    check = CheckSource("a.go:1 in f", (), ())
    changed = msgspec.structs.replace(CHANGED, check=check, effects={"accepted": 1})
    safe = msgspec.structs.replace(UNKNOWN, verdict="safe", missing=(), check=check)
    proved = msgspec.structs.replace(safe, proof=Proof("proved", BOUNDS))
    assert ["changes", "unknown", "safe"] == [one.verdict for one in doubt_shared((changed, safe, proved))]
