"""Finds types with tags that no root of the package reaches, and that other packages cannot reach either.

Source: semantics.md#2.1.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.gotypes.model import Const, TypeRef
from harness.lint.advice import advise
from harness.lint.elements import reachable_types, types_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tag_text, tagged_elements, uses_on
from harness.lint.view import Element, PackageView
from harness.tags.grammar import tag_lines


def find(view: PackageView) -> Iterator[Advice]:
    if not view.roots:
        return
    reached = reachable_types(view, [f"{view.path}.{name}" for name in view.roots])
    first: dict[str, Element] = {}
    for element in tagged_elements(view):
        if not isinstance(element.declaration, Const):
            first.setdefault(element.declaration.qualified, element)
    for name, element in sorted(first.items()):
        exported = not element.declaration.name[:1].islower()
        if name in reached or (exported and (not _declares_roots(view) or _is_used_by_other_package(view, name))):
            continue
        use = uses_on(view, element)[0]
        message = f"{tag_text(use.outer)} does nothing: no root type reaches {element.declaration.name}"
        fix = f"use {element.declaration.name} in a root type, or tag it +k8s:validation-gen=true"
        yield advise(use.outer, message, fix)


def _declares_roots(view: PackageView) -> bool:
    """Whether the package itself declares which of its types are roots.

    Otherwise it may be a library whose users are not known. `+k8s:validation-gen=*` makes every type a root, so no type
    is unreachable then.
    """
    package = view.universe.package(view.path)
    blocks = [package.comments, *(block for e, _ in types_of(view) for block in (e.comments, e.second_comments))]
    declarations = [line for block in blocks for line in tag_lines(block) if line.name == "k8s:validation-gen"]
    return bool(declarations) and not any(line.text.partition("=")[2].strip() == "*" for line in declarations)


def _is_used_by_other_package(view: PackageView, qualified: str) -> bool:
    """Whether another known package refers to the type, because a root of that package may reach it."""
    for path in view.universe.paths:
        package = view.universe.package(path) if path != view.path else None
        if package is not None:
            refs = [member.type for struct in package.structs.values() for member in struct.fields]
            refs += [typedef.underlying for typedef in package.typedefs.values()]
            if any(_mentions(ref, qualified) for ref in refs):
                return True
    return False


def _mentions(ref: TypeRef | None, qualified: str) -> bool:
    """Whether a type reference, or one inside it, has this qualified name."""
    return ref is not None and (
        ref.name == qualified or _mentions(ref.elem, qualified) or _mentions(ref.key, qualified)
    )


_UNROOTED = """// +k8s:validation-gen=false
type S struct {
	// +k8s:required
	A string `json:"a"`
}

"""

RULE = LintRule(
    code="type-not-reached",
    severity="warning",
    summary="A type with tags that nothing validates.",
    why="code is generated for root types and the types they reach; tags of other types are not even read",
    good=field_of("+k8s:optional", "*S", _UNROOTED),
    bad=field_of("+k8s:optional", "*string", _UNROOTED),
    find=find,
)
