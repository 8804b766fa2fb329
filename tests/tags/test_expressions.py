"""`+validationRule` without CEL: the schema that rules see, what is asked when, and what is said without the extra."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from harness.case import Operation
from harness.diagnostics import InputError
from harness.field import ErrorType, FieldError, Path
from harness.gotypes.model import TypeRef
from harness.pyschemas.crds import dialect
from harness.pyschemas.crds.dialect import CelError
from harness.pyschemas.crds.schema import Node
from harness.tags.proposed import expressions
from harness.tags.proposed.expressions import VALIDATION_RULE, schema_of, validation_rule
from harness.tags.rules import Check
from harness.tags.translation import STRIP_ZERO, Operand
from harness.tags.types import Types
from tests.compiler.fixtures import compiled, universe_of

GO = """import "k8s.io/apimachinery/pkg/api/resource"

type Spec struct {
	Meta `json:",inline"`
	Paused bool `json:"paused,omitempty"`
	Size *int32 `json:"size,omitempty"`
	Ports []int32 `json:"ports,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Limit resource.Quantity `json:"limit"`
	Inner *Spec `json:"inner,omitempty"`
	hidden int32
}

type Meta struct {
	Name string `json:"name"`
}
"""
SCHEMA = schema_of(Types(universe_of(GO)), TypeRef("named", "example.Spec"))


def test_the_schema_of_a_type() -> None:
    """Members of embedded structs are its own, what is no pointer is stripped where it is zero, and quantities are."""
    members = SCHEMA["properties"]
    assert ["name", "paused", "size", "ports", "labels", "limit", "inner"] == list(members)
    assert {"type": "boolean", STRIP_ZERO: True} == members["paused"]
    assert {"type": "integer"} == members["size"]
    assert {"type": "array", "items": {"type": "integer"}, STRIP_ZERO: True} == members["ports"]
    assert {"type": "object", "additionalProperties": {"type": "string"}, STRIP_ZERO: True} == members["labels"]
    assert members["limit"]["x-kubernetes-int-or-string"]


def test_a_type_within_itself_ends() -> None:
    """A structural schema has no references: what is deeper is not looked into."""
    depth, schema = 0, SCHEMA
    while "properties" in schema:
        depth, schema = depth + 1, schema["properties"]["inner"]
    assert (3, {"type": "object", "x-kubernetes-preserve-unknown-fields": True}) == (depth, schema)


class Rule:
    """An expression that answers, or raises, what it is told to."""

    def __init__(self, answer: Any, uses_old: bool = False) -> None:
        self.answer, self.uses_old, self.asked = answer, uses_old, list[Any]()

    def ask(self, value: Any, old: Any, has_old: bool) -> Any:
        self.asked.append((value, old, has_old))
        if isinstance(self.answer, CelError):
            raise self.answer
        return self.answer


def asked(monkeypatch: pytest.MonkeyPatch, rule: Rule, new: Any, old: Any = None, **more: str) -> list[FieldError]:
    """What the check says of a value at `spec`."""
    monkeypatch.setattr(expressions, "_compiled", lambda text, schema: (Node(json.loads(schema)), rule))
    said = {"message": "", "words": "", "type": ErrorType.INVALID.value, "at": "", **more}
    operation = Operation.CREATE if old is None else Operation.UPDATE
    return validation_rule(
        operation, Path().child("spec"), new, old, "rule", said["message"], said["words"], said["type"], said["at"],
        json.dumps(SCHEMA),
    )  # fmt: skip


def test_what_a_rule_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The value without zeros; nothing of an absent one, and a rule about the old value of updates alone."""
    rule = Rule(True)
    assert [] == asked(monkeypatch, rule, {"name": "", "paused": False, "size": 0, "ports": [], "odd": 1})
    assert [] == asked(monkeypatch, rule, None)
    assert [({"size": 0}, None, False)] == rule.asked
    changes = Rule(False, uses_old=True)
    assert [] == asked(monkeypatch, changes, {"size": 1})
    assert 1 == len(asked(monkeypatch, changes, {"size": 1}, {"size": 2}))
    assert [({"size": 1}, {"size": 2}, True)] == changes.asked


def test_what_a_rule_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own message, else the rule; a reason and a member as the tag has them; and what it raised."""
    [plain] = asked(monkeypatch, Rule(False), {"size": 1})
    assert ("spec", ErrorType.INVALID, "failed rule: rule", "validationRule") == (
        plain.field, plain.type, plain.detail, plain.origin,
    )  # fmt: skip
    [named] = asked(monkeypatch, Rule(False), {"size": 1}, message="no", type=ErrorType.FORBIDDEN.value, at="size")
    assert "spec.size: Forbidden: no" == named.text
    [raised] = asked(monkeypatch, Rule(CelError("no such key: a")), {"size": 1}, message="no", at="size")
    assert ("spec.size", "no such key: a evaluating rule: rule") == (raised.field, raised.detail)
    [unlike] = asked(monkeypatch, Rule(True), "x")
    assert "invalid data, expected object evaluating rule: rule" == unlike.detail


def test_how_a_schema_says_it() -> None:
    """With the reason, the message and the member of the tag; below a member the value is bound to `self`."""
    form = VALIDATION_RULE.schema[validation_rule]
    args = ("self.a < oldSelf.a", "grow", "", ErrorType.FORBIDDEN.value, "a", "{}")
    [own] = form.rules(Check(validation_rule, args), Operand())
    assert ("self.a < oldSelf.a", "grow", "FieldValueForbidden", True, ".a") == (
        own.expression, own.message, own.reason, own.transition, own.path,
    )  # fmt: skip
    [below] = form.rules(Check(validation_rule, args), Operand().child("b"))
    assert "cel.bind(self, self.b, self.a < oldSelf.a)" == below.expression


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tag does not compile, and its diagnostic says what to install."""
    monkeypatch.setitem(sys.modules, "cel_expr_python", None)
    for cached in (dialect._environment, expressions._compiled):
        cached.cache_clear()
    go = 'type T struct {\n\t// +validationRule="self > 0"\n\tF int32 `json:"f"`\n}'
    with pytest.raises(InputError, match="CEL rules need cel-expr-python") as told:
        compiled(go, release="proposed")
    assert "equivalence-harness[cel]" in told.value.diagnostics[0].fix
