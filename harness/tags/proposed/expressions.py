"""Rules in CEL: `+validationRule="self.least <= self.most",message="...",reason=Invalid,field="most"`.

Zero values of members that are no pointers are stripped, so that `has(self.paused)` is false for `false`, as the
proposal wants it of `x-kubernetes-strip-zero`.

Source: KEP-4153, "CEL Validation" and "Optional Zero Fields" (2026-11).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from harness.case import Operation
from harness.field import ErrorType, FieldError, Path
from harness.field.make import shown
from harness.gotypes.model import Struct, TypeRef
from harness.pyschemas.adapter import UnusableError
from harness.pyschemas.crds.dialect import CelError, Expression
from harness.pyschemas.crds.schema import Node
from harness.pyschemas.crds.values import UNUSABLE, to_cel
from harness.tags.grammar import Tag
from harness.tags.rules import Check, Contribution
from harness.tags.spec import (
    VALUE_SCOPES,
    ArgSpec,
    Emission,
    Payload,
    TagContext,
    TagError,
    TagSpec,
    accepts,
    contribute_call,
    invalid_usage,
    rejects,
)
from harness.tags.translation import REASONS, STRIP_ZERO, CelRule, Operand, SchemaForm
from harness.tags.types import SPECIAL, Types

TYPES: Mapping[str, ErrorType] = {
    "Invalid": ErrorType.INVALID, "Required": ErrorType.REQUIRED, "Forbidden": ErrorType.FORBIDDEN,
    "RequestEntityTooLarge": ErrorType.TOO_LONG,
}  # fmt: skip
"""The type of error by the reason of a rule."""

_SCALARS = {"string": "string", "bool": "boolean", "integer": "integer", "float": "number"}
_SPECIAL: Mapping[str, dict[str, Any]] = {
    "int-or-string": {"x-kubernetes-int-or-string": True}, "quantity": {"x-kubernetes-int-or-string": True},
    "time": {"type": "string"}, "micro-time": {"type": "string"}, "duration": {"type": "string"},
    "integer": {"type": "integer"},
}  # fmt: skip


def validation_rule(
    op: Operation, path: Path, new: Any, old: Any, rule: str, message: str, words: str, type: str, at: str, schema: str
) -> list[FieldError]:
    """Ask a rule in CEL about a value. None is accepted; a rule with `oldSelf` is asked of updates with an old value.

    `message` is the text of the error, `words` a rule that makes it, `type` the type of the error, `at` the member that
    the error is about, `schema` the type of the value as a structural schema in JSON.
    Returns: at most one error, origin `validationRule`; an Invalid one too where the rule raises.
    """
    node, ask = _compiled(rule, schema)
    if new is None or (ask.uses_old and (op is not Operation.UPDATE or old is None)):
        return []
    field = f"{path}.{at}".strip(".") if at else str(path)
    values = to_cel(_strip(new, node), node), to_cel(_strip(old, node), node) if ask.uses_old else None
    try:
        if UNUSABLE in values:
            raise CelError(f"invalid data, expected {node.type}")
        if ask.ask(*values, old is not None) is True:
            return []
        detail = _message(message, words, rule, schema, values)
    except CelError as error:
        return [
            FieldError(
                ErrorType.INVALID, field, f"{error} evaluating rule: {rule}", "validationRule", value=_shown(new)
            )
        ]
    value = _shown(new) if type in (ErrorType.INVALID, ErrorType.TOO_LONG) and not at else ""
    return [FieldError(ErrorType(type), field, detail, "validationRule", value=value)]


@lru_cache(maxsize=1000)
def _compiled(rule: str, schema: str) -> tuple[Node, Expression]:
    node = Node(json.loads(schema))
    return node, Expression(rule, node)


def _message(message: str, words: str, rule: str, schema: str, values: tuple[Any, Any]) -> str:
    if words:
        made = _compiled(words, schema)[1].ask(*values, values[1] is not None)
        if isinstance(made, str) and made.strip():
            return made.strip()
    return message or f"failed rule: {rule}"


def _shown(value: Any) -> str:
    return "" if isinstance(value, dict | list) else shown(value)


def _strip(value: Any, node: Node) -> Any:
    """Return a value without the members that Go cannot tell from absent ones."""
    if isinstance(value, dict):
        kept = {}
        for name, one in value.items():
            below = node.properties.get(name) or node.values
            if below is None or one is None or (not one and below.schema.get(STRIP_ZERO)):
                continue
            kept[name] = _strip(one, below)
        return kept
    if isinstance(value, list) and node.items is not None:
        return [_strip(one, node.items) for one in value]
    return value


_DEPTH = 2
"""How many levels of a type within itself rules can read. A structural schema has no references."""


def schema_of(types: Types, ref: TypeRef, inside: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the structural schema of a Go type, with zero values to strip; one within itself ends after `_DEPTH`."""
    value = types.value(ref)
    special = SPECIAL.get(value.name) if value.kind == "named" else None
    if special is not None:
        return dict(_SPECIAL.get(special, {"x-kubernetes-preserve-unknown-fields": True}))
    struct = types.struct(ref)
    if struct is not None:
        if inside.count(value.name) > _DEPTH:
            return {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        return {"type": "object", "properties": dict(_members(types, struct, (*inside, value.name)))}
    match value.kind:
        case "list" if value.elem is not None:
            return {"type": "array", "items": schema_of(types, value.elem, inside)}
        case "map" if value.elem is not None:
            return {"type": "object", "additionalProperties": schema_of(types, value.elem, inside)}
        case "builtin":
            return {"type": _SCALARS[types.kind(ref)]}
    return {"x-kubernetes-preserve-unknown-fields": True}


def _members(types: Types, struct: Struct, inside: tuple[str, ...]) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    for field in struct.fields:
        below = types.struct(field.type)
        if field.inline and below is not None and types.value(field.type).name not in inside:
            found += _members(types, below, (*inside, types.value(field.type).name))
        elif field.exported and field.json_name:
            strips = not types.is_pointer(field.type) and below is None
            found.append(
                (field.json_name, schema_of(types, field.type, inside) | ({STRIP_ZERO: True} if strips else {}))
            )
    return found


def _apply(context: TagContext, tag: Tag) -> Contribution:
    assert tag.scalar is not None
    rule, schema = tag.scalar.text.strip(), json.dumps(schema_of(context.types, context.type), sort_keys=True)
    given = {name: one.text if (one := tag.arg(name)) is not None else "" for name in _FIELDS}
    reason = given["reason"] or "Invalid"
    if reason not in TYPES:
        raise TagError(f"there is no reason {reason}", tag, "tag-argument", fix="one of: " + ", ".join(TYPES))
    at = given["field"].removeprefix("$").removeprefix(".")
    for text in filter(None, (rule, given["messageExpression"])):
        try:
            _compiled(text, schema)
        except UnusableError as error:
            raise TagError(error.message, tag, "tag-payload", error.why, error.fix) from None
    args = (rule, given["message"], given["messageExpression"], TYPES[reason].value, at, schema)
    return contribute_call(tag.name, validation_rule, args)


def _rules(check: Check, at: Operand) -> list[CelRule]:
    rule, message, _, type, path, _ = check.args
    reason = REASONS.get(type, "FieldValueInvalid")
    words = message or f"failed rule: {rule}"
    if at.member:
        return [CelRule(f"cel.bind(self, {at.new}, {rule})", words, reason)]
    return [CelRule(rule, words, reason, transition="oldSelf" in rule, path=f".{path}" if path else "")]


def _emission(type: ErrorType) -> Emission:
    return Emission(
        type,
        "validationRule",
        texts=("<message>",),
        when=lambda check: check.args[3] == type.value,
        relative_path=lambda check: f".{check.args[4]}" if check.args[4] else "",
    )


_FIELDS = ("message", "messageExpression", "reason", "field")
_GO = """type T struct {
    // @
    F In `json:"f"`
}

type In struct {
    Least int32 `json:"least"`
    Most *int32 `json:"most"`
}
"""
_RULE = '="!has(self.most) || self.least <= self.most",message="least is above most",reason=Forbidden,field="least"'
_GROWS = '="self >= oldSelf"'

VALIDATION_RULE = TagSpec(
    name="validationRule",
    summary="Requires a rule in CEL to be true. `self` is the value, `oldSelf` the old one of an update.",
    describe=lambda check, subject: f"`{check.args[0]}`" + (f": {check.args[1]}" if check.args[1] else ""),
    scopes=VALUE_SCOPES,
    payload=Payload("string", '"<rule>"'),
    args=tuple(ArgSpec(name, "<text>") for name in _FIELDS),
    check=validation_rule,
    apply=_apply,
    schema={validation_rule: SchemaForm(_rules)},
    emits=tuple(map(_emission, TYPES.values())),
    arguments=lambda check: {"rule": check.args[0], "message": check.args[1]},
    update_note="A rule that reads `oldSelf` is asked of updates alone, and only where there is an old value.",
    examples=(
        accepts(_GO, {"f": {"least": 1, "most": 1}}, _RULE),
        rejects(_GO, {"f": {"least": 2, "most": 1}}, _RULE, "f.least"),
        accepts(_GO, {"f": {"least": 2}}, _RULE),
        accepts("int32", 5, _GROWS, old=5),
        rejects("int32", 4, _GROWS, old=5),
        accepts("int32", 4, _GROWS),
    ),
    invalid_usages=(invalid_usage("int32", '="self >"'), invalid_usage("int32", '="self > 0",reason=Never')),
    caveats=(
        "A zero value of a member that is no pointer is absent: `has` is false for 0, false and the empty string.",
        f"Of a type within itself rules see {_DEPTH} levels: what is below is absent.",
        "What a rule costs is not limited here; a server of CRDs would refuse one that costs too much.",
        "It needs cel-expr-python, the extra `cel`.",
    ),
    proposal="KEP-4153",
)

SPECS = (VALIDATION_RULE,)
