"""Growth takes what was accepted elsewhere: the fullest value of a type first, then those that hold what it has not.

What a kind asks for besides (another policy of restarts, say) and what it forbids is found with the first value, and
then changed in all the others before they are asked about.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from harness.case import Answer, Case, Json
from harness.fuzzers.bases import Base
from harness.fuzzers.census import path_of
from harness.fuzzers.grow import Growing, Growth
from harness.fuzzers.lending import Loan, Stock, seats
from harness.jsonpath import ABSENT, JsonPath, differences, look, put

MOST_FIRST = 24
"""Values that are tried where the fullest cannot be."""


def borrow(growth: Growth, stocks: Sequence[Stock]) -> Growing:
    """Bring what stocks lend into a growth that has not begun, at every place for it."""
    lending = {name: stock for stock in stocks for name in stock.types}
    for seat, name in seats(growth.shape, frozenset(lending)):
        stock = lending[name]
        loans, path = stock.loans(name), path_of(seat, growth.shape)
        taken = yield from _first(growth, seat, loans)
        if taken is not None:
            growth.given_up |= {f"{path}.{at}": error for at, error in stock.given_up(name).items()}
            yield from _others(growth, seat, [Loan(_changed(loan, *taken), loan.focus) for loan in loans])
    growth.grown = len(growth.variants)


def _first(
    growth: Growth, seat: JsonPath, loans: list[Loan]
) -> Generator[list[Case], list[Answer], tuple[Json, Json] | None]:
    """Bring one value in, the fullest if that can be. Returns it as it was and as it is now, None where none can."""
    full: Json = next((loan.value for loan in loans), {})
    if not growth.held(put(growth.main, seat, full)) & ~growth.accepted.bits:
        return full, full
    for few in (loans[:1], loans[1 : 1 + MOST_FIRST]):
        results = yield from growth.pruned([put(growth.main, seat, loan.value) for loan in few], seat)
        found = [(loan, one.obj) for loan, one in zip(few, results, strict=True) if one.is_accepted]
        if found:
            loan, obj = max(found, key=lambda pair: growth.held(pair[1]).bit_count())
            growth.main = obj
            growth.arrive(obj)
            return loan.value, look(obj, seat)
    return None


def _changed(loan: Loan, before: Json, now: Json) -> Json:
    """Change a value as the first one was, as far as what is special of it stays."""
    value = loan.value
    for at in differences(now, before):
        if look(value, at[:-1]) is not ABSENT and (not loan.focus or loan.focus[: len(at)] != at):
            value = put(value, at, look(now, at))
    return value


def _others(growth: Growth, seat: JsonPath, loans: list[Loan]) -> Growing:
    """Make variants of the values that hold something new."""
    wanted: list[tuple[Loan, Json]] = []
    known = growth.accepted.bits
    for loan in loans:
        obj = put(growth.main, seat, loan.value)
        found = growth.held(obj)
        if found & ~known:
            known |= found
            wanted.append((loan, obj))
    results = yield from growth.pruned([obj for _, obj in wanted], seat)
    for (loan, _), one in zip(wanted, results, strict=True):
        if one.is_accepted:
            growth.keep_variant(Base(one.obj, seat + loan.focus))
        elif loan.focus:
            growth.given_up[path_of(seat + loan.focus, growth.shape)] = one.error
