"""Answers questions of lint rules about kinds whose strategies are known: their versions, the rules and fields of each.

A kind is a root type; its strategies pass the same to every version of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.gotypes.model import Field, Struct, TypeRef
from harness.lint.uses import Use, find_uses, validation_tags
from harness.lint.view import PackageView
from harness.tags.spec import Trait

_OPAQUE = "k8s:opaqueType"


def versions_of(view: PackageView, kind: str) -> list[PackageView]:
    """Return the packages that have a kind as a root type: this one and other versions of the group."""
    return [one for one in (view, *view.siblings.values()) if kind in one.roots]


def rules_of(view: PackageView, kind: str) -> Iterator[tuple[Use, TypeRef]]:
    """Yield the tags that the validation of a kind reads, in one version, each with the type that it is written on."""
    for ref, struct in _reached(view, kind):
        found = view.types.find(ref.name)
        for use in find_uses(validation_tags(found.comments)) if found is not None else ():
            yield use, ref
        for member in struct.fields if struct is not None else ():
            for use in find_uses(validation_tags(member.comments)):
                yield use, member.type


def _reached(view: PackageView, kind: str) -> list[tuple[TypeRef, Struct | None]]:
    """Return the named types that the validation of a kind goes through, with the struct of each that is one."""
    key = f"validated {view.path}.{kind}"
    if key not in view.shared:
        seen: dict[str, tuple[TypeRef, Struct | None]] = {}
        waiting = [TypeRef("named", f"{view.path}.{kind}")]
        while waiting:
            ref = waiting.pop()
            waiting += [inner for inner in (ref.elem, ref.key) if inner is not None]
            found = view.types.find(ref.name) if ref.kind == "named" and ref.name not in seen else None
            if found is None:
                continue
            if isinstance(found, Struct):
                seen[ref.name] = ref, found
                waiting += [one.type for one in found.fields if not _is_opaque(one)]
            else:
                seen[ref.name] = ref, None
                waiting.append(found.underlying)
        view.shared[key] = list(seen.values())
    result: list[tuple[TypeRef, Struct | None]] = view.shared[key]
    return result


def _is_opaque(member: Field) -> bool:
    """Whether validation does not go below a field: whatever wraps the tag (semantics.md#S18)."""
    return any(use.tag.name == _OPAQUE for use in find_uses(validation_tags(member.comments)))


def field_paths(view: PackageView, kind: str) -> Iterator[str]:
    """Yield a field path for every field of a kind, in one version; a type is entered once on each path."""
    yield from _paths(view, TypeRef("named", f"{view.path}.{kind}"), "", ())


def _paths(view: PackageView, ref: TypeRef, path: str, above: tuple[str, ...]) -> Iterator[str]:
    if path:
        yield path
    native = view.types.value(ref)
    if native.kind == "list" and native.elem is not None:
        yield from _paths(view, native.elem, f"{path}[0]", above)
    elif native.kind == "map" and native.elem is not None:
        yield from _paths(view, native.elem, f"{path}[key]", above)
    struct = view.types.struct(ref)
    if struct is None or struct.qualified in above:
        return
    for member in struct.fields:
        if member.json_ignored or not (member.json_name or member.inline):
            continue
        step = path if member.inline else f"{path}.{member.json_name}".lstrip(".")
        yield from _paths(view, member.type, step, (*above, struct.qualified))


def short_circuits_above(view: PackageView, use: Use, ref: TypeRef) -> bool:
    """Whether the failure of a tag is reported above other fields and skips their rules, and is compared.

    Errors of standard rules are not.
    """
    is_above = view.types.kind(view.types.value(ref)) in ("struct", "list", "map") and not use.target
    return is_above and bool(use.level) and use.short_circuits and use.can_reject and not use.has_trait(Trait.METADATA)
