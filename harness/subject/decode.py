"""Decodes objects as an API server does: checks JSON types, drops unknown members, and treats null as absent.

A decoder is built once per type from its shape, so that validators never see a string in place of a number. A member
with the zero value of a type without pointer is dropped as well, because Go cannot distinguish it from an absent one;
so objects that are equal in Go are equal in Python. Pass `keeps_empty` to keep empty lists and maps, which Go prints in
errors. A decoder checks types only: limits and formats are checked by validators.
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
from harness.subject.quick import DURATION, QUANTITY, TIME, NeedsFullDecoder, quick_decoder
from harness.tags.runtime import ZERO_TIME, read_time
from harness.targets.endpoint import DecodeError, Decoder

_TIME, _DURATION, _QUANTITY = re.compile(TIME), re.compile(DURATION), re.compile(QUANTITY)

Build: TypeAlias = Callable[[Shape], Decoder]


class _TypeMismatch(DecodeError):
    """A value is not of its type. The path is built while the exception unwinds, one step per enclosing decoder."""

    def __init__(self, problem: str) -> None:
        self.problem, self.path = problem, ""

    def prepend(self, step: str) -> None:
        self.path = join(step, self.path)

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}" if self.path else self.problem


def decoder_of(shape: Shape, *, from_go: bool = False, keeps_empty: bool = False) -> Decoder:
    """Return the decoder of a root object, which keeps apiVersion and kind in addition to the members of its type.

    `keeps_empty`: empty lists and maps without `omitempty` are kept, because Go prints them in errors. `from_go`:
    objects were written by Go's encoder, which writes null for a pointer to the zero time; it implies `keeps_empty`.
    Raises: the decoder raises `DecodeError` with the path of the first value that is not of its type.
    """
    decode = _DecoderBuilder(from_go, from_go or keeps_empty).decoder(shape)
    quick = None if from_go or keeps_empty else quick_decoder(shape)

    def decode_root(value: Json) -> Json:
        if quick is not None:
            try:
                return quick(value)
            except NeedsFullDecoder:
                pass  # handled below by the full decoder, which also reports errors
        decoded = decode(value)
        type_meta = {name: value[name] for name in TYPE_META if isinstance(value, dict) and name in value}
        return {**type_meta, **decoded} if isinstance(decoded, dict) else decoded

    return decode_root


class _DecoderBuilder:
    """Builds the decoder of each type once; a recursive type uses its own decoder, which is registered first."""

    def __init__(self, from_go: bool, keeps_empty: bool) -> None:
        self._from_go, self._keeps_empty = from_go, keeps_empty
        self._decoders: dict[int, Decoder] = {}  # by the id() of the shape
        self._keepalive: list[Shape] = []  # pins the shapes, so that no id() is reused

    def decoder(self, shape: Shape) -> Decoder:
        decoder = self._decoders.get(id(shape))
        if decoder is None:
            self._keepalive.append(shape)
            decoder = self._build(shape)
            self._decoders.setdefault(id(shape), decoder)
        return decoder

    def _build(self, shape: Shape) -> Decoder:
        match shape.kind:
            case "struct":
                return self._struct(shape)
            case "list":
                return _list_decoder(self.decoder(shape.elem), _zero(shape.elem))
            case "map":
                return _map_decoder(self.decoder(shape.elem), _zero(shape.elem))
            case "int":
                return _int_decoder(shape.bits, shape.signed)
        return _SCALARS.get(shape.kind, copy.deepcopy)

    def _struct(self, shape: Shape) -> Decoder:
        members: dict[str, tuple[Decoder, bool, bool]] = {}
        null_values: dict[str, Json] = {}

        def decode_struct(value: Json) -> Json:
            if not isinstance(value, dict):
                raise _type_mismatch("an object", value)
            decoded = {}
            name = ""
            try:
                for name, item in value.items():
                    member = members.get(name)
                    if member is None:
                        continue
                    decode, keeps_zero, is_text = member
                    if item is None:
                        if name in null_values:
                            decoded[name] = null_values[name]
                        continue
                    # Most members are ASCII strings, which need no decoding: checking here saves a call per member.
                    result = item if is_text and item.__class__ is str and item.isascii() else decode(item)
                    if result or keeps_zero:
                        decoded[name] = result
            except _TypeMismatch as mismatch:
                mismatch.prepend(name)
                raise
            return decoded

        self._decoders[id(shape)] = decode_struct  # before its members, which may contain the type itself
        for field in shape.fields:
            decode = self.decoder(field.shape)
            if field.pointer:
                members[field.name] = decode, True, decode is _string
                if self._from_go and field.omitempty and field.shape.kind in ("time", "micro-time"):
                    null_values[field.name] = "0001-01-01T00:00:00Z"
            elif field.shape.kind in ("time", "micro-time"):
                members[field.name] = _non_pointer_time_decoder(decode), False, False
            else:
                # Go distinguishes nil from empty slices and maps when printing errors (unless `omitempty` drops both),
                # but not when comparing. Dropping the empty ones makes comparisons in Python agree with Go.
                is_kept = self._keeps_empty and field.shape.kind in ("list", "map") and not field.omitempty
                members[field.name] = decode, is_kept or field.shape.kind not in _ZEROES, decode is _string
        return decode_struct


def _non_pointer_time_decoder(decode: Decoder) -> Decoder:
    """Decode a time without pointer: Go writes the zero time for an unset one, so it is decoded as unset."""

    def decode_time(value: Json) -> Json:
        decoded = decode(value)
        return "" if decoded[:4] in ("0001", "0000") and read_time(decoded.upper()) == ZERO_TIME else decoded

    return decode_time


def _list_decoder(decode: Decoder, zero: Json) -> Decoder:
    def decode_list(value: Json) -> Json:
        if not isinstance(value, list):
            raise _type_mismatch("a list", value)
        decoded: list[Json] = []
        try:
            for item in value:
                decoded.append(copy.copy(zero) if item is None else decode(item))
        except _TypeMismatch as mismatch:
            mismatch.prepend(f"[{len(decoded)}]")
            raise
        return decoded

    return decode_list


def _map_decoder(decode: Decoder, zero: Json) -> Decoder:
    def decode_map(value: Json) -> Json:
        if not isinstance(value, dict):
            raise _type_mismatch("an object", value)
        key: Json = ""
        decoded = {}
        try:
            for key, item in value.items():
                decoded[_string(key)] = copy.copy(zero) if item is None else decode(item)
        except _TypeMismatch as mismatch:
            mismatch.prepend(f"[{key}]")
            raise
        return decoded

    return decode_map


def _int_decoder(bits: int, signed: bool) -> Decoder:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    name = f"{'' if signed else 'u'}int{bits}"

    def decode_int(value: Json) -> Json:
        if type(value) is not int:
            raise _type_mismatch("a whole number", value)
        if not low <= value <= high:
            raise _TypeMismatch(f"{value} does not fit in {name}")
        return value

    return decode_int


def _string(value: Json) -> Json:
    if not isinstance(value, str):
        raise _type_mismatch("a string", value)
    if not value.isascii():
        # A lone surrogate becomes U+FFFD, as in encoding/json.
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def _bool(value: Json) -> Json:
    if not isinstance(value, bool):
        raise _type_mismatch("true or false", value)
    return value


def _float(value: Json) -> Json:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _type_mismatch("a number", value)
    try:
        fits = math.isfinite(value)
    except OverflowError:
        fits = False
    if not fits:
        raise _type_mismatch("a number of 64 bits", value)
    return value


def _bytes(value: Json) -> Json:
    try:
        base64.b64decode(_string(value), validate=True)
    except (binascii.Error, ValueError):
        raise _TypeMismatch("not base64") from None
    return value


def _object(value: Json) -> Json:
    if not isinstance(value, dict):
        raise _type_mismatch("an object", value)
    return copy.deepcopy(value)


def _pattern_decoder(pattern: re.Pattern[str], expected: str) -> Decoder:
    def decode_text(value: Json) -> Json:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise _type_mismatch(expected, value)
        return value

    return decode_text


def _int_or_string(value: Json) -> Json:
    return _string(value) if isinstance(value, str) else _int_decoder(32, True)(value)


def _quantity(value: Json) -> Json:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not _QUANTITY.fullmatch(str(value)):
        raise _type_mismatch("a quantity such as 10Gi", value)
    return value


_SCALARS: dict[str, Decoder] = {
    "string": _string,
    "bool": _bool,
    "float": _float,
    "bytes": _bytes,
    "raw": _object,
    "fields": _object,
    "time": _pattern_decoder(_TIME, "a time such as 2026-01-31T12:00:00Z"),
    "micro-time": _pattern_decoder(_TIME, "a time such as 2026-01-31T12:00:00.000000Z"),
    "duration": _pattern_decoder(_DURATION, "a duration such as 1h30m"),
    "quantity": _quantity,
    "int-or-string": _int_or_string,
}

_ZEROES: dict[str, Json] = {
    "struct": {}, "list": [], "map": {}, "string": "", "bytes": "", "bool": False, "int": 0, "float": 0,
}  # fmt: skip


def _zero(shape: Shape) -> Json:
    """Return Go's zero value of a type, as which a null item of a list or map is decoded."""
    return _ZEROES.get(shape.kind)


def _type_mismatch(expected: str, value: Json) -> _TypeMismatch:
    type_names = {
        type(None): "null",
        bool: "a boolean",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    text = repr(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    actual = text if 0 < len(text) <= 40 else type_names.get(type(value), "a string")
    return _TypeMismatch(f"{expected} is needed, got {actual}")
