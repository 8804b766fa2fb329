"""Plausible and edge values for one scalar, by what its Go type and its name say it holds.

A name is only a hint: values for it come first, and those for the plain kind follow, so nothing is ever ruled out. This
is where knowledge of content lives that no message of a validator can teach: certificates, expressions, schedules.
Knows no kind of object, no rule and no tag.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from harness.case import Json
from harness.fuzzers import credentials


@dataclass(frozen=True, slots=True)
class Content:
    """What a format holds: values that programs accept, the most common first, and values at its edges."""

    plausible: tuple[Json, ...]
    edges: tuple[Json, ...] = ()


_UID = "00000000-0000-0000-0000-000000000001"
_LABEL, _SUBDOMAIN = "a" * 63, ".".join(["a" * 63] * 3 + ["a" * 61])
_NODE_REQUEST = "system:node:a", ("system:nodes",)

_CONTENT: dict[str, Content] = {
    "dns-label": Content(("a", "b", "a-b", "1"), (_LABEL, _LABEL + "a", "A", "a.b", "-a", "a-", "a_b", "", "é")),
    "dns-subdomain": Content(
        ("a", "a.b", "example.com", "a-1.example.com"),
        (_SUBDOMAIN, _SUBDOMAIN + "a", "A.b", "a..b", ".a", "a.", "a.-b", "*.a", "", "a" * 64 + ".b"),
    ),
    "label-key": Content(
        ("a", "example.com/a", "kubernetes.io/hostname", "A_b.c"),
        ("", "a/b/c", "/a", "a/", "A.com/a", "é", "-a", "x.io/" + _LABEL, "x.io/" + _LABEL + "a", _SUBDOMAIN + "/a"),
    ),
    "label-value": Content(("a", "", "A_b.c", "1"), (_LABEL, _LABEL + "a", "a b", "-a", "a.", "é", "a/b")),
    "selector": Content(("a=b", "a", "a in (b,c)", "!a", "a!=b,c"), ("", "a==", "a in b", "=a", "a=b=c", ",")),
    "image": Content(
        ("a", "registry.k8s.io/pause:3.10", "a@sha256:" + "0" * 64, "localhost:5000/a/b:v1"),
        ("", " a", "A", "a:", "a b"),
    ),
    "ip": Content(
        ("10.0.0.1", "fd00::1", "192.168.1.1"),
        (
            "010.0.0.1",
            "10.0.0",
            "256.0.0.1",
            "::ffff:10.0.0.1",
            "FD00::1",
            "fd00:0::1",
            "127.0.0.1",
            "0.0.0.0",
            "::",
            "169.254.169.254",
            "224.0.0.1",
            "fe80::1",
            "::1",
            "10.0.0.1/32",
            "",
        ),
    ),
    "cidr": Content(
        ("10.0.0.0/24", "fd00::/64", "0.0.0.0/0", "::/0"),
        (
            "10.0.0.1/24",
            "10.0.0.0/33",
            "10.0.0.0",
            "010.0.0.0/24",
            "::ffff:10.0.0.0/120",
            "10.0.0.0/024",
            "fd00::/129",
            "FD00::/64",
            "10.0.0.0/24 ",
            "",
        ),
    ),
    "mac": Content(
        ("00:00:00:00:00:01",), ("00-00-00-00-00-01", "0000.0000.0001", "00:00:00:00:00", "0G:00:00:00:00:01")
    ),
    "uid": Content((_UID, "a"), ("", _UID.replace("0", "A"), "urn:uuid:" + _UID, "{" + _UID + "}", _UID[:-1])),
    "url": Content(
        ("https://a.example/a", "https://a.example:443", "http://a"),
        ("a", "//a", "https://", "https://u:p@a", "https://a#b", "https://a?b=c", "ftp://a", "https://[::1]/", ":"),
    ),
    "path": Content(("/a", "/", "/a/b", "a"), ("", "..", "/a/../b", "a//b", "/..a", "C:\\a", "/a:b", "/" + "a" * 4096)),
    "schedule": Content(
        ("0 0 * * *", "*/5 * * * *", "@hourly", "0 0 1 1 0"),
        (
            "",
            "* * * *",
            "60 * * * *",
            "TZ=UTC 0 0 * * *",
            "CRON_TZ=UTC 0 0 * * *",
            "@every 1h",
            "0 0 31 2 *",
            "* * * * * *",
        ),
    ),
    "time-zone": Content(
        ("Etc/UTC", "Europe/Berlin", "UTC"), ("", "Local", "local", "europe/berlin", "Nowhere/At", " UTC")
    ),
    "expression": Content(
        (
            "true",
            "object.metadata.name == 'a'",
            "request.user == 'a'",
            'device.driver == "a.example.com"',
            "'a'",
            "[JSONPatch{op: 'add', path: '/metadata/labels/a', value: 'b'}]",
            "Object{metadata: Object.metadata{name: 'a'}}",
            "self == oldSelf",
            "variables.a == 1",
        ),
        ("", "true &&", "1", "nothing.here", "object.spec.x.all(i, i > 0)", "'a' == 1", "(" * 300 + "true" + ")" * 300),
    ),
    "json-patch": Content(
        ('[{"op":"add","path":"/a","value":1}]', '{"a":1}', "[]"), ("", "[", '[{"op":"none"}]', '[{"op":"add"}]')
    ),
    "json-path": Content(
        (".spec.a", ".status.replicas", "{.a}", ".spec"), ("", "spec.a", ".spec.a[0]", ".spec..a", "{.a")
    ),
    "percent": Content(("50%", "0%", "100%"), ("101%", "-1%", "%", "50", "1.5%", "050%", "50 %")),
    "env-name": Content(("A", "a.b", "_a"), ("", "1a", "a=b", "a-b", "..", "..a", ".", "é", "a b")),
    "config-key": Content(("a", "a.txt", "A_b"), ("", ".", "..", "..a", "a/b", "a" * 253, "a" * 254, "é")),
    "finalizer": Content(
        ("example.com/a", "kubernetes", "foregroundDeletion"), ("a", "a/b/c", "", "orphan", "A.com/a")
    ),
    "signer": Content(
        (
            "example.com/a",
            "kubernetes.io/kube-apiserver-client",
            "kubernetes.io/kubelet-serving",
            "kubernetes.io/kube-apiserver-client-kubelet",
        ),
        ("a", "example.com", "example.com/", "kubernetes.io/a", "kubernetes.io/legacy-unknown", "a/b/c", "com/a", ""),
    ),
    "group": Content(("apps", "", "example.com", "*"), ("A", "a.", "*.a")),
    "version": Content(("v1", "v1beta1", "v2alpha3"), ("", "1", "V1", "v1-a", "v" + "1" * 63)),
    "resource": Content(
        ("pods", "deployments", "*", "pods/status", "*/*", "*/scale"), ("", "Pods", "pods/", "/a", "a/b/c")
    ),
    "verb": Content(("get", "list", "*", "create"), ("", "GET", "nothing")),
    "user": Content(
        ("a", "system:a", "system:serviceaccount:a:b", "system:node:a"), ("", "system:serviceaccount:a", " a")
    ),
    "port-name": Content(("http", "a", "a1"), ("", "1", "a--b", "-a", "a" * 15, "a" * 16, "A")),
    "protocol": Content(("TCP", "UDP", "SCTP"), ("", "tcp", "HTTP")),
    "api-version": Content(("v1", "apps/v1", "example.com/v1"), ("", "a/b/c", "/v1", "a/")),
    "go-kind": Content(("Pod", "Deployment", "Widget"), ("", "pod", "a b", "A" * 64)),
    "code": Content((200, 500, "Failure", "Success"), (99, 600, -1)),
    "port": Content((80, 443, 1), (0, -1, 65535, 65536, 1024, 30000, 32767)),
    "user-id": Content((1000, 0, 1), (-1, 2**31 - 1, 2**31, 65535)),
    "mode": Content((0o644, 0, 0o777), (-1, 0o1000, 0o7777)),
    "seconds": Content((30, 1, 600, 3600), (0, -1, 2**31 - 1, 2**31, 86400, 100000001)),
    "count": Content((1, 0, 2), (-1, 2**31 - 1, 100, 1000)),
    "weight": Content((1, 50, 100), (0, -1, 101)),
    # And by kind.
    "string": Content(
        ("a", "b", "a.b", "A", "1"),
        ("", " ", "a b", "é", "é" * 64, "x" * 256, "a\n", "\x00", "e\u0301", "😀", "\u200b"),
    ),
    "bool": Content((True, False)),
    "int": Content((1, 0, 2, 10), (-1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))),
    "float": Content((1, 0, 0.5), (-1, 1e300, -0.0, 1e-300)),
    "time": Content(
        ("2024-01-01T00:00:00Z", "2024-01-02T03:04:05Z"),
        ("1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2024-01-01T00:00:00+14:00", None),
    ),
    "micro-time": Content(
        ("2024-01-01T00:00:00.000000Z", "2024-01-01T00:00:00.000001Z"),
        ("0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z", "2024-01-01T00:00:00.000000+14:00", None),
    ),
    "duration": Content(("1h0m0s", "1s", "1m30s"), ("0s", "-1s", "1ns", "2540400h0m0s", "1.5h", "87600h0m1s")),
    "quantity": Content(
        ("1", "1Gi", "100m", "500M"),
        (
            "0",
            "-1",
            "0.5",
            "1m",
            "1n",
            "0.1n",
            "1Ei",
            "9223372036854775807",
            "9223372036854775808",
            "1e30",
            "1E",
            "1e3",
        ),
    ),
    "int-or-string": Content((1, "50%", "http", 80), (0, -1, 65536, "", "101%", "0%", "-1%", "a_b", "1", "x" * 16)),
    "bytes": Content(("YQ==", "", "e30="), ("AA==", "//8=", "YWE=" * 400)),
    "raw": Content(({"apiVersion": "v1", "kind": "ConfigMap"}, {"a": 1}), ({}, {"kind": "A"}, {"apiVersion": "a/b/c"})),
    "fields": Content(({"f:metadata": {}}, {}), ({"f:": {}}, {"x": 1})),
    "any": Content(("a", 1, True, {}, []), (None, 1.5, {"a": {"b": []}})),
}

_MADE: dict[str, Callable[[], Content]] = {
    "certificate": lambda: Content(
        (credentials.certificate(authority=True), credentials.certificate(), credentials.chain()),
        (
            credentials.certificate(expired=True),
            "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n",
            "",
            "a",
        ),
    ),
    "certificate-request": lambda: Content(
        (
            credentials.certificate_request(),
            credentials.certificate_request(*_NODE_REQUEST),
            credentials.certificate_request(*_NODE_REQUEST, dns=("a",), ips=("10.0.0.1",)),
        ),
        (
            credentials.certificate(),
            "-----BEGIN CERTIFICATE REQUEST-----\nYQ==\n-----END CERTIFICATE REQUEST-----\n",
            "",
        ),
    ),
    "public-key": lambda: Content(
        (credentials.public_key(), credentials.public_key(2)), (b"a", credentials.public_key()[:-1])
    ),
    "proof": lambda: Content(
        (credentials.proof_of_possession("a"), credentials.proof_of_possession(_UID)), (b"a", b"\0" * 64, b"a" * 65)
    ),
}
"""Content that costs something to make, made when asked for. Given as text or bytes; a bytes field gets base64."""

# What a field's name says of its content. The first that fits is taken.
_BY_NAME: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), kinds, content)
    for pattern, kinds, content in (
        (
            r"^(?:ca ?bundle|trust ?bundle|certificates?|certificate ?chain|.*ca ?cert.*)$",
            "string bytes",
            "certificate",
        ),
        (r"^(?:request|.*pkcs10.*)$", "string bytes", "certificate-request"),
        (r"^pkix ?public ?key$|^public ?key$", "bytes", "public-key"),
        (r"^proof ?of ?possession$", "bytes", "proof"),
        (r"signer ?name", "string", "signer"),
        (r"expressions?$|^(?:cel|rule)$", "string", "expression"),
        (r"^schedule$", "string", "schedule"),
        (r"^time ?zone$", "string", "time-zone"),
        (r"json ?path$|replicas ?path$|^field ?path$|label ?selector ?path$", "string", "json-path"),
        (r"(?:selector|^query)$", "string", "selector"),
        (r"^(?:patch|json ?patch)$", "string", "json-patch"),
        (r"^image$", "string", "image"),
        (r"cidrs?$|^(?:.*source ?ranges|except)$", "string", "cidr"),
        (r"\bips?$|^address(?:es)?$", "string", "ip"),
        (r"mac$|hardware ?address", "string", "mac"),
        (r"uid$", "string", "uid"),
        (r"^ur[il]$|url$|^(?:server|endpoint|issuer)$", "string", "url"),
        (r"path$|^(?:target|device) ?path|dir(?:ectory)?$", "string", "path"),
        (r"^finalizers$", "string", "finalizer"),
        (r"^api ?version$", "string", "api-version"),
        (r"groups?$", "string", "group"),
        (r"^(?:api)?versions?$", "string", "version"),
        (r"resources?$|^(?:plural|singular)$", "string", "resource"),
        (r"^verbs?$", "string", "verb"),
        (r"^(?:user(?:name)?|subject)$", "string", "user"),
        (r"^kind$", "string", "go-kind"),
        (r"^protocol$", "string", "protocol"),
        (r"^port ?name$", "string", "port-name"),
        (r"^(?:topology ?key|.*label ?keys?)$", "string", "label-key"),
        (r"(?:driver|provisioner|domain|host(?:name)?|service ?name)$", "string", "dns-subdomain"),
        (r"name(?:space)?s?$", "string", "dns-label"),
        (r"ports?$", "int int-or-string", "port"),
        (r"^(?:run ?as|fs|supplemental).*|.*(?:uid|gid|user|group)$", "int", "user-id"),
        (r"mode$", "int", "mode"),
        (r"(?:seconds|milliseconds|period|timeout)$", "int", "seconds"),
        (r"(?:weight|priority|percent)$", "int", "weight"),
        (r"(?:replicas|limit|count|completions|parallelism|generation)$", "int", "count"),
        (r"^(?:max|min)(?:surge|(?:un)?available|.*)$", "int-or-string", "percent"),
    )
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def content_of(kind: str, name: str = "") -> str:
    """The format that a field of this kind and JSON name seems to hold; the kind itself when the name says nothing.

    Kinds are those of shapes: string, int, bytes, quantity, ...
    """
    spaced = _HUMP.sub(" ", name)
    for pattern, kinds, content in _BY_NAME:
        if kind in kinds.split() and pattern.search(spaced):
            return content
    return kind


@lru_cache(maxsize=4096)
def candidates(kind: str, name: str = "") -> tuple[Json, ...]:
    """Values that are likely to be accepted: those of the format that the name speaks of, then those of the kind."""
    return _distinct((*_content(content_of(kind, name), kind).plausible, *_content(kind, kind).plausible))


@lru_cache(maxsize=4096)
def edges(kind: str, name: str = "") -> tuple[Json, ...]:
    """Values at the edges: those of the format that the name speaks of, then those of the kind."""
    return _distinct((*_content(content_of(kind, name), kind).edges, *_content(kind, kind).edges))


def plausible(kind: str, name: str, rng: Random) -> Json:
    """Draw a value that is likely to be accepted; earlier candidates are likelier."""
    values = candidates(kind, name)
    return values[int(rng.random() ** 2 * len(values))] if values else {}


def formats() -> tuple[str, ...]:
    """Every format that content is known for, those of kinds too."""
    return (*_CONTENT, *_MADE)


def content(name: str) -> Content:
    """The content of a format as it stands, bytes as bytes. Raises: KeyError when there is no such format."""
    return _CONTENT[name] if name in _CONTENT else _made(name)


@lru_cache
def _made(name: str) -> Content:
    return _MADE[name]()


def _content(name: str, kind: str) -> Content:
    """Content as a field of this kind has it."""
    if name not in _CONTENT and name not in _MADE:
        return Content(())
    found = content(name)
    if name not in _MADE or kind != "bytes":
        return found
    return Content(tuple(map(credentials.in_base64, found.plausible)), tuple(map(credentials.in_base64, found.edges)))


def _distinct(values: tuple[Json, ...]) -> tuple[Json, ...]:
    return tuple({repr(value): value for value in values}.values())
