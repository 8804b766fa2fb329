"""Computes the values of constants: literals, references, conversions, iota and arithmetic, as the Go compiler does.

The value is None when it cannot be computed: for calls, names of unknown packages, and oversized numbers and texts.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from tree_sitter import Node

from harness.gotypes.gonodes import text_of

Value: TypeAlias = str | int | float | bool | None
Found: TypeAlias = tuple[Value, str]
"""A value and its type: qualified, the name of a builtin, or empty when untyped."""

LookUp: TypeAlias = Callable[[str], Found]
"""Maps a name as written (`X`, `pkg.X`) to the constant it refers to; (None, "") when there is none."""
TypeOf: TypeAlias = Callable[[str], tuple[str, str]]
"""Maps a name as written to its type and underlying builtin; ("", "") when it is not the name of a type."""

NOTHING: Found = (None, "")
_MAX_DEPTH = 60
_MAX_TEXT_LENGTH = 1 << 20
_MAX_INTEGER_BITS = 512  # bits of an integer, as in Go's compilers

_ESCAPE = re.compile(r"""\\(?:([abfnrtv\\'"])|([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))""")
_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
INTEGERS = frozenset(
    {"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr"}
)
FLOATS = frozenset({"float32", "float64"})


@dataclass(frozen=True, slots=True)
class Names:
    """Resolves the names in the expressions of one file."""

    constant: LookUp
    type: TypeOf


def evaluate(node: Node, iota: int, names: Names, depth: int = 0) -> Found:
    """Compute an expression."""
    if depth > _MAX_DEPTH:
        return NOTHING
    kind = node.type
    if kind in _LITERALS:
        return _LITERALS[kind](text_of(node)), ""
    if kind == "iota":
        return iota, ""
    if kind in ("identifier", "selector_expression"):
        return names.constant(text_of(node))
    if kind == "parenthesized_expression" and node.named_child_count == 1:
        return evaluate(node.named_children[0], iota, names, depth + 1)
    if kind == "unary_expression":
        return _unary(node, iota, names, depth)
    if kind == "binary_expression":
        return _binary(node, iota, names, depth)
    if kind in ("call_expression", "type_conversion_expression"):
        return _conversion(node, iota, names, depth)
    return NOTHING


def convert(found: Found, qualified: str, builtin: str) -> Found:
    """Convert a value to a constant of a type; without a value when Go does not compile the conversion."""
    value = found[0]
    if builtin == "string" and isinstance(value, int) and not isinstance(value, bool):
        return (chr(value) if 0 <= value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF else "\ufffd"), qualified
    if builtin in FLOATS and isinstance(value, int) and not isinstance(value, bool):
        return _finite(value), qualified
    if builtin in INTEGERS and isinstance(value, float):
        return (int(value) if value.is_integer() else None), qualified
    fits = {str: builtin == "string", bool: builtin == "bool", int: builtin in INTEGERS, float: builtin in FLOATS}
    return (value if not builtin or fits.get(type(value), False) else None), qualified


def _finite(value: int) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None


def _integer(text: str) -> int | None:
    text = text.replace("_", "").lower()
    try:
        value = int(text, 8) if re.fullmatch(r"0[0-7]+", text) else int(text, 0)
    except ValueError:  # more than 4300 digits, or not a number
        return None
    return value if value.bit_length() <= _MAX_INTEGER_BITS else None


def _float(text: str) -> float | None:
    text = text.replace("_", "")
    try:
        value = float.fromhex(text) if text[:2] in ("0x", "0X") else float(text)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def unquote(text: str) -> str | None:
    """Return the content of an interpreted string or rune literal. Bytes that are not UTF-8 are replaced."""
    data = bytearray()
    at = 0
    body = text[1:-1]
    for found in _ESCAPE.finditer(body):
        data += body[at : found.start()].encode("utf-8", "replace")
        data += _escaped(found)
        at = found.end()
    data += body[at:].encode("utf-8", "replace")
    return data.decode("utf-8", "replace")


def _escaped(found: re.Match[str]) -> bytes:
    simple, octal, byte, short, long = found.groups()
    if simple:
        return _SIMPLE.get(simple, simple).encode()
    if octal or byte:
        return bytes([int(octal, 8) & 0xFF if octal else int(byte, 16)])
    code = int(short or long, 16)
    return chr(code).encode("utf-8", "replace") if code <= 0x10FFFF else b"\xef\xbf\xbd"


def _rune(text: str) -> int | None:
    content = unquote(text) or ""
    return ord(content) if len(content) == 1 else None


_LITERALS: dict[str, Callable[[str], Value]] = {
    "int_literal": _integer,
    "float_literal": _float,
    "interpreted_string_literal": unquote,
    "raw_string_literal": lambda text: text[1:-1].replace("\r", ""),
    "rune_literal": _rune,
    "true": lambda _: True,
    "false": lambda _: False,
}


def _unary(node: Node, iota: int, names: Names, depth: int) -> Found:
    operator, operand = node.child_by_field_name("operator"), node.child_by_field_name("operand")
    if operator is None or operand is None:
        return NOTHING
    value, type_name = evaluate(operand, iota, names, depth + 1)
    sign = operator.type
    if sign == "!":
        return (not value if isinstance(value, bool) else None), type_name
    if isinstance(value, (bool, str)) or value is None:
        return None, type_name
    if sign == "^":
        return (~value if isinstance(value, int) else None), type_name
    return {"-": -value, "+": value}.get(sign), type_name


def _binary(node: Node, iota: int, names: Names, depth: int) -> Found:
    """Fold a chain of operators from the left, without recursion, because sums of texts may be long."""
    chain: list[tuple[str, Node]] = []
    left: Node | None = node
    while left is not None and left.type == "binary_expression":
        operator, right = left.child_by_field_name("operator"), left.child_by_field_name("right")
        if operator is None or right is None:
            return NOTHING
        chain.append((operator.type, right))
        left = left.child_by_field_name("left")
    if left is None:
        return NOTHING
    found = evaluate(left, iota, names, depth + 1)
    for sign, right in reversed(chain):
        found = _apply(sign, found, evaluate(right, iota, names, depth + 1))
    return found


def _apply(sign: str, left: Found, right: Found) -> Found:
    a, b = left[0], right[0]
    type_name = left[1] if sign in ("<<", ">>") else left[1] or right[1]
    if a is None or b is None:
        return None, type_name
    if sign in _COMPARISONS:
        return (_COMPARISONS[sign](a, b) if _comparable(a, b) else None), ""
    if isinstance(a, bool) or isinstance(b, bool):
        both = isinstance(a, bool) and isinstance(b, bool)
        return ({"&&": a and b, "||": a or b}.get(sign) if both else None), type_name
    if isinstance(a, str) or isinstance(b, str):
        short = isinstance(a, str) and isinstance(b, str) and len(a) + len(b) <= _MAX_TEXT_LENGTH
        return (str(a) + str(b) if short and sign == "+" else None), type_name
    return _calculate(sign, a, b), type_name


def _comparable(a: object, b: object) -> bool:
    numbers = isinstance(a, (int, float)) and isinstance(b, (int, float))
    return type(a) is type(b) or (numbers and not isinstance(a, bool) and not isinstance(b, bool))


# Called with comparable values only.
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _calculate(sign: str, a: int | float, b: int | float) -> int | float | None:
    if sign in ("/", "%") and not b:
        return None
    result: int | float | None = None
    if isinstance(a, int) and isinstance(b, int):
        result = _calculate_integers(sign, a, b)
    elif sign in ("+", "-", "*", "/"):
        try:
            result = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else 0.0}[sign]
        except OverflowError:
            return None
    if isinstance(result, int):
        return result if result.bit_length() <= _MAX_INTEGER_BITS else None
    return result if result is not None and math.isfinite(result) else None


def _calculate_integers(sign: str, a: int, b: int) -> int | None:
    if sign in ("<<", ">>"):
        if not 0 <= b <= _MAX_INTEGER_BITS:
            return None
        return a << b if sign == "<<" else a >> b
    if sign in ("/", "%"):  # Go truncates towards zero
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if sign == "/" else a - b * quotient
    return {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b, "&^": a & ~b}.get(sign)


def _conversion(node: Node, iota: int, names: Names, depth: int) -> Found:
    """Compute a conversion such as `X("a")`, or `len` of a text."""
    called = node.child_by_field_name("function") or node.child_by_field_name("type")
    arguments = node.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else [node.child_by_field_name("operand")]
    if called is None or len(given) != 1 or given[0] is None:
        return NOTHING
    found = evaluate(given[0], iota, names, depth + 1)
    name = text_of(called).strip("() ")
    if name == "len":
        return (len(found[0].encode()) if isinstance(found[0], str) else None), "int"
    qualified, builtin = names.type(name)
    return convert(found, qualified, builtin) if qualified else NOTHING
