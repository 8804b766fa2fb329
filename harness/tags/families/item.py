"""Rules for one item of a keyed list.

Source: semantics.md#3.7, #5.7; apimachinery pkg/api/validate/item.go (2026-07).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.case import Operation
from harness.field import FieldError, Path
from harness.tags.families.update import list_data, settle_nested
from harness.tags.grammar import Tag, int_error
from harness.tags.rules import Contribution, Deferred, Item, Rule, Selector
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
    rejects,
)


def one_item(
    op: Operation,
    path: Path,
    new: Sequence[Any] | None,
    old: Sequence[Any] | None,
    options: Mapping[str, bool],
    check: Callable[[Operation, Path, Any, Any, Mapping[str, bool]], Sequence[FieldError]],
    matches: Callable[[Any], bool],
    same: Callable[[Any, Any], bool],
) -> Sequence[FieldError]:
    """Check the first matching item, with the first matching old item; on update, equal ones are ratcheted."""
    for index, item in enumerate(new or ()):
        if matches(item):
            old_item = next((other for other in old or () if matches(other)), None)
            if old_item is not None and op is Operation.UPDATE and same(item, old_item):
                return []
            return check(op, path.index(index), item, old_item, options)
    return []


def _apply(context: TagContext, tag: Tag) -> Contribution:
    if context.kind != "list" or context.is_pointer:
        raise TagError("can only be used on list types", tag)
    elem = context.types.native(context.type).elem
    if elem is None or context.types.struct(elem) is None:
        raise TagError("can only be used on lists of structs", tag)
    names = [arg.name for arg in tag.args]
    if not names:
        raise TagError("no selection criteria was specified", tag, fix="+k8s:item(key: value)=+...")
    if "" in names:
        raise TagError("all arguments must be named", tag)
    for index, name in enumerate(names):
        if name in names[:index]:
            raise TagError(f'duplicate argument: "{name}"', tag)
    # In 1.34, rules of items were a group of their own, made after all other tags.
    group = "item" if not context.release.has_cohorts else ""
    if not context.release.defers:
        return Contribution(deferred=[Deferred(lambda: _contribute_at_end(context, tag), group)])
    inner = _item_context(context, tag, _selector(context, tag, names))
    assert tag.payload is not None
    got = context.expand(inner, tag.payload)
    deferred = [Deferred(lambda: _wrap_rules(context, tag, inner, Contribution(got.rules)))] if got.rules else []
    deferred += [_wrap_deferred(context, tag, inner, later) for later in got.deferred]
    # The parent of an item is the list itself, so work deferred to the parent is deferred on this element.
    return Contribution(deferred=[*deferred, *got.parent])


def _contribute_at_end(context: TagContext, tag: Tag) -> Contribution:
    """Expand and wrap the nested tag in one deferred step, as releases before 1.37 did; keys have the list's order."""
    assert tag.payload is not None
    inner = _item_context(context, tag, _selector(context, tag, _check_selector(context, tag)))
    got = settle_nested(context, context.expand(inner, tag.payload))
    return replace(_wrap_rules(context, tag, inner, got), deferred=got.parent)


def _wrap_deferred(context: TagContext, tag: Tag, inner: TagContext, later: Deferred) -> Deferred:
    return Deferred(lambda: _wrap_rules(context, tag, inner, later.run()), later.group)


def _selector(context: TagContext, tag: Tag, names: Sequence[str]) -> Selector:
    elem = context.types.native(context.type).elem
    assert elem is not None
    return Selector(tuple((name, _selector_value(tag, name)) for name in names), elem)


def _item_context(context: TagContext, tag: Tag, selector: Selector) -> TagContext:
    return replace(
        context, scope=Scope.LIST_VALUE, type=selector.elem, path=f"{context.path}[{selector.text}]", member=None,
        parent=None, parent_path=context.path, inside=(*context.inside, tag.name), selector=selector,
    )  # fmt: skip


def _wrap_rules(context: TagContext, tag: Tag, inner: TagContext, got: Contribution) -> Contribution:
    """Wrap the rules of the item. Called when the keys of the list are known."""
    _check_selector(context, tag)
    selector = inner.selector
    assert selector is not None

    def wrap(rule: Rule) -> Rule:
        return Rule(
            Item(rule.inside(), selector),
            short_circuits=rule.short_circuits,
            hidden=rule.hidden,
            cohort=selector.text,
            tag=rule.tag,
        )

    return replace(got, parent=[]).wrapped(wrap)


def _check_selector(context: TagContext, tag: Tag) -> list[str]:
    """Check a selector against the keys of its list, and return the keys."""
    data = list_data(context)
    if data is None or data.semantic != "map" or not data.keys:
        raise TagError(
            "found items with no list metadata - item tags require listType=map or unique=map with listMapKey", tag
        )
    if len(tag.args) != len(data.keys):
        raise TagError(
            f"number of arguments ({len(tag.args)}) does not match number of listMapKey fields ({len(data.keys)})", tag
        )
    if missing := [key for key in data.keys if tag.arg(key) is None]:
        raise TagError(f"missing required listMapKey fields: [{' '.join(missing)}]", tag)
    for key in data.keys:
        _check_type(context, tag, key)
    return data.keys


def _check_type(context: TagContext, tag: Tag, key: str) -> None:
    value = tag.arg(key)
    elem = context.types.native(context.type).elem
    assert value is not None
    assert elem is not None
    struct = context.types.struct(elem)
    member = context.types.member(struct, key) if struct else None
    assert member is not None
    kind = context.types.kind(member.type)
    if kind not in ("string", "bool", "integer"):
        raise TagError(f'key "{key}": unsupported type {member.type} for field {member.name}', tag)
    expected = {"string": "string", "bool": "bool", "integer": "int"}[kind]
    if value.kind != expected:
        raise TagError(f'key "{key}": type mismatch, field is {expected} but value is not: {value.text}', tag)


def _selector_value(tag: Tag, key: str) -> str | int | bool:
    value = tag.arg(key)
    assert value is not None
    if value.kind == "int" and (error := int_error(value)):
        raise TagError(f'invalid value for argument "{key}": invalid integer: {error}', tag)
    return value.value


_GO = """type T struct {
    // +k8s:listType=map
    // +k8s:listMapKey=k
    // @
    F []I `json:"f"`
}

type I struct {
    K string `json:"k"`
    V string `json:"v"`
}
"""

ITEM = TagSpec(
    name="k8s:item",
    traits=frozenset({Trait.DEFERRED}),
    nested_target="item",
    summary="Applies a tag to the item of a list map with the given keys, if present.",
    update_note="Skipped if the old list has an equal item with these keys. Removing the item is never an error.",
    invalid_usages=(invalid_usage("[]string", "(k: a)=+k8s:immutable"), invalid_usage(_GO, "(v: a)=+k8s:immutable")),
    caveats=("With +k8s:immutable, the item may be removed, but neither changed nor added.",),
    scopes=VALUE_SCOPES,
    payload=Payload("tag", "+<tag>"),
    any_args=True,
    apply=_apply,
    examples=(
        accepts(_GO, {"f": [{"k": "b", "v": "x"}]}, "(k: a)=+k8s:subfield(v)=+k8s:maxLength=0"),
        rejects(_GO, {"f": [{"k": "b"}, {"k": "a", "v": "x"}]}, "(k: a)=+k8s:subfield(v)=+k8s:maxLength=0", "f[1].v"),
        rejects(_GO, {"f": [{"k": "a"}]}, "(k: a)=+k8s:immutable", "f[0]", old={"f": []}),
        accepts(_GO, {"f": []}, "(k: a)=+k8s:immutable", old={"f": [{"k": "a"}]}),
    ),
    since=34,
    history=(ReleaseChange(35, "Rules for one item stop only each other."),),
)

SPECS = (ITEM,)
