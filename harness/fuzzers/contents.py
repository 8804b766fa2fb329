"""The values of formats: commonly accepted values and boundary values. All of them are constant.

Has the content that no message of a validator names: certificates, expressions, schedules. Depends on no kind of
object, no rule and no tag; `naming` has the format of fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from harness.case import Json
from harness.fuzzers import credentials


@dataclass(frozen=True, slots=True)
class Content:
    """The values of a format: commonly accepted ones, the most common first, and its boundary values.

    `series` returns the nth of any number of different accepted values, counted from 0.
    """

    plausible: tuple[Json, ...]
    boundary: tuple[Json, ...] = ()
    series: Callable[[int], Json] | None = None


UID = "00000000-0000-0000-0000-000000000001"
_LABEL, _SUBDOMAIN = "a" * 63, ".".join(["a" * 63] * 3 + ["a" * 61])
_NODE = "system:node:a", ("system:nodes",)
_PEM = "-----BEGIN {0}-----\nYQ==\n-----END {0}-----\n"

_STRINGS: dict[str, Content] = {
    "dns-label": Content(
        ("a", "b", "a-b", "1"), (_LABEL, _LABEL + "a", "A", "a.b", "-a", "a-", "a_b", "", "é"), "a{}".format,
    ),
    "dns-subdomain": Content(
        ("a", "a.b", "example.com", "a-1.example.com"),
        (_SUBDOMAIN, _SUBDOMAIN + "a", "A.b", "a..b", ".a", "a.", "a.-b", "*.a", "", "a" * 64 + ".b"), "a{}".format,
    ),
    "domain": Content(
        ("example.com", "a.example.com", "a", "a.b.c"),
        ("", "A.com", "a..b", "*.a", "x" * 63, "x" * 64, "x" * 253, "x" * 254, "a_b.c", "10.0.0.1"), "a{}.b.c".format,
    ),
    "host": Content(
        ("a.example.com", "*.example.com", "a"),
        ("", "*", "*.*.a", "a.*.b", "10.0.0.1", "A.com", "a..b", "a_b.c", _SUBDOMAIN, _SUBDOMAIN + "a"), "a{}.b".format,
    ),
    "label-key": Content(
        ("a", "example.com/a", "kubernetes.io/hostname", "A_b.c"),
        ("", "a/b/c", "/a", "a/", "A.com/a", "é", "-a", "x.io/" + _LABEL, "x.io/" + _LABEL + "a", _SUBDOMAIN + "/a",
         _SUBDOMAIN + "d/a", _LABEL, _LABEL + "a"),
        "a{}".format,
    ),
    "node-key": Content(
        ("a", "kubernetes.io/hostname", "example.com/a", "metadata.name", "A_b.c"),
        ("", "a/b/c", "A.com/a", "é", "-a", "metadata.namespace", _LABEL, _LABEL + "a"), "a{}".format,
    ),
    "label-value": Content(
        ("a", "", "A_b.c", "1"), (_LABEL, _LABEL + "a", "a b", "-a", "a.", "é", "a/b"), "a{}".format,
    ),
    "annotation-key": Content(
        ("a", "example.com/a", "A.com/a"), ("", "a/b/c", "/a", "é", "-a", _LABEL + "a"), "a{}".format,
    ),
    "selector": Content(("a=b", "a", "a in (b,c)", "!a", "a!=b,c"), ("", "a==", "a in b", "=a", "a=b=c", ",")),
    "image": Content(
        ("a", "registry.k8s.io/pause:3.10", "a@sha256:" + "0" * 64, "localhost:5000/a/b:v1"),
        ("", " a", "A", "a:", "a b"), "a:{}".format,
    ),
    "ip": Content(
        ("10.0.0.1", "fd00::1", "192.168.1.1"),
        (
            "010.0.0.1", "10.0.0", "256.0.0.1", "::ffff:10.0.0.1", "FD00::1", "fd00:0::1", "127.0.0.1", "0.0.0.0",
            "::", "169.254.169.254", "224.0.0.1", "fe80::1", "::1", "10.0.0.1/32", "",
        ), lambda number: f"10.{1 + number // 250}.0.{1 + number % 250}",
    ),
    "cidr": Content(
        ("10.0.0.0/24", "fd00::/64", "0.0.0.0/0", "::/0"),
        (
            "10.0.0.1/24", "10.0.0.0/33", "10.0.0.0", "010.0.0.0/24", "::ffff:10.0.0.0/120", "10.0.0.0/024",
            "fd00::/129", "FD00::/64", "10.0.0.0/24 ", "",
        ), lambda number: f"10.{number // 256}.{number % 256}.0/24",
    ),
    "interface-address": Content(
        ("10.0.0.1/24", "fd00::1/64"),
        ("10.0.0.1", "10.0.0.1/33", "010.0.0.1/24", "::ffff:10.0.0.1/120", "FD00::1/64", "fd00:0::1/64", ""),
        lambda number: f"10.{1 + number // 250}.0.{1 + number % 250}/24",
    ),
    "mac": Content(
        ("00:00:00:00:00:01",),
        ("00-00-00-00-00-01", "0000.0000.0001", "00:00:00:00:00", "0G:00:00:00:00:01", "a" * 128, "a" * 129),
    ),
    "uid": Content(
        (UID, "a"), ("", UID.replace("0", "A"), "urn:uuid:" + UID, "{" + UID + "}", UID[:-1]),
        "00000000-0000-0000-0001-{:012x}".format,
    ),
    "url": Content(
        ("https://a.example/a", "https://a.example:443", "http://a"),
        ("a", "//a", "https://", "https://u:p@a", "https://a#b", "https://a?b=c", "ftp://a", "https://[::1]/", ":"),
        "https://a.example/{}".format,
    ),
    "path": Content(
        ("/a", "/", "/a/b", "a"), ("", "..", "/a/../b", "a//b", "/..a", "C:\\a", "/a:b", "/" + "a" * 4096),
        "/a{}".format,
    ),
    "relative-path": Content(
        ("a", "a/b", "a.txt"), ("", "/a", "..", "../a", "a/../b", "a//b", ".", "..a", "a:b"), "a{}".format,
    ),
    "http-path": Content(
        ("/a", "/", "/a/*", "/healthz"), ("", "a", "*", "/a/..", "/a//b", "/./a", "/%2f", "/a*b", "/a/**"),
        "/a{}".format,
    ),
    "schedule": Content(
        ("0 0 * * *", "*/5 * * * *", "@hourly", "0 0 1 1 0"),
        (
            "", "* * * *", "60 * * * *", "TZ=UTC 0 0 * * *", "CRON_TZ=UTC 0 0 * * *", "@every 1h", "0 0 31 2 *",
            "* * * * * *",
        ), lambda number: f"{number % 60} {number // 60 % 24} * * *",
    ),
    "time-zone": Content(
        ("Etc/UTC", "Europe/Berlin", "UTC"), ("", "Local", "local", "europe/berlin", "Nowhere/At", " UTC"),
    ),
    "expression": Content(
        (
            "true", "object.metadata.name == 'a'", "request.userInfo.username == 'a'", "'a'", "device.driver == 'a.b'",
            "[JSONPatch{op: 'add', path: '/metadata/labels/a', value: 'b'}]",
            "Object{metadata: Object.metadata{name: 'a'}}", "self == oldSelf", "variables.a == 1",
        ),
        ("", "true &&", "1", "nothing.here", "object.spec.x.all(i, i > 0)", "'a' == 1", "(" * 300 + "true" + ")" * 300),
    ),
    "device-expression": Content(
        (
            "true", "device.driver == 'a.b'", "'a.b' in device.attributes", "device.attributes['a.b'].c == 'd'",
            "device.capacity['a.b'].c.isGreaterThan(quantity('1'))",
        ),
        ("", "1", "true &&", "object.a", "device.nothing", "[1].all(a, true)", "true" + " || true" * 1300,
         "'" + "a" * 10 * 1024 + "' == ''"),
    ),
    "patch-expression": Content(
        (
            "[JSONPatch{op: 'add', path: '/metadata/labels/a', value: 'b'}]", "[]",
            "[JSONPatch{op: 'remove', path: '/spec/a'}]",
        ),
        ("", "true", "JSONPatch{}", "[JSONPatch{op: 'none'}]", "Object{}", "[JSONPatch{op: 1}]"),
    ),
    "apply-expression": Content(
        ("Object{}", "Object{metadata: Object.metadata{name: 'a'}}", "Object{spec: Object.spec{a: 1}}"),
        ("", "true", "{}", "[]", "Object{a", "object"),
    ),
    "string-expression": Content(("'a'", "'a' + 'b'", "string(1)"), ("", "true", "1", "'a", "object.metadata.name")),
    "json-patch": Content(
        ('[{"op":"add","path":"/a","value":1}]', '{"a":1}', "[]"), ("", "[", '[{"op":"none"}]', '[{"op":"add"}]'),
    ),
    "json-path": Content(
        (".spec.a", ".status.replicas", "{.a}", ".spec"), ("", "spec.a", ".spec.a[0]", ".spec..a", "{.a"),
    ),
    "downward-path": Content(
        ("metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations['a']", "spec.nodeName",
         "status.podIP", "spec.serviceAccountName", "metadata.uid"),
        ("", "metadata", "metadata.labels['']", "metadata.labels['a b']", "spec.nothing", "metadata.name['a']"),
    ),
    "container-resource": Content(
        ("limits.cpu", "requests.memory", "limits.ephemeral-storage", "requests.hugepages-2Mi"),
        ("", "cpu", "limits.", "limits.nothing", "LIMITS.cpu"),
    ),
    "resource-name": Content(
        ("cpu", "memory", "storage", "example.com/a", "ephemeral-storage", "hugepages-2Mi", "pods", "requests.cpu",
         "requests.storage", "count/pods", "limits.cpu", "services", "a.storageclass.storage.k8s.io/requests.storage"),
        ("", "a", "CPU", "hugepages-", "hugepages-3Mi", "kubernetes.io/a", "requests.example.com/a", "a/b/c", "é",
         "example.com/" + _LABEL, "example.com/" + _LABEL + "a", "attachable-volumes-a"), "example.com/a{}".format,
    ),
    "qualified-name": Content(
        ("a", "example.com/a", "a_b", "a1"),
        ("", "/a", "a/", "a/b/c", "1a", "a-b", "a.b", "A", "é", "a" * 32, "a" * 33, "example.com/" + "a" * 33,
         _LABEL + "/a", _LABEL + "a/a", "A.com/a"), "a{}".format,
    ),
    "full-name": Content(
        ("example.com/a", "a.b/a_b"),
        ("", "a", "/a", "a/", "a/b/c", "a.b/1", "a.b/a-b", "a.b/" + "a" * 32, "a.b/" + "a" * 33, "A.b/a"),
        "example.com/a{}".format,
    ),
    "pool-name": Content(
        ("a", "a/b", "a.b/c"), ("", "/", "a/", "/a", "a//b", "A", "a_b", "a/" * 126 + "a", "a/" * 126 + "aa"),
        "a/{}".format,
    ),
    "semver": Content(("1.0.0", "1.2.3-a.1+b"), ("", "1", "1.0", "v1.0.0", "01.0.0", "1.0.0-", "1." + "1" * 63)),
    "percent": Content(("50%", "0%", "100%", 1, 0), ("101%", "-1%", "%", "50", "1.5%", "050%", "50 %", -1)),
    "env-name": Content(("A", "a.b", "_a"), ("", "1a", "a=b", "a-b", "..", "..a", ".", "é", "a b"), "A{}".format),
    "config-key": Content(
        ("a", "a.txt", "A_b"), ("", ".", "..", "..a", "a/b", "a" * 253, "a" * 254, "é"), "a{}".format,
    ),
    "finalizer": Content(
        ("example.com/a", "kubernetes", "foregroundDeletion"), ("a", "a/b/c", "", "orphan", "A.com/a"),
        "example.com/a{}".format,
    ),
    "signer": Content(
        (
            "example.com/a", "kubernetes.io/kube-apiserver-client", "kubernetes.io/kubelet-serving",
            "kubernetes.io/kube-apiserver-client-kubelet",
        ),
        ("a", "example.com", "example.com/", "kubernetes.io/a", "kubernetes.io/legacy-unknown", "a/b/c", "com/a", ""),
    ),
    "group": Content(("apps", "", "example.com", "*"), ("A", "a.", "*.a"), "a{}.b".format),
    "version": Content(("v1", "v1beta1", "v2alpha3"), ("", "1", "V1", "v1-a", "v" + "1" * 63), "v{}".format),
    "resource": Content(
        ("pods", "deployments", "*", "pods/status", "*/*", "*/scale"), ("", "Pods", "pods/", "/a", "a/b/c"),
        "a{}".format,
    ),
    "verb": Content(("get", "list", "*", "create"), ("", "GET", "nothing")),
    "user": Content(
        ("a", "system:a", "system:serviceaccount:a:b", "system:node:a"), ("", "system:serviceaccount:a", " a"),
        "a{}".format,
    ),
    "port-name": Content(("http", "a", "a1"), ("", "1", "a--b", "-a", "a" * 15, "a" * 16, "A"), "a{}".format),
    "protocol": Content(("TCP", "UDP", "SCTP"), ("", "tcp", "HTTP")),
    "api-version": Content(("v1", "apps/v1", "example.com/v1"), ("", "a/b/c", "/v1", "a/")),
    "go-kind": Content(("Pod", "Deployment", "Widget"), ("", "pod", "a b", "A" * 64), "A{}".format),
    "reason": Content(("A", "AsExpected", "a_b:c"), ("", "a b", "1", "é", "A" * 1024, "A" * 1025), "A{}".format),
    "event-type": Content(("Normal", "Warning"), ("", "normal", "A")),
    "sysctl": Content(
        ("kernel.shm_rmid_forced", "net.ipv4.tcp_syncookies", "kernel/a"), ("", "a b", "A.b", "a..b", "net.*"),
        "net.a{}".format,
    ),
    "capability": Content(("NET_ADMIN", "ALL", "SYS_ADMIN"), ("", "net_admin", "CAP_SYS_ADMIN", "CAP_NOTHING")),
    "iqn": Content(
        ("iqn.2001-04.com.example:a", "eui.0123456789ABCDEF", "naa.0123456789ABCDEF"), ("", "a", "iqn.2001", "eui.1"),
    ),
    "email": Content(
        ("a@example.com", "a.b@c.example", "A@EXAMPLE.COM"),
        ("", "a", "a@", "@a.b", "a@b", "a b@c.d", "a@@b.c", "A <a@b.c>", "a@b.c ", "é@example.com", "a@b..c"),
        "a{}@example.com".format,
    ),
    "date": Content(
        ("2024-01-01", "2024-02-29", "1970-01-01", "2099-12-31"),
        (
            "", "2023-02-29", "2024-1-1", "20240101", "2024-01-01T00:00:00Z", "2024-13-01", "01.01.2024", "0",
            "9999-12-31",
        ),
    ),
    "time-of-day": Content(("00:00:00", "12:30:00Z", "23:59:59"), ("", "24:00:00", "12:30", "1:2:3", "12:30:00.5")),
    "iso-duration": Content(("P1D", "PT1H", "PT0S"), ("", "1d", "P", "-P1D", "P1Y", "3600", "01:00:00")),
    "portal": Content(("10.0.0.1:3260", "10.0.0.1", "a.example:3260"), ("", "a:", ":1"), "10.0.0.1:{}".format),
}  # fmt: skip

_NUMBERS: dict[str, Content] = {
    "code": Content((200, 500, 1), (99, 600, -1)),
    "port": Content((80, 443, 1), (0, -1, 65535, 65536, 1024, 30000, 32767), lambda number: 10000 + number),
    "node-port": Content((30000, 31000, 0), (-1, 1, 29999, 32767, 32768, 65536), lambda number: 30000 + number),
    "user-id": Content((1000, 0, 1), (-1, 2**31 - 1, 2**31, 65535)),
    "mode": Content((0o644, 0, 0o777), (-1, 0o1000, 0o7777)),
    "seconds": Content((30, 1, 600, 3600, 86400), (0, -1, 2**31 - 1, 2**31, 100000001, 299, 599)),
    "count": Content((1, 0, 2), (-1, 2**31 - 1, 100, 1000)),
    "weight": Content((1, 50, 100), (0, -1, 101)),
}

_KINDS: dict[str, Content] = {
    "string": Content(
        (
            "a", "b", "1", "a.b", "example.com", "example.com/a", "10.0.0.1", "10.0.0.0/24", "/a", "v1", "A", "*",
            "true", "1.0.0", "https://a.example/a", "fd00::1", "fd00::/64", "50%", "1h", "100m", "1Gi", "pods", "get",
            "None", "Always", "TCP", "kubernetes.io/a", "kubernetes.io/kube-apiserver-client",
            "rbac.authorization.k8s.io", "storage.k8s.io", "apps", "system:a", "0 0 * * *", "Etc/UTC",
            "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000000Z", "a=b", "{.a}", "{}", UID,
            "object.metadata.name == 'a'", "Object{}", "[]", "a/b", "/dev/a", "a_b", "a@example.com", "example.com:a",
            "example.com/a/b", "v1alpha1", "Normal", '{"a":"b"}', "00:00:00:00:00:01", "A_B", "0", "", "kube-system",
            "default", "a-b", "a.b.c", "2", "-1", "/", "..", "a,b", "s3.a", "Pod", "Deployment", "Namespace",
            "metadata.name", "a:80",
        ),
        (
            "x" * 63, "x" * 64, "x" * 253, "x" * 254, "é", "é" * 40, "a b", " ", "a.", ".a", "-a", "a-", "a..b", "a\n",
            "\x00", "UPPER", "x" * 15, "x" * 16, "x" * 57, "x" * 58, "x" * 316, "x" * 317, "x" * 512, "x" * 513,
            "x" * 1024, "x" * 1025, "x/" + "y" * 63, "x/" + "y" * 64, "//", "a//b", "../a", "a/../b", "010.0.0.1",
            "10.0.0.1/24", "::ffff:10.0.0.1", "FD00::1", "1.2.3", "256.0.0.1", "http://", "a:b", "9" * 21, "x" * 4097,
            "😀", "e\u0301", "\u200b",
        ), "a{}".format,
    ),
    "bool": Content((True, False)),
    "int": Content(
        (1, 0, 2, -1, 10, 80, 100, 1000, 3600, 65535),
        (
            -1, 0, 1, 2, 65535, 65536, 32767, 32768, 256, 1024, 30, 60, 600, 86400, 100000, 101, 99, 127, 128, 64, 63,
            32, 16, 15, 8, 5, 3, 10, 11, 20, 50, 253, 254,
        ), lambda number: 1 + number,
    ),
    "float": Content((1, 0, 0.5, -1, 2), (-1, 0, 0.5, 1e300, -0.0, 1e-300), lambda number: 1 + number),
    "decimal": Content(
        ("1.00", "9.99", 1, "0.5", 9.99, "1"),
        (
            "0", 0, "-1", -1, "-0.01", "0.01", "0.001", 0.001, "0.005", 0.1, "1e3", "NaN", "Infinity", "", " 1", "1,5",
            "1_000", "01", "99999999999999999999", 1e300, "1.", ".5", "+1", "1.10",
        ), "{}.00".format,
    ),
    "time": Content(
        ("2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z", "1970-01-01T00:00:00Z", "2099-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2024-01-01T00:00:00+14:00"),
    ),
    "micro-time": Content(
        (
            "2024-01-01T00:00:00.000000Z", "2024-01-02T00:00:00.000000Z", "2024-01-01T00:00:00.000001Z",
            "1970-01-01T00:00:00.000000Z", "2099-01-01T00:00:00.000000Z", None,
        ),
        ("0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z", "2024-01-01T00:00:00.000000+14:00"),
    ),
    "duration": Content(("1h0m0s", "0s", "1s", "-1s", "24h0m0s"), ("-1s", "1ns", "2540400h0m0s", "1.5h", "87600h0m1s")),
    "quantity": Content(
        ("1", "0", "1Gi", "100m", "-1", "2", "1500m"),
        (
            "-1", "0", "0.5", "1m", "1n", "1Ei", "9223372036854775807", "9223372036854775808", "1e30", "0.1n", "1E",
            "1e3", "1.5Ki",
        ), lambda number: str(1 + number),
    ),
    "int-or-string": Content(
        (1, "50%", 0, "a", "100%", "http", 80, -1),
        (-1, 0, 101, 65535, 65536, "0%", "101%", "-1%", "", "a_b", "x" * 16, "1", "50", "%"), lambda number: 1 + number,
    ),
    "bytes": Content(("YQ==", "", "e30="), ("AA==", "//8=", "YWE=" * 100)),
    "raw": Content(
        ({"apiVersion": "v1", "kind": "ConfigMap"}, {"a": 1}, {}), ({"kind": "A"}, {"apiVersion": "a/b/c"}),
    ),
    "fields": Content(({"f:metadata": {}}, {}), ({"f:": {}}, {"x": 1})),
    "any": Content(("a", 1, True, {}, []), (None, 1.5, {"a": {"b": []}})),
}  # fmt: skip

_CONTENT = _STRINGS | _NUMBERS | _KINDS

_MADE: dict[str, Callable[[], tuple[tuple[str | bytes, ...], tuple[str | bytes, ...]]]] = {
    "certificate": lambda: (
        (credentials.certificate(authority=True), credentials.certificate(), credentials.chain()),
        (credentials.certificate(expired=True), _PEM.format("CERTIFICATE"), credentials.certificate_request(), "", "a"),
    ),
    "certificate-request": lambda: (
        (
            credentials.certificate_request(),
            credentials.certificate_request(*_NODE),
            credentials.certificate_request(*_NODE, dns=("a",), ips=("10.0.0.1",)),
        ),
        (credentials.certificate(), _PEM.format("CERTIFICATE REQUEST"), ""),
    ),
    "raw-request": lambda: ((credentials.raw_certificate_request(),), (credentials.raw_certificate_request()[:-1], "")),
    "public-key": lambda: ((credentials.public_key(), credentials.public_key(2)), (credentials.public_key()[:-1], "")),
    "proof": lambda: (
        (credentials.proof_of_possession(UID), credentials.proof_of_possession("a")),
        (b"\0" * 64, b"a" * 65, ""),
    ),
}
"""Content that is slow to compute, computed when needed: plausible values and boundary values."""


def formats() -> tuple[str, ...]:
    """Return every format that has content, and every kind."""
    return (*_CONTENT, *_MADE)


@lru_cache(maxsize=1024)
def content(name: str, kind: str = "string") -> Content:
    """Return the content of a format for fields of a kind: bytes as base64. Empty for an unknown format."""
    if name in _MADE:
        plausible, boundary = _MADE[name]()
        return Content(_written(plausible, kind), _written(boundary, kind))
    return _CONTENT.get(name, Content(()))


def _written(values: tuple[str | bytes, ...], kind: str) -> tuple[str, ...]:
    return tuple(one if isinstance(one, str) and kind != "bytes" else credentials.in_base64(one) for one in values)


@lru_cache(maxsize=8)
def blind(kind: str) -> tuple[Json, ...]:
    """Return values to try in any field of a kind, whatever its name: credentials of every sort."""
    names = {"string": ("certificate", "certificate-request"), "bytes": tuple(_MADE)}.get(kind, ())
    return tuple(value for name in names for value in content(name, kind).plausible)
