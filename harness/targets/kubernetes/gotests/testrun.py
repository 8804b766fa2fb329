"""Runs the tests that a release has for its validators, and keeps what they give to them.

The release is not changed: copies of its files with calls in them, see `hooks`, and one more test file for each package
are put over them by `go test -overlay`. Failing tests do not matter, because only what they ask is wanted.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from harness.case import Json
from harness.diagnostics import TargetError
from harness.limits import lines_of, read_checkout, read_checkout_text
from harness.targets.kubernetes.build import WORKER, go_environment
from harness.targets.kubernetes.gomodule import MODULE, TOP, go_mod, installed_apis
from harness.targets.kubernetes.gotests.hooks import RECORD, SOURCE, hook_validators
from harness.targets.kubernetes.release import (
    KubernetesSource,
    Toolchain,
    find_toolchain,
    module_folder,
    wanted_go,
)
from harness.targets.kubernetes.sameness import overlay

_LINK = "kubernetes"
_PACKAGES = ("pkg/apis/*/validation", "pkg/apis/*/*/validation", "pkg/registry/*/*")
"""The folders of validators, and of the strategies that call them, whose tests have pairs and statuses."""
_CLAUSE = re.compile(rb"^package (\w+)", re.M)
_RECORDER = WORKER / "recorder" / "recorder.go"
_STARTER = """package {package}_test

import "{module}/recorder"

func init() {{ recorder.Start("{name}") }}
"""


class GoTestRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a validator was given, in one version; or why nothing can be told of what it was given, in `left`.

    `given` numbers what the validators of a package were given: it is the same in every version.
    """

    function: str
    group: str = ""
    version: str = ""
    kind: str = ""
    object: Json = None
    old: Json = None
    left: str = ""
    given: int = 0


@dataclass(frozen=True, slots=True)
class RecordedPackage:
    """A package whose tests were run: its folder, its validators, and what they were given.

    `problem` says why there is nothing, or not all.
    """

    folder: str
    validators: tuple[str, ...]
    records: tuple[GoTestRecord, ...] = ()
    problem: str = ""

    @property
    def objects(self) -> int:
        """The number of different objects or pairs that its validators were given."""
        return len({record.given for record in self.records if not record.left})

    @property
    def asked(self) -> frozenset[str]:
        """The validators that were given an object."""
        return frozenset(record.function for record in self.records if not record.left)

    @property
    def left(self) -> dict[str, str]:
        """The validators that were called and given no object, with the reason."""
        return {record.function: record.left for record in self.records if record.function not in self.asked}


def run_go_tests(
    release: KubernetesSource, seconds: float, note: Callable[[str], None], wanted: str = "*"
) -> list[RecordedPackage]:
    """Run the tests of every package of validators, and return what they gave to them.

    `wanted` is a pattern of the packages' folders. Raises: TargetError if there is no toolchain, the release cannot be
    downloaded, or no package that is wanted has tests.
    """
    toolchain = find_toolchain()
    top = module_folder(release, TOP, toolchain)
    toolchain = find_toolchain(wanted_go(read_checkout_text(top / "go.mod")))
    with tempfile.TemporaryDirectory(prefix="harness-gotests-") as name:
        folder = Path(name)
        packages = _write(folder, release, top, wanted)
        if not packages:
            named = "" if wanted == "*" else f" in {wanted}"
            raise TargetError(
                f"{release.name} has no tests of validators{named}",
                why=f"no folder of {' or '.join(_PACKAGES)} has a file *_test.go",
                fix="check the spelling of the folder, and that the sources are complete",
            )
        note(f"running the tests of {len(packages)} packages (the first time they are compiled, which takes minutes)")
        output, in_time = _run(folder, toolchain, list(packages), seconds)
        late = "" if in_time else f"stopped after {seconds:g} s"
        return [
            _read(folder, package, validators, _problem_of(package, output) or late)
            for package, validators in packages.items()
        ]


def _write(folder: Path, release: KubernetesSource, top: Path, wanted: str) -> dict[str, tuple[str, ...]]:
    """Write the module, the changed copies and the overlay; return the validators of each package with tests."""
    links = {}
    if release.folder is None:  # Go replaces no file below its module cache
        (folder / _LINK).symlink_to(top, target_is_directory=True)
        links = {TOP: f"./{_LINK}"}
    seen = folder / _LINK if links else top
    (folder / "go.mod").write_text(go_mod(release, read_checkout_text(top / "go.mod"), links))
    (folder / "recorder").mkdir()
    (folder / "recorder" / "recorder.go").write_bytes(_RECORDER.read_bytes())
    imports = [f'\t_ "{TOP}/pkg/apis/{api}/install"' for api in installed_apis(top)]
    (folder / "recorder" / "installs.go").write_text("\n".join(["package recorder", "", "import (", *imports, ")", ""]))
    (folder / "records").mkdir()
    replaced = {seen / "pkg" / RECORD / "record.go": SOURCE}
    packages = {}
    for inner in sorted({found for pattern in _PACKAGES for found in top.glob(pattern)}):
        own = inner.relative_to(top).as_posix()
        files = sorted(inner.glob("*.go"))
        validators = _hook_package(own, files, seen, replaced) if inner.name == "validation" else ()
        if not fnmatchcase(own, wanted) or not any(file.name.endswith("_test.go") for file in files):
            continue
        packages[own] = validators
        clause = next(filter(None, (_CLAUSE.search(read_checkout(file)) for file in files)), None)
        name = inner.name if clause is None else clause[1].decode().removesuffix("_test")
        starter = _STARTER.format(package=name, module=MODULE, name=_file_name(own))
        replaced[seen / own / "zz_harness_record_test.go"] = starter.encode()
    (folder / "copies").mkdir()
    written = {}
    for number, (path, source) in enumerate(replaced.items()):
        copy = folder / "copies" / f"{number}.go"
        copy.write_bytes(source)
        written[str(path)] = str(copy)
    (folder / "overlay.json").write_text(overlay(written))
    return packages


def _hook_package(own: str, files: list[Path], seen: Path, replaced: dict[Path, bytes]) -> tuple[str, ...]:
    validators: list[str] = []
    for file in files:
        if not file.name.endswith("_test.go"):
            hooked = hook_validators(read_checkout(file), f"{TOP}/{own}", f"{TOP}/pkg/{RECORD}")
            if hooked.validators:
                replaced[seen / own / file.name] = hooked.source
                validators += hooked.validators
    return tuple(validators)


def _file_name(package: str) -> str:
    return package.replace("/", "-")


def _run(folder: Path, toolchain: Toolchain, packages: list[str], seconds: float) -> tuple[str, bool]:
    """Run the tests; return what Go prints, and whether it ended in time."""
    command = [
        str(toolchain.go), "test", "-overlay=overlay.json", "-vet=off", "-count=1",
        f"-timeout={max(seconds, 1):.0f}s", *(f"{TOP}/{package}" for package in packages),
    ]  # fmt: skip
    environment = go_environment() | {"HARNESS_RECORD": str(folder / "records")}
    with open(folder / "output", "w+b") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        try:
            process.wait(seconds)
            in_time = True
        except subprocess.TimeoutExpired:
            in_time = False
        finally:
            _stop(process)
        output.seek(0)
        return output.read(32 << 20).decode("utf-8", "replace"), in_time


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop the command with the compilers and tests that it started."""
    if process.poll() is None:
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    process.wait()


def _problem_of(package: str, output: str) -> str:
    """Return why a package has no tests that ran, with the first line of the compiler."""
    name = re.escape(f"{TOP}/{package}")
    if not re.search(rf"^FAIL\s+{name} \[(build|setup) failed\]", output, re.M):
        return ""
    said = re.search(rf"^# {name}.*\n(.+)", output, re.M)
    return "does not compile" + (f": {said[1].strip()}" if said else "")


def _read(folder: Path, package: str, validators: tuple[str, ...], problem: str) -> RecordedPackage:
    file = folder / "records" / f"{_file_name(package)}.ndjson"
    if not file.is_file():
        return RecordedPackage(package, validators, (), problem or "its tests did not run")
    return RecordedPackage(package, validators, tuple(_records_of(file)), problem)


def _records_of(file: Path) -> Iterator[GoTestRecord]:
    decoder = msgspec.json.Decoder(GoTestRecord)
    with open(file, "rb") as stream:
        for line in lines_of(stream, str(file)):
            with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):  # the last line of a killed test
                yield decoder.decode(line)
