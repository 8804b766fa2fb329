"""Tags as rules of linting see them."""

from __future__ import annotations

import pytest

from harness.lint.advice.common import Use, uses_of
from harness.tags.grammar import parse


def used(text: str) -> Use:
    """The innermost tag of a line."""
    (use,) = uses_of([parse(text)])
    return use


METADATA = ["modeDiscriminator", "discriminator", "unionDiscriminator", "listMapKey=a", "opaqueType"]


@pytest.mark.parametrize("name", METADATA)
def test_what_tells_other_tags_something_checks_nothing(name: str) -> None:
    """Under its older name too: rules about what runs and what never does leave it alone."""
    assert not used(f"+k8s:{name}").checks


@pytest.mark.parametrize(("text", "checks"), [("listType=map", True), ("listType=atomic", False), ("unique=set", True)])
def test_a_list_type_checks_where_it_tells_items_apart(text: str, checks: bool) -> None:
    """Of an atomic list nothing is compared."""
    assert checks == used(f"+k8s:{text}").checks


def test_a_limit_says_what_it_is_about() -> None:
    """Bytes and characters are both a length; a wrapper says about which value."""
    use = used("+k8s:eachVal=+k8s:maxBytes=3")
    assert (True, False, False) == (
        use.is_limit("length", upper=True), use.is_limit("length", upper=False), use.is_limit("count", upper=True),
    )  # fmt: skip
    assert (("eachVal",), 3, False) == (use.target, use.number, use.stops)
    assert used("+k8s:maxItems=3").stops
