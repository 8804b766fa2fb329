"""Opens the Go types of a folder as a subject that has only declarative validators, compiled from their tags."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from harness.case import Json
from harness.diagnostics import UsageError
from harness.field import ErrorList
from harness.fuzzers.shape import shape_of
from harness.subject.api import Api, ApiPackage, open_api
from harness.subject.decode import decoder_of
from harness.subject.defaults import SetDefaults, defaults_of
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject
from harness.subject.targetkind import TargetKind
from harness.suite import Context, Suite, SuiteKind
from harness.targets.endpoint import Declarative, Decoder, KindVersion
from harness.targets.python import PythonTarget


def _types_target(location: str, note: Callable[[str], None]) -> tuple[Api, PythonTarget]:
    """Compile the types of a folder, and serve every root type as a resource.

    Raises: UsageError if the folder has no root types, or root types of several groups, InputError for invalid types.
    """
    api = open_api(location)
    kinds: list[SuiteKind] = []
    groups: dict[str, None] = {}
    declarative: dict[KindVersion, Declarative] = {}
    decoders: dict[KindVersion, Decoder] = {}
    types: dict[KindVersion, str] = {}
    for package in api.packages:
        compiled = api.validators(package)
        for warning in compiled.warnings:
            note(str(warning))
        for name in compiled.types:
            key = (name, package.version)
            groups[package.group] = None
            types[key] = f"{package.path}.{name}"
            kinds.append(_suite_kind(name, package, defaults_of(api.universe, types[key])))
            decoders[key] = decoder_of(shape_of(api.universe, types[key]))
            if compiled.has_rules(name):
                declarative[key] = partial(compiled.validate, name)
    if not kinds:
        fix = "write `// +k8s:validation-gen=TypesWithField=TypeMeta` into doc.go, or `// +k8s:validation-gen=true`"
        raise UsageError(f"{location} declares no root types\n  fix: {fix} at the type")
    if len(groups) > 1:
        raise UsageError(f"{location} has types of {len(groups)} groups\n  fix: name the folder of one of them")
    suite = Suite(Path(location).name, next(iter(groups)), kinds, release=".".join(api.release.split(".")[:2]))
    return api, PythonTarget(suite, declarative, decoders=decoders, types=types)


def _suite_kind(name: str, package: ApiPackage, defaults: SetDefaults | None) -> SuiteKind:
    by_version = {} if defaults is None else {package.version: defaults}
    return SuiteKind(name, name.lower() + "s", {package.version: "."}, _accept, defaults=by_version)


def _accept(new: Json, old: Json, context: Context) -> ErrorList:
    """Report no errors, in place of the handwritten validator that does not exist."""
    return []


def _open(spec: SubjectSpec, note: Note) -> Subject:
    api, target = _types_target(spec.location, note)
    return Subject(spec, api.name, target, api.universe, None, release=api.release)


TYPES = TargetKind("types", _open, lambda spec: open_api(spec.location), runs_code=lambda location: False)
