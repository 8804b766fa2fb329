"""Python twins of the handwritten functions of the test packages: each says its own name at the path it is called with.

The Go functions are markers, so that tests see where the traversal calls them.
"""

from __future__ import annotations

from typing import Any

from harness.case import Operation
from harness.field import ErrorType, FieldError, Path
from harness.tags.rules import CheckFunction

_NAMES = (
    "ValidateCustom_Struct",
    "ValidateCustom_Struct_StringField",
    "ValidateCustom_Struct_MaxLengthField",
    "ValidateCustom_StringType",
    "ValidateCustom_OtherStruct_StringField",
    "ValidateCustom_OptionStruct_StringField",
)


def _marker(name: str) -> CheckFunction:
    def check(op: Operation, path: Path, new: Any, old: Any) -> list[FieldError]:
        return [FieldError(ErrorType.INVALID, str(path), name, value="null")]

    return check


CUSTOM = {name: _marker(name) for name in _NAMES}
