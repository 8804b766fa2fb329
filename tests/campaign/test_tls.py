"""A scheduler with TLS is asked by whoever has a certificate of its authority, and by nobody else."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from harness.campaign.execution import connected, execute
from harness.campaign.ledger import CampaignLedger
from harness.campaign.plan import CampaignPlan
from harness.diagnostics import HarnessError

ROOT = Path(__file__).parent.parent.parent
PLAN = CampaignPlan((("migration",),), seeds=(1, 2), cases=100)


def write_certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate for this machine that its own key signed, which is its authority as well."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "campaign")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder.mkdir()
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return folder / "cert.pem", folder / "key.pem"


@contextlib.contextmanager
def ended(*processes: subprocess.Popen[bytes]) -> Iterator[None]:
    """End processes with all that they started."""
    try:
        yield
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def start(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """Start a Python module in a folder, in a session of its own."""
    with (folder / "said").open("ab") as said:
        return subprocess.Popen(
            [sys.executable, "-m", *words], cwd=folder, stdout=said, stderr=said, start_new_session=True
        )


def trusting(certificate: Path, key: Path) -> dict[str, Any]:
    """Dask's configuration of a client with a certificate."""
    return {
        "distributed.comm.tls.ca-file": str(certificate), "distributed.comm.tls.client.cert": str(certificate),
        "distributed.comm.tls.client.key": str(key), "distributed.comm.require-encryption": True,
    }  # fmt: skip


def test_a_campaign_is_computed_over_tls_alone(tmp_path: Path) -> None:
    """By two processes over TCP; a client without a certificate, or with one of another authority, is told."""
    import dask
    import distributed  # its defaults are there before settings are

    assert distributed.__version__

    shutil.copytree(ROOT / "examples" / "migration", tmp_path / "migration")
    certificate, key = write_certificate(tmp_path / "own")
    others = write_certificate(tmp_path / "other")
    tls = ("--tls-ca-file", str(certificate), "--tls-cert", str(certificate), "--tls-key", str(key))
    place = tmp_path / "scheduler.json"
    local = ("--host", "127.0.0.1", "--no-dashboard", *tls)
    words = ("--protocol", "tls", "--port", "0", "--scheduler-file", str(place))
    scheduler = start(tmp_path, "distributed.cli.dask_scheduler", *words, *local)
    with ended(scheduler):
        while not place.exists() or not place.read_bytes().endswith(b"}"):
            assert scheduler.poll() is None, (tmp_path / "said").read_text()
            time.sleep(0.1)
        address = msgspec.json.decode(place.read_bytes())["address"]
        assert address.startswith("tls://")
        worker = start(tmp_path, "distributed.cli.dask_worker", address, "--nthreads", "1", *local)
        with ended(worker):
            ledger = CampaignLedger(str(tmp_path / "ledger"))
            ledger.create()
            ledger.add_plan(PLAN)
            with dask.config.set(trusting(certificate, key)), connected(address, 1) as client:
                tally = execute(ledger, client, tmp_path, lambda tally: None)
            assert (2, {}) == (tally.done, tally.failed), (tmp_path / "said").read_text()
            plain = address.replace("tls://", "tcp://")
            for settings, name, text in (
                ({}, address, "as Dask is configured"),
                (trusting(*others), address, "cannot be reached"),
                (trusting(certificate, key), plain, "as Dask is configured(.|\n)*encrypt"),
            ):
                with dask.config.set(settings), pytest.raises(HarnessError, match=text), connected(name, 1):
                    pass
                gc.collect()  # the client that failed: collected in the thread of the next one, both would wait
