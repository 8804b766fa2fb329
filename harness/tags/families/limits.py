"""Limits of length, count and value. Source: semantics.md#5.2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.case import Operation
from harness.content.names import byte_length
from harness.field import ErrorType, FieldError, Path
from harness.field.make import invalid, too_few, too_long, too_long_characters, too_many, too_short
from harness.tags.boundary import Boundary
from harness.tags.grammar import Tag, int_error
from harness.tags.rules import Check, Contribution
from harness.tags.spec import (
    VALUE_SCOPES,
    Emission,
    Payload,
    ReleaseChange,
    Requirement,
    Scope,
    TagContext,
    TagSpec,
    accepts,
    contribute_call,
    invalid_usage,
    only_on,
    quantity,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm, keyword_form

LIST_SCOPES = VALUE_SCOPES - {Scope.MAP_KEY}


def max_length(op: Operation, path: Path, new: str | None, old: str | None, limit: int) -> list[FieldError]:
    """Reject a string that is longer than `limit`.

    Units: Unicode code points, not bytes. None is accepted.
    Returns: at most one TooLong error, origin `maxLength`.
    Source: apimachinery pkg/api/validate/limits.go, MaxLength (2026-07); semantics.md#5.2.
    """
    if new is None or len(new) <= limit:
        return []
    return [too_long_characters(path, limit, origin="maxLength")]


def older_max_length(op: Operation, path: Path, new: str | None, old: str | None, limit: int) -> list[FieldError]:
    """Check as `max_length` did in 1.35, which counted bytes. Returns: at most one TooLong, origin `maxLength`."""
    if new is None or byte_length(new) <= limit:
        return []
    return [too_long(path, limit, origin="maxLength")]


def max_bytes(op: Operation, path: Path, new: str | None, old: str | None, limit: int) -> list[FieldError]:
    """Reject a string that is longer than `limit`.

    Units: UTF-8 bytes. None is accepted.
    Returns: at most one TooLong error, origin `maxBytes`.
    """
    if new is None or byte_length(new) <= limit:
        return []
    return [too_long(path, limit, origin="maxBytes")]


def min_length(op: Operation, path: Path, new: str | None, old: str | None, limit: int) -> list[FieldError]:
    """Reject a string that is shorter than `limit`.

    Units: Unicode code points. None is accepted.
    Returns: at most one TooShort error, origin `minLength`.
    """
    if new is None or len(new) >= limit:
        return []
    return [too_short(path, limit, origin="minLength")]


def max_items(
    op: Operation, path: Path, new: Sequence[Any] | None, old: Sequence[Any] | None, limit: int
) -> list[FieldError]:
    """Reject a list with more items than `limit`. Returns: at most one TooMany error, origin `maxItems`."""
    if new is None or len(new) <= limit:
        return []
    return [too_many(path, len(new), limit, origin="maxItems")]


def min_items(
    op: Operation, path: Path, new: Sequence[Any] | None, old: Sequence[Any] | None, limit: int
) -> list[FieldError]:
    """Reject a list with fewer items than `limit`; None has none. Returns: at most one TooFew, origin `minItems`."""
    count = len(new or ())
    return [] if count >= limit else [too_few(path, count, limit, origin="minItems")]


def max_properties(
    op: Operation, path: Path, new: Mapping[str, Any] | None, old: Mapping[str, Any] | None, limit: int
) -> list[FieldError]:
    """Reject a map with more keys than `limit`. Returns: at most one TooMany error, origin `maxProperties`."""
    if new is None or len(new) <= limit:
        return []
    return [too_many(path, len(new), limit, origin="maxProperties")]


def min_properties(
    op: Operation, path: Path, new: Mapping[str, Any] | None, old: Mapping[str, Any] | None, limit: int
) -> list[FieldError]:
    """Reject a map with fewer keys than `limit`. Returns: at most one TooFew error, origin `minProperties`."""
    count = len(new or ())
    return [] if count >= limit else [too_few(path, count, limit, origin="minProperties")]


def minimum(op: Operation, path: Path, new: int | None, old: int | None, limit: int) -> list[FieldError]:
    """Reject an integer below `limit`. None is accepted. Returns: at most one Invalid error, origin `minimum`."""
    if new is None or new >= limit:
        return []
    return [invalid(path, new, f"must be greater than or equal to {limit}", origin="minimum")]


def maximum(op: Operation, path: Path, new: int | None, old: int | None, limit: int) -> list[FieldError]:
    """Reject an integer above `limit`. None is accepted. Returns: at most one Invalid error, origin `maximum`."""
    if new is None or new <= limit:
        return []
    return [invalid(path, new, f"must be less than or equal to {limit}", origin="maximum")]


def a_canonical_int(context: TagContext, tag: Tag) -> str | None:
    """Require an integer in canonical decimal form (semantics.md#1.3): no plus, no leading zero, no hexadecimal."""
    error = int_error(tag.scalar) if tag.scalar is not None and context.release.canonical_ints else ""
    return f"failed to parse tag payload as int: {error}" if error else None


def not_negative(context: TagContext, tag: Tag) -> str | None:
    """Require a payload of zero or more."""
    return "must be greater than or equal to zero" if _int(tag) < 0 else None


def at_most_100000(context: TagContext, tag: Tag) -> str | None:
    """Require a payload within the limit of upstream's schema."""
    return "must be less than or equal to 100000" if _int(tag) > 100000 else None


def a_string_key(context: TagContext, tag: Tag) -> str | None:
    """Require a map whose keys are strings."""
    key = context.types.value(context.type).key
    if key is None or context.types.kind(key) == "string":
        return None
    return (
        f"can only be used on map types with string-based keys ({context.types.describe(context.type, pointers=True)})"
    )


def range_of(name: str) -> tuple[int, int]:
    """Return the least and the greatest value of a builtin integer, as upstream models it."""
    unsigned = name.startswith("uint") or name == "int8"
    bits = int("".join(c for c in name if c.isdigit()) or 64)
    return (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def in_range(context: TagContext, tag: Tag) -> str | None:
    """Require a payload that fits the integer's width. int8 is modelled as unsigned (semantics.md#S48)."""
    assert tag.scalar is not None
    low, high = range_of(context.types.value(context.type).name)
    what, function = ("int", "ParseInt") if low else ("uint", "ParseUint")
    error = int_error(tag.scalar, what, function) if context.release.canonical_ints else ""
    if not error and not low <= _int(tag) <= high:
        bits = high.bit_length() + (low < 0)
        error = f"value {_int(tag)} does not fit in {what}{bits} (range [{low}, {high}])"
    return f"failed to parse tag payload: {error}" if error else None


def _int(tag: Tag) -> int:
    assert tag.scalar is not None
    return int(tag.scalar.value)


def _max_length(context: TagContext, tag: Tag) -> Contribution:
    check = older_max_length if context.release.max_length_counts_bytes else max_length
    return contribute_call(tag.name, check, (_int(tag),))


def _min_length(context: TagContext, tag: Tag) -> Contribution:
    # semantics.md#S47: a limit of zero or less is accepted and emits nothing.
    return contribute_call(tag.name, min_length, (_int(tag),)) if _int(tag) > 0 else Contribution()


_NOT_TOO_LONG = "the error of a text with other letters than ASCII is Invalid, not TooLong"


def _bytes_rule(check: Check, at: Operand) -> list[CelRule]:
    return [CelRule(f"bytes({at.new}).size() <= {check.args[0]}", f"may not be more than {check.args[0]} bytes")]


a_string: Requirement = only_on(("string",), "string types")
a_list: Requirement = only_on(("list",), "list types", pointers=False)
a_map: Requirement = only_on(("map",), "map types", pointers=False)
an_integer: Requirement = only_on(("integer",), "integer types")

_COUNT = Payload("int", "<non-negative integer>")

MAX_LENGTH = TagSpec(
    name="k8s:maxLength",
    summary="Limits a string to N characters.",
    describe=lambda check, subject: f"at most {quantity(check.args[0], 'character')}",
    invalid_usages=(invalid_usage("[]string", "=3"), invalid_usage("string", "=-1"), invalid_usage("string", "=0x3")),
    caveats=("Counts Unicode code points, not bytes and not what a person calls a character: `é` may be two.",),
    scopes=VALUE_SCOPES,
    payload=_COUNT,
    requires=(a_string, a_canonical_int, not_negative),
    check=max_length,
    apply=_max_length,
    schema={max_length: keyword_form("maxLength", "size({v}) <= {n}", "may not be more than {n} characters")},
    emits=(Emission(ErrorType.TOO_LONG, "maxLength", texts=("may not be more than <N> characters",)),),
    examples=(accepts("string", "é" * 3, "=3"), rejects("string", "abcd", "=3"), accepts("*string", None, "=0")),
    boundary=Boundary("characters", upper=True),
    matches_without_origin=True,
    since=35,
    history=(
        ReleaseChange(36, "Counts characters; before, it counted bytes."),
        ReleaseChange(36, "The number must be in canonical decimal form."),
    ),
)
MAX_BYTES = TagSpec(
    name="k8s:maxBytes",
    summary="Limits a string to N bytes of UTF-8.",
    describe=lambda check, subject: f"at most {quantity(check.args[0], 'byte')} of UTF-8",
    invalid_usages=(invalid_usage("int32", "=3"), invalid_usage("string", "=-1")),
    scopes=VALUE_SCOPES,
    payload=_COUNT,
    requires=(a_string, a_canonical_int, not_negative),
    check=max_bytes,
    schema={max_bytes: SchemaForm(_bytes_rule, longest=lambda check: check.args[0], differs=_NOT_TOO_LONG)},
    emits=(Emission(ErrorType.TOO_LONG, "maxBytes", texts=("may not be more than <N> bytes",)),),
    examples=(accepts("string", "éx", "=3"), rejects("string", "éé", "=3"), rejects("*string", "ab", "=1")),
    boundary=Boundary("bytes", upper=True),
    matches_without_origin=True,
    since=36,
)
MIN_LENGTH = TagSpec(
    name="k8s:minLength",
    summary="Requires a string of at least N characters. Zero or less has no effect.",
    describe=lambda check, subject: f"at least {quantity(check.args[0], 'character')}",
    invalid_usages=(invalid_usage("int32", "=3"), invalid_usage("[]string", "=+k8s:minLength=0")),
    caveats=(
        "Zero or less is accepted and checks nothing, but under +k8s:eachVal it does not compile.",
        "Without +k8s:optional in front, an absent string is too short.",
    ),
    scopes=VALUE_SCOPES,
    payload=Payload("int", "<integer>"),
    requires=(a_string, a_canonical_int),
    check=min_length,
    apply=_min_length,
    schema={
        min_length: keyword_form(
            "minLength", "size({v}) >= {n}", "must be at least {n} characters", "the error is Invalid, not TooShort"
        )
    },
    emits=(Emission(ErrorType.TOO_SHORT, "minLength", texts=("must be at least <N> characters",)),),
    examples=(accepts("string", "ééé", "=3"), rejects("string", "ab", "=3"), rejects("string", None, "=1")),
    boundary=Boundary("characters", upper=False),
    matches_without_origin=True,
    since=36,
)
MAX_ITEMS = TagSpec(
    name="k8s:maxItems",
    summary="Limits a list to N items. Items of a longer list are not validated.",
    describe=lambda check, subject: f"at most {quantity(check.args[0], 'item')}",
    invalid_usages=(invalid_usage("string", "=3"), invalid_usage("[]string", "=+5")),
    caveats=("Under +k8s:alpha it still stops the other rules of its list, so it can hide errors that count.",),
    scopes=LIST_SCOPES,
    payload=_COUNT,
    requires=(a_list, a_canonical_int, not_negative),
    check=max_items,
    short_circuit=True,
    schema={max_items: keyword_form("maxItems", "size({v}) <= {n}", "must have at most {n} items")},
    emits=(Emission(ErrorType.TOO_MANY, "maxItems", texts=("must have at most <N> items",)),),
    examples=(accepts("[]string", ["a"], "=1"), rejects("[]string", ["a", "b"], "=1"), accepts("[]string", None, "=0")),
    boundary=Boundary("items", upper=True),
    matches_without_origin=True,
    since=35,
    history=(ReleaseChange(36, "The number must be in canonical decimal form."),),
)
MIN_ITEMS = TagSpec(
    name="k8s:minItems",
    summary="Requires a list of at least N items. An absent list has none.",
    describe=lambda check, subject: f"at least {quantity(check.args[0], 'item')}",
    invalid_usages=(invalid_usage("map[string]string", "=1"),),
    caveats=("Without +k8s:optional in front, an absent list has too few items.",),
    scopes=LIST_SCOPES,
    payload=_COUNT,
    requires=(a_list, a_canonical_int, not_negative),
    check=min_items,
    schema={
        min_items: keyword_form(
            "minItems", "size({v}) >= {n}", "must have at least {n} items", "the error is Invalid, not TooFew"
        )
    },
    emits=(Emission(ErrorType.TOO_FEW, "minItems", texts=("must have at least <N> items",)),),
    examples=(accepts("[]int32", [0], "=1"), rejects("[]string", [], "=1"), rejects("[]string", None, "=1")),
    boundary=Boundary("items", upper=False),
    matches_without_origin=True,
    since=36,
)
MAX_PROPERTIES = TagSpec(
    name="k8s:maxProperties",
    summary="Limits a map to N keys. Entries of a larger map are not validated.",
    describe=lambda check, subject: f"at most {quantity(check.args[0], 'key')}",
    invalid_usages=(invalid_usage("[]string", "=1"), invalid_usage("map[string]string", "=100001")),
    scopes=frozenset({Scope.TYPE, Scope.FIELD}),
    payload=_COUNT,
    requires=(a_map, a_string_key, a_canonical_int, not_negative, at_most_100000),
    check=max_properties,
    short_circuit=True,
    schema={max_properties: keyword_form("maxProperties", "size({v}) <= {n}", "must have at most {n} items")},
    emits=(Emission(ErrorType.TOO_MANY, "maxProperties", texts=("must have at most <N> items",)),),
    examples=(
        accepts("map[string]string", {"a": ""}, "=1"),
        rejects("map[string]string", {"a": "", "b": ""}, "=1"),
    ),
    boundary=Boundary("items", upper=True),
    since=37,
)
MIN_PROPERTIES = TagSpec(
    name="k8s:minProperties",
    summary="Requires a map of at least N keys. An absent map has none.",
    describe=lambda check, subject: f"at least {quantity(check.args[0], 'key')}",
    invalid_usages=(invalid_usage("[]string", "=1"),),
    caveats=("Without +k8s:optional in front, an absent map has too few keys.",),
    scopes=frozenset({Scope.TYPE, Scope.FIELD}),
    payload=_COUNT,
    requires=(a_map, a_string_key, a_canonical_int, not_negative, at_most_100000),
    check=min_properties,
    schema={
        min_properties: keyword_form(
            "minProperties", "size({v}) >= {n}", "must have at least {n} items", "the error is Invalid, not TooFew"
        )
    },
    emits=(Emission(ErrorType.TOO_FEW, "minProperties", texts=("must have at least <N> items",)),),
    examples=(accepts("map[string]string", {"a": ""}, "=1"), rejects("map[string]string", None, "=1")),
    boundary=Boundary("items", upper=False),
    since=37,
)
MINIMUM = TagSpec(
    name="k8s:minimum",
    summary="Requires an integer of at least N.",
    describe=lambda check, subject: f"at least {check.args[0]:,}",
    invalid_usages=(invalid_usage("string", "=1"), invalid_usage("float64", "=1"), invalid_usage("uint8", "=256")),
    caveats=("Of an int8, a negative limit does not compile: it is taken for unsigned.",),
    scopes=VALUE_SCOPES,
    payload=Payload("int", "<integer>"),
    requires=(an_integer, in_range),
    check=minimum,
    schema={minimum: keyword_form("minimum", "{v} >= {n}", "must be greater than or equal to {n}")},
    emits=(Emission(ErrorType.INVALID, "minimum", texts=("must be greater than or equal to <N>",)),),
    examples=(
        accepts("int32", 1, "=1"),
        rejects("int32", 0, "=1"),
        rejects("*int64", -2, "=-1"),
        accepts("*int", None, "=1"),
    ),
    boundary=Boundary("value", upper=False),
    since=33,
    history=(
        ReleaseChange(36, "The number must be in canonical decimal form."),
        ReleaseChange(37, "The number must fit the type."),
    ),
)
MAXIMUM = TagSpec(
    name="k8s:maximum",
    summary="Requires an integer of at most N.",
    describe=lambda check, subject: f"at most {check.args[0]:,}",
    invalid_usages=(invalid_usage("string", "=1"), invalid_usage("uint8", "=256")),
    scopes=VALUE_SCOPES,
    payload=Payload("int", "<integer>"),
    requires=(an_integer, in_range),
    check=maximum,
    schema={maximum: keyword_form("maximum", "{v} <= {n}", "must be less than or equal to {n}")},
    emits=(Emission(ErrorType.INVALID, "maximum", texts=("must be less than or equal to <N>",)),),
    examples=(accepts("int32", 1, "=1"), rejects("int32", 2, "=1"), rejects("*uint8", 255, "=254")),
    boundary=Boundary("value", upper=True),
    since=36,
)

SPECS = (
    MINIMUM,
    MAXIMUM,
    MIN_LENGTH,
    MAX_LENGTH,
    MAX_BYTES,
    MIN_ITEMS,
    MAX_ITEMS,
    MIN_PROPERTIES,
    MAX_PROPERTIES,
)
