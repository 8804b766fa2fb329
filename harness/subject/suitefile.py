"""Imports the suite.py of a suite folder. It is somebody's Python: whatever is wrong with it becomes a diagnostic.

In a process of its own, unless somebody asks for speed or a debugger: what is imported may do anything. Who wants to
know a suite calls `harness.subject.description.load_suite`.
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
from typing import TypeAlias

from harness.diagnostics import Diagnostic, InputError, Position, near_miss
from harness.limits import read_checkout
from harness.suite import KubernetesSuite, Suite, SuiteKind
from harness.targets.python import text_of

AnySuite: TypeAlias = Suite | KubernetesSuite

_PREFIX = "_harness_suite_"
"""What the names of a suite's modules begin with."""


def import_suite(folder: str | Path) -> AnySuite:
    """Import `suite.py` of a folder and return its SUITE, with `folder` set.

    The folder is a package of its own under a name no other folder has, so `from .handwritten import validate` means
    the file beside suite.py. A second call reads the files again.
    Raises: InputError with every diagnostic.
    """
    root = Path(folder).resolve()
    file = root / "suite.py"
    if not file.is_file():
        raise InputError([_missing(folder, root)])
    found = getattr(_import(root, file), "SUITE", None)
    line = _line_of_suite(file)
    if not isinstance(found, Suite | KubernetesSuite):
        raise InputError([_no_suite(file, line, found)])
    wrong = [*_allowances(found), *(_problems(found, root) if isinstance(found, Suite) else ())]
    if wrong:
        raise InputError([Diagnostic(Position(str(file), line), *problem) for problem in wrong])
    return found if isinstance(found, KubernetesSuite) else replace(found, folder=root)


def forget_suite(folder: str | Path) -> str:
    """Forget the modules of a folder, if they were imported. Returns: the name of its package."""
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
        raise InputError([_syntax(error)]) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, CancelledError, what pytest.fail raises
        raise InputError([_import_failed(error, root, file)]) from None


def _missing(folder: str | Path, root: Path) -> Diagnostic:
    what = "has no suite.py" if root.is_dir() else "is not a folder"
    fix = "name a folder with types.go, handwritten.py and suite.py, such as suites/workload_v1"
    return Diagnostic(Position(str(folder)), "suite-missing", f"this {what}", fix=fix)


def _syntax(error: SyntaxError) -> Diagnostic:
    position = Position(error.filename or "suite.py", error.lineno or 0, error.offset or 0)
    source = (error.text or "").rstrip("\n")
    return Diagnostic(position, "suite-syntax", f"not Python: {error.msg}", source=source)


def _import_failed(error: BaseException, root: Path, file: Path) -> Diagnostic:
    """Point at the last line of the suite's own files that was running."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).is_relative_to(root)]
    position = Position(frames[-1].filename, frames[-1].lineno or 0) if frames else Position(str(file))
    text = text_of(error)
    source = (frames[-1].line or "") if frames else ""
    why = "suite.py and what it imports are run to read the suite"
    fix = "import files of the folder relatively: from .handwritten import validate" if _is_sibling(error, root) else ""
    return Diagnostic(position, "suite-import", f"importing it failed: {text}", why, fix, source)


def _is_sibling(error: BaseException, root: Path) -> bool:
    return isinstance(error, ModuleNotFoundError) and bool(error.name) and (root / f"{error.name}.py").is_file()


def _no_suite(file: Path, line: int, found: object) -> Diagnostic:
    message = "SUITE is not defined" if found is None else f"SUITE is {type(found).__name__}, not Suite"
    fix = "SUITE = Suite(name=..., group=..., kinds=[SuiteKind(...)])"
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


def _allowances(suite: AnySuite) -> Iterator[tuple[str, str]]:
    given: object = suite.allow_incomplete
    if not isinstance(given, list | tuple) or not all(isinstance(pattern, str) for pattern in given):
        yield "suite-kind", f"allow_incomplete is {given!r}; it wants a list of patterns: ['widgets']"


def _problems(suite: Suite, root: Path) -> Iterator[tuple[str, str]]:
    """Yield code and message of everything that would fail later, far from here."""
    if not suite.kinds:
        yield "suite-empty", "the suite has no kinds"
    for kind in suite.kinds:
        if not isinstance(kind, SuiteKind):
            yield "suite-kind", f"kinds holds {type(kind).__name__}, not SuiteKind"
            continue
        for problem in (*_callables(kind), *_versions(kind, root), *_subresources(kind)):
            yield "suite-kind", f"{kind.kind}: {problem}"


def _callables(kind: SuiteKind) -> Iterator[str]:
    optional: dict[str, object] = {"handwritten": kind.handwritten, "prepare": kind.prepare}
    named = {name: value for name, value in optional.items() if value is not None}
    named |= {f"defaults[{version!r}]": default for version, default in kind.defaults.items()}
    named |= {f"conversions[{pair!r}]": convert for pair, convert in kind.conversions.items()}
    for name, value in named.items():
        if not callable(value):
            yield f"{name} cannot be called: it is {type(value).__name__}"


def _versions(kind: SuiteKind, root: Path) -> Iterator[str]:
    if not kind.versions:
        yield "it has no versions; write versions={'v1': 'types.go'}"
    internal = kind.internal_version or next(reversed(list(kind.versions)), "")
    if kind.versions and internal not in kind.versions:
        hint = near_miss(internal, list(kind.versions))
        yield f"internal_version {internal!r} is none of its versions {hint}".rstrip()
    for version, place in kind.versions.items():
        if not (root / place).exists():
            yield f"the types of {version}, {place}, do not exist"
        for pair in ((version, internal), (internal, version)):
            if version != internal and pair not in kind.conversions:
                yield f"a conversion {pair} is missing"
    for version in kind.defaults:
        if version not in kind.versions:
            yield f"defaults are given for {version!r}, which is none of its versions"


def _subresources(kind: SuiteKind) -> Iterator[str]:
    known = ("", *kind.subresources)
    if not kind.root and not kind.subresources:
        yield "it has neither a root nor subresources"
    for name in kind.operations:
        if name not in known:
            yield f"operations are given for {name!r}, which is no subresource of it {near_miss(name, known)}".rstrip()
