"""Opens a subject: everything a run knows of "what is examined" comes from here.

A target of any kind alone, beside another one, or with a recorded handwritten side. What the types of a subject declare
is to be had without opening its target.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

from harness.compare.composition import MIGRATION
from harness.diagnostics import UsageError
from harness.subject import openers
from harness.subject.api import Api
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject, silent
from harness.subject.targetkind import TargetKind
from harness.subject.twin import TwinTarget
from harness.targets.recorded import RecordedTarget
from harness.targets.recording import read_recording
from harness.targets.target import Target


def kind_of(name: str) -> TargetKind:
    """Return the kind of target of this name. Raises: UsageError."""
    for kind in openers.TARGETS:
        if kind.name == name:
            return kind
    known = ", ".join(kind.name for kind in openers.TARGETS)
    raise UsageError(f"unknown kind of target {name!r}\n  fix: one of {known}")


def open_subject(spec: SubjectSpec, note: Note = silent) -> Subject:
    """Open what a specification names. `note` is told what a person should know, such as a build that takes minutes.

    Raises: InputError for a suite or types that cannot be used, TargetError for a target that cannot, UsageError.
    """
    if spec.handwritten is not None:
        return _open_recorded(spec, Path(spec.handwritten), note)
    return _open(spec, note)


def _open(spec: SubjectSpec, note: Note) -> Subject:
    if spec.against is not None:
        return _open_twin(spec, spec.against, note)
    return kind_of(spec.kind).open(spec, note)


def _open_recorded(spec: SubjectSpec, file: Path, note: Note) -> Subject:
    """Open the subject, and put a recording in the place of its handwritten side."""
    if spec.against is not None:
        raise UsageError("two subjects are compared as they are\n  fix: leave --handwritten out, or --against")
    recording = read_recording(file)
    inner = _open(spec, note)
    try:
        target = RecordedTarget(inner.target, recording, inner.name)
    except BaseException:
        inner.close()
        raise
    return Subject(
        spec, inner.name, cast(Target, target), inner.universe, None, inner.literals, recording, inner.allow_incomplete,
        inner.examples,
    )  # fmt: skip


def _open_twin(spec: SubjectSpec, against: str, note: Note) -> Subject:
    """Open both; whether paths are known is asked of each alone, since a wrong one is no difference between them.

    Gates of the migration decide how each composes its lists, which is done here: no target has to know them.
    """
    if spec.declarative != "target":
        raise UsageError("two subjects are compared as they are\n  fix: leave --declarative out, or --against")
    composed = {name: value for name, value in spec.gates.items() if name in MIGRATION}
    alone = replace(spec, against=None, gates={k: v for k, v in spec.gates.items() if k not in MIGRATION})
    first = open_subject(alone, note)
    try:
        second = open_subject(replace(alone, location=against), note)
        try:
            target = cast(Target, TwinTarget(first.target, second.target, composed))
        except BaseException:
            second.close()
            raise
    except BaseException:
        first.close()
        raise
    name = f"{first.name} against {Path(against).name}"
    return Subject(spec, name, target, first.universe, None, allow_incomplete=first.allow_incomplete)


def api_of(spec: SubjectSpec) -> Api | None:
    """Return the API that a specification names, None for a program of which no types are known.

    None too for two subjects beside each other: what is compared there are no rules.

    Raises: InputError, UsageError, TargetError, as opening the subject does.
    """
    return None if spec.against is not None else kind_of(spec.kind).api(spec)
