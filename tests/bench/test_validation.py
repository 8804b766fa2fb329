"""The benchmark beside `harness bench` reads what testing.B prints, and says when it cannot."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from bench import validation
from harness.diagnostics import TargetError


def program(folder: Path, text: str) -> Path:
    """A program that prints this."""
    path = folder / "printer"
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_what_testing_b_prints_is_read(tmp_path: Path) -> None:
    """Kind, part and the processor time of a run; other lines say nothing."""
    text = (
        "goos: linux\n"
        "BenchmarkParts/Deployment/both \t 60 \t 24888 ns/op \t 16196.5 cpu-ns/op \t 11008 B/op \t 169 allocs/op\n"
        "BenchmarkParts/Deployment/read-2 \t 60 \t 9 ns/op \t 8.25 cpu-ns/op\n"
        "PASS"
    )
    expected = {("Deployment", "both"): 16196.5, ("Deployment", "read"): 8.25}
    assert expected == validation.peers(program(tmp_path, text), 0.1, {})


def test_a_benchmark_that_tells_nothing_is_an_error(tmp_path: Path) -> None:
    """With what it printed."""
    with pytest.raises(TargetError, match="PASS"):
        validation.peers(program(tmp_path, "PASS"), 0.1, {})


def test_both_measure_the_same_parts() -> None:
    """The benchmark is made of the worker's own parts."""
    source = validation.BENCHMARK.read_text()
    assert "q.parts(c)" in source
    assert 2 == len({case.kind for case in validation.CASES})
