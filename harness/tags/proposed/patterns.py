"""Patterns and formats, in a syntax without `k8s:`. Source: KEP-4153, "IDL tags" and "Formats" (2026-11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import re2

from harness import content
from harness.case import Operation
from harness.content.names import Messages
from harness.field import ErrorType, FieldError, Path
from harness.field.make import invalid
from harness.tags.families.limits import a_string
from harness.tags.grammar import Tag
from harness.tags.rules import Check, Contribution, Rule, Subfield
from harness.tags.spec import (
    VALUE_SCOPES,
    Emission,
    Payload,
    Scope,
    TagContext,
    TagError,
    TagSpec,
    accepts,
    contribute_call,
    invalid_usage,
    only_on,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm, cel_literal

FORMATS: Mapping[str, Callable[[str], Messages]] = {
    "dns1123subdomain": content.long_name, "dns1123label": content.short_name,
    "dns1035label": content.letter_first_name,
}  # fmt: skip
"""The formats that KEP-4153 adds. Others of OpenAPI are not declared by tags of native types."""
_CEL = {"dns1123subdomain": "dns1123Subdomain", "dns1123label": "dns1123Label", "dns1035label": "dns1035Label"}


@lru_cache(maxsize=1000)
def _compiled(regex: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(regex, options)


def pattern(op: Operation, path: Path, new: str | None, old: str | None, regex: str) -> list[FieldError]:
    """Reject a string in which a regular expression of RE2 is not found. None is accepted.

    Returns: at most one Invalid error, origin `pattern`.
    """
    if new is None or _compiled(regex).search(new):
        return []
    return [invalid(path, new, f"must match the regex {regex}", origin="pattern")]


def named_format(op: Operation, path: Path, new: str | None, old: str | None, name: str) -> list[FieldError]:
    """Reject a string that is not of a format. None is accepted. Returns: Invalid errors, origin `format=NAME`."""
    if new is None:
        return []
    return [invalid(path, new, message, origin=f"format={name}") for message in FORMATS[name](new)]


def name_format(
    op: Operation, path: Path, new: str | None, old: str | None, name: str, is_prefix: bool
) -> list[FieldError]:
    """Reject the name of an object, or the prefix of names, that is not of a format. An empty one is absent.

    Of a prefix, a dash at its end and the letter before it are replaced, as the server does for its own checks (the
    proposal replaces the dash alone). Updates are not checked: names do not change.
    Returns: Invalid errors, origin `nameFormat`.
    """
    if not new or op is Operation.UPDATE:
        return []
    made = f"{new[:-2]}a" if is_prefix and new.endswith("-") and len(new) > 1 else new
    return [invalid(path, new, message, origin="nameFormat") for message in FORMATS[name](made)]


def _name_format(context: TagContext, tag: Tag) -> Contribution:
    assert tag.scalar is not None
    struct = context.types.struct(context.type)
    rules = []
    for name, is_prefix in (("name", False), ("generateName", True)):
        member = context.types.member(struct, name) if struct is not None else None
        if member is not None:
            check = Rule(Check(name_format, (tag.scalar.text, is_prefix)), tag=tag.name)
            rules.append(Rule(Subfield(check, member), tag=tag.name))
    if not rules:
        raise TagError("the struct has neither name nor generateName", tag)
    return Contribution(rules)


def _pattern(context: TagContext, tag: Tag) -> Contribution:
    assert tag.scalar is not None
    try:
        _compiled(tag.scalar.text)
    except re2.error as error:
        raise TagError(f"RE2 refuses the pattern {tag.scalar.text!r}: {error}", tag, "tag-payload") from None
    return contribute_call(tag.name, pattern, (tag.scalar.text,))


def _known_format(context: TagContext, tag: Tag) -> str | None:
    assert tag.scalar is not None
    known = tag.scalar.text in FORMATS
    return None if known else f'no format "{tag.scalar.text}" is proposed; those are: {", ".join(FORMATS)}'


def _format_rules(check: Check, at: Operand) -> list[CelRule]:
    name = check.args[0]
    return [CelRule(f"!format.{_CEL[name]}().validate({at.new}).hasValue()", f"must be a {name}")]


def _name_rules(check: Check, at: Operand) -> list[CelRule]:
    name, is_prefix = check.args
    call = f"format.{_CEL[name]}{'Prefix' if is_prefix else ''}()"
    return [CelRule(f"{at.new} == '' || !{call}.validate({at.new}).hasValue()", f"must be a {name}")]


def _longest(check: Check) -> int:
    return 253 if check.args[0] == "dns1123subdomain" else 63


def _pattern_rules(check: Check, at: Operand) -> list[CelRule]:
    return [CelRule(f"{at.new}.matches({cel_literal(check.args[0])})", f"must match the regex {check.args[0]}")]


_META = """type T struct {
    // @
    F Meta `json:"f"`
}

type Meta struct {
    Name string `json:"name"`
    GenerateName string `json:"generateName"`
}
"""

PATTERN = TagSpec(
    name="pattern",
    summary="Requires a string in which a regular expression (RE2) is found.",
    describe=lambda check, subject: f"must match `{check.args[0]}`",
    scopes=VALUE_SCOPES,
    payload=Payload("string", '"<regex>"'),
    requires=(a_string,),
    check=pattern,
    apply=_pattern,
    schema={pattern: SchemaForm(_pattern_rules, lambda check: {"pattern": check.args[0]})},
    emits=(Emission(ErrorType.INVALID, "pattern", texts=("must match the regex <regex>",)),),
    examples=(accepts("string", "abc", '="^[a-c]+$"'), rejects("string", "abd", '="^[a-c]+$"')),
    invalid_usages=(invalid_usage("int32", '="^a$"'), invalid_usage("string", '="("')),
    caveats=("A pattern without `^` and `$` may match anywhere in the string.",),
    proposal="KEP-4153",
)
FORMAT = TagSpec(
    name="format",
    summary="Requires a string of one of the formats that KEP-4153 adds.",
    describe=lambda check, subject: f"must be a `{check.args[0]}`",
    scopes=VALUE_SCOPES,
    payload=Payload("string", "|".join(FORMATS)),
    requires=(a_string, _known_format),
    check=named_format,
    schema={named_format: SchemaForm(_format_rules, longest=_longest)},
    emits=(
        Emission(
            ErrorType.INVALID, "format=", texts=("<what is wrong>",), origin_suffix=lambda check: str(check.args[0])
        ),
    ),
    examples=(
        accepts("string", "a-1", "=dns1035label"),
        rejects("string", "1-a", "=dns1035label"),
        accepts("string", "1-a", "=dns1123label"),
        rejects("string", "a_b", "=dns1123subdomain"),
    ),
    invalid_usages=(invalid_usage("string", "=uuid"), invalid_usage("int32", "=dns1123label")),
    caveats=(
        "A server is to know a format in stored CRDs a release before it supports it in new ones: `stored:crd.yaml` "
        "in a suite, see docs/explanation/kep-4153.md.",
    ),
    proposal="KEP-4153",
)
NAME_FORMAT = TagSpec(
    name="nameFormat",
    summary="Requires names of objects, and those made of their generateName, to be of a format.",
    describe=lambda check, subject: f"must {'make' if check.args[1] else 'be'} a `{check.args[0]}`",
    scopes=frozenset({Scope.FIELD}),
    payload=Payload("string", "|".join(FORMATS)),
    requires=(only_on(("struct",), "struct types"), _known_format),
    check=name_format,
    apply=_name_format,
    schema={name_format: SchemaForm(_name_rules, longest=_longest)},
    emits=(Emission(ErrorType.INVALID, "nameFormat", texts=("<what is wrong>",)),),
    update_note="Creates are checked alone: names do not change.",
    examples=(
        accepts(_META, {"f": {"name": "a.b"}}, "='dns1123subdomain'"),
        rejects(_META, {"f": {"name": "a.b"}}, "='dns1123label'", "f.name"),
        accepts(_META, {"f": {"generateName": "a-"}}, "='dns1123label'"),
        rejects(_META, {"f": {"generateName": "1a-"}}, "='dns1035label'", "f.generateName"),
    ),
    invalid_usages=(invalid_usage("string", "='dns1123label'"), invalid_usage(_META, "=uuid")),
    proposal="KEP-4153",
)

SPECS = (PATTERN, FORMAT, NAME_FORMAT)
