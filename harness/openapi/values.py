"""The values that a schema names: defaults, examples, enums, values at its limits and beyond, and those of its rules.

They are tried in addition to others and restrict nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from harness.fuzzers.celtext import names_of, numbers_of, texts_of
from harness.gotypes.literals import Literal, Literals
from harness.gotypes.model import NamedValues

_LONGEST = 5000
"""No longer text, list or map is tried."""
_MOST = 64
"""At most this many values of a rule go with one field."""
_RULES = "x-kubernetes-validations"
_OF_FORMAT: Mapping[str, tuple[str, ...]] = {
    "ipv4": ("10.0.0.1", "0.0.0.0", "255.255.255.255", "010.0.0.1", "10.0.0.256", "::ffff:10.0.0.1"),
    "ipv6": ("fd00::1", "::", "::ffff:10.0.0.1", "10.0.0.1", "fd00::1%eth0"),
    "cidr": ("10.0.0.0/8", "fd00::/8", "10.0.0.1/8", "10.0.0.0", "10.0.0.0/33", "010.0.0.0/8"),
    "uri": ("https://example.com/a?b#c", "urn:a:b", "/a", "a b", ""),
    "hostname": ("example.com", "a", "a_b", "-a", "a" * 64, "10.0.0.1"),
    "email": ("a@example.com", "a", "a@b", "A <a@example.com>"),
    "uuid": ("0f0e4b3c-9d3c-4f6a-8a1b-2c3d4e5f6071", "0F0E4B3C9D3C4F6A8A1B2C3D4E5F6071", "0f0e"),
    "uuid3": ("a987fbc9-4bed-3078-8f07-9141ba07c9f3",), "uuid4": ("57b73598-8764-4ad0-a76a-679bb6640eb1",),
    "uuid5": ("987fbc97-4bed-5078-af07-9141ba07c9f3",), "mac": ("00:1b:44:11:3a:b7", "001b44113ab7", "00:1b"),
    "date": ("2026-01-02", "2026-02-30", "26-1-2"), "password": ("secret",), "isbn": ("978-3-16-148410-0", "1"),
    "isbn10": ("3-16-148410-0",), "isbn13": ("978-3-16-148410-0",), "creditcard": ("4111111111111111", "4111"),
    "ssn": ("123-45-6789", "1"), "hexcolor": ("#aabbcc", "aabbcc", "#abc", "#ab"),
    "rgbcolor": ("rgb(1,2,3)", "rgb(256,0,0)"), "bsonobjectid": ("507f1f77bcf86cd799439011", "5"),
    "k8s-short-name": ("a", "a" * 63, "a" * 64, "A"), "k8s-long-name": ("a.b", "a" * 253, "a_b"),
}  # fmt: skip
"""Values of formats that a server checks, good ones first."""


def named_values(name: str, owner: Mapping[str, Any], schema: Mapping[str, Any]) -> NamedValues:
    """Return the values for a member of a schema: likely ones, and those that its limits and its rules suggest."""
    named = [schema[key] for key in ("default", "example") if schema.get(key) is not None]
    named += list(_OF_FORMAT.get(str(schema.get("format")), ())[:1])
    said = [*_rules(schema), *(rule for rule in _rules(owner) if name in names_of(rule))]
    texts = [text for rule in said for text in texts_of(rule)][:_MOST]
    numbers = [number for rule in said for number in numbers_of(rule)][:_MOST]
    return NamedValues((*_plain(named), *texts), (*_limits(schema, numbers), *texts), tuple(_of_items(schema, texts)))


def _plain(values: list[Any]) -> Iterator[Any]:
    return (value for value in values if isinstance(value, str | int | float | bool))


def _of_items(schema: Mapping[str, Any], texts: list[str]) -> Iterator[Any]:
    """Yield values for the items of a list or the values of a map."""
    inner = schema.get("items") or schema.get("additionalProperties")
    if isinstance(inner, Mapping):
        yield from _limits(inner, [])
        yield from texts


def _limits(schema: Mapping[str, Any], numbers: list[int]) -> Iterator[Any]:
    """Yield values at each limit and beyond: texts, numbers, or sizes of lists and maps."""
    kind = schema.get("type")
    if kind == "string":
        sizes = [schema.get("maxLength"), schema.get("minLength"), *numbers]
        for size in _around(sizes):
            yield "x" * size
        yield from _OF_FORMAT.get(str(schema.get("format")), ())
        if isinstance(longest := schema.get("maxLength"), int) and 0 < longest <= _LONGEST:
            yield "é" * longest
    elif kind in ("integer", "number"):
        for key, step in (("minimum", -1), ("maximum", 1)):
            if isinstance(limit := schema.get(key), int | float):
                yield from (limit, limit + step, limit - step)
        for number in numbers:
            yield from (number, number - 1, number + 1)
        if isinstance(factor := schema.get("multipleOf"), int):
            yield from (factor, factor + 1)
    elif kind == "array":
        yield from _around([schema.get("maxItems"), schema.get("minItems"), *numbers])
    elif kind == "object":
        yield from _around([schema.get("maxProperties"), schema.get("minProperties"), *numbers])


def _around(sizes: list[Any]) -> list[int]:
    known = [size for size in sizes if isinstance(size, int) and not isinstance(size, bool) and 0 <= size <= _LONGEST]
    return [size for limit in dict.fromkeys(known) for size in (limit, limit + 1, limit - 1) if size >= 0]


def _rules(schema: Mapping[str, Any]) -> list[str]:
    return [str(rule.get("rule", "")) for rule in schema.get(_RULES) or () if isinstance(rule, Mapping)]


def rule_literals(rule: str, name: str = "") -> Iterator[Literal]:
    """Yield the literals of a CEL expression with the names in it, and that of the member which it is about."""
    where = " ".join([name, *names_of(rule)]).lower()
    yield from ((where, text) for text in texts_of(rule))
    yield from ((where, number) for number in numbers_of(rule))


def literals_of(schemas: Iterable[Mapping[str, Any]]) -> Literals:
    """Return the literals of the rules and the patterns of schemas, by the names of the members that they are about."""
    return Literals.of(found for schema in schemas for found in _literals(schema, ""))


def _literals(schema: Mapping[str, Any], name: str) -> Iterator[Literal]:
    if isinstance(pattern := schema.get("pattern"), str):
        yield name.lower(), pattern
    for rule in _rules(schema):
        yield from rule_literals(rule, name)
    for member, below in (schema.get("properties") or {}).items():
        if isinstance(below, Mapping):
            yield from _literals(below, str(member))
    for key in ("items", "additionalProperties"):
        if isinstance(below := schema.get(key), Mapping):
            yield from _literals(below, name)
