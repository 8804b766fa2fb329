"""How long an upgrade check takes for a dump of 10,000 objects of 60 kinds, which a search has made, and what it finds.

The objects are those that the release before accepts, as creates and as updates that change nothing. Two are planted:
one that the release after refuses to create, and one that a gate lets it accept.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from bench.record import Measured, Section
from harness import engine
from harness.case import Json, Operation
from harness.engine import RunConfig
from harness.events import Budget
from harness.fuzzers.corpus import SEEDS, load_seeds
from harness.objectmodel import METADATA, in_namespace, stored, type_of
from harness.stored.dumps import read_dumps
from harness.stored.storedobject import Reading, StoredObject
from harness.subject import SubjectSpec, open_subject
from harness.upgrade.asking import Kinds, Request, requests_of
from harness.upgrade.run import UpgradeRequest, check_upgrade

OBJECTS, KINDS = 10_000, 60
BEFORE = "1.36.3"
PLANTED: tuple[dict[str, Json], ...] = (
    {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "planted-rejected", "namespace": "default"},
        "spec": {
            "selector": {"matchLabels": {"app": "a"}},
            "template": {
                "metadata": {"labels": {"app": "a"}},
                "spec": {"containers": [{"name": "c", "image": "i"}], "volumes": [{"name": "v", "image": {}}]},
            },
        },
    },
    {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "planted-accepted", "namespace": "default"},
        "spec": {
            "containers": [{"name": "c", "image": "i"}],
            "securityContext": {"seLinuxChangePolicy": "MountOption"},
        },
    },
)  # fmt: skip


def measure(after: str, seconds: float, seed: int, jobs: int) -> Section:
    """Search, write the dump, read it, and check it. Units: objects."""
    with tempfile.TemporaryDirectory() as folder:
        spec = SubjectSpec("kubernetes", BEFORE)
        corpus = Path(folder) / "corpus"
        engine.run(spec, RunConfig(seed=seed, budget=Budget(max(30.0, 20 * seconds)), jobs=jobs, corpus=corpus))
        found = accepted(spec, seeds(corpus))
        file = Path(folder) / "dump.yaml"
        kinds = write_dump(file, found, OBJECTS, KINDS)
        started = time.monotonic()
        read = sum(1 for _ in read_dumps([file], Reading()))
        lines = [Measured("read the dump", read, time.monotonic() - started, more={"bytes": file.stat().st_size})]
        reading = Reading()
        wanted = UpgradeRequest(SubjectSpec("kubernetes", after, against=BEFORE), (str(file),))
        result = check_upgrade(wanted, read_dumps([file], reading), reading, lambda text: None)
        planted = {one.name.rpartition("/")[2] for group in result.groups for one in group.objects}
        more: dict[str, int | str] = {
            "kinds": kinds, "requests": result.requests, "changes": len(result.groups),
            "planted found": len(planted & {str(one[METADATA]["name"]) for one in PLANTED}),
        }  # fmt: skip
        lines.append(Measured(f"check {BEFORE} to {after}", result.objects, result.seconds, more=more))
    return Section("How long does an upgrade check take?", "objects", tuple(lines))


def seeds(corpus: Path) -> list[dict[str, Json]]:
    """Return the objects that a search has kept."""
    kept = (load_seeds(file, lambda text: None) for file in sorted((corpus / SEEDS).glob("*.json")))
    cases = (seed.case for one in kept if one is not None for seed in one.seeds)
    return [case.object for case in cases if case.operation is Operation.CREATE and not case.subresource]


def accepted(spec: SubjectSpec, objects: Iterable[dict[str, Json]]) -> list[dict[str, Json]]:
    """Return the objects that a release would have in its storage."""
    with open_subject(spec) as subject:
        kinds = Kinds(subject.target.info, subject.target.info)
        found = []
        for one in objects:
            if (info := kinds.find(*type_of(one))) is not None:
                held = in_namespace(one) if info.namespaced else one
                requests: list[Request] = list(requests_of(0, StoredObject(stored(held), "-"), info, kinds))
                answers = subject.target.ask([request.case for request in requests])
                if not any(answer.failure or answer.handwritten or answer.declarative for answer in answers):
                    found.append(held)
    return found


def write_dump(file: Path, objects: Sequence[dict[str, Json]], count: int, most: int) -> int:
    """Write a list of so many objects, of at most so many kinds, as kubectl does. Returns: the number of kinds."""
    by_kind: dict[tuple[str, str], list[dict[str, Json]]] = {}
    for one in objects:
        by_kind.setdefault(type_of(one), []).append(one)
    kinds = [by_kind[key] for key in sorted(by_kind)[:most]]
    with file.open("w", encoding="utf-8") as stream:
        stream.write("apiVersion: v1\nitems:\n")
        for number, one in enumerate((*islice(_turns(kinds), count - len(PLANTED)), *PLANTED)):
            metadata = {
                **one[METADATA], "uid": f"uid-{number}", "resourceVersion": str(number + 1),
                "creationTimestamp": "2026-01-01T00:00:00Z",
            }  # fmt: skip
            stream.write(yaml.dump([json.loads(json.dumps({**one, METADATA: metadata}))], Dumper=_Dumper))
        stream.write('kind: List\nmetadata:\n  resourceVersion: ""\n')
    return len(kinds)


_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def _turns(kinds: Sequence[Sequence[dict[str, Json]]]) -> Iterator[dict[str, Json]]:
    """Yield an object of each kind in turn, without end."""
    turn = 0
    while kinds:
        for some in kinds:
            yield some[turn % len(some)]
        turn += 1
