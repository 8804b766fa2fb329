"""What several searches reached of the same code is added up."""

from __future__ import annotations

import msgspec

from harness.case import Case, Operation
from harness.report.model.code import CodeSums, NearestObject, combine_functions, sum_code
from harness.report.model.merging import combine
from tests.report.covered import FIRST, WHOLE, covered, function


def test_a_block_that_one_search_reached_is_reached() -> None:
    """In reports of shards too, whatever the order."""
    other = function(FIRST.name, *(msgspec.structs.replace(block, reached=not block.reached) for block in FIRST.blocks))
    assert () == combine_functions(FIRST, other).missed == combine_functions(other, FIRST).missed
    merged = combine([covered(FIRST), covered(other, WHOLE)])
    assert [(FIRST.name, 0), (WHOLE.name, 0)] == [(one.name, len(one.missed)) for one in merged.code]


def test_the_sums() -> None:
    """Of statements, blocks and errors."""
    assert CodeSums(8, 7, 3, 2, 3, 1) == sum_code((FIRST, WHOLE))
    assert 1 == sum_code((FIRST, WHOLE)).missed


def test_a_reason_of_a_block_holds_only_if_both_searches_have_it() -> None:
    """The gates of one say nothing about those of the other; a block that one reached needs no reason."""
    (block,) = FIRST.missed
    gated = function(FIRST.name, msgspec.structs.replace(block, sort="gate", reason="the gate A is on"))
    plain, reached = (function(FIRST.name, one) for one in (block, msgspec.structs.replace(block, reached=True)))
    assert gated == combine_functions(gated, gated)
    assert plain == combine_functions(gated, plain) == combine_functions(plain, gated)
    assert reached == combine_functions(gated, reached) == combine_functions(reached, gated)


def test_the_nearest_case_of_either_search_is_kept() -> None:
    """Of a block that neither reached."""
    (block,) = FIRST.missed
    nearest = NearestObject("p", 4, Case(0, "", "v1", "Pod", Operation.CREATE, {}))
    near = function(FIRST.name, msgspec.structs.replace(block, nearest=nearest))
    plain, reached = (function(FIRST.name, one) for one in (block, msgspec.structs.replace(block, reached=True)))
    assert near == combine_functions(near, plain) == combine_functions(plain, near)
    assert reached == combine_functions(near, reached)


def test_a_reason_holds_only_if_nothing_reached_the_function() -> None:
    """A search that reached it disproves the reason of another one."""
    silent = msgspec.structs.replace(FIRST, reason="no code of the release calls it")
    assert (silent.reason, "") == (combine_functions(silent, silent).reason, combine_functions(silent, FIRST).reason)
    assert "" == combine_functions(FIRST, silent).reason
