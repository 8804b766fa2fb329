"""The dump of the benchmark is what it says: so many objects, of so many kinds, with the planted ones."""

from __future__ import annotations

from pathlib import Path

from bench.upgrade import PLANTED, write_dump
from harness.objectmodel import name_of
from harness.stored.dumps import read_dumps
from harness.stored.storedobject import Reading


def test_a_dump_has_each_kind_in_turn(tmp_path: Path) -> None:
    """And the planted objects behind them."""
    file, reading = tmp_path / "dump.yaml", Reading()
    objects = [{"apiVersion": "v1", "kind": f"K{n % 5}", "metadata": {"name": f"n{n}"}} for n in range(10)]
    assert 4 == write_dump(file, objects, 30, 4)
    found = list(read_dumps([file], reading))
    assert (30, 0) == (len(found), reading.problem_count)
    assert {"K0", "K1", "K2", "K3", "Deployment", "Pod"} == {one.type[1] for one in found}
    assert [name_of(one) for one in PLANTED] == [name_of(one.object) for one in found[-2:]]
    assert 30 == len({one.object["metadata"]["uid"] for one in found})
