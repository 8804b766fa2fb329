"""`harness power`: exit codes, the list of known surviving mutants, the document, and words on what makes no sense."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.cli import power as command
from harness.fuzzers.budget import Clock
from harness.subject import SubjectSpec
from tests.cli.fakes import call
from tests.power.test_judge import DEAD, HANDWRITTEN, SUITE, TYPES

DOC = "// +k8s:validation-gen=TypesWithField=TypeMeta\n\npackage v1\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite with one live rule and one that can never fire."""
    folder = tmp_path / "toy"
    folder.mkdir()
    files = {"types.go": TYPES, "handwritten.py": HANDWRITTEN, "suite.py": SUITE, "doc.go": DOC}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def power(capfd: Any, suite: Path, *more: str) -> Any:
    """Run the command with a small budget in this process."""
    return call(capfd, "power", suite, "--max-cases", "200", "--jobs", "1", *more)


def surviving(file: Path) -> list[str]:
    """The names of the mutants that survived, by the document."""
    parts = json.loads(file.read_text(encoding="utf-8"))["parts"]
    return [one["name"] for part in parts for one in part["mutants"] if one["state"] == "survived"]


def test_survivors_are_exit_code_1_until_they_are_listed(capfd: Any, suite: Path, tmp_path: Path) -> None:
    """They are named on the screen and in the document; a list with their reasons makes it 0; a stale entry 1 again."""
    file = tmp_path / "power.json"
    told = power(capfd, suite, "--json", str(file))
    assert (1, True) == (told.code, DEAD in surviving(file))
    assert "survived: declarative v1.Widget.dead: minimum (beta): drop" in told.out
    entries = "".join(f"- mutant: {json.dumps(name)}\n  equivalent: toy\n" for name in surviving(file))
    (suite / "power.yaml").write_text(entries, encoding="utf-8")
    told = power(capfd, suite)
    assert (0, True) == (told.code, " 0 survived" in told.out)
    (suite / "power.yaml").write_text(f"{entries}- {{mutant: gone, tolerated: toy}}\n", encoding="utf-8")
    told = power(capfd, suite)
    assert (1, True) == (told.code, "stale: gone: no such mutant survives any more" in told.out)
    assert 0 == power(capfd, suite, "--every", "10", "--update-ratchet").code
    assert "gone" in (suite / "power.yaml").read_text(), "a sample proves nothing"
    told = power(capfd, suite, "--update-ratchet")
    assert (0, True) == (told.code, "power.yaml: gone" in told.out)
    assert entries == (suite / "power.yaml").read_text()


def test_a_sample_of_the_mutants_is_tested(capfd: Any, suite: Path, tmp_path: Path) -> None:
    """With --every, and entries of the list are not reported as stale."""
    file = tmp_path / "power.json"
    (suite / "power.yaml").write_text("- {mutant: '*', equivalent: toy}\n- {mutant: gone, tolerated: toy}\n")
    told = power(capfd, suite, "--every", "10", "--json", str(file))
    assert (0, True) == (told.code, "every 10th mutant" in told.out)
    assert len(json.loads(file.read_text(encoding="utf-8"))["parts"][0]["mutants"]) < 10


def test_mutants_beyond_the_time_are_not_tested(capfd: Any, suite: Path) -> None:
    """They are counted, and are neither killed nor surviving mutants."""
    told = power(capfd, suite, "--max-time", "0.001")
    assert (True, True) == (told.code in (0, 1), "not judged: time ran out" in told.out)


def test_building_takes_no_time_from_other_subjects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four minutes of building and twenty seconds of two parts side by side, twenty seconds are counted."""
    now = [0.0]

    def run_filters(*args: Any, **options: Any) -> Any:
        now[0] += 260.0
        usual = {"subject": "kubernetes", "seconds": 20.0, "cases": 100, "stopped": "budget", "kinds": ()}
        return [SimpleNamespace(**usual, beside=False), SimpleNamespace(**usual, beside=True)], ()

    monkeypatch.setattr(command, "run_filters", run_filters)
    monkeypatch.setattr(command, "rule_observers", lambda spec: {})
    clock = Clock(60.0, lambda: now[0])
    now[0] += 5.0
    ask = command._PowerRequest(1, 60.0, None, 1, 0, 1, (), None, clock, lambda spec: (spec, spec))
    assert 20.0 == ask.judge_subject(SubjectSpec("kubernetes", "1.37.1")).seconds
    assert 25.0 == clock.seconds


def test_bad_input_is_exit_code_2(capfd: Any, suite: Path, tmp_path: Path) -> None:
    """The error has the position and the reason."""
    (suite / "power.yaml").write_text("- x\n", encoding="utf-8")
    told = power(capfd, suite, "--every", "30")
    assert (2, True) == (told.code, "power-known" in told.err)
    told = power(capfd, suite, "--known", str(tmp_path / "none.yaml"))
    assert (2, True) == (told.code, "there is no" in told.err)
    told = call(capfd, "power", tmp_path / "nothing", "--max-cases", "10")
    assert (2, True) == (told.code, "suite" in told.err)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--mutants", "5"), "--kubernetes RELEASE"),
        (("--keep", "done.json"), "add --mutants N"),
        (("--near-marks",), "leave --near-marks out"),
        (("--kubernetes", "1.37.1", "--mutants", "5", "--again", "1"), "leave --again out"),
        (("--kubernetes", "1.37.1", "--mutants", "5", "--against", "1.36.3"), "against"),
    ],
)
def test_options_of_go_mutants_are_for_releases(capfd: Any, suite: Path, options: tuple[str, ...], said: str) -> None:
    """What they would do elsewhere is nothing, so that is said before anything is built."""
    told = call(capfd, "power", *(() if "--kubernetes" in options else (suite,)), *options)
    assert (2, True) == (told.code, said in told.err)
