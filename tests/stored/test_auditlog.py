"""Audit logs: creates, and updates with the objects that they replaced, as far as the log has them."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import Any, BinaryIO, cast

from harness.case import Operation
from harness.stored.auditlog import AuditLog
from harness.stored.storedobject import Reading, StoredObject
from tests.stored.test_dumps import Endless


def widget(size: int, revision: str = "", **more: Any) -> dict[str, Any]:
    """A widget as it is sent or, with a revision, as it is answered."""
    metadata = {"name": "a", "namespace": "shop", **({"resourceVersion": revision} if revision else {})}
    return {"apiVersion": "example.io/v1", "kind": "Widget", "metadata": metadata, "spec": {"size": size}, **more}


def event(
    verb: str, sent: Any = None, answer: Any = None, *, code: int = 200, sub: str = "", **more: Any
) -> dict[str, Any]:
    """An event as an API server writes it."""
    about = {"resource": "widgets", "namespace": "shop", "name": "a", "apiGroup": "example.io", "apiVersion": "v1"}
    found = {
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "RequestResponse", "stage": "ResponseComplete",
        "verb": verb, "objectRef": {**about, **({"subresource": sub} if sub else {})}, "responseStatus": {"code": code},
    }  # fmt: skip
    bodies = {"requestObject": sent, "responseObject": answer}
    return {**found, **{name: one for name, one in bodies.items() if one is not None}, **more}


def read(*lines: Any, most: int = 1 << 20) -> tuple[list[StoredObject], Reading]:
    """What a log has; a line that is a text stands as it is."""
    text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
    reading = Reading()
    return list(AuditLog(io.BytesIO(text.encode()), "audit.log", reading, most)), reading


def test_an_update_has_the_object_that_the_log_answered_before() -> None:
    """Of a create, an update, a patch or a get; what was sent is asked, at its address."""
    (created, updated), reading = read(
        event("create", widget(1), widget(1, "5"), code=201), event("update", widget(2, "5"), widget(2, "6"))
    )
    assert (Operation.CREATE, widget(1), None) == (created.request, created.object, created.old)
    assert (Operation.UPDATE, widget(2, "5"), widget(1, "5")) == (updated.request, updated.object, updated.old)
    assert ("example.io", "v1", "widgets", "") == updated.address
    assert ("audit.log:2", {}, []) == (updated.source, reading.counts, reading.problems)


def test_a_patch_is_an_update_to_its_answer() -> None:
    """With the revision that it replaced, as a client would send it."""
    [patched], _ = read(
        event("get", None, widget(1, "5")), event("patch", [{"op": "add"}], widget(2, "6"), sub="status")
    )
    assert (widget(2, "5"), widget(1, "5")) == (patched.object, patched.old)
    assert patched.address is not None
    assert "status" == patched.address.subresource


def test_an_update_without_its_old_object_is_asked_as_stored() -> None:
    """Because the log begins later, or lacks an update in between, or the object was deleted; it is counted."""
    before = [event("get", None, widget(1, "5"))]
    for lines in ([], [*before, event("delete")], [event("get", None, widget(1, "4"))]):
        [found], reading = read(*lines, event("update", widget(2, "5"), widget(2, "6")))
        assert (None, None, widget(2, "6")) == (found.request, found.old, found.object)
        assert [1] == list(reading.counts.values())


def test_what_validation_did_not_answer_is_counted() -> None:
    """Other levels, and other errors than those of validation, whose requests are asked."""
    found, reading = read(
        event("create", widget(1), level="Request"), event("create", level="Metadata"),
        event("create", widget(1), {"kind": "Status", "apiVersion": "v1", "metadata": {}}, code=403),
        event("create", widget(1), {"kind": "Status", "apiVersion": "v1", "metadata": {}}, code=422),
        event("create", widget(1), stage="RequestReceived"), event("list"), event("watch"),
    )  # fmt: skip
    assert [widget(1)] == [one.object for one in found]
    assert {
        "requests of level Request, which have no answer": 1,
        "requests of level Metadata, which have no answer": 1,
        "requests that were answered with 403, not by validation": 1,
    } == reading.counts


def test_damaged_lines_are_told_with_their_numbers() -> None:
    """And the rest is read; a log that is being written ends within a line."""
    good = event("create", widget(1), widget(1, "5"), code=201)
    found, reading = read(good, "garbage\n", '{"kind": "Pod"}\n', "\n", '{"kind": 3}\n', good, json.dumps(good)[:-30])
    assert 2 == len(found)
    assert [2, 3, 5, 7] == [one.position.line for one in reading.problems]
    assert {"audit-syntax"} == {one.code for one in reading.problems}
    assert "ends within a line" in reading.problems[-1].message


def test_a_list_of_events_is_read() -> None:
    """As a webhook of the server gets them."""
    found, _ = read({"kind": "EventList", "items": [event("create", widget(1)), event("create", widget(2))]})
    assert [1, 2] == [one.object["spec"]["size"] for one in found]


def test_memory_is_bounded() -> None:
    """Of many objects, those that were answered longest ago are forgotten, and their updates asked as stored."""
    first = [event("get", None, {**widget(1, "5"), "metadata": {"name": f"w{n}", "resourceVersion": "5"}},
                   objectRef={"resource": "widgets", "name": f"w{n}"}) for n in range(50)]  # fmt: skip
    update = event("update", widget(2, "5"), widget(2, "6"))
    lines = [event("get", None, widget(1, "5")), *first, update]
    assert [True, False] == [read(*lines, most=most)[0][0].old is None for most in (500, 1 << 20)]


def test_memory_does_not_grow_with_the_log() -> None:
    """A log of 16 MB takes less than four, and so does one of a gigabyte: what is remembered of it is compressed."""
    line = (
        json.dumps(event("update", widget(2, "5", text="x" * 20_000), widget(2, "6", text="x" * 20_000))).encode()
        + b"\n"
    )
    stream = io.BufferedReader(Endless(line, line, 399, b""))
    reading = Reading()
    tracemalloc.start()
    count = sum(1 for _ in AuditLog(cast(BinaryIO, stream), "audit.log", reading))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (400, 0) == (count, reading.problem_count)
    assert most < 4 << 20


def test_secrets_are_replaced_and_a_changed_one_still_differs() -> None:
    """In the object that was sent and in the one that it replaced."""

    def secret(value: str, revision: str) -> dict[str, Any]:
        metadata = {"name": "a", "namespace": "shop", "resourceVersion": revision}
        return {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": metadata,
            "stringData": {"p": value, "q": "same-same"},
        }

    update = event("update", secret("swordf!", "5"), secret("swordf!", "6"))
    [found], reading = read(event("get", None, secret("hunter2", "5")), update, "hunter2")
    assert found.old is not None
    assert ("y" * 7, "x" * 7) == (found.object["stringData"]["p"], found.old["stringData"]["p"])
    assert found.object["stringData"]["q"] == found.old["stringData"]["q"]
    assert not [word for word in ("hunter2", "swordf!", "same-same") if word in str((found, reading))]
