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
from harness.tags.families.update import identity, list_data, settle_nested
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
    invalid_usage,
    only_on,
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
    """Check every item of a list, with the old item of the same key; on update, equal ones are ratcheted.

    Without `key`, items have no old item. `zero` replaces null items; if it is None, null items are nil pointers and
    are skipped. `same` is None if the key is the whole value.
    """
    errors: list[FieldError] = []
    old_items: dict[Any, Any] = {}
    if key is not None and old:
        for item in reversed(old):
            if item is not None or zero is not None:
                item = zero if item is None else item
                old_items[key(item)] = item
    for index, item in enumerate(new or ()):
        if item is None:
            if zero is None:
                continue
            item = zero
        old_item = old_items.get(key(item)) if old_items and key is not None else None
        if old_item is not None and op is _UPDATE and (same is None or same(item, old_item)):
            continue
        errors += check(op, path.index(index), item, old_item, options)
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
    """Check every value of a map, with the old value of the same key; on update, equal ones are ratcheted.

    Keys are sorted, so that the order of errors is reproducible; upstream has none.
    """
    errors: list[FieldError] = []
    for key in sorted(new or ()):
        value = new[key] if new else None
        value = zero if value is None else value
        old_value = None
        if old and key in old:
            old_value = zero if old[key] is None else old[key]
            if op is _UPDATE and same(value, old_value):
                continue
        errors += check(op, path.key(key), value, old_value, options)
    return errors


def each_key(
    op: Operation,
    path: Path,
    new: Mapping[str, Any] | None,
    old: Mapping[str, Any] | None,
    options: Options,
    check: Inner,
) -> list[FieldError]:
    """Check every new key of a map, at the map's path. Keys are sorted, so that the order of errors is reproducible."""
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
    inner, payload = _nested_tag(context, tag, scope)
    got = context.expand(inner, payload)
    return Contribution(deferred=[Deferred(lambda: _wrap_rules(context, tag, got))], opaque_val=got.opaque_type)


def _nested_tag(context: TagContext, tag: Tag, scope: Scope) -> tuple[TagContext, Tag]:
    native = context.types.native(context.type)
    elem = native.key if scope is Scope.MAP_KEY else native.elem
    assert elem is not None
    part = "(keys)" if scope is Scope.MAP_KEY else "[*]"
    assert tag.payload is not None
    inner = replace(
        context, scope=scope, type=elem, path=f"{context.path}{part}", member=None, parent=None,
        parent_path=context.path, inside=(*context.inside, tag.name), list_data=list_data(context), around=context,
    )  # fmt: skip
    return inner, tag.payload


def _wrap_rules(context: TagContext, tag: Tag, payload: Contribution) -> Contribution:
    native = context.types.native(context.type)
    which = identity(context, list_data(context)) if native.kind == "list" else None
    got = settle_nested(context, payload)
    if not got.rules and not got.around and not got.opaque_type:
        raise TagError("no validation functions found", tag)
    return Contribution(
        parent=got.around,
        rules=[
            Rule(EachVal(r.inside(), native, which), short_circuits=r.short_circuits, hidden=r.hidden, tag=r.tag)
            for r in got.rules
        ],
        # Work that items defer to their parent is dropped: unions of items are declared with +k8s:item.
    )


def _each_key(context: TagContext, tag: Tag) -> Contribution:
    inner, payload = _nested_tag(context, tag, Scope.MAP_KEY)
    got = context.expand(inner, payload)
    if not got.rules and not got.deferred and not got.opaque_type:
        raise TagError("no validation functions found", tag)
    wrapped = got.wrapped(
        lambda rule: Rule(EachKey(rule.inside()), short_circuits=rule.short_circuits, hidden=rule.hidden, tag=rule.tag),
        groups=context.release.defers,
    )
    wrapped.opaque_key, wrapped.opaque_type = wrapped.opaque_type, False
    return wrapped


EACH_VAL = TagSpec(
    name="k8s:eachVal",
    traits=frozenset({Trait.DEFERRED}),
    nested_target="items",
    summary="Applies a tag to every item of a list or value of a map.",
    update_note=(
        "Items correlate with old items according to +k8s:listType, values of a map by their key; unchanged ones are "
        "skipped. Of an atomic list, every item is validated again if anything in the list changed."
    ),
    invalid_usages=(
        invalid_usage("string", "=+k8s:maxLength=1"),
        invalid_usage("[]string", "=+k8s:required"),
        invalid_usage("[]string", "=+k8s:minLength=0"),
    ),
    caveats=(
        "An unknown nested tag is an error; an unknown tag that encloses it makes the whole line ignored.",
        "A level between it and a tag without payload is lost: write +k8s:beta=+k8s:eachVal=..., not the reverse.",
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
    nested_target="keys",
    summary="Applies a tag to every key of a map. Errors are reported at the map.",
    update_note="Keys of the old map are skipped.",
    invalid_usages=(invalid_usage("[]string", "=+k8s:maxLength=1"), invalid_usage("map[int]string", "=+k8s:minimum=1")),
    caveats=("Errors of several keys have the same path, that of the map.",),
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
