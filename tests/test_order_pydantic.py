"""The embedded suite of orders: equivalent as it is committed, and every mistake planted into its model is found."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.compare.finding import Finding
from harness.diagnostics import UsageError
from harness.engine import RunConfig
from harness.engine import run as run_engine
from harness.events import Budget, Result
from harness.subject.opening import open_subject
from harness.subject.spec import SCHEMA, SubjectSpec

SUITE = Path(__file__).parent.parent / "suites" / "order_pydantic"

MISTAKES: Mapping[str, tuple[str, str]] = {
    "boundary": ("ge=1, le=999", "ge=1, le=1000"),
    "coercion": ("Field(strict=True, ge=0, le=50)", "Field(ge=0, le=50)"),
    "null": ("max_length=140)] | None = None", "max_length=140)] | None"),
    "extra-field": ("class Customer(Closed):", "class Customer(BaseModel):"),
    "rule-removed": (" and self.shipped_on < self.placed_on:", " and self.shipped_on < date.min:"),
}
"""By its cause, a text of the model and what a hasty migration would make of it."""


def run(folder: Path, cases: int) -> Result:
    return run_engine(SubjectSpec("suite", str(folder)), RunConfig(seed=1, budget=Budget(max_cases=cases)))


def with_mistakes(folder: Path, *causes: str) -> Path:
    """Copy the suite, with these mistakes in its model."""
    copied = Path(shutil.copytree(SUITE, folder / "order_pydantic"))
    model = copied / "model.py"
    text = model.read_text()
    for cause in causes:
        right, wrong = MISTAKES[cause]
        assert 1 == text.count(right)
        text = text.replace(right, wrong)
    model.write_text(text)
    return copied


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Finding]:
    """What a run finds in the model with all five mistakes, by cause and path; a field too many has any name."""
    result = run(with_mistakes(tmp_path_factory.mktemp("five"), *MISTAKES), 6000)
    return {(one.cause, _place_of(one)): one for one in result.findings}


def _place_of(finding: Finding) -> str:
    return finding.path.rpartition(".")[0] if finding.cause == "extra-field" else finding.path


def test_the_committed_model_is_equivalent() -> None:
    """Both accept the same orders, thousands were compared, and every field was set in an accepted one."""
    result = run(SUITE, 5000)
    assert [] == [(one.cause, one.path, one.detail) for one in result.findings]
    assert [True] == [kind.has_seed for kind in result.kinds]
    assert [()] == [kind.unaccepted_paths for kind in result.kinds]
    assert 4500 < result.compared


def test_five_planted_mistakes_are_found_and_named(found: dict[tuple[str, str], Finding]) -> None:
    """Each mistake is one finding with its cause, at its field, and nothing else is reported."""
    assert {
        ("boundary", "lines[*].quantity"),
        ("coercion", "lines[*].discount"),
        ("null", "lines[*].note"),
        ("extra-field", "customer"),
        ("rule-removed", "shipped_on"),
    } == found.keys()
    assert {"verdict"} == {one.severity for one in found.values()}
    assert {("the old function", "the new model")} == {one.between for one in found.values()}


@pytest.mark.parametrize(
    ("cause", "path", "words", "fix"),
    [
        ("boundary", "lines[*].quantity", "rejects a value of 1000 or more", "Field(le=999)"),
        ("coercion", "lines[*].discount", "the new model takes ", "Field(strict=True)"),
        ("null", "lines[*].note", "no object without it", "`name: type | None = None`"),
        ("extra-field", "customer", "the new model ignores the field", 'ConfigDict(extra="forbid")'),
        ("rule-removed", "shipped_on", "the new model has no such check", "@model_validator"),
    ],
)
def test_a_finding_says_what_to_declare(
    found: dict[tuple[str, str], Finding], cause: str, path: str, words: str, fix: str
) -> None:
    """The sentence names both sides and what was tried, the fix is in the words of pydantic."""
    finding = found[cause, path]
    assert words in finding.detail
    assert fix in finding.fix
    accepts = "the old function accepts, the new model rejects"
    assert finding.detail.startswith((accepts, "the old function rejects, the new model accepts"))


@pytest.mark.parametrize("cause", MISTAKES)
def test_a_mistake_is_found_alone(tmp_path: Path, cause: str) -> None:
    """No mistake needs another one to be seen."""
    result = run(with_mistakes(tmp_path, cause), 4000)
    assert {cause} == {one.cause for one in result.findings}


def test_another_exception_of_a_model_is_one_panic_with_its_line(tmp_path: Path) -> None:
    """Whatever value it names; the run goes on, and finds what else differs."""
    folder = with_mistakes(tmp_path, "boundary")
    model = folder / "model.py"
    text = model.read_text()
    right = "        if len({line.sku for line in lines}) < len(lines):\n"
    assert 1 == text.count(right)
    model.write_text(text.replace(right, f"        {{}}.get(0) if len(lines) < 3 else {{}}[lines[0].sku]\n{right}"))
    line = text[: text.index(right)].count("\n") + 1
    result = run(folder, 4000)
    assert {"boundary", "panic"} == {one.cause for one in result.findings}
    [panic] = [one for one in result.findings if one.cause == "panic"]
    assert panic.answer.failure is not None
    assert f"model.py:{line} in _each_article_once" == panic.answer.failure.at
    assert "the new model crashed with KeyError" in panic.detail


def test_a_suite_without_types_has_no_schemas() -> None:
    """Its validators are Python, and nothing can be compiled; no worker is built to find out."""
    with pytest.raises(UsageError, match="has no schemas\n  why: schemas are compiled from Go types"):
        open_subject(SubjectSpec("suite", str(SUITE), against=SCHEMA, in_process=True))
