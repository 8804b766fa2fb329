"""The library of values: every format holds what it says, and shapes are given the values of their format."""

from __future__ import annotations

import base64
import ipaddress
import json
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from harness.content import names
from harness.fuzzers import credentials
from harness.fuzzers.contents import UID, blind, content, formats
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.naming import format_of
from harness.fuzzers.probes import probes_of
from harness.fuzzers.shape import Shape, shape_of
from harness.fuzzers.values import (
    boundary_values,
    common_values,
    distinct_values,
    fits,
    suggested_items,
    suggested_values,
)
from harness.gotypes.packages import Universe

TYPES = """package v1

type Widget struct {
	PodIPs []string `json:"podIPs"`
	NodeSelector map[string]string `json:"nodeSelector"`
	// +k8s:maxLength=7
	Title string `json:"title"`
	// +k8s:maxItems=3
	// +k8s:eachVal=+k8s:maxLength=4
	Ports []Port `json:"ports"`
	// +k8s:eachVal=+k8s:format=k8s-uuid
	// +k8s:eachKey=+k8s:format=k8s-label-key
	Marks map[string]string `json:"marks"`
	// +k8s:maximum=65535
	Wide int32 `json:"wide"`
	// +k8s:alpha=+k8s:maximum=9
	Level *int8 `json:"level"`
	// +k8s:maxLength=99999999999
	// +k8s:maxLength=(
	// +k8s:maxLength
	// +k8s:subfield(x)=+k8s:maxLength=3
	Odd string `json:"odd"`
	Mode Mode `json:"mode"`
	CABundle []byte `json:"caBundle"`
	Loops Loops `json:"loops"`
}
type Loops []Loops
type Mode string
const (
	On Mode = "On"
	Off Mode = "Off"
)
type Port struct { Name string `json:"name"`; Number int32 `json:"number"`; Mode Mode `json:"mode"` }
"""


@pytest.fixture(scope="module")
def widget(tmp_path_factory: pytest.TempPathFactory) -> Shape:
    """The shape of Widget."""
    file: Path = tmp_path_factory.mktemp("types") / "types.go"
    file.write_text(TYPES)
    return shape_of(Universe.from_files({"x.io/v1": [file]}), "x.io/v1.Widget")


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("string", "image", "image"),
        ("string", "clusterIP", "ip"),
        ("string", "podIPs", "ip"),
        ("string", "podCIDRs", "cidr"),
        ("bytes", "caBundle", "certificate"),
        ("bytes", "request", "certificate-request"),
        ("bytes", "proofOfPossession", "proof"),
        ("bytes", "pkixPublicKey", "public-key"),
        ("string", "messageExpression", "expression"),
        ("string", "schedule", "schedule"),
        ("string", "mountPath", "path"),
        ("string", "secretName", "dns-label"),
        ("string", "signerName", "signer"),
        ("string", "apiVersion", "api-version"),
        ("string", "topologyKey", "label-key"),
        ("key", "matchLabels", "label-key"),
        ("value", "matchLabels", "label-value"),
        ("int", "containerPort", "port"),
        ("int", "runAsUser", "user-id"),
        ("int", "timeoutSeconds", "seconds"),
        ("int-or-string", "maxSurge", "percent"),
        ("string", "whatever", ""),
        ("int", "image", ""),
        ("quantity", "request", ""),
    ],
)
def test_names_tell_the_format(kind: str, name: str, expected: str) -> None:
    """The name of a field tells its format where it has one, for the kinds that can hold it."""
    assert expected == format_of(kind, name)


def test_types_and_structs_tell_more_than_names() -> None:
    """The Go type of a field comes first, then the struct it stands in, and its name last."""
    assert "uid" == format_of("string", "image", "k8s.io/apimachinery/pkg/types.UID")
    assert "device-expression" == format_of("string", "expression", "string", "CELDeviceSelector")
    assert "resource-name" == format_of("key", "limits", "k8s.io/api/core/v1.ResourceName")


def test_a_shape_knows_the_format_of_its_member(widget: Shape) -> None:
    """Items, values and keys have the format that the name of their list or map tells."""
    assert "ip" == widget.child("podIPs").elem.format
    selector = widget.child("nodeSelector")
    assert ("label-key", "label-value") == (selector.key.format, selector.elem.format)
    assert "10.0.0.1" == common_values(widget.child("podIPs").elem)[0]
    assert widget.child("loops").elem.elem.kind == "list"


def test_a_format_rules_nothing_out(widget: Shape) -> None:
    """Values of the plain kind follow those of the format, and none comes twice."""
    plain, told = Shape("string", "string"), widget.child("podIPs").elem
    for values in (common_values, boundary_values):
        assert set(values(plain)) <= set(values(told))
        assert len(set(values(told))) == len(values(told))
    assert set(blind("string")) <= set(common_values(plain))


def test_declared_constants_come_first(widget: Shape) -> None:
    """They are what is likeliest, and their near misses lie at the edge."""
    assert ("On", "Off") == common_values(widget.child("mode"))[:2]
    assert "oN" == boundary_values(widget.child("mode"))[0]


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_numbers_have_the_width_of_their_type(bits: int, signed: bool) -> None:
    """What a type cannot hold would only fail to decode; its ends are among the edges."""
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    shape = Shape("int", "", bits=bits, signed=signed)
    assert all(low <= value <= high for value in (*common_values(shape), *boundary_values(shape)))
    assert {low, high} <= set(boundary_values(shape))


def test_tags_suggest_values(widget: Shape) -> None:
    """Limits and values beyond them, as values of the field: sizes of lists as lists, values of maps as maps."""
    members = widget.by_name
    assert ("x" * 7, "x" * 8, "é" * 7) == suggested_values(members["title"])
    assert (9, 10) == suggested_values(members["level"])
    assert (65535, 65536) == suggested_values(members["wide"])
    assert [3, 4] == [len(items) for items in suggested_values(members["ports"])]
    marks = suggested_values(members["marks"])
    assert any("example.com/name" in value for value in marks)
    assert {"a": "123e4567-e89b-12d3-a456-426614174000"} in suggested_items(members["marks"])


def test_values_for_items_come_together_and_then_alone(widget: Shape) -> None:
    """As many as a tag allows stand in one map or list, and all of them do; keys too."""
    member = widget.by_name["marks"]
    together = [value for value in suggested_values(member) if "k0" in value]
    alone = [value["a"] for value in suggested_items(member)]
    assert 3 == max(map(len, together))
    assert alone == [item for value in together for item in value.values()]
    keys = [value for value in suggested_values(member) if len(value) > 1 and "/name" in value]
    assert 3 == len(keys[0])
    assert () == suggested_items(widget.by_name["title"])


def test_tags_that_cannot_be_read_suggest_nothing(widget: Shape) -> None:
    """Neither do limits that no object could reach, nor tags that speak of another path."""
    assert () == suggested_values(widget.by_name["odd"])


def test_several_values_differ(widget: Shape) -> None:
    """So many items as are asked for, no two of them equal, and constants stay constants."""
    ports = distinct_values(widget.child("ports").elem, 70)
    assert 70 == len({json.dumps(port) for port in ports}) == len({port["name"] for port in ports})
    assert {"On", "Off"} == {port["mode"] for port in ports}
    addresses = distinct_values(widget.child("podIPs").elem, 600)
    assert 600 == len({ipaddress.ip_address(one) for one in addresses})


def read_signed_request(text: str) -> bool:
    return x509.load_pem_x509_csr(text.encode()).is_signature_valid


def read_certificates(text: str) -> bool:
    return all(one.public_key() for one in x509.load_pem_x509_certificates(text.encode()))


def without_messages(check: Callable[[str], Any]) -> Callable[[str], bool]:
    return lambda text: not check(text)


def matches(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(pattern, text) is not None


def read_schedule(text: str) -> bool:
    """Five fields within their ranges, steps and stars, or a word for one of them."""
    if text.startswith("@"):
        return text in ("@hourly", "@daily", "@weekly", "@monthly", "@yearly")
    fields = text.split()
    numbers = [re.fullmatch(r"(\*|\d+)(?:/\d+)?", field) for field in fields]
    tops = (59, 23, 31, 12, 6)
    return len(fields) == 5 and all(
        one is not None and (one[1] == "*" or int(one[1]) <= top) for one, top in zip(numbers, tops, strict=True)
    )


def read_quantity(text: str) -> bool:
    number = re.fullmatch(r"([+-]?[\d.]+)(?:[numkMGTPE]|[KMGTPE]i|e\d+)?", text)
    return number is not None and Decimal(number[1]).is_finite()


CHECKS: dict[str, Callable[[Any], Any]] = {
    "dns-label": without_messages(names.short_name),
    "dns-subdomain": without_messages(names.long_name),
    "domain": without_messages(names.long_name),
    "label-key": without_messages(names.label_key),
    "label-value": without_messages(names.label_value),
    "finalizer": without_messages(names.label_key),
    "signer": without_messages(names.prefixed_label_key),
    "annotation-key": lambda text: not names.label_key(text.lower()),
    "config-key": matches(r"[-._a-zA-Z0-9]+"),
    "env-name": matches(r"[-._a-zA-Z][-._a-zA-Z0-9]*"),
    "qualified-name": lambda text: not names.c_identifier(text.rpartition("/")[2]),
    "full-name": lambda text: not names.c_identifier(text.partition("/")[2]),
    "uid": lambda text: text == "a" or str(UUID(text)) == text,
    "ip": ipaddress.ip_address,
    "cidr": ipaddress.ip_network,
    "interface-address": lambda text: ipaddress.ip_interface(text).ip != ipaddress.ip_interface(text).network[0],
    "mac": matches(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}"),
    "url": lambda text: urlsplit(text).scheme in ("http", "https") and urlsplit(text).netloc,
    "http-path": lambda text: text.startswith("/") and ".." not in text,
    "schedule": read_schedule,
    "time-zone": ZoneInfo,
    "semver": matches(r"\d+\.\d+\.\d+(?:-[\w.]+)?(?:\+[\w.]+)?"),
    "json-patch": lambda text: isinstance(json.loads(text), list | dict),
    "port": range(1, 65536).__contains__,
    "mode": range(0o1000).__contains__,
    "time": lambda text: text is None or datetime.fromisoformat(text).tzinfo,
    "micro-time": lambda text: text is None or (len(text.partition(".")[2]) == 7 and datetime.fromisoformat(text)),
    "duration": matches(r"-?(?:\d+[hms])+"),
    "quantity": read_quantity,
    "bytes": lambda text: base64.b64decode(text, validate=True) is not None,
    "certificate": read_certificates,
    "certificate-request": read_signed_request,
    "raw-request": lambda text: x509.load_der_x509_csr(base64.b64decode(text)).is_signature_valid,
    "public-key": lambda text: load_der_public_key(base64.b64decode(text)),
    "proof": lambda text: len(base64.b64decode(text, validate=True)) == 64,
}


@pytest.mark.parametrize("name", CHECKS)
def test_plausible_values_are_of_their_format(name: str) -> None:
    """What is called plausible passes a check that knows nothing of this library; so do the values of a series."""
    known = content(name)
    assert known.plausible
    for value in known.plausible:
        assert CHECKS[name](value) not in (False, None, ""), value
    if known.series is not None:
        made = [known.series(number) for number in range(300)]
        assert all(CHECKS[name](value) not in (False, None, "") for value in made)
        assert 300 == len(set(made))


REFUSED: dict[str, Callable[[Any], Any]] = {
    "dns-label": without_messages(names.short_name),
    "label-key": without_messages(names.label_key),
    "ip": ipaddress.ip_address,
    "cidr": ipaddress.ip_network,
    "schedule": read_schedule,
    "semver": CHECKS["semver"],
}


@pytest.mark.parametrize("name", REFUSED)
def test_edges_lie_on_both_sides(name: str) -> None:
    """Among the values at the edges of a format are some that the same checks refuse."""

    def refused(value: str) -> bool:
        try:
            return REFUSED[name](value) is False
        except ValueError:
            return True

    assert any(map(refused, content(name).boundary))


@pytest.mark.parametrize("name", formats())
def test_every_format_has_content(name: str) -> None:
    """Each format has something plausible, the same at every call, and none of it twice."""
    values = content(name).plausible
    assert values
    assert values == content(name).plausible
    assert len({repr(value) for value in values}) == len(values)


def test_unknown_formats_have_none() -> None:
    """A format nobody knows has no content."""
    assert () == content("nonsense").plausible


def test_a_bytes_field_gets_base64(widget: Shape) -> None:
    """Content of a bytes field is what JSON has: base64."""
    begun = base64.b64decode(common_values(widget.child("caBundle"))[0], validate=True)
    assert begun.startswith(b"-----BEGIN CERTIFICATE-----")


def test_certificate_requests_hold_what_they_are_asked_for() -> None:
    """Names, organizations and addresses are in the request."""
    node = x509.load_pem_x509_csr(credentials.certificate_request("n", ("o",), dns=("d",), ips=("10.0.0.1",)).encode())
    assert "CN=n,O=o" == node.subject.rfc4514_string()
    found = node.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert ["d"] == found.get_values_for_type(x509.DNSName)


def test_the_likeliest_proof_fits_the_likeliest_key_and_uid() -> None:
    """The first proof is the signature of the first uid by the first key, and no other proof is."""
    key = load_der_public_key(base64.b64decode(content("public-key").plausible[0]))
    assert isinstance(key, Ed25519PublicKey)
    key.verify(base64.b64decode(content("proof").plausible[0]), content("uid").plausible[0].encode())
    assert credentials.proof_of_possession(UID) != credentials.proof_of_possession("b")


def test_credentials_are_the_same_in_another_process() -> None:
    """A run is a function of its seed: what is made today was made yesterday."""
    code = "from harness.fuzzers import credentials as c; print(c.certificate() + c.certificate_request())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (credentials.certificate() + credentials.certificate_request()).strip() == done.stdout.strip()


def test_the_library_is_imported_when_needed() -> None:
    """Loading this module does not load the library that makes certificates."""
    code = "import sys, harness.fuzzers.values; print('cryptography' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "False" == done.stdout.strip()


def test_words_and_numbers_fit_their_kinds() -> None:
    """A number is no word, and no number fits a width that cannot hold it."""
    assert fits("a", Shape("string"))
    assert not fits(1, Shape("string"))
    assert not fits(128, Shape("int", bits=8))
    assert not fits(True, Shape("int", bits=8))


@pytest.mark.parametrize(
    ("bits", "signed", "least", "most"),
    [
        (8, True, -128, 127),
        (8, False, 0, 255),
        (16, False, 0, 65535),
        (32, False, 0, 2**32 - 1),
        (64, True, -(2**63), 2**63 - 1),
        (64, False, 0, 2**64 - 1),
    ],
)
def test_the_sign_decides_which_numbers_fit(bits: int, signed: bool, least: int, most: int) -> None:
    """An integer type holds all its numbers, those of unsigned ones from 0 on."""
    shape = Shape("int", bits=bits, signed=signed)
    assert [False, True, True, False] == [fits(number, shape) for number in (least - 1, least, most, most + 1)]


def test_floats_fit_a_float_and_words_do_not() -> None:
    """A float holds whole and other numbers, up to what its width holds, and no text."""
    wide, narrow = Shape("float", bits=64), Shape("float", bits=32)
    assert [True, True, True, False, False] == [fits(value, wide) for value in (1, 0.5, 1e300, "0.5", False)]
    assert [True, True, False] == [fits(value, narrow) for value in (1, 0.5, 1e300)]


def test_an_unsigned_byte_and_a_float_are_probed_where_they_differ_from_signed_and_whole_numbers() -> None:
    """What a byte holds beyond 127 is tried, near a number of the sources too, and so are fractions."""
    harvest = Harvest()
    harvest.numbers.update({200: None})
    byte = [*probes_of(Shape("int", bits=8, signed=False), 0, None, harvest)[:]]
    assert [] == [number for number in (199, 200, 201, 255) if number not in byte]
    assert [] == [number for number in byte if isinstance(number, int) and not 0 <= number <= 255]
    assert 0.5 in probes_of(Shape("float", bits=64), 1, None, harvest)[:]
