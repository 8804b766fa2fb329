"""The objects of a running server are read by listing them: each once, without secrets, and what is refused is told."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import pytest

from harness.case import KindInfo, TargetInfo
from harness.stored.servers import read_server
from harness.stored.storedobject import Reading, StoredObject
from harness.targets.live.access import Access
from harness.targets.live.client import ServerTarget
from tests.targets.live.fakes import Recording, running

VERBS = ["create", "list", "update"]
SECRET = base64.b64encode(b"hunter2").decode()


def resource(name: str, kind: str) -> dict[str, Any]:
    """A resource of a namespace, as discovery lists it."""
    return {"name": name, "kind": kind, "namespaced": True, "verbs": VERBS}


STATUS = {**resource("componentstatuses", "ComponentStatus"), "verbs": ["list"]}
PAGES = {
    "/apis": {"groups": [{"name": "g", "versions": [{"version": "v2"}, {"version": "v1"}]}]},
    "/api/v1": {
        "resources": [resource("secrets", "Secret"), {**resource("reviews", "R"), "verbs": ["create"]}, STATUS]
    },
    "/apis/g/v2": {"resources": [resource("things", "Thing"), resource("things/status", "Thing")]},
    "/apis/g/v1": {"resources": [resource("things", "Thing")]},
    "/api/v1/secrets?limit=50": {"items": [{"metadata": {"name": "s", "namespace": "n"}, "data": {"a": SECRET}}]},
    "/apis/g/v1/things?limit=50": {"items": [{"metadata": {"name": "t", "namespace": "n"}}]},
    "/apis/g/v2/things?limit=50": {"items": [{"metadata": {"name": "other", "namespace": "n"}}]},
}
AFTER = TargetInfo("after", kinds=(KindInfo("g", "v1", "Thing", "things", "g/v1"),))


@pytest.fixture
def server() -> Iterator[Recording]:
    """A server with two objects."""
    with running() as opened:
        opened.pages |= PAGES
        yield opened


def read(server: Recording, reading: Reading, after: TargetInfo = AFTER) -> list[StoredObject]:
    """Read all objects."""
    with ServerTarget(Access(f"http://127.0.0.1:{server.server_port}"), rate=1e6) as target:
        return list(read_server(target, after, lambda info: True, reading))


def test_every_object_is_read_once(server: Recording) -> None:
    """In the version that the release after serves, else in the server's first; with its type, and where it is.

    Kinds that nobody can list or write are not read.
    """
    reading = Reading()
    found = read(server, reading)
    assert [("v1", "Secret"), ("g/v1", "Thing")] == [one.type for one in found]
    assert ["v1 secrets n/s", "g/v1 things n/t"] == [one.source for one in found]
    assert (2, 0) == (reading.objects, reading.problem_count)
    assert "n/other" == read(server, reading, TargetInfo("after"))[1].name


def test_no_value_of_a_secret_is_shown(server: Recording) -> None:
    """It is replaced by one of the same size."""
    secret = read(server, Reading())[0].object
    assert 7 == len(base64.b64decode(secret["data"]["a"]))
    assert SECRET not in str(secret)


def test_what_may_not_be_listed_is_told(server: Recording) -> None:
    """The other kinds are read."""
    reading = Reading()
    del server.pages["/api/v1/secrets?limit=50"]
    assert ["n/t"] == [one.name for one in read(server, reading)]
    [problem] = reading.problems
    assert ("server-unlisted", "v1 secrets cannot be listed: no") == (problem.code, problem.message)
