"""Tags that a CRD of controller-gen is without: own ones, and those of types of Kubernetes that a field embeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.lint.run import lint
from harness.subject.api import open_api
from tests.lint.rules.linting import findings, struct

CODE = "tag-not-in-crd"
ROOT = "// +kubebuilder:object:root=true\n"


@pytest.mark.parametrize(
    ("tags", "left_out"),
    [
        ("+k8s:optional\n+k8s:maxItems=3", []),
        ("+k8s:optional\n+k8s:alpha=+k8s:maxItems=3", ["alpha"]),
        ("+k8s:optional\n+k8s:listType=set", []),
        ("+k8s:optional\n+k8s:listType=set\n+k8s:eachVal=+k8s:format=k8s-short-name", ["eachVal"]),
        ("+k8s:optional\n+k8s:minItems=1\n+kubebuilder:validation:MinItems=1", []),
        ("+k8s:optional\n+k8s:unique=set\n+kubebuilder:validation:XValidation:rule='true'", []),
    ],
)
def test_only_what_controller_gen_reads_is_in_the_crd(tags: str, left_out: list[str], tmp_path: Path) -> None:
    """Or what a marker of kubebuilder says beside the tag."""
    found = findings(CODE, struct(f"{tags}\n[]string", before=ROOT), tmp_path)
    assert left_out == [one.diagnostic.message.partition("+k8s:")[2].partition("=")[0] for one in found]


def test_a_project_without_kubebuilder_has_no_crd(tmp_path: Path) -> None:
    """So nothing is left out of one."""
    assert [] == findings(CODE, struct("+k8s:optional\n+k8s:minItems=3\n[]string"), tmp_path)


def test_an_embedded_type_of_kubernetes_is_counted(tmp_path: Path) -> None:
    """With all types below it, at the field that embeds it, in a list too."""
    native = tmp_path / "vendor" / "k8s.io" / "api" / "batch" / "v1"
    native.mkdir(parents=True)
    job = struct("+k8s:optional\n+k8s:format=k8s-short-name\nstring", "*Pod", name="JobSpec")
    pod = struct("+k8s:optional\n+k8s:maxItems=3\n[]string", "+k8s:beta=+k8s:required\nstring", name="Pod")
    (native / "types.go").write_text(f"package v1\n\n{job}\n{pod}", encoding="utf-8")
    (tmp_path / "go.mod").write_text("module example.com/runs\n\nrequire k8s.io/api v0.37.1\n", encoding="utf-8")
    own = struct("batchv1.JobSpec", "[]batchv1.Pod", "string", name="Run", before=ROOT)
    (tmp_path / "v1").mkdir()
    head = 'package v1\n\nimport batchv1 "k8s.io/api/batch/v1"\n\n'
    (tmp_path / "v1" / "types.go").write_text(head + own, encoding="utf-8")
    told = [one.diagnostic for one in lint(open_api(tmp_path / "v1"), only=[CODE])]
    words = "of Kubernetes, and the CRD is without {} of its {} tags"
    assert [
        f"Run.a embeds v1.JobSpec {words.format(2, 3)}", f"Run.b embeds v1.Pod {words.format(1, 2)}",
    ] == [one.message for one in told]  # fmt: skip
    assert [7, 8] == [one.position.line for one in told]
