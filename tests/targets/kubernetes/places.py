"""Small stand-ins: a checkout of a few files, and programs that play Go."""

from __future__ import annotations

import stat
from pathlib import Path

_TOP = "k8s.io/kubernetes/pkg"

GO_MOD = """module k8s.io/kubernetes

go 1.26.0

godebug default=go1.26

require (
\tgithub.com/blang/semver/v4 v4.0.0
\tk8s.io/api v0.0.0
\tk8s.io/apiserver v0.0.0
)

replace (
\tk8s.io/api => ./staging/src/k8s.io/api
\tk8s.io/apiserver => ./staging/src/k8s.io/apiserver
\tk8s.io/sample-controller => ./staging/src/k8s.io/sample-controller
)
"""

LEVELS = "package rest\n\ntype DeclarativeValidationStrategy interface {\n}\n"
HELPER = (
    "package rest\n\nfunc ValidateDeclarativelyWithMigrationChecks(ctx context.Context, errs field.ErrorList, "
    "configOpts ...ValidationConfig) field.ErrorList {\n}\n"
)
EXPLICIT = HELPER + "\nfunc WithDeclarativeEnforcement() ValidationConfig {\n}\n"
INLINE = (
    "package rest\n\nfunc ValidateDeclaratively(ctx context.Context, obj runtime.Object, "
    "configOpts ...ValidationConfig) field.ErrorList {\n}\n"
)
FIRST = (
    "package rest\n\nfunc ValidateDeclaratively(ctx context.Context, options sets.Set[string], "
    "scheme *runtime.Scheme, obj runtime.Object) field.ErrorList {\n}\n"
)
VALIDATES = {"levels": LEVELS, "explicit": EXPLICIT, "helper": HELPER, "inline": INLINE, "first": FIRST}
"""The signs of each generation of releases."""
STRATEGY = """package runtimeclass

import (
\t"k8s.io/kubernetes/pkg/apis/node/validation"
)

func (strategy) Validate() {
\trest.ValidateDeclarativelyWithMigrationChecks(rest.WithNormalizationRules(validation.NodeNormalizationRules))
}
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write files below a folder, and return the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def checkout(folder: Path, validate: str = LEVELS) -> Path:
    """Write a checkout with two groups, of which the server uses one, and the core group."""
    linked = f'import (\n\t"{_TOP}/registry/apps/rest"\n\t"{_TOP}/registry/core/rest"\n)\n'
    provider = "package rest\n\nfunc (p RESTStorageProvider) NewRESTStorage(x int) {}\n"
    return write(
        folder,
        {
            "go.mod": GO_MOD,
            "pkg/controlplane/import_known_versions.go": f'import (\n\t_ "{_TOP}/apis/apps/install"\n)\n',
            "pkg/controlplane/instance.go": linked,
            "pkg/apis/apps/install/install.go": "package install\n",
            "pkg/apis/testapigroup/install/install.go": "package install\n",
            "pkg/registry/apps/rest/storage_apps.go": provider,
            "pkg/registry/core/rest/storage_core.go": "package rest\n",
            "pkg/registry/testapigroup/rest/storage.go": provider,
            "pkg/registry/node/runtimeclass/strategy.go": STRATEGY,
            "staging/src/k8s.io/apiserver/pkg/registry/rest/validate.go": validate,
            "staging/src/k8s.io/api/apps/v1/types.go": "package v1\n",
            "staging/src/k8s.io/api/testdata/HEAD/x.json": "{}",
            "staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go": "package v1\n",
            "staging/src/k8s.io/apimachinery/pkg/apis/meta/fuzzer/fuzzer.go": "package fuzzer\n",
            "staging/src/k8s.io/apimachinery/pkg/api/resource/quantity.go": "package resource\n",
        },
    )


def program(path: Path, script: str) -> Path:
    """Write an executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def fake_go(folder: Path, *, version: str = "go1.26.8", toolchain: str = "local", rest: str = "exit 1") -> Path:
    """Write a `go` that answers `go env` and does `rest` for anything else."""
    env = f'if [ "$1" = env ]; then [ "$2" = GOVERSION ] && echo {version} || echo {toolchain}; exit 0; fi'
    return program(folder / "go", f"{env}\n{rest}")
