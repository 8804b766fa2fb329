"""Values worth trying, by shape: plausible ones to build objects with, and pools to mend and to probe with.

The pools know what strings look like that programs accept (names, addresses, times, certificates, expressions); they
know no kind and no field. Everything here is constant, so that a run is a function of its seed.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator

from harness.case import Json
from harness.fuzzers.places import ABSENT
from harness.fuzzers.shape import FieldShape, Shape

_REQUEST = """-----BEGIN CERTIFICATE REQUEST-----
MIGLMD8CAQAwDDEKMAgGA1UEAwwBYTAqMAUGAytlcAMhAItStgR7RNpXs2oM9Qyn
JkcirT1fJr8g1SnWT7TgNKJAoAAwBQYDK2VwA0EAPWoVTGRR3E2sF9amTtHHn+K2
ZFgxpV+iafh/Rr0/cr7KxZ7/JpjPXR4kvvbwUR3sj6UWmFs37p5VsscJsGcsDw==
-----END CERTIFICATE REQUEST-----
"""
_CERTIFICATE = """-----BEGIN CERTIFICATE-----
MIHrMIGeoAMCAQICAQEwBQYDK2VwMAwxCjAIBgNVBAMMAWEwIBcNMjAwMTAxMDAw
MDAwWhgPMjEyMDAxMDEwMDAwMDBaMAwxCjAIBgNVBAMMAWEwKjAFBgMrZXADIQCL
UrYEe0TaV7NqDPUMpyZHIq09Xya/INUp1k+04DSiQKMjMCEwDwYDVR0TAQH/BAUw
AwEB/zAOBgNVHQ8BAf8EBAMCAoQwBQYDK2VwA0EAkLsql1CMIRqvobIvBJY1Y34o
KWQWoOkVPR+p+h5QLifvSRq3FwsDj3xFDsad5RkdHCeLVtSObZHxeATVB62QDg==
-----END CERTIFICATE-----
"""
_PUBLIC_KEY = "MCowBQYDK2VwAyEAi1K2BHtE2lezagz1DKcmRyKtPV8mvyDVKdZPtOA0okA="
_SIGNATURE_OF_A = "n9CqEclulnSVSUEE0MFHG06CoxAAUPgfbGU3tUUSeEC8Nj5pxpa5XSF5dPTicmOpsk6nL4OkBgQql4Dw5Wy7Bg=="

TEXTS: tuple[str, ...] = (
    "a", "b", "1", "a.b", "example.com", "example.com/a", "10.0.0.1", "10.0.0.0/24", "/a", "v1", "A", "*", "true",
    "1.0.0", _CERTIFICATE,
    "https://a.example/a", "fd00::1", "fd00::/64", "50%", "1h", "100m", "1Gi", "pods", "get", "None", "Always", "TCP",
    "kubernetes.io/a", "kubernetes.io/kube-apiserver-client", "rbac.authorization.k8s.io", "storage.k8s.io", "apps",
    "system:a", "0 0 * * *", "Etc/UTC", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000000Z", "a=b", "{.a}", "{}",
    "00000000-0000-0000-0000-000000000001", "object.metadata.name == 'a'", "Object{}", "[]", "a/b", "/dev/a", "a_b",
    "a@example.com", "example.com:a", "example.com/a/b", "v1alpha1", "Normal",
    '{"a":"b"}', "00:00:00:00:00:01", "A_B", "0", "",
    "kube-system", "default", "a-b", "a.b.c", "2", "-1", "/", "..", "a,b", "s3.a", "Pod", "Deployment", "Namespace",
    _REQUEST,
)  # fmt: skip
"""Strings that some validator accepts, the most common first."""

BYTES: tuple[str, ...] = (
    "YQ==", "", "e30=", base64.b64encode(_CERTIFICATE.encode()).decode(), base64.b64encode(_REQUEST.encode()).decode(),
    base64.b64encode(base64.b64decode("".join(_REQUEST.splitlines()[1:-1]))).decode(), _PUBLIC_KEY, _SIGNATURE_OF_A,
)  # fmt: skip

_TIMES = ("2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z", "1970-01-01T00:00:00Z", "2099-01-01T00:00:00Z", None)
_MICROS = tuple(time.replace("Z", ".000000Z") if time else None for time in _TIMES)

_POOLS: dict[str, tuple[Json, ...]] = {
    "string": TEXTS,
    "bytes": BYTES,
    "bool": (True, False),
    "int": (1, 0, 2, -1, 10, 80, 100, 1000, 3600, 65535),
    "float": (1, 0, 0.5, -1, 2),
    "time": _TIMES,
    "micro-time": _MICROS,
    "duration": ("1h0m0s", "0s", "1s", "-1s", "24h0m0s"),
    "quantity": ("1", "0", "1Gi", "100m", "-1", "2", "1500m"),
    "int-or-string": (1, "50%", 0, "a", "100%", "http", 80, -1),
    "raw": ({"apiVersion": "v1", "kind": "ConfigMap"}, {}),
    "fields": ({}, {"f:metadata": {}}),
    "any": ("a", 1, True, {}, []),
}

_BEYOND: dict[str, tuple[Json, ...]] = {
    "string": (
        "x" * 63, "x" * 64, "x" * 253, "x" * 254, "é", "é" * 40, "a b", " ", "a.", ".a", "-a", "a-", "a..b",
        "a\n", "\x00",
        "UPPER",
        "x" * 15, "x" * 16, "x" * 57, "x" * 58, "x" * 316, "x" * 317, "x" * 512, "x" * 513, "x" * 1024, "x" * 1025,
        "x/" + "y" * 63, "x/" + "y" * 64, "//", "a//b", "../a", "a/../b", "010.0.0.1", "10.0.0.1/24", "::ffff:10.0.0.1",
        "FD00::1", "1.2.3", "256.0.0.1", "http://", "a:b", "999999999999999999999", "x" * 4097, "😀", "e\u0301",
    ),
    "int": (
        -1, 0, 1, 2, 65535, 65536, 32767, 32768, 256, 1024, 30, 60, 600, 86400, 100000, 101, 99, 127, 128, 64, 63, 32,
        16, 15, 8, 5, 3, 10, 11, 20, 50, 253, 254,
    ),
    "float": (-1, 0, 0.5, 1e300, -0.0),
    "bytes": ("AA==", "//8=", "YWE=" * 100),
    "time": ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2024-01-01T00:00:00+14:00"),
    "micro-time": ("0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"),
    "duration": ("-1s", "1ns", "2540400h0m0s"),
    "quantity": ("-1", "0", "0.5", "1m", "1n", "1Ei", "9223372036854775807", "1e30"),
    "int-or-string": (-1, 0, 101, 65535, 65536, "0%", "101%", "-1%", "", "a_b", "x" * 16, "1", "50", "%"),
}  # fmt: skip
"""Values at the edges of formats and lengths, by shape: what a rule tends to say no to."""

LIMITS = {8: (-(2**7), 2**7 - 1), 16: (-(2**15), 2**15 - 1), 32: (-(2**31), 2**31 - 1), 64: (-(2**63), 2**63 - 1)}


def pool(shape: Shape) -> tuple[Json, ...]:
    """Return values of this shape that something tends to accept, declared constants first."""
    return (*shape.choices, *_POOLS.get(shape.kind, ()))


def beyond(shape: Shape) -> tuple[Json, ...]:
    """Return values of this shape at edges: lengths, signs, widths, near misses of the declared constants."""
    values: tuple[Json, ...] = _BEYOND.get(shape.kind, ())
    if shape.kind == "int":
        low, high = LIMITS.get(shape.bits, LIMITS[64])
        low, high = (low, high) if shape.signed else (0, 2 * high + 1)
        values = (*(value for value in values if low <= value <= high), low, high)
    misses = [miss for choice in shape.choices[:3] if isinstance(choice, str) and choice for miss in _near(choice)]
    return (*misses, *values)


def _near(choice: str) -> tuple[str, ...]:
    return choice.swapcase(), choice + "x", choice + " "


def plausible(shape: Shape, depth: int = 3) -> Json:
    """Make a small value of this shape; members of structs are left out, feedback asks for those that are needed."""
    if shape.choices:
        return next((choice for choice in shape.choices if choice != ""), "")
    if shape.kind == "list":
        return [plausible(shape.elem, depth - 1)] if depth > 0 else []
    if shape.kind == "map":
        return {str(plausible(shape.key)): plausible(shape.elem, depth - 1)} if depth > 0 else {}
    return {} if shape.kind == "struct" else pool(shape)[0]


def filled(shape: Shape, depth: int = 4) -> Json:
    """Make a value in which every member that has no `omitempty` is present."""
    if shape.kind == "struct" and depth > 0:
        wanted = (member for member in shape.fields if not member.omitempty and not member.pointer)
        return {member.name: filled(member.shape, depth - 1) for member in wanted}
    if shape.kind == "list" and depth > 0:
        return [filled(shape.elem, depth - 1)]
    return plausible(shape, depth)


def rich(shape: Shape, depth: int = 2) -> Json:
    """Make a value in which members of every sort are present, down to a depth."""
    if shape.kind == "struct" and depth > 0:
        return {member.name: rich(member.shape, depth - 1) for member in shape.fields}
    if shape.kind == "list":
        return [rich(shape.elem, depth - 1)]
    return plausible(shape, depth)


def alternatives(member: FieldShape) -> Iterator[Json]:
    """Yield values to add an absent member with, the likeliest first."""
    shape = member.shape
    if shape.kind in ("struct", "list"):
        yield filled(shape)
        yield plausible(shape)
        if shape.kind == "struct":
            for below in shape.fields[:40]:
                yield {below.name: filled(below.shape)}
        elif shape.elem.kind not in ("struct", "list", "map"):
            for value in pool(shape.elem):
                yield [value]
        return
    if shape.kind == "map":
        for value in pool(shape.elem)[:6] or ({},):
            yield {"a": value}
        for key in (*shape.key.choices, *TEXTS[1:30]):
            yield {str(key): plausible(shape.elem)}
        return
    yield from (hint for hint in member.hints if fits(hint, shape))
    yield from pool(shape)


def fits(value: Json, shape: Shape) -> bool:
    """Whether a word or number can stand at a place of this shape."""
    if value is ABSENT or value is None:
        return True
    if shape.kind in ("string", "quantity", "time", "micro-time", "duration"):
        return isinstance(value, str)
    if shape.kind == "int":
        low, high = LIMITS.get(shape.bits, LIMITS[64])
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
    return shape.kind in ("int-or-string", "any", "float") and isinstance(value, int | str)
