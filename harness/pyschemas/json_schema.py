"""JSON Schemas, as a dict or a file of the suite, asked with jsonschema-rs. Formats are checked.

What a schema refers to elsewhere is never fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import yaml

from harness.case import Json
from harness.diagnostics import InputError
from harness.field import FieldError
from harness.limits import check_yaml, read_bounded
from harness.pyschemas.adapter import Adapter, CheckObject, Surroundings, UnusableError
from harness.pyschemas.locations import locate
from harness.pyschemas.rules import error_of

WORDS = {
    "required": '"required": [<names>]',
    "additionalProperties": '"additionalProperties": false',
    "type": '"type": "<type>"',
    "enum": '"enum": [<values>]',
    "const": '"const": <value>',
    "maxLength": '"maxLength": <limit>',
    "minLength": '"minLength": <limit>',
    "maxItems": '"maxItems": <limit>',
    "minItems": '"minItems": <limit>',
    "maxProperties": '"maxProperties": <limit>',
    "minProperties": '"minProperties": <limit>',
    "uniqueItems": '"uniqueItems": true',
    "minimum": '"minimum": <limit>',
    "maximum": '"maximum": <limit>',
    "exclusiveMinimum": '"exclusiveMinimum": <limit>',
    "exclusiveMaximum": '"exclusiveMaximum": <limit>',
    "multipleOf": '"multipleOf": <number>',
    "pattern": '"pattern": "<expression>"',
    "format": '"format": "<format>"',
    "null": '"type": ["<type>", "null"]',
    "default": 'the name left out of "required"',
    "check": 'a keyword, or "if" and "then", or "not"',
}
_BASE = "json-schema:///"
"""What jsonschema-rs puts before the address of a document beside the schema."""
_MOST_BRANCHES = 4
"""Unions inside of unions are read so deep."""
_FILES = (".json", ".yaml", ".yml")


def _is_schema(validator: Any) -> bool:
    return isinstance(validator, dict) or (isinstance(validator, str | Path) and str(validator).endswith(_FILES))


def _check(validator: Any, surroundings: Surroundings) -> CheckObject:
    name, schema = _load(validator, surroundings.folder)
    iterate = _compile(name, schema).iter_errors

    def check(obj: Json, _old: Json = None, /) -> list[FieldError]:
        return errors_of_schema(iterate(obj), obj)

    return check


def _schema(validator: Any, surroundings: Surroundings) -> Json:
    return _load(validator, surroundings.folder)[1]


def _load(validator: Any, folder: Path) -> tuple[str, Any]:
    """Return the name of a schema in messages, and the schema. Raises: UnusableError."""
    if isinstance(validator, dict):
        return "the schema", validator
    file = folder / validator
    name = str(validator)
    try:
        text = read_bounded(file)
        if file.suffix == ".json":
            loaded = msgspec.json.decode(text)
        else:
            check_yaml(text, name)
            loaded = yaml.safe_load(text)
    except OSError as error:
        fix = "name a file by its path in the folder of the suite"
        raise UnusableError(f"{name} cannot be read: {error.strerror}", "", fix) from None
    except (ValueError, msgspec.MsgspecError, yaml.YAMLError, InputError) as error:
        raise UnusableError(f"{name} holds no JSON: {str(error).splitlines()[0]}") from None
    if not isinstance(loaded, dict):
        raise UnusableError(f"{name} is no JSON Schema: it holds {type(loaded).__name__}", "a schema is an object")
    return name, loaded


def _compile(name: str, schema: Any) -> Any:
    asked: list[str] = []

    def refuse(address: str) -> Any:
        asked.append(address)
        raise ValueError("references to other documents are not fetched")

    try:
        return jsonschema_rs.validator_for(schema, validate_formats=True, retriever=refuse)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        if asked:
            why = "nothing is fetched while a suite is opened, from the network or from a file"
            fix = 'put what it refers to under "$defs", and refer to "#/$defs/NAME"'
            raise UnusableError(f"{name} refers to {asked[0].removeprefix(_BASE)}", why, fix) from None
        where = "/".join(map(str, getattr(error, "instance_path", ())))
        message = str(getattr(error, "message", error)).splitlines()[0]
        raise UnusableError(f"{name} is no JSON Schema: {message}" + (f" (at {where})" if where else "")) from None


def errors_of_schema(errors: Iterable[Any], obj: Json, depth: int = 0) -> list[FieldError]:
    """Read errors of jsonschema-rs. Of a union, the errors of the one branch that has the right type are read."""
    return [read for error in errors for read in _read(error, obj, depth)]


def _read(error: Any, obj: Json, depth: int) -> Iterator[FieldError]:
    kind, location = error.kind, list(error.instance_path)
    rule = str(kind.name)
    if rule == "required":
        yield _error(rule, [*location, kind.property], str(error.message), obj)
    elif rule in ("additionalProperties", "unevaluatedProperties"):
        for name in kind.unexpected:
            yield _error("additionalProperties", [*location, name], f"{name!r} was unexpected", obj)
    elif rule in ("anyOf", "oneOf") and hasattr(kind, "context") and depth < _MOST_BRANCHES:
        branch = _likely_branch(kind.context, location)
        if branch:
            yield from errors_of_schema(branch, obj, depth + 1)
        else:
            yield _error(rule, location, str(error.message), obj)
    else:
        yield _error(rule, location, str(error.message), obj)


def _likely_branch(context: Any, location: list[Any]) -> Any:
    """Return the errors of the branch of a union that takes the type of the value; None unless there is only one."""
    fitting = [
        branch
        for branch in context
        if not any(list(one.instance_path) == location and one.kind.name in ("type", "const", "enum") for one in branch)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _error(rule: str, location: list[Any], message: str, obj: Json) -> FieldError:
    field, value = locate(location, obj)
    return error_of(rule, field, message, value)


def is_of_jsonschema_rs(error: BaseException) -> bool:
    """Whether an exception is a ValidationError of jsonschema-rs."""
    return isinstance(error, jsonschema_rs.ValidationError)


def is_of_jsonschema(error: BaseException) -> bool:
    """Whether an exception is a ValidationError of the library jsonschema."""
    return any(
        base.__name__ == "ValidationError" and base.__module__ == "jsonschema.exceptions"
        for base in type(error).__mro__
    )


def errors_of_jsonschema(error: Any, obj: Json) -> list[FieldError]:
    """Read a ValidationError of the library jsonschema."""
    rule, location, message = str(error.validator), list(error.absolute_path), str(error.message)
    if rule == "required":
        location += [name for name in error.validator_value if message.startswith(f"{name!r} ")][:1]
    return [_error(rule, location, message, obj)]


JSON_SCHEMA = Adapter("schema", _is_schema, _check, _schema, WORDS)
