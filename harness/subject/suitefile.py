"""Imports the suite.py of a suite folder, and reports every mistake in it as a diagnostic.

Because a suite.py may run any code, it is imported in the process of the suite, and in the process of the harness only
with --in-process. `harness.subject.description.load_suite` reads a suite through such a process.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import sys
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TypeAlias, TypeGuard

from harness.diagnostics import Diagnostic, InputError, Position, near_miss
from harness.limits import read_checkout
from harness.suite import KubernetesSuite, Suite, SuiteKind
from harness.targets.python import text_of

AnySuite: TypeAlias = Suite | KubernetesSuite

_PREFIX = "_harness_suite_"
"""The prefix of the names of a suite's modules."""


def import_suite(folder: str | Path) -> AnySuite:
    """Import the `suite.py` of a folder and return its SUITE, with `folder` set.

    The folder becomes a package with a unique name, so `from .handwritten import validate` imports a file of the same
    folder. A second call reads the files again.
    Raises: InputError with every diagnostic.
    """
    root = Path(folder).resolve()
    file = root / "suite.py"
    if not file.is_file():
        raise InputError([_report_missing_file(folder, root)])
    found = getattr(_import(root, file), "SUITE", None)
    line = _line_of_suite(file)
    if not isinstance(found, Suite | KubernetesSuite):
        raise InputError([_report_missing_suite(file, line, found)])
    errors = [*_check_patterns(found), *(_check_suite(found, root) if _has_kinds(found) else ())]
    if errors:
        raise InputError([Diagnostic(Position(str(file), line), *error) for error in errors])
    return found if isinstance(found, KubernetesSuite) else replace(found, folder=root)


def forget_suite(folder: str | Path) -> str:
    """Remove the modules of a folder from `sys.modules`. Returns: the name of its package."""
    name = _PREFIX + hashlib.sha256(str(Path(folder).resolve()).encode()).hexdigest()[:12]
    for known in [known for known in sys.modules if known == name or known.startswith(f"{name}.")]:
        del sys.modules[known]
    return name


def _import(root: Path, file: Path) -> ModuleType:
    name = forget_suite(root)
    package = ModuleType(name)
    package.__path__ = [str(root)]
    sys.modules[name] = package
    importlib.invalidate_caches()
    try:
        return importlib.import_module(f"{name}.suite")
    except SyntaxError as error:
        raise InputError([_report_syntax_error(error)]) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, CancelledError, and the exception of pytest.fail
        raise InputError([_report_import_error(error, root, file)]) from None


def _report_missing_file(folder: str | Path, root: Path) -> Diagnostic:
    what = "has no suite.py" if root.is_dir() else "is not a folder"
    fix = "name a folder with types.go, handwritten.py and suite.py, such as suites/workload_v1"
    return Diagnostic(Position(str(folder)), "suite-missing", f"this {what}", fix=fix)


def _report_syntax_error(error: SyntaxError) -> Diagnostic:
    position = Position(error.filename or "suite.py", error.lineno or 0, error.offset or 0)
    source = (error.text or "").rstrip("\n")
    return Diagnostic(position, "suite-syntax", f"not Python: {error.msg}", source=source)


def _report_import_error(error: BaseException, root: Path, file: Path) -> Diagnostic:
    """Return a diagnostic at the innermost line of the traceback that is in a file of the suite."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).is_relative_to(root)]
    position = Position(frames[-1].filename, frames[-1].lineno or 0) if frames else Position(str(file))
    text = text_of(error)
    source = (frames[-1].line or "") if frames else ""
    why = "the harness imports suite.py to read the suite, which runs its code"
    fix = "import files of the folder relatively: from .handwritten import validate" if _is_sibling(error, root) else ""
    return Diagnostic(position, "suite-import", f"importing it failed: {text}", why, fix, source)


def _is_sibling(error: BaseException, root: Path) -> bool:
    return isinstance(error, ModuleNotFoundError) and bool(error.name) and (root / f"{error.name}.py").is_file()


def _report_missing_suite(file: Path, line: int, found: object) -> Diagnostic:
    message = "SUITE is not defined" if found is None else f"SUITE is {type(found).__name__}, not Suite"
    fix = "SUITE = Suite(name=..., group=..., kinds=[SuiteKind(...)]), or SUITE = Suite(old=..., new=...)"
    return Diagnostic(Position(str(file), line), "suite-missing", message, fix=fix)


def _line_of_suite(file: Path) -> int:
    try:
        tree = ast.parse(read_checkout(file))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == "SUITE" for target in targets):
            return getattr(node, "lineno", 0)
    return 0


def _check_patterns(suite: AnySuite) -> Iterator[tuple[str, str]]:
    patterns: object = suite.allow_incomplete
    if not isinstance(patterns, list | tuple) or not all(isinstance(pattern, str) for pattern in patterns):
        yield "suite-kind", f"allow_incomplete is {patterns!r}; it must be a list of patterns: ['widgets']"


def _has_kinds(suite: AnySuite) -> TypeGuard[Suite]:
    """Whether it is a suite with types; the other ones are examined where their validators are described."""
    return isinstance(suite, Suite) and not suite.has_validators


def _check_suite(suite: Suite, root: Path) -> Iterator[tuple[str, str]]:
    """Yield the code and the message of every mistake that would otherwise fail when the suite is used."""
    if not suite.kinds:
        yield "suite-empty", "the suite has no kinds, and neither old nor new"
    for kind in suite.kinds:
        if not isinstance(kind, SuiteKind):
            yield "suite-kind", f"kinds contains a value of type {type(kind).__name__}, not SuiteKind"
            continue
        for message in (*_check_functions(kind), *_check_versions(kind, root), *_check_subresources(kind)):
            yield "suite-kind", f"{kind.kind}: {message}"


def _check_functions(kind: SuiteKind) -> Iterator[str]:
    optional: dict[str, object] = {"handwritten": kind.handwritten, "prepare": kind.prepare}
    functions = {name: value for name, value in optional.items() if value is not None}
    functions |= {f"defaults[{version!r}]": default for version, default in kind.defaults.items()}
    functions |= {f"conversions[{pair!r}]": convert for pair, convert in kind.conversions.items()}
    for name, value in functions.items():
        if not callable(value):
            yield f"{name} cannot be called: it is {type(value).__name__}"


def _check_versions(kind: SuiteKind, root: Path) -> Iterator[str]:
    if not kind.versions:
        yield "it has no versions; write versions={'v1': 'types.go'}"
    internal = kind.internal_version or next(reversed(list(kind.versions)), "")
    if kind.versions and internal not in kind.versions:
        hint = near_miss(internal, list(kind.versions))
        yield f"internal_version {internal!r} is not one of its versions {hint}".rstrip()
    for version, location in kind.versions.items():
        if not (root / location).exists():
            yield f"the types of {version}, {location}, do not exist"
        for pair in ((version, internal), (internal, version)):
            if version != internal and pair not in kind.conversions:
                yield f"a conversion {pair} is missing"
    for version in kind.defaults:
        if version not in kind.versions:
            yield f"defaults has the key {version!r}, which is not one of its versions"


def _check_subresources(kind: SuiteKind) -> Iterator[str]:
    known = ("", *kind.subresources)
    if not kind.root and not kind.subresources:
        yield "root is False, and it has no subresources"
    for name in kind.operations:
        if name not in known:
            hint = near_miss(name, known)
            yield f"operations has the key {name!r}, which is not one of its subresources {hint}".rstrip()
