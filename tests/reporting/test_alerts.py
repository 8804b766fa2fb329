"""A report as SARIF and as annotations: valid, at the right line, and never more than code hosts take."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from harness.explain import all_pages
from harness.reporting.alerts import LEVELS, NOWHERE, place_of, render_annotations, render_sarif
from harness.reporting.annotations import LIMIT
from harness.reporting.assembly import build_report
from harness.reporting.document import ExceptionEntry, Exceptions, Reach, Report
from harness.targets.kubernetes.release import find_toolchain
from tests.reporting import made, sections
from tests.reporting.ruled import rule, ruled

SCHEMAS = "github.com/owenrumney/go-sarif/v3@v3.3.1"
"""A Go module that carries the schema of OASIS as it was published."""
ENTRY = ExceptionEntry("1a2b", "widgets_v1", "known since v1", "sig-example", "2027-01-31", findings=("0123456789ab",))


def log_of(report: Report) -> dict[str, Any]:
    """The one run of a report's log."""
    run: dict[str, Any] = json.loads(render_sarif(report))["runs"][0]
    return run


def reports() -> dict[str, Report]:
    """One report of every sort."""
    tolerated = made.finding(exception="1a2b")
    return {
        "findings": build_report(made.result(made.finding(source="k8s.io/api/apps/v1/types.go:7"))),
        "tolerated": build_report(made.result(tolerated), exceptions=Exceptions("f.yaml", used=(ENTRY,))),
        "hostile": build_report(made.hostile(), exceptions=Exceptions("f.yaml", unused=(ENTRY,), expired=(ENTRY,))),
        "nothing": build_report(made.result(compared=0, kinds=())),
        "interrupted": build_report(made.result(stopped="interrupted", started="yesterday")),
        "ruled": ruled(rule(), lost=True, hostile=made.HOSTILE),
        "change": sections.whole(made.HOSTILE),
    }


@pytest.mark.kubernetes
def test_the_public_schema_accepts_every_log(tmp_path: Path) -> None:
    """The schema comes as a Go module, in a string of its source: it is read when the test runs, and not committed."""
    command = [str(find_toolchain().go), "mod", "download", "-json", SCHEMAS]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True)
    source = Path(json.loads(told.stdout)["Dir"], "pkg", "report", "v210", "sarif", "schema.go")
    schema = json.loads(source.read_text(encoding="utf-8").split("`", 1)[1].rsplit("`", 1)[0])
    validator = jsonschema_rs.Draft4Validator(schema)
    assert not validator.is_valid({"version": "2.1.0", "runs": [{}]})
    for report in reports().values():
        assert [] == [str(error) for error in validator.iter_errors(json.loads(render_sarif(report)))]


def test_a_finding_is_a_result() -> None:
    """Its cause is the rule, its fingerprint lasts, and it stands at the line that declares the field."""
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
    """What `harness explain` says stands beside the finding."""
    (told,) = log_of(build_report(made.result(made.finding())))["tool"]["driver"]["rules"]
    page = next(page for page in all_pages()["causes"] if page.code == "no-rule")
    assert (page.summary, page.text) == (told["shortDescription"]["text"], told["help"]["markdown"])


def test_a_tolerated_finding_is_suppressed_with_its_reason() -> None:
    """And one that nobody tolerates is not."""
    both = made.result(made.finding(exception="1a2b"), made.finding("ba9876543210", operation="create"))
    results = log_of(build_report(both, exceptions=Exceptions("f.yaml", used=(ENTRY,))))["results"]
    (suppression,) = next(one["suppressions"] for one in results if "suppressions" in one)
    assert "known since v1 (exception 1a2b, sig-example, until 2027-01-31)" == suppression["justification"]
    assert 1 == sum("suppressions" in one for one in results)


def test_what_is_wrong_besides_findings_is_a_notification() -> None:
    """An exception that must go, a search that broke off, a rule that lost its cover; with how the run ended."""
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


@pytest.mark.parametrize(
    ("source", "owner", "expected"),
    [
        ("k8s.io/kubernetes/pkg/apis/core/types.go:9", "", ("pkg/apis/core/types.go", 9)),
        ("k8s.io/api/core/v1/types.go:3", "", ("staging/src/k8s.io/api/core/v1/types.go", 3)),
        ("suites/widgets_v1/types.go:3", "", ("suites/widgets_v1/types.go", 3)),
        ("", "k8s.io/api/resource.DeviceRequest", ("staging/src/k8s.io/api/resource/v1/types.go", 0)),
        ("", "", ("suites/widgets_v1/suite.py", 0)),
    ],
)
def test_paths_are_those_of_the_checkout(source: str, owner: str, expected: tuple[str, int]) -> None:
    """By the import path; without a line the file of the type; without a type the suite."""
    reach = {"widgets_v1": Reach("suite", "suites/widgets_v1")}
    report = build_report(made.result(made.finding(source=source, owner=owner)), reaches=reach)
    assert expected == place_of(report, report.findings[0])


def test_the_line_of_the_tag_weighs_more_than_that_of_the_field() -> None:
    """There the mistake is, when the field has such a tag."""
    finding = made.finding(source="suites/w/types.go:9", rule_source="suites/w/types.go:7")
    report = build_report(made.result(finding))
    assert ("suites/w/types.go", 7) == place_of(report, report.findings[0])


def test_a_finding_always_has_a_file() -> None:
    """Code hosts refuse a file of results when one of them has none."""
    report = build_report(made.result(made.finding()))
    assert (NOWHERE, 0) == place_of(report, report.findings[0])


def test_what_a_change_does_is_there() -> None:
    """Objects that change sides, stale code and lint are results and annotations at their lines, before findings."""
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
    """Nothing was compared because nothing had to be."""
    report = msgspec.structs.replace(
        sections.verified(findings=0, nothing_touched="only comments"), verdict="nothing-compared"
    )
    (invocation,) = log_of(report)["invocations"]
    assert (0, True, []) == (
        invocation["exitCode"], invocation["executionSuccessful"], invocation["toolExecutionNotifications"],
    )  # fmt: skip
    assert "" == render_annotations(report)


def test_hostile_texts_make_no_links() -> None:
    """What looks like a link in a message would be one."""
    text = "[click](https://x.example)"
    report = build_report(made.result(made.finding(detail=text, fix=text)))
    assert "](" not in log_of(report)["results"][0]["message"]["text"]


def test_annotations_are_few_and_name_the_line() -> None:
    """One for a cause and a type, worst first, whatever the number of kinds."""
    alike = [
        made.finding(f"{number:012x}", source="k8s.io/api/apps/v1/types.go:7", owner="k8s.io/api/apps.Spec", member="a")
        for number in range(30)
    ]
    other = made.finding("f" * 12, severity="shadow", cause="no-counterpart")
    first, second = render_annotations(build_report(made.result(*alike, other))).splitlines()
    assert first.startswith(
        "::error file=staging/src/k8s.io/api/apps/v1/types.go,line=7,title=graduation%2C no-rule%3A"
    )
    assert "and 29 like it" in first
    assert second.startswith("::notice title=shadow%2C no-counterpart")


def test_no_text_starts_a_command_of_its_own() -> None:
    """Whatever others wrote, a line is one annotation."""
    text = "a\n::error::b\r\n::set-output name=x::y"
    report = build_report(made.result(made.finding(detail=text, fix=text), stopped_detail=text))
    rows = render_annotations(report).splitlines()
    assert [True, True] == [bool(re.match("::(error|warning|notice) [^\r]+::", row)) for row in rows]


def test_more_than_github_shows_are_counted() -> None:
    """Ten of a level, and a notice with the number of the others."""
    many = [made.finding(f"{number:012x}", owner=f"x/y.T{number}", member="a") for number in range(LIMIT + 5)]
    rows = render_annotations(build_report(made.result(*many))).splitlines()
    assert [LIMIT, 1] == [sum(row.startswith(f"::{name} ") for row in rows) for name in ("error", "notice")]
    assert "5 errors left out" in rows[-1]


def test_every_severity_has_a_level() -> None:
    """Worse is never milder."""
    order = ("error", "warning", "note")
    ranks = [order.index(level) for level in LEVELS.values()]
    assert sorted(ranks) == ranks
    assert msgspec.json.encode(sorted(LEVELS)) == msgspec.json.encode(
        sorted(page.code for page in all_pages()["severities"])
    )
