"""One of several: unions with and without discriminator, and zero-or-one-of.

Source: semantics.md#5.9; union.go (2026-07).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import msgspec

from harness.case import Json, Operation
from harness.field import ErrorType, FieldError, Path, quote
from harness.field.make import invalid
from harness.tags.boundary import RuleMutation
from harness.tags.grammar import Tag
from harness.tags.rules import Check, Contribution, Deferred, Member, MembersSet, Rule, UnionData, ValueOf
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
    listed,
    refuses,
    rejects,
)

IsSet: TypeAlias = Callable[[Any], tuple[bool, ...]]
Names: TypeAlias = tuple[str, ...]


def _unchanged(op: Operation, new: Any, old: Any, is_set: IsSet) -> bool:
    return op is Operation.UPDATE and old is not None and is_set(new) == is_set(old)


def _all(names: Names) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _some(names: Names, present: tuple[bool, ...]) -> str:
    return "{" + ", ".join(name for name, there in zip(names, present, strict=True) if there) + "}"


def union(op: Operation, path: Path, new: Any, old: Any, names: Names, is_set: IsSet) -> list[FieldError]:
    """Demand that exactly one member is set. Forgives an update that sets and unsets nothing.

    Returns: at most one Invalid error at the struct or list, origin `union`.
    """
    present = is_set(new)
    if (count := sum(present)) == 1 or _unchanged(op, new, old, is_set):
        return []
    if count:
        return [invalid(path, _some(names, present), f"must specify exactly one of: {_all(names)}", origin="union")]
    return [invalid(path, "", f"must specify one of: {_all(names)}", origin="union")]


def zero_or_one_of(op: Operation, path: Path, new: Any, old: Any, names: Names, is_set: IsSet) -> list[FieldError]:
    """Demand that at most one member is set. Returns: at most one Invalid error, origin `zeroOrOneOf`."""
    present = is_set(new)
    if sum(present) <= 1 or _unchanged(op, new, old, is_set):
        return []
    detail = f"must specify at most one of: {_all(names)}"
    return [invalid(path, _some(names, present), detail, origin="zeroOrOneOf")]


def discriminated_union(
    op: Operation,
    path: Path,
    new: Any,
    old: Any,
    names: Names,
    is_set: IsSet,
    values: Names,
    discriminator: str,
    value_of: Callable[[Any], Any],
) -> list[FieldError]:
    """Demand that the member the discriminator names is set, and no other. An unknown discriminator names none.

    Returns: one Invalid error per member that is wrong, at the member, origin `union`.
    """
    chosen = value_of(new) or ""
    if op is Operation.UPDATE and old is not None and chosen == (value_of(old) or "") and is_set(new) == is_set(old):
        return []
    errors = []
    for name, value, there in zip(names, values, is_set(new), strict=True):
        if there and value != chosen:
            detail = f"may only be specified when `{discriminator}` is {quote(value)}"
        elif not there and value == chosen:
            detail = f"must be specified when `{discriminator}` is {quote(chosen)}"
        else:
            continue
        errors.append(invalid(path.child(name), "", detail, origin="union"))
    return errors


# Releases before 1.36: no origin, except of zero-or-one-of, and without an old value everything was unset.


def older_union(op: Operation, path: Path, new: Any, old: Any, names: Names, is_set: IsSet) -> list[FieldError]:
    """Do as `union` in releases before 1.36. Returns: at most one Invalid error, no origin."""
    if op is Operation.UPDATE and is_set(new) == is_set(old):
        return []
    return [msgspec.structs.replace(e, origin="") for e in union(op, path, new, None, names, is_set)]


def older_zero_or_one_of(
    op: Operation, path: Path, new: Any, old: Any, names: Names, is_set: IsSet
) -> list[FieldError]:
    """Do as `zero_or_one_of` in releases before 1.36."""
    if op is Operation.UPDATE and is_set(new) == is_set(old):
        return []
    return zero_or_one_of(op, path, new, None, names, is_set)


def older_discriminated_union(
    op: Operation,
    path: Path,
    new: Any,
    old: Any,
    names: Names,
    is_set: IsSet,
    values: Names,
    discriminator: str,
    value_of: Callable[[Any], Any],
) -> list[FieldError]:
    """Do as `discriminated_union` in releases before 1.36. Returns: an Invalid error per member, no origin."""
    if op is Operation.UPDATE and (value_of(new) or "") == (value_of(old) or "") and is_set(new) == is_set(old):
        return []
    errors = discriminated_union(op, path, new, None, names, is_set, values, discriminator, value_of)
    return [msgspec.structs.replace(e, origin="") for e in errors]


def _settable(context: TagContext, tag: Tag) -> str | None:
    if context.is_pointer or context.kind in ("list", "map", "string", "bool", "integer", "float"):
        return None
    if context.selector is not None:
        return None
    return f"can only be used on nilable and primitive types ({context.types.go_kind(context.type)})"


def _data(context: TagContext, tag: Tag, group: str) -> UnionData:
    name = tag.arg("union")
    unions = context.store.unions.setdefault((context.parent_path, group), {})
    data = unions.setdefault(name.text if name else "", UnionData())
    data.level = context.level or data.level
    return data


def _member(context: TagContext, tag: Tag, group: str) -> Contribution:
    data = _data(context, tag, group)
    given = tag.arg("memberName")
    if context.selector is not None:
        # semantics.md#S12: the label is what follows the last dot of the element's path.
        label = context.path.rpartition(".")[2]
        if any(not isinstance(value, str) for _, value in context.selector.keys):
            shown = next(v for _, v in context.selector.keys if not isinstance(v, str))
            raise TagError(f"type mismatch, field is int but value is not: {shown}", tag)
        if any(member.label == label for member in data.members):
            raise TagError(f'list-item union member "{label}" already exists', tag)
        member = Member(label, given.text if given else label, selector=context.selector)
    elif context.member is None:
        raise TagError("slice type cannot have field members", tag)
    else:
        if not context.member.json_name:
            raise TagError(f'field "{context.member.name}" is a union member but has no JSON name', tag)
        member = Member(context.member.json_name, given.text if given else context.member.name, field=context.member)
    data.members.append(member)
    return Contribution(parent=[Deferred(lambda: _unions(context, tag, group), group)])


def _discriminator(context: TagContext, tag: Tag) -> Contribution:
    if context.kind != "string" or context.is_pointer:
        raise TagError(f"can only be used on string types ({context.types.describe(context.type)})", tag)
    if context.member is None:
        raise TagError("can only be used on a field of a struct", tag, "tag-nesting")
    data = _data(context, tag, "union")
    data.discriminator = context.member
    if context.release.defers:
        return Contribution()
    return Contribution(parent=[Deferred(lambda: _empty_union(data, tag), "union")])


def _empty_union(data: UnionData, tag: Tag) -> Contribution:
    """Make the rule that releases before 1.37 have for a discriminator alone, so that its type is one with rules."""
    assert data.discriminator is not None
    check = Check(no_members, (data.discriminator.json_name,))
    return Contribution([] if data.members else [Rule(check, tag=tag.name)])


def no_members(op: Operation, path: Path, new: Any, old: Any, discriminator: str) -> list[FieldError]:
    """Accept everything: a union without members."""
    return []


def _unions(context: TagContext, tag: Tag, group: str) -> Contribution:
    """Make the rules of all the struct's unions, once, under the wrappers of the first member's tag.

    Source: semantics.md#S13.
    """
    key = context.parent_path, group
    if key in context.store.unions_done:
        return Contribution()
    context.store.unions_done.add(key)
    unions = context.store.unions[key]
    rules = [_rule(context, tag, group, unions[name]) for name in sorted(unions) if unions[name].members]
    return Contribution(rules)


def _rule(context: TagContext, tag: Tag, group: str, data: UnionData) -> Rule:
    names = tuple(member.label for member in data.members)
    if any(m.selector is not None for m in data.members) and any(m.field is not None for m in data.members):
        raise TagError("cannot have both field members and item members", tag)
    # semantics.md#S12: for items the tests are sorted by label and the labels are not.
    by_item = data.members[0].selector is not None
    tested = tuple(sorted(data.members, key=lambda m: m.label)) if by_item else tuple(data.members)
    is_set = MembersSet(tested)
    level = "" if context.release.defers else data.level
    if group != "union":
        check = older_zero_or_one_of if context.release.older_unions else zero_or_one_of
        return Rule(Check(check, (names, is_set)), level=level, tag=tag.name)
    if data.discriminator is None:
        check = older_union if context.release.older_unions else union
        return Rule(Check(check, (names, is_set)), level=level, tag=tag.name)
    values = tuple(member.value for member in data.members)
    args = (names, is_set, values, data.discriminator.json_name, ValueOf(data.discriminator))
    by_value = older_discriminated_union if context.release.older_unions else discriminated_union
    return Rule(Check(by_value, args), level=level, tag=tag.name)


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


def _reported(check: Check) -> Names:
    """Return the members at which a union with a discriminator reports."""
    if check.function not in (discriminated_union, older_discriminated_union):
        return ()
    names: Names = check.args[0]
    return names


_UNION = (
    Emission(
        ErrorType.INVALID,
        "union",
        reported=_reported,
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
    "A struct or list that had no old value is checked in full."
)


def _words(check: Check) -> str:
    if check.function is no_members:
        return f"`{check.args[0]}` says which member of a union must be set, and the union has none"
    names = check.args[0]
    if check.function in (zero_or_one_of, older_zero_or_one_of):
        return f"at most one of {listed(names)} may be set"
    if check.function in (union, older_union):
        return f"exactly one of {listed(names)} must be set"
    values, discriminator = check.args[2], check.args[3]
    pairs = "; ".join(f"`{name}` when it is `{value}`" for name, value in zip(names, values, strict=True))
    return f"`{discriminator}` says which one must be set, and no other: {pairs}"


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


UNION_MEMBER = TagSpec(
    name="k8s:unionMember",
    traits=frozenset({Trait.OF_STRUCT}),
    summary="Makes a field (or, under +k8s:item, an item) a union member. Exactly one member must be set.",
    words=lambda check, on: _words(check),
    update=_UPDATE,
    misuses=(refuses("any"),),
    surprises=(
        "A member's value of the discriminator is its Go name, not its JSON name, unless memberName overrides it.",
        "Wrappers around the first member's tag apply to all unions of the struct, those around others to none.",
        "For items, the error may name the wrong members if the tags are not sorted by their keys.",
    ),
    scopes=_SCOPES,
    args=_ARGS,
    requires=(_settable,),
    apply=lambda context, tag: _member(context, tag, "union"),
    emits=_UNION,
    fix="+k8s:unionMember on each member",
    coverage="one",
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
    traits=frozenset({Trait.METADATA}),
    summary="Marks the discriminator field of a union: its value names the member that must be set.",
    words=lambda check, on: _words(check),
    update=_UPDATE,
    misuses=(refuses("int32"), refuses("*string")),
    surprises=("A value that names no member is no error in itself, but then no member may be set.",),
    scopes=_SCOPES,
    args=(ArgSpec("union", "<name>"),),
    apply=_discriminator,
    emits=_UNION,
    coverage="one",
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
    traits=frozenset({Trait.OF_STRUCT}),
    summary="Makes a field (or, under +k8s:item, an item) a member of a group. At most one member may be set.",
    words=lambda check, on: _words(check),
    update=_UPDATE,
    misuses=(refuses("any"),),
    surprises=(
        "Wrappers around the first member's tag apply to all groups of the struct, those around others to none.",
    ),
    scopes=_SCOPES,
    args=_ARGS,
    requires=(_settable,),
    apply=lambda context, tag: _member(context, tag, "zeroOrOneOf"),
    emits=(Emission(ErrorType.INVALID, "zeroOrOneOf", texts=("must specify at most one of: <members>",)),),
    fix="+k8s:zeroOrOneOfMember on each member",
    coverage="one",
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
