"""The API server's own code judges custom resources: decoding, defaults, schema, rules, ratcheting, metadata."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from harness.case import Answer, Case, Operation
from harness.jsonpath import ABSENT, put, remove
from harness.subject.definitions import read_definitions
from harness.targets.crd.target import CrdTarget, refusals

pytestmark = pytest.mark.kubernetes
CRDS = Path(__file__).parents[2] / "crds"
GOOD: dict[str, Any] = {
    "apiVersion": "storage.example.com/v1", "kind": "Backup", "metadata": {"name": "a"},
    "spec": {"schedule": "@daily", "port": 1, "source": {"type": "Volume", "volume": {"claimName": "a"}}},
}  # fmt: skip


@pytest.fixture(scope="module", params=["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def target(request: pytest.FixtureRequest) -> Iterator[CrdTarget]:
    """The CRD after, judged by each release."""
    documents = [one.document for one in read_definitions(str(CRDS / "after"))]
    with CrdTarget(documents, "after", release=request.param, jobs=1) as opened:
        yield opened


def backup(path: str = "", value: Any = ABSENT) -> dict[str, Any]:
    """A good object with another value at a path, or without it."""
    steps = tuple(int(one) if one.isdigit() else one for one in path.split(".")) if path else ()
    if not steps:
        return deepcopy(GOOD)
    changed: dict[str, Any] = remove(GOOD, steps) if value is ABSENT else put(GOOD, steps, value)
    return changed


def case(new: Any, old: Any = None, **more: Any) -> Case:
    """A create or an update."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    return Case(1, "storage.example.com", "v1", "Backup", operation, new, old, "backups", **more)


def answer(target: CrdTarget, new: Any, old: Any = None, **more: Any) -> Answer:
    """The answer to one case."""
    return target.ask([case(new, old, **more)])[0]


def told(target: CrdTarget, new: Any, old: Any = None, **more: Any) -> list[tuple[str, str, str]]:
    """What is wrong: type, path and origin."""
    said = answer(target, new, old, **more)
    assert said.failure is None, said.failure
    assert () == said.handwritten
    return [(error.type.removeprefix("FieldValue"), error.field, error.origin) for error in said.declarative]


def test_greeting(target: CrdTarget) -> None:
    """The resource, its status and its scale are served, with the name that was given."""
    assert "after" == target.info.name
    assert ["backups", "backups/scale", "backups/status"] == [
        f"{k.resource}/{k.subresource}".rstrip("/") for k in target.info.kinds
    ]
    assert [("create", "update"), ("update",), ("update",)] == [kind.operations for kind in target.info.kinds]


def test_a_scale(target: CrdTarget) -> None:
    """It writes its number into the stored object, and nothing else of the new one; all of the object is validated."""
    scale = {"subresource": "scale", "validated": True}
    new = put(put(GOOD, ("spec", "copies"), 3), ("spec", "schedule"), "x" * 101)
    said = answer(target, new, GOOD, **scale)
    assert ((), ()) == (said.declarative, said.pruned)
    assert (3, "@daily") == tuple(said.validated["v1"].object["spec"][name] for name in ("copies", "schedule"))
    below = put(GOOD, ("spec", "copies"), -1)
    assert ("Invalid", "spec.copies", "minimum") in told(target, below, GOOD, **scale)
    said = answer(target, {name: value for name, value in GOOD.items() if name != "spec"}, GOOD, **scale)
    assert (None, 0) == (said.failure, said.validated["v1"].object["spec"]["copies"])
    # an update of what became invalid since it was stored is ratcheted, and a scale of it too
    assert [] == told(target, put(new, ("spec", "copies"), 4), put(new, ("spec", "copies"), 3), **scale)
    for wrong, words in ((1 << 31, "32 bits"), ("3", "accessor error")):
        failure = answer(target, put(GOOD, ("spec", "copies"), wrong), GOOD, **scale).failure
        assert failure is not None
        assert (False, True) == (failure.panic, words in failure.message)


RULES = "spec.x-kubernetes-validations"


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("", None, []),
        ("spec.copies", -1, [("Invalid", "spec.copies", "minimum"), ("Invalid", ".spec.copies", "")]),
        ("spec.copies", "one", [("TypeInvalid", "spec.copies", "type"), ("Invalid", ".spec.copies", "")]),
        ("spec.retentionDays", 367, [("Invalid", "spec.retentionDays", "maximum")]),
        ("spec.schedule", ABSENT, [("Required", "spec.schedule", "")]),
        ("spec.schedule", "x" * 101, [("TooLong", "spec.schedule", "")]),
        ("spec.source.volume.claimName", "", [("Invalid", "spec.source.volume.claimName", "minLength")]),
        ("spec.source.type", "Tape", [("NotSupported", "spec.source.type", "")]),
        ("spec.excludes", ["a", "a"], [("Duplicate", "spec.excludes[1]", "")]),
        ("spec.hooks", [{"name": "A"}], [("Invalid", "spec.hooks[0].name", "pattern")]),
        ("spec.hooks", [{"name": "a"}, {"name": "a"}], [("Duplicate", "spec.hooks[1]", "")]),
        ("spec.labels", {str(n): "a" for n in range(9)}, [("TooMany", "spec.labels", "")]),
        ("spec.size", "1 GB", [("Invalid", "spec.size", "pattern")]),
        ("spec.port", 0, [("Invalid", "spec", f"{RULES}[1]")]),
        ("spec.port", ABSENT, [("Invalid", "spec", f"{RULES}[1] raises")]),
        ("spec.source", {"type": "Volume"}, [("Invalid", "spec.source", "spec.source.x-kubernetes-validations[0]")]),
        ("spec.template", {"kind": "Pod"}, [("Required", "spec.template.apiVersion", "")]),
        ("metadata.name", "A_", [("Invalid", "metadata.name", "format=k8s-long-name")]),
    ],
)  # fmt: skip
def test_what_a_create_is_told(target: CrdTarget, path: str, value: Any, expected: list[tuple[str, str, str]]) -> None:
    """Each sort of rule reports at its path, with an origin that tells it from others there; the scale has its own."""
    found = told(target, backup(path, value) if path else backup())
    if path == "metadata.name":  # releases name the format of names in other ways
        assert ["metadata.name"] == [field for _, field, _ in found]
    else:
        assert expected == found


def test_a_rule_that_raises(target: CrdTarget) -> None:
    """What a rule raises is the server's own text, without the number that tells rules apart."""
    [error] = answer(target, backup("spec.port")).declarative
    assert "no such key: port evaluating rule: self.port != 0" == error.detail


def test_a_message_is_the_authors(target: CrdTarget) -> None:
    """The message of a rule is told as it is written."""
    bucket = {"type": "Bucket", "bucket": {"url": "s3://a"}}
    changed = put(backup("spec.source", bucket), ("spec", "retentionDays"), 2)
    assert ["buckets are kept for a week at least"] == [one.detail for one in answer(target, changed).declarative]


def test_unknown_fields_are_dropped(target: CrdTarget) -> None:
    """A field that no schema knows is dropped and named, except where the schema keeps what it does not know."""
    changed = put(backup("spec.nothing", 1), ("spec", "driver"), {"any": {"thing": 1}})
    said = answer(target, changed, validated=True)
    assert (("spec.nothing",), ()) == (said.pruned, said.declarative)
    seen = said.validated["v1"].object["spec"]
    assert (False, {"any": {"thing": 1}}) == ("nothing" in seen, seen["driver"])


def test_defaults_and_preparation(target: CrdTarget) -> None:
    """Defaults are set, a new object has no status, and its metadata are those of a new object."""
    said = answer(target, put(backup(), ("status",), {"copies": 1}), validated=True)
    seen = said.validated["v1"].object
    assert (1, "default", 1, False) == (
        seen["spec"]["copies"], seen["metadata"]["namespace"], seen["metadata"]["generation"], "status" in seen,
    )  # fmt: skip


def test_as_it_is_given(target: CrdTarget) -> None:
    """In mode `given` nothing is set and nothing dropped."""
    said = answer(target, backup("spec.nothing", 1), mode="given", validated=True)
    assert () == said.pruned
    assert (1, False) == (
        said.validated["v1"].object["spec"]["nothing"],
        "copies" in said.validated["v1"].object["spec"],
    )


def test_updates(target: CrdTarget) -> None:
    """A transition rule sees both objects, and what an update leaves as it was is not held against it."""
    bucket = {"type": "Bucket", "bucket": {"url": "s3://a"}}
    changed = told(target, backup("spec.source", bucket), backup())
    assert [("Invalid", "spec.source", "spec.source.x-kubernetes-validations[2]")] == changed
    long = backup("spec.schedule", "x" * 101)
    assert [] == told(target, put(long, ("spec", "copies"), 3), long)
    assert [("TooLong", "spec.schedule", "")] == told(target, long, backup())


def test_a_rule_that_raises_is_not_ratcheted(target: CrdTarget) -> None:
    """A stored object for which a rule raises cannot be updated, even where nothing changes."""
    old = backup("spec.port")
    assert [("Invalid", "spec", f"{RULES}[1] raises")] == told(target, old, old)


def test_status(target: CrdTarget) -> None:
    """An update of the status changes nothing else, and is judged by the schema of the status."""
    new = put(backup("spec.schedule", "x" * 101), ("status",), {"copies": -1})
    found = told(target, new, backup(), subresource="status")
    assert ("Invalid", "status.copies", "minimum") in found
    assert "spec.schedule" not in [field for _, field, _ in found]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"apiVersion": "v1", "kind": "Pod"}, "wanted a Backup of storage.example.com/v1"),
        ({"metadata": {"labels": 3}, "apiVersion": "storage.example.com/v1", "kind": "Backup"}, "labels"),
        ({}, "Kind"), ({"kind": "Backup", "apiVersion": "a/b/c"}, ""),
    ],
)  # fmt: skip
def test_what_cannot_be_decoded(target: CrdTarget, wrong: Any, words: str) -> None:
    """An object that the server cannot read is no verdict of the schema."""
    failure = answer(target, wrong).failure
    assert failure is not None
    assert ("decode", False) == (failure.stage, failure.panic)
    assert words in failure.message


def test_what_is_refused() -> None:
    """A definition with several mistakes is refused for each, and defines nothing; the others are served."""
    (good,) = (one.document for one in read_definitions(str(CRDS / "before")))
    bad = deepcopy(good)
    bad["metadata"]["name"], bad["spec"]["names"]["plural"] = "tapes.storage.example.com", "tapes"
    bad["spec"]["names"] |= {"kind": "Tape", "listKind": "TapeList", "singular": "tape"}
    spec = bad["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["x-kubernetes-validations"] = [{"rule": "self.nothing"}]
    spec["nonsense"] = True
    with CrdTarget([bad, good], "both", jobs=1) as opened:
        assert {"backups"} == {kind.resource for kind in opened.info.kinds}
        found = list(refusals(opened.info))
    assert {"tapes"} == {one.resource for one in found}
    texts = " ".join(f"{one.field} {one.reason}" for one in found)
    for part in ("compilation failed", "nonsense unknown field"):
        assert part in texts
