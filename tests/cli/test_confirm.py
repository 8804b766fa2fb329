"""`harness confirm` and `harness run --confirm`: a server answers what the report says, or the command fails."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, ServedList
from harness.cli import confirmation
from harness.cli.trust import is_own, remember
from harness.diagnostics import TargetError
from harness.field import FieldError
from harness.report.formats.json import encode
from harness.report.model.assembly import build_report
from harness.report.model.document import Reach
from harness.report.model.reading import read_report
from harness.targets.live.access import Access
from tests.cli.fakes import FakeEngine, FakeTarget, call
from tests.report import made

SAID = FieldError("FieldValueInvalid", "spec.size", "3: must be even")
FINDINGS = (
    made.finding(),
    made.finding("aaaaaaaaaaaa", case=msgspec.structs.replace(made.finding().case, object=None)),
    made.finding("bbbbbbbbbbbb", case=msgspec.structs.replace(made.finding().case, mode="given")),
)


class FakeServer(FakeTarget):
    """Answers every case alike under the settings of today; all rules graduated, it accepts everything."""

    opened: list[FakeServer]
    error: TargetError | None
    says: tuple[FieldError, ...]

    def __init__(self, location: str, *, gates: dict[str, bool], note: Any) -> None:
        super().__init__()
        if self.error is not None:
            raise self.error
        self.named: tuple[str, dict[str, Any]] = location, gates
        self.opened.append(self)

    def answer(self, case: Case) -> Answer:
        """Answer as a server does."""
        lists = {"beta-on": self.says, "beta-off": self.says, "graduated": ()}
        return Answer(case.id, served=tuple(ServedList(name, {}, errors) for name, errors in lists.items()))


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> type[FakeServer]:
    """A server without a process, and a report about it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    FakeServer.opened, FakeServer.error, FakeServer.says = [], None, (SAID,)
    monkeypatch.setattr(confirmation, "LiveTarget", FakeServer)
    write(Reach("kubernetes", "1.37.1", {"AllAlpha": True}))
    return FakeServer


def write(reach: Reach, name: str = "r.json") -> bytes:
    """Write a report."""
    data = encode(build_report(made.result(*FINDINGS), reaches={"widgets_v1": reach}))
    Path(name).write_bytes(data)
    return data


def outcomes(name: str) -> dict[str, str | None]:
    """The outcomes in a report, by fingerprint."""
    return {one.fingerprint: one.outcome for one in read_report(name).findings}


def test_a_server_that_answers_as_we_say_confirms(capfd: Any, server: type[FakeServer]) -> None:
    """It has the release and gates of the part; what is no request is not asked, and said so."""
    told = call(capfd, "confirm", "r.json", "--json", "c.json")
    assert 0 == told.code
    assert [("1.37.1", {"AllAlpha": True}, True)] == [(*one.named, one.closed) for one in server.opened]
    assert [FINDINGS[0].case] == server.opened[0].asked
    expected = {"0123456789ab": "confirmed", "aaaaaaaaaaaa": "not-asked", "bbbbbbbbbbbb": "not-asked"}
    assert expected == outcomes("c.json")
    assert "No finding is contradicted" in told.out
    assert "1 not-asked: it is about a rule, not about an object" in told.out


def test_a_contradiction_is_our_defect_in_every_format(capfd: Any, server: type[FakeServer]) -> None:
    """Exit code 1, what the server said, and whose defect it is."""
    server.says = ()
    told = call(capfd, "confirm", "r.json", "--report", "all")
    assert 1 == told.code
    words = "under beta-on: it does not answer spec.size: 3: must be even (FieldValueInvalid)"
    assert words in " ".join(told.out.split())
    for name in ("report.html", "summary.md", "junit.xml", "report.sarif", "annotations.txt"):
        text = Path("all", name).read_text(encoding="utf-8")
        assert "defect of the harness" in text, name
    assert 'harness_confirmations{outcome="contradicted"} 1.0' in Path("all/metrics.prom").read_text(encoding="utf-8")
    failure = ElementTree.parse("all/junit.xml").find(".//testcase[@name='confirmation-0123456789ab']/failure")
    assert failure is not None
    assert "contradicted" == failure.get("type")
    assert "a running server contradicts 1 finding" in call(capfd, "render", "all/report.json").out
    assert 1 == read_report("all/report.json").exit_code


def test_tolerated_findings_are_asked_too(capfd: Any, server: type[FakeServer]) -> None:
    """A contradiction fails although an exception tolerates the finding: it is about us."""
    server.says = ()
    document = json.loads(Path("r.json").read_bytes())
    for finding in document["findings"]:
        finding["exception"] = "e"
    Path("r.json").write_text(json.dumps(document))
    assert 1 == call(capfd, "confirm", "r.json").code


def test_findings_are_chosen_by_fingerprint(capfd: Any, server: type[FakeServer]) -> None:
    """Of others nothing is said; a name that no finding has is an error with a hint."""
    told = call(capfd, "confirm", "r.json", "0123", "--json", "c.json")
    assert (0, 1) == (told.code, sum(outcome is not None for outcome in outcomes("c.json").values()))
    told = call(capfd, "confirm", "r.json", "0123456789ac")
    assert 2 == told.code
    assert "0123456789ab" in told.err


def test_nothing_asked_is_no_confirmation(capfd: Any) -> None:
    """Exit code 2, with the reason."""
    told = call(capfd, "confirm", "r.json", "aaaaaaaaaaaa")
    assert 2 == told.code
    assert "it is about a rule" in told.out


@pytest.mark.parametrize(
    ("reach", "words"),
    [
        (Reach("command", "touch pwned"), "a running server has no part in findings of command touch pwned"),
        (Reach("kubernetes", "1.37.1", against="1.36.3"), "the findings are not about one release as it is"),
        (Reach("kubernetes", "1.37.1", handwritten="h.json"), "the findings are not about one release as it is"),
        (Reach("kubernetes", "/tmp/checkout"), "was not written by you on this machine"),
    ],
)
def test_what_a_server_cannot_be_asked(reach: Reach, words: str, capfd: Any, server: type[FakeServer]) -> None:
    """Other targets, pairs of targets, and a checkout that somebody else's report names: no server is started."""
    write(reach)
    told = call(capfd, "confirm", "r.json")
    assert (2, []) == (told.code, server.opened)
    assert words in told.err
    assert "fix:" in told.err


def test_trust_starts_the_server_of_a_checkout(capfd: Any, server: type[FakeServer]) -> None:
    """As it does for `replay`; what is written then is nobody's own report."""
    data = write(Reach("kubernetes", "/tmp/checkout"))
    assert 0 == call(capfd, "confirm", "r.json", "--trust", "--json", "c.json").code
    assert not is_own(Path("c.json").read_bytes())
    remember(data)
    assert 0 == call(capfd, "confirm", "r.json", "--json", "c.json").code
    assert is_own(Path("c.json").read_bytes())


def test_a_server_that_does_not_start_is_an_error(capfd: Any, server: type[FakeServer]) -> None:
    """Exit code 2 with its words; nothing is written."""
    server.error = TargetError("the worker did not greet", why="it ended", fix="look")
    told = call(capfd, "confirm", "r.json", "--json", "c.json")
    assert (2, False) == (told.code, Path("c.json").exists())
    assert "the worker did not greet" in told.err


class FakeCluster(FakeServer):
    """Somebody's own server."""

    def __init__(self, access: Access, release: str) -> None:
        super().__init__(access.url, gates={}, note=None)
        self.named = access.url, {"token": access.token, "release": release}

    def answer(self, case: Case) -> Answer:
        """Answer under the setting that the server has."""
        return Answer(case.id, served=(ServedList("beta-off", {}, self.says),))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> type[FakeCluster]:
    """A server that is there, and a report of the default gates."""
    monkeypatch.setattr(confirmation, "ServerTarget", FakeCluster)
    monkeypatch.setenv("HARNESS_TOKEN", "t")
    write(Reach("kubernetes", "/tmp/checkout"))
    return FakeCluster


def test_a_server_that_is_there_is_asked_instead(capfd: Any, cluster: type[FakeCluster]) -> None:
    """Its token is in the environment; nothing is built, so a report of others needs no trust."""
    assert 0 == call(capfd, "confirm", "r.json", "--server", "https://a", "--json", "c.json").code
    assert [("https://a", {"token": "t", "release": ""}, True)] == [(*one.named, one.closed) for one in cluster.opened]
    assert "confirmed" == outcomes("c.json")["0123456789ab"]


def test_what_else_may_have_answered_is_said(capfd: Any, cluster: type[FakeCluster]) -> None:
    """A cluster has more than validation."""
    FakeServer.says = ()
    told = call(capfd, "confirm", "r.json", "--server", "https://a")
    assert 1 == told.code
    assert "policy that changes objects there may be the reason" in " ".join(told.out.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--server", "https://a", "--kubeconfig", "k"], "two servers are named"),
        (["--context", "c"], "--context and --allow-exec are about a kubeconfig"),
        (["--kubeconfig", "missing"], "missing cannot be read"),
    ],
)
def test_a_server_is_named_once(words: list[str], message: str, capfd: Any, cluster: type[FakeCluster]) -> None:
    """And a context belongs to a kubeconfig."""
    told = call(capfd, "confirm", "r.json", *words)
    assert (2, []) == (told.code, cluster.opened)
    assert message in told.err


def test_other_gates_than_the_servers_are_not_asked(capfd: Any, cluster: type[FakeCluster]) -> None:
    """A part of all gates says nothing about a server of the default ones."""
    write(Reach("kubernetes", "1.37.1", {"AllAlpha": True}))
    told = call(capfd, "confirm", "r.json", "--server", "https://a")
    assert (2, []) == (told.code, cluster.opened)
    assert "the findings are of other feature gates" in told.err


def run(capfd: Any, monkeypatch: pytest.MonkeyPatch, *words: str) -> Any:
    """Run a search that finds something."""
    FakeEngine(FINDINGS[:1]).install(monkeypatch)
    return call(capfd, "run", "--kubernetes", "1.37.1", "--max-cases", "10", "--json", "c.json", *words)


def test_a_run_asks_the_server_at_its_end(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report has what it answered; without --confirm nobody is asked."""
    told = run(capfd, monkeypatch, "--confirm")
    assert {"0123456789ab": "confirmed"} == outcomes("c.json")
    assert "answered the cases of 1 finding: 1 confirmed" in told.out
    run(capfd, monkeypatch)
    assert {"0123456789ab": None} == outcomes("c.json")
    assert b"confirmation" not in Path("c.json").read_bytes()


def test_a_run_keeps_its_findings_without_a_server(
    capfd: Any, monkeypatch: pytest.MonkeyPatch, server: type[FakeServer]
) -> None:
    """The reason is told, and the findings are reported."""
    server.error = TargetError("the worker did not greet", why="it ended", fix="look")
    told = run(capfd, monkeypatch, "--confirm")
    assert 1 == told.code
    assert "the worker did not greet" in told.err
    assert {"0123456789ab": None} == outcomes("c.json")


def test_a_run_of_another_target_has_no_server(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is told before the search."""
    engine = FakeEngine(FINDINGS[:1]).install(monkeypatch)
    told = call(capfd, "run", "--command", "worker", "--confirm")
    assert (2, []) == (told.code, engine.calls)
    assert "a running server has no part in findings of command worker" in told.err
