"""A subject beside its own tags in OpenAPI and CEL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.case import Operation
from harness.jsonpath import put
from harness.subject.opening import open_subject
from harness.subject.spec import SCHEMA, SubjectSpec
from harness.subject.subject import Subject

SUITES = Path(__file__).parents[2] / "suites"
CLAIM: dict[str, Any] = {
    "apiVersion": "devices.example.com/v1", "kind": "Claim", "metadata": {"name": "a", "namespace": "default"},
}  # fmt: skip


@pytest.fixture(scope="module")
def subject() -> Iterator[Subject]:
    """A suite beside its schemas."""
    with open_subject(SubjectSpec("suite", str(SUITES / "claim_v1"), against=SCHEMA, in_process=True)) as opened:
        yield opened


@pytest.mark.kubernetes
def test_a_suite_is_compared_with_its_schemas(subject: Subject) -> None:
    """By the names of both, which a report uses; an object that both reject alike is no difference."""
    assert ("generated validation", "OpenAPI and CEL") == subject.comparison.names
    info = next(one for one in subject.target.info.kinds if not one.subresource)
    wrong = put(CLAIM, ("spec",), {"requests": [{"name": "A.b"}]})
    (answer,) = subject.target.ask([info.case(Operation.CREATE, wrong)])
    reported = {error.field for error in subject.comparison.reported_by("handwritten", answer)}
    assert None is answer.failure
    assert "spec.requests[0].name" in reported
    assert reported & {error.field for error in subject.comparison.reported_by("declarative", answer)}
