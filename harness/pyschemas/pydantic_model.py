"""Models of pydantic v2, asked as FastAPI asks them: with the decoded JSON, in the mode that the model is set to."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from harness.case import Json
from harness.field import FieldError
from harness.pyschemas.adapter import Adapter, CheckObject, Surroundings, UnusableError
from harness.pyschemas.pydantic_errors import errors_of_pydantic

WORDS = {
    "required": "a field without a default: `name: type`",
    "additionalProperties": 'model_config = ConfigDict(extra="forbid")',
    "type": "Field(strict=True)",
    "enum": "Literal[...] or an Enum as the type",
    "const": "Literal[...] as the type",
    "maxLength": "Field(max_length=<limit>)",
    "minLength": "Field(min_length=<limit>)",
    "maxItems": "Field(max_length=<limit>)",
    "minItems": "Field(min_length=<limit>)",
    "minimum": "Field(ge=<limit>)",
    "maximum": "Field(le=<limit>)",
    "exclusiveMinimum": "Field(gt=<limit>)",
    "exclusiveMaximum": "Field(lt=<limit>)",
    "multipleOf": "Field(multiple_of=<number>)",
    "pattern": 'Field(pattern=r"...")',
    "decimalMaxDigits": "Field(max_digits=<digits>)",
    "decimalPlaces": "Field(decimal_places=<digits>)",
    "null": "`name: type | None`",
    "default": "`name: type | None = None`",
    "check": "Field(...), or a @field_validator or @model_validator that raises ValueError",
}


def _is_model(validator: Any) -> bool:
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and isinstance(validator, type) and issubclass(validator, pydantic.BaseModel)


def _check(model: Any, _surroundings: Surroundings) -> CheckObject:
    return check_with(model.model_validate)


def check_with(validate: Callable[[Json], object]) -> CheckObject:
    """Return the check that a function of pydantic makes, which raises where it rejects."""
    import pydantic_core

    rejected = pydantic_core.ValidationError

    def check(obj: Json, _old: Json = None, /) -> list[FieldError]:
        try:
            validate(obj)
        except rejected as error:
            return errors_of_pydantic(error, obj)
        return []

    return check


def _schema(model: Any, _surroundings: Surroundings) -> Json:
    return schema_with(model.model_json_schema)


def schema_with(generate: Any) -> Json:
    """Return what pydantic generates; a part that JSON Schema cannot say is left open. Raises: UnusableError."""
    from pydantic import PydanticUserError
    from pydantic.json_schema import GenerateJsonSchema

    class OpenSchema(GenerateJsonSchema):
        def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> dict[str, Any]:
            return {}

    try:
        return generate(schema_generator=OpenSchema, mode="validation")
    except PydanticUserError as error:
        why = str(error).split("\n")[0]
        raise UnusableError("pydantic makes no JSON Schema of it", why, "Suite(schema={...}) says it instead") from None


PYDANTIC_MODEL = Adapter("model", _is_model, _check, _schema, WORDS)
