"""Decoding as an API server does it: JSON types are checked, unknown members dropped, null is absent.

Built once per type from its shape, so that validators never meet a string where a number belongs. Members that hold
the zero value of a type without pointer are dropped too: Go cannot tell them from absent ones, so two decoded objects
that mean the same are equal in Python. Who wants errors to show empty lists as Go does keeps them. Checks types only:
limits and formats are the validators' business.
"""

from __future__ import annotations

import base64
import binascii
import copy
import math
import re
from collections.abc import Callable
from typing import TypeAlias

from harness.case import Json
from harness.fuzzers.shape import Shape
from harness.jsonpath import join
from harness.objectmodel import TYPE_META
from harness.subject.quick import DURATION, QUANTITY, TIME, Unusual, quick_decoder
from harness.tags.runtime import ZERO_TIME, read_time
from harness.targets.endpoint import DecodeError, Decoder

_TIME, _DURATION, _QUANTITY = re.compile(TIME), re.compile(DURATION), re.compile(QUANTITY)

Build: TypeAlias = Callable[[Shape], Decoder]


class _Misfit(DecodeError):
    """A value is not of its type. Its path is made on the way out."""

    def __init__(self, problem: str) -> None:
        self.problem, self.path = problem, ""

    def below(self, step: str) -> None:
        self.path = join(step, self.path)

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}" if self.path else self.problem


def decoder_of(shape: Shape, *, from_go: bool = False, keeps_empty: bool = False) -> Decoder:
    """Return the decoder of a root object: as for any struct, and apiVersion and kind are kept.

    `keeps_empty`: an empty list or map without `omitempty` stays, because Go shows it in errors. `from_go`: objects
    come from Go's encoder, which writes null for a pointer to the zero time; what is empty stays, too.
    Raises: the decoder raises `DecodeError` with the path of the first value that does not fit.
    """
    decode = _Builder(from_go, from_go or keeps_empty).of(shape)
    quick = None if from_go or keeps_empty else quick_decoder(shape)

    def decode_root(value: Json) -> Json:
        if quick is not None:
            try:
                return quick(value)
            except Unusual:
                pass  # the slow way knows what to make of it
        decoded = decode(value)
        head = {name: value[name] for name in TYPE_META if isinstance(value, dict) and name in value}
        return {**head, **decoded} if isinstance(decoded, dict) else decoded

    return decode_root


class _Builder:
    """Builds each type's decoder once; a recursive type finds itself."""

    def __init__(self, from_go: bool, keeps_empty: bool) -> None:
        self._from_go, self._keeps_empty = from_go, keeps_empty
        self._made: dict[int, Decoder] = {}
        self._alive: list[Shape] = []

    def of(self, shape: Shape) -> Decoder:
        made = self._made.get(id(shape))
        if made is None:
            self._alive.append(shape)
            made = self._build(shape)
            self._made.setdefault(id(shape), made)
        return made

    def _build(self, shape: Shape) -> Decoder:
        match shape.kind:
            case "struct":
                return self._struct(shape)
            case "list":
                return _list_decoder(self.of(shape.elem), _zero(shape.elem))
            case "map":
                return _map_decoder(self.of(shape.elem), _zero(shape.elem))
            case "int":
                return _int_decoder(shape.bits, shape.signed)
        return _SCALARS.get(shape.kind, copy.deepcopy)

    def _struct(self, shape: Shape) -> Decoder:
        members: dict[str, tuple[Decoder, bool, bool]] = {}
        nulls: dict[str, Json] = {}

        def decode_struct(value: Json) -> Json:
            if not isinstance(value, dict):
                raise _misfit("an object", value)
            decoded = {}
            name = ""
            try:
                for name, item in value.items():
                    member = members.get(name)
                    if member is None:
                        continue
                    decode, keeps_zero, is_text = member
                    if item is None:
                        if name in nulls:
                            decoded[name] = nulls[name]
                        continue
                    # Most members are plain strings, and a call costs more than all that it would find out.
                    result = item if is_text and item.__class__ is str and item.isascii() else decode(item)
                    if result or keeps_zero:
                        decoded[name] = result
            except _Misfit as misfit:
                misfit.below(name)
                raise
            return decoded

        self._made[id(shape)] = decode_struct  # before its members, which may contain the type itself
        for field in shape.fields:
            decode = self.of(field.shape)
            if field.pointer:
                members[field.name] = decode, True, decode is _string
                if self._from_go and field.omitempty and field.shape.kind in ("time", "micro-time"):
                    nulls[field.name] = "0001-01-01T00:00:00Z"
            elif field.shape.kind in ("time", "micro-time"):
                members[field.name] = _time_set(decode), False, False
            else:
                # Go tells no list from an empty one where it shows them, unless `omitempty` drops both. Where it
                # compares it does not, and neither shall whoever compares in Python.
                shown = self._keeps_empty and field.shape.kind in ("list", "map") and not field.omitempty
                members[field.name] = decode, shown or field.shape.kind not in _ZEROES, decode is _string
        return decode_struct


def _time_set(decode: Decoder) -> Decoder:
    """Decode a time that is no pointer: the zero time is written out and means that none is set."""

    def decode_time(value: Json) -> Json:
        decoded = decode(value)
        return "" if decoded[:4] in ("0001", "0000") and read_time(decoded.upper()) == ZERO_TIME else decoded

    return decode_time


def _list_decoder(decode: Decoder, zero: Json) -> Decoder:
    def decode_list(value: Json) -> Json:
        if not isinstance(value, list):
            raise _misfit("a list", value)
        decoded: list[Json] = []
        try:
            for item in value:
                decoded.append(copy.copy(zero) if item is None else decode(item))
        except _Misfit as misfit:
            misfit.below(f"[{len(decoded)}]")
            raise
        return decoded

    return decode_list


def _map_decoder(decode: Decoder, zero: Json) -> Decoder:
    def decode_map(value: Json) -> Json:
        if not isinstance(value, dict):
            raise _misfit("an object", value)
        key: Json = ""
        decoded = {}
        try:
            for key, item in value.items():
                decoded[_string(key)] = copy.copy(zero) if item is None else decode(item)
        except _Misfit as misfit:
            misfit.below(f"[{key}]")
            raise
        return decoded

    return decode_map


def _int_decoder(bits: int, signed: bool) -> Decoder:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    name = f"{'' if signed else 'u'}int{bits}"

    def decode_int(value: Json) -> Json:
        if type(value) is not int:
            raise _misfit("a whole number", value)
        if not low <= value <= high:
            raise _Misfit(f"{value} does not fit in {name}")
        return value

    return decode_int


def _string(value: Json) -> Json:
    if not isinstance(value, str):
        raise _misfit("a string", value)
    if not value.isascii():
        # As a decoder of JSON in Go: half a surrogate pair is no character.
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def _bool(value: Json) -> Json:
    if not isinstance(value, bool):
        raise _misfit("true or false", value)
    return value


def _float(value: Json) -> Json:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _misfit("a number", value)
    try:
        fits = math.isfinite(value)
    except OverflowError:
        fits = False
    if not fits:
        raise _misfit("a number of 64 bits", value)
    return value


def _bytes(value: Json) -> Json:
    try:
        base64.b64decode(_string(value), validate=True)
    except (binascii.Error, ValueError):
        raise _Misfit("not base64") from None
    return value


def _object(value: Json) -> Json:
    if not isinstance(value, dict):
        raise _misfit("an object", value)
    return copy.deepcopy(value)


def _matching(pattern: re.Pattern[str], what: str) -> Decoder:
    def decode_text(value: Json) -> Json:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise _misfit(what, value)
        return value

    return decode_text


def _int_or_string(value: Json) -> Json:
    return _string(value) if isinstance(value, str) else _int_decoder(32, True)(value)


def _quantity(value: Json) -> Json:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not _QUANTITY.fullmatch(str(value)):
        raise _misfit("a quantity such as 10Gi", value)
    return value


_SCALARS: dict[str, Decoder] = {
    "string": _string,
    "bool": _bool,
    "float": _float,
    "bytes": _bytes,
    "raw": _object,
    "fields": _object,
    "time": _matching(_TIME, "a time such as 2026-01-31T12:00:00Z"),
    "micro-time": _matching(_TIME, "a time such as 2026-01-31T12:00:00.000000Z"),
    "duration": _matching(_DURATION, "a duration such as 1h30m"),
    "quantity": _quantity,
    "int-or-string": _int_or_string,
}

_ZEROES: dict[str, Json] = {
    "struct": {}, "list": [], "map": {}, "string": "", "bytes": "", "bool": False, "int": 0, "float": 0,
}  # fmt: skip


def _zero(shape: Shape) -> Json:
    """What a null item of a list or map becomes: Go's zero value."""
    return _ZEROES.get(shape.kind)


def _misfit(wanted: str, value: Json) -> _Misfit:
    names = {
        type(None): "null",
        bool: "a boolean",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    text = repr(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    shown = text if 0 < len(text) <= 40 else names.get(type(value), "a string")
    return _Misfit(f"{wanted} is needed, got {shown}")
