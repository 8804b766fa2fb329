"""Opens a subject: its target, and the readers of its types that generators and comparator want.

Everything a run knows of "what is examined" comes from here, for suites, Kubernetes releases and programs alike.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias, cast

from harness.case import KindInfo
from harness.compare.composition import MIGRATION
from harness.compare.ends import Ends
from harness.compiler import Compiled, Validators, compile_types
from harness.diagnostics import Diagnostic, InputError, Position, UsageError, near_miss
from harness.fuzzers.shape import ANY, Shape, shape_of
from harness.gotypes.literals import NO_LITERALS, Literals
from harness.gotypes.packages import Universe
from harness.gotypes.paths import known_path_checker
from harness.subject.api import DEFAULT_RELEASE, Api, ApiPackage, open_api
from harness.subject.declarative import CompiledTypes, PythonDeclarative
from harness.subject.decode import decoder_of
from harness.subject.edited import edited_api
from harness.subject.literals import python_literals, release_literals
from harness.subject.shared import SHARED, go_files
from harness.subject.spec import SubjectSpec
from harness.subject.suitefile import load_suite
from harness.subject.twin import TwinTarget
from harness.subject.typesonly import types_target
from harness.suite import KubernetesSuite, Suite, SuiteKind
from harness.tags.custom_kubernetes import CustomFunctions
from harness.targets.endpoint import Declarative, Decoder, KindVersion
from harness.targets.python import PythonTarget
from harness.targets.recorded import RecordedTarget
from harness.targets.recording import Recording, read_recording
from harness.targets.target import Target

Note: TypeAlias = Callable[[str], None]
Rework: TypeAlias = Callable[[Suite, Universe, Compiled], Compiled]
"""Puts other validators in the place of a package's compiled ones: a sabotage, for one."""

_ROOTS = (
    "write `// +k8s:validation-gen=TypesWithField=TypeMeta` into doc.go, or `// +k8s:validation-gen=true` at the type"
)


def _silent(_text: str) -> None:
    """Tell nobody."""


class Subject:
    """What is examined. Close it when done; job processes open their own from `spec`.

    With a `recording` the target answers what was recorded, and nothing else.
    """

    def __init__(
        self,
        spec: SubjectSpec,
        name: str,
        target: Target,
        universe: Universe | None,
        corpus: Path | None,
        literals: Callable[[KindInfo], Literals] = lambda info: NO_LITERALS,
        recording: Recording | None = None,
    ) -> None:
        self.spec, self.name, self.target, self.universe, self.corpus = spec, name, target, universe, corpus
        self.recording = recording
        self._literals = literals
        self._checkers: dict[str, Callable[[str], bool]] = {}

    @property
    def part(self) -> str:
        """Its name among the parts of one run: with the feature gates that were asked for."""
        return f"{self.name} {self.spec.gates_text}".rstrip()

    @property
    def ends(self) -> Ends | None:
        """The names of both targets, when what users of two are served is compared."""
        return self.target.ends if isinstance(self.target, TwinTarget) else None

    def shape(self, info: KindInfo) -> Shape:
        """Return what JSON an object of this kind is made of; `any` when its types are not known."""
        if self.universe is None or not info.type:
            return ANY
        return shape_of(self.universe, info.type)

    def is_known_path(self, info: KindInfo) -> Callable[[str], bool] | None:
        """Return the check whether a reported path names a field of this kind, None when its types are not known."""
        if self.universe is None or self.spec.against or not info.type or self.universe.find(info.type) is None:
            return None
        if info.type not in self._checkers:
            self._checkers[info.type] = known_path_checker(self.universe, info.type)
        return self._checkers[info.type]

    def literals(self, info: KindInfo) -> Literals:
        """Return what the sources of the handwritten validator of this kind know; nothing where they are unknown."""
        return self._literals(info)

    def close(self) -> None:
        """Free the target. May be called twice."""
        self.target.close()

    def __enter__(self) -> Subject:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def open_subject(spec: SubjectSpec, note: Note = _silent) -> Subject:
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
    return Subject(spec, inner.name, cast(Target, target), inner.universe, None, inner.literals, recording)


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
    return Subject(spec, f"{first.name} against {Path(against).name}", target, first.universe, None)


def open_suite(spec: SubjectSpec, note: Note = _silent, rework: Rework | None = None) -> Subject:
    """Open a suite, with reworked validators where somebody wants to see what happens then.

    Raises: InputError, TargetError, UsageError.
    """
    suite = load_suite(spec.location)
    if spec.handwritten is None and not isinstance(suite, KubernetesSuite):
        _check_handwritten(suite)
    if spec.types and not isinstance(suite, KubernetesSuite):
        raise UsageError(f"{suite.name} says itself where its types are\n  fix: leave --types out")
    if isinstance(suite, KubernetesSuite):
        gates = {**suite.gates, **spec.gates}
        return _open_kubernetes(replace(spec, kind="kubernetes", location=suite.release, gates=gates), note)
    _check_gates(suite, spec.gates)
    shared = {package: go_files(folder) for package, folder in SHARED.items()}
    universe = Universe.from_files({**shared, **suite_files(suite)})
    compiled = _compile(suite, universe, note)
    if rework is not None:
        compiled = {package: rework(suite, universe, one) for package, one in compiled.items()}
    declarative, decoders, types = _callables(suite, universe, compiled, note)
    target = PythonTarget(suite, declarative, decoders=decoders, types=types, gates=spec.gates)
    sources = {kind.kind: kind.handwritten for kind in suite.kinds}
    return Subject(
        spec, suite.name, target, universe, suite.folder / "corpus", lambda info: python_literals(sources[info.kind])
    )


def _check_handwritten(suite: Suite) -> None:
    gone = [kind.kind for kind in suite.kinds if kind.handwritten is None]
    if gone:
        raise UsageError(
            f"{suite.name} has no handwritten validator of {', '.join(gone)}: there is nothing to compare with\n"
            "  fix: --handwritten FILE, recorded before it was deleted by harness record"
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


def _callables(
    suite: Suite, universe: Universe, compiled: Mapping[str, Compiled], note: Note
) -> tuple[dict[KindVersion, Declarative], dict[KindVersion, Decoder], dict[KindVersion, str]]:
    declarative: dict[KindVersion, Declarative] = {}
    decoders: dict[KindVersion, Decoder] = {}
    types: dict[KindVersion, str] = {}
    for kind in suite.kinds:
        for version, place in kind.versions.items():
            key, package = (kind.kind, version), package_of(suite, version, place)
            types[key] = f"{package}.{kind.kind}"
            _check_type(suite, kind, universe, types[key], place)
            decoders[key] = decoder_of(shape_of(universe, types[key]))
            if kind.kind not in compiled[package].types:
                note(f"{suite.folder / place}: {kind.kind} is no root type, so its tags do not count: {_ROOTS}")
            elif compiled[package].has_rules(kind.kind):
                declarative[key] = partial(compiled[package].validate, kind.kind)
    return declarative, decoders, types


def _check_type(suite: Suite, kind: SuiteKind, universe: Universe, qualified: str, place: str) -> None:
    if universe.find(qualified) is None:
        package = universe.package(qualified.rpartition(".")[0])
        hint = near_miss(kind.kind, list(package.structs)) or f"declare `type {kind.kind} struct`"
        position = Position(str(suite.folder / place))
        raise InputError([Diagnostic(position, "suite-type", f"there is no type {kind.kind} here", fix=hint)])


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

    if spec.declarative != "python":
        target = KubernetesTarget(spec.location, gates=spec.gates, note=note)
        universe = Universe.from_folders(type_folders(spec.location))
        return Subject(spec, "kubernetes", cast(Target, target), universe, None, literals)
    api, edited = edited_api(open_api(kubernetes=spec.location), type_folders(spec.location), spec.types or "")
    types = _compiled_types(api, edited, note)
    inner = cast(Target, KubernetesTarget(spec.location, gates=spec.gates, note=note))
    return Subject(spec, "kubernetes", _with_types(inner, lambda: types), api.universe, None, literals)


def _open_command(spec: SubjectSpec, note: Note) -> Subject:
    # Imported here for the same reason.
    from harness.targets.command import CommandTarget

    argv = shlex.split(spec.location)
    if not argv:
        raise UsageError("no program is named\n  fix: --command 'PROGRAM ARGUMENT ...'")
    if spec.declarative == "python" and not spec.types:
        raise UsageError("--declarative python wants types to compile\n  fix: add --types DIR")
    universe = types_of(spec.types) if spec.types else None
    target = cast(Target, CommandTarget(argv, note=note))
    if spec.declarative == "python" and universe is not None:
        packages = sorted({kind.type.rpartition(".")[0] for kind in target.info.kinds if universe.find(kind.type)})
        api = Api(str(spec.types), DEFAULT_RELEASE, universe, tuple(map(bare_package, packages)))
        target = _with_types(target, lambda: _compiled_types(api, packages, note))
    return Subject(spec, Path(argv[0]).stem, target, universe, None)


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
