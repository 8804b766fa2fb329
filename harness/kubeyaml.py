"""YAML as kubectl reads it: into JSON, with the values that a server would be sent.

Every reader of YAML has other ideas of `y`, `0o35`, `1:30`, `1e3` or `.nan`; what is asked here is what is sent there.
Refuses what kubectl refuses: numbers that JSON cannot say. Source: sigs.k8s.io/yaml v1.6 (YAMLToJSON) over
go.yaml.in/yaml v2.4 (resolve.go), which is YAML 1.1 without numbers to the base of 60 and with octal numbers of Go.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any

import yaml

_BOOLS = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_POINT = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+)?")
_INTEGER = re.compile(r"([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)")
_BASES = {"x": 16, "b": 2, "o": 8}
_NOT_JSON = frozenset(
    {".nan", ".NaN", ".NAN", *(f"{sign}{inf}" for sign in ("", "+", "-") for inf in (".inf", ".Inf", ".INF"))}
)
_LEAST, _MOST_SIGNED, _MOST = -(2**63), 2**63 - 1, 2**64 - 1
_EXPONENT = 1e21
"""From here on Go's encoder writes a float with an exponent; below, a whole one is written as an integer."""
_SHORT = 6
"""Characters of a number with a fraction that Go's encoder for keys, which has fewer digits, writes in the same way."""
_TAG = "tag:yaml.org,2002:"


class NotJSONError(yaml.MarkedYAMLError):
    """A value that YAML can say and JSON cannot."""

    def __init__(self, problem: str, node: yaml.Node) -> None:
        super().__init__(problem=problem, problem_mark=node.start_mark)


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # which depends on PyYAML's build
    """Reads documents into what JSON can say: texts, numbers, true, false, null, lists and maps with texts as keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[str, Any]:
        """Return a map; keys that are numbers, true or false are written as texts, the last of several holds."""
        if not isinstance(node, yaml.MappingNode):
            raise NotJSONError("this is no map", node)
        self.flatten_mapping(node)
        return {
            _key(self.construct_object(key, deep=True), key): self.construct_object(value, deep=deep)
            for key, value in node.value
        }


def number_of(text: str) -> int | float | None:
    """Return the number that a plain text is; None when it is a text."""
    if text.startswith("."):
        return _float(text) if _POINT.fullmatch(text) else None
    plain = text.replace("_", "")
    found = _INTEGER.fullmatch(plain)
    if found is not None:
        value = _integer(found[1], found[2])
        if _LEAST <= value <= (_MOST_SIGNED if found[1] else _MOST):
            return value
    return _float(plain) if _FLOAT.fullmatch(plain) else None


def _integer(sign: str, digits: str) -> int:
    """Read an integer with a prefix as Go does: 0x, 0b, 0o, and 0 alone for octal."""
    has_prefix = len(digits) > 1 and digits[0] == "0"
    base = _BASES.get(digits[1].lower(), 8) if has_prefix else 10
    value = int(digits[2:] if has_prefix and digits[1].isalpha() else digits, base)
    return -value if sign == "-" else value


def _float(text: str) -> int | float | None:
    """Return a float as Go writes it into JSON, a whole one as an integer; None for one that is too large: a text."""
    value = float(text)
    if math.isinf(value):
        return None
    return int(Decimal(repr(value))) if value.is_integer() and abs(value) < _EXPONENT else value


def _key(key: Any, node: yaml.Node) -> str:
    """Write a key. Raises: NotJSONError for what kubectl refuses, and for long fractions, which it cuts."""
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return str(key).lower()
    if isinstance(key, int | float) and abs(key) <= _MOST_SIGNED and (isinstance(key, int) or len(repr(key)) <= _SHORT):
        return str(key)
    raise NotJSONError("a key is a text in JSON, and this is none: put it in quotes", node)


def _plain(loader: Any, node: yaml.ScalarNode) -> Any:
    if node.value in _NOT_JSON:
        raise NotJSONError(f"{node.value} is no number in JSON, and kubectl refuses it", node)
    number = number_of(node.value)
    return node.value if number is None else number


def _number(loader: Any, node: yaml.ScalarNode) -> Any:
    found = _plain(loader, node)
    if isinstance(found, str):
        raise NotJSONError(f"{found!r} is no number", node)
    return found


def _bool(loader: Any, node: yaml.ScalarNode) -> bool:
    if node.value not in _BOOLS:
        raise NotJSONError(f"{node.value!r} is neither true nor false", node)
    return _BOOLS[node.value]


def _text(loader: Any, node: yaml.ScalarNode) -> str:
    return str(node.value)


def _binary(loader: Any, node: yaml.ScalarNode) -> str:
    try:
        return base64.b64decode("".join(node.value.split()), validate=True).decode()
    except ValueError:
        raise NotJSONError("!!binary holds no text in base64", node) from None


def _resolvers() -> dict[str, list[tuple[str, re.Pattern[str]]]]:
    """What a plain scalar is, by its first character."""
    found: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for tag, pattern, first in (
        ("bool", f"(?:{'|'.join(_BOOLS)})\\Z", ["y", "Y", "n", "N", "t", "T", "f", "F", "o", "O"]),
        ("null", r"(?:~|null|Null|NULL|)\Z", ["~", "n", "N", ""]),
        ("merge", r"<<\Z", ["<"]),
        ("number", r"[-+.0-9]\S*\Z", list("-+.0123456789")),
    ):
        for char in first:
            found.setdefault(char, []).append((_TAG + tag, re.compile(pattern)))
    return found


Loader.yaml_implicit_resolvers = _resolvers()
_CONSTRUCTORS = {
    "number": _plain, "int": _number, "float": _number, "bool": _bool, "timestamp": _text, "merge": _text,
    "binary": _binary,
}  # fmt: skip
for _name, _make in _CONSTRUCTORS.items():
    Loader.add_constructor(_TAG + _name, _make)


class UnusualYAMLError(Exception):
    """YAML with anchors, tags or merged keys, which only the whole loader reads."""


def read_plain(text: bytes | str, most_depth: int) -> Any:
    """Read one document as `Loader` does, in a third of the time: for the many objects that a program wrote.

    Raises: UnusualYAMLError for what needs the loader: anchors, aliases, tags, merged keys, numbers that JSON cannot
    say, keys that are no texts, lists and maps that stand in each other more than `most_depth` deep, several documents;
    yaml.YAMLError.
    """
    loader = Loader(text)
    try:
        return _document(loader.get_event, most_depth)
    finally:
        loader.dispose()


def _document(next_event: Callable[[], Any], most_depth: int) -> Any:
    """Build the value of the only document of a stream, event by event."""
    next_event()  # the stream starts
    if next_event().__class__ is yaml.StreamEndEvent:
        return None
    value: Any = None
    around: list[tuple[Any, Any]] = []  # the collections around the present one, and their open keys
    target: Any = None  # the present list or map
    key: Any = None  # of a map whose value comes next
    while True:
        event = next_event()
        cls = event.__class__
        if cls is yaml.ScalarEvent:
            if event.anchor is not None or event.tag is not None:
                raise UnusualYAMLError
            value = plain_value(event.value) if event.implicit[0] else event.value
        elif cls is yaml.MappingStartEvent or cls is yaml.SequenceStartEvent:
            if event.anchor is not None or event.tag is not None or len(around) >= most_depth:
                raise UnusualYAMLError
            if target.__class__ is dict and key is None:
                raise UnusualYAMLError  # a collection as a key
            around.append((target, key))
            target, key = {} if cls is yaml.MappingStartEvent else [], None
            continue
        elif cls is yaml.MappingEndEvent or cls is yaml.SequenceEndEvent:
            value = target
            target, key = around.pop()
        else:
            break
        if target is None:
            break
        if target.__class__ is list:
            target.append(value)
        elif key is None:
            if value.__class__ is not str:
                raise UnusualYAMLError
            key = value
        else:
            target[key] = value
            key = None
    if event.__class__ not in (yaml.ScalarEvent, yaml.MappingEndEvent, yaml.SequenceEndEvent):
        raise UnusualYAMLError  # an alias
    next_event()  # the document ends
    if next_event().__class__ is not yaml.StreamEndEvent:
        raise UnusualYAMLError
    return value


def plain_value(text: str) -> Any:
    """Return the value of a plain scalar. Raises: UnusualYAMLError where it depends on what is around it."""
    return _short_value(text) if len(text) <= _REMEMBERED else _plain_value(text)


_REMEMBERED = 64
"""At most this many characters of a scalar whose value is remembered: the same few come again and again."""


def _plain_value(text: str) -> Any:
    for tag, pattern in Loader.yaml_implicit_resolvers.get(text[:1], ()):
        if pattern.match(text):
            kind = tag.removeprefix(_TAG)
            if kind == "merge" or text in _NOT_JSON:
                raise UnusualYAMLError
            if kind == "null":
                return None
            if kind == "bool":
                return _BOOLS[text]
            number = number_of(text)
            return text if number is None else number
    return text


_short_value = lru_cache(maxsize=10_000)(_plain_value)
