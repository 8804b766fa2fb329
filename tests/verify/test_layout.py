"""What a file is to validation, by its path."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnostics import UsageError
from harness.verify.layout import class_of, layout_of, suite_folders


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("staging/src/k8s.io/api/apps/v1/types.go", "types"),
        ("staging/src/k8s.io/api/apps/v1/doc.go", "doc"),
        ("staging/src/k8s.io/api/apps/v1/zz_generated.deepcopy.go", "other"),
        ("staging/src/k8s.io/api/resource/v1/zz_generated.validations.go", "generated"),
        ("staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go", "types"),
        ("staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go", "handwritten"),
        ("staging/src/k8s.io/apimachinery/pkg/api/validate/limits.go", "handwritten"),
        ("staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go", "handwritten"),
        ("pkg/apis/apps/types.go", "types"),
        ("pkg/apis/apps/v1/doc.go", "doc"),
        ("pkg/apis/apps/v1/defaults.go", "defaults"),
        ("pkg/apis/apps/v1/conversion.go", "conversion"),
        ("pkg/apis/apps/v1/zz_generated.validations.go", "generated"),
        ("pkg/apis/apps/v1/zz_generated.conversion.go", "other"),
        ("pkg/apis/apps/validation/validation.go", "handwritten"),
        ("pkg/apis/apps/validation/validation_test.go", "tests"),
        ("pkg/apis/core/v1/validation/validation.go", "handwritten"),
        ("pkg/registry/apps/deployment/strategy.go", "strategy"),
        ("pkg/registry/apps/deployment/declarative_validation_test.go", "tests"),
        ("test/declarative_validation/apps/deployment_test.go", "tests"),
        ("pkg/kubelet/kubelet.go", "other"),
        ("README.md", "other"),
    ],
)
def test_kubernetes(path: str, expected: str) -> None:
    """Files of a checkout of Kubernetes go by the folders of its tree."""
    assert expected == class_of(path, "kubernetes")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("suites/a/types.go", "types"),
        ("suites/a/doc.go", "doc"),
        ("suites/a/suite.py", "suite"),
        ("suites/a/handwritten.py", "handwritten"),
        ("suites/a/test_equivalence.py", "tests"),
        ("suites/a/corpus/x.json", "other"),
    ],
)
def test_suites(path: str, expected: str) -> None:
    """Files of a project with suites go by their names."""
    assert expected == class_of(path, "suites")


def test_layout(tmp_path: Path) -> None:
    """A checkout of Kubernetes is known by its module, a project by a suite; a module called suite is none."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "suite.py").write_text("class Suite:\n    pass\n")
    with pytest.raises(UsageError, match="neither a checkout of kubernetes/kubernetes nor a project with suites"):
        layout_of(tmp_path)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "suite.py").write_text("SUITE = None\n")
    assert [tmp_path / "a"] == list(suite_folders(tmp_path))
    assert "suites" == layout_of(tmp_path)
    (tmp_path / "go.mod").write_text("module k8s.io/kubernetes\n")
    assert "kubernetes" == layout_of(tmp_path)
