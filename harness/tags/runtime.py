"""Functions that compiled validators call besides checks: marking errors, printing values, comparing as Go does."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec

from harness.field import FieldError, Level
from harness.field.make import as_json

EMPTY: Mapping[str, Any] = {}
"""The zero value of a struct that is absent or null. Never changed."""

Renderer = Callable[[Any], str]
Same = Callable[[Any, Any], bool]


class NilDereferenceError(Exception):
    """A nil pointer to a struct was dereferenced, which is a panic upstream (semantics.md#S5)."""


def at_level(errors: Sequence[FieldError], level: Level) -> Sequence[FieldError]:
    """Mark errors with the level of the rule that reported them."""
    return [msgspec.structs.replace(e, level=level) for e in errors] if errors else errors


def stopping(errors: Sequence[FieldError], level: Level = "") -> list[FieldError]:
    """Mark errors of a short-circuit rule, and with its level if it has one."""
    if level:
        return [msgspec.structs.replace(e, short_circuit=True, level=level) for e in errors]
    return [msgspec.structs.replace(e, short_circuit=True) for e in errors]


def itself(value: Any) -> Any:
    """Return the value itself, the key of items of a set."""
    return value


_PLAIN = re.compile(r"[ !#-%'-;=?-\[\]-~]*")


def show_json(value: Any) -> str:
    """Render a value of a named string or another type that is not builtin as encoding/json does (semantics.md#6.4)."""
    if value.__class__ is str and _PLAIN.fullmatch(value):
        return f'"{value}"'
    return as_json(value)


def show_bytes(value: bytes | None) -> str:
    """Render bytes in base64; none at all are null."""
    return "null" if value is None else f'"{base64.b64encode(value).decode()}"'


def show_quantity(value: Any) -> str:
    """Render a quantity as Go does: as it was written when that is short and canonical, else in canonical form.

    Absent is "0". A number too large for the suffixes loses its suffix, as upstream (1000E is shown as "1").
    """
    text = _quantity_text(value)
    nanos = read_quantity(text)
    match = _QUANTITY.fullmatch(text)
    if isinstance(nanos, str) or match is None:
        return show_json(value)
    if _is_kept(match):
        return f'"{text}"'
    if nanos == 0:
        return '"0"'
    exponent, suffix = match[4], match[5] or ""
    if suffix.endswith("i") and abs(nanos) >= 1024 * _NANO and nanos % _NANO == 0:
        whole, power = _without_factors(nanos // _NANO, 1024)
        return f'"{whole}{_BINARY.get(power, "")}"'
    whole, zeros = _without_factors(nanos, 10)
    extra = zeros % 3  # -9 + zeros must be a multiple of 3
    power = zeros - extra - 9
    unit = (f"e{power}" if power else "") if exponent else _DECIMAL.get(power, "")
    return f'"{whole * 10**extra}{unit}"'


def _is_kept(match: re.Match[str]) -> bool:
    """Whether Go keeps the text of a quantity: it has few digits and passes Go's quick check for canonical form."""
    digits, fraction, exponent, suffix = match[2].lstrip("0") or "0", match[3] or "", match[4], match[5] or ""
    if match[0] == "0":
        return True
    if suffix.endswith("i"):
        bits = 10 * (1 + "KMGTPE".index(suffix[0]))
        return not fraction and 15 - len(digits) - int(bits * 3 / 10) - 1 >= 0 and int(digits) & 7 != 0
    power = int(exponent[1:]) if exponent else _POWERS[suffix]
    scale, shifted = power - len(fraction), digits + fraction
    short = len(shifted) <= 18 and scale >= -9
    return short and scale % 3 == 0 and not shifted.endswith("000") and shifted[0] != "0"


def _without_factors(number: int, factor: int) -> tuple[int, int]:
    """Divide by a factor while the result is a whole number. Returns: the result, and the number of divisions."""
    times = 0
    while number % factor == 0:
        number, times = number // factor, times + 1
    return number, times


def show_time(value: Any) -> str:
    """Render a time as Go does: in UTC, to the second; the zero time is null."""
    return _show_moment(value, "seconds")


def _show_moment(value: Any, precision: str) -> str:
    moment = read_time(value) if value is not None else None
    if not isinstance(moment, datetime):
        return show_json(value)
    if moment == ZERO_TIME:
        return "null"
    return f'"{moment.replace(tzinfo=None).isoformat(timespec=precision)}Z"'


def show_number_or_text(value: Any) -> str:
    """Render a value of int-or-string; absent is the number 0."""
    return show_json(0 if value is None else value)


def show_micro_time(value: Any) -> str:
    """Render a time as Go renders a MicroTime: in UTC, to the microsecond; the zero time is null."""
    return _show_moment(value, "microseconds")


def show_duration(value: Any) -> str:
    """Render a duration as Go does: 90s is "1m30s", 0.5s is "500ms", absent is "0s"."""
    length = read_duration(value)
    return show_json(value) if isinstance(length, str) else f'"{_duration(int(length))}"'


def _duration(nanoseconds: int) -> str:
    """Write a duration from its largest unit on; below a second in the unit that leaves a digit before the point."""
    sign, left = ("-" if nanoseconds < 0 else ""), abs(nanoseconds)
    if left < 10**9:
        unit = next((u for u in ("ms", "µs", "ns") if left >= _NANOSECONDS[u]), "s")
        return f"{sign}{_decimal(Decimal(left) / _NANOSECONDS[unit])}{unit}"
    minutes, left = divmod(left, 60 * 10**9)
    hours, minutes = divmod(minutes, 60)
    words = f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else ""
    return f"{sign}{words}{_decimal(Decimal(left) / 10**9)}s"


def _decimal(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def show_list(items: Sequence[Any] | None, render: Renderer) -> str:
    """Render a list; no list is null."""
    return "null" if items is None else "[" + ",".join("null" if i is None else render(i) for i in items) + "]"


def show_map(values: Mapping[str, Any] | None, render: Renderer) -> str:
    """Render a map, keys sorted; no map is null."""
    if values is None:
        return "null"
    return "{" + ",".join(f"{show_json(k)}:{render(values[k])}" for k in sorted(values)) + "}"


def show_pointer(value: Any, render: Renderer) -> str:
    """Render a pointer."""
    return "null" if value is None else render(value)


def read_float(value: Any) -> float:
    """Return a float as Go reads it from JSON, where a zero keeps its sign; absent is 0."""
    return 0.0 if value is None else float(value)


def read_bytes(text: str | None) -> bytes | None:
    """Return the bytes that JSON writes as base64; None when there are none."""
    if text is None:
        return None
    try:
        return base64.b64decode(text, validate=False)
    except ValueError:
        return text.encode()


def read_list(items: Sequence[Any] | None, zero: Any) -> Sequence[Any] | None:
    """Return a list whose items are not pointers, with null items replaced by the zero value."""
    if not items or None not in items:
        return items
    return [zero if item is None else item for item in items]


def read_map(values: Mapping[str, Any] | None, zero: Any) -> Mapping[str, Any] | None:
    """Return a map: null among its values is the zero value."""
    if not values or None not in values.values():
        return values
    return {key: zero if value is None else value for key, value in values.items()}


def same_bytes(a: bytes | None, b: bytes | None) -> bool:
    """Whether two runs of bytes are equal; none and empty are."""
    return (a or b"") == (b or b"")


def same_items(a: Sequence[Any] | None, b: Sequence[Any] | None, same: Same, zero: Any) -> bool:
    """Whether two lists are equal by meaning; none and empty are."""
    if not a or not b:
        return not a and not b
    if len(a) != len(b):
        return False
    return all(same(zero if x is None else x, zero if y is None else y) for x, y in zip(a, b, strict=True))


def same_values(a: Mapping[str, Any] | None, b: Mapping[str, Any] | None, same: Same, zero: Any) -> bool:
    """Whether two maps are equal by meaning; none and empty are."""
    if not a or not b:
        return not a and not b
    return a.keys() == b.keys() and all(same(_or(a[k], zero), _or(b[k], zero)) for k in a)


def _or(value: Any, zero: Any) -> Any:
    return zero if value is None else value


def same_plain(a: Any, b: Any) -> bool:
    """Whether two scalars are equal."""
    return bool(a == b)


def same_json(a: Any, b: Any) -> bool:
    """Whether two values of no known type are equal: 1 is not true, in any depth."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_json(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same_json(x, y) for x, y in zip(a, b, strict=True))
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def same_number_or_text(a: Any, b: Any) -> bool:
    """Whether two values of int-or-string are equal: absent is the number 0, and 1 is not "1"."""
    return bool((0 if a is None else a) == (0 if b is None else b))


def same_quantity(a: Any, b: Any) -> bool:
    """Whether two quantities are the same number: 1 and 1000m are. Absent is zero; None is taken as absent."""
    return bool(a == b) or read_quantity(a) == read_quantity(b)


_QUANTITY = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:([eE][+-]?[0-9]{1,3})|([KMGTPE]i|[numkMGTPE]))?")
_POWERS = {"": 0} | dict(zip("numkMGTPE", (-9, -6, -3, 3, 6, 9, 12, 15, 18), strict=True))
_DECIMAL = {power: unit for unit, power in _POWERS.items()}
_BINARY = {0: ""} | {power: f"{unit}i" for power, unit in enumerate("KMGTPE", 1)}
_NANO = 10**9
_LARGEST = ((1 << 63) - 1) * _NANO
"""What a quantity with a binary suffix is cut off at."""


def _quantity_text(value: Any) -> str:
    return "0" if value is None or value == "" else str(value).strip()


def read_quantity(value: Any) -> int | str:
    """Read a quantity, rounded up to billionths. Units: billionths. Other texts are returned unchanged."""
    text = _quantity_text(value)
    match = _QUANTITY.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        return text
    fraction, suffix = match[3] or "", match[5] or ""
    number = int(match[2] + fraction)
    power = 9 - len(fraction) + (int(match[4][1:]) if match[4] else _POWERS.get(suffix, 0))
    if suffix.endswith("i"):
        number <<= 10 * (1 + "KMGTPE".index(suffix[0]))
    nanos: int = number * 10**power if power >= 0 else -(-number // 10**-power)
    if suffix.endswith("i"):
        nanos = min(nanos, _LARGEST)
    return -nanos if match[1] == "-" else nanos


def same_time(a: Any, b: Any) -> bool:
    """Whether two times are the same instant. None is the zero time."""
    return bool(a == b) or (a is not None and b is not None and read_time(a) == read_time(b))


ZERO_TIME = datetime(1, 1, 1, tzinfo=UTC)
"""What Go takes for no time at all."""


def read_time(value: Any) -> datetime | str:
    """Read a time of RFC 3339. Other texts are returned unchanged."""
    try:
        return datetime.fromisoformat(str(value).replace("Z", "+00:00")).astimezone(UTC)
    except (ValueError, OverflowError):
        return str(value)


def same_duration(a: Any, b: Any) -> bool:
    """Whether two durations are the same length: 60s and 1m are. None is zero."""
    return bool(a == b) or read_duration(a) == read_duration(b)


_DURATION = re.compile(r"([0-9]*\.?[0-9]+|[0-9]+\.)(ns|us|µs|μs|ms|s|m|h)")
_NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 6 * 10**10,
    "h": 36 * 10**11,
}


def read_duration(value: Any) -> Decimal | str:
    """Read a duration in Go's syntax. Units: nanoseconds. Other texts are returned unchanged."""
    text = "0s" if value is None or value == "0" else str(value)
    parts = _DURATION.findall(text)
    if "".join(number + unit for number, unit in parts) != text.lstrip("+-"):
        return text
    total = sum((Decimal(number) * _NANOSECONDS[unit] for number, unit in parts), Decimal(0))
    return -total if text.startswith("-") else total


def form_of_json(value: Any) -> Any:
    """Return a hashable form of a value of no known type: 1 is not true, in any depth."""
    if isinstance(value, Mapping):
        return frozenset((k, form_of_json(v)) for k, v in value.items())
    if isinstance(value, list | tuple):
        return tuple(form_of_json(v) for v in value)
    return (type(value) is bool, value)


def form_of_bytes(value: bytes | None) -> bytes:
    """Return the hashable form of bytes: none and empty are equal."""
    return value or b""


def form_of_list(items: Sequence[Any] | None, form: Callable[[Any], Any], zero: Any) -> Any:
    """Return the hashable form of a list: none and empty are equal."""
    return tuple(form(zero if item is None else item) for item in items or ())


def form_of_map(values: Mapping[str, Any] | None, form: Callable[[Any], Any], zero: Any) -> Any:
    """Return the hashable form of a map: none and empty are equal."""
    return frozenset((k, form(zero if v is None else v)) for k, v in (values or EMPTY).items())


class Lenient(dict[str, bool]):
    """Validation options of a release that treats an unknown option as off."""

    def __missing__(self, name: str) -> bool:
        return False

    def __contains__(self, name: object) -> bool:
        return True
