"""Opens a Kubernetes release or checkout, whose validators run in a Go worker that is built from its sources."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import cast

from harness.case import KindInfo
from harness.diagnostics import UsageError
from harness.gotypes.literals import Literals
from harness.subject.api import Api, open_api
from harness.subject.deciding import HandwrittenCode, code_of_release
from harness.subject.declarative import compiled_types, with_types
from harness.subject.edited import edited_api
from harness.subject.literals import release_literals
from harness.subject.owntags import OwnTags, own_tags
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject
from harness.subject.tagtrial import TagTrials, trials_of
from harness.subject.targetkind import TargetKind
from harness.targets.target import Target

_RELEASE = re.compile(r"v?\d+\.\d+\.\d+[a-z0-9.-]*")


def start_worker(spec: SubjectSpec, note: Note) -> Target:
    """Start the worker of a release or checkout, which is built on first use."""
    # Imported here, because opening a suite must not load code that only workers need.
    from harness.targets.kubernetes import KubernetesTarget

    # A worker with more threads than cores loses time to switching between them.
    threads = max(1, (os.cpu_count() or 1) // spec.beside) if spec.beside > 1 else None
    worker = KubernetesTarget(spec.location, gates=spec.gates, jobs=threads, note=note, blocks=spec.counts_blocks)
    return cast(Target, worker)


def open_release(
    spec: SubjectSpec,
    note: Note,
    start: Callable[[SubjectSpec, Note], Target] = start_worker,
    read: Callable[[str], Api] = lambda location: open_api(kubernetes=location),
) -> Subject:
    """Open a release or checkout, with the validators of edited types if --types names them.

    `start` starts its worker, `read` reads its types.
    """
    # Imported here, because opening a suite must not load code that only workers need.
    from harness.targets.kubernetes import KubernetesTarget
    from harness.targets.kubernetes.release import type_folders

    if spec.types and spec.declarative != "python":
        raise UsageError(
            "a release has its own types, and its validators are built from them\n"
            "  fix: add --declarative python to run validators of edited types, or omit --types"
        )

    def literals(info: KindInfo) -> Literals:
        return release_literals(spec.location)(info.group)

    def code() -> HandwrittenCode:
        return code_of_release(spec.location)

    if spec.declarative != "python":
        own, worker = read(spec.location), start(spec, note)
        target = OwnTags(worker, own.universe, lambda: own_tags(own, worker.info), note)
        tags = TagTrials(own.universe)
        return Subject(
            spec, "kubernetes", cast(Target, target), own.universe, None, literals, tags=tags, code=code,
            build=worker.build if isinstance(worker, KubernetesTarget) else "",
        )  # fmt: skip
    api, edited = edited_api(read(spec.location), type_folders(spec.location), spec.types or "")
    types = compiled_types(api, edited, note)
    edited_target = with_types(start(spec, note), lambda: types)
    return Subject(spec, "kubernetes", edited_target, api.universe, None, literals, tags=trials_of(api), code=code)


def api_of_release(spec: SubjectSpec) -> Api:
    """Return the types of a release or checkout, edited ones in place of its own."""
    # Imported here, because opening a suite must not load code that only releases need.
    from harness.targets.kubernetes.release import type_folders

    api = open_api(kubernetes=spec.location)
    return edited_api(api, type_folders(spec.location), spec.types or "")[0] if spec.types else api


def _runs_code(location: str) -> bool:
    """Whether a location is a checkout, which may contain anybody's code. A release number names upstream's code."""
    return _RELEASE.fullmatch(location) is None


KUBERNETES = TargetKind(
    "kubernetes", open_release, api_of_release, metavar="RELEASE|CHECKOUT",
    help="A release such as 1.37.1, or a checkout.", runs_code=_runs_code, has_every_gate=True,
)  # fmt: skip
