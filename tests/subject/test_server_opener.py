"""Somebody's own server beside a release: what differs is a finding, what was not asked is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast
from urllib.parse import urlsplit

import pytest

from harness import engine
from harness.case import Answer, Case, KindInfo, Operation, TargetInfo
from harness.diagnostics import TargetError, UsageError
from harness.engine import RunConfig
from harness.events import Budget, Noted
from harness.field import FieldError
from harness.gotypes.literals import NO_LITERALS
from harness.gotypes.packages import Universe
from harness.subject import Subject, SubjectSpec, open_subject
from harness.subject.openers import server as opener
from harness.targets.live import requests
from harness.targets.target import Closing, Pending, Target
from tests.targets.live.fakes import INVALID, Recording, running

NODES = KindInfo("", "v1", "Node", "nodes", "v1", namespaced=False)
SAYS = FieldError("FieldValueInvalid", "a.b", "be even", value="3")
PRIVILEGED = FieldError("FieldValueForbidden", "spec.containers[0].privileged", "disallowed by cluster policy")


class Release(Closing):
    """A release that gives every object the same answer."""

    restarts = 0

    def __init__(self, *errors: FieldError) -> None:
        status = KindInfo("", "v1", "Node", "nodes", "v1", "status", namespaced=False)
        self.info = TargetInfo("release", release="1.38.0", kinds=(NODES, status))
        self.errors = errors

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch."""
        return [Answer(case.id, self.errors) for case in cases]

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Answer a batch at once."""
        answers = self.ask(cases)
        return cast(Pending, type("Done", (), {"seconds": 0.0, "wait": lambda *_: True, "result": lambda _: answers})())


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recording]:
    """A server that is asked as fast as it answers."""
    monkeypatch.setattr(requests.ServerClient, "_wait", lambda *_: None)
    with running() as opened:
        yield opened


def opened(server: Recording, monkeypatch: pytest.MonkeyPatch, *errors: FieldError) -> Subject:
    """Open it beside a release."""
    universe = Universe.from_folders({})
    after = cast(Target, Release(*errors)), universe, lambda info: NO_LITERALS
    monkeypatch.setattr(opener, "open_validating", lambda *_: after)
    return open_subject(SubjectSpec("server", f"http://127.0.0.1:{server.server_port}", release="1.38.0"))


def ask(subject: Subject) -> Answer:
    """Ask a create."""
    [answer] = subject.target.ask([NODES.case(Operation.CREATE, {"metadata": {"name": "a"}}, id=7)])
    return answer


def test_creates_and_updates_of_common_kinds_are_compared(server: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of an object is compared if both serve it."""
    both = Operation.CREATE, Operation.UPDATE
    with opened(server, monkeypatch) as subject:
        assert [("v1 nodes", both)] == [(one.name, one.operations) for one in subject.target.info.kinds]
        assert ("the server at 127.0.0.1 (1.37.1)", "1.38.0") == subject.comparison.names
        excluded = {one.resource for one in subject.target.info.excluded}
        assert {"deployments", "deployments/status", "nodes/status"} == excluded


@pytest.mark.parametrize(
    ("reply", "errors", "expected"),
    [
        ((201, {}), (), (0, 0)),
        ((422, INVALID), (SAYS,), (0, 0)),
        ((422, INVALID), (), (0, 1)),
        ((201, {}), (SAYS,), (1, 0)),
        ((201, {}), (PRIVILEGED,), (0, 0)),
    ],
)
def test_a_difference_is_one_of_users(
    server: Recording, monkeypatch: pytest.MonkeyPatch, reply: Any, errors: tuple[FieldError, ...], expected: Any
) -> None:
    """Type, path and text are compared: a value that one quotes apart from the text is part of it."""
    server.write = lambda: reply
    with opened(server, monkeypatch, *errors) as subject:
        answer = ask(subject)
    assert answer.failure is None
    assert expected == (sum(error.covered for error in answer.handwritten), len(answer.declarative))


@pytest.mark.parametrize(
    "reply",
    [
        None,
        (200, "<html>"),
        (400, {"reason": "BadRequest", "message": "m"}),
        (403, {"reason": "Forbidden", "message": "m"}),
        (429, {"message": "later"}),
        (503, {"message": "down"}),
    ],
)
def test_what_the_server_does_not_validate_is_no_difference(
    server: Recording, monkeypatch: pytest.MonkeyPatch, reply: Any
) -> None:
    """It is an answer that failed, with the reason, and never a verdict."""
    server.write = lambda: reply
    with opened(server, monkeypatch, SAYS) as subject:
        failure = ask(subject).failure
    assert failure is not None
    assert "handwritten" == failure.stage


def test_repeated_owners_are_not_compared(server: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server drops all but one of them before it validates."""
    owned = {"metadata": {"name": "a", "ownerReferences": [{"name": "b"}, {"name": "b"}]}}
    with opened(server, monkeypatch, SAYS) as subject:
        [answer] = subject.target.ask([NODES.case(Operation.CREATE, owned, id=7)])
    assert answer.failure is not None
    assert "repeated owner references" in answer.failure.message


def test_a_run_finds_what_the_release_rejects(server: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """And sends nothing but dry runs, whatever the search thinks of."""
    with opened(server, monkeypatch, SAYS) as subject:
        result = engine.run(subject.spec, RunConfig(seed=1, budget=Budget(None, 30), jobs=1), opener=lambda *_: subject)
    assert {"a.b"} == {one.path for one in result.findings}
    assert {"accepted by the server at 127.0.0.1 (1.37.1), rejected by 1.38.0"} <= {
        one.detail.partition(":")[0] for one in result.findings
    }
    writes = [path for method, path, _, _ in server.seen if method != "GET"]
    assert writes
    assert all("dryRun=All" in path for path in writes)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"release": None}, "none is named"),
        ({"against": "1.36.3"}, "compared with one thing"),
        ({"gates": {"A": True}}, "has its own types and gates"),
        ({"mode": "given"}, "prepares objects itself"),
    ],
)
def test_what_means_nothing_to_a_server_is_refused(more: dict[str, Any], words: str) -> None:
    """Before anything is asked."""
    values = {"kind": "server", "location": "http://127.0.0.1:1", "release": "1.38.0", **more}
    with pytest.raises(UsageError, match=words):
        open_subject(SubjectSpec(**values))


def test_a_server_that_is_lost_ends_the_run(server: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason, after a few requests without an answer."""
    server.write = lambda: None
    cases = [NODES.case(Operation.CREATE, {}, id=number) for number in range(6)]
    with opened(server, monkeypatch) as subject, pytest.raises(TargetError, match="does not answer"):
        subject.target.ask(cases)


def test_updates_are_made_to_what_is_stored(server: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a stored object before it, with what the search changes; the finding has that object too."""
    stored = {"metadata": {"name": "n", "uid": "1", "resourceVersion": "7"}, "spec": {"secret": "s"}}
    server.pages["/api/v1/nodes?limit=50"] = {"items": [stored]}
    with opened(server, monkeypatch, SAYS) as subject:
        result = engine.run(subject.spec, RunConfig(seed=1, budget=Budget(None, 60), jobs=1), opener=lambda *_: subject)
    updated = [one.case for one in result.findings if one.case.operation is Operation.UPDATE]
    assert [{"apiVersion": "v1", "kind": "Node", **stored}] == [case.old for case in updated]
    assert {"/api/v1/nodes/n"} == {urlsplit(path).path for method, path, _, _ in server.seen if method == "PUT"}
    assert all("dryRun=All" in path for method, path, _, _ in server.seen if method == "PUT")


def test_kinds_that_are_not_stored_or_listed_are_created_alone(
    server: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What may not be listed is told; no update of an object that is not there is asked."""
    pages: dict[str, Any]
    for pages, words in (({}, "v1 nodes is asked, because they cannot be listed"), ({"items": []}, "")):
        said: list[str] = []
        if pages:
            server.pages["/api/v1/nodes?limit=50"] = pages
        with opened(server, monkeypatch, SAYS) as subject:
            config = RunConfig(seed=1, budget=Budget(None, 30), jobs=1)
            result = engine.run(subject.spec, config, said_to(said), opener=lambda *_, subject=subject: subject)
        assert {"create"} == {str(one.operation) for one in result.kinds}
        assert {"POST", "GET"} == {method for method, _, _, _ in server.seen}
        assert bool(words) == any(words in text for text in said if words)


def said_to(said: list[str]) -> Any:
    """Keep what a run notes."""
    return lambda event: said.append(event.text) if isinstance(event, Noted) else None
