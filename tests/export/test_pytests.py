"""Exported pytest modules: they stand alone, pass as they are, and fail when a side changes its mind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.export.pytests import literal
from tests.cli.fakes import call

ROOT = Path(__file__).parent.parent.parent


def outcome(module: Path) -> tuple[int, str]:
    """Run a module with pytest, elsewhere. Returns: exit code and output."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rfxX", "--tb=line", str(module)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=module.parent, env=environment, timeout=240, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_it_passes_and_notices_an_off_by_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The tests of a field pass as they are, and the one at the limit fails when a tag is off by one."""
    suite, module = tmp_path / "claim_v1", tmp_path / "test_requests.py"
    shutil.copytree(ROOT / "suites" / "claim_v1", suite)
    told = call(capfd, "export", str(suite), "--kind", "claims", "--field", "spec.requests", "--output", str(module))
    assert (0, "") == (told.code, told.out)
    code, text = outcome(module)
    assert 0 == code, text
    types = suite / "types.go"
    types.write_text(types.read_text().replace("+k8s:maxItems=6", "+k8s:maxItems=5"))
    code, text = outcome(module)
    assert 1 == code
    assert "spec.requests: maxItems 6: at the limit, 6 items" in text
    assert "v1 valid" not in text


def test_differences_of_today_are_expected(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Rows on which the sides differ are expected to fail, by name; the module passes, and not once they are fixed."""
    suite, module = tmp_path / "migration", tmp_path / "test_backup.py"
    shutil.copytree(ROOT / "examples" / "migration", suite)
    told = call(capfd, "export", str(suite), "--kind", "backups", "--field", "spec.keepDays", "--output", str(module))
    assert 0 == told.code
    code, text = outcome(module)
    assert (0, True) == (code, "xfailed" in text), text
    assert "XFAIL" in text
    assert "the two sides differ: " in text


def test_a_finding_fails_until_it_is_mended(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The test of a finding fails as long as it is there, and passes after the tag was fixed."""
    suite, module, report = tmp_path / "migration", tmp_path / "test_found.py", tmp_path / "report.json"
    shutil.copytree(ROOT / "examples" / "migration", suite)
    call(capfd, "run", str(suite), "--max-cases", "20000", "--seed", "1", "--jobs", "1", "--json", str(report))
    from harness.report.model.reading import read_report

    finding = next(one for one in read_report(report).findings if one.cause == "boundary")
    told = call(capfd, "export", str(report), finding.fingerprint, "--output", str(module))
    assert 0 == told.code
    code, text = outcome(module)
    assert (1, True) == (code, finding.fingerprint in text), text
    types = suite / "types.go"
    types.write_text(types.read_text().replace("maximum=28", "maximum=30"))
    assert 0 == outcome(module)[0]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": [1, None, True], "b": ()}, '{"a": [1, None, True], "b": ()}'),
        ("x" * 64, '"x" * 64'),
        ("a" + "xy" * 40 + "z", '"a" + "xy" * 40 + "z"'),
        ('"é\n', "'\"\\xe9\\n'"),
        (("spec", "x"), '("spec", "x")'),
        (("one",), '("one",)'),
    ],
)
def test_literals(value: object, expected: str) -> None:
    """Values are written so that Python reads them back, long repetitions as products."""
    assert expected == literal(value)
    assert value == eval(literal(value))


def test_long_literals_take_lines() -> None:
    """What does not fit is written one below the other."""
    value = {"a": ["x" * 30 + str(number) for number in range(4)], "b": {"c": 1}}
    assert value == eval(literal(value))
    assert '    "b": {"c": 1},\n' in literal(value)
