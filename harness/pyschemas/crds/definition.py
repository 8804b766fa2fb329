"""Reads the definition of a custom resource from a file of a suite: its kind, and the schema of one version.

A definition is taken as a server has accepted it. Whether one would is for `harness run --crd` to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from harness.case import Json
from harness.diagnostics import InputError, near_miss
from harness.kubeyaml import Loader
from harness.limits import check_yaml, read_bounded
from harness.pyschemas.adapter import UnusableError
from harness.pyschemas.crds.formats import STORAGE_FORMATS

KIND = "CustomResourceDefinition"
WITHOUT_CEL = "without-cel:"
"""Before a file: the definition there without its CEL rules."""
STORED = "stored:"
"""Before a file: the definition there as a server reads it from its storage, where a newer one may have written it."""
RULES = "x-kubernetes-validations"
_PRESERVES = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING = "x-kubernetes-int-or-string"
_VALUES = ("default", "enum", "example")
"""Words of a schema that hold objects, and no schemas."""
_ENDINGS = (".yaml", ".yml", ".json")
_DEEPEST = 100
_TYPES = ("object", "array", "string", "integer", "number", "boolean")


@dataclass(frozen=True, slots=True)
class CustomResource:
    """One version of a custom resource. `scale` are the paths of its scale subresource, empty without one."""

    name: str
    group: str
    version: str
    kind: str
    schema: Mapping[str, Any]
    scale: Mapping[str, str]
    has_status: bool

    @property
    def api_version(self) -> str:
        """The group and the version of its objects."""
        return f"{self.group}/{self.version}"


def is_definition(validator: object, folder: Path) -> bool:
    """Whether a validator is the name of a file that defines a custom resource."""
    if not isinstance(validator, str | Path) or not str(validator).endswith(_ENDINGS):
        return False
    if str(validator).startswith((WITHOUT_CEL, STORED)):
        return True
    try:
        return any(_documents(folder / validator, str(validator)))
    except (UnusableError, OSError):
        return False


def read_resource(file: str, version: str, folder: Path, proposed: bool = False) -> CustomResource:
    """Read one version of a custom resource; an empty version is the one that is stored. Raises: UnusableError."""
    place = file.removeprefix(WITHOUT_CEL).removeprefix(STORED)
    is_stored = file.startswith(STORED)
    if is_stored and not proposed:
        why = "no release knows formats in stored definitions that it does not know in new ones; KEP-4153 proposes it"
        raise UnusableError(f"{file} means {place} in every release", why, 'Suite(..., release="proposed")')
    try:
        found = list(_documents(folder / place, place))
    except OSError as error:
        fix = "name a file by its path in the folder of the suite"
        raise UnusableError(f"{place} cannot be read: {error.strerror}", "", fix) from None
    if len(found) != 1:
        fix = f"name a file with one {KIND}"
        raise UnusableError(f"{place} has {len(found)} definitions", "a suite compares objects of one kind", fix)
    spec = found[0].get("spec")
    spec = spec if isinstance(spec, dict) else {}
    chosen = _version(place, spec, version)
    schema = (chosen.get("schema") or {}).get("openAPIV3Schema")
    if not isinstance(schema, dict):
        fix = "write the schema of the version: schema.openAPIV3Schema"
        raise UnusableError(f"{place} has no schema for {chosen['name']}", "without one there are no rules", fix)
    if file.startswith(WITHOUT_CEL):
        schema = _without(schema, lambda name, _: name == RULES)
    if not is_stored:
        schema = _without(schema, lambda name, value: name == "format" and _is_of_storage(value))
    _check_structure(place, schema)
    resources = chosen.get("subresources") or {}
    return CustomResource(
        place, str(spec.get("group")), str(chosen["name"]), str((spec.get("names") or {}).get("kind")), schema,
        dict(resources.get("scale") or {}), "status" in resources,
    )  # fmt: skip


def _documents(file: Path, name: str) -> Iterator[dict[str, Any]]:
    text = read_bounded(file)
    try:
        check_yaml(text, name)
        loaded = list(yaml.load_all(text, Loader=Loader))
    except (yaml.YAMLError, InputError, ValueError) as error:
        raise UnusableError(f"{name} holds no YAML: {str(error).splitlines()[0]}") from None
    for document in loaded:
        if isinstance(document, dict) and document.get("kind") == KIND:
            yield document


def _version(place: str, spec: Mapping[str, Any], wanted: str) -> Mapping[str, Any]:
    versions = [one for one in spec.get("versions") or () if isinstance(one, dict) and one.get("name")]
    names = [str(one["name"]) for one in versions]
    for one in versions:
        if one["name"] == wanted or (not wanted and one.get("storage")):
            return one
    if not wanted and versions:
        return versions[-1]
    hint = near_miss(wanted, names) or f"one of {', '.join(names)}"
    raise UnusableError(f"{place} has no version {wanted!r}", "", hint if names else "define spec.versions")


def _without(schema: Json, is_left_out: Callable[[str, Json], bool]) -> Any:
    """Return a schema without some of its words. Names of members are none."""
    if isinstance(schema, list):
        return [_without(one, is_left_out) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {}
    for name, value in schema.items():
        if name == "properties" and isinstance(value, dict):
            made[name] = {member: _without(one, is_left_out) for member, one in value.items()}
        elif not is_left_out(name, value):
            made[name] = _without(value, is_left_out) if name not in _VALUES else value
    return made


def _is_of_storage(format: Json) -> bool:
    return isinstance(format, str) and format.replace("-", "") in STORAGE_FORMATS


def _check_structure(place: str, schema: Mapping[str, Any]) -> None:
    """Refuse what no server takes, and what would be judged wrongly here."""
    why = "a server refuses such a definition; `harness run --crd` tells every reason"
    for at, node, depth in _nodes(schema):
        where = f"{place}: {at or 'the schema'}"
        if "$ref" in node:
            raise UnusableError(f"{where} refers to {node['$ref']}", why, "write the schema in place of the reference")
        if depth > _DEEPEST:
            raise UnusableError(f"{where} is nested more than {_DEEPEST} times", why)
        kind = node.get("type")
        if kind not in _TYPES and not node.get(_INT_OR_STRING) and not (kind is None and node.get(_PRESERVES)):
            raise UnusableError(f"{where} has the type {kind!r}", why, f"type: one of {', '.join(_TYPES)}")
        if kind == "array" and not isinstance(node.get("items"), dict):
            raise UnusableError(f"{where} is a list without items", why, "items: {type: ...}")


def _nodes(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], int]]:
    waiting: list[tuple[str, Any, int]] = [("", schema, 0)]
    while waiting:
        at, node, depth = waiting.pop()
        if not isinstance(node, dict):
            continue
        yield at, node, depth
        if depth > _DEEPEST:
            continue
        for name, below in (node.get("properties") or {}).items():
            waiting.append((f"{at}.{name}" if at else str(name), below, depth + 1))
        if isinstance(node.get("items"), dict):
            waiting.append((f"{at}[*]", node["items"], depth + 1))
        if isinstance(node.get("additionalProperties"), dict):
            waiting.append((f"{at}[*]", node["additionalProperties"], depth + 1))
