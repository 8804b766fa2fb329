"""The records of the wire are one definition for pipes, files and memory."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Failure, KindInfo, Operation
from harness.field import FieldError


def test_a_case_reads_what_people_write() -> None:
    """The smallest case needs no optional key, and its operation is a word."""
    line = b'{"id":7,"group":"apps","version":"v1","kind":"D","operation":"update","object":{"a":1},"old":{}}'
    case = msgspec.json.decode(line, type=Case)
    assert (7, Operation.UPDATE, {"a": 1}, {}) == (case.id, case.operation, case.object, case.old)
    assert ("served", "", False) == (case.mode, case.subresource, case.served)


def test_a_case_refuses_another_operation() -> None:
    """An unknown operation is an error of decoding, not a surprise later."""
    with pytest.raises(msgspec.ValidationError, match="operation"):
        msgspec.json.decode(b'{"id":1,"group":"","version":"v1","kind":"P","operation":"patch","object":{}}', type=Case)


def test_an_answer_survives_the_wire() -> None:
    """Lists, failure and timings come back as they were."""
    answer = Answer(
        id=3,
        handwritten=(FieldError("FieldValueRequired", "spec"),),
        versions={"v1beta1": ()},
        failure=Failure("decode", "no"),
        nanoseconds={"decode": 5},
    )
    assert answer == msgspec.json.decode(msgspec.json.encode(answer), type=Answer)


def test_a_kind_has_the_name_people_use() -> None:
    """Group and version, then resource and subresource; the core group has no name."""
    scale = KindInfo("apps", "v1", "Scale", "deployments", "autoscaling/v1", subresource="scale")
    assert "apps/v1 deployments/scale" == scale.name
    assert ("apps", "v1", "deployments", "scale") == scale.key
    assert "v1 pods" == KindInfo("", "v1", "Pod", "pods", "v1").name


def test_a_case_of_a_kind_means_that_kind_and_asks_for_nothing_else() -> None:
    """Group, version, resource and subresource are those of the kind; what nobody asks for is as in a plain case."""
    scale = KindInfo("apps", "v1", "Scale", "deployments", "autoscaling/v1", subresource="scale")
    case = scale.case(Operation.UPDATE, {"a": 1}, {"a": 2})
    assert Case(0, "apps", "v1", "Scale", Operation.UPDATE, {"a": 1}, {"a": 2}, "deployments", "scale") == case
    more: dict[str, Any] = {
        "id": 7,
        "mode": "given",
        "options": {"x": True},
        "versions": True,
        "served": True,
        "repeat": True,
    }
    wider = scale.case(Operation.CREATE, {}, **more)
    assert more == {name: getattr(wider, name) for name in more}
