"""Rules that depend on a discriminator.

Source: semantics.md#5.10; apimachinery pkg/api/validate/discriminator.go (2026-07).
"""

from __future__ import annotations

import re
from dataclasses import replace

from harness.field import ErrorType
from harness.gotypes.model import Field
from harness.tags.families.requiredness import forbidden_pointer, forbidden_value
from harness.tags.grammar import Tag, go_int
from harness.tags.rules import Check, Contribution, Deferred, Mode, ModeData, Rule
from harness.tags.spec import (
    FIELD_ONLY,
    ArgSpec,
    Emission,
    Payload,
    ReleaseChange,
    TagContext,
    TagError,
    TagExample,
    TagSpec,
    Trait,
    accepts,
    invalid_usage,
    rejects,
)

_GROUP = re.compile("[a-zA-Z][a-zA-Z0-9_]*")
_GROUP_ARGUMENT = {
    "k8s:modeDiscriminator": "modality",
    "k8s:ifMode": "modality",
    "k8s:discriminator": "name",
    "k8s:member": "discriminator",
}


def _mode_data(context: TagContext, tag: Tag) -> ModeData:
    name = tag.arg(_GROUP_ARGUMENT[tag.name])
    text = name.text if name else "default"
    if name is not None:
        if not _GROUP.fullmatch(text):
            raise TagError(f'discriminator group name must match ^[a-zA-Z][a-zA-Z0-9_]*$, got "{text}"', tag)
        if text == "default":
            raise TagError('discriminator group name "default" is reserved', tag)
    return context.store.modes.setdefault(context.parent_path, {}).setdefault(text, ModeData())


def _discriminator(context: TagContext, tag: Tag) -> Contribution:
    if context.is_pointer:
        raise TagError("can only be used on non-pointer types", tag)
    if tag.name == "k8s:discriminator" and context.kind not in ("string", "bool", "integer"):
        shown = context.types.describe(context.type)
        raise TagError(f"can only be used on string, bool or integer types ({shown})", tag)
    if tag.name != "k8s:discriminator" and context.kind not in ("string", "bool"):
        raise TagError(f"can only be used on string or bool types ({context.types.describe(context.type)})", tag)
    data = _mode_data(context, tag)
    if data.discriminator is not None and data.discriminator != context.member:
        name = tag.arg(_GROUP_ARGUMENT[tag.name])
        raise TagError(f'duplicate discriminator: "{name.text if name else ""}"', tag)
    data.discriminator = context.member
    return Contribution()


def _if_mode(context: TagContext, tag: Tag) -> Contribution:
    argument = "value" if tag.name == "k8s:member" else "mode"
    mode = tag.arg(argument) or tag.arg()
    if mode is None:
        raise TagError(f"missing required {argument}", tag, fix=f'+{tag.name}("value")=+...')
    if context.kind == "struct" and not context.is_pointer:
        raise TagError("discriminated member fields of struct type must be pointers", tag)
    assert context.member is not None
    assert tag.payload is not None
    # Deferred work of the payload is dropped silently, its metadata is kept (semantics.md#S9).
    payload = context.expand(replace(context, inside=(*context.inside, tag.name), level=""), tag.payload)
    level = context.level
    rules = [replace(rule, level=level or rule.level) for rule in payload.rules]
    check = forbidden_pointer if context.is_pointer else forbidden_value
    forbidden = Rule(Check(check), tag=tag.name, position=tag.position)
    _mode_data(context, tag).rules.append((context.member, mode.text, forbidden, rules))
    return Contribution(parent=[Deferred(lambda: _struct_rules(context, tag), "discriminator")])


def _struct_rules(context: TagContext, tag: Tag) -> Contribution:
    """Make the rules of all discriminators of the struct, once: groups sorted by name, members by Go name."""
    if context.parent_path in context.store.modes_done:
        return Contribution()
    context.store.modes_done.add(context.parent_path)
    rules: list[Rule] = []
    for name, data in sorted(context.store.modes[context.parent_path].items()):
        if data.discriminator is None:
            group = "" if name == "default" else f' for group "{name}"'
            raise TagError(f"missing discriminator{group}", tag, fix="+k8s:modeDiscriminator on a field of the struct")
        members = sorted({entry[0].name: entry[0] for entry in data.rules}.items())
        rules += [_member_rule(context, tag, data, data.discriminator, member) for _, member in members]
    return Contribution(rules)


def _member_rule(context: TagContext, tag: Tag, data: ModeData, discriminator: Field, member: Field) -> Rule:
    by_value: dict[str | bool | int, list[Rule]] = {}
    otherwise, levels = Rule(Check(forbidden_value)), set()
    for owner, value, forbidden, rules in data.rules:
        if owner.name == member.name:
            by_value.setdefault(_discriminator_value(context, tag, discriminator, value), []).extend(rules)
            otherwise = forbidden
            levels |= {rule.level for rule in rules}
    if len(levels) == 1:
        otherwise = replace(otherwise, level=levels.pop())
    return Rule(Mode(member, discriminator, tuple((v, tuple(r)) for v, r in by_value.items()), otherwise), tag=tag.name)


def _discriminator_value(context: TagContext, tag: Tag, discriminator: Field, text: str) -> str | bool | int:
    kind = context.types.kind(discriminator.type)
    if kind == "integer":
        if go_int(text) is None:
            raise TagError(f'invalid discriminator value "{text}": cannot parse "{text}" as int', tag)
        return int(text)
    if kind != "bool":
        return text
    if text not in ("true", "false"):
        why = f'parsing "{text}" as bool: strconv.ParseBool: parsing "{text}": invalid syntax'
        raise TagError(f'invalid discriminator value "{text}": cannot parse "{text}" as bool: {why}', tag)
    return text == "true"


_GO = """type T struct {
    // +k8s:modeDiscriminator
    D string `json:"d"`
    // @
    F *string `json:"f"`
}
"""
_DISCRIMINATOR = _GO.replace("@", '+k8s:ifMode("A")=+k8s:required').replace("+k8s:modeDiscriminator", "@")

MODE_DISCRIMINATOR = TagSpec(
    name="k8s:modeDiscriminator",
    traits=frozenset({Trait.METADATA, Trait.CHOICE}),
    summary="Marks the discriminator field of +k8s:ifMode.",
    update_note="Rules under +k8s:ifMode run again if the discriminator changed, even for unchanged members.",
    invalid_usages=(invalid_usage("*string"), invalid_usage("int32")),
    scopes=FIELD_ONLY,
    args=(ArgSpec("modality", "<group>"),),
    apply=_discriminator,
    emits=(Emission(ErrorType.REQUIRED, declared=False), Emission(ErrorType.FORBIDDEN, declared=False)),
    examples=(
        accepts(_DISCRIMINATOR, {"d": "A", "f": ""}),
        rejects(_DISCRIMINATOR, {"d": "A"}),
        rejects(_DISCRIMINATOR, {"d": "B", "f": ""}),
    ),
    since=37,
    history=(ReleaseChange(37, "Replaces +k8s:discriminator of 1.36."),),
)
IF_MODE = TagSpec(
    name="k8s:ifMode",
    traits=frozenset({Trait.CHOICE}),
    summary="Applies a tag in one mode, and forbids the field in modes without a tag.",
    describe=lambda check, subject: "must be absent" if subject.is_pointer else "must be absent or empty",
    update_note=(
        "Skipped if neither the discriminator nor the member changed. Under it, +k8s:immutable rejects a "
        "change of the discriminator alone."
    ),
    invalid_usages=(
        invalid_usage("*string", '("A")=+k8s:optional'),
        invalid_usage(_GO.replace("D string", "D bool"), '("A")=+k8s:optional'),
    ),
    caveats=(
        "Under it, deferred tags are dropped silently: +k8s:eachVal, +k8s:item, +k8s:subfield, +k8s:listType, "
        "+k8s:unique, +k8s:update, members of unions. They only forbid the field in other modes.",
        "Rules of one mode keep the order of the tags: one in front of +k8s:required sees the absent value.",
    ),
    scopes=FIELD_ONLY,
    args=(ArgSpec("", "<mode>"), ArgSpec("mode", "<mode>"), ArgSpec("modality", "<group>")),
    payload=Payload("tag", "+<tag>"),
    apply=_if_mode,
    emits=(Emission(ErrorType.FORBIDDEN, texts=("",)),),
    examples=(
        accepts(_GO, {"d": "A"}, '("A")=+k8s:optional'),
        rejects(_GO, {"d": "B", "f": ""}, '("A")=+k8s:optional'),
    ),
    since=37,
    history=(ReleaseChange(37, "Replaces +k8s:member of 1.36."),),
)

SPECS = (MODE_DISCRIMINATOR, IF_MODE)
DISCRIMINATORS = frozenset({MODE_DISCRIMINATOR.name, "k8s:discriminator"})
MODE_MEMBERS = frozenset({IF_MODE.name, "k8s:member"})
"""What the tags are called, in 1.36 too."""

# 1.36 had these tags under other names.


def _older(spec: TagSpec, name: str, args: tuple[ArgSpec, ...]) -> TagSpec:
    def rename(example: TagExample) -> TagExample:
        go = example.go.replace("k8s:modeDiscriminator", "k8s:discriminator").replace("k8s:ifMode", "k8s:member")
        return replace(example, go=go)

    examples = tuple(map(rename, spec.examples))
    return replace(spec, name=name, args=args, since=36, until=36, history=(), examples=examples, invalid_usages=())


DISCRIMINATOR = _older(MODE_DISCRIMINATOR, "k8s:discriminator", (ArgSpec("name", "<group>"),))
MEMBER = _older(
    IF_MODE, "k8s:member", (ArgSpec("", "<value>"), ArgSpec("value", "<value>"), ArgSpec("discriminator", "<group>"))
)

OLDER_SPECS = (DISCRIMINATOR, MEMBER)
