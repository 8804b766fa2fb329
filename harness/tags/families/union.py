"""Unions with and without discriminator, and groups with at most one member.

Source: semantics.md#5.9; union.go (2026-07).
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.case import Json
from harness.field import ErrorType, quote
from harness.field.facts import RuleDeclaration
from harness.tags.boundary import RuleMutation
from harness.tags.families.unionchecks import (
    DISCRIMINATED,
    check_of,
    discriminated_union,
    no_members,
    older_union,
    older_zero_or_one_of,
    quoted,
    union,
    unnamed_union,
    zero_or_one_of,
)
from harness.tags.grammar import Tag
from harness.tags.rules import (
    Check,
    Contribution,
    Deferred,
    Member,
    MembersSet,
    Rule,
    UnionData,
    ValueOf,
)
from harness.tags.spec import (
    ArgSpec,
    Emission,
    ReleaseChange,
    Scope,
    TagContext,
    TagError,
    TagSpec,
    Trait,
    accepts,
    invalid_usage,
    quoted_list,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm, cel_literal, cel_name, cel_selects

OLDER_CHOICES = frozenset({"unionDiscriminator", "oneOf", "union"})
"""Tags without `k8s:` that document a choice where no rule enforces it."""

UNIONS = "union"
"""The group of the members of unions in the store of a struct or list; the other one is `zeroOrOneOf`."""


def _settable(context: TagContext, tag: Tag) -> str | None:
    if context.is_pointer or context.kind in ("list", "map", "string", "bool", "integer", "float"):
        return None
    if context.selector is not None:
        return None
    return f"can only be used on nilable and primitive types ({context.types.go_kind(context.type)})"


def _union_data(context: TagContext, tag: Tag, group: str) -> UnionData:
    name = tag.arg("union")
    unions = context.store.unions.setdefault((context.parent_path, group), {})
    data = unions.setdefault(name.text if name else "", UnionData())
    data.level = context.level or data.level
    return data


def add_member(context: TagContext, tag: Tag, group: str) -> Contribution:
    """Add the element of a tag to a union, or to another group; the rule is made with the struct's last member."""
    data = _union_data(context, tag, group)
    given = tag.arg("memberName")
    if context.selector is not None:
        # The label is the part of the element's path after the last dot (semantics.md#S12).
        label = context.path.rpartition(".")[2]
        if any(not isinstance(value, str) for _, value in context.selector.keys):
            shown = next(v for _, v in context.selector.keys if not isinstance(v, str))
            raise TagError(f"type mismatch, field is int but value is not: {shown}", tag)
        if any(member.label == label for member in data.members):
            raise TagError(f'list-item union member "{label}" already exists', tag)
        member = Member(label, given.text if given else label, selector=context.selector, position=tag.position)
    elif context.member is None:
        raise TagError("slice type cannot have field members", tag)
    else:
        if not context.member.json_name:
            raise TagError(f'field "{context.member.name}" is a union member but has no JSON name', tag)
        value = given.text if given else context.member.name
        member = Member(context.member.json_name, value, field=context.member, position=tag.position)
    data.members.append(member)
    return Contribution(parent=[Deferred(lambda: _struct_rules(context, tag, group), group)])


def _discriminator(context: TagContext, tag: Tag) -> Contribution:
    if context.kind != "string" or context.is_pointer:
        raise TagError(f"can only be used on string types ({context.types.describe(context.type)})", tag)
    if context.member is None:
        raise TagError("can only be used on a field of a struct", tag, "tag-nesting")
    data = _union_data(context, tag, "union")
    data.discriminator = context.member
    if context.release.defers:
        return Contribution()
    return Contribution(parent=[Deferred(lambda: _empty_union(data, tag), "union")])


def _empty_union(data: UnionData, tag: Tag) -> Contribution:
    """Make the rule of a discriminator without members, which before 1.37 made its type a type with rules."""
    assert data.discriminator is not None
    check = Check(no_members, (data.discriminator.json_name,))
    return Contribution([] if data.members else [Rule(check, tag=tag.name)])


def _struct_rules(context: TagContext, tag: Tag, group: str) -> Contribution:
    """Make the rules of all unions of the struct, once, in the wrappers of the first member's tag.

    Source: semantics.md#S13.
    """
    key = context.parent_path, group
    if key in context.store.unions_done:
        return Contribution()
    context.store.unions_done.add(key)
    unions = context.store.unions[key]
    rules = [_union_rule(context, tag, group, unions[name]) for name in sorted(unions) if unions[name].members]
    return Contribution(rules)


def _union_rule(context: TagContext, tag: Tag, group: str, data: UnionData) -> Rule:
    names = tuple(member.label for member in data.members)
    if any(m.selector is not None for m in data.members) and any(m.field is not None for m in data.members):
        raise TagError("cannot have both field members and item members", tag)
    # For items, the tests are sorted by label but the labels are not (semantics.md#S12).
    by_item = data.members[0].selector is not None
    members = tuple(sorted(data.members, key=lambda m: m.label)) if by_item else tuple(data.members)
    is_set = MembersSet(members)
    level = "" if context.release.defers else data.level
    first, parts = data.members[0].position, {member.label: member.position for member in data.members}
    if group != "union":
        check = check_of(context.release, zero_or_one_of)
        return Rule(Check(check, (names, is_set)), level=level, tag=tag.name, position=first, parts=parts)
    if data.discriminator is None:
        check = check_of(context.release, union)
        return Rule(Check(check, (names, is_set)), level=level, tag=tag.name, position=first, parts=parts)
    values = tuple(member.value for member in data.members)
    args = (names, is_set, values, data.discriminator.json_name, ValueOf(data.discriminator))
    by_value = check_of(context.release, discriminated_union)
    return Rule(Check(by_value, args), level=level, tag=tag.name, position=first, parts=parts)


_SCOPES = frozenset({Scope.FIELD, Scope.LIST_VALUE})
_ARGS = (ArgSpec("union", "<name>"), ArgSpec("memberName", "<value of the discriminator>"))
_PLAIN = """type T struct {
    In In `json:"in"`
}

type In struct {
    // @
    A *string `json:"a"`
    // @
    B []string `json:"b"`
}
"""
_MEMBER = """type T struct {
    In In `json:"in"`
}

type In struct {
    // +k8s:unionDiscriminator
    D string `json:"d"`
    // @
    A *string `json:"a"`
    // @
    B *string `json:"b"`
}
"""
_DISCRIMINATOR = _MEMBER.replace("@", "+k8s:unionMember").replace("+k8s:unionDiscriminator", "@")


def _member_paths(check: Check) -> tuple[str, ...]:
    """Return the members of a union with a discriminator, which reports errors at members."""
    if check.function not in DISCRIMINATED:
        return ()
    names: tuple[str, ...] = check.args[0]
    return names


_UNION = (
    Emission(
        ErrorType.INVALID,
        "union",
        member_paths=_member_paths,
        texts=(
            "must specify one of: <members>",
            "must specify exactly one of: <members>",
            'may only be specified when `<discriminator>` is "<value>"',
            'must be specified when `<discriminator>` is "<value>"',
        ),
    ),
)

_UPDATE = (
    "Skipped if the update sets and unsets no member and keeps the discriminator; values of members may change. "
    "A struct or list without an old value is checked in full."
)


def _describe(check: Check) -> str:
    if check.function is no_members:
        return f"`{check.args[0]}` selects the member of a union that must be set, but the union has no members"
    names = check.args[0]
    if check.function in (zero_or_one_of, older_zero_or_one_of):
        return f"at most one of {quoted_list(names)} may be set"
    if check.function in (union, older_union, unnamed_union):
        return f"exactly one of {quoted_list(names)} must be set"
    values, discriminator = check.args[2], check.args[3]
    pairs = "; ".join(f"`{name}` when it is `{value}`" for name, value in zip(names, values, strict=True))
    return f"`{discriminator}` selects the only member that must be set: {pairs}"


def _arguments(check: Check) -> dict[str, Json]:
    if check.function is no_members:
        return {"members": [], "discriminator": check.args[0]}
    names, is_set, *more = check.args
    if more:
        return {"members": list(names), "values": list(more[0]), "discriminator": more[1]}
    members = is_set.members
    return {"members": [dict(one.selector.keys) if one.selector is not None else one.label for one in members]}


def _mutations(check: Check) -> Iterator[RuleMutation]:
    names, is_set, *more = check.args
    for index, name in enumerate(names):
        members = MembersSet(is_set.members[:index] + is_set.members[index + 1 :])
        rest = [one[:index] + one[index + 1 :] if isinstance(one, tuple) else one for one in more]
        if members.members:
            shown_by = f"an object with {name!r} alone, or beside another"
            args = (names[:index] + names[index + 1 :], members, *rest)
            yield RuleMutation(f"forget {name!r}", shown_by, args)


def _is_set_in(member: Member, at: Operand, values: str) -> str:
    """Write whether a member is set in the struct, or in the list, that `values` names."""
    if member.field is not None:
        return f"has({values}.{cel_name(member.field.json_name)})"
    assert member.selector is not None
    return f"{values}.exists(i, {cel_selects(member.selector, 'i')})"


def _number_set(check: Check, at: Operand) -> str:
    return f"[{', '.join(_is_set_in(one, at, at.new) for one in check.args[1].members)}].filter(x, x).size()"


def _same_set(check: Check, at: Operand) -> str:
    """Write that the same members are set as before; nothing for items, as the server cannot bound what it costs."""
    members = check.args[1].members
    if any(one.field is None for one in members):
        return ""
    return " && ".join(f"{_is_set_in(one, at, at.new)} == {_is_set_in(one, at, at.old)}" for one in members)


def _union_rule_of(check: Check, at: Operand, comparison: str, words: str) -> list[CelRule]:
    expression, same = f"{_number_set(check, at)} {comparison}", _same_set(check, at)
    message = f"must specify {words} one of: {quoted(check.args[0])}"
    return [CelRule(expression, message, ratchet=same, differs="" if same else _ITEMS)]


_ITEMS = "an update of another item is rejected, too, while the members are wrong as before"


def _discriminated_rules(check: Check, at: Operand) -> list[CelRule]:
    names, is_set, values, discriminator, _ = check.args
    same = _same_set(check, at)
    one = at.child(discriminator)
    chosen, before = (f"(has({text}) ? {text} : '')" for text in (one.new, one.old))
    rules = []
    for name, member, value in zip(names, is_set.members, values, strict=True):
        words = f"must be specified when `{discriminator}` is {quote(value)}, and only then"
        expression = f"({chosen} == {cel_literal(value)}) == {_is_set_in(member, at, at.new)}"
        path = f".{name}" if member.field is not None else ""
        ratchet = same and f"{chosen} == {before} && {same}"
        rules.append(CelRule(expression, words, ratchet=ratchet, path=path, differs="" if same else _ITEMS))
    return rules


UNION_MEMBER = TagSpec(
    name="k8s:unionMember",
    traits=frozenset({Trait.STRUCT_RULE, Trait.CHOICE}),
    summary="Makes a field (or, under +k8s:item, an item) a union member. Exactly one member must be set.",
    describe=lambda check, subject: _describe(check),
    update_note=_UPDATE,
    invalid_usages=(invalid_usage("any"),),
    caveats=(
        "A member's value of the discriminator is its Go name, not its JSON name, unless memberName overrides it.",
        "Wrappers around the first member's tag apply to all unions of the struct, those around others to none.",
        "For items, the error may name the wrong members if the tags are not sorted by their keys.",
    ),
    scopes=_SCOPES,
    args=_ARGS,
    requires=(_settable,),
    apply=lambda context, tag: add_member(context, tag, UNIONS),
    schema={
        union: SchemaForm(lambda check, at: _union_rule_of(check, at, "== 1", "exactly")),
        discriminated_union: SchemaForm(_discriminated_rules),
    },
    emits=_UNION,
    declaration="+k8s:unionMember on each member",
    declare=lambda error, new, old: (RuleDeclaration(("+k8s:unionMember",), "members"),),
    accepted_when="one",
    arguments=_arguments,
    mutations=_mutations,
    examples=(
        accepts(_PLAIN, {"in": {"a": ""}}),
        rejects(_PLAIN, {"in": {"a": "", "b": ["x"]}}, "", "in"),
        rejects(_PLAIN, {"in": {"b": []}}, "", "in"),
        accepts(_PLAIN, {"in": {"a": "x", "b": ["x"]}}, "", old={"in": {"a": "", "b": ["y"]}}),
        rejects(_MEMBER, {"in": {"d": "A", "b": ""}}, "", "in.a", "in.b"),
    ),
    since=34,
    history=(
        ReleaseChange(36, "Errors have the origin union."),
        ReleaseChange(36, "An empty list or map counts as not set."),
        ReleaseChange(37, "Wrappers around it, such as +k8s:ifEnabled, apply to the union."),
    ),
)
UNION_DISCRIMINATOR = TagSpec(
    name="k8s:unionDiscriminator",
    traits=frozenset({Trait.METADATA, Trait.CHOICE}),
    summary="Marks the discriminator field of a union: its value names the member that must be set.",
    describe=lambda check, subject: _describe(check),
    update_note=_UPDATE,
    invalid_usages=(invalid_usage("int32"), invalid_usage("*string")),
    caveats=("A value that names no member is no error in itself, but then no member may be set.",),
    scopes=_SCOPES,
    args=(ArgSpec("union", "<name>"),),
    apply=_discriminator,
    emits=_UNION,
    accepted_when="one",
    arguments=_arguments,
    examples=(
        accepts(_DISCRIMINATOR, {"in": {"d": "A", "a": ""}}),
        accepts(_DISCRIMINATOR, {"in": {"d": "other"}}),
        rejects(_DISCRIMINATOR, {"in": {"d": "other", "a": ""}}, "", "in.a"),
    ),
    stability="Beta",
    since=34,
    history=(ReleaseChange(36, "Errors have the origin union."),),
)
ZERO_OR_ONE_OF_MEMBER = TagSpec(
    name="k8s:zeroOrOneOfMember",
    traits=frozenset({Trait.STRUCT_RULE, Trait.CHOICE}),
    summary="Makes a field (or, under +k8s:item, an item) a member of a group. At most one member may be set.",
    describe=lambda check, subject: _describe(check),
    update_note=_UPDATE,
    invalid_usages=(invalid_usage("any"),),
    caveats=("Wrappers around the first member's tag apply to all groups of the struct, those around others to none.",),
    scopes=_SCOPES,
    args=_ARGS,
    requires=(_settable,),
    apply=lambda context, tag: add_member(context, tag, "zeroOrOneOf"),
    schema={zero_or_one_of: SchemaForm(lambda check, at: _union_rule_of(check, at, "<= 1", "at most"))},
    emits=(Emission(ErrorType.INVALID, "zeroOrOneOf", texts=("must specify at most one of: <members>",)),),
    declaration="+k8s:zeroOrOneOfMember on each member",
    declare=lambda error, new, old: (RuleDeclaration(("+k8s:zeroOrOneOfMember",), "members"),),
    accepted_when="one",
    arguments=_arguments,
    mutations=_mutations,
    examples=(accepts(_PLAIN, {"in": {}}), rejects(_PLAIN, {"in": {"a": "", "b": ["x"]}}, "", "in")),
    since=34,
    history=(
        ReleaseChange(36, "An empty list or map counts as not set."),
        ReleaseChange(37, "Wrappers around it, such as +k8s:ifEnabled, apply to the group."),
    ),
)

SPECS = (UNION_DISCRIMINATOR, UNION_MEMBER, ZERO_OR_ONE_OF_MEMBER)
