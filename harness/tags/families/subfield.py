"""Rules for a member of a struct, declared on the field of the struct. Source: semantics.md#3.7, #3.9, #5.7."""

from __future__ import annotations

from dataclasses import replace

from harness.gotypes.model import Field
from harness.tags.families.update import settle_nested
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
    invalid_usage,
    only_on,
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
    # Expanded now and wrapped later, because later tags may still add data, such as the keys of a list.
    own = context.expand(inner, tag.payload)
    return Contribution(deferred=[Deferred(lambda: _wrap_rules(own, inner, member))])


def _wrap_rules(own: Contribution, inner: TagContext, member: Field) -> Contribution:
    """Wrap the rules of the nested tag, then the member's short-circuits; their deferred work runs in the next round.

    Source: semantics.md#3.2.
    """

    def wrap(rule: Rule) -> Rule:
        return Rule(
            Subfield(rule.inside(), member),
            short_circuits=rule.short_circuits,
            hidden=rule.hidden,
            cohort=member.json_name,
            tag=rule.tag,
        )

    total = Contribution()
    for got in (own, _inherited_short_circuits(inner)):
        total.add(got if inner.release.defers else settle_nested(inner, got))
    wrapped = replace(total, parent=[]).wrapped(wrap)
    return replace(wrapped, deferred=[*wrapped.deferred, *total.parent])


def _inherited_short_circuits(inner: TagContext) -> Contribution:
    """Return the short-circuit rules of the member's own tags, with hidden errors (semantics.md#3.9)."""
    if (
        not inner.release.inherits_short_circuits
        or inner.opaque
        or inner.member is None
        or inner.path in inner.store.inherited
    ):
        return Contribution()
    inner.store.inherited.add(inner.path)
    # Tags of the member may use +k8s:subfield, which is not nesting; `inside` grows so that recursion still ends.
    context = replace(inner, inside=("inherited",) * (len(inner.inside) + 1))
    return _hidden_short_circuits(inner.contributions_of(context, inner.member.comments))


def _hidden_short_circuits(got: Contribution) -> Contribution:
    """Keep the short-circuit rules and hide their errors; work deferred to the parent, about siblings, is dropped."""
    return Contribution(
        [replace(rule, hidden=True) for rule in got.rules if rule.short_circuits],
        [_defer_hidden_short_circuits(later) for later in got.deferred],
    )


def _defer_hidden_short_circuits(later: Deferred) -> Deferred:
    return Deferred(lambda: _hidden_short_circuits(later.run()), later.group)


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
    traits=frozenset({Trait.DEFERRED}),
    nested_target="member",
    summary="Applies a tag to a direct member of the struct that a field holds.",
    update_note="Skipped if the member is unchanged.",
    invalid_usages=(invalid_usage(_GO, "(nope)=+k8s:maxLength=1"), invalid_usage("string", "(x)=+k8s:maxLength=1")),
    caveats=(
        "The short-circuit tags of the member's own comment apply: an absent member with +k8s:optional is not checked.",
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
        ReleaseChange(35, "Ratchets a member that did not change, and its rules stop only each other."),
        ReleaseChange(
            37,
            "Applies the short-circuit tags of the member's own comment, as +k8s:optional; nesting it is an error.",
        ),
    ),
)

SPECS = (SUBFIELD,)
