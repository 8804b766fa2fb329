"""Rules for a member of a struct, declared on a field that has this struct. Source: semantics.md#3.7, #3.9, #5.7."""

from __future__ import annotations

from dataclasses import replace

from harness.gotypes.model import Field
from harness.tags.families.update import settled
from harness.tags.grammar import Tag
from harness.tags.rules import Contribution, Deferred, Rule, Subfield
from harness.tags.spec import (
    VALUE_SCOPES,
    ArgSpec,
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


def _apply(context: TagContext, tag: Tag) -> Contribution:
    if tag.name in context.inside and not context.release.nests_subfields:
        raise TagError(
            "nested +k8s:subfield tags are unsupported; apply validations directly to the nested type instead", tag
        )
    struct, name = context.types.struct(context.type), tag.arg()
    assert name is not None
    assert tag.payload is not None
    member = context.types.member(struct, name.text) if struct else None
    if struct is None or member is None:
        raise TagError(f'no field for json name "{name.text}"', tag)
    inner = replace(
        context, scope=Scope.FIELD, type=member.type, path=f"{context.path}.{name.text}", member=member,
        parent=struct, parent_path=context.path, inside=(*context.inside, tag.name), selector=None,
    )  # fmt: skip
    # Read now, wrapped later: the next tag may still add to what this one says, a list's keys for one.
    own = context.expand(inner, tag.payload)
    return Contribution(deferred=[Deferred(lambda: _later(own, inner, member))])


def _later(own: Contribution, inner: TagContext, member: Field) -> Contribution:
    """Wrap the tag's own rules, then the member's stops. What they defer comes a round later (semantics.md#3.2)."""

    def wrap(rule: Rule) -> Rule:
        return Rule(Subfield(rule.inside(), member), sc=rule.sc, ne=rule.ne, cohort=member.json_name, tag=rule.tag)

    total = Contribution()
    for got in (own, _inherited(inner)):
        total.add(got if inner.release.defers else settled(inner, got))
    wrapped = replace(total, parent=[]).wrapped(wrap)
    return replace(wrapped, deferred=[*wrapped.deferred, *total.parent])


def _inherited(inner: TagContext) -> Contribution:
    """Return the member's own short-circuits, to stop the cohort without an error of their own (semantics.md#3.9)."""
    if not inner.release.inherits_stops or inner.opaque or inner.member is None or inner.path in inner.store.inherited:
        return Contribution()
    inner.store.inherited.add(inner.path)
    # A member may itself be told of its own members: that is no nesting, but it has an end.
    context = replace(inner, inside=("inherited",) * (len(inner.inside) + 1))
    return _stops(inner.contributions_of(context, inner.member.comments))


def _stops(got: Contribution) -> Contribution:
    """Keep what stops, without its errors; groups over the member's siblings are no business of the tag."""
    return Contribution(
        [replace(rule, ne=True) for rule in got.rules if rule.sc], [_stops_later(later) for later in got.deferred]
    )


def _stops_later(later: Deferred) -> Deferred:
    return Deferred(lambda: _stops(later.run()), later.group)


_GO = """type T struct {
    // @
    F S `json:"f"`
}

type S struct {
    X string `json:"x"`
}
"""

SUBFIELD = TagSpec(
    name="k8s:subfield",
    traits=frozenset({Trait.LATE}),
    leads="member",
    summary="Applies a tag to a direct member of the struct that a field holds.",
    update="Skipped if the member is unchanged.",
    misuses=(refuses(_GO, "(nope)=+k8s:maxLength=1"), refuses("string", "(x)=+k8s:maxLength=1")),
    surprises=(
        "It stops where the member's own comment would: an absent member with +k8s:optional is not checked.",
        "Under +k8s:eachVal, one item with an absent optional member silences the rules of the whole list.",
        "Under +k8s:ifEnabled, its failure stops the whole field and not only the rules of this member.",
        "A struct behind a pointer needs +k8s:optional or +k8s:required: nil ends the validation in an internal error.",
    ),
    scopes=VALUE_SCOPES,
    args=(ArgSpec("", "<json name>", required=True),),
    payload=Payload("tag", "+<tag>"),
    requires=(only_on(("struct",), "struct types", ending=": {}"),),
    apply=_apply,
    examples=(
        accepts(_GO, {"f": {"x": "a"}}, "(x)=+k8s:maxLength=1"),
        rejects(_GO, {"f": {"x": "ab"}}, "(x)=+k8s:maxLength=1", "f.x"),
        accepts(_GO, {"f": {"x": "ab"}}, "(x)=+k8s:maxLength=1", old={"f": {"x": "ab"}}),
    ),
    since=33,
    history=(
        ReleaseChange(35, "Forgives a member that did not change, and its rules stop only each other."),
        ReleaseChange(
            37, "Stops where the member's own comment would, at +k8s:optional for one; nesting it is an error."
        ),
    ),
)

SPECS = (SUBFIELD,)
