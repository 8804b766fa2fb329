"""Webhooks for tests: HTTP servers of this process that answer an AdmissionReview well, or in some wrong way."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

Answer: TypeAlias = Callable[[dict[str, Any]], tuple[int, bytes]]
"""From an AdmissionReview to the status and the body of the response."""

ADDRESS = x509.IPAddress(ip_address("127.0.0.1"))


def review(request: dict[str, Any], allows: bool, **more: Any) -> tuple[int, bytes]:
    """A response as the server wants it. `more` replaces parts of it, `status` says why an object is denied."""
    response = {"uid": request["request"]["uid"], "allowed": allows, **more}
    told = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}
    return 200, json.dumps(told).encode()


def even(request: dict[str, Any]) -> tuple[int, bytes]:
    """Deny objects whose `spec.n` is odd, as webhooks of controller-runtime do."""
    number = request["request"]["object"]["spec"].get("n", 0)
    if number % 2 == 0:
        return review(request, True)
    causes = [
        {"reason": "FieldValueInvalid", "message": f"Invalid value: {number}: must be even", "field": "spec.n"},
        {"reason": "FieldValueRequired", "message": "Required value: say why", "field": "spec.why"},
    ]
    message = f'Thing.example.com "a" is invalid: spec.n: Invalid value: {number}: must be even'
    return review(request, False, status={"message": message, "reason": "Invalid", "details": {"causes": causes}})


@contextmanager
def webhook(answer: Answer, context: ssl.SSLContext | None = None) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve a webhook. Yields: its URL, and the reviews that it was sent."""
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append(request)
            status, body = answer(request)
            self.send_response(status)
            self.send_header("Content-Type", "application/json" if body[:1] == b"{" else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """Say nothing of a client that has gone."""

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"{'http' if context is None else 'https'}://127.0.0.1:{server.server_port}/validate", seen
    finally:
        server.shutdown()
        server.server_close()


def certificate(folder: Path, name: x509.GeneralName = ADDRESS, days: int = 1) -> tuple[Path, ssl.SSLContext]:
    """Make a certificate that ends in some days. Returns: its file, and what a server needs to show it."""
    key, subject = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hook")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=9))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([name]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file, secret = folder / "certificate.pem", folder / "key.pem"
    file.write_bytes(made.public_bytes(Encoding.PEM))
    secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, secret)
    return file, context
