"""Content by kind and name: what it is taken for, and that it is what it says."""

from __future__ import annotations

import base64
import ipaddress
import subprocess
import sys
from datetime import datetime
from random import Random

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key

from harness.fuzzers import credentials
from harness.fuzzers.scalars import candidates, content, content_of, edges, formats, plausible


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
        ("int", "containerPort", "port"),
        ("int", "runAsUser", "user-id"),
        ("int", "timeoutSeconds", "seconds"),
        ("int-or-string", "maxSurge", "percent"),
        ("string", "whatever", "string"),
        ("int", "image", "int"),
        ("quantity", "request", "quantity"),
    ],
)
def test_names_tell_the_content(kind: str, name: str, expected: str) -> None:
    """The name of a field tells its format where it has one, for the kinds that can hold it."""
    assert content_of(kind, name) == expected


def test_a_name_rules_nothing_out() -> None:
    """Values of the plain kind follow those of the format, and none comes twice."""
    values = candidates("string", "image")
    assert "registry.k8s.io/pause:3.10" in values[:4]
    assert set(candidates("string")) <= set(values)
    assert len(set(values)) == len(values)
    assert set(edges("string")) <= set(edges("string", "image"))


@pytest.mark.parametrize("name", formats())
def test_every_format_has_content(name: str) -> None:
    """Each format has something plausible, the same at every call."""
    assert content(name).plausible
    assert content(name) == content(name)


def test_unknown_kinds_have_none() -> None:
    """A kind nobody knows has no candidates, and a draw is an empty object."""
    assert candidates("nonsense", "image") == ()
    assert plausible("nonsense", "", Random(1)) == {}


def test_draws_follow_the_seed() -> None:
    """The same generator draws the same values, and in the end all of them."""
    draws = [plausible("string", "image", random) for random in [Random(3)] for _ in range(500)]
    again = [plausible("string", "image", random) for random in [Random(3)] for _ in range(500)]
    assert draws == again
    assert set(draws) == set(candidates("string", "image"))


def test_certificates_are_certificates() -> None:
    """Certificates and requests can be read by a real library, and their signatures hold."""
    for pem in content("certificate").plausible:
        assert all(one.public_key() for one in x509.load_pem_x509_certificates(pem.encode()))
    for pem in content("certificate-request").plausible:
        assert x509.load_pem_x509_csr(pem.encode()).is_signature_valid
    node = x509.load_pem_x509_csr(credentials.certificate_request("n", ("o",), dns=("d",), ips=("10.0.0.1",)).encode())
    assert node.subject.rfc4514_string() == "CN=n,O=o"
    names = node.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["d"]


def test_a_bytes_field_gets_base64() -> None:
    """Content of a bytes field is what JSON has: base64."""
    for value in candidates("bytes", "request")[:3]:
        assert base64.b64decode(value, validate=True).startswith(b"-----BEGIN CERTIFICATE REQUEST-----")


def test_the_proof_of_possession_holds() -> None:
    """The proof is the signature of the uid by the key, and of no other uid."""
    key = load_der_public_key(credentials.public_key())
    assert isinstance(key, Ed25519PublicKey)
    key.verify(credentials.proof_of_possession("a"), b"a")
    assert credentials.proof_of_possession("a") != credentials.proof_of_possession("b")


def test_credentials_are_the_same_in_another_process() -> None:
    """A run is a function of its seed: what is made today was made yesterday."""
    code = "from harness.fuzzers import credentials as c; print(c.certificate() + c.certificate_request())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (credentials.certificate() + credentials.certificate_request()).strip()


def test_the_library_is_imported_when_needed() -> None:
    """Loading this module, and asking for anything but certificates, does not load the library behind them."""
    code = (
        "import sys; from harness.fuzzers.scalars import candidates; candidates('string', 'image'); "
        "print('cryptography' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_plausible_values_are_of_their_format() -> None:
    """Addresses, networks and times are what they claim to be."""
    assert all(ipaddress.ip_address(value) for value in content("ip").plausible)
    assert all(ipaddress.ip_network(value) for value in content("cidr").plausible)
    assert all(datetime.fromisoformat(value) for value in content("time").plausible)
    assert all(len(value.split()) == 5 or value[0] == "@" for value in content("schedule").plausible)
    assert max(len(value) for value in content("dns-subdomain").edges) == 254
