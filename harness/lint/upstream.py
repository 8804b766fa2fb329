"""The three rules of upstream's own linter, with its traversal and its words.

Source: semantics.md#8; validation-gen lint.go and lint_rules.go, 1.37.1.
A finding of these stops the generator (`lint failed:`).
One quirk is left out: upstream keeps what +k8s:listType said by field path, and during lint no type has one, so that
the second typedef with that tag fails with `invalid validation tags: ... listType cannot be specified more than once`.
Which one is second depends on the order in which types are met, and nothing is wrong with either. Tags that cannot be
evaluated are findings of the compiler here. Types of 1.36 are judged as 1.37 does, which knows opaque types and looks
through every wrapper. Before 1.36 upstream's linter did not have these rules, and types of then are not judged by them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from harness.compiler.lintwalk import FIX, SINCE, WHY, LintWalk, Problem, Visit, misplaced, parsed
from harness.diagnostics import Diagnostic, Position
from harness.gotypes.model import Field, Struct, Typedef, TypeRef
from harness.lint.build import lines_of
from harness.lint.rule import LintFinding, LintRule
from harness.lint.view import PackageView
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.families.levels import LEVELS
from harness.tags.grammar import Tag
from harness.tags.registry import Reader, specs_of
from harness.tags.rules import Contribution, Store
from harness.tags.spec import Scope, TagContext, TagError
from harness.tags.types import SPECIAL

_OPTIONS = ("k8s:ifEnabled", "k8s:ifDisabled")
_PRESENCE = ("k8s:optional", "k8s:required", "k8s:forbidden")
_ORDER = ("Alpha", "Beta", "Stable")
_MISSING = "field with validation must have +k8s:optional, +k8s:required or +k8s:forbidden"


def visits(view: PackageView) -> tuple[Visit, ...]:
    """What is linted from the roots of a package on, in any package; each type once in a run."""
    found: tuple[Visit, ...] | None = view.memo.get(("visits", 0))
    if found is None:
        walk = LintWalk(view.types, view.shared.setdefault("types seen by lint", set()))
        if view.lint and view.generates:
            for root in sorted(view.roots):
                walk.enter(TypeRef("named", f"{view.path}.{root}"))
        found = view.memo["visits", 0] = tuple(walk.found)
    return found


# alphaBetaPrefix


def _prefix(view: PackageView) -> Iterator[tuple[Visit, Problem]]:
    for visit in visits(view):
        found = next((found for tag in visit.tags if (found := misplaced(tag)) is not None), None)
        if found is not None:
            yield visit, found


# validationStability


def _stability(view: PackageView) -> Iterator[tuple[Visit, Problem]]:
    known = {name: spec.stability for name, spec in specs_of(view.release).items()}
    for visit in visits(view):
        context = _context_of(visit.package)
        found = next((found for tag in visit.tags if (found := _unstable(tag, context, known)) is not None), None)
        if found is not None:
            yield visit, found


def _context_of(package: str) -> str:
    last = package.rpartition("/")[2]
    return "Alpha" if "alpha" in last else "Beta" if "beta" in last else "Stable"


def _unstable(top: Tag, context: str, known: dict[str, str]) -> Problem | None:
    tag: Tag | None = top
    if top.name in LEVELS:
        context, tag = top.name.removeprefix("k8s:").capitalize(), top.payload
    if tag is not None and tag.name in _OPTIONS and context == "Stable":
        context = "Beta"
    while tag is not None and tag.name in known:
        level = known[tag.name]
        if _ORDER.index(level) < _ORDER.index(context):
            message = f'tag "{tag.name}" with stability level "{level}" cannot be used in {context} validation'
            return message, tag
        tag = tag.payload
    return None


# requiredAndOptional


def _presence(view: PackageView) -> Iterator[tuple[Visit, Problem]]:
    rules = view.shared.get("rules below types")
    if rules is None:
        rules = view.shared["rules below types"] = _Rules(view)
    for visit in visits(view):
        if visit.holder and rules.lacks_presence(visit):
            yield visit, (_MISSING, None)


Opacity = tuple[bool, bool, bool]
"""Whether what lies below is ignored: the type, its keys, its items."""


class _Rules:
    """Says whether a field or anything below its type is validated."""

    def __init__(self, view: PackageView) -> None:
        self._types, self._release = view.types, view.release
        self._known = specs_of(view.release)
        self._reader = Reader(view.release)
        self._memo: dict[tuple[TypeRef, Opacity], bool | None] = {}

    def lacks_presence(self, visit: Visit) -> bool:
        """Whether a field is validated and does not say what its absence means."""
        native = self._types.native(visit.type)
        if native.kind == "struct" or (native.kind == "named" and not self._is_interface(native)):
            return False
        if _has(visit.tags, _PRESENCE):
            return False
        if self._validates(visit.tags):
            return True
        return self._below(visit.type, self._opacity(Scope.FIELD, visit.type, visit.tags))[0]

    def _is_interface(self, native: TypeRef) -> bool:
        return SPECIAL.get(native.name) == "integer"

    def _validates(self, tags: tuple[Tag, ...]) -> bool:
        """Whether a tag checks something; a wrapper does when what it wraps does."""
        for top in tags:
            tag: Tag | None = top
            while tag is not None and tag.name not in ("k8s:optional", "k8s:opaqueType"):
                spec = self._known.get(tag.name)
                if spec is None or spec.payload is None or spec.payload.kind != "tag":
                    if spec is not None:
                        return True
                    break
                tag = tag.payload
        return False

    def _below(self, ref: TypeRef, opacity: Opacity) -> tuple[bool, bool]:
        """Return whether a type has rules, and whether a cycle was cut on the way, so that a no may be too early."""
        if opacity[0]:
            return False, False
        key = ref, opacity
        if key in self._memo:
            known = self._memo[key]
            return known is True, known is None
        self._memo[key] = None
        found, cut = self._look(ref, opacity)
        if found or not cut:
            self._memo[key] = found
        else:
            del self._memo[key]
        return found, cut

    def _look(self, ref: TypeRef, opacity: Opacity) -> tuple[bool, bool]:
        declared = self._types.find(ref.name) if ref.kind == "named" and ref.name not in SPECIAL else None
        if declared is not None:
            given = self._contribution(Scope.TYPE, ref, parsed(declared.comments))
            opacity = _joined(opacity, given)
            if opacity[0]:
                return False, False
            if given.rules or given.deferred:
                return True, False
            if isinstance(declared, Typedef):
                return self._below(declared.underlying, opacity)
        if ref.kind in ("list", "array", "map"):
            sides = [(ref.key, opacity[1]), (ref.elem, opacity[2])]
            results = [self._below(side, (opaque, False, False)) for side, opaque in sides if side is not None]
            return any(found for found, _ in results), any(cut for _, cut in results)
        if ref.kind == "pointer" and ref.elem is not None:
            return self._below(ref.elem, opacity)
        return self._any_member(declared.fields if isinstance(declared, Struct) else ref.fields, opacity)

    def _any_member(self, fields: tuple[Field, ...], opacity: Opacity) -> tuple[bool, bool]:
        cut = False
        for member in fields:
            tags = parsed(member.comments)
            if self._validates(tags):
                return True, cut
            found, broken = self._below(
                member.type, _joined(opacity, self._contribution(Scope.FIELD, member.type, tags))
            )
            cut |= broken
            if found:
                return True, cut
        return False, cut

    def _opacity(self, scope: Scope, ref: TypeRef, tags: tuple[Tag, ...]) -> Opacity:
        return _joined((False, False, False), self._contribution(scope, ref, tags))

    def _contribution(self, scope: Scope, ref: TypeRef, tags: tuple[Tag, ...]) -> Contribution:
        total = Contribution()
        context = TagContext(
            scope, ref, "", self._types, Store(), self._reader.expand, self._reader.contributions_of,
            release=self._release, custom=CustomFunctions(),
        )  # fmt: skip
        for tag in tags:
            if tag.name in self._known:
                total.add(self._expanded(context, tag))
        return total

    def _expanded(self, context: TagContext, tag: Tag) -> Contribution:
        try:
            return self._reader.expand(context, tag)
        except TagError:
            return Contribution()  # the compiler says so


def _joined(opacity: Opacity, given: Contribution) -> Opacity:
    return opacity[0] or given.opaque_type, opacity[1] or given.opaque_key, opacity[2] or given.opaque_val


def _has(tags: tuple[Tag, ...], names: tuple[str, ...]) -> bool:
    for top in tags:
        tag: Tag | None = top
        while tag is not None:
            if tag.name in names:
                return True
            tag = tag.payload
    return False


# The records


def _rule(
    code: str,
    find: Callable[[PackageView], Iterator[tuple[Visit, Problem]]],
    *,
    summary: str,
    why: str,
    fix: str,
    good: str,
    bad: str,
) -> LintRule:
    def check(view: PackageView) -> Iterator[LintFinding]:
        for visit, (message, tag) in find(view) if view.release.minor >= SINCE else ():
            position, width = (tag.position, tag.width) if tag else (visit.position, len(visit.name))
            source = _line(view, position)
            words = f"{visit.subject}: {message}"
            yield LintFinding(Diagnostic(position, code, words, why, fix, source, width), "error")

    return LintRule(code, "error", summary, why, good, bad, check, upstream=True)


def _line(view: PackageView, position: Position) -> str:
    lines = view.sources.get(position.file)
    if lines is None:
        cache = view.shared.setdefault("lines", {})
        lines = cache.get(position.file)
        if lines is None:
            lines = cache[position.file] = lines_of(position.file)
    return lines[position.line - 1] if 0 < position.line <= len(lines) else ""


def _field(*tags: str, go: str = "string") -> str:
    lines = "".join(f"\t// {tag}\n" for tag in tags)
    return f'type T struct {{\n{lines}\tF {go} `json:"f"`\n}}\n'


RULES: tuple[LintRule, ...] = (
    _rule(
        "alphaBetaPrefix",
        _prefix,
        summary="+k8s:alpha and +k8s:beta are first in a chain, and have a payload.",
        why=WHY,
        fix=FIX,
        good=_field("+k8s:optional", "+k8s:alpha=+k8s:eachVal=+k8s:maxLength=5", go="[]string"),
        bad=_field("+k8s:optional", "+k8s:eachVal=+k8s:alpha=+k8s:maxLength=5", go="[]string"),
    ),
    _rule(
        "validationStability",
        _stability,
        summary="A tag is as stable as the API, or is wrapped in its level.",
        why="what an unfinished tag does may change, and a stable API must not change with it; "
        "upstream's generator stops at this",
        fix="put +k8s:beta= or +k8s:alpha= in front, as the tag's own stability allows",
        good=_field("+k8s:optional", '+k8s:alpha=+k8s:neq="none"'),
        bad=_field("+k8s:optional", '+k8s:neq="none"'),
    ),
    _rule(
        "requiredAndOptional",
        _presence,
        summary="A field that is validated has +k8s:optional, +k8s:required or +k8s:forbidden.",
        why="without one of them it is not defined whether an absent value is checked; upstream's generator rejects it",
        fix="add +k8s:optional where absence is fine, +k8s:required where it is not",
        good=_field("+k8s:optional", "+k8s:maxLength=5"),
        bad=_field("+k8s:maxLength=5"),
    ),
)
