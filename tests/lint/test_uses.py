"""The innermost tags of chains, as lint rules use them."""

from __future__ import annotations

import pytest

from harness.lint.uses import Use, find_uses
from harness.tags.grammar import parse


def use_of(text: str) -> Use:
    """Return the innermost tag of a line."""
    (use,) = find_uses([parse(text)])
    return use


METADATA = ["modeDiscriminator", "discriminator", "unionDiscriminator", "listMapKey=a", "opaqueType"]


@pytest.mark.parametrize("name", METADATA)
def test_tags_that_only_configure_others_reject_nothing(name: str) -> None:
    """They cannot reject an object, under their older names neither, so rules about unreachable tags ignore them."""
    assert not use_of(f"+k8s:{name}").can_reject


@pytest.mark.parametrize(("text", "checks"), [("listType=map", True), ("listType=atomic", False), ("unique=set", True)])
def test_a_list_type_rejects_if_items_must_be_distinct(text: str, checks: bool) -> None:
    """+k8s:listType=atomic rejects nothing, because the items of an atomic list are not compared."""
    assert checks == use_of(f"+k8s:{text}").can_reject


def test_a_limit_has_a_dimension_and_a_target() -> None:
    """Bytes and characters are both a length; the wrapper selects the value."""
    use = use_of("+k8s:eachVal=+k8s:maxBytes=3")
    assert (True, False, False) == (
        use.is_limit("length", upper=True), use.is_limit("length", upper=False), use.is_limit("count", upper=True),
    )  # fmt: skip
    assert (("eachVal",), 3, False) == (use.target, use.number, use.short_circuits)
    assert use_of("+k8s:maxItems=3").short_circuits
