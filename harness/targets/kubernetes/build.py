"""Builds the worker of a release once and keeps it in the user's cache folder.

The worker is our Go source plus files made from the release: its import list, its go.mod, the generation file, chosen
by how the release's strategies call declarative validation, and copies of some of its files with a hook in them, see
`hooks`. The release itself is not changed.
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from shutil import rmtree

import platformdirs

from harness.diagnostics import TargetError
from harness.files import is_private, locked, write_atomically
from harness.limits import read_checkout, read_checkout_text
from harness.targets.kubernetes.gomodule import MODULE, TOP, find_generation, generated, go_mod
from harness.targets.kubernetes.hooks import Hook, lay
from harness.targets.kubernetes.madeerrors import MADE_ERRORS
from harness.targets.kubernetes.release import (
    OLDEST,
    KubernetesSource,
    Toolchain,
    find_toolchain,
    module_folder,
    wanted_go,
)
from harness.targets.kubernetes.sameness import code_of, overlay, remember, type_files

Note = Callable[[str], None]

WORKER = Path(__file__).parent / "worker"
_BINARY = "worker.exe" if sys.platform == "win32" else "worker"
OVERLAY = "overlay.json"
_SUM = ".sha256"
_WAITING = "another process builds this worker; waiting for it"
_PARTS = {
    "levels": ("levels", "beta", "pods", "requests", "rules"),
    "explicit": ("strategies", "explicit", "helper", "beta", "listed", "pods", "requests", "rules"),
    "helper": ("strategies", "takeover", "helper", "listed", "pods", "requests", "rules"),
    "inline": ("strategies", "takeover", "inline", "plain", "listed", "requests"),
    "first": ("strategies", "takeover", "first", "plain"),
}
"""The files of each generation: those of one idea are shared by all generations that have it."""

_LAST_LINES = 30
_KEEP = 30 * 24 * 3600.0

RECIPE = 4
"""The version of the generated sources. Increase it if they change, so that all workers are built again."""


@dataclass(frozen=True, slots=True)
class Program:
    """A Go program of ours that is linked with a release: the worker of its validators, and others like it.

    `name` begins the name of its folder in the cache. `sources` lists the files of its Go source, which identify it,
    `parts` those that are compiled for a generation. `imports` writes what differs from release to release, `hooks` are
    laid over files of it. `oldest` is the oldest minor release that it can be linked with. `modules` are required
    besides those of the release, in the version that its go.mod names. `variables` are string variables of the
    release's packages that the linker sets, `flags` are more flags of the compiler.
    """

    name: str
    sources: Callable[[], list[Path]]
    parts: Callable[[str], list[Path]]
    imports: Callable[[Path, str], str] | None = None
    hooks: tuple[Hook, ...] = ()
    oldest: tuple[int, int] = OLDEST
    modules: tuple[str, ...] = ()
    variables: Callable[[KubernetesSource], Mapping[str, str]] = lambda release: {}
    flags: tuple[str, ...] = ()


def _parts(generation: str) -> list[Path]:
    return [*_go_files(WORKER / "common"), *generation_files(generation)]


def generation_files(generation: str, part: str = "*") -> list[Path]:
    """List the Go files of a generation: all, or the part of a name."""
    folder = WORKER / "generations"
    return sorted(path for name in _PARTS.get(generation, (generation,)) for path in folder.glob(f"{name}{part}.go"))


def _sources() -> list[Path]:
    return [*_go_files(WORKER / "common"), *_go_files(WORKER / "generations")]


VALIDATORS = Program("", _sources, _parts, generated, (MADE_ERRORS,))

COVERED = Program(
    "covered-",
    lambda: [*_sources(), *_go_files(WORKER / "covered")],
    lambda generation: [*_parts(generation), *_go_files(WORKER / "covered")],
    generated,
    (MADE_ERRORS,),
    # Counters can be read and cleared while the program runs in this mode alone, and only if main has them too.
    flags=("-cover", "-covermode=atomic", f"-coverpkg={MODULE},{TOP}/pkg/apis/.../validation"),
)
"""The worker with counters in the packages of handwritten validation."""


def worker_for(release: KubernetesSource, note: Note, program: Program = VALIDATORS) -> Path:
    """Return the worker's binary, which is built if it is not cached.

    Raises: TargetError if there is no toolchain, the release cannot be downloaded or is too old for the program, or
    compiling fails.
    """
    if release.folder is None and release.minor < program.oldest:
        least = ".".join(map(str, program.oldest))
        raise TargetError(
            f"Kubernetes {release.name} is not supported here, only {least} and newer releases are",
            why=f"the packages that the {program.name}worker links have another interface in older releases",
            fix=f"name {least} or a newer release",
        )
    cache = platformdirs.user_cache_path("equivalence-harness") / "workers"
    # A checkout is identified by its contents and not by its folder, since base and head may be equal.
    stem = f"{program.name}{release.name if release.folder is None else 'checkout'}-{source_hash(release, program)}"
    try:
        toolchain = find_toolchain()
    except TargetError:
        built = [binary for binary in sorted(cache.glob(f"{stem}-*/{_BINARY}")) if is_whole(binary)]
        if built:
            return built[-1]
        raise
    binary = cache / f"{stem}-{toolchain.version.replace(' ', '-')}" / _BINARY
    if is_whole(binary):
        with suppress(OSError):  # the cache may be read-only
            os.utime(binary)
        return binary
    with _written_to(cache), locked(cache / f"{stem}.lock", lambda: note(_WAITING)):
        if not is_whole(binary):  # another process may have built it while we waited
            if binary.is_file():
                note(f"the cached worker is damaged, or has no checksum: {binary}")
            for leftover in cache.glob(f".build-{stem}-*"):  # of builds that were killed, because we have the lock
                rmtree(leftover, ignore_errors=True)
            _build_into(binary, release, toolchain, note, program)
            _forget_unused(cache)
    return binary


def _forget_unused(cache: Path) -> None:
    """Delete workers that have not been used for a long time: each takes 100 MB, and each change makes a new one."""
    for binary in cache.glob(f"*/{_BINARY}"):
        if time.time() - binary.stat().st_mtime > _KEEP:
            rmtree(binary.parent, ignore_errors=True)
    for memo in cache.glob("contents-*"):
        if time.time() - memo.stat().st_mtime > _KEEP:
            memo.unlink(missing_ok=True)


def source_hash(release: KubernetesSource, program: Program = VALIDATORS) -> str:
    """Return the hash that identifies a worker: of our Go source, the build recipe, and the files of a checkout."""
    digest = hashlib.sha256(str(RECIPE).encode())
    for path in program.sources():
        digest.update(path.relative_to(path.parents[1]).as_posix().encode() + b"\0" + path.read_bytes())
    if release.folder is not None:
        digest.update(_hash_checkout(release.folder).encode())
    return digest.hexdigest()[:12]


def _go_files(folder: Path) -> list[Path]:
    """List our Go source without tests, which are not part of the worker."""
    return sorted(path for path in folder.rglob("*.go") if not path.name.endswith("_test.go"))


def _hash_checkout(folder: Path) -> str:
    """Hash the files of a checkout that a worker may link, by content, so that copies of a checkout share a worker.

    Hashing takes seconds, so the result is cached until the name, size or time of a file changes.
    """
    files = list(_linked_files(folder))
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
    with suppress(OSError):  # the cache may be read-only
        memo.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(memo, digest.hexdigest().encode())
    return digest.hexdigest()


def _linked_files(folder: Path) -> Iterator[Path]:
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
    """Turn errors of writing the cache folder into TargetError."""
    try:
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise TargetError(
            "the worker cannot be saved",
            why=f"{error.filename or cache}: {error.strerror or error}",
            fix="set XDG_CACHE_HOME to a folder that you can write",
        ) from error


def is_whole(binary: Path) -> bool:
    """Whether a worker is there and is, byte for byte, what the compiler wrote.

    Raises: TargetError when others than this user can write it: it would run with the user's rights.
    """
    for place in (binary.parent.parent, binary.parent, binary, binary.with_suffix(_SUM)):
        if place.exists() and not is_private(place):
            raise TargetError(
                f"other users own {place} or can write to it",
                why="it is a program that runs with your permissions",
                fix=f"chown it to yourself and chmod go-w it, or delete {binary.parent.parent} to build it again",
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


def _build_into(binary: Path, release: KubernetesSource, toolchain: Toolchain, note: Note, program: Program) -> None:
    note(f"building the worker of {release.name} (once; the first build of a release takes minutes)")
    folder = Path(tempfile.mkdtemp(prefix=f".build-{binary.parent.name}-", dir=binary.parent.parent))
    try:
        standing = {}
        if release.folder is not None:
            standing = remember(release.folder, binary.parent.parent.parent / "code")
        toolchain = write_sources(folder, release, toolchain, program, standing)
        _compile(folder, toolchain, note, program.variables(release), program.flags)
        binary.parent.mkdir(mode=0o700, exist_ok=True)
        _move_to_cache(folder / _BINARY, binary)
    finally:
        rmtree(folder, ignore_errors=True)
    note(f"built the worker of {release.name}")


def _move_to_cache(built: Path, binary: Path) -> None:
    """Move a worker into the cache with its hash, so that an incomplete one is detected and built again."""
    with open(built, "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        os.fsync(stream.fileno())
    os.chmod(built, 0o755)
    write_atomically(binary.with_suffix(_SUM), f"{digest}\n".encode())
    os.chmod(binary.with_suffix(_SUM), 0o644)
    os.replace(built, binary)


def write_sources(
    folder: Path,
    release: KubernetesSource,
    toolchain: Toolchain,
    program: Program = VALIDATORS,
    standing: Mapping[str, str] | None = None,
) -> Toolchain:
    """Write the sources; return the toolchain, which may be another one if the release requires a newer Go.

    `standing` are files that replace others of the release, by path, besides those with a hook.
    """
    top = module_folder(release, TOP, toolchain)
    upstream = read_checkout_text(top / "go.mod")
    toolchain = find_toolchain(wanted_go(upstream))
    generation = find_generation(module_folder(release, "k8s.io/apiserver", toolchain))
    laid = lay(program.hooks, folder, release, toolchain)
    if program.imports is not None:
        (folder / "generated.go").write_text(program.imports(top, generation))
    (folder / "go.mod").write_text(go_mod(release, upstream, laid.links, program.modules))
    for source in program.parts(generation):
        (folder / source.name).write_bytes(source.read_bytes())
    (folder / OVERLAY).write_text(overlay({**(standing or {}), **laid.replaced}))
    return toolchain


def go_environment() -> dict[str, str]:
    """Return our environment, with what the Go command needs to know of the worker's module.

    Flags of the compiler stand here and in no command, so that all commands share what is compiled. Paths are trimmed,
    which makes it the same for every folder. What debuggers read is left out: it is a tenth of the work, and binaries
    are stripped of it.
    """
    flags = f"{os.environ.get('GOFLAGS', '')} -mod=mod -trimpath -gcflags=all=-dwarf=false".strip()
    return {**os.environ, "GOFLAGS": flags, "GOWORK": "off", "GO111MODULE": "on", "CGO_ENABLED": "0"}


def _compile(
    folder: Path, toolchain: Toolchain, note: Note, variables: Mapping[str, str], flags: tuple[str, ...]
) -> None:
    settings = "".join(f" -X {name}={value}" for name, value in variables.items())
    command = [
        str(toolchain.go),
        "build",
        "-v",
        f"-overlay={OVERLAY}",
        f"-ldflags=-s -w{settings}",
        *flags,
        "-o",
        _BINARY,
        ".",
    ]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=go_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    last: deque[str] = deque(maxlen=_LAST_LINES)
    assert process.stderr is not None
    with process:
        try:
            _report_progress(process.stderr, last, note)
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        raise TargetError(
            "the worker could not be built: the compiler says\n" + "\n".join(f"    {line}" for line in last),
            why=f"go build stopped with exit code {process.returncode}",
            fix="make a checkout compile first; for a release, check the network, GOPROXY and free disk space",
        )


def _report_progress(lines: Iterable[str], last: deque[str], note: Note) -> None:
    """Report the progress of the build from the compiler's list of packages, at most every two seconds."""
    compiled = downloaded = 0
    reported = time.monotonic()
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
        if time.monotonic() - reported > 2:
            reported = time.monotonic()
            modules = f", downloaded {downloaded} module{'s' * (downloaded != 1)}" if downloaded else ""
            note(f"compiled {compiled} package{'s' * (compiled != 1)}{modules}")
    note(f"compiled {compiled} package{'s' * (compiled != 1)}")
