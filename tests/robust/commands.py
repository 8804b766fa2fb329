"""Runs a command line in this process, as hostile as it is, and holds it to what every command promises."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from harness.cli.main import run
from harness.subject import description, suiteprocess
from harness.subject.order import SuiteOrder
from harness.targets.command import CommandTarget
from harness.targets.limits import Limits
from harness.targets.process import WorkerProcess
from tests.robust import machine
from tests.robust.oracle import Broken
from tests.robust.run import limited
from tests.robust.scene import build, make_checkout

SECONDS = 60
"""How long one command may take."""
CODES = frozenset({0, 1, 2, 130})
OUR_BUGS = ("this is a bug in the harness", "a bug of the harness:", "a bug of the harness, please report it")
"""What a command prints of an exception that nobody expected: on its own, of a part of a run, of a search."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a command said and returned."""

    code: object
    out: bytes
    err: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A command line with something hostile in it, and files that are put in the place of good ones.

    `never` are exit codes that would be a wrong verdict. `after` is asked in the project what else was not kept.
    """

    name: str
    argv: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    never: frozenset[int] = frozenset()
    after: Callable[[Said], Iterable[str]] | None = None


class Stage:
    """A project in a temporary folder that is written anew for every fault, with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.template, self._number = folder / "template", 0
        self.template.mkdir()
        machine.mark(folder)
        with self._in(self.template):
            build(self.template, called)
            make_checkout(self.template)

    def play(self, fault: Fault) -> Said:
        """Run a fault in a project of its own. Raises: Broken with what the command did not keep."""
        self._number += 1
        place = self._folder / f"{self._number}"
        shutil.copytree(self.template, place, symlinks=True)
        try:
            with self._in(place):
                for name, data in fault.files.items():
                    Path(name).parent.mkdir(parents=True, exist_ok=True)
                    Path(name).write_bytes(data)
                before = machine.look(self._folder)
                with limited(SECONDS), impatient():
                    said = called(list(fault.argv))
                self._take_saved(said)
                changed = machine.differences(before, machine.look(self._folder))
                broken = [*changed, *(fault.after(said) if fault.after is not None else ())]
        finally:
            shutil.rmtree(place, ignore_errors=True)
        check(fault, said, broken)
        return said

    def _take_saved(self, said: Said) -> None:
        """Remove the folders of what could not be written in its place, and of which the message says where it is."""
        for folder in self._folder.glob("harness-*"):
            if f"it is in {folder}{os.sep}" in said.err:
                shutil.rmtree(folder)

    @contextmanager
    def _in(self, place: Path) -> Iterator[None]:
        before, cache, temporary = Path.cwd(), os.environ.get("XDG_CACHE_HOME"), tempfile.tempdir
        os.environ["XDG_CACHE_HOME"] = str(self._folder / "cache")
        tempfile.tempdir = str(self._folder)
        os.chdir(place)
        try:
            yield
        finally:
            os.chdir(before)
            tempfile.tempdir = temporary
            if cache is None:
                del os.environ["XDG_CACHE_HOME"]
            else:
                os.environ["XDG_CACHE_HOME"] = cache


@contextmanager
def impatient() -> Iterator[None]:
    """Let every wait for a worker or a suite be short, and little be taken from it: faults are many."""
    limits = Limits(start=1.5, case=0.3, waiting=2.0, restarts=25, silent=6, line=300_000, errors=2_000)
    with pytest.MonkeyPatch.context() as patch:
        for of in (CommandTarget, WorkerProcess, suiteprocess.SuiteTarget):
            patch.setitem(of.__init__.__kwdefaults__ or {}, "limits", limits)
        order = partial(SuiteOrder, patience=0.2, memory=1 << 30)
        patch.setattr(suiteprocess, "SuiteOrder", order)
        patch.setattr(suiteprocess, "MAX_STOPPED_CASES", 6)
        patch.setattr(description, "MAX_IMPORT_SECONDS", 1.0)
        patch.setattr(description, "MAX_PROCESS_SECONDS", 2.0)
        yield


def called(argv: list[str]) -> Said:
    """Run a command line with streams of its own. Whatever it raises is the outcome."""
    kept = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(b""))
    streams = io.TextIOWrapper(out, "utf-8"), io.TextIOWrapper(err, "utf-8", write_through=True)
    sys.stdout, sys.stderr = streams
    code: object
    try:
        code = run(argv)
        for stream in streams:
            stream.flush()
    except (Broken, AssertionError):
        raise
    except BaseException as error:
        code = f"raised {type(error).__name__}: {''.join(traceback.format_exception(error))}"
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept
    return Said(code, out.getvalue(), err.getvalue().decode("utf-8", "replace"))


def check(fault: Fault, said: Said, others: Iterable[str] = ()) -> None:
    """Hold an outcome to the promises: a known code, no traceback, no bug of ours, and a message with code 2.

    `others` are promises found broken elsewhere. Raises: Broken.
    """
    text = said.out.decode("utf-8", "replace") + said.err
    promises = {
        "a command ends with a known code": said.code in CODES,
        "no bug of ours": not any(words in text for words in OUR_BUGS),
        "no traceback reaches a user": "Traceback (most recent call last)" not in said.err,
        "what could not be done is told": said.code != 2 or bool(text.strip()),
        "nothing repaints a terminal, and line ends are line ends": "\x1b" not in text and "\\x0a" not in text,
        "the verdict is right": said.code not in fault.never,
    }
    if broken := [*others, *(promise for promise, kept in promises.items() if not kept)]:
        told = f"{'; '.join(broken)}: {fault.name}: {fault.argv!a}: {said.code}: {said.err[-1500:]}"
        raise Broken(_trace(told))


def _trace(told: str) -> str:
    """Add the traceback that the harness saved."""
    place = Path(told.partition("saved in ")[2].split("\n")[0])
    return f"{told}\n{place.read_text()[-1500:]}" if place.is_file() else told
