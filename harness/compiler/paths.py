"""Expressions for the paths of members. Source: semantics.md#2.3, #2.4."""

from __future__ import annotations

import re

from harness.compiler.source import literal
from harness.gotypes.model import Field, TypeRef


def path_of(member: Field, package: str) -> str:
    """Return the expression for a member's path, given the `path` of its struct. `package` is the one compiled."""
    if not _at_parent(member):
        return f"Path(path, {literal('.' + member.json_name)})"
    # semantics.md#S22: upstream invents a first path element where a root's member has none.
    return f"Path(path, {literal(_type_word(member.type, package))}) if path.is_root else path"


def _at_parent(member: Field) -> bool:
    return (member.inline and not _has_own_name(member)) or member.json_ignored


def _has_own_name(member: Field) -> bool:
    # `json:"x,inline"` is still at .x (semantics.md#2.3)
    return bool(member.json_name) and not member.embedded


def _type_word(ref: TypeRef, package: str) -> str:
    """Return the name of a type as it stands in generated code: behind the alias of its package elsewhere."""
    if ref.kind == "pointer" and ref.elem is not None:
        return _type_word(ref.elem, package)
    if ref.kind == "list" and ref.elem is not None:
        return f"[]{_type_word(ref.elem, package)}"
    if ref.kind == "map" and ref.elem is not None and ref.key is not None:
        return f"map[{_type_word(ref.key, package)}]{_type_word(ref.elem, package)}"
    home, _, name = ref.name.rpartition(".")
    if ref.kind != "named" or home == package:
        return name or str(ref)
    return f"{_import_alias(home, package)}.{name}"


_IMPORTED = ("context", "equality", "field", "fmt", "operation", "safe", "sets", "validate")
"""What every generated file may import: names that no other package gets."""


def _import_alias(package: str, within: str) -> str:
    """Return the name under which generated Go imports a package: its last parts, as many as make it unlike others."""
    parts, name = package.split("/"), ""
    for count in range(1, len(parts) + 1):
        name = re.sub("[_.-]", "", "".join(parts[-count:]))
        if name != within.rpartition("/")[2] and name not in _IMPORTED:
            break
    return name
