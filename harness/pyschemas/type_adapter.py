"""Dataclasses and TypedDicts, asked through pydantic's TypeAdapter, and TypeAdapters that an author has made."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

from harness.case import Json
from harness.pyschemas.adapter import Adapter, CheckObject, Surroundings, UnusableError
from harness.pyschemas.pydantic_model import WORDS, check_with, schema_with


def _is_adaptable(validator: Any) -> bool:
    if isinstance(validator, type):
        # Both typing and typing_extensions have TypedDicts, and pydantic wants the latter before Python 3.12.
        return dataclasses.is_dataclass(validator) or hasattr(validator, "__required_keys__")
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and isinstance(validator, pydantic.TypeAdapter)


def _adapter_of(validator: Any) -> Any:
    try:
        from pydantic import PydanticUserError, TypeAdapter
    except ImportError:
        why = "the TypeAdapter of pydantic validates dataclasses and TypedDicts"
        fix = "pip install 'equivalence-harness[pydantic]'"
        raise UnusableError(f"{validator.__name__} needs pydantic", why, fix) from None
    if isinstance(validator, TypeAdapter):
        return validator
    try:
        return TypeAdapter(validator)
    except PydanticUserError as error:
        fix = "use types that pydantic knows, or set arbitrary_types_allowed in its config"
        raise UnusableError(f"pydantic takes no {validator.__name__}", str(error).split("\n")[0], fix) from None


def _check(validator: Any, _surroundings: Surroundings) -> CheckObject:
    return check_with(_adapter_of(validator).validate_python)


def _schema(validator: Any, _surroundings: Surroundings) -> Json:
    return schema_with(_adapter_of(validator).json_schema)


TYPE_ADAPTER = Adapter("dataclass", _is_adaptable, _check, _schema, WORDS)
