"""Policies against other ones and against handwritten code: what is refused, and what a run finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.case import Operation
from harness.cli.targets import arguments_of, reach_of, spec_of
from harness.diagnostics import InputError, UsageError
from harness.subject import SubjectSpec, open_subject
from harness.targets.kubernetes.build import go_environment
from tests.subject.test_crd_opener import harness
from tests.targets.crd.hooks import review, webhook

POLICIES = Path(__file__).parents[1] / "policies"
BEFORE, AFTER, BACKUPS = (str(POLICIES / name) for name in ("before", "after", "backups"))
CRD = str(Path(__file__).parents[1] / "crds" / "before")
ADAPTER = """\
package psa

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// Baseline is what the baseline of Pod Security says of a pod.
func Baseline(pod *corev1.Pod) (found []string) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		panic(err)
	}
	level := api.LevelVersion{Level: api.LevelBaseline, Version: api.LatestVersion()}
	for _, result := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
		if !result.Allowed {
			found = append(found, result.ForbiddenReason+" ("+result.ForbiddenDetail+")")
		}
	}
	return found
}
"""
MODULE = """\
module example.com/psa

go 1.26.0

require (
	k8s.io/api v0.37.1
	k8s.io/pod-security-admission v0.37.1
)
"""


def spec(location: str = AFTER, **more: Any) -> SubjectSpec:
    """Policies against others."""
    return SubjectSpec("policy", location, **{"against": BEFORE, **more})


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"against": None}, "nothing of that is named"),
        ({"validator": "a.py:check"}, "compared with one thing"),
        ({"gates": {"A": True}}, "leave --declarative, --types and --gates out"),
        ({"types": "types"}, "own expressions"),
        ({"location": "nowhere"}, "there is no nowhere"), ({"against": CRD}, "has no ValidatingAdmissionPolicy"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared(wrong: dict[str, Any], words: str) -> None:
    """What means nothing to policies is refused before anything is built."""
    with pytest.raises(UsageError, match=words):
        open_subject(spec(**wrong))


def test_it_is_opened_again() -> None:
    """A report names all that a replay needs, and the arguments are those of the command line."""
    one = spec(BACKUPS, against=None, validator="checks.py:check", crds=CRD, release="1.37.1")
    assert one == spec_of(reach_of(one))
    wanted = f"--policy {BACKUPS} --kubernetes 1.37.1 --crd {CRD} --function checks.py:check"
    assert wanted == arguments_of(one)


@pytest.mark.kubernetes
def test_what_a_server_refuses(tmp_path: Path) -> None:
    """Every reason is told at once, with its line and what to do, before anything is asked."""
    text = (POLICIES / "after" / "pods.yaml").read_text()
    text = text.replace("object.spec.priorityClassName != 'vip'", "object.spec.").replace(
        "message: images", "mesage: images"
    )
    (tmp_path / "pods.yaml").write_text(text.replace("metadata: {name: pods}", "metadata: {name: Pods}"))
    other = text.replace("mesage", "message").replace("name: pods}", "name: other}").replace("[CREATE]", "[MAKE]")
    (tmp_path / "z.yaml").write_text(other)
    with pytest.raises(InputError) as caught:
        open_subject(spec(str(tmp_path)))
    found = [(one.code, Path(one.position.file).name, one.position.line) for one in caught.value.diagnostics]
    assert [
        ("policy-refused", "pods.yaml", 13),
        ("policy-refused", "z.yaml", 7),
        ("policy-refused", "z.yaml", 10),
    ] == found
    assert all(one.fix and one.why for one in caught.value.diagnostics)
    assert "compilation failed" in caught.value.diagnostics[2].message


@pytest.mark.kubernetes
def test_two_sets_of_policies(tmp_path: Path) -> None:
    """Both planted mistakes are found with their causes, and a report is replayed; nothing differs from itself."""
    done = harness(
        tmp_path, "run", "--policy", AFTER, "--before", BEFORE, "--max-cases", "1500", "--jobs", "1", "--json", "r.json"
    )
    assert 1 == done.returncode, done.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    assert [("cel-error", "pods.validations[0] raises"), ("other-value", "pods.validations[1]")] == sorted(
        {(one["cause"], one["origin"]) for one in report["findings"]}
    )
    assert {"verdict"} == {one["severity"] for one in report["findings"]}
    assert "no binding names pods" in done.stderr
    assert [(True, True), (True, True)] == [(one["rejected"], one["accepted"]) for one in report["rules"]]
    again = harness(tmp_path, "replay", "r.json", report["findings"][0]["fingerprint"])
    assert 1 == again.returncode, again.stderr


@pytest.mark.kubernetes
def test_a_policy_that_raises_and_lets_pass(tmp_path: Path) -> None:
    """With `failurePolicy: Ignore` a rule that raises denies nothing: told apart from a rule that is not there."""
    text = (POLICIES / "after" / "pods.yaml").read_text()
    (tmp_path / "pods.yaml").write_text(text.replace("spec:\n", "spec:\n  failurePolicy: Ignore\n", 1))
    (tmp_path / "checks.py").write_text(
        "def check(new, old):\n"
        "    spec = new['spec']\n"
        "    if any(one['image'].endswith(':Latest') for one in spec['containers']):\n"
        "        return ['images need a version']\n"
        "    if spec.get('nodeName') and spec.get('priorityClassName') in (None, 'vip'):\n"
        "        return ['choose a node or a class']\n"
    )
    done = harness(
        tmp_path, "run", "--policy", "pods.yaml", "--function", "checks.py:check", "--operation", "create",
        "--max-cases", "1500", "--jobs", "1", "--json", "r.json",
    )  # fmt: skip
    assert 1 == done.returncode, done.stderr
    [found] = json.loads((tmp_path / "r.json").read_text())["findings"]
    assert ("cel-error", "verdict") == (found["cause"], found["severity"])
    assert "no such key: priorityClassName" in found["detail"]
    assert "failurePolicy: Ignore lets the request pass" in found["detail"]


@pytest.mark.kubernetes
def test_custom_resources_and_a_webhook(tmp_path: Path) -> None:
    """A policy about a kind of a CRD and a webhook are asked about what its schema accepts, as it is prepared."""

    def deny_copies(asked: dict[str, Any]) -> tuple[int, bytes]:
        copies = asked["request"]["object"].get("spec", {}).get("copies", 1)
        return review(asked, copies < 3, status={"message": f"{copies} are too many copies"})

    with webhook(deny_copies) as (url, seen):
        done = harness(
            tmp_path, "run", "--policy", BACKUPS, "--crd", CRD, "--webhook", url, "--max-cases", "1000", "--jobs", "1",
            "--operation", "create", "--json", "r.json",
        )  # fmt: skip
    assert 1 == done.returncode, done.stderr
    found = json.loads((tmp_path / "r.json").read_text())["findings"]
    expected = {("spec.schedule", "backups.validations[0]"), ("", "are too many copies")}
    assert ("", "are too many copies") in {(one["path"], one["origin"]) for one in found} <= expected
    assert "default" == seen[0]["request"]["namespace"]


@pytest.mark.kubernetes
def test_an_operation_that_only_one_is_about(tmp_path: Path) -> None:
    """A policy that forgets updates is asked about them, for what it replaces denies some: policies, or a function."""
    text = (POLICIES / "before" / "pods.yaml").read_text()
    (tmp_path / "pods.yaml").write_text(text.replace("[CREATE]", "[CREATE, UPDATE]"))
    (tmp_path / "checks.py").write_text("def check(new, old):\n    return []\n")
    for other in ({"against": str(tmp_path)}, {"against": None, "validator": f"{tmp_path}/checks.py:check"}):
        with open_subject(spec(**other)) as subject:
            assert [(Operation.CREATE, Operation.UPDATE)] == [kind.operations for kind in subject.target.info.kinds]


@pytest.mark.kubernetes
def test_a_policy_about_nothing() -> None:
    """Kinds that the server does not serve are told, with what it serves."""
    with pytest.raises(
        UsageError, match=r"asked about a create or an update of anything that .*serves(.|\n)*--crd DIR"
    ):
        open_subject(spec(BACKUPS, against=BEFORE))


@pytest.mark.kubernetes
def test_pod_security(tmp_path: Path) -> None:
    """Of the baseline written from its page, what the checks in Go have since learnt is found, and nothing else."""
    (tmp_path / "go.mod").write_text(MODULE)
    (tmp_path / "psa.go").write_text(ADAPTER)
    done = harness(
        tmp_path, "run", "--policy", str(POLICIES / "baseline"), "--validator", "./.Baseline", "--operation", "create",
        "--example", str(POLICIES / "pod.yaml"), "--max-cases", "3000", "--jobs", "1", "--json", "r.json",
        GOFLAGS=go_environment()["GOFLAGS"],
    )  # fmt: skip
    assert 1 == done.returncode, done.stderr
    found = {one["origin"] for one in json.loads((tmp_path / "r.json").read_text())["findings"]}
    assert {"probe or lifecycle host", "baseline.validations[8]"} >= found > set()
