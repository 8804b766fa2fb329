"""The handwritten validator of orders, as it has grown: it returns a location and a message for each error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

Location = tuple[str | int, ...]
Problem = tuple[Location, str]

STATUSES = ("draft", "placed", "paid", "shipped", "cancelled")
CURRENCIES = ("EUR", "GBP", "USD")
MOST_LINES = 20
MOST_OF_ONE = 999
LARGEST_DISCOUNT = 50
LONGEST_NAME = 80
LONGEST_NOTE = 140

_ID = re.compile(r"ORD-[0-9]{6}")
_SKU = re.compile(r"[A-Z]{3}-[0-9]{4}")
_EMAIL = re.compile(r"[^@ ]+@[^@ ]+\.[^@ ]+")
_MONEY = re.compile(r"[0-9]{1,7}\.[0-9]{2}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def validate_order(order: dict[str, Any]) -> list[Problem]:
    """Return every problem of an order, as it comes from the shop."""
    problems = list(_unknown(order, ("id", "status", "currency", "customer", "lines", "placed_on", "shipped_on"), ()))
    problems += _matches(order, "id", _ID, "write it as ORD-000000")
    problems += _one_of(order, "status", STATUSES)
    problems += _one_of(order, "currency", CURRENCIES)
    problems += _customer(order.get("customer"))
    problems += _lines(order.get("lines"))
    problems += _days(order)
    return problems


def _customer(customer: Any) -> Iterator[Problem]:
    if not isinstance(customer, dict):
        yield ("customer",), "a customer is needed"
        return
    yield from _unknown(customer, ("name", "email"), ("customer",))
    name = customer.get("name")
    if not isinstance(name, str) or not name:
        yield ("customer", "name"), "a name is needed"
    elif len(name) > LONGEST_NAME:
        yield ("customer", "name"), f"at most {LONGEST_NAME} characters"
    yield from _matches(customer, "email", _EMAIL, "not an address", ("customer",))


def _lines(lines: Any) -> Iterator[Problem]:
    if not isinstance(lines, list) or not lines:
        yield ("lines",), "an order has at least one line"
        return
    if len(lines) > MOST_LINES:
        yield ("lines",), f"at most {MOST_LINES} lines"
    seen: set[str] = set()
    for index, line in enumerate(lines):
        if not isinstance(line, dict):
            yield ("lines", index), "a line is an object"
            continue
        yield from _line(line, ("lines", index))
        sku = line.get("sku")
        if isinstance(sku, str):
            if sku in seen:
                yield ("lines",), f"{sku} stands in two lines"
            seen.add(sku)


def _line(line: dict[str, Any], at: Location) -> Iterator[Problem]:
    yield from _unknown(line, ("sku", "quantity", "price", "discount", "note"), at)
    yield from _matches(line, "sku", _SKU, "write it as ABC-0000", at)
    if not _is_whole(line.get("quantity"), 1, MOST_OF_ONE):
        yield (*at, "quantity"), f"a whole number from 1 to {MOST_OF_ONE}"
    yield from _matches(line, "price", _MONEY, "an amount with two decimals", at)
    if not _is_whole(line.get("discount", 0), 0, LARGEST_DISCOUNT):
        yield (*at, "discount"), f"a percentage from 0 to {LARGEST_DISCOUNT}"
    note = line.get("note")
    if note is not None and not isinstance(note, str):
        yield (*at, "note"), "a note is a text"
    elif note is not None and len(note) > LONGEST_NOTE:
        yield (*at, "note"), f"at most {LONGEST_NOTE} characters"


def _days(order: dict[str, Any]) -> Iterator[Problem]:
    placed, shipped = (_day(order.get(name)) for name in ("placed_on", "shipped_on"))
    for name, day in (("placed_on", placed), ("shipped_on", shipped)):
        if day is None and order.get(name) is not None:
            yield (name,), "a day is written as 2024-12-31"
    if order.get("placed_on") is None and order.get("status") != "draft":
        yield ("placed_on",), "needed once the order is placed"
    if (order.get("status") == "shipped") != (order.get("shipped_on") is not None):
        yield ("shipped_on",), "needed for a shipped order, and for no other one"
    if placed is not None and shipped is not None and shipped < placed:
        yield ("shipped_on",), "it is shipped after it was placed"


def _day(value: Any) -> date | None:
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def _unknown(value: dict[str, Any], known: tuple[str, ...], at: Location) -> Iterator[Problem]:
    for name in value:
        if name not in known:
            yield (*at, name), "there is no such field"


def _matches(value: dict[str, Any], name: str, form: re.Pattern[str], why: str, at: Location = ()) -> Iterator[Problem]:
    text = value.get(name)
    if not isinstance(text, str) or not form.fullmatch(text):
        yield (*at, name), why


def _one_of(value: dict[str, Any], name: str, known: tuple[str, ...]) -> Iterator[Problem]:
    if value.get(name) not in known:
        yield (name,), f"one of {', '.join(known)}"


def _is_whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
