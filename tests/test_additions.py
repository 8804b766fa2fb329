"""A report format, a command, a lint rule and a cause are a file and a line each: options, help and pages follow."""

from __future__ import annotations

import json
import re
import subprocess
from datetime import date, timedelta
from pathlib import Path

import pytest

from harness.compare.cause import NO_FINDER, Cause
from harness.compare.causes import CAUSES
from tests.extended import run_extended

ROOT = Path(__file__).parent.parent
FORMAT = """
def render(report):
    return f"{len(report.findings)} findings in {len(report.parts)} parts\\n"
"""
COMMAND = """
import click


@click.command("shout")
@click.argument("word")
def command(word: str) -> int:
    "Say a word aloud."
    click.echo(word.upper())
    return 0
"""
SCRIPT = """
import importlib.util
import sys

from harness import cli, report


def add(name, file):
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


add("harness.report.formats.invented", "invented.py")
add("harness.cli.shout", "shout.py")
report.FORMATS = (*report.FORMATS, report.ReportFormat("count", "count.txt", "invented:render", "a count"))
cli.COMMANDS = (*cli.COMMANDS, ("shout", "shout", "Say a word aloud."))
"""


PARITY = '''
"""The cause `parity`: the other number is asked, one further."""
import msgspec

from harness.compare.cause import Cause, Finder, Explanation, Trial


def trials(question):
    spec = question.case.object["spec"]
    asked = msgspec.structs.replace(question.case, object={"spec": {"weight": spec["weight"] + 1}})

    def proves(said):
        if question.comparator.agrees(question.mismatch, asked, said):
            return Explanation("the check looks away at every other number", "let it look at odd numbers too")

    yield Trial(asked, proves)


PARITY = Cause("parity", "One side looks at every other number only.\\n\\nLook at all.", Finder(trials=trials))
'''
WITH_CAUSE = """
import parity
from harness.compare import causes

causes.CAUSES = (*causes.CAUSES, parity.PARITY)
"""
TOY = {
    "__init__.py": "",
    "suite.py": """
from harness.suite import Suite, SuiteKind

from .handwritten import validate

SUITE = Suite(
    name="toy", group="toys.example.org",
    kinds=[SuiteKind(kind="Crate", resource="crates", versions={"v1": "types.go"}, handwritten=validate)],
)
""",
    "handwritten.py": """
from harness.field import Path
from harness.field.make import invalid


def validate(new, old, context):
    weight = new.get("spec", {}).get("weight", 0)
    if weight <= 10 or weight % 2:
        return []
    path = Path().child("spec").child("weight")
    return [invalid(path, weight, "must be less than or equal to 10", origin="maximum", covered=True)]
""",
    "types.go": """package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Crate is a crate.
type Crate struct {
	metav1.TypeMeta `json:",inline"`

	Spec CrateSpec `json:"spec"`
}

// CrateSpec is what a crate should be.
type CrateSpec struct {
	// Weight is how heavy it is.
	//
	// +k8s:beta(since: "1.37")=+k8s:maximum=10
	Weight int32 `json:"weight"`
}
""",
}


def harness(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of a harness with the additions."""
    for name, text in (("invented.py", FORMAT), ("shout.py", COMMAND)):
        (folder / name).write_text(text, encoding="utf-8")
    return run_extended(folder, SCRIPT, *arguments)


def test_an_invented_format_is_written_like_every_other(tmp_path: Path) -> None:
    """By its option, into the folder of all formats, and from a saved report."""
    suite = str(ROOT / "suites" / "claim_v1")
    told = harness(tmp_path, "run", suite, "--max-cases", "200", "--jobs", "1", "--report", "out")
    assert 0 == told.returncode, told.stderr
    assert "0 findings in 1 parts\n" == (tmp_path / "out" / "count.txt").read_text(encoding="utf-8")
    again = harness(tmp_path, "render", "out/report.json", "--count", "-")
    assert (0, "0 findings in 1 parts\n") == (again.returncode, again.stdout)


def test_an_invented_command_is_found_and_helped_with(tmp_path: Path) -> None:
    """In the list of commands, when it is called, and where it is misspelt."""
    assert "Say a word aloud." in harness(tmp_path, "--help").stdout
    assert (0, "HO\n") == (lambda done: (done.returncode, done.stdout))(harness(tmp_path, "shout", "ho"))
    missed = harness(tmp_path, "shoutt", "ho")
    assert 2 == missed.returncode
    assert "shout" in missed.stderr


RULE = '''
"""Fields that are called legacy."""

from harness.lint.advice import advise, propose_deletion
from harness.lint.examples import field_of
from harness.lint.rule import LintRule
from harness.lint.uses import tagged_elements, uses_on


def find(view):
    for element in tagged_elements(view):
        for use in uses_on(view, element):
            if use.name == "immutable" and "legacy" in str(element.type):
                edit = propose_deletion(view, use.tag)
                yield advise(use, f"{element.name} is legacy and immutable", "remove the tag", edit)


RULE = LintRule(
    code="legacy-immutable",
    severity="note",
    summary="An immutable field of a legacy type.",
    why="legacy types are given up",
    good=field_of("+k8s:optional\\n+k8s:immutable", "*string"),
    bad=field_of("+k8s:optional\\n+k8s:immutable", "*legacy", "type legacy string\\n\\n"),
    find=find,
    fixes=True,
)
'''
WITH_RULE = """
import importlib.util
import sys

from harness.lint import rules

spec = importlib.util.spec_from_file_location("harness.lint.rules.legacy_immutable", "legacy_immutable.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
rules.RULES = (*rules.RULES, module.RULE)
"""
TYPES = """package v1

type legacy string

type T struct {
	// +k8s:optional
	// +k8s:immutable
	F *legacy `json:"f"`
}
"""
PRINT_REFERENCE = """
from harness.lint.pages import reference
print(reference(rules.RULES))
sys.exit()
"""


def linting(folder: Path, *arguments: str, script: str = WITH_RULE) -> subprocess.CompletedProcess[str]:
    """Run a command of a harness with the invented rule, beside types that it finds something in."""
    (folder / "legacy_immutable.py").write_text(RULE, encoding="utf-8")
    (folder / "v1").mkdir(exist_ok=True)
    types = folder / "v1" / "types.go"
    if not types.exists():
        types.write_text(TYPES, encoding="utf-8")
    return run_extended(folder, script, *arguments)


def test_an_invented_lint_rule_runs_like_every_other(tmp_path: Path) -> None:
    """It finds, alone too, is left out by its name, and repairs."""
    found = linting(tmp_path, "lint", "v1", "--fail-on", "note")
    assert (1, True) == (found.returncode, "note     legacy-immutable: F is legacy and immutable" in found.stdout)
    assert "legacy-immutable" in linting(tmp_path, "lint", "v1", "--rule", "legacy-immutable").stdout
    assert "nothing found in 1 package\n" == linting(tmp_path, "lint", "v1", "--ignore", "legacy-immutable").stdout
    assert "1 repair made" in linting(tmp_path, "lint", "v1", "--fix").stdout
    assert TYPES.replace("\t// +k8s:immutable\n", "") == (tmp_path / "v1" / "types.go").read_text(encoding="utf-8")


def test_an_invented_lint_rule_is_suppressed_by_its_code(tmp_path: Path) -> None:
    """By a comment with a reason; the comment is unused where the rule finds nothing."""
    comment = "\t// +harness:nolint=legacy-immutable  # until 2.0\n"
    silenced = TYPES.replace("\t// +k8s:optional\n", f"{comment}\t// +k8s:optional\n")
    for go, told in ((silenced, "nothing found"), (silenced.replace("*legacy", "*string"), "nolint-unused")):
        folder = tmp_path / told.replace(" ", "-")
        (folder / "v1").mkdir(parents=True)
        (folder / "v1" / "types.go").write_text(go, encoding="utf-8")
        assert told in linting(folder, "lint", "v1").stdout


def test_an_invented_lint_rule_has_its_pages(tmp_path: Path) -> None:
    """What explains it, what lists it, what code scanning shows of it, and its section of the reference."""
    page = linting(tmp_path, "explain", "legacy-immutable").stdout
    assert page.startswith("legacy-immutable (lint)\n\nAn immutable field of a legacy type.\n")
    assert "legacy-immutable " in linting(tmp_path, "explain").stdout
    told = linting(tmp_path, "explain", "legacy-imutable")
    assert (2, True) == (told.returncode, "legacy-immutable" in told.stderr)
    run = json.loads(linting(tmp_path, "lint", "v1", "--format", "sarif").stdout)["runs"][0]
    described = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}["legacy-immutable"]
    assert "An immutable field of a legacy type." == described["shortDescription"]["text"]
    assert ["legacy-immutable"] == [result["ruleId"] for result in run["results"]]
    made = linting(tmp_path, script=WITH_RULE + PRINT_REFERENCE).stdout
    row = "| [legacy-immutable](#legacy-immutable) | note | yes | An immutable field of a legacy type. |"
    assert (True, True) == (row in made, "\n## legacy-immutable\n" in made)


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    """A folder with an invented cause, and a suite whose check looks away at odd numbers."""
    (tmp_path / "parity.py").write_text(PARITY, encoding="utf-8")
    (tmp_path / "toy").mkdir()
    for name, text in TOY.items():
        (tmp_path / "toy" / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_an_invented_cause_is_told_explained_and_tolerated(toys: Path) -> None:
    """By a run, in a report that is read again, on its page and in the reference, and in the file of exceptions."""

    def extended(*arguments: str) -> subprocess.CompletedProcess[str]:
        return run_extended(toys, WITH_CAUSE, *arguments)

    search = ("run", "toy", "--max-cases", "500", "--jobs", "1", "--operation", "create", "--report", "out")
    told = extended(*search)
    assert 1 == told.returncode, told.stdout + told.stderr
    assert "the check looks away at every other number" in told.stdout
    [finding] = json.loads((toys / "out" / "report.json").read_text(encoding="utf-8"))["findings"]
    assert "parity" == finding["cause"]
    assert "| parity |" in extended("render", "out/report.json", "--markdown", "-").stdout

    assert (
        "parity (cause)\n\nOne side looks at every other number only.\n\nLook at all.\n"
        == extended("explain", "parity").stdout
    )
    assert 0 == extended("docs", "--words", "--output", "reference").returncode
    assert "\n## parity\n" in (toys / "reference" / "causes.md").read_text(encoding="utf-8")

    words = ("--reason", "a toy", "--owner", "sig-toys", "--until", str(date.today() + timedelta(days=9)))
    added = extended("exceptions", "add", finding["fingerprint"], "--report", "out/report.json", *words)
    assert 0 == added.returncode, added.stderr
    assert "cause: parity" in (toys / "equivalence_exceptions.yaml").read_text(encoding="utf-8")
    assert 0 == extended(*search).returncode


def test_each_cause_has_a_file_of_its_name() -> None:
    """And each file there is a cause, except for the list."""
    files = {file.stem for file in (ROOT / "harness" / "compare" / "causes").glob("*.py")} - {"__init__"}
    assert sorted(files) == sorted(cause.code.replace("-", "_") for cause in CAUSES)


@pytest.mark.parametrize("cause", CAUSES, ids=lambda one: one.code)
def test_each_cause_is_found_or_says_where_it_is_told(cause: Cause) -> None:
    """Between two sides, two servers or two validators, or at another place; and it has a page."""
    assert cause.told_by or {cause.sides, cause.servers, cause.validators} != {NO_FINDER}
    assert len(cause.page.strip()) > 80


@pytest.mark.parametrize("cause", [one for one in CAUSES if one.told_by], ids=lambda one: one.code)
def test_a_cause_that_is_told_elsewhere_says_where(cause: Cause) -> None:
    """Its record names the module, which uses its words."""
    module = cause.code.replace("-", "_")
    assert re.search(rf"\b{module}\.describe", (ROOT / cause.told_by).read_text(encoding="utf-8"))
