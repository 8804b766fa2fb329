"""The formats that a server checks in custom resources, each a predicate on strings.

Source: k8s.io/kube-openapi pkg/validation/strfmt, k8s.io/apiextensions-apiserver pkg/apiserver/validation/formats.go
of 1.37 (2026-11).
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta, timezone
from email.utils import parseaddr

from harness.content import letter_first_name, long_name, short_name

_HOST = re.compile(r"[LDS](-?[LDS]{0,62})?|([LDS]([LDS-]{0,61}[LDS])?\.)+L{2,63}")
"""Over the classes of characters, since no expression has those of Unicode in a bearable size."""
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))")
_GO_DURATION = re.compile(r"[-+]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+")
_GO_PART = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_SCALA_PART = re.compile(r"([0-9]+)\s*([A-Za-zµ]+)")
_UNITS: tuple[tuple[float, tuple[str, ...]], ...] = (
    (1e-9, ("ns", "nano")), (1e-6, ("us", "µs", "micro")), (1e-3, ("ms", "milli")), (1, ("s", "sec")),
    (60, ("m", "min")), (3600, ("h", "hr", "hour")), (86400, ("d", "day")), (604800, ("w", "wk", "week")),
)  # fmt: skip
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_MAC = re.compile("|".join(
    f"(?:[0-9A-Fa-f]{{{digits}}}{sign}){{{2 * size // digits - 1}}}[0-9A-Fa-f]{{{digits}}}"
    for digits, sign in ((2, ":"), (2, "-"), (4, "[.]"), (2, ""))
    for size in (6, 8, 20)
))  # fmt: skip
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)  # noqa: UP017 - the same object by the name that CEL prints


def parse_duration(text: str) -> timedelta | None:
    """Read a duration of Go, or one as Scala writes it (`22 ns`, `1 day`); None where it is neither."""
    if _GO_DURATION.fullmatch(text):
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in _GO_PART.findall(text))
        return _delta(-seconds if text.startswith("-") else seconds)
    found, seconds = False, 0.0
    for number, written in _SCALA_PART.findall(text):
        unit = written.lower()
        for factor, names in _UNITS:
            for name in names:
                if unit == name or (name == names[-1] and unit.startswith(name)):
                    found, seconds = True, seconds + int(number) * factor
    return _delta(seconds) if found else None


def _delta(seconds: float) -> timedelta | None:
    try:
        return timedelta(seconds=seconds)
    except OverflowError:
        return None


def parse_time(text: str) -> datetime | None:
    """Read a time as a server makes one of it for CEL rules; None where it cannot."""
    if not text:
        return _EPOCH
    shortened = re.sub(r"(\.[0-9]{6})[0-9]+", r"\1", text)
    if not re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:", shortened):
        return None
    try:
        read = datetime.fromisoformat(shortened)
    except ValueError:
        return None
    return read if read.tzinfo else read.replace(tzinfo=_EPOCH.tzinfo)


def parse_date(text: str) -> datetime | None:
    """Read a day as a time; None where it is none."""
    return datetime.fromisoformat(text).replace(tzinfo=_EPOCH.tzinfo) if is_date(text) else None


def parse_bytes(text: str) -> bytes | None:
    """Read bytes in the alphabet for addresses, as a server does for CEL rules; None where it cannot."""
    try:
        return base64.b64decode(text.replace("\n", "").replace("\r", ""), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None


def is_date(text: str) -> bool:
    """Whether this is a day as `2006-01-02`."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return text.startswith("0000-") and is_date("0004" + text[4:])
    return True


def is_time(text: str) -> bool:
    """Whether this is a date and a time, by the server's expression; a leap second is none."""
    parts = text.lower().split("t")
    if len(text) < 4 or len(parts) < 2 or not is_date(parts[0]):
        return False
    found = _TIME.fullmatch(parts[1])
    return found is not None and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


def is_uri(text: str) -> bool:
    """Whether Go's `url.ParseRequestURI` takes it: an absolute address, or an absolute path."""
    return read_uri(text) is not None


def read_uri(text: str) -> tuple[str, str, str, str] | None:
    """Read an absolute address or path into scheme, host, path and query, as Go does; None where it cannot."""
    if not text or re.search(r"[\x00-\x1f\x7f]", text):
        return None
    named = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", text)
    scheme, rest = (named[1].lower(), text[named.end() :]) if named else ("", text)
    rest, _, query = rest.partition("?")
    host = ""
    if not rest.startswith("/"):
        return (scheme, "", "", query) if scheme or text == "*" else None
    if scheme and rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        host, rest = host.rpartition("@")[2], slash + path
        if not _is_host(host):
            return None
    return None if re.search(r"%(?![0-9A-Fa-f]{2})", rest) else (scheme, host, rest, query)


def _is_host(host: str) -> bool:
    if host.startswith("["):
        inside, end, port = host[1:].partition("]")
        return bool(end and inside) and bool(re.fullmatch(r"(:[0-9]*)?", port))
    name, colon, port = host.rpartition(":")
    if colon and port and not port.isdecimal():
        return False
    return re.search(r"[\s:\\^`{|}#/%]", name if colon else host) is None


def parse_ip(text: str, *, sloppy: bool = True) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Read an address; `sloppy` takes leading zeros in IPv4, as servers do in formats. None where it is none."""
    if sloppy and re.fullmatch(r"[0-9]+(\.[0-9]+){3}", text):
        text = ".".join(str(int(part)) for part in text.split("."))
    if "%" in text:
        return None
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _is_ipv4(text: str) -> bool:
    return "." in text and parse_ip(text) is not None


def _is_ipv6(text: str) -> bool:
    return ":" in text and parse_ip(text, sloppy=False) is not None


def is_cidr(text: str, *, sloppy: bool = True) -> bool:
    """Whether this is an address with the length of a prefix."""
    address, slash, length = text.partition("/")
    read = parse_ip(address, sloppy=sloppy)
    return bool(slash) and read is not None and bool(re.fullmatch("[0-9]{1,3}", length)) and int(length) <= (
        read.max_prefixlen
    ) and (length == "0" or not length.startswith("0") or sloppy)  # fmt: skip


def _is_host_name(text: str) -> bool:
    classes = "".join(_class_of(one) for one in text[:256])
    return len(text.encode()) <= 255 and _HOST.fullmatch(classes) is not None and _longest_label(text) <= 63


def _class_of(one: str) -> str:
    if one in ".-":
        return one
    kind = "D" if one.isascii() and one.isdecimal() else unicodedata.category(one)[0]
    return kind if kind in "LDS" else "?"


def _longest_label(text: str) -> int:
    return max(len(part.encode()) for part in text.split("."))


def _is_email(text: str) -> bool:
    """Whether Go's `mail.ParseAddress` takes it, near enough: one address, with or without a name."""
    _, address = parseaddr(text)
    return bool(re.fullmatch(r"[^@\s<>()\[\],;:\\\"]+@[^@\s<>()\[\],;:\\\"]+", address)) and (
        text.strip() == address or text.strip().endswith(f"<{address}>")
    ) and ".." not in address and not address.startswith(".")  # fmt: skip


def _is_base64(text: str) -> bool:
    return bool(re.fullmatch(
        r"(?:[A-Za-z0-9+\/]{4})*(?:[A-Za-z0-9+\/]{2}==|[A-Za-z0-9+\/]{3}=|[A-Za-z0-9+\/]{4})", text
    ))  # fmt: skip


def _digits_of(text: str) -> str:
    return re.sub(r"[\s-]+", "", text)


def _is_isbn10(text: str) -> bool:
    digits = _digits_of(text)
    if not re.fullmatch(r"[0-9]{9}X|[0-9]{10}", digits):
        return False
    return sum((10 if one == "X" else int(one)) * (at + 1) for at, one in enumerate(digits)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = _digits_of(text)
    if not re.fullmatch(r"[0-9]{13}", digits):
        return False
    return sum(int(one) * (3 if at % 2 else 1) for at, one in enumerate(digits)) % 10 == 0


def _is_card(text: str) -> bool:
    digits = re.sub(r"[^0-9]+", "", text)
    known = (
        r"(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|"
        r"3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})"
    )
    if not re.fullmatch(known, digits):
        return False
    doubled = [int(one) * (2 if at % 2 else 1) for at, one in enumerate(reversed(digits))]
    return sum(one - 9 if one > 9 else one for one in doubled) % 10 == 0


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


def _uuid(third: str, fourth: str) -> Callable[[str], bool]:
    part = "-?[0-9a-f]{4}"
    return _matches(f"(?ia:[0-9a-f]{{8}}{part}-?{third or '[0-9a-f]'}[0-9a-f]{{3}}-?{fourth or '[0-9a-f]'}"
                    "[0-9a-f]{3}-?[0-9a-f]{12})")  # fmt: skip


_BYTE = r"([0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])"
FORMATS: Mapping[str, Callable[[str], bool]] = {
    "uri": is_uri, "email": _is_email, "hostname": _is_host_name, "ipv4": _is_ipv4, "ipv6": _is_ipv6,
    "cidr": is_cidr, "mac": lambda text: _MAC.fullmatch(text) is not None,
    "uuid": _uuid("", ""), "uuid3": _uuid("3", ""), "uuid4": _uuid("4", "[89ab]"), "uuid5": _uuid("5", "[89ab]"),
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text), "isbn10": _is_isbn10, "isbn13": _is_isbn13,
    "creditcard": _is_card, "ssn": _matches(r"[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}"),
    "hexcolor": _matches(r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _matches(rf"rgb\(\s*{_BYTE}\s*,\s*{_BYTE}\s*,\s*{_BYTE}\s*\)"),
    "byte": _is_base64, "date": is_date, "datetime": is_time,
    "duration": lambda text: parse_duration(text) is not None, "bsonobjectid": _matches("[0-9a-fA-F]{24}"),
    "k8sshortname": lambda text: not short_name(text), "k8slongname": lambda text: not long_name(text),
}  # fmt: skip
"""Those that a server supports in every definition, by their names without dashes, as the server compares them."""
STORAGE_FORMATS: Mapping[str, Callable[[str], bool]] = {
    "dns1123subdomain": lambda text: not long_name(text), "dns1123label": lambda text: not short_name(text),
    "dns1035label": lambda text: not letter_first_name(text),
}  # fmt: skip
"""Those of KEP-4153, which a server is to know in definitions that are stored, a release before it supports them in new
ones: what a newer server stored keeps its meaning after a downgrade. No release has this list."""
IGNORED = frozenset({"password"})
"""Formats that every string has."""
