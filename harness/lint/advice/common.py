"""What our rules share: tags without their wrappers, what else governs a value, and how a finding is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from harness.diagnostics import Diagnostic, InputError, Position
from harness.gotypes.model import CommentLine, Comments, Field, Struct, Typedef, TypeRef
from harness.lint.rule import LineEdit, LintFinding, LintRule, Severity
from harness.lint.view import Element, PackageView
from harness.tags.boundary import Boundary, Dimension
from harness.tags.families.levels import LEVELS
from harness.tags.grammar import Tag, parse_line, tag_lines
from harness.tags.registry import ALL_SPECS
from harness.tags.spec import Scope, Trait

STRENGTH = {"alpha": 0, "beta": 1, "": 2}
"""How much a level's errors count: alpha is never shown, beta while its gate is on, standard always."""
_CONDITIONS = {"k8s:ifEnabled": True, "k8s:ifDisabled": False}
MODES = ("k8s:ifMode", "k8s:member")

_TEXT = re.compile(r"""(?:[^#"`]|"[^"]*"|`[^`]*`)*""")


def shown(tag: Tag) -> str:
    """A tag as it is written, without a remark behind it."""
    found = _TEXT.match(tag.source, tag.position.column - 1) if tag.position.column else None
    return found[0].rstrip() if found else str(tag)


def leads(tag: Tag) -> bool:
    """Whether what a tag wraps is about another value: items, keys, a member, one item."""
    return tag.name in ALL_SPECS and bool(ALL_SPECS[tag.name].leads)


# Tags as they are used


@dataclass(frozen=True, slots=True)
class Use:
    """The innermost tag of a chain. `around` encloses it, outermost first; `own` says it stands on the element itself.

    `target` is which value it is about, as steps from the element: () for the element, ("eachVal",) for its items.
    """

    tag: Tag
    around: tuple[Tag, ...] = ()
    target: tuple[str, ...] = ()
    own: bool = True

    @property
    def name(self) -> str:
        """The tag's name without `k8s:`."""
        return self.tag.name.removeprefix("k8s:")

    @property
    def top(self) -> Tag:
        """The tag that starts the line."""
        return self.around[0] if self.around else self.tag

    @property
    def level(self) -> str:
        """alpha, beta, or empty."""
        return next((LEVELS[tag.name] for tag in self.around if tag.name in LEVELS), "")

    @property
    def conditions(self) -> frozenset[tuple[str, str | bool]]:
        """What must hold for the tag to apply: options and modes."""
        found: set[tuple[str, str | bool]] = set()
        for tag in self.around:
            if tag.name in _CONDITIONS and (option := tag.arg()):
                found.add((option.text, _CONDITIONS[tag.name]))
            elif tag.name in MODES and (mode := tag.arg("mode") or tag.arg()):
                modality = tag.arg("modality")
                found.add((f"mode {modality.text if modality else ''}", mode.text))
        return frozenset(found)

    @property
    def in_mode(self) -> bool:
        """Whether the tag stands under +k8s:ifMode, whose rules run on their own."""
        return any(tag.name in MODES for tag in self.around)

    @property
    def checks(self) -> bool:
        """Whether the tag rejects anything by itself: list tags do where they tell items apart."""
        if self.name in ("listType", "unique"):
            return self.text in ("set", "map")
        return bool(ALL_SPECS[self.tag.name].emits) and not self.has(Trait.METADATA)

    @property
    def stops(self) -> bool:
        """Whether its failure ends its element: other tags run only when none that stops failed (semantics.md#3.3)."""
        return ALL_SPECS[self.tag.name].short_circuit

    @property
    def boundary(self) -> Boundary | None:
        """What the tag limits, None when it is no limit."""
        return ALL_SPECS[self.tag.name].boundary

    def has(self, trait: Trait) -> bool:
        """Whether the tag works so among others."""
        return trait in ALL_SPECS[self.tag.name].traits

    def is_limit(self, *dimensions: Dimension, upper: bool) -> bool:
        """Whether the tag limits one of these, from above or from below."""
        return self.boundary is not None and self.boundary.dimension in dimensions and self.boundary.upper == upper

    @property
    def number(self) -> int | None:
        """The payload, where it is a number."""
        scalar = self.tag.scalar
        return scalar.value if scalar and scalar.kind == "int" and isinstance(scalar.value, int) else None

    @property
    def text(self) -> str:
        """The payload as it is written, quotes undone."""
        return self.tag.scalar.text if self.tag.scalar else ""

    def can_meet(self, other: Use) -> bool:
        """Whether both may apply at the same time."""
        mine = dict(self.conditions)
        return all(mine.get(key, state) == state for key, state in other.conditions)

    def whenever(self, other: Use) -> bool:
        """Whether this applies whenever the other does."""
        return self.conditions <= other.conditions

    def said(self) -> str:
        """The tag as messages name it, with where it stands when that is somewhere else."""
        return shown(self.tag) if self.own else f"{shown(self.tag)} of its type"


def uses_of(tags: Iterable[Tag], before: tuple[str, ...] = (), own: bool = True) -> Iterator[Use]:
    """Every registered tag that is no wrapper, with its wrappers."""
    for tag in tags:
        around: tuple[Tag, ...] = ()
        target = before
        while tag.payload is not None:
            if leads(tag):
                arguments = ", ".join(sorted(f"{arg.name}: {arg.value.text}" for arg in tag.args))
                target = (*target, tag.name.removeprefix("k8s:") + (f"({arguments})" if arguments else ""))
            around, tag = (*around, tag), tag.payload
        if tag.name in ALL_SPECS and all(wrapper.name in ALL_SPECS for wrapper in around):
            yield Use(tag, around, target, own)


def uses(view: PackageView, element: Element) -> tuple[Use, ...]:
    """The uses on one element."""
    if not element.tags:
        return ()
    found: tuple[Use, ...] | None = view.memo.get(("uses", id(element)))
    if found is None:
        found = view.memo["uses", id(element)] = tuple(uses_of(element.tags))
    return found


def governing(view: PackageView, element: Element) -> tuple[Use, ...]:
    """The uses on an element, and those of its type, of its items' type and of its keys' type where these are named."""
    found: tuple[Use, ...] | None = view.memo.get(("governing", id(element)))
    if found is None:
        found = view.memo["governing", id(element)] = (*uses(view, element), *_of_its_types(view, element))
    return found


def _of_its_types(view: PackageView, element: Element) -> Iterator[Use]:
    if element.member is None:
        return
    yield from _of_type(view, element.type, ())
    declared = view.types.declared(element.type)
    if declared.kind in ("list", "map"):
        yield from _of_type(view, declared.elem, ("eachVal",))
        yield from _of_type(view, declared.key, ("eachKey",))


def _of_type(view: PackageView, ref: TypeRef | None, target: tuple[str, ...]) -> Iterator[Use]:
    ref = pointee(view, ref) if ref else None
    declaration = view.types.find(ref.name) if ref and ref.kind == "named" else None
    if declaration is not None:
        yield from uses_of(tags_of(declaration.comments), target, own=False)


def tags_of(comments: Comments) -> Iterator[Tag]:
    """The tags of a block that parse and whose names start with k8s:."""
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


def tagged(view: PackageView) -> tuple[Element, ...]:
    """The elements that carry a tag of validation."""
    found: tuple[Element, ...] | None = view.memo.get(("tagged", 0))
    if found is None:
        found = view.memo["tagged", 0] = tuple(element for element in view.elements if uses(view, element))
    return found


def by_target(found: Iterable[Use]) -> dict[tuple[str, ...], list[Use]]:
    """Uses grouped by the value they are about; those under +k8s:ifMode are left out."""
    grouped: dict[tuple[str, ...], list[Use]] = {}
    for use in found:
        if not use.in_mode:
            grouped.setdefault(use.target, []).append(use)
    return grouped


# Types


def pointee(view: PackageView, ref: TypeRef) -> TypeRef:
    """The declared type with one pointer removed."""
    ref = view.types.declared(ref)
    return view.types.declared(ref.elem) if ref.kind == "pointer" and ref.elem else ref


def type_at(view: PackageView, ref: TypeRef, target: tuple[str, ...]) -> TypeRef | None:
    """The type of the value that a target leads to."""
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


def is_value(view: PackageView, ref: TypeRef) -> bool:
    """Whether the zero value counts as unset: no pointer, no struct."""
    return not view.types.is_pointer(ref) and view.types.kind(ref) != "struct"


def reached_from(view: PackageView, names: Iterable[str]) -> set[str]:
    """The qualified names of all types that these lead to, themselves included."""
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
    """The text of a +default tag, None when there is none."""
    for line in tag_lines(line for line in element.comments if "+default" in line.text):
        if line.name == "default" and "=" in line.text:
            return line.text.partition("=")[2].strip()
    return None


def struct_elements(view: PackageView) -> dict[str, list[Element]]:
    """The fields of every struct of the package, by the struct's name."""
    found: dict[str, list[Element]] | None = view.memo.get(("structs", 0))
    if found is None:
        found = view.memo["structs", 0] = {}
        for element in view.elements:
            if element.member is not None:
                found.setdefault(element.declaration.name, []).append(element)
    return found


def types_of(view: PackageView) -> Iterator[tuple[Element, Struct | Typedef]]:
    """The types of the package."""
    for element in view.elements:
        if element.scope is Scope.TYPE and isinstance(element.declaration, Struct | Typedef):
            yield element, element.declaration


def path_of(element: Element) -> str:
    """How messages name an element: `Widget.replicas`."""
    if element.member is None:
        return element.name
    return f"{element.declaration.name}.{element.member.json_name or element.member.name}"


def member_of(element: Element) -> Field:
    """The field of an element that is one."""
    assert element.member is not None
    return element.member


# Findings


@dataclass(frozen=True, slots=True)
class Advice:
    """What a check says of one place, before the rule adds its name, severity and reason."""

    position: Position
    width: int
    message: str
    fix: str = ""
    edit: LineEdit | None = None


def at(place: Tag | Use | Element, message: str, fix: str = "", edit: LineEdit | None = None) -> Advice:
    """Say something of a tag, or of the name of an element."""
    if isinstance(place, Use):
        place = place.tag
    if isinstance(place, Tag):
        return Advice(place.position, place.width, message, fix, edit)
    position = place.member.position if place.member else place.declaration.position
    return Advice(position, len(place.name), message, fix, edit)


Check = Callable[[PackageView], Iterable[Advice]]


def advice(
    code: str,
    severity: Severity,
    check: Check,
    *,
    summary: str,
    why: str,
    good: str,
    bad: str,
    fixes: bool = False,
) -> LintRule:
    """Make a rule of a check. Two things said of one place in the same words are one finding."""

    def run(view: PackageView) -> Iterator[LintFinding]:
        for said in dict.fromkeys(check(view)):
            source = line_of(view, said.position)
            diagnostic = Diagnostic(said.position, code, said.message, why, said.fix, source, said.width)
            yield LintFinding(diagnostic, severity, said.edit)

    return LintRule(code, severity, summary, why, good, bad, run, fixes=fixes)


def line_of(view: PackageView, position: Position) -> str:
    """The line as it stands in the file; empty when the file is not known."""
    lines = view.sources.get(position.file, ())
    return lines[position.line - 1] if 0 < position.line <= len(lines) else ""


def is_comment_line(line: str) -> bool:
    """Whether a line holds one `//` comment and nothing else."""
    return line.lstrip().startswith("//")


def delete(view: PackageView, tag: Tag) -> LineEdit | None:
    """The repair that removes a tag's line; None when other things stand there, or hang on the tag."""
    line = line_of(view, tag.position)
    # Without its +k8s:ifMode a field would not be forbidden in other modes any more.
    alone = is_comment_line(line) and "+k8s:ifMode" not in line
    return LineEdit(tag.position.file, tag.position.line, line, None) if alone else None


def rewrite(view: PackageView, position: Position, width: int, text: str) -> LineEdit | None:
    """The repair that replaces some characters of a line."""
    line = line_of(view, position)
    start = position.column - 1
    if not is_comment_line(line) or start < 0:
        return None
    return LineEdit(position.file, position.line, line, line[:start] + text + line[start + width :])


def unwrapped(tag: Tag) -> Tag:
    """The tag without levels."""
    while tag.name in LEVELS and tag.payload is not None:
        tag = tag.payload
    return replace(tag, value=unwrapped(tag.payload)) if tag.payload else tag


# Examples


def field_of(tags: str, go: str, before: str = "") -> str:
    """A root `T` whose field `f` has these tags, one a line, and this type."""
    lines = "".join(f"\t// {tag}\n" for tag in tags.split("\n"))
    return f'{before}type T struct {{\n{lines}\tF {go} `json:"f"`\n}}\n'
