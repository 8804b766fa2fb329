"""SARIF is what code hosts accept, and annotations are what GitHub shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.reporting import sarif as module
from harness.reporting.annotations import LIMIT, commands
from harness.reporting.sarif import Level, SarifResult, SarifRule, fingerprints, sarif

RULE = SarifRule("some-rule", "Says something.", "Says something.\n\nWhy: it matters.", "error")
RESULT = SarifResult("some-rule", "error", "50%: a, b\nwhy: c", "a b/types.go", 3, 5, 4, "f" * 32)


def test_what_the_schema_requires_is_there() -> None:
    """Version, tool and name; each rule an id and texts; each result a message, a level, its rule's index, a place."""
    log = json.loads(
        json.dumps(sarif([SarifRule("other", "Other.", "Other."), RULE], [RESULT], home="https://x.example/lint"))
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


def test_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    """No line gives no region, no column no columns, no page no address; a file elsewhere has a whole address."""
    log = sarif(
        [RULE], [SarifResult("new", "note", "m", str(tmp_path / "x.go")), SarifResult("new", "note", "m", "y.go", 7)]
    )
    first, second = (one["locations"][0]["physicalLocation"] for one in log["runs"][0]["results"])
    assert {"artifactLocation": {"uri": (tmp_path / "x.go").as_uri()}} == first
    assert {"startLine": 7} == second["region"]
    assert "ruleIndex" not in log["runs"][0]["results"][0]
    assert "helpUri" not in log["runs"][0]["tool"]["driver"]["rules"][0]


def test_fingerprints_tell_equal_findings_apart() -> None:
    """The same key gives the same names in the same order; names of other keys do not matter."""
    first, second, third = fingerprints([("a", "b"), ("a", "b"), ("ab", "")])
    assert 3 == len({first, second, third})
    assert [third, first, second] == fingerprints([("ab", ""), ("a", "b"), ("a", "b")])


def test_annotations_are_escaped() -> None:
    """Percent signs and line breaks of messages, colons and commas of properties."""
    (line,) = commands([SarifResult("some-rule", "note", RESULT.message, "a:b,c%.go", 3, 5, 4)])
    assert line == "::notice file=a%3Ab%2Cc%25.go,line=3,col=5,endColumn=9,title=some-rule::50%25: a, b%0Awhy: c"


def test_no_more_than_github_shows() -> None:
    """Ten of a level are written, and a last line counts the others."""
    told = list(commands([RESULT] * (LIMIT + 3) + [SarifResult("r", "warning", "m", "f")] * (LIMIT + 1)))
    assert 2 * LIMIT + 1 == len(told)
    assert "::warning file=f,title=r::m" == told[LIMIT]
    assert told[-1].startswith("::notice title=harness::3 errors, 1 warning left out")


def test_a_log_is_cut_to_what_code_hosts_accept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mildest go first, tolerated ones before all, the order stays, and how many went is said."""
    monkeypatch.setattr(module, "MOST_RESULTS", 3)
    levels: tuple[Level, ...] = ("note", "error", "warning", "error")
    every = [SarifResult("r", level, str(number), "f") for number, level in enumerate(levels)]
    run = sarif([RULE], [SarifResult("r", "error", "t", "f", tolerated="known"), *every])["runs"][0]
    assert ["1", "2", "3"] == [one["message"]["text"] for one in run["results"]]
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notice["message"]["text"].startswith("2 results left out")


def test_a_log_is_cut_when_it_stays_large_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What repeats compresses well and stays; what does not is halved until it fits."""
    monkeypatch.setattr(module, "MOST_BYTES", 6_000)
    alike = [RESULT] * 64
    assert 64 == len(sarif([RULE], alike)["runs"][0]["results"])
    unlike = [SarifResult("r", "error", "".join(fingerprints([(str(n),)])) * 2, "f") for n in range(400)]
    assert 200 == len(sarif([RULE], unlike)["runs"][0]["results"])


def test_what_github_will_not_show_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left out of the file for it."""
    monkeypatch.setattr(module, "SHOWN", 2)
    run = sarif([RULE], [RESULT] * 3)["runs"][0]
    assert 3 == len(run["results"])
    assert "shows 2 of these 3" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
