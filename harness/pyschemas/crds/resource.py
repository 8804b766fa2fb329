"""Custom resources as validators: a CRD file of the suite, and a webhook behind one, each without a server."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from harness.case import Json
from harness.field import FieldError
from harness.pyschemas.adapter import Adapter, CheckObject, Shown, Surroundings
from harness.pyschemas.crds.correlation import Correlated
from harness.pyschemas.crds.decoding import decode
from harness.pyschemas.crds.definition import RULES, CustomResource, read_resource
from harness.pyschemas.crds.dialect import literals_of
from harness.pyschemas.crds.openapi import validate
from harness.pyschemas.crds.rules import RuleWalk, is_blocking
from harness.pyschemas.crds.schema import Node
from harness.pyschemas.crds.uniqueness import check_embedded, check_lists, check_scale, unreadable
from harness.pyschemas.function import FUNCTION, takes_old
from harness.suite import Webhook

WORDS = {
    "required": "required: [<names>]", "type": "type: <type>", "enum": "enum: [<values>]",
    "maxLength": "maxLength: <limit>", "minLength": "minLength: <limit>", "maxItems": "maxItems: <limit>",
    "minItems": "minItems: <limit>", "maxProperties": "maxProperties: <limit>",
    "minProperties": "minProperties: <limit>", "uniqueItems": "x-kubernetes-list-type: set",
    "minimum": "minimum: <limit>", "maximum": "maximum: <limit>", "multipleOf": "multipleOf: <number>",
    "pattern": "pattern: <expression>", "format": "format: <format>", "null": "nullable: true",
    "default": "default: <value>", "check": "a rule of x-kubernetes-validations",
}  # fmt: skip
_NAME = "example"
_OTHERS = ("apiVersion", "kind", "metadata", "status")


class Judge:
    """One version of a custom resource, asked as an API server asks it. Raises: UnusableError."""

    def __init__(self, resource: CustomResource) -> None:
        self.resource = resource
        self.root = Node(resource.schema)
        self._rules = RuleWalk(self.root)

    def show(self, obj: Json) -> Json:
        """Return an object as validators behind the server see it: named, without unknown fields, with defaults."""
        made = self.decode(obj)
        if self.resource.has_status:  # of another endpoint
            made.pop("status", None)
        return made

    def decode(self, obj: Json) -> dict[str, Json]:
        """Return an object as a server has it after decoding, with its status."""
        obj = obj if isinstance(obj, dict) else {}
        meta = obj.get("metadata")
        meta = {"name": _NAME, **(meta if isinstance(meta, dict) else {})}
        of_type = {"apiVersion": self.resource.api_version, "kind": self.resource.kind, "metadata": meta}
        return decode({**of_type, **obj, **of_type}, self.root)

    def errors(self, obj: Json, old: Json = None, /) -> list[FieldError]:
        """Return what the server says of an object, on an update of another one if there is one."""
        new, before = self.show(obj), self.decode(old) if isinstance(old, dict) else None
        wrong = list(unreadable(new, self.root))
        if wrong:
            return wrong
        if before is not None and self.resource.has_status and "status" in before:
            new["status"] = before["status"]
        pair = Correlated(new, before, self.root) if before is not None else None
        errors = validate(new, self.root, pair)
        errors += check_scale(new, self.resource.scale)
        errors += check_embedded(new, self.root)
        if before is None or not any(check_lists(before, self.root)):
            errors += check_lists(new, self.root)
        if not is_blocking(errors):
            errors += self._rules.errors(new, before, pair)
        return errors


def _judge(file: object, surroundings: Surroundings) -> Judge:
    return Judge(read_resource(str(file), surroundings.version, surroundings.folder, surroundings.proposed))


def _check(file: object, surroundings: Surroundings) -> CheckObject:
    return _judge(file, surroundings).errors


def _show(file: object, surroundings: Surroundings) -> Shown:
    return _judge(file, surroundings).show


def _schema(file: object, surroundings: Surroundings) -> Json:
    resource = read_resource(str(file), surroundings.version, surroundings.folder, surroundings.proposed)
    made = _as_json_schema(resource.schema, [])
    properties = {name: one for name, one in made.get("properties", {}).items() if name not in _left_out(resource)}
    required = [name for name in made.get("required", ()) if name in properties]
    return {**made, "title": resource.kind, "properties": properties, "required": required}


def _left_out(resource: CustomResource) -> tuple[str, ...]:
    return _OTHERS if resource.has_status else _OTHERS[:3]


def _as_json_schema(schema: Mapping[str, Any], literals: list[str | int]) -> dict[str, Any]:
    """Return a structural schema as a JSON Schema, with the texts and numbers of rules around a value as examples."""
    literals = [*(one for rule in schema.get(RULES) or () for one in literals_of(str(rule.get("rule", "")))), *literals]
    made = {name: copy.deepcopy(value) for name, value in schema.items() if not name.startswith("x-")}
    for word in ("exclusiveMinimum", "exclusiveMaximum"):
        made.pop(word, None)
    if made.pop("nullable", False) and isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
    if schema.get("x-kubernetes-int-or-string"):
        made.setdefault("anyOf", [{"type": "integer"}, {"type": "string"}])
    for word in ("properties",):
        below = {name: _as_json_schema(one, literals) for name, one in (schema.get(word) or {}).items()}
        made |= {word: below} if below else {}
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            made[word] = _as_json_schema(schema[word], literals)
    if literals and schema.get("type") in ("string", "integer", "number"):
        made["examples"] = list(dict.fromkeys(literals))
    return made


CRD = Adapter("CRD", lambda validator: False, _check, _schema, WORDS, takes_old=lambda validator: None, show=_show)
"""Of files: what one holds tells whether it is a definition (`harness.pyschemas.adapter_of`)."""


def _check_behind(webhook: Any, surroundings: Surroundings) -> CheckObject:
    judge = _judge(webhook.crd, surroundings)
    ask = FUNCTION.check(webhook.validate, surroundings)

    def check(obj: Json, old: Json = None, /) -> list[FieldError]:
        errors = judge.errors(obj, old)
        return errors or list(ask(judge.show(obj), None if old is None else judge.show(old)))

    return check


WEBHOOK = Adapter(
    "webhook", lambda validator: isinstance(validator, Webhook), _check_behind,
    lambda webhook, surroundings: _schema(webhook.crd, surroundings), WORDS,
    takes_old=lambda webhook: takes_old(webhook.validate),
)  # fmt: skip
"""A function that is asked about what a CRD accepts."""
