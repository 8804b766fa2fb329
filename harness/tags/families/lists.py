"""List types: how items are identified, and whether they must be unique.

Source: semantics.md#5.6; apimachinery pkg/api/validate/each.go, Unique (2026-07).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from harness.case import Json, Operation
from harness.field import ErrorType, FieldError, Path
from harness.field.facts import RuleDeclaration
from harness.field.make import shown
from harness.tags.boundary import RuleMutation
from harness.tags.families.update import identity
from harness.tags.grammar import Tag
from harness.tags.rules import Check, Contribution, Deferred, KeyOf, ListData, Show
from harness.tags.spec import (
    VALUE_SCOPES,
    Emission,
    Payload,
    ReleaseChange,
    TagContext,
    TagError,
    TagSpec,
    Trait,
    accepts,
    contribute_call,
    invalid_usage,
    only_on,
    quoted_list,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm


def unique(
    op: Operation,
    path: Path,
    new: Sequence[Any] | None,
    old: Sequence[Any] | None,
    key: Callable[[Any], Any],
    show: Callable[[Any], str],
) -> list[FieldError]:
    """Reject items with the same key as an earlier item. Nil items are ignored.

    Returns: a Duplicate error for every later item, once each, in order; no origin.
    """
    if not new or len(new) < 2:
        return []
    keys = [key(item) for item in new if item is not None]
    if len(set(keys)) == len(keys):
        return []
    seen, errors = set(), []
    for index, item in enumerate(new):
        if item is None:
            continue
        if (k := key(item)) in seen:
            errors.append(FieldError(ErrorType.DUPLICATE, str(path.index(index)), value=show(item)))
        seen.add(k)
    return errors


a_list = only_on(("list",), "list types", pointers=False, ending=" ({})")


def _list_data(context: TagContext) -> ListData:
    return context.store.lists.setdefault(context.path, ListData())


def _list_type(context: TagContext, tag: Tag) -> Contribution:
    value, data = _value(tag), _list_data(context)
    data.level = context.level
    if data.list_type:
        raise TagError("listType cannot be specified more than once", tag)
    if value not in ("atomic", "set", "map"):
        raise TagError(f'unknown list type "{value}"', tag, fix="one of: atomic, set, map")
    _check_map(context, tag, value)
    if data.unique and value in ("set", "map"):
        raise TagError(f'unique tag is redundant for listType="{value}"', tag)
    data.list_type = value
    if value != "atomic":
        data.position = tag.position
    return Contribution(deferred=[Deferred(lambda: _uniqueness(context, tag), "list")])


def _unique(context: TagContext, tag: Tag) -> Contribution:
    value, data = _value(tag), _list_data(context)
    data.level = context.level
    if data.list_type in ("set", "map"):
        raise TagError("unique tag may not be used with listType=set or listType=map", tag)
    if data.unique:
        raise TagError("unique tag cannot be specified more than once", tag)
    if value not in ("set", "map"):
        raise TagError(f'unknown unique type "{value}"', tag, fix="one of: set, map")
    _check_map(context, tag, value)
    data.unique, data.position = value, tag.position
    return Contribution(deferred=[Deferred(lambda: _uniqueness(context, tag), "list")])


def _list_map_key(context: TagContext, tag: Tag) -> Contribution:
    elem = context.types.native(context.type).elem
    struct = context.types.struct(elem) if elem else None
    if elem is None or struct is None:
        raise TagError("only lists of structs can be list-maps", tag)
    name = _value(tag)
    member = context.types.member(struct, name)
    if member is None:
        raise TagError(f'no field for JSON name "{name}"', tag)
    if context.types.is_pointer(member.type) and not context.release.pointer_keys:
        why = f"{context.release} takes no pointers here; 1.35 is the first that does"
        raise TagError("only primitive types can be list-map keys (Pointer)", tag, "tag-release", why)
    if context.types.kind(member.type) not in ("string", "bool", "integer", "float"):
        raise TagError(
            "only primitive types and pointers to primitive types can be list-map keys, "
            f"not {context.types.declared(member.type)}",
            tag,
        )
    _list_data(context).keys.append(name)
    return Contribution()


def _custom_unique(context: TagContext, tag: Tag) -> Contribution:
    _list_data(context).custom = True
    return Contribution()


def _value(tag: Tag) -> str:
    assert tag.scalar is not None
    return tag.scalar.text


def _check_map(context: TagContext, tag: Tag, value: str) -> None:
    elem = context.types.native(context.type).elem
    if value == "map" and (elem is None or context.types.struct(elem) is None):
        raise TagError("only lists of structs can be list-maps", tag)


def _uniqueness(context: TagContext, tag: Tag) -> Contribution:
    """Make the list's one uniqueness check, with the wrappers of the first of its tags (semantics.md#5.6)."""
    data = _list_data(context)
    if data.done:
        return Contribution()
    data.done = True
    of_type = context.store.lists.get(context.type.name or " ")
    if of_type is not None and of_type is not data and (of_type.list_type or of_type.unique):
        raise TagError(f"found list metadata for both a field and its type: {context.path}", tag)
    if data.keys and data.semantic != "map":
        raise TagError("found listMapKey without listType=map or unique=map", tag)
    if not data.keys and data.semantic == "map":
        raise TagError("found listType=map or unique=map without listMapKey", tag, fix="+k8s:listMapKey=<json name>")
    if not data.list_type:
        raise TagError(
            "listType must be specified - use listType=atomic, listType=set, or listType=map", tag,
            fix="+k8s:listType=atomic",
        )  # fmt: skip
    if data.semantic == "atomic" or data.custom:
        return Contribution()
    if data.semantic == "map" and not context.release.map_lists_are_unique:
        return Contribution()
    items = identity(context, data)
    show = Show(items.elem, quoted=not context.types.is_pointer(items.elem))
    got = contribute_call("k8s:listType", unique, (KeyOf(items), show))
    got.rules = [replace(rule, position=data.position) for rule in got.rules]
    if not context.release.defers:
        got.rules = [replace(rule, level=data.level) for rule in got.rules]
    return got


_KEYED = """type T struct {
    // @
    // +k8s:listMapKey=k
    F []I `json:"f"`
}

type I struct {
    K string `json:"k"`
    V int32 `json:"v"`
}
"""
_UNIQUE = _KEYED.replace("    // @", "    // +k8s:listType=atomic\n    // @")
_LIST_MAP_KEY = _KEYED.replace("    // @\n    // +k8s:listMapKey=k", "    // +k8s:listType=map\n    // @")
_CUSTOM = """type T struct {
    // +k8s:listType=set
    // @
    F []string `json:"f"`
}
"""
_TWINS = {"f": [{"k": "a", "v": 1}, {"k": "a", "v": 2}]}
_DUPLICATE = (Emission(ErrorType.DUPLICATE, texts=("",), relative_path=lambda check: "[*]"),)


def _describe(check: Check) -> str:
    keys = check.args[0].identity.keys
    return f"items must differ in {quoted_list(keys)}" if keys else "no item may occur twice"


def _arguments(check: Check) -> dict[str, Json]:
    return {"keys": list(check.args[0].identity.keys)}


def _first_only(*given: Any) -> list[FieldError]:
    return unique(*given)[:1]


def _mutations(check: Check) -> Iterator[RuleMutation]:
    yield RuleMutation("first duplicate only", "a list with an item three times", check.args, _first_only)
    key, *more = check.args
    keys = key.identity.keys if key.identity.semantic == "map" else ()
    for name in keys if len(keys) > 1 else ():
        wrong = KeyOf(replace(key.identity, keys=tuple(other for other in keys if other != name)))
        yield RuleMutation(f"drop key {name}", f"items that differ in {name} only", (wrong, *more))


def _declare(error: FieldError, new: Json, old: Json) -> Iterator[RuleDeclaration]:
    """Items are told apart by themselves, or by the members that the error shows. The list may have a type already."""
    keys: Sequence[str] = ()
    if isinstance(new, dict):
        keys = [name for name, value in new.items() if shown(value) == error.value]
        with suppress(ValueError):
            value = json.loads(error.value)
            keys = list(value) if isinstance(value, dict) and value.items() <= new.items() else keys
        if not keys:
            return
    lines = tuple(f"+k8s:listMapKey={key}" for key in keys)
    kind = "map" if keys else "set"
    yield RuleDeclaration((f"+k8s:listType={kind}", *lines), "list")
    yield RuleDeclaration((f"+k8s:unique={kind}", *lines), "list")


def _unique_rules(check: Check, at: Operand) -> list[CelRule]:
    """Write the uniqueness of items that no list type of a schema can tell apart: structs by value."""
    keys = [Operand("i", "j").child(key) for key in check.args[0].identity.keys]
    same = " && ".join(f"({key.unchanged})" for key in keys) or "i == j"
    return [CelRule(f"{at.new}.all(i, {at.new}.exists_one(j, {same}))", "items must be unique", "FieldValueDuplicate")]


def _list_type_keywords(check: Check) -> dict[str, Json]:
    identity = check.args[0].identity
    if identity.semantic == "map":
        return {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(identity.keys)}
    return {"x-kubernetes-list-type": "set"}


_UNCHECKED = "nothing is checked on updates of an object that has duplicates anywhere"

LIST_TYPE = TagSpec(
    name="k8s:listType",
    traits=frozenset({Trait.DEFERRED, Trait.ITEM_IDENTITY}),
    summary="Sets the list type: atomic, set (items are unique by value) or map (items are unique by keys).",
    describe=lambda check, subject: _describe(check),
    update_note=(
        "Determines how items correlate with old items: map by keys, set by value, atomic not at all. Those that are "
        "unchanged are skipped; of an atomic list, every item is validated again if anything in it changed. "
        "The whole new list is checked for duplicates if it changed."
    ),
    invalid_usages=(
        invalid_usage("string", "=set"),
        invalid_usage("[]string", "=bag"),
        invalid_usage("[]string", "=map"),
    ),
    caveats=(
        "Duplicates that were there before are reported again when an unrelated item is added.",
        "Nested in an option or a level, the check for duplicates follows the wrapper; the matching of items does not.",
    ),
    scopes=VALUE_SCOPES,
    payload=Payload("string", "atomic | set | map"),
    requires=(a_list,),
    check=unique,
    apply=_list_type,
    schema={unique: SchemaForm(_unique_rules, _list_type_keywords, differs=_UNCHECKED)},
    emits=_DUPLICATE,
    declaration="+k8s:listType=map with +k8s:listMapKey, or +k8s:unique",
    declare=_declare,
    matches_without_origin=True,
    accepted_when="two",
    arguments=_arguments,
    mutations=_mutations,
    examples=(
        accepts("[]string", ["a", "a"], "=atomic"),
        accepts("[]string", ["a", "b"], "=set"),
        rejects("[]string", ["a", "b", "a", "a"], "=set", "f[2]", "f[3]"),
        rejects(_KEYED, _TWINS, "=map", "f[1]"),
        accepts(_KEYED, {"f": [{"k": "a"}, {"k": "b"}]}, "=map"),
    ),
    since=33,
    history=(
        ReleaseChange(35, "With map, two items with one key are duplicates."),
        ReleaseChange(37, "Items may be pointers to structs."),
        ReleaseChange(37, "Wrappers around it apply to the check for duplicates."),
    ),
)
LIST_MAP_KEY = TagSpec(
    name="k8s:listMapKey",
    traits=frozenset({Trait.METADATA}),
    summary="Declares a key field of a list map. Repeat it for several key fields.",
    describe=lambda check, subject: _describe(check),
    update_note="Items are matched with old items by the fields it names.",
    invalid_usages=(invalid_usage("[]string", "=k"), invalid_usage(_LIST_MAP_KEY, "=nope")),
    caveats=("Alone, without +k8s:listType=map or +k8s:unique=map, it is accepted and does nothing.",),
    scopes=VALUE_SCOPES,
    payload=Payload("string", "<json name>"),
    requires=(a_list,),
    apply=_list_map_key,
    emits=_DUPLICATE,
    examples=(rejects(_LIST_MAP_KEY, _TWINS, "=k", "f[1]"), accepts(_LIST_MAP_KEY, {"f": [{"k": "a"}]}, "=k")),
    since=33,
    history=(
        ReleaseChange(35, "A key may be a pointer."),
        ReleaseChange(37, "Items may be pointers to structs."),
    ),
)
UNIQUE = TagSpec(
    name="k8s:unique",
    traits=frozenset({Trait.DEFERRED, Trait.ITEM_IDENTITY}),
    summary="Requires unique items of an atomic list: set (by value), map (by keys).",
    describe=lambda check, subject: _describe(check),
    update_note="As +k8s:listType with the same value, but for server-side apply the list remains atomic.",
    invalid_usages=(invalid_usage("[]string", "=bag"), invalid_usage("[]string", "=set")),
    scopes=VALUE_SCOPES,
    payload=Payload("string", "set | map"),
    requires=(a_list,),
    check=unique,
    apply=_unique,
    schema={unique: SchemaForm(_unique_rules, _list_type_keywords, differs=_UNCHECKED)},
    emits=_DUPLICATE,
    examples=(rejects(_UNIQUE, _TWINS, "=map", "f[1]"), accepts(_UNIQUE, {"f": [{"k": "a"}]}, "=map")),
    since=35,
    history=(
        ReleaseChange(37, "Items may be pointers to structs."),
        ReleaseChange(37, "Wrappers around it apply to the check for duplicates."),
    ),
)
CUSTOM_UNIQUE = TagSpec(
    name="k8s:customUnique",
    traits=frozenset({Trait.METADATA}),
    summary="Leaves the uniqueness check to handwritten code. Items still correlate by key.",
    update_note="Items still correlate as +k8s:listType or +k8s:unique say.",
    scopes=VALUE_SCOPES,
    requires=(a_list,),
    apply=_custom_unique,
    examples=(accepts(_CUSTOM, {"f": ["a", "a"]}),),
    since=35,
)

SPECS = (LIST_TYPE, LIST_MAP_KEY, UNIQUE, CUSTOM_UNIQUE)
