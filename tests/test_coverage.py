"""The coverage that the test command enforces: of what it is, and that no test is left out or run twice for it."""

from __future__ import annotations

import configparser
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def environment(name: str) -> configparser.SectionProxy:
    """One section of tox.ini."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "tox.ini", encoding="utf-8")
    return parser[name]


def covered() -> list[str]:
    """The tests that run under coverage."""
    return re.findall(r"(?<= )tests/[\w./]+", environment("testenv:coverage")["commands"])


def test_the_test_command_enforces_it() -> None:
    """It is in the list of environments, and the report there fails below the number of pyproject.toml."""
    assert "coverage" in re.split(r"[,\s]+", environment("tox")["env_list"])
    report = environment("testenv:coverage")["commands"].strip().splitlines()[-1]
    assert (True, False) == (report.startswith("coverage report "), "fail-under" in report)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["coverage"]
    assert settings["run"]["branch"]
    assert 90 <= settings["report"]["fail_under"]


def test_every_test_is_run_in_one_of_two_environments() -> None:
    """`tests` leaves out what `coverage` runs, and nothing else."""
    left_out = re.findall(r"--ignore=([\w./]+)", environment("testenv")["commands"])
    assert covered()
    assert covered() == left_out
    assert [] == [name for name in left_out if not (ROOT / name).exists()]


def test_the_number_is_of_the_parts_whose_tests_run() -> None:
    """Each part in the report has its own tests run, before those of commands that go through all parts."""
    [parts] = re.findall(r"--include=(\S+)", environment("testenv:coverage")["commands"])
    named = [part.removeprefix("harness/").removesuffix("/*").removesuffix(".py") for part in parts.split(",")]
    tested = [name.removeprefix("tests/").removeprefix("test_").removesuffix(".py") for name in covered()]
    assert named == tested[: len(named)]
