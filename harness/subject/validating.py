"""Opens what validates the requests of a server: a release, or the API server of one with CRDs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import cast

from harness.case import KindInfo
from harness.gotypes.literals import Literals
from harness.gotypes.packages import Universe
from harness.subject.definitions import read_definitions
from harness.subject.literals import release_literals
from harness.subject.openers.crd import describe, open_crds
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note
from harness.targets.target import Target


def open_validating(spec: SubjectSpec, note: Note) -> tuple[Target, Universe, Callable[[KindInfo], Literals]]:
    """Start what validates requests before admission. Returns: it, its types, and the literals of its validators."""
    # Imported here, because opening a suite must not load code that only workers need.
    from harness.targets.crd.target import RELEASE
    from harness.targets.kubernetes import KubernetesTarget
    from harness.targets.kubernetes.release import type_folders

    if spec.crds is not None:
        definitions = read_definitions(spec.crds)
        universe, literals = describe([definitions])
        return open_crds(spec, definitions, spec.crds, note), universe, literals
    release = spec.release or RELEASE
    threads = max(1, (os.cpu_count() or 1) // spec.beside) if spec.beside > 1 else None
    server = KubernetesTarget(release, jobs=threads, note=note)

    def literals_of(info: KindInfo) -> Literals:
        return release_literals(release)(info.group)

    return cast(Target, server), Universe.from_folders(type_folders(release)), literals_of
