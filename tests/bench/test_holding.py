"""How much memory a command holds is told over its time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.holding import lines, watched

MIB = 1 << 20
needs_proc = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="the system tells no shares")


@needs_proc
def test_what_a_command_and_its_children_hold_is_seen() -> None:
    """Sixty MiB in a child of the command are seen, and gone from the list when it has ended."""
    inner = "import time; held = bytearray(60 << 20); time.sleep(2)"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    held = watched([sys.executable, "-c", outer])
    assert max(size for _, size in held) > 60 * MIB
    assert held == sorted(held, key=lambda one: one[0])


def test_each_part_of_the_time_has_its_most() -> None:
    """Six parts of equal length with the most of each, then the whole run with its cases."""
    held = [(float(age), (age % 10) * MIB) for age in range(1, 61)]
    told = lines(held, 700)
    assert [9] * 6 == [line.more["MiB"] for line in told[:-1]]
    assert ("10 to 20 s", "the whole run") == (told[1].name, told[-1].name)
    assert (700, 60.0, 9) == (told[-1].count, told[-1].seconds, told[-1].more["MiB"])


def test_a_command_that_ends_at_once_held_nothing() -> None:
    """No look, no number, and no error."""
    assert {0} == {line.more["MiB"] for line in lines([], 0)}
