"""Renders validation rules as English for the API documentation.

The declaration of a tag describes its own check (`TagSpec.describe`). This module adds what the enclosing tags
contribute: the path from +k8s:eachVal, +k8s:item and +k8s:subfield, the conditions from +k8s:ifMode and +k8s:ifEnabled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from harness.gotypes.model import TypeRef
from harness.jsonpath import ITEMS
from harness.tags.families.each import no_nil_items
from harness.tags.registry import ALL_SPECS
from harness.tags.rules import Check, EachKey, EachVal, Item, Mode, Option, Rule, Subfield, is_subresource
from harness.tags.spec import TagSpec, TagSubject
from harness.tags.types import Types


@dataclass(frozen=True, slots=True)
class RuleDescription:
    """One rule of an element in English.

    `steps` lead from the element to the value that the rule checks, whose type is `type`. `hints` are texts that the
    comment line of its tag contains; the line with most of them is the one that declares the rule.
    """

    steps: tuple[str, ...]
    type: TypeRef
    text: str
    conditions: tuple[str, ...]
    tag: str
    error: str
    level: str
    short_circuits: bool
    only_updates: bool
    hints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _EnclosingTags:
    """Context accumulated from the tags around a rule: the path and type of its value, its conditions, its level."""

    steps: tuple[str, ...]
    type: TypeRef
    conditions: tuple[str, ...] = ()
    level: str = ""
    prefix: str = ""
    is_item: bool = False
    hints: tuple[str, ...] = ()


def describe_rule(types: Types, element: TypeRef, rule: Rule) -> Iterator[RuleDescription]:
    """Describe one rule of an element; a rule that depends on a discriminator has a description per value."""
    yield from _describe(types, rule, _EnclosingTags((), element), rule.short_circuits, rule.hidden)


def _describe(
    types: Types, rule: Rule, enclosing: _EnclosingTags, short_circuits: bool, hidden: bool
) -> Iterator[RuleDescription]:
    body = rule.body
    enclosing = replace(enclosing, level=enclosing.level or rule.level)
    if isinstance(body, Check):
        # Hidden short-circuit rules are not documented, except +k8s:optional on the element itself.
        if not hidden or (rule.tag == "k8s:optional" and not enclosing.steps):
            yield _describe_check(types, rule, body, enclosing, short_circuits)
    elif isinstance(body, Mode):
        yield from _describe_modes(types, body, enclosing)
    else:
        yield from _describe(types, body.rule, _enter(types, body, enclosing), short_circuits, hidden)


def _enter(
    types: Types, body: EachVal | EachKey | Item | Subfield | Option, enclosing: _EnclosingTags
) -> _EnclosingTags:
    """Return the context of the rule that a wrapper contains."""
    native = types.native(enclosing.type)
    steps, hints = enclosing.steps, enclosing.hints
    if isinstance(body, EachVal):
        elem = native.elem or enclosing.type
        return replace(enclosing, steps=(*steps, ITEMS), type=elem, is_item=True, hints=(*hints, "k8s:eachVal"))
    if isinstance(body, EachKey):
        return replace(enclosing, type=native.key or enclosing.type, prefix="each key: ", hints=(*hints, "k8s:eachKey"))
    if isinstance(body, Item):
        keys = body.selector.keys
        step = f"[{', '.join(f'{key}={value}' for key, value in keys)}]"
        values = tuple(str(value) for _, value in keys)
        return replace(
            enclosing, steps=(*steps, step), type=body.selector.elem, is_item=True,
            hints=(*hints, "k8s:item", *values),
        )  # fmt: skip
    if isinstance(body, Subfield):
        name = body.member.json_name
        return replace(
            enclosing, steps=(*steps, name), type=body.member.type, is_item=False,
            hints=(*hints, "k8s:subfield", name),
        )  # fmt: skip
    condition = f"while `{body.name}` is {'on' if body.wanted else 'off'}"
    if is_subresource(body.name):
        condition = f"{'through' if body.wanted else 'but not through'} the subresource `{body.name}`"
        return replace(enclosing, conditions=(*enclosing.conditions, condition))
    tag = "k8s:ifEnabled" if body.wanted else "k8s:ifDisabled"
    return replace(enclosing, conditions=(*enclosing.conditions, condition), hints=(*hints, tag, body.name))


def _describe_modes(types: Types, body: Mode, enclosing: _EnclosingTags) -> Iterator[RuleDescription]:
    """Describe the rules of one member for each value of its discriminator, then for every other value."""
    discriminator = body.discriminator.json_name or body.discriminator.name
    member = replace(
        enclosing, steps=(*enclosing.steps, body.member.json_name or body.member.name), type=body.member.type, level="",
        hints=(*enclosing.hints, "k8s:ifMode"),
    )  # fmt: skip
    values = []
    for value, rules in body.rules:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        values.append(f"`{text}`" if text else '`""`')
        condition = f"when `{discriminator}` is {values[-1]}"
        mode = replace(member, conditions=(*member.conditions, condition), hints=(*member.hints, text))
        for rule in rules:
            yield from _describe(types, rule, mode, rule.short_circuits, rule.hidden)
    condition = f"unless `{discriminator}` is {' or '.join(values)}"
    other_modes = replace(member, conditions=(*member.conditions, condition))
    yield from _describe(types, body.otherwise, other_modes, short_circuits=False, hidden=False)


def _describe_check(
    types: Types, rule: Rule, check: Check, enclosing: _EnclosingTags, short_circuits: bool
) -> RuleDescription:
    spec = ALL_SPECS.get(rule.tag)
    if spec is not None and spec.constrained_member is not None:
        enclosing = _enter_member(types, enclosing, spec.constrained_member(check))
    subject = TagSubject(types.kind(enclosing.type), types.is_pointer(enclosing.type), enclosing.is_item)
    return RuleDescription(
        enclosing.steps,
        enclosing.type,
        enclosing.prefix + describe_check(check, spec, subject),
        enclosing.conditions,
        rule.tag,
        errors_of_check(check, spec),
        enclosing.level or "standard",
        short_circuits,
        spec is not None and spec.only_updates,
        enclosing.hints,
    )


def _enter_member(types: Types, enclosing: _EnclosingTags, name: str) -> _EnclosingTags:
    """Return the context of the member whose path the errors of a struct's rule have."""
    struct = types.struct(enclosing.type)
    member = types.member(struct, name) if struct else None
    return replace(enclosing, steps=(*enclosing.steps, name), type=member.type if member else enclosing.type)


def describe_check(check: Check, spec: TagSpec | None, subject: TagSubject) -> str:
    """Return what a check requires, in the words of its tag; the tag's summary if the tag describes no checks."""
    if check.function is no_nil_items:
        return "no item may be null"
    if spec is None:
        return "checked by a rule without a tag"
    return spec.describe(check, subject) if spec.describe is not None else spec.summary.rstrip(".")


def errors_of_check(check: Check, spec: TagSpec | None) -> str:
    """Return the errors that a check can report, such as `FieldValueInvalid minimum`; empty if it reports none."""
    if check.function is no_nil_items:
        return "FieldValueRequired"
    if spec is None or (spec.name == "k8s:optional" and check.function.__name__.startswith("optional")):
        return ""
    possible = [e for e in spec.emits if e.when is None or e.when(check)]
    documented = [e for e in possible if e.declared or len(possible) == 1]
    return ", ".join(
        f"{e.type.value} {e.origin + '…' if e.origin.endswith('=') else e.origin}".strip() for e in documented
    )
