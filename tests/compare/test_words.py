"""Words of errors are compared where they are about one value."""

from __future__ import annotations

from typing import Any

from harness.compare.comparator import Comparator
from harness.field import FieldError
from tests.compare.builders import answer, case, info
from tests.compare.explaining import causes


def test_the_words_of_two_values_are_not_compared() -> None:
    """Of two rejected values a rule reports one: the other error is gone, and its words have not become those of it."""

    def rejected(value: str, detail: str, **more: Any) -> FieldError:
        return FieldError("FieldValueInvalid", "spec.names", detail, "format=k8s-short-name", value=value, **more)

    two = rejected("A", "must be lower case", covered=True), rejected("a.b", "must not contain dots", covered=True)
    said = answer(two, (rejected("A", "a lowercase label", level="beta"),))
    details = [one.detail for one in Comparator(info()).compare(case(), said) if one.kind == "served"]
    assert any("'must be lower case' becomes 'a lowercase label'" in one for one in details)
    assert not any("'must not contain dots' becomes" in one for one in details)


def test_every_error_whose_words_differ_is_told_with_its_own_rule() -> None:
    """Who mends the first alone has the second left; words that agree need nothing."""

    def rejected(detail: str, **more: Any) -> FieldError:
        return FieldError("FieldValueInvalid", "spec.names", detail, "format=x", value='""', **more)

    ours = [rejected(f"the {one} is empty", covered=True) for one in ("domain", "name")]
    theirs = [rejected(f"{one} is empty", level="beta") for one in ("prefix", "name")]
    alike = rejected("too odd", covered=True), rejected("too odd", level="beta")
    for said, fix in (
        (answer((alike[0], *ours), (*theirs, alike[1])), "to every error of"),
        (answer((alike[0], ours[0]), (theirs[0], alike[1])), "give the words of"),
    ):
        [found] = causes(case(), lambda _, said=said: said).values()  # type: ignore[misc]
        assert ("wording", True) == (found.cause, fix in found.fix)
        [detail] = [one.detail for one in Comparator(info()).compare(case(), said) if one.kind == "served"]
        changes = ["'the domain is empty' becomes 'prefix is empty'", "'the name is empty' becomes 'name is empty'"]
        assert changes[: len(said.handwritten) - 1] == detail.partition(": ")[2].split(", and ")
