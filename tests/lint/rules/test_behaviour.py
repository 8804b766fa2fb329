"""Compiled validators of a rule's bad example behave as the rule's reason claims."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.case import Operation
from harness.lint.rules import RULES
from tests.lint.rules.test_meaning import compile_package

BAD = {rule.code: rule.bad for rule in RULES}
GOOD = {rule.code: rule.good for rule in RULES}
_SAME: dict[str, Any] = {"a": "x"}

CASES: tuple[tuple[str, Any, Any, list[tuple[str, str, str]]], ...] = (
    # code, new object, old object, errors as (type, path, level)
    ("contradicting-limits", {"f": "x" * 63}, None, [("FieldValueTooShort", "f", "")]),
    ("default-rejected", {"f": 10}, None, [("FieldValueInvalid", "f", "")]),
    ("hidden-stop", {"f": ["", "", "", ""]}, None, [("FieldValueTooMany", "f", "alpha")]),
    ("default-makes-required", {}, None, [("FieldValueRequired", "f", "")]),
    ("zero-default", {"f": 0}, None, [("FieldValueInvalid", "f", "")]),
    ("required-rejects-zero", {"f": False}, None, [("FieldValueRequired", "f", "")]),
    ("optional-beside-required", {}, None, [("FieldValueRequired", "f", "")]),
    ("update-beside-immutable", {"f": "b"}, {"f": "a"}, [("FieldValueInvalid", "f", "")] * 2),
    ("presence-said-twice", {"f": ""}, None, []),
    ("opaque-list", {"f": [{}]}, None, [("FieldValueRequired", "f[0].n", "")]),
    ("opaque-always", {"f": {}}, None, []),
    ("lone-list-tag", {"f": [{"n": "a"}, {"n": "a"}]}, None, []),
    ("mode-drops-rule", {"d": "A", "f": [""]}, None, []),
    ("mode-drops-rule", {"d": "B", "f": [""]}, None, [("FieldValueForbidden", "f", "")]),
    ("lost-level", {"f": ["x"]}, None, [("FieldValueInvalid", "f[0]", "")]),
    ("tag-on-hidden-field", {}, None, [("FieldValueRequired", "string", "")]),
    ("tag-behind-field", {"a": ""}, None, [("FieldValueRequired", "b", "")]),
    ("tag-detached", {}, None, []),
    ("tag-orphaned", {}, None, []),
    ("tag-in-text", {}, None, []),
    ("unknown-tag", {"f": "long"}, None, []),
    ("tag-without-prefix", {"f": "long"}, None, []),
    ("tag-for-openapi", {"f": "long"}, None, []),
    ("tag-repeated", {}, None, [("FieldValueRequired", "f", "")] * 2),
    ("tag-at-two-levels", {}, None, [("FieldValueRequired", "f", "beta"), ("FieldValueRequired", "f", "")]),
    ("copy-loses-rules", {"f": "x" * 10}, None, []),
    ("exclusion-outside-enum", {"f": "b"}, None, []),
    ("lone-union-member", {}, None, [("FieldValueInvalid", "<nil>", "")]),
    ("member-zero-is-unset", {"a": 0}, None, [("FieldValueInvalid", "<nil>", "")]),
    ("member-never-chosen", {"d": "B", "other": "x"}, None, [("FieldValueInvalid", "other", "")]),
    ("mode-never-chosen", {"d": "A"}, None, []),
    ("discriminator-optional", {}, None, []),
    ("immutable-root", _SAME, _SAME, [("FieldValueInvalid", "<nil>", "")]),
    ("immutable-in-items", {"f": [{"name": "new"}]}, {"f": []}, [("FieldValueInvalid", "f[0].size", "")]),
    ("format-without-length", {"f": "x" * 9999}, None, []),
    ("one-item-silences-all", {"f": [{"n": "too long"}, {"n": ""}]}, None, []),
    ("one-item-silences-all", {"f": [{"n": "too long"}]}, None, [("FieldValueTooLong", "f[0].n", "")]),
    ("wrappers-of-the-first", {"a": "x", "b": "x"}, None, [("FieldValueInvalid", "<nil>", "beta")]),
    ("mode-order", {"d": "A"}, None, [("FieldValueTooFew", "f", ""), ("FieldValueRequired", "f", "")]),
    ("immutable-in-mode", {"d": "A", "f": "x"}, {"d": "B", "f": "x"}, [("FieldValueInvalid", "f", "")]),
    ("nil-panics", {"d": "B"}, None, [("InternalError", "<nil>", "")]),
    ("map-of-lists", {"f": {"k": [{}]}}, None, []),
)


@pytest.mark.parametrize(("code", "new", "old", "errors"), CASES, ids=[f"{n}-{one[0]}" for n, one in enumerate(CASES)])
def test_bad_examples_behave_as_the_rule_claims(
    code: str, new: Any, old: Any, errors: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    """The consequence that the rule warns about occurs: a wrong error, a second error, or none."""
    validators, _ = compile_package(BAD[code], tmp_path / "v1")
    operation = Operation.CREATE if old is None else Operation.UPDATE
    found = validators.validate("T", operation, new, old)
    assert errors == [(error.type, error.field, error.level) for error in found]


def test_an_unsorted_union_of_items_reports_the_wrong_items(tmp_path: Path) -> None:
    """If a and b of the items a, b, c are set, and the tags are in the order b, c, a, the error names b and c."""
    line = '+k8s:item(n: "{}")=+k8s:zeroOrOneOfMember'
    go = BAD["item-union-order"].replace(line.format("b"), f"{line.format('b')}\n\t// {line.format('c')}")
    validators, _ = compile_package(go, tmp_path / "v1")
    (error,) = validators.validate("T", Operation.CREATE, {"f": [{"n": "a"}, {"n": "b"}]})
    assert '{f[{"n": "b"}], f[{"n": "c"}]}' in str(error).replace("\\", "")


@pytest.mark.parametrize("code", ["tag-not-parsed"])
def test_a_tag_that_does_not_parse_is_rejected(code: str, tmp_path: Path) -> None:
    """Compiling the types fails, as upstream's generator does."""
    with pytest.raises(Exception, match="does not parse"):
        compile_package(BAD[code], tmp_path / "v1")


DECLARED = [rule for rule in RULES if not rule.opt_in]
"""Rules whose examples declare a type; the others check doc.go."""


@pytest.mark.parametrize("rule", DECLARED, ids=lambda rule: rule.code)
def test_good_examples_compile(rule: Any, tmp_path: Path) -> None:
    """A good example compiles unchanged."""
    validators, _ = compile_package(rule.good.split("\npackage ")[0], tmp_path / "v1", linted=True)
    assert "T" in validators.types
