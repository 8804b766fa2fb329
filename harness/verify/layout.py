"""Classifies the files of a checkout by their role in validation, and maps them to Go packages, by path."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath

from harness.diagnostics import UsageError
from harness.git import FileDifference
from harness.limits import read_checkout
from harness.verify.change import ChangedFile, FileClass, Layout, Status

_STAGING = r"staging/src/k8s\.io"
_META = rf"{_STAGING}/apimachinery/pkg"
_KUBERNETES: tuple[tuple[FileClass, str], ...] = (
    ("tests", r".*_test\.go|test/.*|.*/(?:testing|testdata|fuzzer|roundtrip)/.*"),
    ("generated", r"(?:.*/)?zz_generated\.validations\.go"),
    ("other", r".*/(?:zz_generated\.[^/]*|types_swagger_doc_generated\.go|.*\.pb\.go)"),
    ("doc", rf"(?:pkg/apis|{_STAGING}/api|{_META}/apis)/.*/doc\.go"),
    ("normalization", r".*[/_]normali[sz]ation[^/]*\.go|.*/declarative_validation(?:_[^/]*)?\.go"),
    ("defaults", r"pkg/apis/.*/defaults\.go"),
    ("conversion", r"pkg/apis/.*/conversion[^/]*\.go"),
    ("handwritten", r"pkg/apis/(?:.*/)?(?:validation|helper|helpers|util)/.*\.go|pkg/api/.*\.go"),
    ("handwritten", rf"{_META}/(?:api/(?:validation|validate|safe|operation|equality)|util/validation)/.*\.go"),
    ("handwritten", rf"{_META}/apis/(?:.*/)?validation/.*\.go"),
    ("strategy", r"pkg/registry/.*\.go"),
    ("strategy", rf"{_STAGING}/apiserver/pkg/registry/rest/.*\.go"),
    ("types", rf"{_STAGING}/api/[^/]+/[^/]+/[^/]+\.go"),
    ("types", rf"{_META}/(?:apis/[^/]+/[^/]+|types|runtime|runtime/schema|util/intstr|api/resource)/[^/]+\.go"),
    ("types", r"pkg/apis/[^/]+/(?:types[^/]*|[^/]*_types)\.go"),
)
"""Classes by path pattern; the first match applies."""
_CLASS_BY_NAME: dict[str, FileClass] = {"suite.py": "suite", "doc.go": "doc"}
_CLASS_BY_SUFFIX: dict[str, FileClass] = {".go": "types", ".py": "handwritten"}


def layout_of(top: Path) -> Layout:
    """Return whether a checkout is Kubernetes or a project with suites. Raises: UsageError when it is neither."""
    go_mod = top / "go.mod"
    if go_mod.is_file() and re.search(rb"^module k8s\.io/kubernetes\s*$", read_checkout(go_mod), re.M):
        return "kubernetes"
    if next(iter(suite_folders(top)), None) is not None:
        return "suites"
    raise UsageError(
        f"{top} is neither a checkout of kubernetes/kubernetes nor a project with suites\n"
        "  why: its go.mod does not name k8s.io/kubernetes, and no folder holds a suite.py\n"
        "  fix: run it in such a checkout; `harness run --help` explains what a suite is"
    )


def suite_folders(top: Path) -> Iterable[Path]:
    """Yield the folders with a suite.py, sorted by path, except suites of a Kubernetes release."""
    skipped = {"node_modules", "vendor", "venv", "site-packages", "__pycache__"}
    waiting = [top]
    while waiting:
        folder = waiting.pop(0)
        if _defines_suite(folder / "suite.py"):
            yield folder
            continue
        inside = sorted(one for one in folder.iterdir() if one.is_dir() and not one.is_symlink())
        waiting += [one for one in inside if one.name not in skipped and not one.name.startswith(".")]


def _defines_suite(file: Path) -> bool:
    return file.is_file() and re.search(rb"^SUITE\b(?!.*\bKubernetesSuite\b)", read_checkout(file), re.M) is not None


def classify(found: Iterable[FileDifference], layout: Layout, uncommitted: Collection[str]) -> tuple[ChangedFile, ...]:
    """Classify every difference by its role in validation."""
    states: dict[str, Status] = {"A": "added", "D": "deleted", "R": "renamed", "C": "added"}
    listed = []
    for one in found:
        before = one.before if one.before != one.path else ""
        listed.append(
            ChangedFile(
                one.path, class_of(one.path, layout), states.get(one.status, "modified"), before,
                one.path not in uncommitted and before not in uncommitted,
            )
        )  # fmt: skip
    return tuple(sorted(listed))


def class_of(path: str, layout: Layout) -> FileClass:
    """Return the class of a file, by its path in the checkout."""
    if layout == "kubernetes":
        return next((name for name, pattern in _KUBERNETES if re.fullmatch(pattern, path)), "other")
    pure = PurePosixPath(path)
    if "__pycache__" in pure.parts:
        return "other"
    if pure.name in _CLASS_BY_NAME:
        return _CLASS_BY_NAME[pure.name]
    if pure.name.startswith("test_") or pure.name.endswith(("_test.go", "_test.py")) or pure.name == "conftest.py":
        return "tests"
    return _CLASS_BY_SUFFIX.get(pure.suffix, "other")


STAGING = "staging/src/"


def import_path(path: str) -> str:
    """Return the import path of the package that a file belongs to, by its path in the checkout."""
    folder = PurePosixPath(path).parent.as_posix()
    inside = folder.removeprefix(STAGING)
    return inside if inside != folder else f"k8s.io/kubernetes/{folder}"
