"""The comparison itself: it sees every part of an error and its place in the list, and nothing of how Go walks maps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.compiler import Compiled, compile_types
from harness.field import FieldError
from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.packages import Universe
from tests.conformance.generator.cases import Question
from tests.conformance.generator.judge import Reply, answer, difference

GO = """package example

type T struct {
	// +k8s:minLength=2
	A string `json:"a"`
	// +k8s:neq="yy"
	// +k8s:minLength=3
	B string `json:"b"`
	// +k8s:eachKey=+k8s:minLength=3
	// +k8s:eachVal=+k8s:minLength=2
	// +k8s:eachVal=+k8s:neq="x"
	M map[string]string `json:"m"`
}
"""
PLAIN = Question("example", "T", False, {"a": "x", "b": "yy"})
MAPS = Question("example", "T", False, {"a": "aa", "b": "bbbb", "m": {"k": "x", "l": "x"}})


@pytest.fixture(scope="module")
def subject(tmp_path_factory: pytest.TempPathFactory) -> tuple[Compiled, Shape]:
    """A compiled type and its shape."""
    file = tmp_path_factory.mktemp("go") / "types.go"
    Path(file).write_text(GO)
    universe = Universe.from_files({"example": [file]})
    return compile_types(universe, "example"), shape_of(universe, "example.T")


def is_seen(subject: tuple[Compiled, Shape], question: Question, theirs: list[FieldError]) -> bool:
    """Whether there is a difference between our errors and these."""
    compiled, shape = subject
    return difference(compiled, shape, question, Reply(theirs)) is not None


@pytest.mark.parametrize(
    "change",
    [
        {"type": "FieldValueInvalid"},
        {"field": "b"},
        {"detail": "other"},
        {"origin": "maxLength"},
        {"level": "beta"},
        {"short_circuit": True},
        {"value": '"x"'},
    ],
)
def test_every_part_counts(subject: tuple[Compiled, Shape], change: dict[str, Any]) -> None:
    """An error that differs in one part is another one."""
    first, *rest = answer(subject[0], PLAIN)
    assert not is_seen(subject, PLAIN, [first, *rest])
    assert is_seen(subject, PLAIN, [msgspec.structs.replace(first, **change), *rest])


def test_order_and_number_count(subject: tuple[Compiled, Shape]) -> None:
    """Errors in another order, one less, or one twice are differences."""
    errors = answer(subject[0], PLAIN)
    assert len(errors) > 1
    assert is_seen(subject, PLAIN, errors[::-1])
    assert is_seen(subject, PLAIN, errors[1:])
    assert is_seen(subject, PLAIN, [*errors, errors[-1]])


def test_keys_of_a_map_have_no_order(subject: tuple[Compiled, Shape]) -> None:
    """Go may walk a map either way; which rule runs first for a key counts, and so does the place of the map."""
    keys, values = answer(subject[0], MAPS)[:2], answer(subject[0], MAPS)[2:]
    assert ["m", "m"] == [error.field for error in keys]
    assert ["m[k]", "m[l]", "m[k]", "m[l]"] == [error.field for error in values]
    short_k, short_l, neq_k, neq_l = values
    assert not is_seen(subject, MAPS, [*keys[::-1], short_l, short_k, neq_k, neq_l])
    assert is_seen(subject, MAPS, [*keys, neq_k, neq_l, short_k, short_l])
    assert is_seen(subject, MAPS, [*values, *keys])
    assert is_seen(subject, MAPS, [*keys, short_k, short_l, neq_k])
