"""Classes of attrs, structured by cattrs, with its converter for JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

from harness.case import Json
from harness.field import FieldError
from harness.pyschemas.adapter import Adapter, CheckObject, Surroundings, UnusableError
from harness.pyschemas.locations import locate
from harness.pyschemas.msgspec_struct import schema_by_msgspec
from harness.pyschemas.rules import error_of

WORDS = {
    "required": "an attribute without a default: `name: type`",
    "additionalProperties": "forbid_extra_keys=True in the converter",
    "enum": "validator=attrs.validators.in_([...])",
    "maxLength": "validator=attrs.validators.max_len(<limit>)",
    "minLength": "validator=attrs.validators.min_len(<limit>)",
    "maxItems": "validator=attrs.validators.max_len(<limit>)",
    "minItems": "validator=attrs.validators.min_len(<limit>)",
    "minimum": "validator=attrs.validators.ge(<limit>)",
    "maximum": "validator=attrs.validators.le(<limit>)",
    "exclusiveMinimum": "validator=attrs.validators.gt(<limit>)",
    "exclusiveMaximum": "validator=attrs.validators.lt(<limit>)",
    "pattern": 'validator=attrs.validators.matches_re(r"...")',
    "type": "validator=attrs.validators.instance_of(<type>)",
    "null": "`name: type | None`",
    "default": "`name: type | None = None`",
    "check": "an @<name>.validator that raises ValueError",
}
_REJECTIONS = (ValueError, TypeError, AssertionError)
_ATTRIBUTE = re.compile(r"'(\w+)' must ")
_PHRASES = (
    (re.compile(r"must match regex"), "pattern"),
    (re.compile(r"^Length of .* must be <="), "maxLength"),
    (re.compile(r"^Length of .* must be >="), "minLength"),
    (re.compile(r"must be in "), "enum"),
    (re.compile(r"must be >="), "minimum"),
    (re.compile(r"must be <="), "maximum"),
    (re.compile(r"must be >"), "exclusiveMinimum"),
    (re.compile(r"must be < ?\d"), "exclusiveMaximum"),
    (re.compile(r"must be <class|invalid literal|could not convert"), "type"),
)
"""The messages of attrs and of Python's own conversions, and their rules."""


def _is_attrs(validator: Any) -> bool:
    return isinstance(validator, type) and "attr" in sys.modules and hasattr(validator, "__attrs_attrs__")


def _check(validator: Any, _surroundings: Surroundings) -> CheckObject:
    try:
        from cattrs.preconf.json import make_converter
    except ImportError:
        why = "cattrs makes objects of an attrs class from JSON"
        fix = "pip install 'equivalence-harness[attrs]'"
        raise UnusableError(f"{validator.__name__} needs cattrs", why, fix) from None
    structure = make_converter(detailed_validation=True).structure

    def check(obj: Json, _old: Json = None, /) -> list[FieldError]:
        try:
            structure(obj, validator)
        except BaseExceptionGroup as error:
            return errors_of_cattrs(error, obj)
        except _REJECTIONS as error:
            return [error_of(_rule_of(error), "", _message_of(error))]
        return []

    return check


def _schema(validator: Any, _surroundings: Surroundings) -> Json:
    return schema_by_msgspec(validator)


def is_of_cattrs(error: BaseException) -> bool:
    """Whether an exception is a group of errors of cattrs."""
    return isinstance(error, BaseExceptionGroup) and any(
        base.__module__.startswith("cattrs") for base in type(error).__mro__
    )


def errors_of_cattrs(error: BaseException, obj: Json) -> list[FieldError]:
    """Read the errors inside a group of cattrs. Raises: what is no rejection, but a crash of a validator."""
    found = []
    for leaf, location in _leaves(error, ()):
        names = _named_by(leaf)
        rule = _rule_of(leaf)
        field, value = locate([*location, *names], obj)
        found.append(error_of(rule, field, _message_of(leaf), value))
    return found


def _leaves(error: BaseException, location: tuple[str | int, ...]) -> Iterator[tuple[BaseException, list[str | int]]]:
    for note in getattr(error, "__notes__", ()):
        for step in (getattr(note, "name", None), getattr(note, "index", None)):
            if isinstance(step, str | int):  # a note is a text, whose `index` is a method
                location = (*location, step)
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner, location)
    elif isinstance(error, _REJECTIONS) or _is_missing(error) or type(error).__module__.startswith("cattrs"):
        yield error, list(location)
    else:
        raise error


def _is_missing(error: BaseException) -> bool:
    """Whether the code that cattrs generates found no member: a KeyError of a validator is a crash."""
    if not isinstance(error, KeyError):
        return False
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is None or "<cattrs" in trace.tb_frame.f_code.co_filename


def _named_by(error: BaseException) -> list[str]:
    """Return the field that an error names, where its location does not: a validator of attrs names its attribute."""
    extra = getattr(error, "extra_fields", None)
    if extra:
        return [min(extra)]
    found = _ATTRIBUTE.search(_message_of(error))
    return [found[1]] if found and not getattr(error, "__notes__", ()) else []


def _rule_of(error: BaseException) -> str:
    if isinstance(error, KeyError):
        return "required"
    if getattr(error, "extra_fields", None):
        return "additionalProperties"
    text = _message_of(error)
    found = next((rule for pattern, rule in _PHRASES if pattern.search(text)), "")
    return found or ("type" if isinstance(error, TypeError) else "")


def _message_of(error: BaseException) -> str:
    """Return what an error says; those of attrs have their attribute and value as further arguments."""
    if isinstance(error, KeyError):
        return "required field missing"
    return str(error.args[0] if error.args else error) or type(error).__name__


ATTRS_CLASS = Adapter("attrs class", _is_attrs, _check, _schema, WORDS)
