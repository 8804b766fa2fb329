"""Callables of Python: handwritten validators, and any other function that takes an object.

One that takes two objects gets the new one, and the old one on an update, as a webhook does.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from harness.case import Json
from harness.field import FieldError
from harness.pyschemas.adapter import Adapter, CheckObject, Surroundings
from harness.pyschemas.reading import is_rejection, read_exception, read_result

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_OLD = ("old", "old_object", "old_obj", "old_self", "oldSelf", "before", "stored", "previous")
"""Names of a second parameter with a default that is the old object, and no option of the function."""


def _check(function: Callable[..., Any], surroundings: Surroundings) -> CheckObject:
    rejections, with_old = surroundings.rejections, takes_old(function)

    def check(obj: Json, old: Json = None, /) -> list[FieldError]:
        try:
            return read_result(function(obj, old) if with_old else function(obj), obj)
        except Exception as error:
            if isinstance(error, rejections) or is_rejection(error):
                return read_exception(error, obj)
            raise

    return check


def takes_old(function: Callable[..., Any]) -> bool:
    """Whether a callable takes the old object as its second argument."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some of C have no signature
        return False
    places = [one for one in parameters if one.kind in _POSITIONAL]
    return len(places) > 1 and (places[1].default is inspect.Parameter.empty or places[1].name in _OLD)


FUNCTION = Adapter("function", callable, _check, takes_old=takes_old)
