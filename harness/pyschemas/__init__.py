"""Validators of Python as black boxes: models, dataclasses, JSON Schemas and callables, each asked by its adapter.

One file for each sort of validator. To add one, write its file with an `Adapter`, and its line here.
"""

from pathlib import Path

from harness.pyschemas.adapter import Adapter, CheckObject, Shown, Surroundings, UnusableError
from harness.pyschemas.attrs_class import ATTRS_CLASS
from harness.pyschemas.crds.definition import is_definition
from harness.pyschemas.crds.resource import CRD, WEBHOOK
from harness.pyschemas.function import FUNCTION
from harness.pyschemas.json_schema import JSON_SCHEMA
from harness.pyschemas.msgspec_struct import MSGSPEC_STRUCT
from harness.pyschemas.pydantic_model import PYDANTIC_MODEL
from harness.pyschemas.rules import facts_of
from harness.pyschemas.type_adapter import TYPE_ADAPTER

__all__ = [
    "ADAPTERS",
    "FUNCTION",
    "Adapter",
    "CheckObject",
    "Shown",
    "Surroundings",
    "UnusableError",
    "adapter_of",
    "facts_of",
]

ADAPTERS: tuple[Adapter, ...] = (
    CRD, WEBHOOK, PYDANTIC_MODEL, MSGSPEC_STRUCT, ATTRS_CLASS, TYPE_ADAPTER, JSON_SCHEMA, FUNCTION
)  # fmt: skip
"""Of several that recognise a validator, the first one counts: classes are callables too."""


def adapter_of(validator: object, folder: Path = Path()) -> Adapter:
    """Return the adapter of a validator; `folder` is that of the files it names. Raises: UnusableError."""
    if is_definition(validator, folder):
        return CRD
    for adapter in ADAPTERS:
        if adapter.recognises(validator):
            return adapter
    known = (
        "a pydantic model, a TypeAdapter, a dataclass, an attrs class, a msgspec Struct, a JSON Schema, a CRD file, "
        "a Webhook or a callable"
    )
    raise UnusableError(
        f"{validator!r:.80} is no validator", f"one is {known}", "name the function or the model itself"
    )
