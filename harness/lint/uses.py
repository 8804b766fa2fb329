"""Finds the innermost tags of an element, with their wrappers, and the other tags that apply to the same value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from harness.diagnostics import InputError
from harness.gotypes.model import CommentLine, Comments, Struct, TypeRef
from harness.lint.elements import pointee, reachable_types
from harness.lint.view import Element, PackageView
from harness.tags.boundary import Boundary, Dimension
from harness.tags.families.format import LENGTHS
from harness.tags.families.levels import LEVELS
from harness.tags.grammar import Tag, parse_line, tag_lines
from harness.tags.registry import ALL_SPECS, SUBRESOURCE_TAGS
from harness.tags.spec import Trait

STRENGTH = {"alpha": 0, "beta": 1, "": 2}
"""The order of levels by their effect: errors of alpha rules are never returned to users, those of beta rules while the
gate is on, those of standard rules always."""
PRESENCE = ("required", "optional", "forbidden")
"""The tags that define what the absence of a value means."""
_CONDITIONS = {"k8s:ifEnabled": True, "k8s:ifDisabled": False}
_MODES = ("k8s:ifMode", "k8s:member")
_TEXT = re.compile(r"""(?:[^#"`]|"[^"]*"|`[^`]*`)*""")


def tag_text(tag: Tag) -> str:
    """Return a tag as it is written in the source, without a trailing remark."""
    found = _TEXT.match(tag.source, tag.position.column - 1) if tag.position.column else None
    return found[0].rstrip() if found else str(tag)


def targets_other_value(tag: Tag) -> bool:
    """Whether the tag that a tag wraps applies to another value: the items, the keys, a member, one item."""
    return tag.name in ALL_SPECS and bool(ALL_SPECS[tag.name].nested_target)


@dataclass(frozen=True, slots=True)
class Use:
    """The innermost tag of a chain of tags, which declares a rule.

    `wrappers` are the tags around it, outermost first. `target` selects the value that it applies to, as steps from
    the element: () for the element itself, ("eachVal",) for its items. `is_own`: the tag is written on the element, and
    not on its type.
    """

    tag: Tag
    wrappers: tuple[Tag, ...] = ()
    target: tuple[str, ...] = ()
    is_own: bool = True

    @property
    def name(self) -> str:
        """The tag's name without `k8s:`."""
        return self.tag.name.removeprefix("k8s:")

    @property
    def outer(self) -> Tag:
        """The outermost tag of the chain, which starts the line."""
        return self.wrappers[0] if self.wrappers else self.tag

    @property
    def level(self) -> str:
        """The level: `alpha`, `beta`, or empty for standard."""
        return next((LEVELS[tag.name] for tag in self.wrappers if tag.name in LEVELS), "")

    @property
    def conditions(self) -> frozenset[tuple[str, str | bool]]:
        """The options and modes that must be set for the tag to apply, each with its value."""
        found: set[tuple[str, str | bool]] = set()
        for tag in self.wrappers:
            if tag.name in _CONDITIONS and (option := tag.arg()):
                found.add((option.text, _CONDITIONS[tag.name]))
            elif tag.name in _MODES and (mode := tag.arg("mode") or tag.arg()):
                modality = tag.arg("modality")
                found.add((f"mode {modality.text if modality else ''}", mode.text))
        return frozenset(found)

    @property
    def options(self) -> Iterator[tuple[str, Tag]]:
        """The options that the tag depends on, each with the tag that reads it, in whatever state it must be."""
        for tag in self.wrappers:
            if tag.name in _CONDITIONS and (option := tag.arg()):
                yield option.text, tag

    @property
    def is_in_mode(self) -> bool:
        """Whether the tag is under +k8s:ifMode, whose rules run separately from the others."""
        return any(tag.name in _MODES for tag in self.wrappers)

    @property
    def can_reject(self) -> bool:
        """Whether the tag itself can reject an object; a list tag can if it requires items to be distinct."""
        if self.name in ("listType", "unique"):
            return self.text in ("set", "map")
        return bool(ALL_SPECS[self.tag.name].emits) and not self.has_trait(Trait.METADATA)

    @property
    def short_circuits(self) -> bool:
        """Whether its failure skips the rules of the element that do not short-circuit (semantics.md#3.3)."""
        return ALL_SPECS[self.tag.name].short_circuit

    @property
    def can_be_skipped(self) -> bool:
        """Whether it is skipped when a short-circuit rule of its element fails."""
        return self.can_reject and not (self.is_in_mode or self.short_circuits or self.has_trait(Trait.STRUCT_RULE))

    @property
    def boundary(self) -> Boundary | None:
        """The limit that the tag sets; None if it is not a limit."""
        return ALL_SPECS[self.tag.name].boundary

    @property
    def bounds(self) -> tuple[str, int | None, int | None]:
        """The dimension that the tag limits (`length`, `count`, `value`, or empty), and its lower and upper limit."""
        if self.boundary is not None and self.number is not None:
            return self.boundary.bounds(self.number + self.boundary.offset)
        if self.name == "format":
            return "length", *LENGTHS.get(self.text, (None, None))
        return "", None, None

    def has_trait(self, trait: Trait) -> bool:
        """Whether the tag's record has a trait."""
        return trait in ALL_SPECS[self.tag.name].traits

    def is_limit(self, *dimensions: Dimension, upper: bool) -> bool:
        """Whether the tag sets an upper limit, or a lower one, of one of these dimensions."""
        return self.boundary is not None and self.boundary.dimension in dimensions and self.boundary.upper == upper

    @property
    def number(self) -> int | None:
        """The payload, if it is a number."""
        scalar = self.tag.scalar
        return scalar.value if scalar and scalar.kind == "int" and isinstance(scalar.value, int) else None

    @property
    def text(self) -> str:
        """The payload as it is written, without quotes; empty without a payload."""
        return self.tag.scalar.text if self.tag.scalar else ""

    def can_apply_with(self, other: Use) -> bool:
        """Whether both tags can apply to the same request, because their conditions do not exclude each other."""
        mine = dict(self.conditions)
        return all(mine.get(key, state) == state for key, state in other.conditions)

    def applies_whenever(self, other: Use) -> bool:
        """Whether this tag applies to every request that the other applies to."""
        return self.conditions <= other.conditions

    def describe(self) -> str:
        """Return the tag for a message, with a remark if it is written on the type."""
        return tag_text(self.tag) if self.is_own else f"{tag_text(self.tag)} of its type"


def find_uses(tags: Iterable[Tag], before: tuple[str, ...] = (), is_own: bool = True) -> Iterator[Use]:
    """Yield the innermost tag of every chain of known tags. `before` is the target that the chain starts from."""
    for tag in tags:
        wrappers: tuple[Tag, ...] = ()
        target = before
        while tag.payload is not None:
            if targets_other_value(tag):
                arguments = ", ".join(sorted(f"{arg.name}: {arg.value.text}" for arg in tag.args))
                target = (*target, tag.name.removeprefix("k8s:") + (f"({arguments})" if arguments else ""))
            wrappers, tag = (*wrappers, tag), tag.payload
        if tag.name in ALL_SPECS and all(wrapper.name in ALL_SPECS for wrapper in wrappers):
            yield Use(tag, wrappers, target, is_own)


def uses_on(view: PackageView, element: Element) -> tuple[Use, ...]:
    """Return the innermost tags that are written on an element."""
    if not element.tags:
        return ()
    found: tuple[Use, ...] | None = view.memo.get(("uses", id(element)))
    if found is None:
        found = view.memo["uses", id(element)] = tuple(find_uses(element.tags))
    return found


def governing_uses(view: PackageView, element: Element) -> tuple[Use, ...]:
    """Return the tags on an element, and those on its named type and on the named types of its items and keys."""
    found: tuple[Use, ...] | None = view.memo.get(("governing", id(element)))
    if found is None:
        found = view.memo["governing", id(element)] = (*uses_on(view, element), *_uses_on_types(view, element))
    return found


def _uses_on_types(view: PackageView, element: Element) -> Iterator[Use]:
    if element.member is None:
        return
    yield from _uses_on_type(view, element.type, ())
    declared = view.types.declared(element.type)
    if declared.kind in ("list", "map"):
        yield from _uses_on_type(view, declared.elem, ("eachVal",))
        yield from _uses_on_type(view, declared.key, ("eachKey",))


def _uses_on_type(view: PackageView, ref: TypeRef | None, target: tuple[str, ...]) -> Iterator[Use]:
    ref = pointee(view, ref) if ref else None
    declaration = view.types.find(ref.name) if ref and ref.kind == "named" else None
    if declaration is not None:
        yield from find_uses(validation_tags(declaration.comments), target, is_own=False)


def validation_tags(comments: Comments) -> Iterator[Tag]:
    """Yield the tags of a comment block whose names start with `k8s:`, without those that do not parse."""
    for line in comments:
        tag = _tag_of(line) if "+k8s:" in line.text else None
        if tag is not None:
            yield tag


@lru_cache(maxsize=1 << 14)
def _tag_of(line: CommentLine) -> Tag | None:
    try:
        return next((parse_line(found) for found in tag_lines((line,))), None)
    except InputError:
        return None


def tagged_elements(view: PackageView) -> tuple[Element, ...]:
    """Return the elements that have a validation tag."""
    found: tuple[Element, ...] | None = view.memo.get(("tagged", 0))
    if found is None:
        found = view.memo["tagged", 0] = tuple(element for element in view.elements if uses_on(view, element))
    return found


def group_by_target(found: Iterable[Use]) -> dict[tuple[str, ...], list[Use]]:
    """Group tags by the value that they apply to, without those under +k8s:ifMode."""
    grouped: dict[tuple[str, ...], list[Use]] = {}
    for use in found:
        if not use.is_in_mode:
            grouped.setdefault(use.target, []).append(use)
    return grouped


def limited_values(view: PackageView) -> Iterator[tuple[Element, tuple[str, ...], list[Use]]]:
    """Yield the tags on each value, of the element and of its type, if one of them is written on the element."""
    for element in tagged_elements(view):
        if element.tags:
            for target, found in group_by_target(governing_uses(view, element)).items():
                if any(use.is_own for use in found):
                    yield element, target, found


def without_levels(tag: Tag) -> Tag:
    """Return the tag without the levels that wrap it."""
    while tag.name in LEVELS and tag.payload is not None:
        tag = tag.payload
    return replace(tag, value=without_levels(tag.payload)) if tag.payload else tag


def is_validated(view: PackageView, struct: Struct) -> bool:
    """Whether a struct, or a type that it refers to, has a rule."""
    for name in reachable_types(view, [struct.qualified]):
        found = view.types.find(name)
        blocks = [found.comments] if found else []
        blocks += [member.comments for member in found.fields] if isinstance(found, Struct) else []
        if any(use.can_reject for block in blocks for use in find_uses(validation_tags(block))):
            return True
    return False


def subresource_tags(element: Element) -> list[Tag]:
    """Return the tags that declare subresources of a type; upstream reads these also from the second block above it."""
    return [t for t in (*validation_tags(element.second_comments), *element.tags) if t.name in SUBRESOURCE_TAGS]
