"""What every object of Kubernetes has, whatever its kind: apiVersion and kind, its metadata, and perhaps a status.

Generic code asks here and names none of it. What only one release has stands in `targets.kubernetes`, and what a kind
declares in its Go types.
Source: apimachinery pkg/apis/meta/v1/types.go (2026-07).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from harness.case import Json, KindInfo
from harness.jsonpath import JsonPath, pattern_of

META: Final = "k8s.io/apimachinery/pkg/apis/meta/v1"
"""The Go package of metadata and of what all kinds share."""

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
"""Go types whose JSON is not what their declaration says."""

ANY_JSON: Final[frozenset[JsonForm]] = frozenset({"fields", "raw", "any"})
"""Forms within which no field has a declaration."""

API_VERSION: Final = "apiVersion"
KIND: Final = "kind"
TYPE_META: Final = (API_VERSION, KIND)
"""Members by which an object says what it is."""

METADATA: Final = "metadata"
STATUS: Final = "status"
"""A member, and the name of the subresource that alone writes it, where a kind has one."""

HEADER: Final[frozenset[JsonPath]] = frozenset({(API_VERSION,), (KIND,)})
IDENTITY: Final[frozenset[JsonPath]] = HEADER | {(METADATA, "name"), (METADATA, "namespace")}
"""Paths that say which object of which kind this is."""

NAMING = frozenset({"name", "namespace", "uid", "resourceVersion", "generation", "generateName"})
"""Members of the metadata that tell one object, or one state of it, from others."""

SERVER_OWNED = frozenset(
    {"managedFields", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}
)
"""Members of the metadata that a request cannot usefully say."""

SERVER_FILLED = frozenset({"uid", "creationTimestamp", "generation", "managedFields"})
"""Members of the metadata that a server fills in where an object is created or stored."""

REVISION: Final = "resourceVersion"
"""The member of the metadata that says which state of an object an update is of."""
FIRST_REVISION: Final = "1"
"""What stored objects say there that have not been stored yet."""

METADATA_BESIDE = SERVER_OWNED | {"ownerReferences"}
"""Members of the metadata that a shortened ObjectMeta of a suite may leave out."""

NOT_EDITED: Final[frozenset[JsonPath]] = HEADER | {(METADATA, "managedFields"), (METADATA, "creationTimestamp")}
"""Paths that a search leaves as they are: servers write them, or take the object for another kind."""

NAMESPACE: Final = "default"
"""The namespace of objects that name none."""


def is_type_meta(name: str) -> bool:
    """Whether a Go type, qualified or not, is the one that holds apiVersion and kind."""
    return name.rpartition(".")[2] == "TypeMeta"


def is_object_meta(name: str) -> bool:
    """Whether a Go type, qualified or not, is the one that holds the metadata."""
    return name.rpartition(".")[2] == "ObjectMeta"


# Paths


def is_in_metadata(path: JsonPath) -> bool:
    """Whether a JSON path is that of the metadata, or within it."""
    return path[:1] == (METADATA,)


def is_in_status(path: JsonPath) -> bool:
    """Whether a JSON path is that of the status, or within it."""
    return path[:1] == (STATUS,)


def is_metadata_field(field: str) -> bool:
    """Whether a field path is that of the metadata, or within it."""
    return is_in_metadata(pattern_of(field))


def is_status_field(field: str) -> bool:
    """Whether a field path is that of the status, or within it."""
    return is_in_status(pattern_of(field))


# Objects


def header_of(api_version: str, kind: str) -> dict[str, Json]:
    """Return what an object says of its type."""
    return {API_VERSION: api_version, KIND: kind}


def named_object(info: KindInfo) -> dict[str, Json]:
    """Return an object of a kind with a name, a namespace where it needs one, and nothing else."""
    metadata = {"name": "a", "namespace": NAMESPACE} if info.namespaced else {"name": "a"}
    return {**header_of(info.api_version, info.kind), METADATA: metadata}


def type_of(obj: Json) -> tuple[str, str]:
    """Return the apiVersion and the kind that an object names, empty where it names none."""
    return str(obj.get(API_VERSION, "")), str(obj.get(KIND, ""))


def metadata_of(obj: Json) -> dict[str, Json] | None:
    """Return the metadata of an object, None where it has none, or is no object."""
    metadata = obj.get(METADATA) if isinstance(obj, dict) else None
    return metadata if isinstance(metadata, dict) else None


def name_of(obj: Json) -> tuple[str, str]:
    """Return the namespace and the name of an object, empty where it has none."""
    metadata = metadata_of(obj) or {}
    return str(metadata.get("namespace", "")), str(metadata.get("name", ""))


def with_metadata(obj: dict[str, Json], metadata: dict[str, Json]) -> dict[str, Json]:
    """Return a copy with this metadata."""
    return {**obj, METADATA: metadata}


def in_namespace(obj: Json) -> Json:
    """Give an object that names no namespace the one that a request would."""
    metadata = obj.get(METADATA, {}) if isinstance(obj, dict) else None
    if not isinstance(metadata, dict) or metadata.get("namespace"):
        return obj
    return with_metadata(obj, {**metadata, "namespace": NAMESPACE})


def stored(obj: Json) -> Json:
    """Return a copy as it would be stored: with a uid and a resource version, so that an update may name it."""
    metadata = metadata_of(obj)
    return obj if metadata is None else with_metadata(obj, {REVISION: FIRST_REVISION, "uid": "a", **metadata})


def touched(obj: Json) -> Json:
    """Return a copy that differs in something that no rule minds: an annotation."""
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
    """Leave out what every request needs: which kind, which name."""
    if not isinstance(obj, dict):
        return obj
    kept = {name: value for name, value in obj.items() if name not in TYPE_META}
    metadata = metadata_of(kept)
    if metadata is None:
        return kept
    inside = {name: value for name, value in metadata.items() if (METADATA, name) not in IDENTITY}
    return {name: inside if name == METADATA else value for name, value in kept.items() if name != METADATA or inside}
