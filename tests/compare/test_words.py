"""Words of errors are compared where they are about one value."""

from __future__ import annotations

from typing import Any

from harness.compare.comparator import Comparator
from harness.field import FieldError
from tests.compare.builders import answer, case, info


def test_the_words_of_two_values_are_not_compared() -> None:
    """Of two rejected values a rule reports one: the other error is gone, and its words have not become those of it."""

    def rejected(value: str, detail: str, **more: Any) -> FieldError:
        return FieldError("FieldValueInvalid", "spec.names", detail, "format=k8s-short-name", value=value, **more)

    two = rejected("A", "must be lower case", covered=True), rejected("a.b", "must not contain dots", covered=True)
    said = answer(two, (rejected("A", "a lowercase label", level="beta"),))
    details = [one.detail for one in Comparator(info()).compare(case(), said) if one.kind == "served"]
    assert any("'must be lower case' becomes 'a lowercase label'" in one for one in details)
    assert not any("'must not contain dots' becomes" in one for one in details)
