"""Asks the CEL rules of a custom resource, with the errors of an API server: transition rules and ratcheting too.

What a server limits by cost is not limited here.

Source: k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel/validation.go v0.37.1 (2026-11).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.case import Json
from harness.field import ErrorType, FieldError
from harness.jsonpath import ABSENT
from harness.pyschemas.crds.correlation import Correlated, key_of, keyed
from harness.pyschemas.crds.definition import RULES
from harness.pyschemas.crds.dialect import CelError, Expression
from harness.pyschemas.crds.schema import Node
from harness.pyschemas.crds.values import UNUSABLE, to_cel
from harness.pyschemas.rules import show

_REASONS = {
    "FieldValueForbidden": ErrorType.FORBIDDEN, "FieldValueRequired": ErrorType.REQUIRED,
    "FieldValueDuplicate": ErrorType.DUPLICATE,
}  # fmt: skip
_LONGEST_MESSAGE = 5 * 1024
_BLOCKING = frozenset({
    ErrorType.NOT_SUPPORTED, ErrorType.REQUIRED, ErrorType.TOO_LONG, ErrorType.TOO_MANY, ErrorType.TYPE_INVALID,
})  # fmt: skip
RAISES = " raises"
"""Ends the origin of an error that a rule raised."""


@dataclass(frozen=True, slots=True)
class _CelRule:
    """One rule, compiled. `place` is where it stands in the schema, `field` what its `fieldPath` adds to the path."""

    ask: Expression
    name: str
    message: str
    message_of: Expression | None
    type: ErrorType
    place: str
    field: str
    is_optional: bool


@dataclass(frozen=True, slots=True)
class _Ratchet:
    """The old value of this value, and of the nearest one around it that has an old value."""

    here: Correlated | None = None
    around: Correlated | None = None

    @property
    def lets_through(self) -> bool:
        """Whether errors of a rule that reads no old value are kept back."""
        known = self.here or self.around
        return known is not None and known.is_equal

    def key(self, name: str) -> _Ratchet:
        """Go down to a member."""
        if self.here is None:
            return self
        if self.around is None and name in ("apiVersion", "kind"):
            return _Ratchet()
        return _Ratchet(self.here.key(name), self.here)

    def index(self, at: int) -> _Ratchet:
        """Go down to an item."""
        return self if self.here is None else _Ratchet(self.here.index(at), self.here)


class RuleWalk:
    """The rules of a schema, compiled once. Raises: UnusableError."""

    def __init__(self, root: Node) -> None:
        self._root = root.resource if root.has_rules else root
        self._compiled: dict[int, tuple[_CelRule, ...]] = {}
        self._keep(self._root, self._root)

    def _keep(self, holder: Node, spine: Node) -> None:
        """Compile the rules of a schema and of those below; `spine` has the types, where `holder` is one of `allOf`."""
        if holder.rules:
            typed = spine.resource if spine.is_embedded else spine
            made = (_compile(rule, typed, holder.path, at) for at, rule in enumerate(holder.rules))
            self._compiled[id(holder)] = tuple(made)
        for name, one in holder.properties.items():
            if name in spine.properties:
                self._keep(one, spine.properties[name])
        for below, typed_below in ((holder.items, spine.items), (holder.values, spine.values)):
            if below is not None and typed_below is not None:
                self._keep(below, typed_below)
        for one in holder.all_of:
            self._keep(one, spine)

    def errors(self, obj: Json, old: Json, correlated: Correlated | None) -> Iterator[FieldError]:
        """Yield what the rules say of an object; `old` is None on a create."""
        if self._compiled:
            yield from self._walk(obj, ABSENT if old is None else old, self._root, self._root, "", _Ratchet(correlated))

    def _walk(
        self, value: Json, old: Json, holder: Node, spine: Node, path: str, ratchet: _Ratchet
    ) -> Iterator[FieldError]:
        if value is None or not (holder.has_rules or holder is self._root):
            return
        yield from self._ask(value, old, holder, spine, path, ratchet)
        for one in holder.all_of:
            yield from self._walk(value, old, one, spine, path, _Ratchet(None, ratchet.around))
        if isinstance(value, list) and holder.items is not None and spine.items is not None:
            before = keyed(spine, old if isinstance(old, list) else [])
            for at, item in enumerate(value):
                stored = before.get(key_of(spine, item) or (), ABSENT)
                yield from self._walk(item, stored, holder.items, spine.items, f"{path}[{at}]", ratchet.index(at))
        elif isinstance(value, dict):
            stored_map = old if isinstance(old, dict) else {}
            for name, one_value in value.items():
                stored = stored_map.get(name, ABSENT)
                stored = ABSENT if stored is None else stored
                below, typed = holder.properties.get(name), spine.properties.get(name)
                at_name = f"{path}.{name}" if path else name
                if below is None or typed is None:
                    below, typed, at_name = holder.values, spine.values, f"{path}[{name}]"
                if below is not None and typed is not None:
                    yield from self._walk(one_value, stored, below, typed, at_name, ratchet.key(name))

    def _ask(
        self, value: Json, old: Json, holder: Node, spine: Node, path: str, ratchet: _Ratchet
    ) -> Iterator[FieldError]:
        rules = self._compiled.get(id(holder), ())
        if not rules:
            return
        typed = spine.resource if spine.is_embedded else spine
        seen = to_cel(value, typed)
        before = to_cel(old, typed, value) if old is not ABSENT and any(one.ask.uses_old for one in rules) else None
        has_old = old is not ABSENT
        for rule in rules:
            if rule.ask.uses_old and not has_old and not rule.is_optional:
                continue
            error = _judge(rule, seen, before, has_old, path, typed, value)
            if error is not None and (error.origin.endswith(RAISES) or rule.ask.uses_old or not ratchet.lets_through):
                yield error


def is_blocking(errors: list[FieldError]) -> bool:
    """Whether a server asks no rules after these errors."""
    return any(error.type in _BLOCKING for error in errors)


def _judge(
    rule: _CelRule, seen: Any, before: Any, has_old: bool, path: str, node: Node, value: Json
) -> FieldError | None:
    try:
        if seen is UNUSABLE or (rule.ask.uses_old and before is UNUSABLE):
            raise CelError(f"invalid data, expected {node.type}")
        fits = rule.ask.ask(seen, before, has_old)
        if not isinstance(fits, bool):
            raise CelError("no such overload")
    except CelError as error:
        text = str(error)
        words = f"{text} evaluating rule: {rule.name}"
        if text.startswith("no such overload"):
            words = f"'{text}': call arguments did not match a supported operator, function or macro signature for "
            words += f"rule: {rule.name}"
        return FieldError(ErrorType.INVALID.value, path, words, rule.place + RAISES, value=show(node.type))
    if fits:
        return None
    detail = _message(rule, seen, before, has_old)
    shown = (
        ""
        if node.type in ("object", "array") or rule.type in (ErrorType.FORBIDDEN, ErrorType.REQUIRED)
        else show(value)
    )
    at = ".".join(part for part in (path, rule.field) if part)
    detail = "" if rule.type is ErrorType.DUPLICATE else detail
    return FieldError(rule.type.value, at, detail, rule.place, value=shown)


def _message(rule: _CelRule, seen: Any, before: Any, has_old: bool) -> str:
    if rule.message_of is not None:
        try:
            text = rule.message_of.ask(seen, before, has_old)
        except CelError:
            text = ""
        text = text.strip() if isinstance(text, str) else ""
        if text and len(text.encode()) <= _LONGEST_MESSAGE and "\n" not in text:
            return text
    return rule.message


def _compile(rule: Mapping[str, Any], node: Node, path: str, number: int) -> _CelRule:
    source, is_optional = str(rule.get("rule") or ""), bool(rule.get("optionalOldSelf"))
    place = f"{path}.{RULES}[{number}]".lstrip(".")
    written = str(rule.get("messageExpression") or "")
    message = str(rule.get("message") or "").strip()
    return _CelRule(
        Expression(source, node, is_optional), message or source.strip(), message or f"failed rule: {source.strip()}",
        Expression(written, node, is_optional) if written else None,
        _REASONS.get(str(rule.get("reason") or ""), ErrorType.INVALID), place, _field(str(rule.get("fieldPath") or "")),
        is_optional,
    )  # fmt: skip


def _field(path: str) -> str:
    """Return a field path as it stands behind the path of the rule: `.a['b-c']` is `a.b-c`."""
    return path.replace("['", ".").replace("']", "").removeprefix(".")
