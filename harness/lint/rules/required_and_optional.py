"""Finds fields with validation that do not define what their absence means, as upstream's linter does.

Source: semantics.md#8.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.compiler.lintwalk import Visit, parse_tags
from harness.gotypes.model import Field, Struct, Typedef, TypeRef
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.upstream import advise_as_upstream, visits_from_roots
from harness.lint.view import PackageView
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.grammar import Tag
from harness.tags.registry import Reader, specs_of
from harness.tags.rules import Contribution, Store
from harness.tags.spec import Scope, TagContext, TagError
from harness.tags.types import SPECIAL

_PRESENCE = ("k8s:optional", "k8s:required", "k8s:forbidden")
_FIX = "add +k8s:optional where absence is fine, +k8s:required where it is not"
_MISSING = "field with validation must have +k8s:optional, +k8s:required or +k8s:forbidden"
_Opacity = tuple[bool, bool, bool]
"""Whether the rules of a type, of its keys, and of its items are ignored (+k8s:opaqueType)."""


def find(view: PackageView) -> Iterator[Advice]:
    rules = view.shared.get("rules below types")
    if rules is None:
        rules = view.shared["rules below types"] = _RuleSearch(view)
    for visit in visits_from_roots(view):
        if visit.holder and rules.lacks_presence(visit):
            yield advise_as_upstream(visit, (_MISSING, None), _FIX)


class _RuleSearch:
    """Determines whether a field, or a value that its type contains, has a rule. Results are cached by type."""

    def __init__(self, view: PackageView) -> None:
        self._types, self._release = view.types, view.release
        self._known = specs_of(view.release)
        self._reader = Reader(view.release)
        self._memo: dict[tuple[TypeRef, _Opacity], bool | None] = {}

    def lacks_presence(self, visit: Visit) -> bool:
        """Whether a field has rules but no tag that defines what its absence means."""
        native = self._types.native(visit.type)
        if native.kind == "struct" or (native.kind == "named" and not self._is_interface(native)):
            return False
        if _has_presence_tag(visit.tags):
            return False
        if self._validates(visit.tags):
            return True
        return self._has_rules(visit.type, self._opacity(Scope.FIELD, visit.type, visit.tags))[0]

    def _is_interface(self, native: TypeRef) -> bool:
        return SPECIAL.get(native.name) == "integer"

    def _validates(self, tags: tuple[Tag, ...]) -> bool:
        """Whether a tag declares a rule; a wrapper does if the tag that it wraps does."""
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

    def _has_rules(self, ref: TypeRef, opacity: _Opacity) -> tuple[bool, bool]:
        """Return whether a type has rules, and whether a recursive type was not followed, so that a no may be wrong."""
        if opacity[0]:
            return False, False
        key = ref, opacity
        if key in self._memo:
            known = self._memo[key]
            return known is True, known is None
        self._memo[key] = None
        found, is_partial = self._type_has_rules(ref, opacity)
        if found or not is_partial:
            self._memo[key] = found
        else:
            del self._memo[key]
        return found, is_partial

    def _type_has_rules(self, ref: TypeRef, opacity: _Opacity) -> tuple[bool, bool]:
        declared = self._types.find(ref.name) if ref.kind == "named" and ref.name not in SPECIAL else None
        if declared is not None:
            given = self._contribution(Scope.TYPE, ref, parse_tags(declared.comments))
            opacity = _merge(opacity, given)
            if opacity[0]:
                return False, False
            if given.rules or given.deferred:
                return True, False
            if isinstance(declared, Typedef):
                return self._has_rules(declared.underlying, opacity)
        if ref.kind in ("list", "array", "map"):
            sides = [(ref.key, opacity[1]), (ref.elem, opacity[2])]
            results = [self._has_rules(side, (opaque, False, False)) for side, opaque in sides if side is not None]
            return any(found for found, _ in results), any(is_partial for _, is_partial in results)
        if ref.kind == "pointer" and ref.elem is not None:
            return self._has_rules(ref.elem, opacity)
        return self._any_field_has_rules(declared.fields if isinstance(declared, Struct) else ref.fields, opacity)

    def _any_field_has_rules(self, fields: tuple[Field, ...], opacity: _Opacity) -> tuple[bool, bool]:
        is_partial = False
        for member in fields:
            tags = parse_tags(member.comments)
            if self._validates(tags):
                return True, is_partial
            found, is_member_partial = self._has_rules(
                member.type, _merge(opacity, self._contribution(Scope.FIELD, member.type, tags))
            )
            is_partial |= is_member_partial
            if found:
                return True, is_partial
        return False, is_partial

    def _opacity(self, scope: Scope, ref: TypeRef, tags: tuple[Tag, ...]) -> _Opacity:
        return _merge((False, False, False), self._contribution(scope, ref, tags))

    def _contribution(self, scope: Scope, ref: TypeRef, tags: tuple[Tag, ...]) -> Contribution:
        total = Contribution()
        context = TagContext(
            scope, ref, "", self._types, Store(), self._reader.expand, self._reader.contributions_of,
            release=self._release, custom=CustomFunctions(),
        )  # fmt: skip
        for tag in tags:
            if tag.name in self._known:
                total.add(self._expand(context, tag))
        return total

    def _expand(self, context: TagContext, tag: Tag) -> Contribution:
        try:
            return self._reader.expand(context, tag)
        except TagError:
            return Contribution()  # the compiler reports it


def _has_presence_tag(tags: tuple[Tag, ...]) -> bool:
    for top in tags:
        tag: Tag | None = top
        while tag is not None:
            if tag.name in _PRESENCE:
                return True
            tag = tag.payload
    return False


def _merge(opacity: _Opacity, given: Contribution) -> _Opacity:
    return opacity[0] or given.opaque_type, opacity[1] or given.opaque_key, opacity[2] or given.opaque_val


RULE = LintRule(
    code="requiredAndOptional",
    severity="error",
    summary="A field that is validated has +k8s:optional, +k8s:required or +k8s:forbidden.",
    why="without one of them it is not defined whether an absent value is checked; upstream's generator rejects it",
    good=field_of("+k8s:optional\n+k8s:maxLength=5", "string"),
    bad=field_of("+k8s:maxLength=5", "string"),
    find=find,
    upstream=True,
)
