"""The counters of API servers: what they say of rules, and what is no file of metrics."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from harness.diagnostics import InputError
from harness.graduate.document import Certificate, ChangeShown, CountedRequests
from harness.graduate.observer import Asked
from harness.graduate.servermetrics import counters_of, identifier_of, with_counters
from harness.graduate.view import server_of
from tests.cli.fakes import call
from tests.graduate.test_mutation import SAFE

ZERO = """\
# HELP apiserver_validation_declarative_validation_mismatch_total [BETA] Number of mismatches
# TYPE apiserver_validation_declarative_validation_mismatch_total counter
apiserver_validation_declarative_validation_mismatch_total 0
# TYPE apiserver_validation_declarative_validation_panic_total counter
apiserver_validation_declarative_validation_panic_total 0
apiserver_request_total{code="201",verb="POST"} 12
kubernetes_build_info{git_commit="c",git_version="v1.37.1",major="1"} 1
kubernetes_feature_enabled{name="DeclarativeValidationBeta",stage="BETA"} 1
process_start_time_seconds 1.7e+09
"""
PARITY = "apiserver_validation_declarative_validation_parity_discrepancies_total"
PANICS = "apiserver_validation_declarative_validation_panics_total"
COUNTED = ZERO.replace("mismatch_total 0", "mismatch_total 3").replace("panic_total 0", "panic_total 1") + (
    f'{PARITY}{{validation_identifier="thing_create"}} 2\n{PARITY}{{validation_identifier="other_update"}} 1\n'
    f'{PANICS}{{validation_identifier="thing_status_update"}} 1\n'
)


def certificate(subresource: str = "", operation: str = "create") -> Certificate:
    """A safe rule with one request."""
    return msgspec.structs.replace(SAFE, asked=(Asked("things", "v1", subresource, operation, cases=1),))


def test_the_label_is_kind_subresource_and_operation() -> None:
    """In lower case, joined by `_`."""
    named = [("ReplicationController", "", "update"), ("Pod", "status", "create"), ("Pod", "a/b", "update")]
    assert ["replicationcontroller_update", "pod_status_create", "pod_a_b_update"] == [
        identifier_of(*one) for one in named
    ]


def test_counters_at_zero_change_nothing() -> None:
    """They are told with release, gate and day, and make no rule safe."""
    server = counters_of("m.txt", ZERO)
    unknown = msgspec.structs.replace(certificate(), verdict="unknown", missing=("fired: never",))
    assert [certificate(), unknown] == [with_counters(one, [server]) for one in (certificate(), unknown)]
    assert (
        "m.txt (release 1.37.1, counting since 2023-11-14, DeclarativeValidationBeta=true): 0 mismatches and 0 panics"
    ) == server_of(server)


@pytest.mark.parametrize(
    ("subresource", "operation", "expected"),
    [
        ("", "create", ("metrics: m.txt counts 2 mismatches of thing_create, and not of which rule",)),
        ("status", "update", ("metrics: m.txt counts 1 panic of thing_status_update, and not of which rule",)),
        ("", "update", ()),
    ],
)
def test_a_counter_above_zero_doubts_the_rules_that_its_label_names(
    subresource: str, operation: str, expected: tuple[str, ...]
) -> None:
    """A safe rule becomes unknown, one of other requests does not."""
    one = with_counters(certificate(subresource, operation), [counters_of("m.txt", COUNTED)])
    assert ("unknown" if expected else "safe", expected) == (one.verdict, one.missing)


def test_what_no_label_tells_of_doubts_all_rules() -> None:
    """A server that has the whole alone, or counts more there."""
    server = counters_of("m.txt", ZERO.replace("mismatch_total 0", "mismatch_total 4"))
    one = with_counters(certificate(), [server])
    assert (4, "unknown") == (server.unlabelled, one.verdict)
    assert ("metrics: m.txt counts 4 mismatches or panics, and not of which requests",) == one.missing


def test_a_change_stays_one() -> None:
    """What an object shows is stronger, and the counters are told beside it."""
    change = ChangeShown("accepted", "", ("an error",), (), "v1 things", "create", {})
    one = with_counters(
        msgspec.structs.replace(certificate(), verdict="changes", change=change), [counters_of("m.txt", COUNTED)]
    )
    assert ("changes", 1) == (one.verdict, len(one.missing))


def test_each_server_counts_for_itself() -> None:
    """Servers of one cluster count the requests that each of them had."""
    servers = [counters_of("a.txt", COUNTED), counters_of("b.txt", ZERO), counters_of("c.txt", COUNTED)]
    assert ["a.txt", "c.txt"] == [text.split()[1] for text in with_counters(certificate(), servers).missing]
    assert CountedRequests("thing_create", 2, 0) in servers[0].requests


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 0, "has no metrics"),
        ("# HELP x\n\n", 0, "has no metrics"),
        ('{"kind": "Status"}\n', 1, "is not in the text format"),
        ("<html>\n", 1, "is not in the text format"),
        ("up 1\n", 0, "has no apiserver_validation_declarative_validation_mismatch_total"),
        (f"{ZERO}{PARITY}{{validation_identifier=\n", 10, "is none of the text format"),
        (f'{ZERO}{PARITY}{{validation_identifier="x"}} many\n', 10, "is none of the text format"),
        (f'{ZERO}{PARITY}{{validation_identifier="x"}} NaN\n', 10, "a whole number"),
        (f'{ZERO}{PARITY}{{validation_identifier="x"}} -1\n', 10, "a whole number"),
        (f'{ZERO}{PARITY}{{validation_identifier="x"}} 1.5\n', 10, "a whole number"),
        (f'{ZERO}{PARITY}{{validation_identifier="x"}} +Inf\n', 10, "a whole number"),
        (ZERO.replace("1.7e+09", "1e300"), 9, "a time is in seconds"),
    ],
)
def test_what_is_no_file_of_metrics_is_refused(text: str, line: int, message: str) -> None:
    """With the line, why, and the command that writes one."""
    with pytest.raises(InputError) as caught:
        counters_of("m.txt", text)
    [one] = caught.value.diagnostics
    assert (line, True, True) == (one.position.line, message in one.message, "kubectl get --raw /metrics" in one.fix)


def test_names_of_a_server_are_not_believed(capfd: Any, suite: Path, tmp_path: Path) -> None:
    """Control characters in a label are made visible, and a label of a megabyte is no trouble."""
    hostile = f'{PARITY}{{validation_identifier="\x1b[31m{"x" * 2**20}"}} 1\n'
    file, block = tmp_path / "metrics.txt", tmp_path / "block.md"
    file.write_text(ZERO + hostile, encoding="utf-8")
    told = call(
        capfd, "graduate", suite, "Widget.size", "--max-cases", "300", "--jobs", "1", "--metrics", file, "--markdown",
        block,
    )  # fmt: skip
    assert told.code in (0, 2)
    assert "\x1b" not in told.out + block.read_text(encoding="utf-8")


def test_the_command_puts_counters_into_the_document(capfd: Any, suite: Path, tmp_path: Path) -> None:
    """A mismatch of creates of the kind makes its rule unknown: exit code 2."""
    zero, counted, out = tmp_path / "zero.txt", tmp_path / "counted.txt", tmp_path / "graduate.json"
    zero.write_text(ZERO, encoding="utf-8")
    counted.write_text(COUNTED.replace("thing_create", "widget_create"), encoding="utf-8")
    words = ("graduate", suite, "Widget.size", "--max-cases", "1500", "--jobs", "1", "--json", out, "--metrics", zero)
    told = call(capfd, *words)
    assert (0, True, True) == (told.code, "0 mismatches and 0 panics" in told.out, "no evidence" in told.out)
    told = call(capfd, *words, "--metrics", counted)
    document = json.loads(out.read_text(encoding="utf-8"))
    assert (2, [0, 3]) == (told.code, [one["mismatches"] for one in document["servers"]])
    assert "missing: metrics: " in told.out
    assert "2 mismatches of widget_create, and not of which rule" in told.out


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "No such file"), (b"\xff\xfe", "no text in UTF-8"), (b"<html>", "not in the text format")],
)
def test_a_bad_file_stops_the_command_before_the_search(
    capfd: Any,
    suite: Path,
    tmp_path: Path,
    content: bytes | None,
    message: str,
) -> None:
    """Exit code 2, with the name of the file and what to do."""
    file = tmp_path / "metrics.txt"
    if content is not None:
        file.write_bytes(content)
    told = call(capfd, "graduate", suite, "Widget.size", "--metrics", file)
    assert (2, "") == (told.code, told.out)
    assert message in told.err
    assert "kubectl get --raw /metrics" in told.err


def test_a_file_without_an_end_is_refused(capfd: Any, suite: Path) -> None:
    """Beyond the limit of every input file."""
    told = call(capfd, "graduate", suite, "Widget.size", "--metrics", "/dev/zero")
    assert (2, True) == (told.code, "input-limit" in told.err), told.err


def test_metrics_are_read_from_standard_input(capfd: Any, monkeypatch: pytest.MonkeyPatch, suite: Path) -> None:
    """As `kubectl get --raw /metrics` writes them."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(ZERO.encode())))
    told = call(capfd, "graduate", suite, "Widget.size", "--max-cases", "1500", "--jobs", "1", "--metrics", "-")
    assert (0, True) == (told.code, "metrics: - (release 1.37.1" in told.out)
