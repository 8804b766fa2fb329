"""The functions that Kubernetes adds to CEL, in Python: quantity, ip, cidr, url, semver, format, regex, lists and sets.

What cel-expr-python has no type for, such as a quantity, is a map with one member that names its type. Equal values are
equal maps, so each is in a canonical form. Functions raise ValueError with the server's text.

Source: k8s.io/apiserver pkg/cel/library v0.37.1, github.com/google/cel-go ext (2026-11).
"""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs

import re2

from harness.content import label_key, label_value, long_name, short_name
from harness.pyschemas.crds.formats import (
    FORMATS,
    parse_bytes,
    parse_date,
    parse_duration,
    parse_ip,
    parse_time,
    read_uri,
)

Known = Mapping[str, Any]
_Made = TypeVar("_Made")


class Function(NamedTuple):
    """One overload: its name, the types of its arguments and of its result by the names of cel-expr-python."""

    name: str
    arguments: tuple[str, ...]
    result: str
    call: Callable[..., Any]
    is_member: bool = False


ANY = ("STRING", "INT", "DOUBLE", "BOOL", "MAP", "LIST", "BYTES", "UINT")


# Quantities


_QUANTITY = re.compile(r"([+-]?)([0-9]*\.?[0-9]*)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?")
_SUFFIXES = {
    **{name: Fraction(1024) ** power for power, name in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)},
    **{name: Fraction(1000) ** power for power, name in enumerate(("k", "M", "G", "T", "P", "E"), 1)},
    **{name: Fraction(1, 1000) ** power for power, name in enumerate(("m", "u", "n"), 1)},
}
_QUANTITY_TYPE = "kubernetes.Quantity"
_LONGEST_EXPONENT = 4


def read_quantity(text: str) -> Fraction | None:
    """Return the number that a quantity is, None where it is none; smaller parts than 1n are rounded up."""
    found = _QUANTITY.fullmatch(text)
    if found is None or not text or len(text) > 1_000:
        return None
    sign, number, suffix = found[1], found[2], found[3] or ""
    if suffix[:1] in ("e", "E") and suffix != "E":
        if len(suffix.lstrip("eE+-")) > _LONGEST_EXPONENT:
            return None
        factor = Fraction(10) ** int(suffix[1:])
    else:
        factor = _SUFFIXES.get(suffix, Fraction(1))
    value = Fraction(f"0{number}".removesuffix(".")) * factor  # no digits are 0: `Ki` is a quantity
    value = Fraction(math.ceil(value * 10**9), 10**9)
    return -value if sign == "-" else value


def _quantity(text: str) -> Known:
    value = read_quantity(text)
    if value is None:
        words = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        raise ValueError(words)
    return _as_quantity(value)


def _as_quantity(value: Fraction) -> Known:
    return {_QUANTITY_TYPE: str(value)}


def _number(quantity: Known) -> Fraction:
    if _QUANTITY_TYPE not in quantity:
        raise ValueError("no such overload")
    return Fraction(quantity[_QUANTITY_TYPE])


def _sign(quantity: Known) -> int:
    value = _number(quantity)
    return (value > 0) - (value < 0)


def _is_whole(quantity: Known) -> bool:
    value = _number(quantity)
    return value.denominator == 1 and -(1 << 63) <= value < 1 << 63


def _as_integer(quantity: Known) -> int:
    if not _is_whole(quantity):
        raise ValueError("cannot convert value to integer")
    return int(_number(quantity))


# Addresses


_IP_TYPE, _CIDR_TYPE = "net.IP", "net.CIDR"
_Network = ipaddress.IPv4Interface | ipaddress.IPv6Interface
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def _read_ip(text: str) -> _Address | None:
    read = parse_ip(text, sloppy=False)
    return None if isinstance(read, ipaddress.IPv6Address) and read.ipv4_mapped else read


def _ip(text: str) -> Known:
    read = _read_ip(text)
    if read is None:
        raise ValueError(f'IP Address "{text}" parse error during conversion from string: unable to parse IP')
    return {_IP_TYPE: str(read)}


def _address(value: Known) -> _Address:
    if _IP_TYPE not in value:
        raise ValueError("no such overload")
    return ipaddress.ip_address(value[_IP_TYPE])


def _is_canonical(text: str) -> bool:
    return str(_ip(text)[_IP_TYPE]) == text


def _is_global_unicast(value: Known) -> bool:
    read = _address(value)
    is_broadcast = str(read) == "255.255.255.255"
    return not (read.is_unspecified or read.is_loopback or read.is_multicast or read.is_link_local or is_broadcast)


def _is_link_local_multicast(value: Known) -> bool:
    read = _address(value)
    local = "224.0.0.0/24" if read.version == 4 else "ff02::/16"
    return read in ipaddress.ip_network(local) or (
        read.version == 6 and read.is_multicast and (int(read) >> 112) & 0xF == 2
    )


def _read_cidr(text: str) -> _Network | None:
    address, slash, length = text.partition("/")
    read = _read_ip(address)
    if not slash or read is None or not re.fullmatch(r"0|[1-9][0-9]{0,2}", length) or int(length) > read.max_prefixlen:
        return None
    return ipaddress.ip_interface(text)


def _cidr(text: str) -> Known:
    read = _read_cidr(text)
    if read is None:
        raise ValueError(f"network address parse error during conversion from string: netip.ParsePrefix({text!r})")
    return {_CIDR_TYPE: str(read)}


def _network(value: Known) -> _Network:
    if _CIDR_TYPE not in value:
        raise ValueError("no such overload")
    return ipaddress.ip_interface(value[_CIDR_TYPE])


def _contains_ip(value: Known, other: Known | str) -> bool:
    address = _address(_ip(other) if isinstance(other, str) else other)
    return address in _network(value).network


def _contains_cidr(value: Known, other: Known | str) -> bool:
    mine, theirs = _network(value), _network(_cidr(other) if isinstance(other, str) else other)
    return mine.version == theirs.version and theirs.network.subnet_of(mine.network)  # type: ignore[arg-type]  # of one version


def _string(value: Any) -> str:
    """Return what `string(...)` makes of a value, in rules that make an address one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        for type in (_IP_TYPE, _CIDR_TYPE):
            if type in value:
                return str(value[type])
        raise ValueError("no such overload")
    return f"{value:g}" if isinstance(value, float) else str(value)


# Addresses of the web


_URL_TYPE = "kubernetes.URL"


def _url(text: str) -> Known:
    read = read_uri(text)
    if read is None:
        raise ValueError(f'URL parse error during conversion from string: parse "{text}": invalid URI for request')
    scheme, host, path, query = read
    return {_URL_TYPE: text, "scheme": scheme, "host": host, "path": path, "query": query}


def _of_url(part: str) -> Callable[[Known], str]:
    return lambda url: str(url[part])


def _host_name(url: Known) -> str:
    host = str(url["host"])
    return host[1:].partition("]")[0] if host.startswith("[") else host.rpartition(":")[0] if ":" in host else host


def _port(url: Known) -> str:
    found = re.search(r":([0-9]*)$", str(url["host"]))
    return found[1] if found else ""


def _query(url: Known) -> dict[str, list[str]]:
    return parse_qs(str(url["query"]), keep_blank_values=True)


# Versions


_SEMVER_TYPE = "kubernetes.Semver"
_PART = r"(0|[1-9][0-9]*)"
_SEMVER = re.compile(
    rf"{_PART}\.{_PART}\.{_PART}(?:-((?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|"
    r"[0-9]*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)


def _normalize(text: str) -> str:
    text = text.removeprefix("v")
    numbers, mark, rest = re.fullmatch(r"([^-+]*)([-+]?)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]  # any text fits
    parts = [part.lstrip("0") or "0" if part else part for part in numbers.split(".", 2)]
    return ".".join([*parts, *["0"] * (3 - len(parts))]) + mark + rest


def _read_semver(text: str, is_loose: bool) -> re.Match[str] | None:
    return _SEMVER.fullmatch(_normalize(text) if is_loose else text)


def _semver(text: str, is_loose: bool = False) -> Known:
    found = _read_semver(text, is_loose)
    if found is None:
        raise ValueError(f"semver parse error: {text!r} is no semantic version")
    return {_SEMVER_TYPE: f"{found[1]}.{found[2]}.{found[3]}" + (f"-{found[4]}" if found[4] else "")}


def _is_semver(text: str, is_loose: bool = False) -> bool:
    return _read_semver(text, is_loose) is not None


def _semver_key(version: Known) -> tuple[Any, ...]:
    if _SEMVER_TYPE not in version:
        raise ValueError("no such overload")
    numbers, _, early = str(version[_SEMVER_TYPE]).partition("-")
    parts = tuple((0, int(one), "") if one.isdecimal() else (1, 0, one) for one in early.split(".") if one)
    return (*map(int, numbers.split(".")), not early, parts)


def _of_semver(at: int) -> Callable[[Known], int]:
    return lambda version: int(_semver_key(version)[at])


# What quantities and versions have in common


def _compare(one: Known, other: Known) -> int:
    if _QUANTITY_TYPE in one:
        return _sign(_as_quantity(_number(one) - _number(other)))
    mine, theirs = _semver_key(one), _semver_key(other)
    return (mine > theirs) - (mine < theirs)


# Formats


_FORMAT_TYPE = "kubernetes.NamedFormat"


def _label_of_dns(text: str) -> Sequence[str]:
    fits = len(text) <= 63 and re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", text)
    return [] if fits else ["a DNS-1035 label must consist of lower case alphanumeric characters or '-'"]


def _prefixed(check: Callable[[str], Sequence[str]]) -> Callable[[str], Sequence[str]]:
    """A prefix may end with a dash: it and the letter before it are replaced, as the server does."""
    return lambda text: check(f"{text[:-2]}a" if text.endswith("-") and len(text) > 1 else text)


def _of_format(name: str, words: str) -> Callable[[str], Sequence[str]]:
    return lambda text: [] if FORMATS[name](text) else [words]


NAMED: Mapping[str, Callable[[str], Sequence[str]]] = {
    "dns1123Label": short_name, "dns1123Subdomain": long_name, "dns1035Label": _label_of_dns,
    "qualifiedName": label_key, "dns1123LabelPrefix": _prefixed(short_name),
    "dns1123SubdomainPrefix": _prefixed(long_name), "dns1035LabelPrefix": _prefixed(_label_of_dns),
    "labelValue": label_value, "uri": _of_format("uri", "invalid URI"),
    "uuid": _of_format("uuid", "does not match the UUID format"), "byte": _of_format("byte", "invalid base64"),
    "date": _of_format("date", "invalid date"), "datetime": _of_format("datetime", "invalid datetime"),
}  # fmt: skip
"""The checks of `format.NAME()`: messages, none where the text fits."""


def _named(name: str) -> Known:
    return {"v": {_FORMAT_TYPE: name}} if name in NAMED else {}


def _check_format(format: Known, text: str) -> Known:
    wrong = list(NAMED[format[_FORMAT_TYPE]](text))
    return {"v": wrong} if wrong else {}


def _format(name: str) -> Callable[[], Known]:
    return lambda: {_FORMAT_TYPE: name}


# Texts, lists and sets


def _search(text: str, pattern: str, count: int = -1) -> list[str]:
    options = re2.Options()
    options.log_errors = False
    try:
        found = re2.compile(pattern, options).finditer(text)
    except re2.error as error:
        raise ValueError(f"Illegal regex: {error}") from None
    return [one[0] for _, one in zip(range(count), found, strict=False)] if count >= 0 else [one[0] for one in found]


def _find(text: str, pattern: str) -> str:
    return next(iter(_search(text, pattern, 1)), "")


def is_equal(one: Any, other: Any) -> bool:
    """Whether two values are equal in CEL: numbers of any type are, and no number is a boolean."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_equal(value, other[name]) for name, value in one.items())
    return bool(one == other)


def _has(items: Sequence[Any], value: Any) -> bool:
    return any(is_equal(one, value) for one in items)


def _index(items: Any, value: Any) -> int:
    if isinstance(items, str):
        return items.find(value)
    return next((at for at, one in enumerate(items) if is_equal(one, value)), -1)


def _last_index(items: Any, value: Any) -> int:
    if isinstance(items, str):
        return items.rfind(value)
    return next((at for at in reversed(range(len(items))) if is_equal(items[at], value)), -1)


def _extreme(name: str, pick: Callable[[Iterable[Any]], Any]) -> Callable[[list[Any]], Any]:
    def call(items: list[Any]) -> Any:
        if not items:
            raise ValueError(f"{name} called on empty list")
        return pick(items)

    return call


def _distinct(items: list[Any]) -> list[Any]:
    found: list[Any] = []
    for one in items:
        if not _has(found, one):
            found.append(one)
    return found


def _slice(items: list[Any], first: int, last: int) -> list[Any]:
    if not 0 <= first <= last <= len(items):
        raise ValueError(f"cannot slice({first}, {last}), list is length {len(items)}")
    return items[first:last]


def _flatten(items: list[Any], depth: int = 1) -> list[Any]:
    found: list[Any] = []
    for one in items:
        found += _flatten(one, depth - 1) if isinstance(one, list) and depth > 0 else [one]
    return found


def _made(read: Callable[[str], _Made | None], name: str) -> Callable[[str], _Made]:
    def call(text: str) -> _Made:
        value = read(text)
        if value is None:
            raise ValueError(f"Invalid {name} formatted string {text}")
        return value

    return call


def _time(text: str) -> datetime:
    return _made(parse_time, "date-time")(text)


def _duration(text: str) -> timedelta:
    return _made(parse_duration, "duration")(text)


def _members(names: Iterable[str], arguments: tuple[str, ...], result: str, *calls: Any) -> list[Function]:
    return [Function(name, arguments, result, call, True) for name, call in zip(names, calls, strict=True)]


_TEXT, _MAP, _LIST = ("STRING",), ("MAP",), ("LIST",)
FUNCTIONS: tuple[Function, ...] = (
    Function("quantity", _TEXT, "DYN", _quantity),
    Function("isQuantity", _TEXT, "BOOL", lambda text: read_quantity(text) is not None),
    Function("sign", _MAP, "INT", _sign),
    *_members(("asInteger",), _MAP, "INT", _as_integer),
    *_members(("isInteger",), _MAP, "BOOL", _is_whole),
    *_members(("asApproximateFloat",), _MAP, "DOUBLE", lambda one: float(_number(one))),
    *_members(("isGreaterThan", "isLessThan"), ("MAP", "MAP"), "BOOL",
              lambda one, other: _compare(one, other) > 0, lambda one, other: _compare(one, other) < 0),
    *_members(("compareTo",), ("MAP", "MAP"), "INT", _compare),
    *_members(("add", "sub"), ("MAP", "MAP"), "DYN", lambda one, other: _as_quantity(_number(one) + _number(other)),
              lambda one, other: _as_quantity(_number(one) - _number(other))),
    *_members(("add", "sub"), ("MAP", "INT"), "DYN", lambda one, other: _as_quantity(_number(one) + other),
              lambda one, other: _as_quantity(_number(one) - other)),
    Function("ip", _TEXT, "DYN", _ip),
    Function("isIP", _TEXT, "BOOL", lambda text: _read_ip(text) is not None),
    Function("ip.isCanonical", _TEXT, "BOOL", _is_canonical),
    *_members(("family",), _MAP, "INT", lambda one: _address(one).version),
    *_members(("isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast"), _MAP,
              "BOOL", lambda one: _address(one).is_unspecified, lambda one: _address(one).is_loopback,
              _is_link_local_multicast, lambda one: _address(one).is_link_local, _is_global_unicast),
    Function("cidr", _TEXT, "DYN", _cidr),
    Function("isCIDR", _TEXT, "BOOL", lambda text: _read_cidr(text) is not None),
    *(Function(name, ("MAP", other), "BOOL", call, True) for other in ("MAP", "STRING")
      for name, call in (("containsIP", _contains_ip), ("containsCIDR", _contains_cidr))),
    *_members(("ip", "masked"), _MAP, "DYN", lambda one: {_IP_TYPE: str(_network(one).ip)},
              lambda one: {_CIDR_TYPE: str(_network(one).network)}),
    *_members(("prefixLength",), _MAP, "INT", lambda one: _network(one).network.prefixlen),
    *(Function("k8s_string", (type,), "STRING", _string) for type in ("MAP", "STRING", "INT", "DOUBLE", "BOOL")),
    Function("url", _TEXT, "DYN", _url),
    Function("isURL", _TEXT, "BOOL", lambda text: read_uri(text) is not None),
    *_members(("getScheme", "getHost", "getHostname", "getPort", "getEscapedPath"), _MAP, "STRING", _of_url("scheme"),
              _of_url("host"), _host_name, _port, _of_url("path")),
    *_members(("getQuery",), _MAP, "DYN", _query),
    Function("semver", _TEXT, "DYN", _semver), Function("semver", ("STRING", "BOOL"), "DYN", _semver),
    Function("isSemver", _TEXT, "BOOL", _is_semver), Function("isSemver", ("STRING", "BOOL"), "BOOL", _is_semver),
    *_members(("major", "minor", "patch"), _MAP, "INT", _of_semver(0), _of_semver(1), _of_semver(2)),
    *(Function(f"format.{name}", (), "DYN", _format(name)) for name in NAMED),
    Function("format.named", _TEXT, "DYN", _named),
    Function("validate", ("MAP", "STRING"), "DYN", _check_format, True),
    Function("find", ("STRING", "STRING"), "STRING", _find, True),
    Function("findAll", ("STRING", "STRING"), "DYN", _search, True),
    Function("findAll", ("STRING", "STRING", "INT"), "DYN", _search, True),
    *_members(("isSorted",), _LIST, "BOOL", lambda items: items == sorted(items)),
    *_members(("sum", "min", "max"), _LIST, "DYN", sum, _extreme("min", min), _extreme("max", max)),
    *_members(("distinct", "sort", "flatten", "k8s_reverse"), _LIST, "DYN", _distinct, sorted, _flatten,
              lambda items: items[::-1]),
    Function("slice", ("LIST", "INT", "INT"), "DYN", _slice, True),
    Function("flatten", ("LIST", "INT"), "DYN", _flatten, True),
    Function("lists.range", ("INT",), "DYN", lambda count: list(range(count))),
    *(Function(name, ("LIST", type), "INT", call, True) for type in ANY
      for name, call in (("k8s_indexOf", _index), ("k8s_lastIndexOf", _last_index))),
    *(Function(name, ("STRING", "STRING"), "INT", call, True)
      for name, call in (("k8s_indexOf", _index), ("k8s_lastIndexOf", _last_index))),
    Function("sets.contains", ("LIST", "LIST"), "BOOL", lambda one, other: all(_has(one, item) for item in other)),
    Function("sets.intersects", ("LIST", "LIST"), "BOOL", lambda one, other: any(_has(one, item) for item in other)),
    Function("sets.equivalent", ("LIST", "LIST"), "BOOL", lambda one, other: all(_has(one, item) for item in other)
             and all(_has(other, item) for item in one)),
    Function("k8s_time", _TEXT, "TIMESTAMP", _time),
    Function("k8s_date", _TEXT, "TIMESTAMP", _made(parse_date, "date")),
    Function("k8s_duration", _TEXT, "DURATION", _duration),
    Function("k8s_bytes", _TEXT, "BYTES", _made(parse_bytes, "byte")),
)  # fmt: skip
"""By overload. Those with `k8s_` before their names take the place of functions of CEL that have other overloads."""
