"""Every command on a suite of two validators of Python works, or says plainly what it needs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.fakes import call

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
ORDERS = ROOT / "suites" / "order_pydantic"


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The suite of orders in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ORDERS, tmp_path / "suites" / "orders", ignore=shutil.ignore_patterns("test_*", "__pycache__"))
    return "suites/orders"


@pytest.mark.parametrize("command", ["lint", "rules", "docs", "compile"])
def test_commands_on_tags_need_types(suite: str, capfd: pytest.CaptureFixture[str], command: str) -> None:
    """They say why there are none."""
    told = call(capfd, command, suite, *(["--output", "out"] if command in ("docs", "compile") else []))
    assert told.code == 2
    assert "a suite of two validators in Python has no tags" in told.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["power", "suites/orders"], "mutation testing breaks tags of types.go"),
        (["power"], "orders is left out"),
        (["record", "suites/orders", "--output", "recording"], "keep the old validator as the `old` of the suite"),
        (["run", "suites/orders", "--gates", "A=true"], "has no gates"),
        (["run", "suites/orders", "--against", "suites/orders"], "compares two validators"),
    ],
)
def test_what_needs_tags_says_so(suite: str, capfd: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    """With exit code 2 and what to do instead."""
    told = call(capfd, *words)
    assert told.code == 2
    assert message in told.err


def test_check_takes_plain_objects(suite: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Both sides are named, and an object that both accept or reject is no difference."""
    for name, verdict in (("valid", "accepted"), ("invalid", "rejected")):
        told = call(capfd, "check", suite, f"{suite}/examples/{name}-orders.yaml")
        assert told.code == 0
        assert f"served the old function, the new model {verdict}" in told.out


def test_a_finding_can_be_replayed(suite: str, capfd: pytest.CaptureFixture[str]) -> None:
    """It says what both answer, in the words of the suite; once it is mended it differs no more."""
    model = Path(suite) / "model.py"
    right = model.read_text()
    model.write_text(right.replace("le=999", "le=1000"))
    assert 1 == call(capfd, "run", suite, "--max-cases", "2000", "--json", "report.json").code
    found = call(capfd, "replay", "report.json")
    assert 1 == found.code
    assert "the old function lines[0].quantity" in found.out
    assert "declare Field(le=999) at lines[*].quantity in the new model" in found.out
    model.write_text(right)
    assert 0 == call(capfd, "replay", "report.json").code


def test_pytest_has_an_item_for_it(suite: str, pytester: Any) -> None:
    """As for any suite."""
    shutil.copytree(ORDERS, pytester.path / "orders", ignore=shutil.ignore_patterns("test_*", "__pycache__"))
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--harness-max-cases", "400", "-v", "orders")
    assert 1 == result.parseoutcomes()["passed"]
    result.stdout.fnmatch_lines(["*order-create*"])
