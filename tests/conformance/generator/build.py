"""Builds a worker that links the generated validators of all test packages of a release; kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import rmtree

import platformdirs

from harness.files import locked
from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.release import find_toolchain
from tests.conformance.generator.packages import GENERATOR, MACHINERY, TestModule, TestPackage

_SOURCE = Path(__file__).with_name("worker.go")
_HEAD = """package main

import (
\t"context"
\t"reflect"

\t"k8s.io/apimachinery/pkg/api/operation"
\t"k8s.io/apimachinery/pkg/api/safe"
\t"k8s.io/apimachinery/pkg/util/validation/field"
\t"k8s.io/code-generator/cmd/validation-gen/testscheme"
"""
_HELPERS = """
func registered(functions ...func(*testscheme.Scheme) error) validate {
\tscheme := testscheme.New()
\tscheme.Register(functions...)
\treturn func(ctx context.Context, op operation.Operation, obj, old any) field.ErrorList {
\t\tif op.Type == operation.Update {
\t\t\treturn scheme.ValidateUpdate(ctx, op.Options, obj, old, op.Request.Subresources...)
\t\t}
\t\treturn scheme.Validate(ctx, op.Options, obj, op.Request.Subresources...)
\t}
}

func direct[T any](function func(context.Context, operation.Operation, *field.Path, *T, *T) field.ErrorList) validate {
\treturn func(ctx context.Context, op operation.Operation, obj, old any) field.ErrorList {
\t\treturn function(ctx, op, nil, obj.(*T), safe.Cast[*T](old))
\t}
}

var _ = direct[int]
"""
_OPTIONS = {
    True: "func optionsOf(given map[string]bool) map[string]bool { return given }",
    False: """func optionsOf(given map[string]bool) (names []string) {
\tfor name, on := range given {
\t\tif on {
\t\t\tnames = append(names, name)
\t\t}
\t}
\treturn names
}""",
}
"""How a release takes options: with their states, or the names of those that are on."""


def worker_of(module: TestModule, roots: Mapping[str, Sequence[str]]) -> Path:
    """Return the worker's binary, built now if the cache does not have it. `roots` are the root types by package."""
    files = {
        "go.mod": _go_mod(module),
        "main.go": _SOURCE.read_text(encoding="utf-8"),
        "entries.go": _entries(module, roots),
    }
    toolchain = find_toolchain()
    text = "\0".join([toolchain.version, *files.values()])
    stem = f"generator-{module.release}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    cache = platformdirs.user_cache_path("equivalence-harness") / "workers"
    binary = cache / stem / "worker"
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / f"{stem}.lock", lambda: None):
        if not binary.is_file():
            _build(binary, files, toolchain.go)
    return binary


def _build(binary: Path, files: Mapping[str, str], go: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix=".build-", dir=binary.parent.parent))
    try:
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        done = subprocess.run(
            [go, "build", "-ldflags=-s -w", "-o", "worker", "."],
            cwd=folder, env=go_environment(), capture_output=True, text=True,
        )  # fmt: skip
        assert 0 == done.returncode, f"the worker could not be built:\n{done.stderr[-4000:]}"
        binary.parent.mkdir(exist_ok=True)
        os.replace(folder / "worker", binary)
    finally:
        rmtree(folder, ignore_errors=True)


def _go_mod(module: TestModule) -> str:
    required = "".join(f"\t{name} {module.version}\n" for name in (MACHINERY, GENERATOR))
    return f"module worker\n\ngo {module.go}\n\nrequire (\n{required})\n"


def _entries(module: TestModule, roots: Mapping[str, Sequence[str]]) -> str:
    """Write the imports and the table of what can be asked."""
    used = [one for one in module.packages.values() if roots[one.name]]
    imported = sorted({path for one in used for path in (one.types, *([one.path] if _is_called(one) else ()))})
    alias = {path: f"p{number}" for number, path in enumerate(imported)}
    lines = [f'\t{alias[path]} "{path}"' for path in imported]
    functions, table = [], []
    for number, one in enumerate(used):
        if one.registers:
            register = f"{alias[one.path]}.RegisterValidations" if one.has_registration else ""
            functions.append(f"var ask{number} = registered({register})")
        for name in roots[one.name]:
            ask = f"ask{number}"
            if not one.registers:
                known = name in one.registered
                ask = f"direct({alias[one.path]}.Validate_{name})" if known else "registered()"
            table.append(f'\t"{one.path}.{name}": {{reflect.TypeFor[{alias[one.types]}.{name}](), {ask}}},')
    body = ["", _OPTIONS[module.has_option_states], *functions, "", "var entries = map[string]entry{", *table, "}", ""]
    return _HEAD + "\n" + "\n".join([*lines, ")"]) + "\n" + _HELPERS + "\n".join(body)


def _is_called(package: TestPackage) -> bool:
    return package.has_registration or not package.registers
