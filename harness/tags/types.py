"""Resolves Go types through typedefs, as tags need it.

Well-known types of apimachinery are built in, so that a suite of one file needs no other package.
Source: semantics.md#2.1, #2.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from harness.diagnostics import Position
from harness.gotypes.model import Const, Field, Package, Struct, Typedef, TypeRef
from harness.objectmodel import ANY_JSON, META, SPECIAL_TYPES

SPECIAL: dict[str, str] = {
    **{name: "any" if form in ANY_JSON else form for name, form in SPECIAL_TYPES.items()},
    "time.Time": "time",
    "time.Duration": "integer",
}
"""Types whose JSON is not what their declaration says. They have no rules of their own."""

_STRING = TypeRef("builtin", "string")
_STRINGS = TypeRef("list", elem=_STRING)
_STRING_MAP = TypeRef("map", elem=_STRING, key=_STRING)
_INT64 = TypeRef("builtin", "int64")
_BOOL = TypeRef("builtin", "bool")


def _meta(name: str) -> TypeRef:
    return TypeRef("named", f"{META}.{name}")


def _pointer(ref: TypeRef) -> TypeRef:
    return TypeRef("pointer", elem=ref)


def _struct(name: str, /, **members: TypeRef) -> tuple[str, Struct]:
    nowhere = Position(f"{META} (built in)")
    fields = tuple(Field(n[:1].upper() + n[1:], n, ref, nowhere, omitempty=True) for n, ref in members.items())
    return f"{META}.{name}", Struct(name, META, fields, nowhere)


_TIME = _meta("Time")
WELL_KNOWN: dict[str, Struct] = dict(
    (
        _struct("TypeMeta", kind=_STRING, apiVersion=_STRING),
        _struct(
            "ListMeta",
            selfLink=_STRING,
            resourceVersion=_STRING,
            **{"continue": _STRING, "remainingItemCount": _pointer(_INT64)},
        ),
        _struct(
            "ObjectMeta",
            name=_STRING,
            generateName=_STRING,
            namespace=_STRING,
            selfLink=_STRING,
            uid=_STRING,
            resourceVersion=_STRING,
            generation=_INT64,
            creationTimestamp=_TIME,
            deletionTimestamp=_pointer(_TIME),
            deletionGracePeriodSeconds=_pointer(_INT64),
            labels=_STRING_MAP,
            annotations=_STRING_MAP,
            ownerReferences=TypeRef("list", elem=_meta("OwnerReference")),
            finalizers=_STRINGS,
            managedFields=TypeRef("list", elem=_meta("ManagedFieldsEntry")),
        ),
        _struct(
            "OwnerReference",
            apiVersion=_STRING,
            kind=_STRING,
            name=_STRING,
            uid=_STRING,
            controller=_pointer(_BOOL),
            blockOwnerDeletion=_pointer(_BOOL),
        ),
        _struct(
            "ManagedFieldsEntry",
            manager=_STRING,
            operation=_STRING,
            apiVersion=_STRING,
            time=_pointer(_TIME),
            fieldsType=_STRING,
            fieldsV1=_pointer(_meta("FieldsV1")),
            subresource=_STRING,
        ),
        _struct(
            "LabelSelector",
            matchLabels=_STRING_MAP,
            matchExpressions=TypeRef("list", elem=_meta("LabelSelectorRequirement")),
        ),
        _struct("LabelSelectorRequirement", key=_STRING, operator=_STRING, values=_STRINGS),
        _struct(
            "Condition",
            type=_STRING,
            status=_STRING,
            observedGeneration=_INT64,
            lastTransitionTime=_TIME,
            reason=_STRING,
            message=_STRING,
        ),
    )
)
_WELL_KNOWN_STRINGS = {
    "k8s.io/apimachinery/pkg/types.UID",
    "k8s.io/apimachinery/pkg/types.NodeName",
    f"{META}.ConditionStatus",
}


class Declarations(Protocol):
    """What tags and compiler need of a universe of Go packages."""

    def package(self, import_path: str) -> Package: ...

    def find(self, qualified: str) -> Struct | Typedef | None: ...

    def consts_of(self, qualified: str) -> Sequence[Const]: ...


class Types:
    """Names to declarations, and typedefs to what lies under them."""

    def __init__(self, declarations: Declarations) -> None:
        self._declarations = declarations
        self._found: dict[str, Struct | Typedef | None] = {}
        self._native: dict[str, TypeRef] = {}

    def find(self, qualified: str) -> Struct | Typedef | None:
        """Return the declaration of a name; None when no package that was given declares it."""
        if qualified not in self._found:
            self._found[qualified] = self._look_up(qualified)
        return self._found[qualified]

    def _look_up(self, qualified: str) -> Struct | Typedef | None:
        found = self._declarations.find(qualified)
        if found is not None:
            return found
        if qualified in _WELL_KNOWN_STRINGS:
            package, _, name = qualified.rpartition(".")
            return Typedef(name, package, _STRING, Position("(built in)"))
        return WELL_KNOWN.get(qualified)

    def consts_of(self, qualified: str) -> Sequence[Const]:
        """Return the constants declared with exactly this type."""
        return self._declarations.consts_of(qualified)

    def declared(self, ref: TypeRef) -> TypeRef:
        """Return the type itself where `type X = Y` only gives it another name."""
        seen = 0
        while ref.kind == "named" and seen < 50:
            found = self.find(ref.name)
            if not isinstance(found, Typedef) or not found.alias:
                break
            ref, seen = found.underlying, seen + 1
        return ref

    def native(self, ref: TypeRef) -> TypeRef:
        """Remove every typedef layer and keep pointers. A struct stays named, by the name that declares its members."""
        if ref.kind != "named":
            return ref
        if ref.name not in self._native:
            self._native[ref.name] = self._below(ref)
        return self._native[ref.name]

    def _below(self, ref: TypeRef) -> TypeRef:
        for _ in range(50):
            if ref.kind != "named" or ref.name in SPECIAL:
                return ref
            found = self.find(ref.name)
            if not isinstance(found, Typedef):
                return ref
            ref = found.underlying
        return TypeRef("other", ref.name)  # a typedef of itself: no Go, and no reason to loop

    def value(self, ref: TypeRef) -> TypeRef:
        """Return the native type with pointers removed."""
        native = self.native(ref)
        while native.kind == "pointer" and native.elem is not None:
            native = self.native(native.elem)
        return native

    def struct(self, ref: TypeRef) -> Struct | None:
        """Return the struct whose members a type has, looking through pointers; None when it has none."""
        native = self.value(ref)
        if native.kind != "named" or native.name in SPECIAL:
            return None
        found = self.find(native.name)
        return found if isinstance(found, Struct) else None

    def is_pointer(self, ref: TypeRef) -> bool:
        """Whether values of the type can be nil pointers."""
        return self.native(ref).kind == "pointer"

    def kind(self, ref: TypeRef) -> str:
        """Say what a value is, pointers removed: string, bool, integer, float, list, map, struct, interface, ...."""
        native = self.value(ref)
        if native.kind == "builtin":
            return builtin_kind(native.name)
        if native.kind == "named":
            return "struct"
        return native.kind

    def is_comparable(self, ref: TypeRef, seen: frozenset[str] = frozenset()) -> bool:
        """Whether Go's == is used on values of the type, pointers removed at the top (semantics.md#4.2)."""
        native = self.value(ref)
        return self._comparable(native, seen)

    def _comparable(self, native: TypeRef, seen: frozenset[str]) -> bool:
        if native.kind == "builtin":
            return True
        if native.kind != "named" or native.name in seen:
            return False
        if native.name in SPECIAL:
            return SPECIAL[native.name] in ("int-or-string", "duration", "integer")
        struct = self.struct(native)
        inner = seen | {native.name}
        return struct is not None and all(self._comparable(self.native(f.type), inner) for f in struct.fields)

    def go_kind(self, ref: TypeRef) -> str:
        """Name what the native type is as upstream's messages do: Builtin, Slice, Map, Pointer, Struct, ..."""
        native = self.native(ref)
        if native.kind == "named":
            return "Builtin" if SPECIAL.get(native.name) == "integer" else "Struct"
        return {"list": "Slice"}.get(native.kind, native.kind.title())

    def describe(self, ref: TypeRef, pointers: bool = False) -> str:
        """Write a type as upstream's messages do: `declared -> native`, or one of them when they are the same.

        Without `pointers` the native type is shown without them. With them, upstream makes a new pointer to compare
        with, so that a pointer never is the same.
        """
        declared = str(self.declared(ref))
        native = str(self.native(ref) if pointers else self.value(ref))
        return declared if declared == native and not native.startswith("*") else f"{declared} -> {native}"

    def member(self, struct: Struct, json_name: str) -> Field | None:
        """Return a direct member by JSON name; members of inlined structs are not found (semantics.md#2.3)."""
        return next((f for f in struct.fields if f.exported and not f.inline and f.json_name == json_name), None)


def builtin_kind(name: str) -> str:
    """Return string, bool, integer or float."""
    if name in ("string", "bool"):
        return name
    return "float" if name.startswith(("float", "complex")) else "integer"
