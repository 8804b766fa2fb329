"""The document of `harness power`: what it counts, and the schema that it follows."""

from __future__ import annotations

import json

import jsonschema_rs
import msgspec

from harness.power.document import SCHEMA, Part, Uncompiled, document_of, family_of, rows_of, written_schema
from harness.power.mutant import Record
from harness.power.view import MAX_LEFT_OUT, lines_of

RECORDS = (
    Record("a", "declarative", "drop", "v1.W.size", "maximum", "killed", shown="unmatched: gone", cases=3),
    Record("b", "declarative", "drop", "v1.W.name", "maxLength", "survived", "", "never seen", "a long name", 9),
    Record("c", "declarative", "drop 'Aa'", "v1.Mode", "enum", "equivalent", "", "why"),
    Record("d", "handwritten", "negate", "h.check", "a < 1", "unjudged"),
)
PART = Part("toy", 1, 100, None, 1, 2.0, 12, rows_of(RECORDS), RECORDS)


def test_the_published_schema_is_up_to_date() -> None:
    """The file that consumers read is the schema of the code."""
    assert written_schema() == SCHEMA.read_text(encoding="utf-8")


def test_documents_follow_the_schema() -> None:
    """What is written is valid by the published schema; one without names is not."""
    validator = jsonschema_rs.validator_for(json.loads(SCHEMA.read_text(encoding="utf-8")))
    document = json.loads(msgspec.json.encode(document_of([PART])))
    assert validator.is_valid(document)
    del document["parts"][0]["mutants"][0]["name"]
    assert not validator.is_valid(document)


def test_operators_are_counted() -> None:
    """By side and operator, what it was done to left out; those with surviving mutants first."""
    rows = [(row.side, row.operator, row.made, row.killed, row.survived) for row in PART.operators]
    assert ("declarative", "drop", 2, 1, 1) == rows[0]
    assert {("declarative", "drop …", 1, 0, 0), ("handwritten", "negate", 1, 0, 0)} == set(rows[1:])
    assert ("forget …", "limit + 1") == (family_of("forget 'one'"), family_of("limit + 1"))


def test_surviving_mutants_are_named() -> None:
    """With the rule, the place, the operator, why, and what would have shown it."""
    text = "\n".join(lines_of(document_of([PART])))
    assert "toy: 1 of 3 mutants killed, 1 equivalent, 0 tolerated, 1 survived" in text
    assert "survived: declarative v1.W.name: maxLength: drop\n    why: never seen\n" in text
    assert "would kill it: a long name" in text
    assert "1 mutant not judged: time ran out" in text


def test_mutants_of_code_have_columns_of_their_own() -> None:
    """What no case reaches, what no rule reports, and what does not compile."""
    records = (
        Record("a", "handwritten", "limit", "a.go:1", "3 → 4", "survived", "", "no rule", "a value", 9, 4, True),
        Record("b", "handwritten", "limit", "a.go:2", "5 → 6", "unreached", "", "no case reaches the statement"),
        *RECORDS[:1],
    )
    left_out = tuple(Uncompiled(f"m{number}", "declared and not used: i") for number in range(MAX_LEFT_OUT + 2))
    part = Part("kubernetes 1.37.1", 1, 100, None, 1, 2.0, 12, rows_of(records), records, left_out=left_out)
    limit = next(row for row in part.operators if row.operator == "limit")
    assert (2, 0, 1, 1, 1) == (limit.made, limit.killed, limit.survived, limit.unreached, limit.uncompared)
    text = "\n".join(lines_of(document_of([part])))
    assert "1 survived, 1 not reached" in text
    assert "left out, does not compile: m0: declared and not used: i" in text
    assert "and 2 more that do not compile" in text
    assert "no rule" in text.splitlines()[text[: text.index("unreached")].count("\n")]
