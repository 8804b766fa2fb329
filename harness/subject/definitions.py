"""Reads CustomResourceDefinitions from a file, a folder or a git revision, and finds the line of a field in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from harness.case import Json
from harness.diagnostics import Diagnostic, InputError, Position, UsageError
from harness.git import Repository
from harness.objectmodel import KIND, type_of
from harness.subject.fileobjects import FileObject, files_of, member
from harness.subject.manifests import documents_of

DEFINITION: Final = "CustomResourceDefinition"
_GROUP: Final = "apiextensions.k8s.io"
_SERVED: Final = f"{_GROUP}/v1"
WITHOUT_CEL: Final = "without-cel:"
"""Before a location: the definitions there without their CEL rules."""
_RULES: Final = "x-kubernetes-validations"


@dataclass(frozen=True, slots=True)
class Definition(FileObject):
    """A definition and its file; its name is `PLURAL.GROUP`."""

    @property
    def group(self) -> str:
        """The group of what it defines."""
        return str(member(self.document, "spec", "group") or "")

    @property
    def kind(self) -> str:
        """The kind that it defines."""
        return str(member(self.document, "spec", "names", "kind") or "")

    @property
    def resource(self) -> str:
        """The resource that it defines."""
        return str(member(self.document, "spec", "names", "plural") or "")

    def schemas(self) -> Iterator[tuple[str, Mapping[str, Json]]]:
        """Yield the name and the schema of each version that is served."""
        return ((name, schema) for _, name, schema in self.numbered_schemas())

    def numbered_schemas(self) -> Iterator[tuple[int, str, Mapping[str, Json]]]:
        """Yield the number, the name and the schema of each version that is served."""
        versions = member(self.document, "spec", "versions")
        for number, version in enumerate(versions if isinstance(versions, list) else ()):
            schema = member(version, "schema", "openAPIV3Schema")
            if isinstance(schema, dict) and version.get("served"):
                yield number, str(version.get("name")), schema


def read_definitions(location: str, repository: Repository | None = None) -> list[Definition]:
    """Read every definition of a file, of the files below a folder, or of either in a git revision (`REV:PATH`).

    A revision is one of `repository`, else of the one around the current folder. Documents that define nothing are
    skipped. Raises: InputError with everything that is wrong, UsageError.
    """
    place = location.removeprefix(WITHOUT_CEL)
    found: list[Definition] = []
    problems: list[Diagnostic] = []
    for file, text in files_of(place, "CRDs", repository):
        try:
            found += _definitions(file, text)
        except InputError as error:
            problems += error.diagnostics
    problems += _twice(found)
    if problems:
        raise InputError(problems)
    if not found:
        raise UsageError(
            f"{place} has no {DEFINITION}\n  why: *.yaml, *.yml and *.json files are read, in folders below too\n"
            "  fix: name the folder that controller-gen writes CRDs to, such as config/crd"
        )
    return [without_cel(one) for one in found] if place != location else found


def _definitions(file: str, text: bytes) -> Iterator[Definition]:
    problems = []
    for value, position in documents_of(text, file):
        if not isinstance(value, dict) or value.get(KIND) != DEFINITION:
            continue
        version, _ = type_of(value)
        if version == _SERVED:
            yield Definition(value, file, text, position.line)
        elif version.startswith(f"{_GROUP}/"):
            message, why = f"{version} is not served any more", "Kubernetes serves v1 alone since 1.22"
            problems.append(Diagnostic(position, "crd-version", message, why, f"apiVersion: {_SERVED}"))
    if problems:
        raise InputError(problems)


def _twice(found: Sequence[Definition]) -> list[Diagnostic]:
    """Find kinds that are defined more than once, as by a folder with two channels of one API."""
    first: dict[str, Definition] = {}
    problems = []
    for one in found:
        other = first.setdefault(one.name, one)
        if other is not one:
            message = f"{one.name} is defined twice"
            why = f"it is defined at {Position(other.file, other.begin)} too, and a cluster has one of a name"
            place = Position(one.file, one.begin)
            problems.append(Diagnostic(place, "crd-twice", message, why, "name one of the two folders, or one file"))
    return problems


def without_cel(definition: Definition) -> Definition:
    """Return a definition without CEL rules."""
    return replace(definition, document=_without_rules(definition.document))


def _without_rules(value: Json) -> Any:
    if isinstance(value, dict):
        return {name: _without_rules(below) for name, below in value.items() if name != _RULES}
    return [_without_rules(item) for item in value] if isinstance(value, list) else value
