"""CRDs before and after, opened and searched: every planted difference is found, and what is refused is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.case import KindInfo, TargetInfo
from harness.diagnostics import InputError, UsageError
from harness.subject import SubjectSpec, open_subject
from harness.subject.openers.crd import distinct_names
from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.release import find_toolchain
from harness.targets.target import Closing
from tests.targets.crd.hooks import review, webhook

CRDS = Path(__file__).parents[1] / "crds"
BEFORE, AFTER = str(CRDS / "before"), str(CRDS / "after")
RULES = "spec.x-kubernetes-validations"
PLANTED = {
    # cause, operation, path, origin
    ("boundary", "create", "spec.retentionDays", "maximum"),
    ("boundary", "create", "spec.source.volume.claimName", ""),
    ("cel-error", "create", "spec", f"{RULES}[1] raises"),
    ("new-rule", "create", "spec", f"{RULES}[1]"),
    ("new-rule", "create", "spec.excludes[*]", ""),
    ("new-rule", "create", "spec.retentionDays", f"{RULES}[0]"),
    ("new-rule", "create", "spec.source", "spec.source.x-kubernetes-validations[0]"),
    ("new-rule", "create", "spec.source", "spec.source.x-kubernetes-validations[1]"),
    ("new-rule", "update", "spec.source", "spec.source.x-kubernetes-validations[2]"),
    ("pruned", "create", "spec.legacy", "pruned"),
}
HANDWRITTEN = '''\
"""What the CEL rules of the CRD after say, as a webhook says it; the last check of buckets is forgotten."""


def validate(new, old):
    spec, found = new.get("spec", {}), []
    source = spec.get("source", {})
    for kind, member in (("Volume", "volume"), ("Bucket", "bucket")):
        if (member in source) != (source.get("type") == kind):
            found.append(("spec.source", f"{member} must be set for type {kind} and for no other"))
    if old is not None and old["spec"].get("source", {}).get("type") != source.get("type"):
        found.append(("spec.source", "type cannot be changed"))
    if spec.get("port", 1) == 0:
        found.append(("spec", "no port"))
    return found
'''

CONFIGURATION = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: backups}
webhooks:
  - name: backups.storage.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    clientConfig: {service: {name: backups, namespace: system, path: /validate}}
    rules:
      - {operations: [CREATE], apiGroups: [storage.example.com], apiVersions: [v1], resources: [backups]}
"""


def harness(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with these variables of the environment too."""
    command = [sys.executable, "-m", "harness", *arguments]
    environment = {**os.environ, **variables}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize(
    ("after", "before", "expected"),
    [
        ("config/crd", "base:config/crd", ("config/crd", "base:config/crd")),
        ("/a/b/crd", "/a/c/crd", ("b/crd", "c/crd")), ("/a/crd", "/a/crd/old", ("/a/crd", "old")),
        ("/a/crd", "/a/crd", ("/a/crd", "/a/crd")), ("/a/crd", "without-cel:/a/crd", ("/a/crd", "/a/crd without CEL")),
    ],
)  # fmt: skip
def test_what_two_locations_are_called(after: str, before: str, expected: tuple[str, str]) -> None:
    """A sentence names both as they were written, without the folders that long paths share."""
    assert expected == distinct_names(after, before)


def spec(after: str, **more: Any) -> SubjectSpec:
    """Two versions of CRDs."""
    return SubjectSpec("crd", after, **{"against": BEFORE, **more})


@pytest.mark.kubernetes
def test_every_planted_difference_is_found(tmp_path: Path) -> None:
    """Each difference between the two versions is found with its cause; nothing else changes a verdict on create."""
    done = harness(
        tmp_path, "run", "--crd", AFTER, "--before", BEFORE, "--max-cases", "6000", "--jobs", "1", "--json", "r.json"
    )
    assert 1 == done.returncode, done.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    found = {(one["cause"], one["operation"], one["path"], one.get("origin", "")) for one in report["findings"]}
    assert set() == PLANTED - found
    verdicts = {
        (one["cause"], one["operation"], one["path"], one.get("origin", ""))
        for one in report["findings"] if one["severity"] == "verdict" and one["operation"] == "create"
    }  # fmt: skip
    assert verdicts <= PLANTED
    unfired = {one["path"] for one in report["rules"] if not one.get("declarative")}
    assert (36, set()) == (len(report["rules"]), unfired)
    assert [("spec.legacy", "FieldValueTooLong")] == [(one["path"], one["type"]) for one in report["uncovered"]]
    again = harness(tmp_path, "replay", "r.json", report["findings"][0]["fingerprint"])
    assert (1, "") == (again.returncode, again.stderr)


@pytest.mark.kubernetes
def test_a_crd_against_itself(tmp_path: Path) -> None:
    """The same definitions serve the same, and a revision without the file is told."""
    done = harness(tmp_path, "run", "--crd", AFTER, "--before", AFTER, "--max-cases", "2500", "--jobs", "1")
    assert 0 == done.returncode, done.stdout + done.stderr


@pytest.mark.kubernetes
def test_objects_of_the_project_come_first(tmp_path: Path) -> None:
    """Those in a folder are asked before others are made of them, and one that is not accepted is told."""
    (tmp_path / "samples").mkdir()
    sample = "{apiVersion: storage.example.com/v1, kind: Backup, metadata: {name: a}, spec: SPEC}"
    good, bad = "{schedule: '0 3 * * *', source: {type: Bucket, bucket: {url: 's3://attic'}}}", "{copies: -1}"
    for name, spec in (("good", good), ("bad", bad)):
        (tmp_path / "samples" / f"{name}.yaml").write_text(sample.replace("SPEC", spec))
    done = harness(
        tmp_path, "run", "--crd", BEFORE, "--before", BEFORE, "--example", "samples", "--max-cases", "200", "--jobs",
        "1",
    )  # fmt: skip
    assert "2 examples replayed first, not as expected: samples/bad.yaml:1\n" in done.stdout, done.stdout + done.stderr


@pytest.mark.kubernetes
def test_a_function_against_its_rules(tmp_path: Path) -> None:
    """The one check that a function lacks is found, and where both reject for one reason nothing is.

    The branch that only updates take is told.
    """
    (tmp_path / "checks.py").write_text(HANDWRITTEN)
    done = harness(
        tmp_path, "run", "--crd", AFTER, "--function", "checks.py:validate", "--operation", "create", "--max-cases",
        "5000", "--jobs", "1", "--json", "r.json", "--branches",
    )  # fmt: skip
    assert 1 == done.returncode, done.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    verdicts = {
        (one["path"], one.get("origin", "")) for one in report["findings"]
        if one["severity"] == "verdict" and one["cause"] != "cel-error"
    }  # fmt: skip
    assert {("spec.retentionDays", f"{RULES}[0]")} == verdicts
    assert "the function validate" in done.stdout
    assert {"file": "checks.py", "line": 10, "to": 11} in report["branches"]["missed"]


@pytest.mark.kubernetes
def test_a_webhook_against_its_rules(tmp_path: Path) -> None:
    """A webhook is asked about prepared objects, and what it denies that no rule does is found."""

    def deny_yearly(asked: dict[str, Any]) -> tuple[int, bytes]:
        schedule = asked["request"]["object"].get("spec", {}).get("schedule", "")
        message = "spec.schedule: Forbidden: not so seldom"
        return review(asked, len(schedule) < 50, status={"message": message})

    with webhook(deny_yearly) as (url, seen):
        host = url.removesuffix("/validate")
        (tmp_path / "hooks.yaml").write_text(CONFIGURATION)
        done = harness(
            tmp_path, "run", "--crd", BEFORE, "--webhook", "hooks.yaml", "--webhook-at", host, "--max-cases", "3000",
            "--jobs", "1", "--json", "r.json",
        )  # fmt: skip
        refused = harness(tmp_path, "run", "--crd", BEFORE, "--webhook", "hooks.yaml", "--max-cases", "9")
    assert (2, True) == (refused.returncode, "add --webhook-at" in refused.stderr)
    assert 1 == done.returncode, done.stderr
    assert {"CREATE"} == {one["request"]["operation"] for one in seen}
    report = json.loads((tmp_path / "r.json").read_text())
    assert {("rule-removed", "spec.schedule")} == {(one["cause"], one["path"]) for one in report["findings"]}
    specs = [one["request"]["object"].get("spec", {}) for one in seen]
    with_defaults = [spec for spec in specs if spec.get("copies") == 1]
    assert len(with_defaults) > len(specs) / 2  # experiments in mode `given` have none


@pytest.mark.kubernetes
@pytest.mark.parametrize(("remembers", "verdicts"), [(True, "accepted, then rejected with"), (False, "")])
def test_a_webhook_that_changes_its_mind(tmp_path: Path, remembers: bool, verdicts: str) -> None:
    """One that denies what it saw before, or every other request, is told as such, and no cause is guessed."""
    lock, counts = threading.Lock(), Counter[str]()

    def fickle(asked: dict[str, Any]) -> tuple[int, bytes]:
        key = json.dumps([asked["request"]["object"], asked["request"]["oldObject"]]) if remembers else ""
        with lock:
            counts[key] += 1
            denies = counts[key] > 1 if remembers else counts[key] % 2 == 0
        return review(asked, not denies, status={"message": "spec.schedule: Forbidden: again"})

    with webhook(fickle) as (url, _):
        done = harness(
            tmp_path, "run", "--crd", BEFORE, "--webhook", url, "--max-cases", "600", "--jobs", "1", "--json", "r.json"
        )
    assert 1 == done.returncode, done.stdout + done.stderr
    found = json.loads((tmp_path / "r.json").read_text())["findings"]
    assert {"unstable"} == {one["cause"] for one in found}
    details = [one["detail"] for one in found]
    assert any("gave two answers to one case" in one and verdicts in one for one in details), details
    assert all("hint" not in one for one in found)


@pytest.mark.kubernetes
@pytest.mark.parametrize(
    ("denies", "broken", "words", "code"),
    [(True, (200, b"<html>maintenance</html>"), "not JSON", 1), (False, (503, b"bye"), "answered 503", 2)],
)
def test_a_webhook_that_breaks_loses_nothing(
    tmp_path: Path, denies: bool, broken: tuple[int, bytes], words: str, code: int
) -> None:
    """A run whose webhook breaks ends there as incomplete, with the reason, and has what was found before."""
    lock, counts = threading.Lock(), Counter[str]()

    def breaks(asked: dict[str, Any]) -> tuple[int, bytes]:
        with lock:
            counts["asked"] += 1
            if counts["asked"] > 1000:
                return broken
        schedule = asked["request"]["object"].get("spec", {}).get("schedule", "")
        message = "spec.schedule: Forbidden: not so seldom"
        return review(asked, not denies or len(schedule) < 50, status={"message": message})

    with webhook(breaks) as (url, _):
        done = harness(
            tmp_path, "run", "--crd", BEFORE, "--webhook", url, "--max-cases", "20000", "--jobs", "1", "--json",
            "r.json",
        )  # fmt: skip
    assert code == done.returncode, done.stdout + done.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    [part] = report["parts"]
    assert "target-lost" == part["stopped"]
    assert words in part["stopped_detail"]
    assert "fix: " in part["stopped_detail"]
    found = {one["path"] for one in report["findings"] if one["cause"] == "rule-removed"}
    assert ({"spec.schedule"} if denies else set()) == found


@pytest.mark.kubernetes
@pytest.mark.parametrize(
    ("old", "new", "words", "fix"),
    [
        ("minimum: 1\n", "minimum: 1\n                  nonsense: 1\n", "unknown field", "correct its spelling"),
        ('pattern: "^[a-z]', 'pattern: "^[a-z', "must be a valid regular expression", "RE2"),
        ("name: backups.storage", "name: backup.storage", "must be spec.names.plural", "PLURAL.GROUP"),
        ("storage: true", "storage: false", "exactly one version marked as storage", "set storage: true"),
        ("                    required: [name]\n", "", "x-kubernetes-list-map-keys", "make the key required"),
        ("minimum: 1\n", "minimum: one\n", "cannot unmarshal string", "of the type that the message names"),
        ("required: [schedule, source]\n", "x-kubernetes-validations: [{rule: self.nothing > 1}]\n",
         "compilation failed", "the caret in the message"),
        ("required: [schedule, source]\n",
         "x-kubernetes-validations: [{rule: \"self.source.volume.path.matches(self.schedule + 'a*a*a*a*')\"}]\n",
         "estimated rule cost", "bound the lists, maps and texts"),
        ("                source:\n                  type: object\n",
         "                source:\n                  type: object\n                  default: {}\n",
         "source].default.type: Required", "give the default every field"),
    ],
)  # fmt: skip
def test_what_a_server_refuses(tmp_path: Path, old: str, new: str, words: str, fix: str) -> None:
    """A CRD that a server would refuse ends the run with exit code 2: where, what, why, and how to fix it."""
    text = (CRDS / "before" / "backups.yaml").read_text()
    assert old in text
    (tmp_path / "crd.yaml").write_text(text.replace(old, new, 1))
    done = harness(tmp_path, "run", "--crd", "crd.yaml", "--before", BEFORE, "--max-cases", "100", "--jobs", "1")
    assert 2 == done.returncode
    for part in ("crd.yaml:", "crd-refused", words, "why: ", fix):
        assert part in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.kubernetes
def test_where_a_refused_rule_stands(tmp_path: Path) -> None:
    """The line is that of the rule, in the schema of its version, although the server names a path of its own."""
    text = (CRDS / "before" / "backups.yaml").read_text()
    rule = "x-kubernetes-validations: [{rule: self.nothing > 1}]"
    wrong = text.replace("required: [schedule, source]", rule, 1)
    (tmp_path / "crd.yaml").write_text(wrong)
    with pytest.raises(InputError) as told:
        open_subject(spec(str(tmp_path / "crd.yaml")))
    lines = [number for number, line in enumerate(wrong.splitlines(), 1) if rule in line]
    assert lines == [one.position.line for one in told.value.diagnostics]


def test_values_of_the_validator_are_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Literals of a function behind the CRDs are tried beside those of the rules."""
    kind = KindInfo("storage.example.com", "v1", "Backup", "backups", "storage.example.com/v1")

    class Server(Closing):
        info = TargetInfo("crds", kinds=(kind,))

    monkeypatch.setattr("harness.subject.openers.crd.open_crds", lambda *_: Server())
    (tmp_path / "checks.py").write_text("def validate(new, old):\n    return ['no'] if new['copies'] == 31 else []\n")
    with open_subject(spec(AFTER, validator=f"{tmp_path / 'checks.py'}:validate")) as subject:
        literals = subject.literals(kind)
    assert (31,) == literals.near(["copies"])
    assert "Bucket" in literals.near(["bucket"])


def test_a_function_that_is_not_there(tmp_path: Path) -> None:
    """Nothing to compare with, and two validators, are told before anything is built."""
    for arguments, words in (
        ((), "nothing of that is named"), (("--webhook", "http://x/", "--function", "a.py:b"), "two validators"),
        (("--ca", "a.pem"), "add --webhook URL"), (("--webhook", "a.yaml"), "is no URL and no file"),
        (("--webhook", "http://x/", "--webhook-at", "http://y/"), "for a configuration"),
        (("--before", BEFORE, "--declarative", "python"), "own schemas"),
    ):  # fmt: skip
        done = harness(tmp_path, "run", "--crd", AFTER, *arguments)
        assert 2 == done.returncode
        assert words in done.stderr
    with pytest.raises(UsageError, match="own schemas"):
        open_subject(spec(AFTER, types="x"))


@pytest.mark.kubernetes
def test_gateway_api(tmp_path: Path) -> None:
    """A real change, v1.0.0 to v1.1.0: a rule that raised for one field raises for another."""
    go, folders = find_toolchain().go, []
    for version in ("v1.0.0", "v1.1.0"):
        command = [str(go), "mod", "download", "-json", f"sigs.k8s.io/gateway-api@{version}"]
        done = subprocess.run(command, cwd=tmp_path, env=go_environment(), capture_output=True, text=True, check=True)
        folders.append(f"{json.loads(done.stdout)['Dir']}/config/crd/standard")
    run = harness(
        tmp_path, "run", "--crd", folders[1], "--before", folders[0], "--kind", "gateways", "--max-cases", "6000",
        "--jobs", "1", "--json", "r.json",
    )  # fmt: skip
    assert 1 == run.returncode, run.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    raised = [one for one in report["findings"] if one["cause"] == "cel-error" and one["severity"] == "verdict"]
    assert any("no such key: options" in one["detail"] and one["path"] == "spec.listeners[*].tls" for one in raised)
