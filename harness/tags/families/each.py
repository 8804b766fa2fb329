"""Rules for the values and keys of lists and maps.

Source: semantics.md#3.7, #5.7; apimachinery pkg/api/validate/each.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from harness.case import Operation
from harness.field import FieldError, Path
from harness.field.make import required
from harness.tags.families.update import identity, list_data, settled
from harness.tags.grammar import Tag
from harness.tags.rules import Contribution, Deferred, EachKey, EachVal, Rule
from harness.tags.spec import (
    VALUE_SCOPES,
    Payload,
    ReleaseChange,
    Scope,
    TagContext,
    TagError,
    TagSpec,
    Trait,
    accepts,
    only_on,
    refuses,
    rejects,
)

Options: TypeAlias = Mapping[str, bool]
_UPDATE = Operation.UPDATE
Inner: TypeAlias = Callable[[Operation, Path, Any, Any, Options], Sequence[FieldError]]
Key: TypeAlias = Callable[[Any], Any]
Same: TypeAlias = Callable[[Any, Any], bool]


def each_item(
    op: Operation,
    path: Path,
    new: Sequence[Any] | None,
    old: Sequence[Any] | None,
    options: Options,
    check: Inner,
    key: Key | None,
    same: Same | None,
    zero: Any,
) -> list[FieldError]:
    """Check every item of a list against the old one with its key; equal ones are forgiven on update.

    Shapes: n new items in, n old items out, None where nothing correlates. Without `key` nothing does. `zero` stands
    for null items; when it is None they are nil pointers and are skipped. `same` is None when the key is the value.
    """
    errors: list[FieldError] = []
    known: dict[Any, Any] = {}
    if key is not None and old:
        for item in reversed(old):
            if item is not None or zero is not None:
                item = zero if item is None else item
                known[key(item)] = item
    for index, item in enumerate(new or ()):
        if item is None:
            if zero is None:
                continue
            item = zero
        was = known.get(key(item)) if known and key is not None else None
        if was is not None and op is _UPDATE and (same is None or same(item, was)):
            continue
        errors += check(op, path.index(index), item, was, options)
    return errors


def each_value(
    op: Operation,
    path: Path,
    new: Mapping[str, Any] | None,
    old: Mapping[str, Any] | None,
    options: Options,
    check: Inner,
    same: Same,
    zero: Any,
) -> list[FieldError]:
    """Check every value of a map against the old one with its key; equal ones are forgiven on update.

    The order is that of the keys; upstream has none.
    """
    errors: list[FieldError] = []
    for key in sorted(new or ()):
        value = new[key] if new else None
        value = zero if value is None else value
        was = None
        if old and key in old:
            was = zero if old[key] is None else old[key]
            if op is _UPDATE and same(value, was):
                continue
        errors += check(op, path.key(key), value, was, options)
    return errors


def each_key(
    op: Operation,
    path: Path,
    new: Mapping[str, Any] | None,
    old: Mapping[str, Any] | None,
    options: Options,
    check: Inner,
) -> list[FieldError]:
    """Check every key of a map that is new, at the map's path. The order is that of the keys; upstream has none."""
    errors: list[FieldError] = []
    for key in sorted(new or ()):
        if op is _UPDATE and old and key in old:
            continue
        errors += check(op, path, key, None, options)
    return errors


def no_nil_items(op: Operation, path: Path, new: Sequence[Any] | None, old: Sequence[Any] | None) -> list[FieldError]:
    """Reject nil items of a list of pointers (semantics.md#S23). Returns: one Required error per nil item."""
    return [required(path.index(i)) for i, item in enumerate(new) if item is None] if new and None in new else []


def _each_val(context: TagContext, tag: Tag) -> Contribution:
    scope = Scope.LIST_VALUE if context.types.native(context.type).kind == "list" else Scope.MAP_VALUE
    inner, payload = _element(context, tag, scope)
    got = context.expand(inner, payload)
    return Contribution(deferred=[Deferred(lambda: _each_val_later(context, tag, got))], opaque_val=got.opaque_type)


def _element(context: TagContext, tag: Tag, scope: Scope) -> tuple[TagContext, Tag]:
    native = context.types.native(context.type)
    elem = native.key if scope is Scope.MAP_KEY else native.elem
    assert elem is not None
    part = "(keys)" if scope is Scope.MAP_KEY else "[*]"
    assert tag.payload is not None
    inner = replace(
        context, scope=scope, type=elem, path=f"{context.path}{part}", member=None, parent=None,
        parent_path=context.path, inside=(*context.inside, tag.name), list_data=list_data(context),
    )  # fmt: skip
    return inner, tag.payload


def _each_val_later(context: TagContext, tag: Tag, payload: Contribution) -> Contribution:
    native = context.types.native(context.type)
    which = identity(context, list_data(context)) if native.kind == "list" else None
    got = settled(context, payload)
    if not got.rules and not got.opaque_type:
        raise TagError("no validation functions found", tag)
    return Contribution(
        [Rule(EachVal(r.inside(), native, which), sc=r.sc, ne=r.ne, tag=r.tag) for r in got.rules],
        # A list has no parent of its own for what its items defer: unions of items stand under +k8s:item.
    )


def _each_key(context: TagContext, tag: Tag) -> Contribution:
    inner, payload = _element(context, tag, Scope.MAP_KEY)
    got = context.expand(inner, payload)
    if not got.rules and not got.deferred and not got.opaque_type:
        raise TagError("no validation functions found", tag)
    wrapped = got.wrapped(
        lambda rule: Rule(EachKey(rule.inside()), sc=rule.sc, ne=rule.ne, tag=rule.tag), groups=context.release.defers
    )
    wrapped.opaque_key, wrapped.opaque_type = wrapped.opaque_type, False
    return wrapped


EACH_VAL = TagSpec(
    name="k8s:eachVal",
    traits=frozenset({Trait.LATE}),
    leads="items",
    summary="Applies a tag to every item of a list or value of a map.",
    update=(
        "Items correlate with old items according to +k8s:listType, values of a map by their key; unchanged ones are "
        "skipped. Of an atomic list, every item is validated again if anything in the list changed."
    ),
    misuses=(
        refuses("string", "=+k8s:maxLength=1"),
        refuses("[]string", "=+k8s:required"),
        refuses("[]string", "=+k8s:minLength=0"),
    ),
    surprises=(
        "An unknown tag under it is an error, while in front of it the whole line would be ignored.",
        "A level under it is lost for tags without payload: write +k8s:beta=+k8s:eachVal=..., not the reverse.",
        "Any tag on a list of pointers makes nil items an error.",
    ),
    scopes=VALUE_SCOPES,
    payload=Payload("tag", "+<tag>"),
    requires=(only_on(("list", "map"), "list or map types", pointers=False, ending=" ({})"),),
    apply=_each_val,
    examples=(
        accepts("[]string", ["a"], "=+k8s:maxLength=1"),
        rejects("[]string", ["a", "ab"], "=+k8s:maxLength=1", "f[1]"),
        rejects("map[string]int32", {"k": 0}, "=+k8s:minimum=1", "f[k]"),
        accepts("map[string]int32", {"k": 0}, "=+k8s:minimum=1", old={"k": 0, "j": 1}),
    ),
    since=33,
    history=(ReleaseChange(37, "Nil items of a list of pointers are an error of their own."),),
)
EACH_KEY = TagSpec(
    name="k8s:eachKey",
    leads="keys",
    summary="Applies a tag to every key of a map. Errors are reported at the map.",
    update="Keys that the old map has are skipped.",
    misuses=(refuses("[]string", "=+k8s:maxLength=1"), refuses("map[int]string", "=+k8s:minimum=1")),
    surprises=("Errors of several keys have the same path, that of the map.",),
    scopes=VALUE_SCOPES,
    payload=Payload("tag", "+<tag>"),
    requires=(only_on(("map",), "map types", pointers=False, ending=" ({})"),),
    apply=_each_key,
    examples=(
        accepts("map[string]string", {"a": ""}, "=+k8s:format=k8s-label-key"),
        rejects("map[string]string", {"-a": ""}, "=+k8s:format=k8s-label-key"),
    ),
    since=33,
)

SPECS = (EACH_VAL, EACH_KEY)
