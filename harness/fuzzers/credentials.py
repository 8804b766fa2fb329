"""Certificates, certificate requests and proofs of possession: content that no message of a validator names.

All keys come from fixed seeds, and Ed25519 signatures are deterministic, so that a run stays a function of its random
seed. The cryptography library is imported on first use, because it is slow to load and few kinds need it. The keys
are public and protect nothing.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_FROM = datetime(2020, 1, 1, tzinfo=UTC)
_UNTIL = datetime(2120, 1, 1, tzinfo=UTC)
_EXPIRED = datetime(2020, 1, 2, tzinfo=UTC)


def certificate(common_name: str = "a", *, authority: bool = False, expired: bool = False) -> str:
    """A self-signed certificate as PEM."""
    return _certificate(common_name, authority, expired)


def certificate_request(
    common_name: str = "a", organizations: Sequence[str] = (), *, dns: Sequence[str] = (), ips: Sequence[str] = ()
) -> str:
    """A request for a certificate as PEM (PKCS #10), signed."""
    return _request(common_name, tuple(organizations), tuple(dns), tuple(ips))


def raw_certificate_request(common_name: str = "a") -> bytes:
    """A request for a certificate as DER (PKCS #10)."""
    lines = certificate_request(common_name).splitlines()[1:-1]
    return base64.b64decode("".join(lines))


def public_key(seed: int = 1) -> bytes:
    """A public key as DER (PKIX)."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return _key(seed).public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def proof_of_possession(uid: str, seed: int = 1) -> bytes:
    """The signature of a pod's uid by the key of the same seed."""
    return _key(seed).sign(uid.encode())


def chain(length: int = 2) -> str:
    """Certificates one after the other, as PEM."""
    return "".join(certificate(f"a{number}", authority=number > 0) for number in range(length))


def in_base64(content: str | bytes) -> str:
    """Content of a bytes field as JSON has it."""
    return base64.b64encode(content.encode() if isinstance(content, str) else content).decode()


@lru_cache
def _key(seed: int) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)


def _name(common_name: str, organizations: Sequence[str] = ()) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, one) for one in organizations]
    return x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


@lru_cache
def _certificate(common_name: str, authority: bool, expired: bool) -> str:
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding

    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(common_name))
        .issuer_name(_name(common_name))
        .public_key(_key(1).public_key())
        .serial_number(1)
        .not_valid_before(_FROM)
        .not_valid_after(_EXPIRED if expired else _UNTIL)
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
    )
    return builder.sign(_key(1), None).public_bytes(Encoding.PEM).decode()


@lru_cache
def _request(common_name: str, organizations: tuple[str, ...], dns: tuple[str, ...], ips: tuple[str, ...]) -> str:
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding

    builder = x509.CertificateSigningRequestBuilder().subject_name(_name(common_name, organizations))
    others = [*map(x509.DNSName, dns), *(x509.IPAddress(ip_address(one)) for one in ips)]
    if others:
        builder = builder.add_extension(x509.SubjectAlternativeName(others), critical=False)
    return builder.sign(_key(1), None).public_bytes(Encoding.PEM).decode()
