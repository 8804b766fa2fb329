"""The Go expressions of what a test expects: field paths, errors and their marks."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby

from harness.export.expected import ExpectedError
from harness.field import ErrorType
from harness.field.error import quote
from harness.jsonpath import is_regular, parse

_NUMBER = re.compile(r"-?\d+")


def path_of(text: str) -> str:
    """Return the expression of a field path."""
    if not text or text == "<nil>":
        return "nil"
    parts = parse(text)
    if not is_regular(text):  # a path that no validator should write
        return f"field.NewPath({quote(text)})"
    groups = [(kind, [part.text for part in group]) for kind, group in groupby(parts, lambda part: part.is_subscript)]
    begin = groups.pop(0)[1] if not groups[0][0] else [""]
    made = f"field.NewPath({', '.join(map(quote, begin))})"
    for is_subscript, texts in groups:
        if is_subscript:
            made += "".join(f".Index({key})" if key.isdecimal() else f".Key({quote(key)})" for key in texts)
        else:
            made += f".Child({', '.join(map(quote, texts))})"
    return made


def error_of(mark: ExpectedError, normalize: Callable[[str], str]) -> str:
    """Return the expression of an expected error."""
    error = mark.error
    made = _CALLS.get(error.type, _CALLS[ErrorType.INVALID])(path_of(normalize(error.field)), _limit(error.detail))
    if error.origin:
        made += f".WithOrigin({quote(error.origin)})"
    if mark.skipped:
        made += ".MarkShortCircuitedInDV()"
    elif mark.handwritten:
        made += ".MarkFromImperative()"
    return made + {"alpha": ".MarkAlpha()", "beta": ".MarkBeta()"}.get(error.level, "")


def _limit(detail: str) -> str:
    """Return the number that a message names; the helper does not look at it."""
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
