"""Changes that may not happen. Source: apimachinery pkg/api/validate/update.go (2026-07); semantics.md#4.5, #5.12."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from harness.case import Json, Operation
from harness.field import ErrorType, FieldError, Path
from harness.field.facts import Place, RuleDeclaration
from harness.tags.boundary import RuleMutation
from harness.tags.grammar import Tag
from harness.tags.rules import Check, Contribution, Deferred, Identity, KeyOf, ListData, Rule
from harness.tags.runtime import NilDereferenceError
from harness.tags.spec import (
    Emission,
    Payload,
    ReleaseChange,
    Scope,
    TagContext,
    TagError,
    TagSpec,
    Trait,
    accepts,
    invalid_usage,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm, cel_name

ORDER = ("NoSet", "NoUnset", "NoModify", "NoAddItem", "NoRemoveItem")
Constraints: TypeAlias = tuple[str, ...]

_DETAILS = {
    "NoSet": "field cannot be set once created",
    "NoUnset": "field cannot be cleared once set",
    "NoModify": "field cannot be modified once set",
    "NoAddItem": "item may not be added",
    "NoRemoveItem": "item may not be removed",
}
_OF_VALUES = frozenset({"NoSet", "NoUnset", "NoModify"})
"""Constraints of the value itself; the others are of the items of a list or map."""


def _invalid(path: Path, constraint: str) -> FieldError:
    return FieldError(ErrorType.INVALID, str(path), _DETAILS[constraint], "update", value="null")


def _forbidden(path: Path, verb: str) -> FieldError:
    return FieldError(ErrorType.FORBIDDEN, str(path), f"item may not be {verb}", "update")


def _transitions(path: Path, was: bool, now: bool, constraints: Constraints) -> list[FieldError]:
    fires = {"NoSet": now and not was, "NoUnset": was and not now, "NoModify": was and now}
    return [_invalid(path, name) for name in constraints if fires.get(name, False)]


def update_value(op: Operation, path: Path, new: Any, old: Any, constraints: Constraints) -> list[FieldError]:
    """Reject transitions of a value that is unset when zero. Checks nothing without an old value."""
    if op is not Operation.UPDATE or old is None:
        return []
    return _transitions(path, bool(old), bool(new), constraints)


def update_pointer(op: Operation, path: Path, new: Any, old: Any, constraints: Constraints) -> list[FieldError]:
    """Reject transitions of a pointer. A missing old value counts as nil."""
    if op is not Operation.UPDATE:
        return []
    return _transitions(path, old is not None, new is not None, constraints)


def update_struct(op: Operation, path: Path, new: Any, old: Any, constraints: Constraints) -> list[FieldError]:
    """Reject modification of a struct, which is always set. Checks nothing without an old value."""
    if op is not Operation.UPDATE or old is None:
        return []
    return _transitions(path, True, True, constraints)


def update_old_value(op: Operation, path: Path, new: Any, old: Any, constraints: Constraints) -> list[FieldError]:
    """Check as `update_value` did before 1.37, which dereferenced the old value even if there was none.

    Raises: NilDereferenceError without an old value.
    """
    if op is Operation.UPDATE and old is None:
        raise NilDereferenceError
    return update_value(op, path, new, old, constraints)


def update_new_struct(op: Operation, path: Path, new: Any, old: Any, constraints: Constraints) -> list[FieldError]:
    """Check as `update_struct` did before 1.37, which counted a new struct as modified."""
    return _transitions(path, True, True, constraints) if op is Operation.UPDATE else []


def update_list(
    op: Operation,
    path: Path,
    new: Sequence[Any] | None,
    old: Sequence[Any] | None,
    constraints: Constraints,
    key: Callable[[Any], Any] | None,
) -> list[FieldError]:
    """Reject transitions of a list and of its items, identified by `key`. A missing old list counts as empty.

    Shapes: one error per added item, at its index; one per removed item, all at the list (semantics.md#S29).
    """
    if op is not Operation.UPDATE:
        return []
    errors = _transitions(path, bool(old), bool(new), constraints)
    if key is None:
        return errors
    was = [key(item) for item in old or () if item is not None]
    now = [None if item is None else key(item) for item in new or ()]
    if "NoAddItem" in constraints:
        errors += [_forbidden(path.index(i), "added") for i, k in enumerate(now) if k is not None and k not in was]
    if "NoRemoveItem" in constraints:
        errors += [_forbidden(path, "removed") for k in was if k not in now]
    return errors


def update_map(
    op: Operation,
    path: Path,
    new: Mapping[str, Any] | None,
    old: Mapping[str, Any] | None,
    constraints: Constraints,
) -> list[FieldError]:
    """Reject transitions of a map and of its keys. A missing old map counts as empty."""
    if op is not Operation.UPDATE:
        return []
    new, old = new or {}, old or {}
    errors = _transitions(path, bool(old), bool(new), constraints)
    if "NoAddItem" in constraints:
        errors += [_forbidden(path.key(k), "added") for k in sorted(new) if k not in old]
    if "NoRemoveItem" in constraints:
        errors += [_forbidden(path.key(k), "removed") for k in sorted(old) if k not in new]
    return errors


def _apply(context: TagContext, tag: Tag) -> Contribution:
    constraint = tag.scalar.text if tag.scalar else ""
    if constraint not in ORDER:
        raise TagError(f"unknown +k8s:update constraint: {constraint}", tag, fix="one of: " + ", ".join(ORDER))
    if context.scope in (Scope.LIST_VALUE, Scope.MAP_VALUE):
        return _item_rule(context, tag, constraint)
    if not context.release.updates_items:
        _check_release(context, tag, constraint)
    _check_kind(context, tag, constraint)
    context.store.updates.setdefault(context.path, {}).setdefault(constraint, tag.position)
    context.store.update_levels[context.path] = context.level
    return Contribution(deferred=[Deferred(lambda: _merge_constraints(context, tag), "update")])


def _check_release(context: TagContext, tag: Tag, constraint: str) -> None:
    why = f"{context.release} does not know it yet: it came with 1.37"
    if constraint not in _OF_VALUES:
        raise TagError(f"unknown +k8s:update constraint: {constraint}", tag, "tag-release", why)
    if context.kind in ("list", "map"):
        message = f"+k8s:update={constraint} is currently not supported on list or map fields"
        raise TagError(message, tag, "tag-release", why)


def _check_kind(context: TagContext, tag: Tag, constraint: str) -> None:
    listlike = context.kind in ("list", "map") and not context.is_pointer
    name = f"+k8s:update={constraint}"
    if constraint in ("NoAddItem", "NoRemoveItem") and not listlike:
        raise TagError(f"{name} can only be used on list or map fields", tag)
    if constraint == "NoModify" and listlike:
        raise TagError(
            f"{name} is not supported on list or map fields, "
            "use +k8s:eachVal=+k8s:update=NoModify for per-item immutability",
            tag,
        )
    if constraint in ("NoSet", "NoUnset") and context.kind == "struct" and not context.is_pointer:
        raise TagError(f"{name} cannot be used on non-pointer struct fields (they cannot be unset)", tag)


def _merge_constraints(context: TagContext, tag: Tag) -> Contribution:
    """Make one rule of all the field's constraints; the first tag's wrappers apply to it (semantics.md#S13)."""
    if context.path in context.store.updates_done:
        return Contribution()
    context.store.updates_done.add(context.path)
    constraints = context.store.updates[context.path]
    rule = _rule(context, tag, tuple(name for name in ORDER if name in constraints))
    rule = replace(rule, parts={_DETAILS[name]: position for name, position in constraints.items()})
    level = "" if context.release.defers else context.store.update_levels[context.path]
    return Contribution([replace(rule, level=level)])


def _rule(context: TagContext, tag: Tag, constraints: Constraints) -> Rule:
    args: tuple[Any, ...] = (constraints,)
    if context.is_pointer:
        function: Callable[..., Sequence[FieldError]] = update_pointer
    elif context.kind == "list":
        function, args = update_list, (constraints, _key(context, tag, constraints))
    elif context.kind == "map":
        function = update_map
    elif context.kind == "struct":
        function = update_new_struct if context.release.update_needs_old else update_struct
    else:
        function = update_old_value if context.release.update_needs_old else update_value
    return Rule(Check(function, args), short_circuits=True, tag=tag.name)


def _key(context: TagContext, tag: Tag, constraints: Constraints) -> KeyOf | None:
    if not {"NoAddItem", "NoRemoveItem"} & set(constraints):
        return None
    names = "+k8s:update=NoAddItem/+k8s:update=NoRemoveItem"
    data = list_data(context)
    if data is None:
        raise TagError(
            f"{names} require list metadata (+k8s:listType with listMapKey, or +k8s:unique) to determine item "
            "identity", tag,
            fix="say what tells items apart, such as +k8s:listType=map with +k8s:listMapKey",
        )  # fmt: skip
    if data.semantic == "map" and not data.keys:
        raise TagError(f"{names} require listMapKey to be set for listType=map", tag)
    if data.semantic == "atomic":
        raise TagError(
            f"{names} require listType=set, listType=map, unique=set, or unique=map to define item identity", tag
        )
    return KeyOf(identity(context, data))


def list_data(context: TagContext) -> ListData | None:
    """Return the list tags of a field, else those of its type (semantics.md#3.7)."""
    return context.store.lists.get(context.path) or context.store.lists.get(context.type.name or " ")


def settle_nested(context: TagContext, payload: Contribution) -> Contribution:
    """Run the deferred work of a nested tag on its own element, instead of deferring it to the enclosing tag's."""
    if context.release.ignores_nested_groups:
        payload = replace(payload, deferred=[later for later in payload.deferred if not later.group])
    return payload.resolved()


def identity(context: TagContext, data: ListData | None) -> Identity:
    """Return how the items of the context's list are matched with old items."""
    elem = context.types.native(context.type).elem
    assert elem is not None
    return Identity(elem) if data is None else Identity(elem, data.semantic, tuple(data.keys))


def _item_rule(context: TagContext, tag: Tag, constraint: str) -> Contribution:
    name = f"+k8s:update={constraint}"
    if not context.release.updates_items:
        why = f"{context.release} knows it on fields only; 1.37 on items and values too"
        raise TagError(f"cannot be specified on {context.scope.value}", tag, "tag-release", why)
    where = context.scope.value
    if constraint != "NoModify":
        raise TagError(f"{name} does not apply to {where}, attach it to the enclosing field", tag)
    if context.kind in ("list", "map"):
        raise TagError(f"{name} cannot be applied to list/map elements that are themselves lists or maps", tag)
    data = context.list_data
    if context.scope is Scope.LIST_VALUE and data is not None and data.list_type and data.semantic != "map":
        raise TagError(
            f"+k8s:eachVal={name} requires the enclosing list to use listType=map or unique=map (got {data.semantic})",
            tag,
        )
    return Contribution([_rule(context, tag, (constraint,))])


def _reports_at_items(check: Check) -> bool:
    names = set(check.args[0])
    return "NoAddItem" in names or ("NoRemoveItem" in names and check.function is update_map)


def _reports_at_list(check: Check) -> bool:
    return "NoRemoveItem" in check.args[0] and check.function is not update_map


_KEYED = """type T struct {
    // +k8s:listType=map
    // +k8s:listMapKey=k
    // @
    F []I `json:"f"`
}

type I struct {
    K string `json:"k"`
}
"""

_DESCRIPTIONS = {
    "NoSet": "may not be set after creation",
    "NoUnset": "may not be cleared once set",
    "NoModify": "may not be modified once set",
    "NoAddItem": "items may not be added",
    "NoRemoveItem": "items may not be removed",
}
_WORDS = {"added": "NoAddItem", "removed": "NoRemoveItem"}


def _declare(error: FieldError, new: Json, old: Json) -> Iterator[RuleDeclaration]:
    """The constraint follows from the words of an error, else from what the update did to the value."""
    said = next((name for name, words in _DETAILS.items() if words == error.detail), "")
    item = next((name for word, name in _WORDS.items() if word in error.detail), "")
    if not said and error.type == ErrorType.FORBIDDEN and item:
        place: Place = "list" if error.field.endswith("]") else "field"
        yield RuleDeclaration((f"+k8s:update={item}",), place)
        return
    if not said:
        said = "NoModify" if old and new else "NoUnset" if old else "NoSet"
    yield RuleDeclaration((f"+k8s:update={said}",))


_PAIR_DESCRIPTIONS: dict[Constraints, str] = {
    ("NoUnset", "NoModify"): "may be set once; then it may be neither modified nor cleared",
    ("NoAddItem", "NoRemoveItem"): "items may be neither added nor removed",
}


def _describe(constraints: Constraints) -> str:
    return _PAIR_DESCRIPTIONS.get(constraints) or "; ".join(_DESCRIPTIONS[name] for name in constraints)


def _mutations(check: Check) -> Iterator[RuleMutation]:
    constraints, *more = check.args
    for one in constraints if len(constraints) > 1 else ():
        kept = tuple(other for other in constraints if other != one)
        yield RuleMutation(f"drop {one}", f"an update that {one} alone forbids", (kept, *more))


def _transition_rules(check: Check, at: Operand) -> Iterator[CelRule]:
    conditions = {
        "NoSet": f"{at.was_set} || !{at.is_set}",
        "NoUnset": f"!{at.was_set} || {at.is_set}",
        "NoModify": f"!{at.was_set} || !{at.is_set} || {at.new} == {at.old}",
    }
    for name in check.args[0]:
        if name in conditions:
            yield CelRule(conditions[name], _DETAILS[name], transition=True)


def _item_rules(check: Check, at: Operand) -> Iterator[CelRule]:
    """Write the constraints of the items of a list, or of the keys of a map."""
    key = check.args[1] if len(check.args) > 1 else None
    keys = [cel_name(name) for name in key.identity.keys] if key is not None else []
    for name, these, those, is_there, was_there in (
        ("NoAddItem", at.new, at.old, at.is_set, at.was_set),
        ("NoRemoveItem", at.old, at.new, at.was_set, at.is_set),
    ):
        if name not in check.args[0]:
            continue
        same = " && ".join(f"o.{one} == i.{one}" for one in keys)
        found = f"{those}.exists(o, {same})" if keys else f"i in {those}"
        yield CelRule(
            f"!{is_there} || {these}.all(i, {was_there} && {found})", _DETAILS[name], "FieldValueForbidden",
            transition=True,
        )  # fmt: skip


def _all_rules(check: Check, at: Operand) -> Iterator[CelRule]:
    yield from _transition_rules(check, at)
    yield from _item_rules(check, at)


_OF_STRUCT = SchemaForm(
    _transition_rules, of_member=True,
    differs="in a struct that was absent nothing is checked: a schema has no old value to compare with",
)  # fmt: skip
_OF_ITEMS = replace(_OF_STRUCT, rules=_all_rules, differs="the error is at the list or the map, once, not at each item")

UPDATE = TagSpec(
    name="k8s:update",
    traits=frozenset({Trait.DEFERRED}),
    summary="Rejects one kind of change: NoSet, NoUnset, NoModify; for items NoAddItem, NoRemoveItem.",
    describe=lambda check, subject: _describe(check.args[0]),
    only_updates=True,
    update_note=(
        "Checks nothing on create. Without an old value, a pointer counts as nil, a list or map as empty; other values "
        "are not checked. All constraints of a field are one check."
    ),
    invalid_usages=(
        invalid_usage("string", "=Never"),
        invalid_usage("string", "=NoAddItem"),
        invalid_usage("[]string", "=NoModify"),
        invalid_usage("[]string", "=NoAddItem"),
    ),
    caveats=(
        "Wrappers around the first constraint's tag apply to all constraints of the field.",
        "Each removed item of a list gives the same error at the list; removed keys of a map give one at each key.",
        "+k8s:eachVal=+k8s:update=NoModify allows adding items; +k8s:eachVal=+k8s:immutable does not.",
    ),
    scopes=frozenset({Scope.FIELD, Scope.LIST_VALUE, Scope.MAP_VALUE}),
    payload=Payload("string", "<constraint>", required=False),
    apply=_apply,
    short_circuit=True,
    schema={
        update_value: replace(_OF_STRUCT, differs=""),
        update_struct: replace(_OF_STRUCT, differs=""),
        update_pointer: _OF_STRUCT,
        update_list: _OF_ITEMS,
        update_map: _OF_ITEMS,
    },
    emits=(
        Emission(
            ErrorType.INVALID,
            "update",
            texts=tuple(_DETAILS[name] for name in ORDER if name in _OF_VALUES),
            when=lambda check: not _OF_VALUES.isdisjoint(check.args[0]),
        ),
        Emission(
            ErrorType.FORBIDDEN,
            "update",
            texts=("item may not be added", "item may not be removed"),
            when=_reports_at_items,
            relative_path=lambda check: "[*]",
        ),
        Emission(ErrorType.FORBIDDEN, "update", texts=("item may not be removed",), when=_reports_at_list),
    ),
    declaration="+k8s:update=<constraint>",
    declare=_declare,
    accepted_when="both",
    arguments=lambda check: {"constraints": list(check.args[0])},
    mutations=_mutations,
    examples=(
        accepts("string", "a", "=NoSet"),
        rejects("string", "a", "=NoSet", old=None),
        accepts("string", "b", "=NoSet", old="a"),
        rejects("*string", None, "=NoUnset", old=""),
        accepts("*string", "b", "=NoUnset", old=""),
        rejects("string", "b", "=NoModify", old="a"),
        accepts("string", None, "=NoModify", old="a"),
        rejects("map[string]string", {"a": "", "b": ""}, "=NoAddItem", "f[b]", old={"a": ""}),
        rejects("map[string]string", {"b": ""}, "=NoRemoveItem", "f[a]", old={"a": "", "b": ""}),
        rejects(_KEYED, {"f": [{"k": "a"}]}, "=NoAddItem", "f[0]", old={}),
        rejects(_KEYED, {"f": []}, "=NoRemoveItem", "f", "f", old={"f": [{"k": "a"}, {"k": "b"}]}),
        accepts(_KEYED, {"f": [{"k": "b"}, {"k": "a"}]}, "=NoAddItem", old={"f": [{"k": "a"}, {"k": "b"}]}),
    ),
    since=35,
    history=(
        ReleaseChange(
            37, "Adds NoAddItem and NoRemoveItem, and NoModify for items and values; allowed on lists and maps."
        ),
    ),
)

SPECS = (UPDATE,)
