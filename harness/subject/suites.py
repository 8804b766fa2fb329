"""Opens a suite that somebody wrote: its types compiled, its handwritten validators beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeAlias, cast

from harness.compiler import Compiled, compile_types
from harness.diagnostics import Diagnostic, InputError, Position, UsageError, near_miss
from harness.fuzzers.shape import shape_of
from harness.gotypes.packages import Universe
from harness.subject.api import SHARED, go_files
from harness.subject.decode import decoder_of
from harness.subject.examples import FOLDER
from harness.subject.pyliterals import python_files, python_literals
from harness.subject.quick import quick_reader
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject, silent
from harness.subject.suitefile import import_suite
from harness.subject.suiteprocess import SuiteTarget
from harness.suite import Suite, SuiteKind
from harness.targets.endpoint import Declarative, Decoder, KindVersion
from harness.targets.python import PythonTarget
from harness.targets.target import Target

Rework: TypeAlias = Callable[[Suite, Universe, Compiled], Compiled]
"""Puts other validators in the place of a package's compiled ones: a mutant, for one."""

_ROOTS = (
    "write `// +k8s:validation-gen=TypesWithField=TypeMeta` into doc.go, or `// +k8s:validation-gen=true` at the type"
)


def open_own(suite: Suite, spec: SubjectSpec, note: Note, rework: Rework | None = None) -> Subject:
    """Open a suite with Go types and handwritten validators of its own. Raises: InputError, UsageError, TargetError.

    Its code runs in a process of its own, unless the specification says otherwise, or validators are reworked, which
    no other process could be told.
    """
    if spec.handwritten is None:
        _check_handwritten(suite)
    if spec.types:
        raise UsageError(f"{suite.name} says itself where its types are\n  fix: leave --types out")
    _check_gates(suite, spec.gates)
    universe = _universe(suite)
    compiled = _compile(suite, universe, note)
    _check_types(suite, universe, compiled, note)
    target: Target
    if spec.in_process or rework is not None:
        own = import_suite(suite.folder)
        assert isinstance(own, Suite)
        if rework is not None:
            compiled = {package: rework(own, universe, one) for package, one in compiled.items()}
        target = cast(Target, _target(own, universe, compiled, spec.gates, 10.0, False))
    else:
        target = cast(Target, SuiteTarget(suite.name, str(suite.folder), spec.gates, note=note))
    literals = python_literals(_sources(suite))
    return Subject(
        spec, suite.name, target, universe, suite.folder / "corpus", lambda info: literals,
        allow_incomplete=suite.allow_incomplete, examples=suite.folder / FOLDER,
    )  # fmt: skip


def _sources(suite: Suite) -> list[Path]:
    """Return the files of a suite's code, and those of validators that are imported from elsewhere."""
    named = [getattr(kind.handwritten, "file", "") for kind in suite.kinds]  # of code that runs in a worker
    return list(dict.fromkeys((*python_files(suite.folder), *(Path(name) for name in named if name))))


def target_of(suite: Suite, gates: Mapping[str, bool], patience: float) -> PythonTarget:
    """Return a suite that was imported as a target in this process, its types compiled. Raises: InputError."""
    universe = _universe(suite)
    return _target(suite, universe, _compile(suite, universe, silent), gates, patience, True)


def _target(
    suite: Suite,
    universe: Universe,
    compiled: Mapping[str, Compiled],
    gates: Mapping[str, bool],
    patience: float,
    alone: bool,
) -> PythonTarget:
    declarative, decoders, types = _callables(suite, universe, compiled)
    quick = {key: quick_reader(shape_of(universe, name)) for key, name in types.items()} if alone else {}
    readers = {key: reader for key, reader in quick.items() if reader is not None}
    return PythonTarget(
        suite, declarative, decoders=decoders, readers=readers, types=types, gates=gates, time_limit=patience,
        alone=alone,
    )  # fmt: skip


def _universe(suite: Suite) -> Universe:
    shared = {package: go_files(folder) for package, folder in SHARED.items()}
    return Universe.from_files({**shared, **suite_files(suite)})


def _check_handwritten(suite: Suite) -> None:
    gone = [kind.kind for kind in suite.kinds if kind.handwritten is None]
    if gone:
        raise UsageError(
            f"{suite.name} has no handwritten validator of {', '.join(gone)}: there is nothing to compare with\n"
            "  fix: harness run --handwritten FILE, recorded before it was deleted by harness record"
        )


def _check_gates(suite: Suite, gates: Mapping[str, bool]) -> None:
    for name in gates:
        if name not in suite.gates:
            known = ", ".join(suite.gates) or "it has none"
            hint = near_miss(name, list(suite.gates)) or f"its gates: {known}"
            raise UsageError(f"the suite {suite.name} has no gate {name!r}\n  fix: {hint}")


def package_of(suite: Suite, version: str, place: str) -> str:
    """Return an import path for the types of one version; its last part is the version, which lint reads."""
    folder = Path(place).parent.name if place.endswith(".go") else Path(place).name
    between = "" if folder in ("", version) else f"/{folder}"
    return f"suites/{suite.name}{between}/{version}"


def suite_files(suite: Suite) -> dict[str, list[Path]]:
    """Return the files of each package of a suite, by import path."""
    files: dict[str, list[Path]] = {}
    for kind in suite.kinds:
        for version, place in kind.versions.items():
            files[package_of(suite, version, place)] = go_files(suite.folder / place)
    return files


def _compile(suite: Suite, universe: Universe, note: Note) -> dict[str, Compiled]:
    """Compile every package once, and report what is wrong in all of them."""
    compiled: dict[str, Compiled] = {}
    problems: list[Diagnostic] = []
    for package in suite_files(suite):
        try:
            compiled[package] = compile_types(universe, package, release=suite.release)
        except InputError as error:
            problems += error.diagnostics
    for result in compiled.values():
        for warning in result.warnings:
            note(str(warning))
    if problems:
        raise InputError(problems)
    return compiled


def _check_types(suite: Suite, universe: Universe, compiled: Mapping[str, Compiled], note: Note) -> None:
    for kind in suite.kinds:
        for version, place in kind.versions.items():
            package = package_of(suite, version, place)
            _check_type(suite, kind, universe, f"{package}.{kind.kind}", place)
            if kind.kind not in compiled[package].types:
                note(f"{suite.folder / place}: {kind.kind} is no root type, so its tags do not count: {_ROOTS}")


def _callables(
    suite: Suite, universe: Universe, compiled: Mapping[str, Compiled]
) -> tuple[dict[KindVersion, Declarative], dict[KindVersion, Decoder], dict[KindVersion, str]]:
    declarative: dict[KindVersion, Declarative] = {}
    decoders: dict[KindVersion, Decoder] = {}
    types: dict[KindVersion, str] = {}
    for kind in suite.kinds:
        for version, place in kind.versions.items():
            key, package = (kind.kind, version), package_of(suite, version, place)
            types[key] = f"{package}.{kind.kind}"
            decoders[key] = decoder_of(shape_of(universe, types[key]))
            if kind.kind in compiled[package].types and compiled[package].has_rules(kind.kind):
                declarative[key] = partial(compiled[package].validate, kind.kind)
    return declarative, decoders, types


def _check_type(suite: Suite, kind: SuiteKind, universe: Universe, qualified: str, place: str) -> None:
    if universe.find(qualified) is None:
        package = universe.package(qualified.rpartition(".")[0])
        hint = near_miss(kind.kind, list(package.structs)) or f"declare `type {kind.kind} struct`"
        position = Position(str(suite.folder / place))
        raise InputError([Diagnostic(position, "suite-type", f"there is no type {kind.kind} here", fix=hint)])
