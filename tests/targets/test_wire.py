"""The protocol is published, and people's cases are read with patience."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import msgspec

import harness.targets
from harness.case import Answer, Case, Failure, KindInfo, Operation, TargetInfo
from harness.field import FieldError
from harness.targets.wire import encode_case, encode_greeting, encode_line, protocol_schema

SCHEMA = Path(harness.targets.__file__).parent / "schema" / "protocol.schema.json"


def test_the_published_schema_is_up_to_date() -> None:
    """The file in the package is what the records say: write it again with `python -m harness.targets.schema`."""
    assert json.loads(json.dumps(protocol_schema())) == json.loads(SCHEMA.read_text(encoding="utf-8"))


def test_what_the_harness_writes_fits_the_schema() -> None:
    """Greeting, case and answer pass; a record that is none of them does not."""
    validator = jsonschema_rs.validator_for(protocol_schema())
    answer = Answer(1, handwritten=(FieldError("FieldValueRequired", "a"),), failure=Failure("decode", "m"))
    lines = [
        encode_greeting(TargetInfo("t", kinds=(KindInfo("g", "v1", "K", "ks", "g/v1"),))),
        encode_case(Case(1, "g", "v1", "K", Operation.UPDATE, {"a": 1}, old={}), 7),
        encode_line(answer),
    ]
    for line in lines:
        assert validator.is_valid(json.loads(line))
    assert not validator.is_valid({"name": "a greeting that does not say its protocol"})
    assert not validator.is_valid({"id": "one", "operation": "patch"})


def test_a_case_is_sent_under_the_senders_own_id() -> None:
    """Only the id changes, whatever it was."""
    for number in (0, -1, 123456789012):
        case = Case(number, "g", "v1", "K", Operation.UPDATE, {"id": 1, "a": ","}, old={"id": 2})
        assert msgspec.json.decode(encode_case(case, 7), type=Case) == msgspec.structs.replace(case, id=7)
        assert encode_case(case, 7).endswith(b"}\n")
