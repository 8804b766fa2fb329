"""How a check is written in OpenAPI and CEL: the forms that tags declare and `harness.openapi` puts into schemas.

A schema judges objects without zero values: a member that Go cannot tell from an absent one is absent.
Source: k8s.io/apiextensions-apiserver v0.37.1, pkg/apis/apiextensions/v1/types_jsonschema.go (2026-11).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from harness.field import ErrorType
from harness.tags.rules import Check, Selector

Reason: TypeAlias = Literal["FieldValueInvalid", "FieldValueRequired", "FieldValueForbidden", "FieldValueDuplicate"]
"""The types of error that a CEL rule may report."""
REASONS: Mapping[str, Reason] = {
    ErrorType.REQUIRED: "FieldValueRequired", ErrorType.FORBIDDEN: "FieldValueForbidden",
    ErrorType.DUPLICATE: "FieldValueDuplicate",
}  # fmt: skip
"""The reasons of errors of a type; an error of any other type is `FieldValueInvalid`."""

STRIP_ZERO = "x-kubernetes-strip-zero"
"""Marks a member whose zero value is taken for absent. KEP-4153 proposes it; no server knows it."""
ERRORS = "x-kubernetes-errors"
"""The messages of errors by the word of OpenAPI that makes them. KEP-4153 proposes it; no server knows it."""

_RESERVED = frozenset(
    {
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
    }
    | {"loop", "package", "namespace", "return"}
)
_ESCAPES = (("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__"))
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")


class UnselectableNameError(Exception):
    """A member has a name that CEL has no way to write, such as `$ref`."""


def cel_name(name: str) -> str:
    """Write the name of a member as CEL selects it. Raises: UnselectableNameError."""
    if not _NAME.fullmatch(name):
        raise UnselectableNameError(name)
    for char, escaped in _ESCAPES:
        name = name.replace(char, escaped)
    return f"__{name}__" if name in _RESERVED else name


def cel_literal(value: Any) -> str:
    """Write a constant in CEL."""
    return json.dumps(value, ensure_ascii=False)


def cel_selects(selector: Selector, item: str) -> str:
    """Write whether a selector selects an item, which may have no keys."""
    keys = [(f"{item}.{cel_name(key)}", cel_literal(value)) for key, value in selector.keys]
    return " && ".join(f"has({key}) && {key} == {value}" for key, value in keys)


@dataclass(frozen=True, slots=True)
class Operand:
    """The expressions for a value and its old value. Only a `member` can be absent."""

    new: str = "self"
    old: str = "oldSelf"
    member: bool = False

    @property
    def is_set(self) -> str:
        """Whether there is a value."""
        return f"has({self.new})" if self.member else "true"

    @property
    def was_set(self) -> str:
        """Whether there was a value."""
        return f"has({self.old})" if self.member else "true"

    @property
    def unchanged(self) -> str:
        """Whether the value is the old one, or absent as before."""
        if not self.member:
            return f"{self.new} == {self.old}"
        return f"{self.is_set} == {self.was_set} && (!{self.is_set} || {self.new} == {self.old})"

    def child(self, name: str) -> Operand:
        """Return the operand of a member."""
        return Operand(f"{self.new}.{cel_name(name)}", f"{self.old}.{cel_name(name)}", member=True)


@dataclass(frozen=True, slots=True)
class CelRule:
    """A rule of `x-kubernetes-validations`.

    `transition` rules read the old value and are asked of updates with one. `ratchet` is the condition on the old value
    under which an update is accepted whatever `expression` says. `path` is that of the error, relative to the value.
    `differs` says how the rule judges otherwise than the check, where that depends on the call.
    """

    expression: str
    message: str
    reason: Reason = "FieldValueInvalid"
    transition: bool = False
    ratchet: str = ""
    path: str = ""
    differs: str = ""


@dataclass(frozen=True, slots=True)
class SchemaForm:
    """How the calls of one check function are written in a schema.

    `rules` writes CEL. `keywords` are words of OpenAPI that replace the rules where the value has a schema of its own.
    `of_member`: the rules are about whether a value is there, or was, so they belong to the schema of the struct.
    `longest` is the greatest length of a text that the check accepts, which bounds what its rules cost.
    `differs` says how the schema judges otherwise than the check, empty when it does not.
    """

    rules: Callable[[Check, Operand], Iterable[CelRule]]
    keywords: Callable[[Check], Mapping[str, Any]] | None = None
    of_member: bool = False
    longest: Callable[[Check], int | None] = lambda check: None
    differs: str = ""


def keyword_form(name: str, expression: str, message: str, differs: str = "") -> SchemaForm:
    """Return the form of a limit that OpenAPI has a word for. `{v}` and `{n}` are value and limit in the texts."""

    def rules(check: Check, at: Operand) -> list[CelRule]:
        limit = check.args[-1]
        return [CelRule(expression.format(v=at.new, n=limit), message.format(n=limit))]

    return SchemaForm(rules, lambda check: {name: check.args[-1]}, differs=differs)
