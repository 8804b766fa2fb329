"""Lifecycle levels of rules. Source: semantics.md#3.5, #5.8."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from harness.field import Level
from harness.tags.grammar import Tag
from harness.tags.rules import Contribution, Mode, Rule
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

_VERSION = re.compile(r"[0-9]+\.[0-9]+")


def _apply_level(level: Level) -> Callable[[TagContext, Tag], Contribution]:
    def mark(rule: Rule) -> Rule:
        # A mode keeps the level of each of its rules itself (semantics.md#5.10).
        return rule if isinstance(rule.body, Mode) else replace(rule, level=level)

    def apply(context: TagContext, tag: Tag) -> Contribution:
        if tag.payload is None:
            raise TagError("requires a validation tag as its value payload", tag, "tag-payload")
        since = tag.arg("since")
        if since is not None and not _VERSION.fullmatch(since.text):
            raise TagError(
                f"invalid kubernetes version format, expected <major>.<minor>, got {since.text}", tag, "tag-argument",
                fix=f'+{tag.name}(since: "1.36")=+...',
            )  # fmt: skip
        inner = replace(context, level=context.level or level, inside=(*context.inside, tag.name))
        return context.expand(inner, tag.payload).wrapped(mark, groups=context.release.defers)

    return apply


def _level(level: Level, summary: str) -> TagSpec:
    return TagSpec(
        name=f"k8s:{level}",
        summary=summary,
        scopes=VALUE_SCOPES,
        args=(ArgSpec("since", "<major.minor, quoted>"),),
        payload=Payload("tag", "+<tag>"),
        apply=_apply_level(level),
        examples=(
            accepts("string", "a", '(since: "1.36")=+k8s:maxLength=1'),
            rejects("string", "ab", '(since: "1.36")=+k8s:maxLength=1'),
        ),
        stability="Beta",
        since=36,
        update_note="As the rule it wraps.",
        invalid_usages=(invalid_usage("string", '(since: "v1.36")=+k8s:maxLength=1'), invalid_usage("string", "=1")),
        caveats=(
            "A level changes whether an error is reported, not what is checked: a failing short-circuit rule without "
            "effect, such as +k8s:maxItems at alpha, still skips rules whose errors are reported.",
            "Of two nested levels, the outer one applies; nesting is allowed only with +k8s:validation-gen-nolint.",
            "Between another wrapper and a tag without payload, a level is lost; make it the outermost tag.",
        ),
    )


ALPHA = _level("alpha", "Shadows a rule: its errors only increase the mismatch counter.")
BETA = _level("beta", "Enforces a rule while the gate DeclarativeValidationBeta is on.")

SPECS = (ALPHA, BETA)
LEVELS: Mapping[str, Level] = {ALPHA.name: "alpha", BETA.name: "beta"}
