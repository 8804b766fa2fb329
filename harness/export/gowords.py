"""Go expressions for the expected errors of a test: field paths, errors and their marks."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby

from harness.export.expected import ExpectedError
from harness.field import ErrorType
from harness.field.error import quote
from harness.jsonpath import is_regular, parse

_NUMBER = re.compile(r"-?\d+")


def write_path(text: str) -> str:
    """Write a field path as a Go expression."""
    if not text or text == "<nil>":
        return "nil"
    parts = parse(text)
    if not is_regular(text):  # not a path that field.Path can build
        return f"field.NewPath({quote(text)})"
    groups = [(kind, [part.text for part in group]) for kind, group in groupby(parts, lambda part: part.is_subscript)]
    begin = groups.pop(0)[1] if not groups[0][0] else [""]
    expression = f"field.NewPath({', '.join(map(quote, begin))})"
    for is_subscript, texts in groups:
        if is_subscript:
            expression += "".join(f".Index({key})" if key.isdecimal() else f".Key({quote(key)})" for key in texts)
        else:
            expression += f".Child({', '.join(map(quote, texts))})"
    return expression


def write_error(mark: ExpectedError, normalize: Callable[[str], str]) -> str:
    """Write an expected error as a Go expression."""
    error = mark.error
    constructor = _CALLS.get(error.type, _CALLS[ErrorType.INVALID])
    expression = constructor(write_path(normalize(error.field)), _limit(error.detail))
    if error.origin:
        expression += f".WithOrigin({quote(error.origin)})"
    if mark.skipped:
        expression += ".MarkShortCircuitedInDV()"
    elif mark.handwritten:
        expression += ".MarkFromImperative()"
    return expression + {"alpha": ".MarkAlpha()", "beta": ".MarkBeta()"}.get(error.level, "")


def _limit(detail: str) -> str:
    """Return the number in a message, for a parameter that upstream's test helper ignores."""
    found = _NUMBER.search(detail)
    return found[0] if found else "0"


_CALLS: dict[str, Callable[[str, str], str]] = {
    ErrorType.INVALID: lambda path, limit: f'field.Invalid({path}, nil, "")',
    ErrorType.REQUIRED: lambda path, limit: f'field.Required({path}, "")',
    ErrorType.DUPLICATE: lambda path, limit: f"field.Duplicate({path}, nil)",
    ErrorType.NOT_SUPPORTED: lambda path, limit: f"field.NotSupported[string]({path}, nil, nil)",
    ErrorType.FORBIDDEN: lambda path, limit: f'field.Forbidden({path}, "")',
    ErrorType.TOO_LONG: lambda path, limit: f'field.TooLong({path}, "", {limit})',
    ErrorType.TOO_MANY: lambda path, limit: f"field.TooMany({path}, 0, {limit})",
    ErrorType.TOO_FEW: lambda path, limit: f"field.TooFew({path}, 0, {limit})",
    ErrorType.TOO_SHORT: lambda path, limit: f'field.TooShort({path}, "", {limit})',
    ErrorType.TYPE_INVALID: lambda path, limit: f'field.TypeInvalid({path}, nil, "")',
    ErrorType.NOT_FOUND: lambda path, limit: f"field.NotFound({path}, nil)",
    ErrorType.INTERNAL: lambda path, limit: f'field.InternalError({path}, errors.New(""))',
}
