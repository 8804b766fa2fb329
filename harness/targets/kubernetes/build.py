"""Builds the worker of a release once and keeps it in the user's cache folder.

The worker is our Go source plus what is made from the release itself: its import list, its go.mod, and the choice of
the generation file, by how its strategies reach declarative validation. Nothing of the release is changed.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from shutil import rmtree

import platformdirs

from harness.diagnostics import TargetError
from harness.files import is_private, locked, write_atomically
from harness.limits import read_checkout, read_checkout_text
from harness.targets.kubernetes.release import (
    KubernetesSource,
    Toolchain,
    find_toolchain,
    module_folder,
    staging_modules,
    wanted_go,
)
from harness.targets.kubernetes.sameness import code_of, overlay, remember, type_files

Note = Callable[[str], None]

WORKER = Path(__file__).parent / "worker"
_BINARY = "worker.exe" if sys.platform == "win32" else "worker"
_OVERLAY = "overlay.json"
_SUM = ".sha256"
_WAITING = "another process builds this worker; waiting for it"
_TOP = "k8s.io/kubernetes"
_VALIDATE = "pkg/registry/rest/validate.go"
_GENERATIONS = {
    "levels": re.compile(r"^type DeclarativeValidationStrategy interface \{", re.M),
    "explicit": re.compile(
        r"^func ValidateDeclarativelyWithMigrationChecks\(.*configOpts \.\.\.ValidationConfig\)", re.M
    ),
}
"""What in a release's validate.go tells how its strategies reach declarative validation, newest first."""

_LAST_LINES = 30
_KEEP = 30 * 24 * 3600.0

RECIPE = 2
"""Raise it when what this module writes for the compiler changes: workers built by another recipe are built anew."""


def worker_for(release: KubernetesSource, note: Note) -> Path:
    """Return the worker's binary, built now if the cache does not have it.

    Raises: TargetError when there is no toolchain, the release is not to be had, or the compiler refuses.
    """
    cache = platformdirs.user_cache_path("equivalence-harness") / "workers"
    # A checkout is known by its contents, wherever it lies: base and head may be the same.
    stem = f"{release.name if release.folder is None else 'checkout'}-{source_hash(release)}"
    try:
        toolchain = find_toolchain()
    except TargetError:
        built = [binary for binary in sorted(cache.glob(f"{stem}-*/{_BINARY}")) if is_whole(binary)]
        if built:
            return built[-1]
        raise
    binary = cache / f"{stem}-{toolchain.version.replace(' ', '-')}" / _BINARY
    if is_whole(binary):
        with suppress(OSError):  # a cache that may only be read is good enough
            os.utime(binary)
        return binary
    with _written_to(cache), locked(cache / f"{stem}.lock", lambda: note(_WAITING)):
        if not is_whole(binary):  # somebody else may have built it while we waited
            if binary.is_file():
                note(f"the worker that is kept is damaged, or nobody knows how it was written: {binary}")
            for leftover in cache.glob(f".build-{stem}-*"):  # of a build that was killed: we hold the lock
                rmtree(leftover, ignore_errors=True)
            _build_into(binary, release, toolchain, note)
            _forget_unused(cache)
    return binary


def _forget_unused(cache: Path) -> None:
    """Delete workers that nobody asked for in a long time: each takes 100 MB, and each change gives another one."""
    for binary in cache.glob(f"*/{_BINARY}"):
        if time.time() - binary.stat().st_mtime > _KEEP:
            rmtree(binary.parent, ignore_errors=True)
    for memo in cache.glob("contents-*"):
        if time.time() - memo.stat().st_mtime > _KEEP:
            memo.unlink(missing_ok=True)


def source_hash(release: KubernetesSource) -> str:
    """Tell one worker from another: our Go source, how it is put together, and the files of a checkout."""
    digest = hashlib.sha256(str(RECIPE).encode())
    for path in sorted(WORKER.rglob("*.go")):
        digest.update(path.relative_to(WORKER).as_posix().encode() + b"\0" + path.read_bytes())
    if release.folder is not None:
        digest.update(_contents(release.folder).encode())
    return digest.hexdigest()[:12]


def _contents(folder: Path) -> str:
    """Hash what a worker may link of a checkout, by content: the same files in two folders make one worker.

    That takes seconds and is asked often, so it is remembered for as long as no name, size or time changes.
    """
    files = list(_linked(folder))
    stamp = hashlib.sha256()
    for path in files:
        stat = path.stat()
        stamp.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    memo = platformdirs.user_cache_path("equivalence-harness") / "workers" / f"contents-{stamp.hexdigest()[:24]}"
    with suppress(OSError):
        return memo.read_text()
    digest, types = hashlib.sha256(), set(type_files(folder))
    for path in files:
        name = path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape")
        data = code_of(path) if path in types else read_checkout(path)
        digest.update(name + b"\0" + hashlib.sha256(data).digest())
    with suppress(OSError):  # a cache that may only be read is good enough
        memo.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(memo, digest.hexdigest().encode())
    return digest.hexdigest()


def _linked(folder: Path) -> Iterator[Path]:
    """Yield every Go file that the worker may link."""
    for top in ("cmd", "pkg", "plugin", "staging/src", "third_party", "go.mod"):
        stack = [folder / top]
        while stack:
            path = stack.pop()
            if path.is_dir():
                stack += sorted(path.iterdir(), reverse=True)
            elif path.suffix in (".go", ".mod") and path.is_file() and not path.name.endswith("_test.go"):
                yield path


@contextmanager
def _written_to(cache: Path) -> Iterator[None]:
    """Turn what the cache folder refuses into words. Raises: TargetError."""
    try:
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise TargetError(
            "the worker cannot be kept",
            why=f"{error.filename or cache}: {error.strerror or error}",
            fix="XDG_CACHE_HOME names another folder for what is kept",
        ) from error


def is_whole(binary: Path) -> bool:
    """Whether a worker is there and is, byte for byte, what the compiler wrote.

    Raises: TargetError when others than this user can write it: it would run with the user's rights.
    """
    for place in (binary.parent.parent, binary.parent, binary, binary.with_suffix(_SUM)):
        if place.exists() and not is_private(place):
            raise TargetError(
                f"others can write or own {place}",
                why="what is kept there is a program that runs with your rights",
                fix=f"chown it to yourself and chmod go-w it, or delete {binary.parent.parent}: it is built again",
            )
    return binary.is_file() and _whole(binary)


def _whole(binary: Path) -> bool:
    try:
        found = binary.stat()
        kept = binary.with_suffix(_SUM).read_text(encoding="ascii", errors="replace")
        return kept == _sum_of(binary, found.st_size, found.st_mtime_ns, found.st_ino)
    except OSError:
        return False


@lru_cache(maxsize=16)
def _sum_of(binary: Path, *changed: int) -> str:
    """Hash a worker, once for each process: a tenth of a second for 100 MB. Raises: OSError."""
    with open(binary, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() + "\n"


def _build_into(binary: Path, release: KubernetesSource, toolchain: Toolchain, note: Note) -> None:
    note(f"building the worker of {release.name} (once; the first build of a release takes minutes)")
    folder = Path(tempfile.mkdtemp(prefix=f".build-{binary.parent.name}-", dir=binary.parent.parent))
    try:
        toolchain = _write_sources(folder, release, toolchain)
        if release.folder is not None:
            standing = remember(release.folder, binary.parent.parent.parent / "code")
            (folder / _OVERLAY).write_text(overlay(standing))
        _compile(folder, toolchain, note)
        binary.parent.mkdir(mode=0o700, exist_ok=True)
        _keep(folder / _BINARY, binary)
    finally:
        rmtree(folder, ignore_errors=True)
    note(f"built the worker of {release.name}")


def _keep(built: Path, binary: Path) -> None:
    """Move a worker to where it is kept, with its hash: after a power cut both are there, or it is built again."""
    with open(built, "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        os.fsync(stream.fileno())
    os.chmod(built, 0o755)
    write_atomically(binary.with_suffix(_SUM), f"{digest}\n".encode())
    os.chmod(binary.with_suffix(_SUM), 0o644)
    os.replace(built, binary)


def _write_sources(folder: Path, release: KubernetesSource, toolchain: Toolchain) -> Toolchain:
    """Write what is compiled; return the toolchain, which may be another one when the release wants a newer Go."""
    top = module_folder(release, _TOP, toolchain)
    upstream = read_checkout_text(top / "go.mod")
    toolchain = find_toolchain(wanted_go(upstream))
    generation = find_generation(module_folder(release, "k8s.io/apiserver", toolchain))
    (folder / "go.mod").write_text(go_mod(release, upstream))
    (folder / "generated.go").write_text(generated(top, generation))
    for source in sorted((WORKER / "common").glob("*.go")):
        (folder / source.name).write_bytes(source.read_bytes())
    (folder / "generation.go").write_bytes((WORKER / "generations" / f"{generation}.go").read_bytes())
    return toolchain


def find_generation(apiserver: Path) -> str:
    """Say how the strategies of a release reach declarative validation.

    Raises: TargetError when its source shows no way that the worker knows.
    """
    validate = apiserver / _VALIDATE
    source = read_checkout_text(validate) if validate.is_file() else ""
    for generation, sign in _GENERATIONS.items():
        if sign.search(source):
            return generation
    raise TargetError(
        "this release composes its two lists in a way the worker does not know",
        why=f"{_VALIDATE} of k8s.io/apiserver has none of the known forms",
        fix="name a release from 1.36 on, or update the harness",
    )


def go_mod(release: KubernetesSource, upstream: str) -> str:
    """Write the worker's go.mod: the release, and its staging modules by version or by folder.

    All are required under one version and replaced: with -trimpath that version, and not where the files come from, is
    what the compiler's cache goes by. So packages that a checkout has in common with a release are not built again.
    """
    modules = staging_modules(upstream)
    kept = [line for line in upstream.splitlines() if re.match(r"(go|godebug|toolchain) ", line)]
    used = [m for m in modules if re.search(rf"^\s+{re.escape(m)} v", upstream, re.M)]  # the rest is never looked up
    require = [f"\t{module} v0.0.0" for module in (_TOP, *used)]
    if release.folder is None:
        replace = [f"\t{_TOP} => {_TOP} {release.version}"]
        replace += [f"\t{m} => {m} {release.staging_version}" for m in modules]
    else:
        replace = [f"\t{_TOP} => {release.folder}"]
        replace += [f"\t{m} => {release.folder / 'staging' / 'src' / m}" for m in modules]
    return "\n".join(["module worker", "", *kept, "", "require (", *require, ")", "", "replace (", *replace, ")", ""])


def generated(top: Path, generation: str) -> str:
    """Write the imports that differ from release to release: what the release's own server links."""
    apis = _named_by(top / "pkg/controlplane/import_known_versions.go", "pkg/apis", "install", top)
    groups = [g for g in _named_by(top / "pkg/controlplane/instance.go", "pkg/registry", "rest", top) if g != "core"]
    providers = [(group, _provider(top / "pkg/registry" / group / "rest")) for group in groups]
    rules = _normalization(top) if generation == "explicit" else {}
    packages = {package: f"rules{number}" for number, package in enumerate(sorted({p for p, _ in rules.values()}))}
    lines = ["package main", "", "import ("]
    lines += ['\t"k8s.io/apimachinery/pkg/util/validation/field"'] if generation == "explicit" else []
    lines += [f'\t_ "{_TOP}/pkg/apis/{api}/install"' for api in apis]
    lines += [f'\t{group}rest "{_TOP}/pkg/registry/{group}/rest"' for group, name in providers if name]
    lines += [f'\t{alias} "{package}"' for package, alias in packages.items()]
    lines += [")", "", "var providers = []provider{"]
    lines += [f"\t&{group}rest.{name}{{}}," for group, name in providers if name]
    lines += ["}"]
    if generation == "explicit":
        lines += ["", "var normalization = map[string][]field.NormalizationRule{"]
        lines += [f'\t"{strategy}": {packages[package]}.{name},' for strategy, (package, name) in rules.items()]
        lines += ["}"]
    return "\n".join([*lines, ""])


def _normalization(top: Path) -> dict[str, tuple[str, str]]:
    """Find the path rules that strategies of 1.36 pass along: strategy package to the package and name of the rules."""
    rules = {}
    for path in sorted((top / "pkg/registry").glob("*/*/strategy.go")):
        text = read_checkout_text(path)
        used = re.search(r"WithNormalizationRules\((\w+)\.(\w+)\)", text)
        package = used and re.search(rf'^\s+(?:{used[1]} "([^"]+)"|"([^"]+/{used[1]})")$', text, re.M)
        if used and package:
            strategy = f"{_TOP}/{path.parent.relative_to(top).as_posix()}"
            rules[strategy] = (package[1] or package[2], used[2])
    return rules


def _named_by(server: Path, parent: str, leaf: str, top: Path) -> list[str]:
    """List the packages parent/NAME/leaf that the server's own file imports."""
    text = read_checkout_text(server) if server.is_file() else ""
    named = set(re.findall(rf'"{_TOP}/{parent}/(\w+)/{leaf}"', text))
    there = {folder.parent.name for folder in (top / parent).glob(f"*/{leaf}") if folder.is_dir()}
    if not named & there:
        raise TargetError(
            f"{server.name} imports no {parent}/*/{leaf}",
            why="the list of groups is read from the release's own server",
            fix="check that the sources are complete",
        )
    return sorted(named & there)


def _provider(folder: Path) -> str:
    """Return the name of the storage provider type of a rest package."""
    for path in sorted(folder.glob("*.go")):
        found = re.search(r"^func \(\w+ \*?(\w+)\) NewRESTStorage\(", read_checkout_text(path), re.M)
        if found:
            return found[1]
    return ""


def _compile(folder: Path, toolchain: Toolchain, note: Note) -> None:
    flags = f"{os.environ.get('GOFLAGS', '')} -mod=mod".strip()
    environment = {**os.environ, "GOFLAGS": flags, "GOWORK": "off", "GO111MODULE": "on", "CGO_ENABLED": "0"}
    command = [
        str(toolchain.go),
        "build",
        "-v",
        "-trimpath",
        *([f"-overlay={_OVERLAY}"] if (folder / _OVERLAY).is_file() else []),
        "-ldflags=-s -w",
        "-o",
        _BINARY,
        ".",
    ]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    last: deque[str] = deque(maxlen=_LAST_LINES)
    assert process.stderr is not None
    with process:
        try:
            _follow(process.stderr, last, note)
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        raise TargetError(
            "the worker could not be built: the compiler says\n" + "\n".join(f"    {line}" for line in last),
            why=f"go build stopped with exit code {process.returncode}",
            fix="make a checkout compile first; for a release, check the network, GOPROXY and free disk space",
        )


def _follow(lines: Iterable[str], last: deque[str], note: Note) -> None:
    """Turn the compiler's list of packages into progress, a word every two seconds at most."""
    compiled = downloaded = 0
    told = time.monotonic()
    for line in lines:
        line = line.rstrip()
        if line.startswith("go: "):
            downloaded += line.startswith("go: downloading ")
            if not line.startswith(("go: downloading ", "go: found ", "go: finding ")):
                last.append(line)
        elif re.fullmatch(r"[\w./~-]+", line):
            compiled += 1
        else:
            last.append(line)
        if time.monotonic() - told > 2:
            told = time.monotonic()
            note(f"compiled {compiled} packages" + (f", downloaded {downloaded} modules" if downloaded else ""))
    note(f"compiled {compiled} packages")
