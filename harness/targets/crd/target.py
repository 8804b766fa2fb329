"""CRDs as a target: the API server of a release judges their objects, in a worker that is built on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from harness.case import Json, TargetInfo
from harness.targets.crd.build import CRDS
from harness.targets.kubernetes.build import worker_for
from harness.targets.kubernetes.release import find_release
from harness.targets.kubernetes.target import worker_environment
from harness.targets.life import Life
from harness.targets.limits import Limits
from harness.targets.process import WorkerProcess

RELEASE: Final = "1.37.1"
"""The release whose API server judges CRDs if none is named."""

_LIMITS = Limits(start=120.0)
"""A definition takes 0.2 s to load, most of it for its CEL rules, and a folder may have a hundred."""


class Refusal(NamedTuple):
    """One reason why a server refuses the definition of a resource, and the field of the definition that it names."""

    group: str
    resource: str
    field: str
    reason: str


class CrdTarget(WorkerProcess):
    """The API server of a release with these CRDs. Its errors are the declarative side; nothing is handwritten.

    `definitions` are objects as a client sends them; `name` is what answers are said to come from. `jobs` limits the
    worker's threads (None: one per core). `note` hears of building and of restarts.

    Raises: TargetError when the worker cannot be built or started.
    """

    def __init__(
        self,
        definitions: Sequence[Mapping[str, Json]],
        name: str,
        *,
        release: str = RELEASE,
        jobs: int | None = None,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        binary = worker_for(find_release(release), note, CRDS)
        self._configuration = msgspec.json.encode({"name": name, "crds": definitions}) + b"\n"
        super().__init__([str(binary)], env=worker_environment(jobs), limits=_LIMITS, note=note)

    def _introduce(self, life: Life) -> None:
        life.send(self._configuration)


def refusals(info: TargetInfo) -> Iterator[Refusal]:
    """Yield each reason why the server refuses a definition: what is excluded whole, not in one version."""
    for one in info.excluded:
        if not one.version:
            field, _, reason = one.reason.partition(": ")
            yield Refusal(one.group, one.resource, field, reason)
