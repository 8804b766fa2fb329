"""What suites and APIs read alike: the files of a package, and types that may be named without being at hand."""

from __future__ import annotations

from pathlib import Path

_GO = Path(__file__).parent / "go"

SHARED: dict[str, Path] = {
    "k8s.io/apimachinery/pkg/apis/meta/v1": _GO / "meta_v1",
    "k8s.io/apimachinery/pkg/api/resource": _GO / "resource",
    "k8s.io/apimachinery/pkg/util/intstr": _GO / "intstr",
    "k8s.io/apimachinery/pkg/runtime": _GO / "runtime",
}
"""Import paths and folders."""


def go_files(place: Path) -> list[Path]:
    """Return the files of a package: those of a folder, or one file and the doc.go beside it."""
    if place.is_dir():
        return sorted(path for path in place.glob("*.go") if not path.name.endswith("_test.go"))
    doc = place.with_name("doc.go")
    return [doc, place] if doc.is_file() and doc != place else [place]
