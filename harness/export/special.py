"""Go expressions for types with their own JSON form: times, durations, quantities, IntOrString and raw JSON."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from harness.case import Json
from harness.export.imports import Imports
from harness.field.error import quote
from harness.objectmodel import META

TIME = "time"
_RESOURCE, _INTSTR = "k8s.io/apimachinery/pkg/api/resource", "k8s.io/apimachinery/pkg/util/intstr"
_RUNTIME = "k8s.io/apimachinery/pkg/runtime"
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}


def _time(imports: Imports, value: Json) -> str:
    return f"{imports.name(META)}.{_date(imports, value)}" if value else f"{imports.name(META)}.Time{{}}"


def _micro_time(imports: Imports, value: Json) -> str:
    meta = imports.name(META)
    return f"{meta}.NewMicroTime({imports.name(TIME)}.{_date(imports, value)})" if value else f"{meta}.MicroTime{{}}"


def _date(imports: Imports, value: str) -> str:
    at = datetime.fromisoformat(value).astimezone(UTC)
    time = imports.name(TIME)
    numbers = f"{at.hour}, {at.minute}, {at.second}, {at.microsecond * 1000}"
    return f"Date({at.year}, {time}.{at.strftime('%B')}, {at.day}, {numbers}, {time}.UTC)"


def _duration(imports: Imports, value: Json) -> str:
    parts = re.findall(r"([\d.]+)(ns|us|µs|ms|s|m|h)", str(value or ""))
    total = sum(round(float(number) * _UNITS[unit]) for number, unit in parts)
    total = -total if str(value).startswith("-") else total
    time = imports.name(TIME)
    text = f"{total // 10**9} * {time}.Second" if total % 10**9 == 0 else f"{total} * {time}.Nanosecond"
    return f"{imports.name(META)}.Duration{{Duration: {text}}}"


def _quantity(imports: Imports, value: Json) -> str:
    return f"{imports.name(_RESOURCE)}.MustParse({quote(str(value or 0))})"


def _int_or_string(imports: Imports, value: Json) -> str:
    package = imports.name(_INTSTR)
    return f"{package}.FromString({quote(value)})" if isinstance(value, str) else f"{package}.FromInt32({value or 0})"


def _raw(package: str, name: str) -> Callable[[Imports, Json], str]:
    def write(imports: Imports, value: Json) -> str:
        text = msgspec.json.encode(value).decode()
        return f"{imports.name(package)}.{name}{{Raw: []byte({quote(text)})}}"

    return write


SPECIAL: dict[str, Callable[[Imports, Json], str]] = {
    f"{META}.Time": _time,
    f"{META}.MicroTime": _micro_time,
    f"{META}.Duration": _duration,
    f"{META}.FieldsV1": _raw(META, "FieldsV1"),
    f"{_RESOURCE}.Quantity": _quantity,
    f"{_INTSTR}.IntOrString": _int_or_string,
    f"{_RUNTIME}.RawExtension": _raw(_RUNTIME, "RawExtension"),
}
