"""SARIF logs that code hosts accept."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from harness.explain import all_pages
from harness.report.formats import sarif as module
from harness.report.formats.annotations import render_annotations
from harness.report.formats.sarif import build_log, render_sarif
from harness.report.model.assembly import build_report
from harness.report.model.document import ExceptionEntry, Exceptions, Report
from harness.report.text.alerts import Alert, AlertRule, fingerprints
from harness.report.words import Level
from harness.targets.kubernetes.release import find_toolchain
from tests.report import made, sections
from tests.report.ruled import rule, ruled

RULE = AlertRule("some-rule", "Says something.", "Says something.\n\nWhy: it matters.", "error")
RESULT = Alert("some-rule", "error", "50%: a, b\nwhy: c", "a b/types.go", 3, 5, 4, "f" * 32)


def test_required_properties_are_there() -> None:
    """A log has version and tool, each rule an ID and texts, each result a message, level, rule index and location."""
    log = json.loads(
        json.dumps(build_log([AlertRule("other", "Other.", "Other."), RULE], [RESULT], home="https://x.example/lint"))
    )
    assert {"$schema", "version", "runs"} == log.keys()
    assert "2.1.0" == log["version"]
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert "harness" == driver["name"]
    assert ["other", "some-rule"] == [rule["id"] for rule in driver["rules"]]
    assert "https://x.example/lint#some-rule" == driver["rules"][1]["helpUri"]
    assert {"text", "markdown"} == driver["rules"][1]["help"].keys()
    (result,) = run["results"]
    assert ("some-rule", 1, "error") == (result["ruleId"], result["ruleIndex"], result["level"])
    assert "50%: a, b\nwhy: c" == result["message"]["text"]
    place = result["locations"][0]["physicalLocation"]
    assert {"uri": "a%20b/types.go", "uriBaseId": "%SRCROOT%"} == place["artifactLocation"]
    assert "%SRCROOT%" in run["originalUriBaseIds"]
    assert {"startLine": 3, "startColumn": 5, "endColumn": 9} == place["region"]
    assert {"harness/v1": "f" * 32} == result["partialFingerprints"]


def test_unknown_properties_are_left_out(tmp_path: Path) -> None:
    """Without line, column or page there is no region, column or URL; a file outside the folder has an absolute URI."""
    log = build_log([RULE], [Alert("new", "note", "m", str(tmp_path / "x.go")), Alert("new", "note", "m", "y.go", 7)])
    first, second = (one["locations"][0]["physicalLocation"] for one in log["runs"][0]["results"])
    assert {"artifactLocation": {"uri": (tmp_path / "x.go").as_uri()}} == first
    assert {"startLine": 7} == second["region"]
    assert "ruleIndex" not in log["runs"][0]["results"][0]
    assert "helpUri" not in log["runs"][0]["tool"]["driver"]["rules"][0]


def test_a_log_is_limited_to_what_code_hosts_accept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tolerated results are left out first, then the mildest; the order stays, and a notice has the number."""
    monkeypatch.setattr(module, "MAX_RESULTS", 3)
    levels: tuple[Level, ...] = ("note", "error", "warning", "error")
    every = [Alert("r", level, str(number), "f") for number, level in enumerate(levels)]
    run = build_log([RULE], [Alert("r", "error", "t", "f", tolerated="known"), *every])["runs"][0]
    assert ["1", "2", "3"] == [one["message"]["text"] for one in run["results"]]
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notice["message"]["text"].startswith("2 results left out")


def test_a_log_is_cut_when_it_stays_large_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit applies to the compressed size: repetitive results are kept, others are halved until they fit."""
    monkeypatch.setattr(module, "MAX_BYTES", 6_000)
    alike = [RESULT] * 64
    assert 64 == len(build_log([RULE], alike)["runs"][0]["results"])
    unlike = [Alert("r", "error", "".join(fingerprints([(str(n),)])) * 2, "f") for n in range(400)]
    assert 200 == len(build_log([RULE], unlike)["runs"][0]["results"])


def test_results_that_github_does_not_show_have_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file still has all of them."""
    monkeypatch.setattr(module, "MAX_SHOWN", 2)
    run = build_log([RULE], [RESULT] * 3)["runs"][0]
    assert 3 == len(run["results"])
    assert "shows 2 of these 3" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]


SCHEMAS = "github.com/owenrumney/go-sarif/v3@v3.3.1"
"""A Go module that carries the schema of OASIS as it was published."""


ENTRY = ExceptionEntry("1a2b", "widgets_v1", "known since v1", "sig-example", "2027-01-31", findings=("0123456789ab",))


def log_of(report: Report) -> dict[str, Any]:
    """Return the run of a report's log."""
    run: dict[str, Any] = json.loads(render_sarif(report))["runs"][0]
    return run


def reports() -> dict[str, Report]:
    """Return a report of every sort."""
    tolerated = made.finding(exception="1a2b")
    return {
        "findings": build_report(
            made.result(made.finding(source="k8s.io/api/apps/v1/types.go:7", handwritten_source="pkg/a/b.go:41 in b"))
        ),
        "tolerated": build_report(made.result(tolerated), exceptions=Exceptions("f.yaml", used=(ENTRY,))),
        "hostile": build_report(made.hostile(), exceptions=Exceptions("f.yaml", unused=(ENTRY,), expired=(ENTRY,))),
        "nothing": build_report(made.result(compared=0, kinds=())),
        "interrupted": build_report(made.result(stopped="interrupted", started="yesterday")),
        "ruled": ruled(rule(), lost=True, hostile=made.HOSTILE),
        "change": sections.whole(made.HOSTILE),
    }


@pytest.mark.kubernetes
def test_the_public_schema_accepts_every_log(tmp_path: Path) -> None:
    """The schema is read from the source of a Go module when the test runs, so it is not committed."""
    command = [str(find_toolchain().go), "mod", "download", "-json", SCHEMAS]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True)
    source = Path(json.loads(told.stdout)["Dir"], "pkg", "report", "v210", "sarif", "schema.go")
    schema = json.loads(source.read_text(encoding="utf-8").split("`", 1)[1].rsplit("`", 1)[0])
    validator = jsonschema_rs.Draft4Validator(schema)
    assert not validator.is_valid({"version": "2.1.0", "runs": [{}]})
    for report in reports().values():
        assert [] == [str(error) for error in validator.iter_errors(json.loads(render_sarif(report)))]


def test_a_finding_is_a_result() -> None:
    """Its rule is the cause, its fingerprint that of the finding, and its location the line that declares the field."""
    finding = made.finding(source="k8s.io/api/apps/v1/types.go:7", severity="visible")
    run = log_of(build_report(made.result(finding), replay=lambda one: "harness replay r.json"))
    (result,) = run["results"]
    assert ("no-rule", "warning") == (result["ruleId"], result["level"])
    assert "no-rule" == run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"]
    assert {"harness/v1": "0123456789ab"} == result["partialFingerprints"]
    (location,) = result["locations"]
    assert {
        "artifactLocation": {"uri": "staging/src/k8s.io/api/apps/v1/types.go", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 7},
    } == location["physicalLocation"]
    for words in ("spec.size", "no declarative error matches it", "declare a rule", "harness replay r.json"):
        assert words in result["message"]["text"]


def test_the_help_of_a_rule_is_its_page() -> None:
    """The help is the page of `harness explain`."""
    (told,) = log_of(build_report(made.result(made.finding())))["tool"]["driver"]["rules"]
    page = next(page for page in all_pages()["causes"] if page.code == "no-rule")
    assert (page.summary, page.text) == (told["shortDescription"]["text"], told["help"]["markdown"])


def test_a_tolerated_finding_is_suppressed_with_its_reason() -> None:
    """A finding without an exception is not suppressed."""
    both = made.result(made.finding(exception="1a2b"), made.finding("ba9876543210", operation="create"))
    results = log_of(build_report(both, exceptions=Exceptions("f.yaml", used=(ENTRY,))))["results"]
    (suppression,) = next(one["suppressions"] for one in results if "suppressions" in one)
    assert "known since v1 (exception 1a2b, sig-example, until 2027-01-31)" == suppression["justification"]
    assert 1 == sum("suppressions" in one for one in results)


def test_other_problems_of_a_run_are_notifications() -> None:
    """Failing exceptions, aborted searches and lost coverage are notifications, and the exit code is there."""
    told = {name: log_of(report)["invocations"][0] for name, report in reports().items()}
    texts = {
        name: " ".join(one["message"]["text"] for one in run["toolExecutionNotifications"])
        for name, run in told.items()
    }
    assert "nothing was compared" in texts["nothing"]
    assert "unused exception 1a2b" in texts["hostile"]
    assert "lost coverage" in texts["ruled"]
    assert "" == texts["findings"]
    assert {"findings": 1, "tolerated": 0, "hostile": 1, "nothing": 2, "interrupted": 130, "ruled": 1, "change": 1} == {
        name: run["exitCode"] for name, run in told.items()
    }
    assert {"nothing", "interrupted"} == {name for name, run in told.items() if not run["executionSuccessful"]}
    assert "startTimeUtc" not in told["interrupted"]


def test_problems_of_a_change_are_results() -> None:
    """Changed verdicts, stale code and lint findings are results and annotations at their lines, before findings."""
    report = sections.whole()
    results = log_of(report)["results"]
    assert ["newly-rejected", "stale-generated-code", "tag-payload", "no-rule"] == [one["ruleId"] for one in results]
    assert all("ruleIndex" in one for one in results)
    assert {"new"} == {one["baselineState"] for one in results}
    assert "baselineState" not in log_of(reports()["findings"])["results"][0]
    rows = render_annotations(report).splitlines()
    assert any("file=zz.go,line=1,title=stale-generated-code" in row for row in rows)
    assert any("file=types.go,line=7,title=tag-payload" in row for row in rows)


def test_a_change_that_touches_nothing_is_a_success() -> None:
    """Nothing had to be compared."""
    report = msgspec.structs.replace(
        sections.verified(findings=0, nothing_touched="only comments"), verdict="nothing-compared"
    )
    (invocation,) = log_of(report)["invocations"]
    assert (0, True, []) == (
        invocation["exitCode"], invocation["executionSuccessful"], invocation["toolExecutionNotifications"],
    )  # fmt: skip
    assert "" == render_annotations(report)


def test_hostile_texts_are_not_links() -> None:
    """Text in a message that looks like a link must not become one."""
    text = "[click](https://x.example)"
    report = build_report(made.result(made.finding(detail=text, fix=text)))
    assert "](" not in log_of(report)["results"][0]["message"]["text"]


def test_the_handwritten_check_is_a_related_location() -> None:
    """The result stands at the tag of the rule, and leads to the code on the other side."""
    finding = made.finding(
        source="suites/w/types.go:9", rule_source="suites/w/types.go:7", handwritten_source="pkg/a/b.go:41 in validateB"
    )
    log = json.loads(render_sarif(build_report(made.result(finding))))
    [result] = log["runs"][0]["results"]
    assert 7 == result["locations"][0]["physicalLocation"]["region"]["startLine"]
    [related] = result["relatedLocations"]
    place = related["physicalLocation"]
    assert ("pkg/a/b.go", 41) == (place["artifactLocation"]["uri"], place["region"]["startLine"])
    assert "the handwritten check, in validateB" == related["message"]["text"]
