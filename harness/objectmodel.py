"""Models the parts that all objects of Kubernetes share: apiVersion and kind, the metadata, and the status.

Generic code uses the names and functions of this module instead of literals. Facts about one release are in
`targets.kubernetes`.
Source: apimachinery pkg/apis/meta/v1/types.go (2026-07).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from harness.case import Json, KindInfo
from harness.jsonpath import JsonPath, pattern_of

META: Final = "k8s.io/apimachinery/pkg/apis/meta/v1"
"""The Go package of ObjectMeta, TypeMeta and other types that all kinds share."""

JsonForm: TypeAlias = Literal["time", "micro-time", "duration", "quantity", "int-or-string", "fields", "raw", "any"]
"""`any` is any JSON value, `raw` any JSON object (RawExtension), `fields` a managed-fields set (FieldsV1)."""

SPECIAL_TYPES: Final[Mapping[str, JsonForm]] = {
    f"{META}.Time": "time",
    f"{META}.MicroTime": "micro-time",
    f"{META}.Duration": "duration",
    f"{META}.FieldsV1": "fields",
    "k8s.io/apimachinery/pkg/api/resource.Quantity": "quantity",
    "k8s.io/apimachinery/pkg/util/intstr.IntOrString": "int-or-string",
    "k8s.io/apimachinery/pkg/runtime.RawExtension": "raw",
    "k8s.io/apimachinery/pkg/runtime.Unknown": "raw",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "any",
}
"""Go types with custom JSON encodings, which differ from their declarations."""

ANY_JSON: Final[frozenset[JsonForm]] = frozenset({"fields", "raw", "any"})
"""Forms whose contents have no declared fields."""

API_VERSION: Final = "apiVersion"
KIND: Final = "kind"
TYPE_META: Final = (API_VERSION, KIND)
"""Members that identify the type of an object."""

METADATA: Final = "metadata"
STATUS: Final = "status"
SCALE: Final = "scale"
"""A member, and the name of the subresource that writes it, where a kind has one."""

HEADER: Final[frozenset[JsonPath]] = frozenset({(API_VERSION,), (KIND,)})
IDENTITY: Final[frozenset[JsonPath]] = HEADER | {(METADATA, "name"), (METADATA, "namespace")}
"""Paths that identify an object."""

NAMING = frozenset({"name", "namespace", "uid", "resourceVersion", "generation", "generateName"})
"""Members of the metadata that identify an object or its revision."""

SERVER_OWNED = frozenset(
    {"managedFields", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}
)
"""Members of the metadata that the server sets and requests need not."""

SERVER_FILLED = frozenset({"uid", "creationTimestamp", "generation", "managedFields"})
"""Members of the metadata that a server sets when an object is created or stored."""

REVISION: Final = "resourceVersion"
"""The member of the metadata with the revision of an object, which an update must name."""
FIRST_REVISION: Final = "1"
"""The revision of an object when it is first stored."""

OPTIONAL_METADATA = SERVER_OWNED | {"ownerReferences"}
"""Members of the metadata that a shortened ObjectMeta of a suite may leave out."""

NOT_EDITED: Final[frozenset[JsonPath]] = HEADER | {(METADATA, "managedFields"), (METADATA, "creationTimestamp")}
"""Paths that a search does not edit, because servers write them, or because they determine the kind."""

NAMESPACE: Final = "default"
"""The namespace of objects without one."""

_GROUP_FOLDER = re.compile(r"^k8s\.io/kubernetes/pkg/(?:apis|registry)/(\w+)")
_FOLDERS: Final = {"": "core", "internal.apiserver.k8s.io": "apiserverinternal"}


def is_type_meta(name: str) -> bool:
    """Whether a Go type, qualified or not, is TypeMeta, which has apiVersion and kind."""
    return name.rpartition(".")[2] == "TypeMeta"


def is_object_meta(name: str) -> bool:
    """Whether a Go type, qualified or not, is ObjectMeta."""
    return name.rpartition(".")[2] == "ObjectMeta"


# Paths


def is_in_metadata(path: JsonPath) -> bool:
    """Whether a JSON path is that of the metadata, or below it."""
    return path[:1] == (METADATA,)


def is_in_status(path: JsonPath) -> bool:
    """Whether a JSON path is that of the status, or below it."""
    return path[:1] == (STATUS,)


def is_metadata_field(field: str) -> bool:
    """Whether a field path is that of the metadata, or below it."""
    return is_in_metadata(pattern_of(field))


def is_status_field(field: str) -> bool:
    """Whether a field path is that of the status, or below it."""
    return is_in_status(pattern_of(field))


# Objects


def group_of_package(package: str, groups: Iterable[str]) -> str | None:
    """Return which of these API groups the handwritten code of a package is for; None for code that they share.

    Source: the folders of pkg/apis and pkg/registry have the first part of a group's name, but for two (2026-11).
    """
    found = _GROUP_FOLDER.search(package)
    named = {_FOLDERS.get(group, group.partition(".")[0]): group for group in groups}
    return named.get(found[1]) if found is not None else None


def header_of(api_version: str, kind: str) -> dict[str, Json]:
    """Return the apiVersion and kind members of an object; none for a plain one, whose kind has no apiVersion."""
    return {API_VERSION: api_version, KIND: kind} if api_version else {}


def named_object(info: KindInfo) -> dict[str, Json]:
    """Return an object of a kind with only a name, and a namespace for namespaced kinds; a plain one is empty."""
    if not info.api_version:
        return {}
    metadata = {"name": "a", "namespace": NAMESPACE} if info.namespaced else {"name": "a"}
    return {**header_of(info.api_version, info.kind), METADATA: metadata}


def type_of(obj: Json) -> tuple[str, str]:
    """Return the apiVersion and the kind of an object, empty when missing."""
    return str(obj.get(API_VERSION, "")), str(obj.get(KIND, ""))


def metadata_of(obj: Json) -> dict[str, Json] | None:
    """Return the metadata of an object; None when it has none or is not an object."""
    metadata = obj.get(METADATA) if isinstance(obj, dict) else None
    return metadata if isinstance(metadata, dict) else None


def name_of(obj: Json) -> tuple[str, str]:
    """Return the namespace and the name of an object, empty when missing."""
    metadata = metadata_of(obj) or {}
    return str(metadata.get("namespace", "")), str(metadata.get("name", ""))


def with_metadata(obj: dict[str, Json], metadata: dict[str, Json]) -> dict[str, Json]:
    """Return a copy with other metadata."""
    return {**obj, METADATA: metadata}


def generate_name_of(obj: Json) -> str:
    """Return what a server makes a name of; empty where the object has a name, or neither."""
    metadata = metadata_of(obj) or {}
    return "" if metadata.get("name") else str(metadata.get("generateName") or "")


def in_namespace(obj: Json) -> Json:
    """Return an object with the default namespace when it has none."""
    metadata = obj.get(METADATA, {}) if isinstance(obj, dict) else None
    if not isinstance(metadata, dict) or metadata.get("namespace"):
        return obj
    return with_metadata(obj, {**metadata, "namespace": NAMESPACE})


def stored(obj: Json) -> Json:
    """Return a copy as a server stores it: with a uid and a resource version, which updates need."""
    metadata = metadata_of(obj)
    return obj if metadata is None else with_metadata(obj, {REVISION: FIRST_REVISION, "uid": "a", **metadata})


def unstored(obj: dict[str, Json]) -> dict[str, Json]:
    """Return a copy without what only a server writes into metadata: the object as somebody would create it again."""
    metadata = metadata_of(obj)
    if metadata is None:
        return obj
    theirs = SERVER_OWNED | SERVER_FILLED | {REVISION}
    return with_metadata(obj, {name: value for name, value in metadata.items() if name not in theirs})


def with_annotation(obj: Json) -> Json:
    """Return a copy with another annotation, a difference that no rule checks."""
    metadata = metadata_of(obj)
    if metadata is None:
        return obj
    annotations = metadata.get("annotations")
    annotations = annotations if isinstance(annotations, dict) else {}
    return with_metadata(obj, {**metadata, "annotations": {**annotations, "touched": "a"}})


def without_status(obj: dict[str, Json]) -> dict[str, Json]:
    """Return a copy without its status."""
    return {name: value for name, value in obj.items() if name != STATUS}


def essence_of(obj: Json) -> Json:
    """Remove the parts that every object needs: apiVersion, kind, name and namespace."""
    if not isinstance(obj, dict):
        return obj
    kept = {name: value for name, value in obj.items() if name not in TYPE_META}
    metadata = metadata_of(kept)
    if metadata is None:
        return kept
    inside = {name: value for name, value in metadata.items() if (METADATA, name) not in IDENTITY}
    return {name: inside if name == METADATA else value for name, value in kept.items() if name != METADATA or inside}
