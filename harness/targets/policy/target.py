"""Admission policies as a target: the API server of a release evaluates them, in a worker that is built on first use.

It is asked about objects as they are when the server asks its policies: decoded, defaulted, prepared and valid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from harness.case import Json, KindInfo
from harness.targets.crd.target import RELEASE
from harness.targets.kubernetes.build import worker_for
from harness.targets.kubernetes.release import find_release
from harness.targets.kubernetes.target import worker_environment
from harness.targets.life import Life
from harness.targets.limits import Limits
from harness.targets.policy.build import POLICIES
from harness.targets.process import WorkerProcess

_LIMITS = Limits(start=120.0)
"""The expressions of a policy take some milliseconds to compile, and a folder may have hundreds."""


class PolicyTarget(WorkerProcess):
    """The policies of a cluster. Their denials are the declarative side; nothing is handwritten.

    `documents` are policies, bindings, params and namespaces as a client sends them; `kinds` are those that the server
    serves, of which `info` has the ones that some policy is about. `name` is what answers are said to come from. `jobs`
    limits the worker's threads (None: one per core). `note` hears of building and of restarts. What the server would
    refuse is in `info.excluded` (`harness.targets.crd.target.refusals`), the number of the document as its resource.

    Raises: TargetError when the worker cannot be built or started.
    """

    def __init__(
        self,
        documents: Sequence[Mapping[str, Json]],
        kinds: Sequence[KindInfo],
        name: str,
        *,
        release: str = RELEASE,
        jobs: int | None = None,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        binary = worker_for(find_release(release), note, POLICIES)
        configuration = {"name": name, "kinds": [_as_sent(kind) for kind in kinds], "documents": documents}
        self._configuration = msgspec.json.encode(configuration) + b"\n"
        super().__init__([str(binary)], env=worker_environment(jobs), limits=_LIMITS, note=note)

    def _introduce(self, life: Life) -> None:
        life.send(self._configuration)


def _as_sent(kind: KindInfo) -> dict[str, Json]:
    """Write what the worker needs of a kind; encoded as it is, it would lack what has its default value."""
    return {
        "group": kind.group, "version": kind.version, "kind": kind.kind, "resource": kind.resource,
        "api_version": kind.api_version, "type": kind.type, "operations": list(kind.operations),
        "namespaced": kind.namespaced,
    }  # fmt: skip
