"""Changes that may not happen. Source: apimachinery pkg/api/validate/update.go (2026-07); semantics.md#4.5, #5.12."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from harness.case import Operation
from harness.field import ErrorType, FieldError, Path
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
    refuses,
    rejects,
)

ORDER = ("NoSet", "NoUnset", "NoModify", "NoAddItem", "NoRemoveItem")
Constraints: TypeAlias = tuple[str, ...]

_DETAILS = {
    "NoSet": "field cannot be set once created",
    "NoUnset": "field cannot be cleared once set",
    "NoModify": "field cannot be modified once set",
}


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
    """Reject transitions of a pointer. Without an old value it was nil."""
    if op is not Operation.UPDATE:
        return []
    return _transitions(path, old is not None, new is not None, constraints)


def update_struct(op: Operation, path: Path, new: Any, old: Any, constraints: Constraints) -> list[FieldError]:
    """Reject modification of a struct, which is always set. Checks nothing without an old value."""
    if op is not Operation.UPDATE or old is None:
        return []
    return _transitions(path, True, True, constraints)


def update_old_value(op: Operation, path: Path, new: Any, old: Any, constraints: Constraints) -> list[FieldError]:
    """Do as `update_value` in releases before 1.37, which read the old value whether there is one or not.

    Raises: NilDereferenceError without an old value.
    """
    if op is Operation.UPDATE and old is None:
        raise NilDereferenceError
    return update_value(op, path, new, old, constraints)


def update_new_struct(op: Operation, path: Path, new: Any, old: Any, constraints: Constraints) -> list[FieldError]:
    """Reject modification of a struct in releases before 1.37, where a struct that is new counts as modified."""
    return _transitions(path, True, True, constraints) if op is Operation.UPDATE else []


def update_list(
    op: Operation,
    path: Path,
    new: Sequence[Any] | None,
    old: Sequence[Any] | None,
    constraints: Constraints,
    key: Callable[[Any], Any] | None,
) -> list[FieldError]:
    """Reject transitions of a list and of its items, which `key` tells apart. Without an old value it was empty.

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
    """Reject transitions of a map and of its keys. Without an old value it was empty."""
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
        return _element(context, tag, constraint)
    if not context.release.updates_items:
        _check_older(context, tag, constraint)
    _check_kind(context, tag, constraint)
    context.store.updates.setdefault(context.path, set()).add(constraint)
    context.store.update_levels[context.path] = context.level
    return Contribution(deferred=[Deferred(lambda: _merged(context, tag), "update")])


def _check_older(context: TagContext, tag: Tag, constraint: str) -> None:
    why = f"{context.release} does not know it yet: it came with 1.37"
    if constraint not in _DETAILS:
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


def _merged(context: TagContext, tag: Tag) -> Contribution:
    """Make one rule of all the field's constraints; the first tag's wrappers apply to it (semantics.md#S13)."""
    if context.path in context.store.updates_done:
        return Contribution()
    context.store.updates_done.add(context.path)
    wanted = context.store.updates[context.path]
    rule = _rule(context, tag, tuple(name for name in ORDER if name in wanted))
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
    return Rule(Check(function, args), sc=True, tag=tag.name)


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
    """Return what is known of a list: by its field, else by its type (semantics.md#3.7)."""
    return context.store.lists.get(context.path) or context.store.lists.get(context.type.name or " ")


def settled(context: TagContext, payload: Contribution) -> Contribution:
    """Return what a nested tag contributes when all it deferred is done at its own place."""
    if context.release.nested_groups_vanish:
        payload = replace(payload, deferred=[later for later in payload.deferred if not later.group])
    return payload.resolved()


def identity(context: TagContext, data: ListData | None) -> Identity:
    """Return what tells the items of the context's list apart."""
    elem = context.types.native(context.type).elem
    assert elem is not None
    return Identity(elem) if data is None else Identity(elem, data.semantic, tuple(data.keys))


def _element(context: TagContext, tag: Tag, constraint: str) -> Contribution:
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


def _forbids_below(check: Check) -> bool:
    names = set(check.args[0])
    return "NoAddItem" in names or ("NoRemoveItem" in names and check.function is update_map)


def _forbids_here(check: Check) -> bool:
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

_WORDS = {
    "NoSet": "may not be set after creation",
    "NoUnset": "may not be cleared once set",
    "NoModify": "may not be modified once set",
    "NoAddItem": "items may not be added",
    "NoRemoveItem": "items may not be removed",
}
_PAIRS: dict[Constraints, str] = {
    ("NoUnset", "NoModify"): "may be set once; then it may be neither modified nor cleared",
    ("NoAddItem", "NoRemoveItem"): "items may be neither added nor removed",
}


def _words(constraints: Constraints) -> str:
    return _PAIRS.get(constraints) or "; ".join(_WORDS[name] for name in constraints)


def _mutations(check: Check) -> Iterator[RuleMutation]:
    constraints, *more = check.args
    for one in constraints if len(constraints) > 1 else ():
        kept = tuple(other for other in constraints if other != one)
        yield RuleMutation(f"drop {one}", f"an update that {one} alone forbids", (kept, *more))


UPDATE = TagSpec(
    name="k8s:update",
    traits=frozenset({Trait.LATE}),
    summary="Rejects one kind of change: NoSet, NoUnset, NoModify; for items NoAddItem, NoRemoveItem.",
    words=lambda check, on: _words(check.args[0]),
    only_updates=True,
    update=(
        "Checks nothing on create. Without an old value, a pointer was nil, a list or map was empty, and of any other "
        "value nothing is checked. All constraints of a field are one check."
    ),
    misuses=(
        refuses("string", "=Never"),
        refuses("string", "=NoAddItem"),
        refuses("[]string", "=NoModify"),
        refuses("[]string", "=NoAddItem"),
    ),
    surprises=(
        "Wrappers around the first constraint's tag apply to all constraints of the field.",
        "Each removed item of a list gives the same error at the list; removed keys of a map give one at each key.",
        "+k8s:eachVal=+k8s:update=NoModify lets items be added; +k8s:eachVal=+k8s:immutable does not.",
    ),
    scopes=frozenset({Scope.FIELD, Scope.LIST_VALUE, Scope.MAP_VALUE}),
    payload=Payload("string", "<constraint>", required=False),
    apply=_apply,
    short_circuit=True,
    emits=(
        Emission(
            ErrorType.INVALID,
            "update",
            texts=tuple(_DETAILS.values()),
            when=lambda check: not _DETAILS.keys().isdisjoint(check.args[0]),
        ),
        Emission(
            ErrorType.FORBIDDEN,
            "update",
            texts=("item may not be added", "item may not be removed"),
            when=_forbids_below,
            at=lambda check: "[*]",
        ),
        Emission(ErrorType.FORBIDDEN, "update", texts=("item may not be removed",), when=_forbids_here),
    ),
    fix="+k8s:update=<constraint>",
    coverage="both",
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
            37, "Knows NoAddItem and NoRemoveItem, and NoModify for items and values; lists and maps are allowed."
        ),
    ),
)

SPECS = (UPDATE,)
