"""Rules under validation options. Source: semantics.md#5.8; apimachinery pkg/api/validate/options.go (2026-07)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from harness.field import ErrorType, FieldError, Path, quote
from harness.field.make import internal
from harness.tags.grammar import Tag
from harness.tags.rules import Contribution, Option, Rule
from harness.tags.spec import (
    EVERY_SCOPE,
    ArgSpec,
    Emission,
    Payload,
    ReleaseChange,
    Scope,
    TagContext,
    TagSpec,
    accepts,
    invalid_usage,
    rejects,
)


def undefined_option(path: Path, name: str) -> list[FieldError]:
    """Report an undefined option, which is an Internal error and not treated as off."""
    return [internal(path, f"undefined validation option {quote(name)}")]


def _apply_while(wanted: bool) -> Callable[[TagContext, Tag], Contribution]:
    def apply(context: TagContext, tag: Tag) -> Contribution:
        option = tag.arg()
        assert option is not None
        assert tag.payload is not None
        name = option.text

        def wrap(rule: Rule) -> Rule:
            return Rule(
                Option(rule.inside(), name, wanted),
                short_circuits=rule.short_circuits,
                hidden=rule.hidden,
                tag=rule.tag,
            )

        if context.scope is Scope.CONST:
            return context.expand(context, tag.payload)
        inner = replace(context, inside=(*context.inside, tag.name))
        return context.expand(inner, tag.payload).wrapped(wrap, groups=context.release.defers)

    return apply


def _option(word: str, wanted: bool) -> TagSpec:
    tag = "(Feature)=+k8s:maxLength=1"
    return TagSpec(
        name=f"k8s:if{word}",
        summary=f"Applies a tag while a validation option is {'on' if wanted else 'off'}.",
        scopes=EVERY_SCOPE,
        args=(ArgSpec("", "<option>", required=True),),
        payload=Payload("tag", "+<tag>"),
        apply=_apply_while(wanted),
        examples=(
            rejects("string", "ab", tag, options={"Feature": wanted}),
            accepts("string", "ab", tag, options={"Feature": not wanted}),
        ),
        update_note="As the rule it wraps.",
        emits=(Emission(ErrorType.INTERNAL, declared=False, texts=('undefined validation option "<name>"',)),),
        invalid_usages=(invalid_usage("string", "=+k8s:maxLength=1"),),
        caveats=(
            "An undefined option is an internal error, and neither on nor off.",
            "A failing short-circuit rule for a member or an item, nested in it, skips the rules of the whole field.",
            "+k8s:opaqueType, nested in it, applies always.",
        ),
        since=35,
        history=(
            ReleaseChange(37, "An undefined option is an internal error; before, it was off."),
            ReleaseChange(37, "Also wraps deferred rules of the nested tag: +k8s:listType, +k8s:update, unions."),
        ),
    )


IF_ENABLED = _option("Enabled", True)
IF_DISABLED = _option("Disabled", False)

SPECS = (IF_ENABLED, IF_DISABLED)
