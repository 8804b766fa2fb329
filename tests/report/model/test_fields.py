"""The errors by field of a report, and the blocks in which calls stand."""

from __future__ import annotations

from harness.report.model.code import BlockEntry
from harness.report.model.fields import BlocksByPlace, FieldErrors, MissedCall, by_kind, combine_fields
from tests.report.covered import PACKAGE, function

_FILE = f"{PACKAGE}/validation.go"


def _missed(line: int) -> MissedCall:
    return MissedCall(_FILE, line, "Validate", ("FieldValueInvalid",))


def test_what_either_search_reached_is_reached() -> None:
    """The calls that neither reached are left."""
    one = FieldErrors("kubernetes", "Pod", "spec", 1, (_missed(3), _missed(5)), 2)
    other = FieldErrors("kubernetes", "Pod", "spec", 2, (_missed(5),), 2)
    combined = combine_fields(one, other)
    assert (2, (_missed(5),), 3, 2) == (combined.reached, combined.missed, combined.size, combined.uncounted)
    assert one.key == other.key == combined.key


def test_fields_are_grouped_by_kind() -> None:
    """In order of kind and path."""
    fields = [FieldErrors("k", kind, path, 1) for kind, path in (("b", "y"), ("a", "z"), ("b", "x"))]
    assert {"a": ["z"], "b": ["x", "y"]} == {kind: [one.path for one in own] for kind, own in by_kind(fields).items()}
    assert ["a", "b"] == list(by_kind(fields))


def test_the_innermost_block_around_a_call_is_found() -> None:
    """A block of a function literal stands within another; between blocks there is none."""
    outer, inner = BlockEntry((3, 2), (9, 9), 3, reached=True), BlockEntry((5, 4), (6, 3), 1)
    after = BlockEntry((12, 1), (13, 2), 1)
    blocks = BlocksByPlace([function("Validate", outer, after), function("Validate.func1", inner)])
    found = {place: blocks.at(_FILE, place) for place in ((3, 1), (3, 2), (5, 8), (7, 1), (9, 9), (12, 5))}
    assert {(3, 1): None, (3, 2): outer, (5, 8): inner, (7, 1): outer, (9, 9): None, (12, 5): after} == {
        place: one and one.block for place, one in found.items()
    }
    assert blocks.at("other.go", (3, 2)) is None
