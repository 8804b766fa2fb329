"""Opens a subject: everything a run knows of "what is examined" comes from here.

Suites, Kubernetes releases and programs alike, alone, beside another one, or with a recorded handwritten side. What
the types of a subject declare is to be had without opening its target.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from harness.case import KindInfo
from harness.compare.composition import MIGRATION
from harness.compiler import Validators
from harness.diagnostics import Diagnostic, InputError, UsageError, near_miss
from harness.gotypes.literals import Literals
from harness.gotypes.packages import Universe
from harness.subject.api import DEFAULT_RELEASE, SHARED, Api, ApiPackage, go_files, open_api
from harness.subject.declarative import CompiledTypes, PythonDeclarative
from harness.subject.description import load_suite
from harness.subject.edited import edited_api
from harness.subject.literals import release_literals
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject, silent
from harness.subject.suitefile import import_suite
from harness.subject.suites import Rework, open_own, package_of, suite_files
from harness.subject.twin import TwinTarget
from harness.subject.typesonly import types_target
from harness.suite import KubernetesSuite, Suite
from harness.tags.custom_kubernetes import CustomFunctions
from harness.targets.recorded import RecordedTarget
from harness.targets.recording import read_recording
from harness.targets.target import Target


def open_subject(spec: SubjectSpec, note: Note = silent) -> Subject:
    """Open what a specification names. `note` is told what a person should know, such as a build that takes minutes.

    Raises: InputError for a suite or types that cannot be used, TargetError for a target that cannot, UsageError.
    """
    if spec.handwritten is not None:
        return _open_recorded(spec, Path(spec.handwritten), note)
    return _open(spec, note)


def _open(spec: SubjectSpec, note: Note) -> Subject:
    if spec.against is not None:
        return _open_twin(spec, spec.against, note)
    match spec.kind:
        case "suite":
            return open_suite(spec, note)
        case "types":
            api, target = types_target(spec.location, note)
            return Subject(spec, api.name, target, api.universe, None)
        case "kubernetes":
            return _open_kubernetes(spec, note)
        case "command":
            return _open_command(spec, note)
    raise UsageError(f"unknown kind of subject {spec.kind!r}\n  fix: suite, types, kubernetes or command")


def _open_recorded(spec: SubjectSpec, file: Path, note: Note) -> Subject:
    """Open the subject, and put a recording in the place of its handwritten side."""
    if spec.against is not None:
        raise UsageError("two subjects are compared as they are\n  fix: leave --handwritten out, or --against")
    recording = read_recording(file)
    inner = _open(spec, note)
    try:
        target = RecordedTarget(inner.target, recording, inner.name)
    except BaseException:
        inner.close()
        raise
    return Subject(
        spec, inner.name, cast(Target, target), inner.universe, None, inner.literals, recording, inner.allow_incomplete,
        inner.examples,
    )  # fmt: skip


def _open_twin(spec: SubjectSpec, against: str, note: Note) -> Subject:
    """Open both; whether paths are known is asked of each alone, since a wrong one is no difference between them.

    Gates of the migration decide how each composes its lists, which is done here: no target has to know them.
    """
    if spec.declarative != "target":
        raise UsageError("two subjects are compared as they are\n  fix: leave --declarative out, or --against")
    composed = {name: value for name, value in spec.gates.items() if name in MIGRATION}
    alone = replace(spec, against=None, gates={k: v for k, v in spec.gates.items() if k not in MIGRATION})
    first = open_subject(alone, note)
    try:
        second = open_subject(replace(alone, location=against), note)
        try:
            target = cast(Target, TwinTarget(first.target, second.target, composed))
        except BaseException:
            second.close()
            raise
    except BaseException:
        first.close()
        raise
    name = f"{first.name} against {Path(against).name}"
    return Subject(spec, name, target, first.universe, None, allow_incomplete=first.allow_incomplete)


def open_suite(spec: SubjectSpec, note: Note = silent, rework: Rework | None = None) -> Subject:
    """Open a suite, with reworked validators where somebody wants to see what happens then.

    Raises: InputError, TargetError, UsageError.
    """
    suite = import_suite(spec.location) if spec.in_process else load_suite(spec.location)
    if not isinstance(suite, KubernetesSuite):
        return open_own(suite, spec, note, rework)
    gates = {**suite.gates, **spec.gates}
    subject = _open_kubernetes(replace(spec, kind="kubernetes", location=suite.release, gates=gates), note)
    subject.allow_incomplete = tuple(suite.allow_incomplete)
    return subject


def _open_kubernetes(spec: SubjectSpec, note: Note) -> Subject:
    # Imported here: suites must open fast, and without anything that only a Go worker needs.
    from harness.targets.kubernetes import KubernetesTarget
    from harness.targets.kubernetes.release import type_folders

    if spec.types and spec.declarative != "python":
        raise UsageError(
            "a release has its own types, and its validators are built from them\n"
            "  fix: add --declarative python to try edited types, or leave --types out"
        )

    def literals(info: KindInfo) -> Literals:
        return release_literals(spec.location)(info.group)

    # A worker that has more threads than it gets cores spends the difference on waking them.
    threads = max(1, (os.cpu_count() or 1) // spec.beside) if spec.beside > 1 else None
    if spec.declarative != "python":
        target = KubernetesTarget(spec.location, gates=spec.gates, jobs=threads, note=note)
        universe = Universe.from_folders(type_folders(spec.location))
        return Subject(spec, "kubernetes", cast(Target, target), universe, None, literals)
    api, edited = edited_api(open_api(kubernetes=spec.location), type_folders(spec.location), spec.types or "")
    types = _compiled_types(api, edited, note)
    inner = cast(Target, KubernetesTarget(spec.location, gates=spec.gates, jobs=threads, note=note))
    return Subject(spec, "kubernetes", _with_types(inner, lambda: types), api.universe, None, literals)


def _open_command(spec: SubjectSpec, note: Note) -> Subject:
    # Imported here for the same reason.
    from harness.targets.command import CommandTarget

    try:
        argv = shlex.split(spec.location)
    except ValueError as error:
        fix = "end what is quoted, or put a backslash before the mark"
        raise UsageError(f"--command {spec.location!r} cannot be taken apart: {error}\n  fix: {fix}") from None
    if not argv:
        raise UsageError("no program is named\n  fix: --command 'PROGRAM ARGUMENT ...'")
    if spec.declarative == "python" and not spec.types:
        raise UsageError("--declarative python wants types to compile\n  fix: add --types DIR")
    universe = types_of(spec.types) if spec.types else None
    target = cast(Target, CommandTarget(argv, note=note))
    if universe is not None:
        try:
            _check_types(universe, target.info.kinds, spec, note)
        except BaseException:
            target.close()
            raise
    if spec.declarative == "python" and universe is not None:
        packages = sorted({kind.type.rpartition(".")[0] for kind in target.info.kinds if universe.find(kind.type)})
        api = Api(str(spec.types), DEFAULT_RELEASE, universe, tuple(map(bare_package, packages)))
        target = _with_types(target, lambda: _compiled_types(api, packages, note))
    return Subject(spec, Path(argv[0]).stem, target, universe, None)


def _check_types(universe: Universe, kinds: Sequence[KindInfo], spec: SubjectSpec, note: Note) -> None:
    """See that the types given for a program are those of its kinds. Raises: UsageError when they are of none."""
    names = list(dict.fromkeys(kind.type or kind.kind for kind in kinds))
    unknown = [name for name in names if universe.find(name) is None]
    if unknown and len(unknown) == len(names):
        raise UsageError(
            f"--types {spec.types} has the type of no kind of the program\n"
            f"  why: its kinds have the types {_some(unknown)}; there are {_some(_structs(universe))}\n"
            f"  fix: {_fix_of_types(universe, unknown, str(spec.types))}"
        )
    if unknown:
        note(f"--types {spec.types} has no {_some(unknown)}: objects of these kinds are drawn without their types")


def _structs(universe: Universe) -> list[str]:
    return [
        f"{path}.{name}" for path in universe.paths if path not in SHARED for name in universe.package(path).structs
    ]


def _fix_of_types(universe: Universe, unknown: Sequence[str], types: str) -> str:
    """Say how the types are found: under another import path, by another name, or in another folder."""
    bare = {name.rpartition(".")[2] for name in _structs(universe)}
    for name in unknown:
        package, _, short = name.rpartition(".")
        if package and short in bare:
            return f"--types {package}={types.rpartition('=')[2]}"
    near = next(filter(None, (near_miss(name, _structs(universe)) for name in unknown)), "")
    return near or "name the folder with the types of the program, or leave --types out"


def _some(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "") or "none"


def _with_types(target: Target, types: Callable[[], CompiledTypes]) -> Target:
    """Give a target another declarative side; it is closed when it refuses, or when the types cannot be compiled."""
    try:
        return PythonDeclarative(target, types())
    except BaseException:
        target.close()
        raise


def bare_package(path: str) -> ApiPackage:
    """Describe a package of which nothing but its import path is known."""
    return ApiPackage(path, "", path.rpartition("/")[2])


def _compiled_types(api: Api, now: Collection[str], note: Note) -> CompiledTypes:
    """Return validators that are compiled on first use; those of `now` at once, so that what is wrong is told early."""
    packages = {package.path: package for package in api.packages}
    functions, told = CustomFunctions(), set[str]()

    def compiled(path: str) -> Validators:
        result = api.validators(packages.get(path) or bare_package(path), functions)
        for message in (*map(str, result.warnings), *functions.warnings()):
            if message not in told:
                told.add(message)
                note(message)
        return result

    # A package that orders no generation has no rules, unless somebody has just written some.
    types = CompiledTypes(api.universe, {*packages, *now}, compiled)
    problems: list[Diagnostic] = []
    for path in now:
        try:
            types.package(path)
        except InputError as error:
            problems += error.diagnostics
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    return types


def types_of(types: str) -> Universe:
    """Read `DIR` or `IMPORT/PATH=DIR`; below a plain folder every folder with Go files is a package by its path."""
    package, _, folder = types.rpartition("=")
    root = Path(folder)
    if not root.is_dir():
        raise UsageError(f"the folder of types {folder} does not exist\n  fix: --types DIR, or --types IMPORT/PATH=DIR")
    if package:
        return Universe.from_folders({**SHARED, package: root})
    found = {path.parent for path in root.rglob("*.go")}
    folders = {(path.relative_to(root).as_posix() if path != root else root.name): path for path in found}
    return Universe.from_folders({**SHARED, **folders})


def api_of(spec: SubjectSpec) -> Api | None:
    """Return the API that a specification names, None for a program of which no types are known.

    None too for two subjects beside each other: what is compared there are no rules.

    Raises: InputError, UsageError, TargetError, as opening the subject does.
    """
    if spec.against is not None:
        return None
    if spec.kind == "command":
        return _of_types(spec.types) if spec.types else None
    if spec.kind == "suite":
        suite = import_suite(spec.location) if spec.in_process else load_suite(spec.location)
        if isinstance(suite, Suite):
            return _of_suite(suite)
        return _of_release(replace(spec, kind="kubernetes", location=suite.release))
    return _of_release(spec)


def _of_suite(suite: Suite) -> Api:
    files = suite_files(suite)
    universe = Universe.from_files({**{name: go_files(folder) for name, folder in SHARED.items()}, **files})
    places = {
        package_of(suite, version, place): version for kind in suite.kinds for version, place in kind.versions.items()
    }
    packages = tuple(ApiPackage(path, suite.group, version) for path, version in places.items())
    return Api(suite.name, suite.release, universe, packages)


def _of_release(spec: SubjectSpec) -> Api:
    # Imported here: suites must open fast, and without anything that only a release needs.
    from harness.targets.kubernetes.release import type_folders

    api = open_api(kubernetes=spec.location)
    return edited_api(api, type_folders(spec.location), spec.types or "")[0] if spec.types else api


def _of_types(types: str) -> Api:
    universe = types_of(types)
    paths = sorted(set(universe.paths) - set(SHARED))
    return Api(types, DEFAULT_RELEASE, universe, tuple(map(bare_package, paths)))
