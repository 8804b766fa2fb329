"""Groups whose members are named by items: `+k8s:listMapItem(type: "Done")=+k8s:memberOf(group: outcome)`.

Source: KEP-5073, "Virtual Field Strategy" (2026-11).
"""

from __future__ import annotations

from dataclasses import replace

from harness.tags.families.item import ITEM
from harness.tags.families.union import UNION_MEMBER, UNIONS, add_member
from harness.tags.grammar import Arg, Tag
from harness.tags.rules import Contribution, Deferred
from harness.tags.spec import (
    ArgSpec,
    Scope,
    TagContext,
    TagError,
    TagSpec,
    Trait,
    accepts,
    invalid_usage,
    rejects,
)

_GO = """type T struct {
    // +k8s:listType=map
    // +k8s:listMapKey=type
    // +k8s:union(union: outcome)
    // +k8s:listMapItem(type: "Done")=+k8s:memberOf(group: outcome)
    // +k8s:listMapItem(type: "Failed")=+k8s:memberOf(group: outcome)
    F []Condition `json:"f"`
}

type Condition struct {
    Type string `json:"type"`
}
"""
_STRUCT = """type T struct {
    F In `json:"f"`
}

// +k8s:union(union: source)
type In struct {
    // @
    A *string `json:"a"`
    // +k8s:memberOf(group: source)
    B *string `json:"b"`
}
"""
_BOTH = {"f": [{"type": "Done"}, {"type": "Failed"}]}


def _declare(context: TagContext, tag: Tag) -> Contribution:
    name = tag.arg("union")
    assert name is not None
    unions = context.store.unions.setdefault((context.path, UNIONS), {})
    context.store.declared_unions.add((context.path, name.text))

    def check() -> Contribution:
        if name.text not in unions:
            fix = f'+k8s:listMapItem(key: "value")=+k8s:memberOf(group: {name.text}) for each member'
            raise TagError(f'the union "{name.text}" has no members', tag, fix=fix)
        return Contribution()

    # The members of a struct are read after the tags of its type, those of a list before.
    return Contribution(deferred=[Deferred(check)] if context.kind == "list" else [])


def _member_of(context: TagContext, tag: Tag) -> Contribution:
    group = tag.arg("group")
    assert group is not None
    got = add_member(context, replace(tag, args=(Arg("union", group),)), UNIONS)

    def check() -> Contribution:
        if (context.parent_path, group.text) not in context.store.declared_unions:
            where = "the list" if context.selector is not None else "the type of the struct"
            raise TagError(
                f'no union "{group.text}" is declared', tag, fix=f"+k8s:union(union: {group.text}) on {where}"
            )
        return Contribution()

    return replace(got, parent=[Deferred(check), *got.parent])


UNION = TagSpec(
    name="k8s:union",
    traits=frozenset({Trait.METADATA, Trait.CHOICE}),
    summary="Declares a union of the members that +k8s:memberOf names: exactly one must be set.",
    scopes=frozenset({Scope.FIELD, Scope.TYPE}),
    args=(ArgSpec("union", "<name>", required=True),),
    apply=_declare,
    describe=UNION_MEMBER.describe,
    emits=UNION_MEMBER.emits,
    accepted_when="one",
    arguments=UNION_MEMBER.arguments,
    update_note=UNION_MEMBER.update_note,
    examples=(
        accepts(_GO, {"f": [{"type": "Done"}, {"type": "Other"}]}),
        rejects(_GO, _BOTH, "", "f"),
        accepts(_GO, _BOTH, "", old=_BOTH),
    ),
    proposal="KEP-5073",
)
MEMBER_OF = replace(
    UNION_MEMBER,
    name="k8s:memberOf",
    summary="Makes a field (or, under +k8s:listMapItem, an item) a member of the union of that name.",
    args=(ArgSpec("group", "<name of the union>", required=True),),
    apply=_member_of,
    declaration="+k8s:memberOf(group: <name>) on each member, and +k8s:union(union: <name>) on their struct",
    declare=None,
    caveats=("A group without +k8s:union does not compile: the proposal has no other use of groups.",),
    invalid_usages=(invalid_usage(_STRUCT.replace("// +k8s:union(union: source)\n", ""), "(group: source)"),),
    examples=(
        accepts(_STRUCT, {"f": {"a": "x"}}, "(group: source)"),
        rejects(_STRUCT, {"f": {"a": "x", "b": "y"}}, "(group: source)", "f"),
        rejects(_STRUCT, {"f": {}}, "(group: source)", "f"),
    ),
    history=(),
    proposal="KEP-5073",
)
LIST_MAP_ITEM = replace(
    ITEM,
    name="k8s:listMapItem",
    summary="Applies a tag to the item of a list map with the given keys; with +k8s:memberOf, the item is a member.",
    caveats=("Every key of the list must be given, as for +k8s:item.",),
    invalid_usages=(invalid_usage("[]string", "(k: a)=+k8s:immutable"),),
    history=(),
    proposal="KEP-5073",
)

SPECS = (UNION, MEMBER_OF, LIST_MAP_ITEM)
