"""The validators of a Kubernetes release or checkout, in a Go worker that is built from them."""

from __future__ import annotations

import os
import re
from typing import cast

from harness.case import KindInfo
from harness.diagnostics import UsageError
from harness.gotypes.literals import Literals
from harness.gotypes.packages import Universe
from harness.subject.api import Api, open_api
from harness.subject.compiled import compiled_types, with_types
from harness.subject.edited import edited_api
from harness.subject.literals import release_literals
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject
from harness.subject.targetkind import TargetKind
from harness.targets.target import Target

_RELEASE = re.compile(r"v?\d+\.\d+\.\d+[a-z0-9.-]*")


def open_release(spec: SubjectSpec, note: Note) -> Subject:
    # Imported here: suites must open fast, and without anything that only a Go worker needs.
    from harness.targets.kubernetes import KubernetesTarget
    from harness.targets.kubernetes.release import type_folders

    if spec.types and spec.declarative != "python":
        raise UsageError(
            "a release has its own types, and its validators are built from them\n"
            "  fix: add --declarative python to try edited types, or leave --types out"
        )

    def literals(info: KindInfo) -> Literals:
        return release_literals(spec.location)(info.group)

    # A worker that has more threads than it gets cores spends the difference on waking them.
    threads = max(1, (os.cpu_count() or 1) // spec.beside) if spec.beside > 1 else None
    if spec.declarative != "python":
        target = KubernetesTarget(spec.location, gates=spec.gates, jobs=threads, note=note)
        universe = Universe.from_folders(type_folders(spec.location))
        return Subject(spec, "kubernetes", cast(Target, target), universe, None, literals)
    api, edited = edited_api(open_api(kubernetes=spec.location), type_folders(spec.location), spec.types or "")
    types = compiled_types(api, edited, note)
    inner = cast(Target, KubernetesTarget(spec.location, gates=spec.gates, jobs=threads, note=note))
    return Subject(spec, "kubernetes", with_types(inner, lambda: types), api.universe, None, literals)


def api_of_release(spec: SubjectSpec) -> Api:
    # Imported here: suites must open fast, and without anything that only a release needs.
    from harness.targets.kubernetes.release import type_folders

    api = open_api(kubernetes=spec.location)
    return edited_api(api, type_folders(spec.location), spec.types or "")[0] if spec.types else api


def _runs_code(location: str) -> bool:
    """A release by its number is upstream's own code; a checkout is anybody's."""
    return _RELEASE.fullmatch(location) is None


KUBERNETES = TargetKind(
    "kubernetes", open_release, api_of_release, metavar="RELEASE|CHECKOUT",
    help="A release such as 1.37.1, or a checkout.", runs_code=_runs_code, has_every_gate=True,
)  # fmt: skip
