"""How a server is reached: from a kubeconfig, as kubectl reads it, or from a URL.

A program that a kubeconfig names for credentials is not run unless the caller allows it.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import ssl
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from harness.diagnostics import TargetError
from harness.limits import read_bounded

_MOST_BYTES: Final = 4 << 20
_EXEC_SECONDS: Final = 60.0
_UNSUPPORTED = ("username", "password", "auth-provider", "impersonate")


@dataclass(frozen=True, slots=True)
class Access:
    """A server's URL, and what it is shown: a token, or a certificate with its key (PEM).

    `authority` are the certificates that its own is checked with, empty for those of the system. `insecure` accepts any
    certificate, because the kubeconfig says so.
    """

    url: str
    authority: str = ""
    token: str = ""
    certificate: str = ""
    key: str = ""
    insecure: bool = False

    def context(self) -> ssl.SSLContext:
        """Return the TLS settings. Raises: TargetError if a certificate cannot be used."""
        try:
            context = ssl.create_default_context(cadata=self.authority or None)
            if self.insecure:
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            if self.certificate:
                with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:  # which only its owner can read
                    file.write(f"{self.certificate}\n{self.key}\n")
                    file.flush()
                    context.load_cert_chain(file.name)
        except (ssl.SSLError, OSError, ValueError) as error:
            raise TargetError(
                f"a certificate for {self.url} cannot be used", str(error), "see the kubeconfig"
            ) from None
        return context


def read_kubeconfig(file: Path, name: str = "", *, allow_exec: bool = False) -> Access:
    """Read how the server of a context is reached; of the current one, if none is named. Raises: TargetError."""
    try:
        document = yaml.safe_load(read_bounded(str(file), _MOST_BYTES))
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:
        raise TargetError(f"{file} cannot be read", str(error), "name a kubeconfig") from None
    if not isinstance(document, dict) or not isinstance(document.get("clusters"), list):
        raise TargetError(f"{file} is no kubeconfig", "it has no clusters", "kubectl config view --minify --flatten")
    name = name or str(document.get("current-context") or "")
    context = _entry(document, "contexts", "context", name, file)
    cluster = _entry(document, "clusters", "cluster", str(context.get("cluster")), file)
    user = _entry(document, "users", "user", str(context.get("user")), file) if context.get("user") else {}
    for key in ("tls-server-name", "proxy-url"):
        if cluster.get(key):
            raise TargetError(f"{file} has {key}", "the server is asked directly", "name a kubeconfig without it")
    shown = _credentials(user, file, allow_exec)
    if not str(cluster.get("server", "")).startswith(("http://", "https://")):
        raise TargetError(
            f"{file} names no URL for {name}", f"it has {cluster.get('server')!r}", "add server: https://"
        )
    return Access(
        str(cluster["server"]).rstrip("/"), _pem(cluster, "certificate-authority", file),
        insecure=cluster.get("insecure-skip-tls-verify") is True, **shown,
    )  # fmt: skip


def _entry(document: Mapping[str, Any], group: str, key: str, name: str, file: Path) -> dict[str, Any]:
    entries = document.get(group)
    known = {}
    for one in entries if isinstance(entries, list) else ():
        if isinstance(one, dict) and isinstance(one.get(key), dict):
            known[str(one.get("name"))] = one[key]
    if name not in known:
        named = ", ".join(known) or "none"
        fix = "--context NAME" if key == "context" else f"add it to {group}"
        raise TargetError(f"{file} has no {key} {name!r}", f"it has {named}", fix)
    found: dict[str, Any] = known[name]
    return found


def _pem(entry: Mapping[str, Any], key: str, file: Path) -> str:
    """Return a certificate or key, which is in the file or in one that it names."""
    try:
        if data := entry.get(f"{key}-data"):
            return base64.b64decode(str(data), validate=True).decode()
        if path := entry.get(key):
            return Path(file.absolute().parent, str(path)).read_text(encoding="utf-8")
    except (OSError, ValueError, binascii.Error) as error:
        raise TargetError(f"{key} of {file} cannot be read", str(error), "see the kubeconfig") from None
    return ""


def _credentials(user: Mapping[str, Any], file: Path, allow_exec: bool) -> dict[str, str]:
    unsupported = [key for key in _UNSUPPORTED if user.get(key)]
    if unsupported:
        raise TargetError(
            f"{file} has {', '.join(unsupported)}", "only tokens, certificates and programs are supported",
            "kubectl create token ACCOUNT, and a user with that token",
        )  # fmt: skip
    if isinstance(plugin := user.get("exec"), dict):
        return _run_plugin(plugin, file, allow_exec)
    token = str(user.get("token") or "")
    if not token and (path := user.get("tokenFile")):
        try:
            token = Path(file.absolute().parent, str(path)).read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            raise TargetError(f"tokenFile of {file} cannot be read", str(error), "see the kubeconfig") from None
    return {
        "token": token, "certificate": _pem(user, "client-certificate", file), "key": _pem(user, "client-key", file),
    }  # fmt: skip


def _run_plugin(plugin: Mapping[str, Any], file: Path, allow_exec: bool) -> dict[str, str]:
    """Ask the program of a kubeconfig for credentials."""
    argv = [str(plugin.get("command", "")), *map(str, plugin.get("args") or ())]
    if not allow_exec:
        raise TargetError(
            f"{file} gets its credentials from a program: {' '.join(argv)}", "it would run with your permissions",
            "--allow-exec if you know it",
        )  # fmt: skip
    version = str(plugin.get("apiVersion", "client.authentication.k8s.io/v1"))
    info = {"apiVersion": version, "kind": "ExecCredential", "spec": {"interactive": False}}
    extra = {str(one["name"]): str(one["value"]) for one in plugin.get("env") or () if isinstance(one, dict)}
    environment = {**os.environ, **extra, "KUBERNETES_EXEC_INFO": json.dumps(info)}
    try:
        done = subprocess.run(argv, capture_output=True, env=environment, timeout=_EXEC_SECONDS, check=True)
        status = json.loads(done.stdout)["status"]
        found = {
            "token": str(status.get("token") or ""), "certificate": str(status.get("clientCertificateData") or ""),
            "key": str(status.get("clientKeyData") or ""),
        }  # fmt: skip
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TargetError(f"{argv[0]} gave no credentials", str(error), f"run it yourself: {' '.join(argv)}") from None
    return found
