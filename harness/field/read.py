"""Read field errors out of the text in which a client gets them: the reverse of `FieldError.text`.

A text says less than the error does, so what cannot be told apart is left together: nothing is lost.
"""

from __future__ import annotations

import re

from harness.field.error import ErrorType, FieldError, type_text

_WORDS = {type_text(one): one for one in reversed(ErrorType)}
"""Error types by their words. `Invalid value` is of two types; what is not said is the common one."""
_BEGIN = re.compile(rf"(?P<field>[\w.\-\[\]*/:]+): (?P<words>{'|'.join(map(re.escape, _WORDS))})(?=: |$|, | \])")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_SAYS_NO_VALUE = frozenset({ErrorType.REQUIRED, ErrorType.FORBIDDEN, ErrorType.INTERNAL, ErrorType.TOO_LONG})


def read_errors(text: str) -> list[FieldError]:
    """Read the errors of a message: one, or those of an aggregate, `[a, b]`. A text without any gives no errors."""
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    found = list(_BEGIN.finditer(text))
    ends = [*(one.start() for one in found[1:]), len(text)][: len(found)]
    errors = []
    for match, end in zip(found, ends, strict=True):
        body = text[match.end() : end].removesuffix(", ").removeprefix(": ")
        error_type = _WORDS[match["words"]]
        errors.append(_error(error_type, match["field"], body))
    return errors


def read_body(error_type: str, field: str, message: str) -> FieldError:
    """Read an error from the cause of a status: its reason, its field, and the rest of its text."""
    words = type_text(error_type)
    return _error(error_type, field, message.removeprefix(words).removeprefix(": "))


def _error(error_type: str, field: str, body: str) -> FieldError:
    """Take the shown value from the front of the body."""
    if error_type in _SAYS_NO_VALUE or not body:
        return FieldError(error_type, field, body)
    quoted = _QUOTED.match(body)
    value, colon, detail = (quoted[0], *_split(body[quoted.end() :])) if quoted is not None else body.partition(": ")
    if error_type == ErrorType.DUPLICATE or colon or not detail:
        return FieldError(error_type, field, detail, value=value)
    return FieldError(error_type, field, body)


def _split(rest: str) -> tuple[str, str]:
    return (": ", rest.removeprefix(": ")) if rest.startswith(": ") else ("", rest)
