"""Answers questions of lint rules about elements of a package: their comments, types, and defaults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from harness.gotypes.model import CommentLine, Field, Struct, Typedef, TypeRef
from harness.lint.view import Element, PackageView
from harness.tags.grammar import TagLine, TagSyntaxError, parse, tag_lines
from harness.tags.spec import Scope

OPENAPI_PREFIX = "k8s:validation:"
"""The prefix of tag names that only openapi-gen reads."""


def path_of(element: Element) -> str:
    """Return the name of an element in messages: `Widget.replicas`."""
    if element.member is None:
        return element.name
    return f"{element.declaration.name}.{element.member.json_name or element.member.name}"


def member_of(element: Element) -> Field:
    """Return the field of an element that is known to be a field."""
    assert element.member is not None
    return element.member


def types_of(view: PackageView) -> Iterator[tuple[Element, Struct | Typedef]]:
    """Yield the types of the package with their declarations."""
    for element in view.elements:
        if element.scope is Scope.TYPE and isinstance(element.declaration, Struct | Typedef):
            yield element, element.declaration


def struct_elements(view: PackageView) -> dict[str, list[Element]]:
    """Return the fields of every struct of the package, by the struct's name."""
    found: dict[str, list[Element]] | None = view.memo.get(("structs", 0))
    if found is None:
        found = view.memo["structs", 0] = {}
        for element in view.elements:
            if element.member is not None:
                found.setdefault(element.declaration.name, []).append(element)
    return found


def lines_with_plus(view: PackageView) -> tuple[CommentLine, ...]:
    """Return the lines that contain a `+`, of the comments that belong to elements, each once."""
    found: tuple[CommentLine, ...] | None = view.memo.get(("lines", 0))
    if found is None:
        by_position = {
            line.position: line for element in view.elements for line in element.comments if "+" in line.text
        }
        found = view.memo["lines", 0] = tuple(by_position.values())
    return found


def tag_lines_of(view: PackageView) -> tuple[TagLine, ...]:
    """Return the lines that start with a `+`, of the comments that belong to elements, each once."""
    found: tuple[TagLine, ...] | None = view.memo.get(("tag lines", 0))
    if found is None:
        found = view.memo["tag lines", 0] = tuple(tag_lines(lines_with_plus(view)))
    return found


def is_tag(text: str) -> bool:
    """Whether a text parses as a tag."""
    try:
        parse(text)
    except TagSyntaxError:
        return False
    return True


def pointee(view: PackageView, ref: TypeRef) -> TypeRef:
    """Return the declared type, without its pointer if it is one."""
    ref = view.types.declared(ref)
    return view.types.declared(ref.elem) if ref.kind == "pointer" and ref.elem else ref


def target_type(view: PackageView, ref: TypeRef, target: tuple[str, ...]) -> TypeRef | None:
    """Return the type of the value that a target (`Use.target`) selects, starting from a type; None if unknown."""
    for step in target:
        native = view.types.value(ref)
        if step.startswith("subfield("):
            struct = view.types.struct(ref)
            found = view.types.member(struct, step[11:-1]) if struct else None
            inner = found.type if found else None
        else:
            inner = native.key if step == "eachKey" else native.elem
        if inner is None:
            return None
        ref = inner
    return ref


def is_zero_unset(view: PackageView, ref: TypeRef) -> bool:
    """Whether the zero value of a type counts as unset, as it does unless the type is a pointer or a struct."""
    return not view.types.is_pointer(ref) and view.types.kind(ref) != "struct"


def reachable_types(view: PackageView, names: Iterable[str]) -> set[str]:
    """Return the qualified names of these types and of all types that they refer to, directly or indirectly."""
    seen: set[str] = set()
    waiting = [TypeRef("named", name) for name in names]
    while waiting:
        ref = waiting.pop()
        waiting += [inner for inner in (ref.elem, ref.key) if inner is not None]
        waiting += [member.type for member in ref.fields]
        found = view.types.find(ref.name) if ref.kind == "named" and ref.name not in seen else None
        if found is not None:
            seen.add(ref.name)
            waiting += [m.type for m in found.fields] if isinstance(found, Struct) else [found.underlying]
    return seen


def default_of(element: Element) -> str | None:
    """Return the text of the element's +default tag; None without one."""
    for line in tag_lines(line for line in element.comments if "+default" in line.text):
        if line.name == "default" and "=" in line.text:
            return line.text.partition("=")[2].strip()
    return None


def is_zero_default(view: PackageView, element: Element, default: str | None) -> bool:
    """Whether the zero value of an element counts as unset, and is its default."""
    return is_zero_unset(view, element.type) and default in ("0", '""', "false", "0.0")
