"""How long a recording of the handwritten side takes to load, and what its cases cost when they are asked."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from bench.record import Measured, Section
from harness.case import Case, Operation
from harness.field import FieldError
from harness.targets.recording import Packer, Recording, RequestName, head_maker, read_recording, write_recording

CASES = 100_000
REQUEST: RequestName = ("apps", "v1", "Deployment", "deployments", "", "update")
ERROR = FieldError(
    "FieldValueInvalid", "spec.replicas", "must be greater than 0", value="0", origin="minimum", covered=True
)


def cases(number: int) -> Iterable[Case]:
    """Make updates of the size that a search of a release asks most."""
    for index in range(number):
        ports = [{"name": "p", "containerPort": index % 70_000}]
        containers = [{"name": "c", "image": "x" * (index % 40), "ports": ports}]
        labels = {"a": str(index % 7)}
        new = {"metadata": {"name": f"n{index}", "labels": labels},
               "spec": {"replicas": index % 13, "template": {"spec": {"containers": containers}}}}  # fmt: skip
        yield Case(0, "apps", "v1", "Deployment", Operation.UPDATE, new, new, "deployments")


def measure(number: int = CASES) -> Section:
    """Write, load and read one file. Units: seconds of processor time, since others use the machine too."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.rec"
        started = time.process_time()
        packer = Packer()
        for index, case in enumerate(cases(number)):
            packer.add(case, (ERROR,) if index % 2 else ())
        maker = head_maker(subject="bench", release="", recorded="", seed=1, mode="served", gates={}, skipped=0)
        write_recording(file, maker, {REQUEST: packer.close()})
        lines = [Measured("write", number, time.process_time() - started, more={"bytes": file.stat().st_size})]
        started = time.process_time()
        recording = read_recording(file)
        lines.append(Measured("load, every checksum looked at", number, time.process_time() - started))
        lines.append(_asked(recording, number))
    return Section("How fast is a recording?", "cases", tuple(lines))


def _asked(recording: Recording, number: int) -> Measured:
    started = time.process_time()
    found = sum(recording.answer(case) is not None for case in recording.cases(REQUEST))
    return Measured("every case unpacked and looked up", found, time.process_time() - started, more={"of": number})
