"""Rules for requests through one subresource, or through all others. Source: KEP-5073, "Subresources" (2026-11)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.tags.grammar import Tag
from harness.tags.rules import Contribution, Option, Rule
from harness.tags.spec import (
    VALUE_SCOPES,
    ArgSpec,
    Payload,
    TagContext,
    TagError,
    TagSpec,
    accepts,
    invalid_usage,
    rejects,
)


def _apply(wanted: bool) -> Callable[[TagContext, Tag], Contribution]:
    def apply(context: TagContext, tag: Tag) -> Contribution:
        path = tag.arg()
        assert path is not None
        assert tag.payload is not None
        if path.text.strip("/") == "" or path.text.endswith("/"):
            raise TagError(f'"{path.text}" names no subresource', tag, fix=f'+{tag.name}("/status")=+<tag>')
        name = "/" + path.text.removeprefix("/")

        def wrap(rule: Rule) -> Rule:
            body = Option(rule.inside(), name, wanted)
            return Rule(body, short_circuits=rule.short_circuits, hidden=rule.hidden, tag=rule.tag)

        inner = replace(context, inside=(*context.inside, tag.name))
        return context.expand(inner, tag.payload).wrapped(wrap)

    return apply


def _spec(word: str, wanted: bool) -> TagSpec:
    tag = '("/status")=+k8s:maxLength=1'
    through_root = rejects if not wanted else accepts
    return TagSpec(
        name=f"k8s:if{word}",
        summary=f"Applies a tag to requests {'through' if wanted else 'that do not come through'} a subresource.",
        scopes=VALUE_SCOPES,
        args=(ArgSpec("", '"<path>"', required=True),),
        payload=Payload("tag", "+<tag>"),
        apply=_apply(wanted),
        update_note="As the rule it wraps.",
        examples=(accepts("string", "a", tag), through_root("string", "ab", tag)),
        invalid_usages=(
            invalid_usage("string", '("/")=+k8s:maxLength=1'),
            invalid_usage("string", "=+k8s:maxLength=1"),
        ),
        caveats=("The type must be validated for the subresource, by +k8s:supportsSubresource.",),
        proposal="KEP-5073",
    )


IF_SUBRESOURCE = _spec("Subresource", True)
IF_NOT_SUBRESOURCE = _spec("NotSubresource", False)

SPECS = (IF_SUBRESOURCE, IF_NOT_SUBRESOURCE)
