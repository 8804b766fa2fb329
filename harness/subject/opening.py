"""Opens a subject from its specification.

A subject is a target of any kind, a pair of targets, or a target with recorded handwritten errors. Its types can be
read without opening the target.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import cast

from harness.compare.composition import MIGRATION
from harness.diagnostics import UsageError
from harness.subject import openers
from harness.subject.api import Api
from harness.subject.schemapair import beside_schema
from harness.subject.spec import SCHEMA, SubjectSpec
from harness.subject.subject import Note, Subject, silent
from harness.subject.targetkind import TargetKind
from harness.subject.targetpair import TargetPair
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
    """Open what a specification names. `note` is called with messages for the user, such as a build that takes minutes.

    Raises: InputError for a suite or types that cannot be used, TargetError for a target that cannot, UsageError.
    """
    if spec.handwritten is not None:
        return _open_recorded(spec, Path(spec.handwritten), note)
    return _open(spec, note)


def _open(spec: SubjectSpec, note: Note) -> Subject:
    kind = kind_of(spec.kind)
    if spec.against == SCHEMA:
        return beside_schema(spec, kind.open(replace(spec, against=None), note), kind.api(spec), note)
    if spec.against is not None:
        return kind.open_pair(spec, note) if kind.open_pair is not None else _open_pair(spec, spec.against, note)
    return kind.open(spec, note)


def _open_recorded(spec: SubjectSpec, file: Path, note: Note) -> Subject:
    """Open the subject with recorded handwritten errors."""
    if spec.against is not None:
        raise UsageError("two subjects are compared as they are\n  fix: leave --handwritten out, or --against")
    recording = read_recording(file)
    with ExitStack() as opened:
        inner = _open(spec, note)
        opened.callback(inner.close)
        target = RecordedTarget(inner.target, recording, inner.name)
        opened.pop_all()
    return Subject(
        spec, inner.name, cast(Target, target), inner.universe, None, inner.literals, recording, inner.allow_incomplete,
        inner.examples,
    )  # fmt: skip


def _open_pair(spec: SubjectSpec, against: str, note: Note) -> Subject:
    """Open both. Unknown paths are not checked, since an unknown path is not a difference between the two.

    Gates of the migration are applied when the lists are composed here, and are not passed to the targets.
    """
    if spec.declarative != "target":
        raise UsageError("two subjects are compared as they are\n  fix: leave --declarative out, or --against")
    composed = {name: value for name, value in spec.gates.items() if name in MIGRATION}
    alone = replace(spec, against=None, gates={k: v for k, v in spec.gates.items() if k not in MIGRATION})
    with ExitStack() as opened:
        first = open_subject(alone, note)
        opened.callback(first.close)
        if first.is_plain:
            raise UsageError(f"{first.name} compares two validators of Python already\n  fix: leave --against out")
        second = open_subject(replace(alone, location=against), note)
        opened.callback(second.close)
        pair = TargetPair(first.target, second.target, composed)
        opened.pop_all()
    name = f"{first.name} against {Path(against).name}"
    return Subject(
        spec, name, cast(Target, pair), first.universe, None, allow_incomplete=first.allow_incomplete,
        comparison=pair.servers,
    )  # fmt: skip


def api_of(spec: SubjectSpec) -> Api | None:
    """Return the API of a specification; None for a program without known types.

    None also for a pair of subjects, which are not compared by rules.

    Raises: InputError, UsageError, TargetError, as opening the subject does.
    """
    return None if spec.against is not None else kind_of(spec.kind).api(spec)
