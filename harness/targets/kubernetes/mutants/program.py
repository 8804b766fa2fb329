"""Builds one worker with many mutants of a release. What does not compile with its mutants is left out, and told."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import platformdirs

from harness.diagnostics import TargetError
from harness.files import write_atomically
from harness.limits import read_checkout
from harness.targets.kubernetes.build import (
    OVERLAY,
    VALIDATORS,
    WORKER,
    Note,
    Program,
    go_environment,
    source_hash,
    write_sources,
)
from harness.targets.kubernetes.gomodule import TOP
from harness.targets.kubernetes.hooks import Hook
from harness.targets.kubernetes.madeerrors import MODULE as APIMACHINERY
from harness.targets.kubernetes.mutants.gomutant import ENVIRONMENT, SWITCH, GoMutant, write_file
from harness.targets.kubernetes.mutants.gosource import read_functions
from harness.targets.kubernetes.release import KubernetesSource, find_toolchain, module_folder

_SWITCH_FOLDER = f"pkg/util/{SWITCH}"
_SWITCH = f"""// Package {SWITCH} says which mutant of the handwritten validators this process runs.
package {SWITCH}

import (
	"os"
	"strconv"
	"sync/atomic"
)

// Selected is the number of the mutant, 0 for none, -1 for none while all probes tell.
var Selected = selected()

func selected() int {{
	number, _ := strconv.Atoi(os.Getenv("{ENVIRONMENT}"))
	return number
}}

var reached [%d]atomic.Bool

// Reach says that the code at a probe runs.
func Reach(probe int) {{
	if Selected != 0 && !reached[probe].Load() {{
		reached[probe].Store(true)
	}}
}}

// TakeReached lists the probes that were reached since it was last called.
func TakeReached() (found []int) {{
	for probe := range reached {{
		if reached[probe].Swap(false) {{
			found = append(found, probe)
		}}
	}}
	return found
}}
"""
_ERROR = re.compile(r"^(?:\./)?(?P<file>[^:\s]+\.go):(?P<line>\d+):\d+: (?P<message>.*)$", re.M)
_ROUNDS = 8
_SECONDS = 1200.0


@dataclass(frozen=True, slots=True)
class MutantBuild:
    """A worker with mutants, by number from 1. `functions` are the probes at the entry of the function of each.

    `left_out` are those that do not compile, by number, with what the compiler says.
    """

    program: Program
    mutants: Mapping[int, GoMutant]
    functions: Mapping[int, int]
    left_out: Mapping[int, tuple[GoMutant, str]]


def mutated_folders(release: KubernetesSource) -> dict[str, Path]:
    """Return the folders of the modules that have mutants, by module path. Raises: TargetError."""
    toolchain = find_toolchain()
    return {module: module_folder(release, module, toolchain) for module in (TOP, APIMACHINERY)}


def build_mutants(release: KubernetesSource, drawn: Sequence[GoMutant], note: Note) -> MutantBuild:
    """Return the worker with all mutants that compile; which do not is found once, and kept. Raises: TargetError."""
    sources = Sources.of(drawn, mutated_folders(release))
    whole = sources.program(dict(enumerate(drawn, 1)), len(drawn))
    known_as = release.name if release.folder is None else source_hash(release)  # its other files may change too
    memo = platformdirs.user_cache_path("equivalence-harness") / "workers" / f"contents-{whole.name}{known_as}"
    try:
        messages = msgspec.json.decode(memo.read_bytes(), type=dict[int, str])
    except (OSError, msgspec.DecodeError):
        messages = _find_errors(release, drawn, sources, note)
        with suppress(OSError):  # the cache may be read-only
            memo.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(memo, msgspec.json.encode(messages))
    kept = {number: one for number, one in enumerate(drawn, 1) if number not in messages}
    left_out = {number: (drawn[number - 1], message) for number, message in messages.items()}
    program = sources.program(kept, len(drawn))
    return MutantBuild(program, kept, sources.functions(kept, len(drawn)), left_out)


def _find_errors(release: KubernetesSource, drawn: Sequence[GoMutant], sources: Sources, note: Note) -> dict[int, str]:
    """Compile the packages that have mutants until all that are left compile. Returns: what is wrong with the others.

    Raises: TargetError.
    """
    kept, messages = dict(enumerate(drawn, 1)), dict[int, str]()
    for _ in range(_ROUNDS):
        program = sources.program(kept, len(drawn))
        errors = _compile(release, program, sorted({one.package for one in kept.values()}), note)
        if not errors:
            return messages
        found = sources.blame(kept, program, errors)
        if not found:
            break
        messages |= found
        kept = {number: one for number, one in kept.items() if number not in found}
        note(f"{len(messages)} of {len(drawn)} mutants do not compile")
    raise TargetError(
        "the validators do not compile with mutants",
        why="; ".join(f"{file}:{line}: {message}" for file, line, message in errors[:3]),
        fix="make a checkout compile first; for a release, draw with another --seed",
    )


@dataclass(frozen=True)
class Sources:
    """The texts of the files that have mutants, by module and path."""

    texts: Mapping[tuple[str, str], bytes]

    @classmethod
    def of(cls, drawn: Sequence[GoMutant], folders: Mapping[str, Path]) -> Sources:
        """Read the files of mutants. Raises: TargetError."""
        files = sorted({(one.module, one.file) for one in drawn})
        return cls({(module, file): read_checkout(folders[module] / file) for module, file in files})

    def functions(self, kept: Mapping[int, GoMutant], drawn: int) -> dict[int, int]:
        """Return the probe at the entry of the function of each mutant: they follow those of the mutants."""
        names = sorted({(one.module, one.file, one.function) for one in kept.values()})
        probes = {name: drawn + 1 + index for index, name in enumerate(names)}
        return {number: probes[one.module, one.file, one.function] for number, one in kept.items()}

    def program(self, kept: Mapping[int, GoMutant], drawn: int) -> Program:
        """Return the worker with these mutants."""
        probes = self.functions(kept, drawn)
        rewritten = {(APIMACHINERY, f"{_SWITCH_FOLDER}/{SWITCH}.go"): switch_file(2 * drawn + 2)}
        for (module, file), text in self.texts.items():
            own = {number: one for number, one in kept.items() if (one.module, one.file) == (module, file)}
            if own:
                entries = {one.function: probes[number] for number, one in own.items()}
                switch = f"{APIMACHINERY}/{_SWITCH_FOLDER}"
                rewritten[module, file] = write_file(text, own, switch, entries)
        digest = hashlib.sha256()
        for name, content in sorted(rewritten.items()):
            digest.update(repr((name, content)).encode())
        connection = WORKER / "mutants" / "reached.go"
        return Program(
            f"mutants-{digest.hexdigest()[:12]}-",
            lambda: [*VALIDATORS.sources(), connection],
            lambda generation: [*VALIDATORS.parts(generation), connection],
            VALIDATORS.imports,
            (*VALIDATORS.hooks, *(_hook(*name, text) for name, text in rewritten.items())),
        )

    def blame(
        self, kept: Mapping[int, GoMutant], program: Program, errors: Sequence[tuple[str, int, str]]
    ) -> dict[int, str]:
        """Return the mutants whose copies have the errors of the compiler, with the first error of each."""
        found: dict[int, str] = {}
        for module, file in self.texts:
            text = text_of_file(program, module, file)
            own = [(line, message) for name, line, message in errors if _is_file(name, module, file)]
            spans = dict(copies_of(file, text)) if own else {}
            for line, message in own:
                for number, (first, last) in spans.items():
                    if first <= line <= last and number in kept:
                        found.setdefault(number, message)
        return found


def _hook(module: str, file: str, text: bytes) -> Hook:
    return Hook(module, file, lambda folder: text, "")


def text_of_file(program: Program, module: str, file: str) -> bytes:
    """Return the text that a program lays over a file of the release; empty if it lays none."""
    return next((hook.change(Path()) for hook in program.hooks if (hook.module, hook.file) == (module, file)), b"")


def _is_file(name: str, module: str, file: str) -> bool:
    """Whether a path is that of a file of a module: the folder of one module has the other below it."""
    return name.endswith(f"/{file}") and name.endswith(f"/apimachinery/{file}") == (module == APIMACHINERY)


def switch_file(probes: int) -> bytes:
    """Return the file of the package with the switch, for so many probes."""
    return (_SWITCH % probes).encode()


def copies_of(file: str, text: bytes) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the number and the lines of each copy of a function in a file."""
    for function in read_functions(file, text):
        _, mark, number = function.name.rpartition("__mutant")
        if mark:
            yield int(number), (function.node.start_point[0] + 1, function.node.end_point[0] + 1)


def _compile(
    release: KubernetesSource, program: Program, packages: Sequence[str], note: Note
) -> list[tuple[str, int, str]]:
    """Compile packages without linking them. Returns: file, line and message of each error. Raises: TargetError."""
    note(f"compiling {len(packages)} {'package' if len(packages) == 1 else 'packages'} with mutants")
    with tempfile.TemporaryDirectory(prefix="harness-mutants-") as place:
        folder = Path(place)
        toolchain = write_sources(folder, release, find_toolchain(), program)
        every_error = [f"-gcflags={package}=-dwarf=false -e" for package in packages]
        command = [str(toolchain.go), "build", f"-overlay={OVERLAY}", *every_error, *packages]
        done = subprocess.run(
            command, cwd=folder, env=go_environment(), capture_output=True, text=True, errors="replace",
            timeout=_SECONDS,
        )  # fmt: skip
        if done.returncode == 0:
            return []
        replaced: dict[str, str] = json.loads((folder / OVERLAY).read_text())["Replace"]
    copies = {Path(copy).relative_to(folder).as_posix(): original for original, copy in replaced.items()}
    found = [(copies.get(file, file), int(line), message) for file, line, message in _ERROR.findall(done.stderr)]
    return found or [("", 0, done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}")]
