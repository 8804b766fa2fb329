"""Real releases, judged from outside: what must hold on every machine, whatever a release's own findings are.

The workers are built on first use, which takes minutes on a fresh machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from harness.jsonpath import canonical_path
from harness.report.model.document import SCHEMA

pytestmark = pytest.mark.kubernetes

CASES = {"1.37.1": 300_000, "1.36.3": 120_000}
"""How many a run of each release draws: what is known of the first needs more of them."""
RELEASES = ("1.37.1", pytest.param("1.36.3", marks=pytest.mark.older))
BUILD_TIME = 1500


def run(*words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program as a user would."""
    command = [sys.executable, "-m", "harness", *words]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=BUILD_TIME, check=False)


@cache
def kinds(release: str, gates: str = "") -> dict[str, Any]:
    """What a release serves."""
    result = run("kinds", "--kubernetes", release, "--json", *(["--gates", gates] if gates else []))
    assert 0 == result.returncode, result.stderr
    return dict(json.loads(result.stdout))


@pytest.fixture(scope="module", params=RELEASES)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The report of a run with a fixed seed and number of cases. What it finds in 1.37.1 is known, all of it."""
    release: str = request.param
    kinds(release)
    folder = tmp_path_factory.mktemp(release)
    result = run(
        "run", "--kubernetes", release, "--seed", "1", "--max-cases", str(CASES[release]), "--jobs", "2",
        "--report", str(folder),
    )  # fmt: skip
    assert (0 if release == "1.37.1" else 1) == result.returncode, result.stdout + result.stderr
    return release, folder


def read(folder: Path) -> dict[str, Any]:
    """The report document of a run."""
    return dict(json.loads((folder / "report.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("release", "gates", "least"),
    [
        ("1.37.1", "", 127),
        ("1.37.1", "AllAlpha=true,AllBeta=true", 143),
        pytest.param("1.36.3", "", 117, marks=pytest.mark.older),
        pytest.param("1.36.3", "AllAlpha=true,AllBeta=true", 126, marks=pytest.mark.older),
    ],
)
def test_everything_served_is_listed(release: str, gates: str, least: int) -> None:
    """Every resource and subresource with storage is found by discovery, and what stays out has a reason."""
    served = kinds(release, gates)
    assert least <= sum(kind.get("storage", True) for kind in served["kinds"])
    assert all(entry["reason"] for entry in served["excluded"])


@pytest.mark.parametrize("release", RELEASES)
def test_kinds_without_storage_are_served(release: str) -> None:
    """Scales, bindings, token requests and access reviews are asked through the functions the server calls."""
    names = {(kind["resource"], kind.get("subresource", "")) for kind in kinds(release)["kinds"]}
    wanted = {("deployments", "scale"), ("pods", "binding"), ("serviceaccounts", "token"), ("subjectaccessreviews", "")}
    assert set() == wanted - names


def test_a_release_is_judged(report: tuple[str, Path]) -> None:
    """Our composition is the release's own, most kinds have an accepted base, and no search broke."""
    release, folder = report
    document = read(folder)
    assert 0 == document["composition_differences"]
    assert 100 < document["composition_checked"]
    assert [] == [kind for kind in document["kinds"] if kind.get("error")]
    asked = [kind for kind in document["kinds"] if kind["cases"]]
    assert len(asked) == len(document["kinds"])
    assert 0.8 * len(asked) <= sum(bool(kind["has_seed"]) for kind in asked)
    assert release in json.dumps(document["target"])


def test_the_generated_code_of_a_release_is_that_of_its_tags(report: tuple[str, Path]) -> None:
    """Its own generator reads the tags as the harness does, in a share of all cases."""
    document = read(report[1])
    assert [] == [one["detail"] for one in document["findings"] if one["mismatch"] == "generated"]
    assert 0.02 * document["cases"] < document["generated_checked"] < 0.15 * document["cases"]


def test_a_release_is_searched_with_full_objects(report: tuple[str, Path]) -> None:
    """Places beyond the required ones occur in accepted objects; of those that do not, the outermost are told."""
    document = read(report[1])
    told = [kind for kind in document["kinds"] if kind.get("paths") and kind["has_seed"]]
    places, reached = sum(kind["paths"] for kind in told), sum(kind["accepted_paths"] for kind in told)
    assert 0.15 * places <= reached < places
    assert all(kind["unaccepted_paths"] for kind in told if kind["accepted_paths"] < kind["paths"])
    updates = [kind for kind in document["kinds"] if kind["operation"] == "update" and kind["has_seed"]]
    assert 0.8 * len(updates) <= sum(bool(kind.get("changed_paths")) for kind in updates)


def test_a_release_has_findings_that_replay(report: tuple[str, Path]) -> None:
    """At least a hundred distinct findings in 1.37.1, and every one shows again when it is asked again."""
    release, folder = report
    findings = read(folder)["findings"]
    keys = {(f["resource"], f["mismatch"], canonical_path(f["path"]), f["type"], f["origin"]) for f in findings}
    assert len({finding["fingerprint"] for finding in findings}) == len(findings)
    assert (100 if release == "1.37.1" else 10) <= len(keys)
    cases = [finding for finding in findings if finding["case"]["object"] is not None]
    assert {"normalization"} >= {finding["cause"] for finding in findings if finding not in cases}
    result = run("replay", str(folder / "report.json"))
    assert f"{len(cases)} of {len(cases)} still differ" in result.stdout
    assert 1 == result.returncode


def test_a_known_difference_is_found_and_graded(report: tuple[str, Path]) -> None:
    """The search finds on its own that VolumeAttributesClass loses its check of driverName."""
    release, folder = report
    if release == "1.37.1":
        found = {
            (finding["version"], finding["cause"], finding["severity"])
            for finding in read(folder)["findings"]
            if (finding["resource"], finding["operation"], finding["path"])
            == ("volumeattributesclasses", "create", "driverName")
        }
        ended = {(version, "no-rule", "unreachable") for version in ("v1alpha1", "v1beta1")}  # no server has them
        assert ended | {("v1", "no-rule", "graduation")} == found


def test_every_rendering_of_a_release_is_written(report: tuple[str, Path]) -> None:
    """Document, page and JUnit are there, and the document fits its published schema."""
    _, folder = report
    jsonschema_rs.validator_for(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(read(folder))
    assert "<html" in (folder / "report.html").read_text(encoding="utf-8")
    assert "<testsuite" in (folder / "junit.xml").read_text(encoding="utf-8")


def test_a_mark_without_a_rule_shows_after_graduation() -> None:
    """A VolumeAttributesClass without driverName is rejected today and accepted once graduated (1.37.1)."""
    body = {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttributesClass", "metadata": {"name": "a"}}
    body["parameters"] = {"a": "b"}
    result = run("check", "--kubernetes", "1.37.1", "--cases", "-", stdin=json.dumps({"object": body}))
    answer = json.loads(result.stdout)
    served = {entry["setting"]: [error["field"] for error in entry["errors"]] for entry in answer["served"]}
    assert {"beta-on": ["driverName"], "beta-off": ["driverName"], "graduated": []} == served
    assert 1 == result.returncode


def test_many_cases_are_checked_at_once() -> None:
    """A thousand cases come back, each with its id, in their order."""
    lines = []
    for number in range(1000):
        spec = {"replicas": number - 500}
        body = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "a", "namespace": "b"},
            "spec": spec,
        }
        lines.append(json.dumps({"id": number, "object": body}))
    result = run("check", "--kubernetes", "1.37.1", "--cases", "-", stdin="\n".join(lines))
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert list(range(1000)) == [answer["id"] for answer in answers]
    below, above = answers[0]["handwritten"], answers[999]["handwritten"]
    assert "spec.replicas" in {error["field"] for error in below}
    assert "spec.replicas" not in {error["field"] for error in above}


def test_a_release_that_does_not_exist_is_told() -> None:
    """A number that nobody released gives a message and exit code 2."""
    result = run("kinds", "--kubernetes", "1.0.99999")
    assert 2 == result.returncode
    assert "1.0.99999" in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unknown_gate_is_told() -> None:
    """A misspelt feature gate gives a message with the near miss."""
    result = run("kinds", "--kubernetes", "1.37.1", "--gates", "AllAlpa=true")
    assert 2 == result.returncode
    assert "AllAlpa" in result.stderr
