"""Field errors: the product of every validator, on the wire and in memory.

Source: apimachinery pkg/util/validation/field/errors.go (2026-07); semantics.md#6.
"""

from __future__ import annotations

import enum
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec


class ErrorType(enum.StrEnum):
    """Machine values of error types, as they appear as `reason` of a status cause."""

    NOT_FOUND = "FieldValueNotFound"
    REQUIRED = "FieldValueRequired"
    DUPLICATE = "FieldValueDuplicate"
    INVALID = "FieldValueInvalid"
    NOT_SUPPORTED = "FieldValueNotSupported"
    FORBIDDEN = "FieldValueForbidden"
    TOO_LONG = "FieldValueTooLong"
    TOO_MANY = "FieldValueTooMany"
    TOO_FEW = "FieldValueTooFew"
    TOO_SHORT = "FieldValueTooShort"
    INTERNAL = "InternalError"
    TYPE_INVALID = "FieldValueTypeInvalid"


_TEXTS: dict[str, str] = {
    ErrorType.NOT_FOUND: "Not found",
    ErrorType.REQUIRED: "Required value",
    ErrorType.DUPLICATE: "Duplicate value",
    ErrorType.INVALID: "Invalid value",
    ErrorType.NOT_SUPPORTED: "Unsupported value",
    ErrorType.FORBIDDEN: "Forbidden",
    ErrorType.TOO_LONG: "Too long",
    ErrorType.TOO_MANY: "Too many",
    ErrorType.TOO_FEW: "Too few",
    ErrorType.TOO_SHORT: "Too short",
    ErrorType.INTERNAL: "Internal error",
    ErrorType.TYPE_INVALID: "Invalid value",
}

Level: TypeAlias = Literal["", "alpha", "beta"]
"""Lifecycle level of a rule; the empty string is `standard`."""


def type_text(error_type: str) -> str:
    """Return the words an error type has in messages, such as `Required value`."""
    text = _TEXTS.get(error_type)
    return f"<unknown error {quote(error_type)}>" if text is None else text


class FieldError(msgspec.Struct, frozen=True, omit_defaults=True, gc=False, cache_hash=True):
    """One error of one validator.

    `type` is a machine value (`ErrorType`, or anything a foreign worker sends); `field` the rendered path; `value` the
    bad value as the error's text shows it, already rendered, empty when the text does not show it; `origin` names the
    rule; `covered` is the handwritten author's mark that a declarative rule exists; `short_circuit` says that a rule
    which stops its siblings reported it. `source` is where handwritten code made it, such as `handwritten.py:41 in
    validate_spec`, and `stack` the calls that made it, the innermost first, with `, called at ` between them; both if
    the case asked for that and the target knows it.
    """

    type: str
    field: str
    detail: str = ""
    origin: str = ""
    level: Level = ""
    covered: bool = False
    short_circuit: bool = False
    value: str = ""
    source: str = ""
    stack: str = ""

    @property
    def text(self) -> str:
        """The error as the API server's message shows it. Errors with the same text are shown once."""
        body = type_text(self.type)
        if self.value:
            body += f": {self.value}"
        if self.detail:
            body += f": {self.detail}"
        return f"{self.field}: {body}"


ErrorList: TypeAlias = Sequence[FieldError]

_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}


@lru_cache(256)  # both sides show the same bad value, and the same few values are tried again and again
def quote(text: str) -> str:
    """Quote a string as Go's strconv.Quote does (semantics.md#A: `%q`)."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    out = ['"']
    for char in text:
        if char in _ESCAPES:
            out.append(_ESCAPES[char])
        elif char == " " or (char.isprintable() and unicodedata.category(char) != "Zs"):
            out.append(char)
        elif ord(char) < 0x80:
            out.append(f"\\x{ord(char):02x}")
        elif ord(char) < 0x10000:
            out.append(f"\\u{ord(char):04x}")
        else:
            out.append(f"\\U{ord(char):08x}")
    out.append('"')
    return "".join(out)
