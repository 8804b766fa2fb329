"""Prometheus metrics: upstream's names and labels, and numbers that add up."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from harness.case import Answer, Failure
from harness.report.formats.metrics import identifier, render_metrics
from harness.report.model.assembly import build_report
from harness.report.model.document import Report
from harness.targets.kubernetes.release import find_toolchain
from tests.report import made
from tests.report.ruled import rule, ruled

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]
UPSTREAM = {
    "apiserver_validation_declarative_validation_mismatch": (),
    "apiserver_validation_declarative_validation_parity_discrepancies": ("validation_identifier",),
    "apiserver_validation_declarative_validation_panic": (),
    "apiserver_validation_declarative_validation_panics": ("validation_identifier",),
    "apiserver_validation_duplicate_validation_error": (),
}
"""semantics.md#7.5."""


def samples(report: Report) -> Samples:
    """Render the metrics, and parse them with the client library."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(render_metrics(report).decode())
        for sample in family.samples
    }


def test_upstreams_names_and_labels() -> None:
    """All five of upstream's counters are there, as counters with upstream's labels."""
    told = render_metrics(build_report(made.result(made.finding()))).decode()
    families = {f.name: f for f in text_string_to_metric_families(told) if f.name.startswith("apiserver_")}
    assert UPSTREAM == {name: tuple(f.samples[0].labels) for name, f in families.items()}
    assert {"counter"} == {family.type for family in families.values()}


def test_every_occurrence_of_a_mismatch_is_counted() -> None:
    """They are counted in total and by kind, with 0 for kinds without findings; `served` findings are not counted."""
    served = made.finding("b" * 12, mismatch="served", occurrences=100)
    extra = made.finding("c" * 12, mismatch="extra", operation="create", occurrences=3, exception="1a2b")
    found = samples(build_report(made.result(made.finding(), served, extra)))
    name = "apiserver_validation_declarative_validation"
    assert 10 == found[f"{name}_mismatch_total", ()]
    by_kind = {
        labels[0][1]: value
        for (sample, labels), value in found.items()
        if sample == f"{name}_parity_discrepancies_total"
    }
    assert {"widget_create": 3, "widget_update": 7} == by_kind


def test_panics_and_duplicates() -> None:
    """Only panics of the declarative validator are counted, as upstream does."""

    def panic(fingerprint: str, stage: str) -> object:
        answer = Answer(1, failure=Failure(stage, "nil", panic=True))  # type: ignore[arg-type]  # one of its stages
        return made.finding(fingerprint, mismatch="panic", cause="panic", answer=answer)

    twice = made.finding("c" * 12, mismatch="served", cause="duplicate", occurrences=4)
    result = made.result(panic("a" * 12, "declarative"), panic("b" * 12, "handwritten"), twice)  # type: ignore[arg-type]  # findings
    found = samples(build_report(result))
    assert 7 == found["apiserver_validation_declarative_validation_panic_total", ()]
    label = (("validation_identifier", "widget_update"),)
    assert 7 == found["apiserver_validation_declarative_validation_panics_total", label]
    assert 4 == found["apiserver_validation_duplicate_validation_error_total", ()]


def test_identifiers_are_composed_as_upstream_does() -> None:
    """They are the kind in lower case, the subresource with underscores, and the operation (semantics.md#7.5)."""
    report = build_report(made.result(made.finding(), made.finding("b" * 12, subresource="a/b")))
    assert {"widget_update", "widget_a_b_update"} == {identifier(finding) for finding in report.findings}


def test_metrics_of_the_harness() -> None:
    """They are the verdict, findings by severity and cause, cases, seconds, kinds, and rules."""
    found = samples(build_report(made.result(made.finding(), made.finding("b" * 12, exception="1a2b"))))
    labels = (("cause", "no-rule"), ("severity", "graduation"), ("tolerated", "false"))
    assert (1, 1, 1) == (
        found["harness_findings", labels], found["harness_findings_open", ()], found["harness_findings_tolerated", ()],
    )  # fmt: skip
    assert (1, 0) == tuple(found["harness_verdict", (("verdict", name),)] for name in ("different", "equivalent"))
    assert (100, 98, 2.0, 1) == tuple(
        found[f"harness_{name}", ()] for name in ("cases", "cases_compared", "seconds", "exit_code")
    )
    seen = samples(ruled(rule(declarative=("create",)), rule(path="spec.a"), lost=True))
    assert (2, 1, 1) == tuple(seen["harness_rules", (("state", name),)] for name in ("declared", "fired", "lost"))


def test_hostile_texts_stay_in_their_labels() -> None:
    """Quotes, line breaks and backslashes of a name are restored by parsing; control characters are escaped."""
    hostile = 'a"\\\n} 1\nevil{x="'
    report = build_report(made.result(subject=hostile))
    labels = next(dict(labels) for (name, labels) in samples(report) if name == "harness_run_info")
    assert 'a"\\\\n} 1\\nevil{x="' == labels["target"]


@pytest.mark.kubernetes
def test_the_names_are_those_of_the_release(tmp_path: Path) -> None:
    """The counters are those that the source of a release registers for validation."""
    go = find_toolchain().go
    command = [str(go), "mod", "download", "-json", "k8s.io/apiserver@v0.37.1"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True)
    folder = re.search(r'"Dir": "([^"]+)"', told.stdout)
    assert folder is not None
    source = Path(folder[1], "pkg", "validation", "metrics.go").read_text(encoding="utf-8")
    names = re.findall(r'Name:\s+"(\w+)_total"', source)
    assert set(UPSTREAM) == {f"apiserver_validation_{name}" for name in names}
    assert ["validation_identifier"] * 2 == re.findall(r'\[\]string\{"(\w+)"\}', source)


def test_no_control_character_is_raw() -> None:
    """Names, causes and settings cannot overwrite a terminal that shows the file."""
    evil = "\x1b[2J\x07\u202e"
    finding = made.finding(cause=evil, kind=evil, subresource=evil, resource=evil)
    result = made.result(finding, subject=evil)
    report = msgspec.structs.replace(build_report(result), harness_version=evil, mode=evil, stopped=evil)
    text = render_metrics(report).decode()
    assert "\\x1b" in text
    assert [] == re.findall(r"[^\n -~]", text)


def test_cases_compared_with_the_tags_are_counted() -> None:
    """Beside those whose composition was checked."""
    found = samples(build_report(made.result(generated_checked=7, round_trips_checked=5)))
    assert (10, 7) == (found["harness_composition_checked", ()], found["harness_generated_checked", ()])
    assert 5 == found["harness_round_trips_checked", ()]
