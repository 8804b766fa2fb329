"""`harness graduate`: verdicts on a small suite, exit codes, the document, Markdown, and words on bad input."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.fakes import call
from tests.power.test_judge import HANDWRITTEN, SUITE, TYPES

DOC = "// +k8s:validation-gen=TypesWithField=TypeMeta\n\npackage v1\n"
ROOT = Path(__file__).parents[2]
DRIFTED = HANDWRITTEN.replace("size > 10", "size > 11")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite with one live rule and one that can never fire."""
    folder = tmp_path / "toy"
    folder.mkdir()
    files = {"types.go": TYPES, "handwritten.py": HANDWRITTEN, "suite.py": SUITE, "doc.go": DOC}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def graduate(capfd: Any, suite: Path, *more: object) -> Any:
    """Run the command with a small budget in one process."""
    return call(capfd, "graduate", suite, "--max-cases", "1500", "--jobs", "1", *more)


def test_a_rule_with_its_check_is_safe(capfd: Any, suite: Path, tmp_path: Path) -> None:
    """Exit code 0, with the evidence in the document."""
    file = tmp_path / "graduate.json"
    told = graduate(capfd, suite, "Widget.size", "--json", file)
    assert (0, True) == (told.code, "1 rule: 1 safe, 0 changes, 0 unknown" in told.out)
    document = json.loads(file.read_text(encoding="utf-8"))
    [rule] = document["rules"]
    assert ("urn:equivalence-harness:graduate:1", "safe", []) == (document["schema"], rule["verdict"], rule["missing"])
    assert ["create", "update"] == [one["operation"] for one in rule["asked"]]
    assert [True] * 3 == [any(one[name] for one in rule["asked"]) for name in ("both", "at_limit", "beyond")]
    assert rule["markers"][0].endswith("types.go:8")
    assert "handwritten.py:13 in validate" == rule["check"]["place"]


def test_a_check_with_another_limit_changes_what_is_accepted(capfd: Any, suite: Path, tmp_path: Path) -> None:
    """Exit code 1, with the smallest object and what users are served, on the screen and in Markdown."""
    (suite / "handwritten.py").write_text(DRIFTED, encoding="utf-8")
    file, block = tmp_path / "graduate.json", tmp_path / "graduate.md"
    told = graduate(capfd, suite, "--level", "beta", "--json", file, "--markdown", block)
    assert 1 == told.code
    document = json.loads(file.read_text(encoding="utf-8"))
    size = next(one for one in document["rules"] if one["path"] == "size")
    assert ("changes", "rejected", 11) == (size["verdict"], size["change"]["effect"], size["change"]["object"]["size"])
    assert "today: accepted" in told.out
    text = block.read_text(encoding="utf-8")
    assert "objects are rejected that are accepted today" in text
    assert '"size":11' in text
    lines = {one["line"].rpartition(":")[2]: one["verdict"] for one in document["markers"]}
    assert {"8": "changes", "10": "unknown"} == lines


def test_a_rule_that_never_fires_is_unknown(capfd: Any, suite: Path) -> None:
    """Exit code 2: nothing changes, and nothing shows that it does not."""
    told = graduate(capfd, suite, "Widget.dead")
    assert (2, True) == (told.code, "missing: fired: the rule never rejected a value" in told.out)


def test_too_few_cases_certify_nothing(capfd: Any, suite: Path) -> None:
    """A run of a few cases says what it did not ask."""
    told = call(capfd, "graduate", suite, "Widget.size", "--max-cases", "3", "--jobs", "1")
    assert (2, True) == (told.code, "missing: " in told.out)


def test_a_verdict_depends_on_seed_and_cases_alone(capfd: Any, suite: Path, tmp_path: Path) -> None:
    """Two runs write the same rules, whatever the number of processes."""
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    graduate(capfd, suite, "Widget.size", "--json", first)
    call(capfd, "graduate", suite, "Widget.size", "--max-cases", "1500", "--jobs", "2", "--json", second)
    rules = [json.loads(file.read_text(encoding="utf-8"))["rules"] for file in (first, second)]
    assert rules[0] == rules[1]


def test_what_is_written_to_standard_output_stands_alone(capfd: Any, suite: Path) -> None:
    """The table goes to standard error then."""
    told = graduate(capfd, suite, "Widget.size", "--json", "-")
    assert "safe" == json.loads(told.out)["rules"][0]["verdict"]
    assert "1 rule: 1 safe" in told.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no rule is chosen"),
        (("Widget.sise",), "did you mean Widget.size?"),
        (("Wigdet.size",), "did you mean Widget?"),
        (("--tag", "maximun"), "did you mean k8s:maximum?"),
        (("--level", "alpha"), "they are beta"),
        (("nowhere/suite", "--level", "beta"), "is no suite"),
        (("Widget.size", "--json", "-", "--markdown", "-"), "cannot share standard output"),
        (("Widget.size", "--json", "-", "--write", "-"), "cannot share standard output"),
        (("Widget.size", "--json", "FILE/x.json"), "cannot be written"),
    ],
)
def test_bad_input_is_exit_code_2(capfd: Any, suite: Path, words: tuple[str, ...], message: str) -> None:
    """With what is wrong and what to do."""
    told = graduate(capfd, suite, *(word.replace("FILE", str(suite / "types.go")) for word in words))
    assert (2, True, True) == (told.code, message in told.err, "fix: " in told.err)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("suites/order_pydantic", "--level", "beta"), "has no types.go"),
        (("--crd", "tests/crds/before", "--level", "beta"), "have no levels"),
        (("A.b",), "no target is named"),
    ],
)
def test_a_target_without_levels_is_refused(
    capfd: Any, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    """Before anything is built or searched."""
    monkeypatch.chdir(ROOT)
    told = call(capfd, "graduate", *words)
    assert (2, True) == (told.code, message in told.err)


@pytest.mark.parametrize("option", [("--prove",), ("--branches",), ("--write", "x.patch")])
def test_what_reads_the_sources_of_a_release_refuses_a_suite(capfd: Any, suite: Path, option: tuple[str, ...]) -> None:
    """A suite has none: exit code 2, with what to do."""
    told = graduate(capfd, suite, "--level", "beta", *option)
    assert (2, True) == (told.code, f"{option[0]} reads the Go sources of a release\n  fix: add" in told.err)


def test_a_proof_needs_the_solver(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without z3 the command says what to install, and goes on without proofs: here to types that are not there."""
    monkeypatch.setitem(sys.modules, "z3", None)
    monkeypatch.setattr("harness.cli.graduate.api_of", lambda spec: None)
    told = call(capfd, "graduate", "--level", "beta", "--prove", "--kubernetes", "1.37.1")
    assert 2 == told.code
    assert "pip install 'equivalence-harness[prove]'" in told.err
    assert "without it nothing is proved" in told.err
    assert "the types of the target are not known" in told.err
