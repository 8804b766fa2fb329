"""Reads what a callable returns or raises: a bool, messages, locations with messages, errors of the known libraries.

Nothing is imported for it: an exception is known by the module of its class, which its library has imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from harness.case import Json
from harness.field import FieldError
from harness.pyschemas.attrs_class import errors_of_cattrs, is_of_cattrs
from harness.pyschemas.json_schema import errors_of_jsonschema, errors_of_schema, is_of_jsonschema, is_of_jsonschema_rs
from harness.pyschemas.locations import locate, parts_of
from harness.pyschemas.msgspec_struct import errors_of_msgspec, is_of_msgspec
from harness.pyschemas.pydantic_errors import errors_of_pydantic, is_of_pydantic, pydantic_error
from harness.pyschemas.rules import error_of

_LOCATIONS = (tuple, list, str, int)
MOST = 10_000
"""At most this many errors of one object are read."""
REJECTED = "the object is rejected, and no reason is given"
_OUTCOMES = (
    "a validator returns True or False, None, a list of messages or of (location, message) pairs, or it raises an error"
)
_LIBRARIES: tuple[tuple[Callable[[BaseException], bool], Callable[[Any, Json], list[FieldError]]], ...] = (
    (is_of_pydantic, errors_of_pydantic),
    (is_of_jsonschema, errors_of_jsonschema),
    (is_of_jsonschema_rs, lambda error, obj: errors_of_schema([error], obj)),
    (is_of_msgspec, errors_of_msgspec),
    (is_of_cattrs, errors_of_cattrs),
)


def read_result(result: Any, obj: Json) -> list[FieldError]:
    """Read what a callable returned. An object that is no error, such as a model that it made, means accepted.

    Raises: TypeError for what says neither.
    """
    if result is None or result is True:
        return []
    if result is False:
        return [error_of("", "", REJECTED)]
    if isinstance(result, str):
        return [error_of("", "", result)] if result else []
    if isinstance(result, BaseException):
        return read_exception(result, obj)
    if isinstance(result, list | tuple | set | frozenset | Iterator):
        items = [result] if _is_pair(result) else result
        return [error for item in islice(items, MOST) for error in _read_item(item, obj)]
    if isinstance(result, Mapping | int | float | bytes):
        raise TypeError(f"the validator returned {result!r:.80}; {_OUTCOMES}")
    return []


def _read_item(item: Any, obj: Json) -> list[FieldError]:
    if _is_pair(item):
        field, value = locate(parts_of(item[0]), obj)
        return [error_of("", field, item[1], value)]
    if isinstance(item, FieldError):
        return [item]
    if isinstance(item, str):
        return [error_of("", "", item)]
    if isinstance(item, BaseException):
        return read_exception(item, obj)
    if isinstance(item, Mapping) and "msg" in item:  # an entry of `ValidationError.errors()`
        return [pydantic_error(item, obj)]
    raise TypeError(f"the validator returned a list with {item!r:.80}; {_OUTCOMES}")


def _is_pair(item: Any) -> bool:
    """Whether this is a location with its message."""
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], str) and isinstance(item[0], _LOCATIONS)


def read_exception(error: BaseException, obj: Json) -> list[FieldError]:
    """Read an exception: each error of one of a known library, one error with its text of any other."""
    for is_of, read in _LIBRARIES:
        if is_of(error):
            return read(error, obj)
    return [error_of("", "", str(error) or type(error).__name__)]


def is_rejection(error: BaseException) -> bool:
    """Whether an exception is one of a known library, which rejects an object whatever its base class."""
    return any(is_of(error) for is_of, _ in _LIBRARIES)
