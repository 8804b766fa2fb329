"""The page of certificates: everything that the terminal tells, and nothing that a browser would run."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import msgspec

from harness.graduate.document import (
    CallsReached,
    Certificate,
    Certificates,
    ChangeShown,
    CheckSource,
    CountedRequests,
    FindingAt,
    MissedLine,
    MutantsJudged,
    Proof,
    ServerCounters,
    make_document,
)
from harness.graduate.observer import Asked
from harness.graduate.page import render_page
from harness.power.mutant import Record
from tests.cli.fakes import call
from tests.report.made import HOSTILE

ASKED = Asked("v1 things update", "v1", "", "update", 4321, 1000, 77, 5, 6, True, True, 8, 9)
LEFT = Record("handwritten check.go: negate", "handwritten", "negate", "check.go:9", "a > b", "unreached")
SAFE = Certificate(
    "g", "v1", "Thing", "spec.size", "FieldValueInvalid", "minimum", "beta", "k8s:minimum", 12, "safe", (), None,
    (ASKED,), (FindingAt("1a2b3c", "shadow", "wording", "unmatched", "create", "spec.size", "says other words"),),
    CheckSource("check.go:9 in validate", ("called by others",), ("Other spec.number",)), ("types.go:44",), {},
    Proof("proved", "all sizes"), MutantsJudged(3, 1, 2),
)  # fmt: skip
UNKNOWN = msgspec.structs.replace(
    SAFE, path="spec.unknown", verdict="unknown", missing=("fired: never", "kept: none"),
    mutants=MutantsJudged(3, 0, 0, (LEFT,)),
    calls=CallsReached(3, 2, (MissedLine("check.go:7 check", "if a > b", reason="the gate A is off", sort="gate"),)),
)  # fmt: skip
CHANGE = ChangeShown(
    "accepted", "beta-on", ("spec.size: Invalid value",), (), "v1 things", "update", {"new": "object"},
    {"old": "object"}, True, 17, "abcdef", "ratcheting", "", "compare it",
)  # fmt: skip
CHANGES = msgspec.structs.replace(SAFE, path="spec.changed", verdict="changes", change=CHANGE)
SERVER = ServerCounters("m.txt", "1.37.1", True, "2026-01-02", 3, 0, 0, (CountedRequests("thing_update", 3, 0),))


def document(*rules: Certificate, **more: Any) -> Certificates:
    """A document with these rules."""
    return make_document(
        subject="toys", release="1.37", seed=7, max_cases=9000, max_time=None, jobs=1, cases=9000, seconds=1.0,
        stopped="budget", command="harness graduate suites/toys", rules=rules, **more,
    )  # fmt: skip


def text_of(page: bytes) -> str:
    """What a page shows."""
    return html.unescape(re.sub(r"<style>.*?</style>|<[^>]+>", "", page.decode(), flags=re.DOTALL))


def test_it_shows_every_fact() -> None:
    """Verdicts, objects, errors, what is missing, mutants, proofs, checks, tags, findings, servers, the command."""
    text = text_of(render_page(document(SAFE, UNKNOWN, CHANGES, servers=(SERVER,))))
    for fact in (
        "toys: 3 rules: 1 safe, 1 changes, 1 unknown", "harness graduate suites/toys", "g/v1/Thing spec.size",
        "Invalid/minimum 12", "4,321 cases in 1 of 1 request", "v1 things update", "proved for all sizes",
        "3 of 3 of the rule and its check noticed", "3 of 4 of the rule and its check noticed",
        "handwritten check.go: negate at check.go:9: no case reaches it", "check.go:9 in validate", "called by others",
        "2 of 3 that report this error reached",
        "check.go:7 check; if a > b; the gate A is off", "Other spec.number",
        "types.go:44", "finding 1a2b3c", "says other words", "fired: never", "kept: none",
        "objects are accepted that are rejected today", "where an update leaves the value alone under beta-on",
        "in 17 cases (ratcheting)", "spec.size: Invalid value", '{"new":"object"}', '{"old":"object"}', "compare it",
        "m.txt (release 1.37.1, counting since 2026-01-02, DeclarativeValidationBeta=true): 3 mismatches and 0 panics",
        "thing_update 3 mismatches", "Counters at zero are no evidence", "seed 7",
    ):  # fmt: skip
        assert fact in text, fact


def test_a_finding_that_the_lists_do_not_show_has_its_own_sentence() -> None:
    """In place of the errors of both sides."""
    change = ChangeShown("finding", "", (), (), "v1 things", "create", {}, detail="versions differ")
    text = text_of(render_page(document(msgspec.structs.replace(CHANGES, change=change))))
    assert ("versions differ" in text, "Today" in text) == (True, False)


def test_its_colour_is_that_of_the_worst_rule() -> None:
    """A change before a gap, a gap before none; no rule is no certificate."""
    pages = [
        render_page(document(*rules)).decode() for rules in ((SAFE, UNKNOWN, CHANGES), (SAFE, UNKNOWN), (SAFE,), ())
    ]
    assert ["different", "incomplete", "equivalent", "incomplete"] == [
        found[1] for page in pages if (found := re.search(r'<header class="(\S+)">', page))
    ]


def test_what_a_target_says_is_not_believed() -> None:
    """Names, errors, objects and reasons are text, and the page may load and run nothing."""
    change = msgspec.structs.replace(
        CHANGE, today=(HOSTILE,), after=(HOSTILE,), request=HOSTILE, object={HOSTILE: HOSTILE}, fix=HOSTILE,
        cause=HOSTILE,
    )  # fmt: skip
    hostile = msgspec.structs.replace(
        CHANGES, group=HOSTILE, kind=HOSTILE, path=HOSTILE, tag=HOSTILE, missing=(HOSTILE,), change=change,
        check=CheckSource(HOSTILE, (HOSTILE,), (HOSTILE,)), markers=(HOSTILE,), proof=Proof("unknown", HOSTILE),
        asked=(msgspec.structs.replace(ASKED, request=HOSTILE),),
        mutants=MutantsJudged(0, 0, 0, (msgspec.structs.replace(LEFT, name=HOSTILE),)),
        calls=CallsReached(1, 0, (MissedLine(HOSTILE, HOSTILE),)),
    )  # fmt: skip
    server = ServerCounters(HOSTILE, HOSTILE, None, "", 1, 0, 0, (CountedRequests(HOSTILE, 1, 0),))
    page = render_page(
        msgspec.structs.replace(document(hostile, servers=(server,)), subject=HOSTILE, command=HOSTILE)
    ).decode()
    assert "<script" not in page
    assert "default-src 'none'" in html.unescape(page)
    assert not {"\x1b", "\x07", "\u202e"} & {*page}


def test_a_large_object_is_cut() -> None:
    """The document has it whole."""
    change = msgspec.structs.replace(CHANGE, object={"text": "x" * 1_000_000}, operation="create")
    assert len(render_page(document(msgspec.structs.replace(CHANGES, change=change)))) < 100_000


def test_the_command_writes_it(capfd: Any, suite: Path, tmp_path: Path) -> None:
    """To a file, or alone to standard output."""
    file = tmp_path / "graduate.html"
    words = ("graduate", suite, "Widget.size", "--max-cases", "1500", "--jobs", "1", "--html")
    assert 0 == call(capfd, *words, file).code
    assert "Graduation: toy" in text_of(file.read_bytes())
    told = call(capfd, *words, "-")
    assert (0, True, True) == (told.code, told.out.startswith("<!doctype html>"), "1 rule: 1 safe" in told.err)
    told = call(capfd, *words, "-", "--json", "-")
    assert (2, True) == (told.code, "cannot share standard output" in told.err)
