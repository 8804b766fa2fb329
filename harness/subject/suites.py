"""Opens a suite: compiles its Go types, and creates the target that runs them and its handwritten validators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias, cast

from harness.compiler import Compiled, compile_types
from harness.diagnostics import Diagnostic, InputError, Position, UsageError, near_miss
from harness.fuzzers.shape import shape_of
from harness.gotypes.packages import Universe
from harness.subject.api import SHARED, go_files
from harness.subject.deciding import code_of_suite
from harness.subject.decode import decoder_of
from harness.subject.defaults import defaults_of
from harness.subject.examples import FOLDER
from harness.subject.pyliterals import python_files, python_literals
from harness.subject.quick import quick_reader
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject, silent
from harness.subject.suitefile import import_suite
from harness.subject.suiteprocess import SuiteTarget
from harness.subject.tagtrial import TagTrials
from harness.suite import Suite, SuiteKind
from harness.targets.endpoint import Declarative, Decoder, KindVersion
from harness.targets.python import PythonTarget
from harness.targets.target import Target

Rework: TypeAlias = Callable[[Suite, Universe, Compiled], Compiled]
"""Replaces the compiled validators of a package, for example by those of a mutant."""

TIME_LIMIT = 10.0
"""Time limit of a case if the suite runs in the process of the harness. Units: seconds."""

_ROOTS = (
    "write `// +k8s:validation-gen=TypesWithField=TypeMeta` into doc.go, or `// +k8s:validation-gen=true` at the type"
)


def open_own(suite: Suite, spec: SubjectSpec, note: Note, rework: Rework | None = None) -> Subject:
    """Open a suite that has Go types and handwritten validators. Raises: InputError, UsageError, TargetError.

    Its code runs in a separate process, unless the specification asks for this process. With `rework` it runs in this
    process too, because reworked validators cannot be sent to another one.
    """
    if spec.handwritten is None:
        _check_handwritten(suite)
    if spec.types:
        raise UsageError(f"the suite.py of {suite.name} names its types already\n  fix: omit --types")
    _check_gates(suite, spec.gates)
    universe = _universe(suite)
    compiled = _compile(suite, universe, note)
    _check_root_types(suite, universe, compiled, note)
    target: Target
    if spec.in_process or rework is not None:
        own = import_suite(suite.folder)
        assert isinstance(own, Suite)
        if rework is not None:
            compiled = {package: rework(own, universe, one) for package, one in compiled.items()}
        target = cast(Target, _make_target(own, universe, compiled, spec.gates, TIME_LIMIT, False))
    else:
        target = cast(Target, SuiteTarget(suite.name, str(suite.folder), spec.gates, note=note))
    literals = python_literals(_source_files(suite))
    return Subject(
        spec, suite.name, target, universe, suite.folder / "corpus", lambda info: literals,
        allow_incomplete=suite.allow_incomplete, examples=suite.folder / FOLDER, release=suite.release,
        tags=TagTrials(universe, suite_files(suite), None if rework is not None else partial(_compile_with, suite)),
        code=partial(code_of_suite, suite.folder),
    )  # fmt: skip


def _compile_with(suite: Suite, universe: Universe, package: str) -> Compiled:
    """Compile a package of a suite with other tags. Raises: InputError."""
    return compile_types(universe, package, release=suite.release)


def _source_files(suite: Suite) -> list[Path]:
    """Return the Python files of a suite's folder, and those of validators that it imports from other folders."""
    # The validators of a described suite are `Callee`s, which have the name of their file.
    imported = [getattr(kind.handwritten, "file", "") for kind in suite.kinds]
    return list(dict.fromkeys((*python_files(suite.folder), *(Path(name) for name in imported if name))))


def target_of(suite: Suite, gates: Mapping[str, bool], patience: float) -> PythonTarget:
    """Return the target of an imported suite in its own process, with compiled types. Raises: InputError.

    `patience` is the time limit of a case. Units: seconds.
    """
    universe = _universe(suite)
    return _make_target(suite, universe, _compile(suite, universe, silent), gates, patience, True)


def _make_target(
    suite: Suite,
    universe: Universe,
    compiled: Mapping[str, Compiled],
    gates: Mapping[str, bool],
    patience: float,
    alone: bool,
) -> PythonTarget:
    """Return the target of a suite. `alone`: this process runs nothing but the suite."""
    declarative, decoders, types = _callables(suite, universe, compiled)
    suite = _with_defaults(suite, universe, types)
    quick = {key: quick_reader(shape_of(universe, name)) for key, name in types.items()} if alone else {}
    readers = {key: reader for key, reader in quick.items() if reader is not None}
    return PythonTarget(
        suite, declarative, decoders=decoders, readers=readers, types=types, gates=gates, time_limit=patience,
        alone=alone,
    )  # fmt: skip


def _with_defaults(suite: Suite, universe: Universe, types: Mapping[KindVersion, str]) -> Suite:
    """Return the suite with the defaults of its types, in versions for which it has no function of its own."""
    kinds = []
    for kind in suite.kinds:
        without = [version for version in kind.versions if version not in kind.defaults]
        tagged = {version: defaults_of(universe, types[kind.kind, version]) for version in without}
        found = {version: setting for version, setting in tagged.items() if setting is not None}
        kinds.append(replace(kind, defaults={**kind.defaults, **found}) if found else kind)
    return replace(suite, kinds=kinds)


def _universe(suite: Suite) -> Universe:
    shared = {package: go_files(folder) for package, folder in SHARED.items()}
    return Universe.from_files({**shared, **suite_files(suite)})


def _check_handwritten(suite: Suite) -> None:
    missing = [kind.kind for kind in suite.kinds if kind.handwritten is None]
    if missing:
        raise UsageError(
            f"{suite.name} has no handwritten validator of {', '.join(missing)}: there is nothing to compare with\n"
            "  fix: harness run --handwritten FILE, with a recording that harness record made before it was deleted"
        )


def _check_gates(suite: Suite, gates: Mapping[str, bool]) -> None:
    for name in gates:
        if name not in suite.gates:
            known = ", ".join(suite.gates) or "it has none"
            hint = near_miss(name, list(suite.gates)) or f"its gates: {known}"
            raise UsageError(f"the suite {suite.name} has no gate {name!r}\n  fix: {hint}")


def package_of(suite: Suite, version: str, location: str) -> str:
    """Return an import path for the types of one version.

    `location` is their file or folder in the suite. The last part of the path is the version, which lint reads.
    """
    folder = Path(location).parent.name if location.endswith(".go") else Path(location).name
    between = "" if folder in ("", version) else f"/{folder}"
    return f"suites/{suite.name}{between}/{version}"


def suite_files(suite: Suite) -> dict[str, list[Path]]:
    """Return the files of each package of a suite, by import path."""
    files: dict[str, list[Path]] = {}
    for kind in suite.kinds:
        for version, location in kind.versions.items():
            files[package_of(suite, version, location)] = go_files(suite.folder / location)
    return files


def _compile(suite: Suite, universe: Universe, note: Note) -> dict[str, Compiled]:
    """Compile every package. Raises: InputError with the diagnostics of all packages."""
    compiled: dict[str, Compiled] = {}
    diagnostics: list[Diagnostic] = []
    for package in suite_files(suite):
        try:
            compiled[package] = compile_types(universe, package, release=suite.release)
        except InputError as error:
            diagnostics += error.diagnostics
    for result in compiled.values():
        for warning in result.warnings:
            note(str(warning))
    if diagnostics:
        raise InputError(diagnostics)
    return compiled


def _check_root_types(suite: Suite, universe: Universe, compiled: Mapping[str, Compiled], note: Note) -> None:
    """Check that the Go types of all kinds exist, and print a note for those that are not root types."""
    for kind in suite.kinds:
        for version, location in kind.versions.items():
            package = package_of(suite, version, location)
            _check_exists(suite, kind, universe, f"{package}.{kind.kind}", location)
            if kind.kind not in compiled[package].types:
                note(f"{suite.folder / location}: {kind.kind} is not a root type, so its tags are ignored: {_ROOTS}")


def _callables(
    suite: Suite, universe: Universe, compiled: Mapping[str, Compiled]
) -> tuple[dict[KindVersion, Declarative], dict[KindVersion, Decoder], dict[KindVersion, str]]:
    declarative: dict[KindVersion, Declarative] = {}
    decoders: dict[KindVersion, Decoder] = {}
    types: dict[KindVersion, str] = {}
    for kind in suite.kinds:
        for version, location in kind.versions.items():
            key, package = (kind.kind, version), package_of(suite, version, location)
            types[key] = f"{package}.{kind.kind}"
            decoders[key] = decoder_of(shape_of(universe, types[key]))
            if kind.kind in compiled[package].types and compiled[package].has_rules(kind.kind):
                declarative[key] = partial(compiled[package].validate, kind.kind)
    return declarative, decoders, types


def _check_exists(suite: Suite, kind: SuiteKind, universe: Universe, qualified: str, location: str) -> None:
    if universe.find(qualified) is None:
        package = universe.package(qualified.rpartition(".")[0])
        hint = near_miss(kind.kind, list(package.structs)) or f"declare `type {kind.kind} struct`"
        position = Position(str(suite.folder / location))
        raise InputError([Diagnostic(position, "suite-type", f"the type {kind.kind} is not declared", fix=hint)])
