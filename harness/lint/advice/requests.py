"""What only shows when a request comes: subresources, options, and rules of updates.

Source: semantics.md#1.6, #5.8, #S4, #S15.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

from harness.gotypes.model import Struct
from harness.lint.advice.common import (
    Advice,
    Use,
    advice,
    at,
    by_target,
    field_of,
    governing,
    path_of,
    reached_from,
    rewrite,
    shown,
    tagged,
    tags_of,
    types_of,
    uses,
)
from harness.lint.view import Element, PackageView
from harness.objectmodel import STATUS
from harness.tags.grammar import Tag
from harness.tags.registry import SUBRESOURCE_TAGS

# Subresources


def _subresource_tags(element: Element) -> list[Tag]:
    return [t for t in (*tags_of(element.second_comments), *element.tags) if t.name in SUBRESOURCE_TAGS]


def _misdeclared(view: PackageView) -> Iterator[Advice]:
    for element, declaration in types_of(view):
        found = _subresource_tags(element)
        for tag in found:
            text = tag.scalar.text if tag.scalar else ""
            if view.roots and declaration.name not in view.roots:
                yield at(
                    tag, f"{shown(tag)} does nothing: {declaration.name} is no root type", "put it on the root type"
                )
            elif not text.startswith("/"):
                message = f'no request has the subresource path "{text}"'
                edit = rewrite(view, tag.position, len(tag.source.strip()), f'+{tag.name}="/{text}"')
                yield at(tag, message, f'+{tag.name}="/{text}"', edit if "#" not in tag.source else None)
        own = [tag for tag in found if tag.name == "k8s:isSubresource"]
        for tag in own[1:]:
            yield at(
                tag,
                f"{declaration.name} has a second {shown(tag)}",
                "keep one; +k8s:supportsSubresource may be repeated",
            )


def _undeclared(view: PackageView) -> Iterator[Advice]:
    """Roots with a status that has rules, where other roots of the package declare theirs."""
    roots = [(e, d) for e, d in types_of(view) if d.name in view.roots and isinstance(d, Struct)]
    declaring = [d for e, d in roots if any(t.scalar and t.scalar.text == "/status" for t in _subresource_tags(e))]
    for element, declaration in roots if declaring else ():
        if any(tag.name == "k8s:isSubresource" for tag in _subresource_tags(element)):
            continue
        status = next((f for f in declaration.fields if f.json_name == STATUS), None) \
            if isinstance(declaration, Struct) and declaration not in declaring else None  # fmt: skip
        if status is not None and _has_rules(view, declaration.qualified):
            message = f'{declaration.name} has a status but no +k8s:supportsSubresource="/status"'
            fix = f"if {declaration.name} is served with /status, declare it as {declaring[0].name} does"
            yield at(element, message, fix)


def _has_rules(view: PackageView, qualified: str) -> bool:
    """Whether anything of this package is checked below a type."""
    reached = reached_from(view, [qualified])
    return any(
        use.checks
        for element in tagged(view)
        if f"{view.path}.{element.declaration.name}" in reached
        for use in uses(view, element)
    )


# Options


def _options(view: PackageView) -> Iterator[tuple[str, Tag]]:
    for element in tagged(view):
        for use in uses(view, element):
            for tag in use.around:
                option = tag.arg()
                if tag.name in ("k8s:ifEnabled", "k8s:ifDisabled") and option:
                    yield option.text, tag


def _odd_option(view: PackageView) -> Iterator[Advice]:
    counted = Counter(name for one in (view, *view.siblings.values()) for name, _ in _options(one))
    gates = {line.text.partition("=")[2].strip() for e in view.elements for line in e.comments
             if line.text.lstrip().startswith("+featureGate=")}  # fmt: skip
    for name, tag in _options(view):
        if counted[name] > 1 or name in gates:
            continue
        for known in sorted({*counted, *gates} - {name}):
            sure = counted[known] > 1 or known in gates
            if sure and SequenceMatcher(None, name, known).ratio() >= 0.9:
                message = f"the option {name} is used once, {known} more often: are they one?"
                yield at(tag, message, f"did you mean {known}?")


# Updates


def _immutable_root(view: PackageView) -> Iterator[Advice]:
    for element, declaration in types_of(view):
        for use in uses(view, element) if declaration.name in view.roots else ():
            if use.name == "immutable" and not use.target:
                message = f"+k8s:immutable on the root type {declaration.name} rejects every update"
                yield at(use, message, "put it on the field, usually spec")


def _immutable_in_items(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S4: a member that no client sets is rejected in every item that an update adds."""
    item_of: dict[str, Element] = {}
    for element in view.elements:
        declared = view.types.declared(element.type)
        struct = (
            view.types.struct(declared.elem) if element.member and declared.kind == "list" and declared.elem else None
        )
        if struct is not None and _takes_items(view, element):
            item_of.setdefault(struct.qualified, element)
    for element in view.elements:
        owner = element.declaration
        holder = item_of.get(owner.qualified) if element.member and isinstance(owner, Struct) else None
        for use in by_target(uses(view, element)).get((), ()) if holder else ():
            if use.name == "immutable" and holder is not None:
                message = f"+k8s:immutable on {path_of(element)} rejects every item that an update adds"
                message += f" to {path_of(holder)}"
                yield at(use, message, "use +k8s:update=NoModify (and NoSet, NoUnset), or forbid new items as well")


def _takes_items(view: PackageView, element: Element) -> bool:
    """Whether an update may add items: the list is told apart by keys, and no rule of the list forbids it."""
    found = governing(view, element)
    keyed = any(use.name in ("listType", "unique") and use.text == "map" and not use.target for use in found)
    return keyed and not any(_forbids_items(use) for use in found)


def _forbids_items(use: Use) -> bool:
    whole = not use.target and (use.name == "immutable" or use.text == "NoAddItem")
    return whole or (use.target == ("eachVal",) and use.name == "immutable")


# Formats


def _unlimited(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        for found in by_target(governing(view, element)).values():
            for use in found:
                limited = any(other.is_limit("length", upper=True) for other in found)
                if use.own and use.name == "format" and use.text == "k8s-path-segment-name" and not limited:
                    message = f"{shown(use.tag)} sets no limit of length on {path_of(element)}"
                    yield at(use, message, "add +k8s:maxLength=253, the limit for names of objects")


_ROOTS = """{0}type T struct {{
	// +k8s:optional
	Status *S `json:"status"`
}}

// +k8s:supportsSubresource={1}
type U struct {{
	// +k8s:optional
	Status *S `json:"status"`
}}

// +k8s:validation-gen=false
type S struct {{
	// +k8s:required
	Phase string `json:"phase"`
}}
"""
_ITEMS = """type T struct {
	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=name@
	F []S `json:"f"`
}

// +k8s:validation-gen=false
type S struct {
	// +k8s:required
	Name string `json:"name"`
	// +k8s:optional
	// +k8s:immutable
	Size *int32 `json:"size"`
}
"""
_STATUS = '// +k8s:supportsSubresource="/status"\n'
_OPTIONS = """+k8s:ifEnabled(FeatureA)=+k8s:optional
+k8s:ifEnabled(FeatureA)=+k8s:maxLength=9
+k8s:ifDisabled({})=+k8s:forbidden"""

RULES = (
    advice(
        "subresource-misdeclared",
        "error",
        _misdeclared,
        summary="A subresource tag that no request matches.",
        why="a path starts with a slash, and only root types handle requests",
        good=_ROOTS.format(_STATUS, '"/status"'),
        bad=_ROOTS.format(_STATUS, '"status"'),
        fixes=True,
    ),
    advice(
        "subresource-undeclared",
        "note",
        _undeclared,
        summary="A root type with a status that does not declare the subresource, although others do.",
        why="a request for a subresource that the type does not declare is answered with an internal error",
        good=_ROOTS.format(_STATUS, '"/status"'),
        bad=_ROOTS.format("", '"/status"'),
    ),
    advice(
        "option-near-miss",
        "warning",
        _odd_option,
        summary="An option that is used once and looks like another one.",
        why="an undefined option makes every request for the field an internal error",
        good=field_of(_OPTIONS.format("FeatureA"), "string"),
        bad=field_of(_OPTIONS.format("FeaturA"), "string"),
    ),
    advice(
        "immutable-root",
        "error",
        _immutable_root,
        summary="+k8s:immutable on a root type.",
        why="the rule never compares: it relies on an unchanged field being skipped, and nothing leads to a root",
        good='type T struct {\n\t// +k8s:required\n\t// +k8s:immutable\n\tA string `json:"a"`\n}\n',
        bad='// +k8s:immutable\ntype T struct {\n\t// +k8s:required\n\tA string `json:"a"`\n}\n',
    ),
    advice(
        "immutable-in-items",
        "note",
        _immutable_in_items,
        summary="+k8s:immutable on a member of items that an update may add.",
        why="a new item has no old value, so the rule rejects the field, set or unset",
        good=_ITEMS.replace("@", "\n\t// +k8s:update=NoAddItem"),
        bad=_ITEMS.replace("@", ""),
    ),
    advice(
        "format-without-length",
        "note",
        _unlimited,
        summary="A format that sets no limit of length, on a string without one.",
        why="a path segment may be as long as a request; handwritten validation usually limits names",
        good=field_of("+k8s:required\n+k8s:format=k8s-path-segment-name\n+k8s:maxLength=253", "string"),
        bad=field_of("+k8s:required\n+k8s:format=k8s-path-segment-name", "string"),
    ),
)
