"""Rules in words. What a tag demands is said by its declaration; here is what wrappers add: paths and conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from harness.gotypes.model import TypeRef
from harness.jsonpath import ITEMS
from harness.tags.families.each import no_nil_items
from harness.tags.registry import ALL_SPECS
from harness.tags.rules import Check, EachKey, EachVal, Item, Mode, Option, Rule, Subfield
from harness.tags.spec import TagSpec, TagSubject
from harness.tags.types import Types


@dataclass(frozen=True, slots=True)
class RuleSentence:
    """One rule: at which steps below its element, under what conditions, in which words. `hints` find its tag."""

    steps: tuple[str, ...]
    type: TypeRef
    words: str
    conditions: tuple[str, ...]
    tag: str
    error: str
    level: str
    stops: bool
    on_update: bool
    hints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Frame:
    """What wrappers around a rule have said so far."""

    steps: tuple[str, ...]
    type: TypeRef
    conditions: tuple[str, ...] = ()
    level: str = ""
    prefix: str = ""
    is_item: bool = False
    hints: tuple[str, ...] = ()


def say(types: Types, ref: TypeRef, rule: Rule) -> Iterator[RuleSentence]:
    """Say one rule of an element of a type: several things for rules that depend on a discriminator."""
    yield from _say(types, rule, _Frame((), ref), rule.sc, rule.ne)


def _say(types: Types, rule: Rule, frame: _Frame, stops: bool, hidden: bool) -> Iterator[RuleSentence]:
    body = rule.body
    frame = replace(frame, level=frame.level or rule.level)
    if isinstance(body, Check):
        # What only stops, unseen, needs no words; that a field may be absent does.
        if not hidden or (rule.tag == "k8s:optional" and not frame.steps):
            yield _check(types, rule, body, frame, stops)
    elif isinstance(body, Mode):
        yield from _modes(types, body, frame)
    else:
        yield from _say(types, body.rule, _inside(types, body, frame), stops, hidden)


def _inside(types: Types, body: EachVal | EachKey | Item | Subfield | Option, frame: _Frame) -> _Frame:
    native = types.native(frame.type)
    if isinstance(body, EachVal):
        return replace(
            frame, steps=(*frame.steps, ITEMS), type=native.elem or frame.type, is_item=True,
            hints=(*frame.hints, "k8s:eachVal"),
        )  # fmt: skip
    if isinstance(body, EachKey):
        return replace(frame, type=native.key or frame.type, prefix="each key: ", hints=(*frame.hints, "k8s:eachKey"))
    if isinstance(body, Item):
        chosen = ", ".join(f"{key}={value}" for key, value in body.selector.keys)
        values = tuple(str(value) for _, value in body.selector.keys)
        return replace(
            frame, steps=(*frame.steps, f"[{chosen}]"), type=body.selector.elem, is_item=True,
            hints=(*frame.hints, "k8s:item", *values),
        )  # fmt: skip
    if isinstance(body, Subfield):
        return replace(
            frame, steps=(*frame.steps, body.member.json_name), type=body.member.type, is_item=False,
            hints=(*frame.hints, "k8s:subfield", body.member.json_name),
        )  # fmt: skip
    state = "on" if body.wanted else "off"
    word = "k8s:ifEnabled" if body.wanted else "k8s:ifDisabled"
    return replace(
        frame, conditions=(*frame.conditions, f"while `{body.name}` is {state}"), hints=(*frame.hints, word, body.name)
    )


def _modes(types: Types, body: Mode, frame: _Frame) -> Iterator[RuleSentence]:
    """Say the rules of one member, by the value of its discriminator, then what holds for every other value."""
    name = body.discriminator.json_name or body.discriminator.name
    at = replace(
        frame, steps=(*frame.steps, body.member.json_name or body.member.name), type=body.member.type, level="",
        hints=(*frame.hints, "ifMode"),
    )  # fmt: skip
    shown = []
    for value, rules in body.rules:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        shown.append(f"`{text}`" if text else '`""`')
        inner = replace(at, conditions=(*at.conditions, f"when `{name}` is {shown[-1]}"), hints=(*at.hints, text))
        for rule in rules:
            yield from _say(types, rule, inner, rule.sc, rule.ne)
    others = f"unless `{name}` is {' or '.join(shown)}"
    yield from _say(types, body.otherwise, replace(at, conditions=(*at.conditions, others)), False, False)


def _check(types: Types, rule: Rule, check: Check, frame: _Frame, stops: bool) -> RuleSentence:
    spec = ALL_SPECS.get(rule.tag)
    if spec is not None and spec.at is not None:
        frame = _member(types, frame, spec.at(check))
    subject = TagSubject(types.kind(frame.type), types.is_pointer(frame.type), frame.is_item)
    return RuleSentence(
        frame.steps,
        frame.type,
        frame.prefix + words_of(check, spec, subject),
        frame.conditions,
        rule.tag,
        error_of(check, spec),
        frame.level or "standard",
        stops,
        spec is not None and spec.only_updates,
        frame.hints,
    )


def _member(types: Types, frame: _Frame, name: str) -> _Frame:
    """Go to the member of a struct at which a rule of the struct reports."""
    struct = types.struct(frame.type)
    member = types.member(struct, name) if struct else None
    return replace(frame, steps=(*frame.steps, name), type=member.type if member else frame.type)


def words_of(check: Check, spec: TagSpec | None, subject: TagSubject) -> str:
    """Return what a check demands: the words of its tag, or its summary when it has none."""
    if check.function is no_nil_items:
        return "no item may be null"
    if spec is None:
        return "checked by a rule without a tag"
    return spec.words(check, subject) if spec.words is not None else spec.summary.rstrip(".")


def error_of(check: Check, spec: TagSpec | None) -> str:
    """Return the errors that a check gives, as `FieldValueInvalid minimum`; empty when none is ever shown."""
    if check.function is no_nil_items:
        return "FieldValueRequired"
    if spec is None or (spec.name == "k8s:optional" and check.function.__name__.startswith("optional")):
        return ""
    possible = [e for e in spec.emits if e.when is None or e.when(check)]
    shown = [e for e in possible if e.declared or len(possible) == 1]
    return ", ".join(f"{e.type.value} {e.origin + '…' if e.origin.endswith('=') else e.origin}".strip() for e in shown)
