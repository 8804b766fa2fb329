"""What a run asks and what it finds, as two digests: whoever moves code keeps both.

The cases are a set, by their bytes and their ids, which number them within a search: so it is the stream of every
search, in whatever order searches have their turns. The report is the document without what a clock says.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from harness import engine
from harness.case import Answer, Case
from harness.engine import RunConfig
from harness.events import Budget
from harness.report.formats.json import encode
from harness.report.model.assembly import build_report
from harness.subject import Subject, SubjectSpec, open_subject

CLOCKED = {"started", "seconds", "timings", "cases_per_second", "discovery", "harness_version", "restarts"}
"""Members of the document, at any depth, that differ from run to run."""
_SIZE = 8


class Digests(msgspec.Struct, frozen=True):
    """What a run of one process came to, and the findings of one of two."""

    asked: int
    cases: str
    findings: int
    report: str


@dataclass
class Watched:
    """A target that notes every case on its way to another one."""

    target: Any
    folder: Path

    def __post_init__(self) -> None:
        self._codes: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.target, name)

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Note the cases, and let them be answered."""
        self._note(cases)
        answers: list[Answer] = self.target.ask(cases)
        return answers

    def submit(self, cases: Sequence[Case]) -> Any:
        """Note the cases, and let them be answered."""
        self._note(cases)
        return self.target.submit(cases)

    def close(self) -> None:
        """Write down what was noted, once."""
        if self._codes:
            name = f"{os.getpid()}-{id(self)}"
            (self.folder / name).write_bytes(b"".join(self._codes))
            self._codes.clear()
        self.target.close()

    def _note(self, cases: Sequence[Case]) -> None:
        for case in cases:  # as a tuple: a record leaves defaults out where they are the very same object
            text = msgspec.json.encode(msgspec.structs.astuple(case), order="deterministic")
            self._codes.append(hashlib.blake2b(text, digest_size=_SIZE).digest())


def open_watched(folder: Path, spec: SubjectSpec, note: Callable[[str], None]) -> Subject:
    """Open a subject whose cases are noted in a folder."""
    subject = open_subject(spec, note)
    subject.target = Watched(subject.target, folder)
    return subject


def digests(spec: SubjectSpec, folder: Path, *, cases: int, jobs: int, kinds: Sequence[str] = ()) -> Digests:
    """Search a subject with seed 1, and digest what was asked and found."""
    opener = partial(open_watched, folder)
    result = engine.run(spec, RunConfig(seed=1, budget=Budget(None, cases), jobs=jobs, kinds=kinds), opener=opener)
    codes = b"".join(file.read_bytes() for file in folder.iterdir())
    asked = sorted({codes[at : at + _SIZE] for at in range(0, len(codes), _SIZE)})
    document = timeless(msgspec.json.decode(encode(build_report(result))))
    return Digests(
        len(asked),
        hashlib.sha256(b"".join(asked)).hexdigest()[:16],
        len(result.findings),
        hashlib.sha256(msgspec.json.encode(document, order="deterministic")).hexdigest()[:16],
    )


def timeless(value: Any) -> Any:
    """Return a document without what a clock says."""
    if isinstance(value, dict):
        return {name: timeless(held) for name, held in value.items() if name not in CLOCKED}
    return [timeless(item) for item in value] if isinstance(value, list) else value
