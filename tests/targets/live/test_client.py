"""Somebody's own server is asked by dry run and by nothing else, and whatever it does ends in a word about it."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from harness.case import Answer, Case, Operation
from harness.diagnostics import TargetError
from harness.targets.live.access import Access
from harness.targets.live.client import ServerTarget, change
from harness.targets.live.requests import ServerClient, WrongDocument
from tests.targets.live.fakes import DISCOVERY, INVALID, Recording, Reply, running


@pytest.fixture
def server() -> Iterator[Recording]:
    """A server on a port of its own."""
    with running() as opened:
        yield opened


def connect(server: Recording, **more: Any) -> ServerTarget:
    """Connect to it."""
    access = Access(f"http://127.0.0.1:{server.server_port}", token="t")
    return ServerTarget(access, "1.37.1", rate=1e6, **more)


def case(resource: str = "deployments", group: str = "apps", subresource: str = "", old: Any = None) -> Case:
    """A create, or an update."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    named = {"metadata": {"name": "a", "namespace": "x/../y"}}
    return Case(7, group, "v1", "Deployment", operation, named, old, resource, subresource)


def ask(server: Recording, *cases: Case, **more: Any) -> list[Answer]:
    """Ask it."""
    with connect(server, **more) as target:
        return target.ask(cases or [case()])


def test_nothing_but_dry_runs_arrive(server: Recording) -> None:
    """Of any case: what does not read is a create with dryRun=All, in the namespace of the object, with the token."""
    cases = [case(), case("nodes", ""), case(old={}), case(subresource="scale"), case("pods", "")]
    answers = ask(server, *cases)
    writes = [(path, body) for method, path, body, _ in server.seen if method != "GET"]
    paths = ["/apis/apps/v1/namespaces/x%2F..%2Fy/deployments", "/api/v1/nodes"]
    assert paths == [urlsplit(path).path for path, _ in writes]
    assert [["All"]] * 2 == [parse_qs(urlsplit(path).query)["dryRun"] for path, _ in writes]
    assert [case().object] * 2 == [json.loads(body) for _, body in writes]
    assert {"Bearer t"} == {token for _, _, _, token in server.seen}
    assert {"GET", "POST"} == {method for method, _, _, _ in server.seen}
    assert [True, True, False, False, False] == [answer.failure is None for answer in answers]


@pytest.mark.parametrize("query", ["", "?dryRun=", "?dryrun=All", "?dryRun=All&dryRun=None", "?dryRun=all"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "get"])
def test_a_write_that_is_no_dry_run_is_not_sent(server: Recording, method: str, query: str) -> None:
    """Whoever writes such a request, it ends where requests are sent."""
    with connect(server) as target, pytest.raises(AssertionError, match="is no dry run"):
        target._client.send(method, f"/api/v1/nodes{query}", b"{}")
    assert {"GET"} == {method for method, _, _, _ in server.seen}


def test_errors_and_statuses_are_read(server: Recording) -> None:
    """A list, acceptance, a taken name, another refusal, and a crash; metrics tell the gate, if they may be read."""
    said = [
        (422, INVALID),
        (201, {}),
        (409, {"reason": "AlreadyExists"}),
        (400, {"reason": "BadRequest", "message": "m"}),
    ]
    replies: Iterator[Reply | None] = iter([*said, None, None])
    server.write = lambda: next(replies)
    lists = [answer.served[0] for answer in ask(server, *[case()] * 5)]
    errors = [[(error.type, error.field, error.detail) for error in one.errors] for one in lists]
    assert [[("FieldValueInvalid", "a.b", "3: be even")], [], [], [], []] == errors
    assert ["", "", "", "400 BadRequest: m", "the connection is closed"] == [one.status for one in lists]
    assert {"beta-on"} == {one.setting for one in lists}
    server.pages["/metrics"] = 'kubernetes_feature_enabled{name="DeclarativeValidationBeta",stage="BETA"} 0\n'
    server.write = lambda: (201, {})
    assert ["beta-off"] == [answer.served[0].setting for answer in ask(server)]


@pytest.mark.parametrize(
    ("validates", "takes_over", "setting"),
    [(1, 1, "takeover"), (1, 0, "validation-on"), (0, 1, "takeover-only"), (0, 0, "validation-off")],
)
def test_two_gates_decide_before_levels(server: Recording, validates: int, takes_over: int, setting: str) -> None:
    """Where metrics do not tell, rules run and are not served; the gate of later releases means nothing there."""
    gates = {"": validates, "Takeover": takes_over, "Beta": 0}
    server.pages["/version"] = {"gitVersion": "v1.35.4"}
    assert "validation-on" == setting_of(server)
    server.pages["/metrics"] = "".join(
        f'kubernetes_feature_enabled{{name="DeclarativeValidation{end}",stage="BETA"}} {on}\n'
        for end, on in gates.items()
    )
    assert setting == setting_of(server)


def setting_of(server: Recording) -> str:
    """The setting under which a server of 1.35.4 is asked."""
    with ServerTarget(Access(f"http://127.0.0.1:{server.server_port}"), "1.35.4", rate=1e6) as target:
        return target.ask([case()])[0].served[0].setting


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((200, "<html>Sign in</html>"), "it answers 200 with something else than JSON"),
        ((403, {"reason": "Forbidden", "message": "may not create"}), "it answers 403 Forbidden: may not create"),
        ((429, {"reason": "TooManyRequests", "message": "later"}), "it answers 429 TooManyRequests: later"),
        ((503, {"message": "down"}), "it answers 503 : down"),
        ((422, ["no"]), "it answers 422 with something else than an object"),
    ],
)
def test_what_is_not_validation_is_told(server: Recording, reply: Reply, words: str) -> None:
    """It is no list of errors: the case was not asked; 429 is asked again, three times in all."""
    server.write = lambda: reply
    failure = ask(server)[0].failure
    assert failure is not None
    assert words in failure.message
    assert (3 if reply[0] == 429 else 1) == sum(method == "POST" for method, _, _, _ in server.seen)


def test_a_server_that_refuses_the_user_is_an_error(server: Recording) -> None:
    """At once if it lets nobody in; one that stops doing so is asked no more creates of that kind."""
    said: list[str] = []
    server.write = lambda: (401, {"reason": "Unauthorized", "message": "Unauthorized"})
    answers = ask(server, case(), case(), note=said.append)
    assert ["not asked: apps/v1 deployments create: it answers 401 Unauthorized: Unauthorized"] == said
    assert [True, True] == [answer.failure is not None for answer in answers]
    assert 1 == sum(method == "POST" for method, _, _, _ in server.seen)
    server.refusal = 401, {"message": "Unauthorized"}
    with pytest.raises(TargetError, match="/version answers 401") as error:
        connect(server)
    assert "valid credentials" in str(error.value)


def test_an_answer_that_comes_too_late_is_none(server: Recording) -> None:
    """The case was not asked, and the next one is asked on a new connection."""
    release = threading.Event()
    replies: Iterator[Callable[[], Reply]] = iter([lambda: (201 + release.wait(10), {}), lambda: (201, {})])
    server.write = lambda: next(replies)()
    with connect(server) as target:
        target._client._timeout = 0.05
        target._client._disconnect()
        [late] = target.ask([case()])
        target._client._timeout = 10
        [next_one] = target.ask([case()])
    release.set()
    assert late.failure is not None
    assert "it gave no answer for 0.05 seconds" in late.failure.message
    assert next_one.failure is None


def test_a_server_that_stops_answering_is_given_up(server: Recording) -> None:
    """After a few requests without an answer, with the reason."""
    server.write = lambda: None
    with pytest.raises(TargetError, match="does not answer"):
        ask(server, *[case()] * 20)


def test_requests_keep_their_distance(server: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a rate of two in a second, each waits for half a second after the last one."""
    slept: list[float] = []
    monkeypatch.setattr(ServerClient, "_wait", lambda _, seconds: slept.append(seconds))
    with ServerTarget(Access(f"http://127.0.0.1:{server.server_port}"), "1.37.1", rate=2) as target:
        target.ask([case()] * 3)
    assert 0.3 < min(slept[1:]) <= max(slept) <= 0.5


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ({"/version": {"gitVersion": "v1.36.3"}}, "is v1.36.3"),
        ({"/version": {"gitVersion": "v1.37.10"}}, "is v1.37.10"),
        ({"/version": "<html>"}, "something else than JSON"),
        ({"/apis": "[]"}, "/apis answers 200"),
    ],
)
def test_another_server_is_refused(server: Recording, pages: dict[str, Any], words: str) -> None:
    """Another release, or something that is no API server."""
    server.pages |= pages
    with pytest.raises(TargetError, match=words) as error:
        connect(server)
    assert "fix:" in str(error.value)


def test_a_server_that_is_down_or_slow_is_an_error() -> None:
    """At once, and after the time that an answer may take."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        access = Access(f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(TargetError, match="cannot be reached"):
            ServerTarget(access, "1.37.1")
        taken.listen()
        with pytest.raises(TargetError, match=r"no answer for 0\.05 seconds"):
            ServerTarget(access, "1.37.1", timeout=0.05)


DEPLOYED = {"metadata": {"name": "a", "namespace": "x", "uid": "1", "resourceVersion": "7"}, "spec": {"secret": "s"}}
PAGE = "/apis/apps/v1/deployments?limit=50"


def hide(obj: dict[str, Any]) -> dict[str, Any]:
    """Show a stored object without what is secret."""
    return {**obj, "spec": {"secret": "x"}}


def listed(target: ServerTarget) -> Any:
    """List the deployments, which is one."""
    kind = next(kind for kind in target.info.kinds if kind.resource == "deployments")
    [shown] = target.list_objects(kind, hide)
    return shown


def updated(new: Any, old: Any, subresource: str = "") -> Case:
    """An update of a deployment."""
    return Case(7, "apps", "v1", "Deployment", Operation.UPDATE, new, old, "deployments", subresource)


def test_what_stands_there_is_updated_by_dry_run(server: Recording) -> None:
    """The object and its status, with what the case changes and nothing else: what was not shown goes back as it is."""
    server.pages[PAGE] = {"items": [DEPLOYED], "metadata": {}}
    with connect(server) as target:
        old = listed(target)
        new = {**old, "metadata": {**old["metadata"], "labels": {"a": "b"}}}
        answers = target.ask([updated(new, old), updated(old, old, "status"), updated(new, new), updated({}, {})])
    assert [None, None, True, True] == [
        answer.failure and "stored there" in answer.failure.message for answer in answers
    ]
    writes = [one for one in server.seen if one[0] != "GET"]
    own = "/apis/apps/v1/namespaces/x/deployments/a"
    assert [("PUT", own), ("PUT", f"{own}/status")] == [(method, urlsplit(path).path) for method, path, _, _ in writes]
    assert [["All"]] * 2 == [parse_qs(urlsplit(path).query)["dryRun"] for _, path, _, _ in writes]
    whole = {"apiVersion": "apps/v1", "kind": "Deployment", **DEPLOYED}
    labelled = {**whole, "metadata": {**DEPLOYED["metadata"], "labels": {"a": "b"}}}
    assert [labelled, whole] == [json.loads(body) for _, _, body, _ in writes]
    assert "x" == old["spec"]["secret"]


def test_pages_are_read_to_the_end(server: Recording) -> None:
    """Each page says how the next one is asked; a user who may not list is told."""
    first = {"items": [DEPLOYED], "metadata": {"continue": "a&b"}}
    server.pages |= {PAGE: first, f"{PAGE}&continue=a%26b": {"items": [DEPLOYED, 3]}}
    with connect(server) as target:
        kind = next(kind for kind in target.info.kinds if kind.resource == "deployments")
        assert 2 == len(list(target.list_objects(kind, hide)))
        with pytest.raises(WrongDocument, match="answers 404"):
            list(target.list_objects(target.info.kinds[0], hide))


@pytest.mark.parametrize(
    ("whole", "old", "new", "expected"),
    [
        ({"a": 1, "b": 2}, {"a": 0}, {"a": 0, "c": 3}, {"a": 1, "b": 2, "c": 3}),
        ({"a": 1, "b": 2}, {"a": 0, "b": 2}, {"b": 2}, {"b": 2}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 0, "c": 2}}, {"a": {"b": 0, "c": 4}}, {"a": {"b": 1, "c": 4}}),
        ({"a": [1]}, {"a": [0]}, {"a": [0, 2]}, {"a": [0, 2]}),
        ({"a": 1}, {"a": 0}, "text", "text"),
    ],
)
def test_changes_are_made_to_what_is_stored(whole: Any, old: Any, new: Any, expected: Any) -> None:
    """A member that is left out goes, one that was hidden stays."""
    assert expected == change(whole, old, new)


def test_what_the_user_may_not_ask_is_told_once_and_not_asked_again(server: Recording) -> None:
    """A refusal because of the user holds for all objects, one by a plugin for this one; missing things are told."""
    said: list[str] = []
    message = 'deployments.apps is forbidden: User "u" cannot create resource "deployments" in API group "apps"'
    server.write = lambda: (403, {"reason": "Forbidden", "message": message})
    answers = ask(server, case(), case(), note=said.append)
    assert [f"not asked: apps/v1 deployments create: it answers 403 Forbidden: {message}"] == said
    assert 2 == sum(answer.failure is not None and message in answer.failure.message for answer in answers)
    assert 1 == sum(method == "POST" for method, _, _, _ in server.seen)
    server.write = lambda: (403, {"reason": "Forbidden", "message": "exceeded quota"})
    ask(server, case(), case(), note=said.append)
    assert (2, 3) == (len(said), sum(method == "POST" for method, _, _, _ in server.seen))
    server.write = lambda: (404, {"reason": "NotFound", "message": "namespaces not found"})
    ask(server, case(), note=said.append)
    assert "it answers 404 NotFound: namespaces not found" in said[2]


@pytest.mark.parametrize("code", [400, 403, 422])
@pytest.mark.parametrize("denier", ['admission webhook "w.example"', "ValidatingAdmissionPolicy 'p'"])
def test_admission_is_no_validation(server: Recording, code: int, denier: str) -> None:
    """Whatever form a webhook or a policy gives its answer; who denies is named, once for each of them."""
    message = f"{denier} with binding 'b' denied request: no"
    details = {"causes": [{"message": message}]}
    server.write = lambda: (code, {"reason": "Invalid", "message": f"denied: {message}", "details": details})
    said: list[str] = []
    failure = ask(server, case(), case(), note=said.append)[0].failure
    assert failure is not None
    assert failure.message.startswith(f"{denier} denies it before validation: {code} Invalid: denied: {message}")
    assert 1 == len(said)
    others = iter(("a", "b"))
    server.write = lambda: (code, {"message": f'admission webhook "{next(others)}" denied the request: no'})
    ask(server, case(), case(), note=said.append)
    assert 3 == len(said)


@pytest.mark.parametrize("details", [None, {}, {"causes": []}, {"causes": ["no", 3]}, "text"])
def test_an_invalid_object_without_errors_is_not_accepted(server: Recording, details: Any) -> None:
    """It has a status in place of a list."""
    server.write = lambda: (422, {"reason": "Invalid", "message": "no", "details": details})
    assert "422 Invalid: no" == ask(server)[0].served[0].status


def test_an_aggregated_api_that_does_not_answer_is_excluded(server: Recording) -> None:
    """With its answer; what the server itself serves has to be there."""
    server.pages["/apis"] = {"groups": [*DISCOVERY["/apis"]["groups"], {"name": "m", "versions": [{"version": "v1"}]}]}
    with connect(server) as target:
        assert [("m", "*", "no")] == [(one.group, one.resource, one.reason) for one in target.info.excluded]
    del server.pages["/api/v1"]
    with pytest.raises(TargetError, match="/api/v1 answers 404"):
        connect(server)


def test_a_scale_is_of_its_own_group(server: Recording) -> None:
    """Discovery says the type of the object, the verbs and whether it is stored."""
    with connect(server) as target:
        kinds = {kind.name: kind for kind in target.info.kinds}
    assert "autoscaling/v1" == kinds["apps/v1 deployments/scale"].api_version
    assert (Operation.UPDATE,) == kinds["apps/v1 deployments/scale"].operations
    assert (Operation.CREATE, Operation.UPDATE) == kinds["v1 nodes"].operations


def test_two_releases_behind_one_address_are_refused(server: Recording) -> None:
    """As during an upgrade: each would answer otherwise."""
    server.pages["/metrics"] = 'kubernetes_build_info{git_commit="c",git_version="v1.36.3",major="1"} 1\n'
    with pytest.raises(TargetError, match=r"says that it is 1\.37\.1, and its metrics say 1\.36\.3"):
        connect(server)
    server.pages["/metrics"] = 'kubernetes_build_info{git_commit="c",git_version="v1.37.1-eks",major="1"} 1\n'
    with connect(server) as target:
        assert "the server at 127.0.0.1 (1.37.1)" == target.info.name


@pytest.mark.parametrize(
    "pages", [{"/apis": {"groups": [3]}}, {"/apis": {"groups": [{}]}}, {"/api/v1": {"resources": [{"kind": "K"}]}}]
)
def test_discovery_of_another_form_is_an_error(server: Recording, pages: dict[str, Any]) -> None:
    """It is no API server."""
    server.pages |= pages
    with pytest.raises(TargetError, match="in another form"):
        connect(server)


def test_a_batch_is_asked_in_the_background_and_ends_with_the_target(server: Recording) -> None:
    """A search is not held up at the end of its time: what is not answered then is not asked any more."""
    arrived, release = threading.Event(), threading.Event()

    def hold() -> Reply:
        arrived.set()
        release.wait(10)
        return 201, {}

    server.write = hold
    target = connect(server)
    batch = target.submit([case()] * 3)
    assert arrived.wait(10)
    assert not batch.wait(0)
    threading.Timer(0.05, release.set).start()
    target.close()
    assert 1 == sum(method == "POST" for method, _, _, _ in server.seen)
    with pytest.raises(TargetError, match="not asked any more"):
        batch.result()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ssl.SSLCertVerificationError(1, "certificate verify failed"), "its certificate is not trusted"),
        (ssl.SSLError(1, "sslv3 alert certificate expired"), "see whether the certificate of the user has expired"),
    ],
)
def test_an_expired_certificate_is_told(monkeypatch: pytest.MonkeyPatch, error: ssl.SSLError, words: str) -> None:
    """The server's own, and the user's; neither is asked twice."""
    if isinstance(error, ssl.SSLCertVerificationError):
        error.verify_message = "certificate has expired"
    tried: list[str] = []

    def connect(self: Any, method: str, path: str, *_: Any) -> None:
        tried.append(path)
        raise error

    monkeypatch.setattr("harness.targets.live.requests.http.client.HTTPSConnection.request", connect)
    with pytest.raises(TargetError, match=words):
        ServerTarget(Access("https://127.0.0.1:1"), "1.37.1")
    assert ["/version"] == tried
