"""The protocol is published, and people's cases are read with patience."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import msgspec
import pytest

import harness.targets
from harness.case import Answer, Case, Failure, KindInfo, Operation, TargetInfo
from harness.field import FieldError
from harness.targets.wire import Answers, decode_answer, encode_case, encode_greeting, encode_line, protocol_schema

SCHEMA = Path(harness.targets.__file__).parent / "schema" / "protocol.schema.json"


def test_the_published_schema_is_up_to_date() -> None:
    """The file in the package is what the records say: write it again with `python -m harness.targets.schema`."""
    assert json.loads(json.dumps(protocol_schema())) == json.loads(SCHEMA.read_text(encoding="utf-8"))


def test_encoded_records_fit_the_schema() -> None:
    """Greeting, case and answer fit; another record does not."""
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


LINES = [
    b'{"id":7}', b'{"id":7,"handwritten":[]}', b'{"handwritten":[],"id":7}', b'{"id":7,"id":8}',
    b'{ "id":7,"served":[]}',
    b'{"id":7,"handwritten":[{"type":"FieldValueRequired","field":"a","detail":"b"}],"declarative":[]}',
    b'{"id":-7,"handwritten":[]}', b'{"id":7 ,"handwritten":[]}',
]  # fmt: skip
NO_ANSWERS = [
    b'{"id":07,"handwritten":[]}',
    b'{"id":7_0,"handwritten":[]}',
    b'{"id":,"handwritten":[]}',
    b"{}",
    b"",
    b"[]",
]


@pytest.mark.parametrize("line", LINES)
def test_a_cached_answer_equals_a_decoded_one(line: bytes) -> None:
    """An answer that another case had is the same as if it was decoded again, with its own id."""
    answers = Answers()
    other = line.replace(b"7", b"31")
    assert [answers.decode(one) for one in (line, other, line)] == [decode_answer(one) for one in (line, other, line)]


@pytest.mark.parametrize("line", NO_ANSWERS)
def test_an_invalid_line_is_never_read_from_the_cache(line: bytes) -> None:
    """A line that is not JSON, or has no id, is an error even if the rest of it is cached."""
    answers = Answers()
    answers.decode(b'{"id":7,"handwritten":[]}')
    with pytest.raises(msgspec.MsgspecError):
        answers.decode(line)


def test_equal_answers_share_their_errors() -> None:
    """They are most of what an answer takes up."""
    answers = Answers()
    first, second = (
        answers.decode(b'{"id":%d,"handwritten":[{"type":"FieldValueRequired","field":"a"}]}' % number)
        for number in (1, 2)
    )
    assert first.handwritten is second.handwritten
    assert (first.id, second.id) == (1, 2)
