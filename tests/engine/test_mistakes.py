"""Seven mistakes in a suite, behind a check that no tag declares and no message explains."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness.engine import RunConfig, run
from harness.events import Budget, Result
from harness.report.model.assembly import build_report
from harness.report.model.grouping import group
from harness.subject import SubjectSpec

ROSTER = Path(__file__).parents[1] / "roster"
CASES = 8000

MISTAKES = {
    "a boundary": ("handwritten.py", "if weeks > 14:", "if weeks > 15:"),
    "a wrong path": ("handwritten.py", 'validate_hours(hours, path.child("hours"))',
                     'validate_hours(hours, path.child("hour"))'),
    "a missing rule": ("types.go", '	// +k8s:beta(since: "1.37")=+k8s:maxLength=40\n', ""),
    "an update only": ("handwritten.py", 'before is not None and spec.get("lead")',
                       'before is not None and before.get("lead") and spec.get("lead")'),
    "another regex": ("handwritten.py", "for message in names.short_name(name)",
                      'for message in names.short_name(name) if not re.fullmatch("[a-z0-9][-a-z0-9]{0,62}", name)'),
    "another key": ("handwritten.py", 'key = shift.get("name", "")',
                    'key = shift.get("name", ""), shift.get("floor", "")'),
    "a member set to nothing": (
        "handwritten.py", 'call.get("pager") is None and (before is None or before.get("pager") is not None)',
        'not call.get("pager") and (before is None or call.get("pager") != before.get("pager"))',
    ),
}  # fmt: skip
NAMED = {
    "a boundary": ("boundary", "spec.weeks", {"create", "update"}),
    "a wrong path": ("wrong-path", "spec.shifts[*].hour", {"create", "update"}),
    "a missing rule": ("no-rule", "spec.call.note", {"create", "update"}),
    "an update only": ("other-value", "spec.lead", {"update"}),
    "another regex": ("other-value", "spec.shifts[*].name", {"create", "update"}),
    "another key": ("other-value", "spec.shifts[*]", {"create", "update"}),
    "a member set to nothing": ("other-value", "spec.call.pager", {"create", "update"}),
}
"""Cause, path and operations by which each is told."""

PATHS = {
    "of no field": (MISTAKES["a wrong path"], ("wrong-path", "Shift.hour")),
    "of another field": (
        ("handwritten.py", 'validate_hours(hours, path.child("hours"))', 'validate_hours(hours, path.child("floor"))'),
        ("path", "Shift"),
    ),
    "of the parent": (
        ("handwritten.py", 'required(path.child("pager")', "required(path"), ("path", "Call"),
    ),
    "of the list": (
        ("handwritten.py", '"")), path.index(index))', '"")), path)'), ("wrong-path", "RosterSpec"),
    ),
}  # fmt: skip
"""Changes of the path that an error is reported at, with the row that each is told in."""

GOES_ON = ("handwritten.py", "", "")
RETURNS = (
    "handwritten.py",
    '    errors = validate_ward(spec.get("ward", ""), path.child("ward"))\n',
    '    errors = validate_ward(spec.get("ward", ""), path.child("ward"))\n    if errors:\n        return errors\n',
)
STYLES = {"goes on": GOES_ON, "returns early": RETURNS}
OPAQUE = ("handwritten.py", "WARD.fullmatch(ward)", 'ward.encode().hex() == "4d2f37"')
"""A check that no text says anything of."""
MATCHED = "len(ward) == 3 and ward[0].isupper() and ward[1:2] == chr(47) and ward[2] in map(str, range(9))"


def suite(folder: Path, *changes: tuple[str, str, str]) -> Path:
    """Copy the suite, with texts of its files replaced."""
    place = Path(shutil.copytree(ROSTER, folder / "roster_v1", ignore=shutil.ignore_patterns("__pycache__")))
    for name, old, new in changes:
        text = (place / name).read_text(encoding="utf-8")
        assert not old or 1 == text.count(old)
        (place / name).write_text(text.replace(old, new) if old else text, encoding="utf-8")
    return place


def search(place: Path, seed: int, cases: int = CASES) -> Result:
    """Search a suite."""
    return run(SubjectSpec("suite", str(place)), RunConfig(seed=seed, budget=Budget(max_cases=cases)))


def told(result: Result) -> dict[tuple[str, str], set[str]]:
    """Return the operations of what was found, by cause and path."""
    found: dict[tuple[str, str], set[str]] = {}
    for finding in result.findings:
        found.setdefault((finding.cause, finding.path), set()).add(finding.operation)
    return found


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("style", STYLES)
def test_seven_mistakes_are_found_and_named(tmp_path: Path, style: str, seed: int) -> None:
    """Each by its cause, its path and its operations, although nothing says what the mark of a ward looks like."""
    result = search(suite(tmp_path, *MISTAKES.values(), STYLES[style]), seed)
    assert [True, True] == [kind.has_seed for kind in result.kinds]
    found = told(result)
    assert NAMED == {name: (cause, path, found.get((cause, path))) for name, (cause, path, _) in NAMED.items()}


@pytest.mark.parametrize("style", STYLES)
def test_without_mistakes_nothing_is_found_but_the_early_return(tmp_path: Path, style: str) -> None:
    """What is masked by it is told as masked, and nothing as a rule without a check."""
    result = search(suite(tmp_path, STYLES[style]), 1)
    assert ({"masked"} if style == "returns early" else set()) == {finding.cause for finding in result.findings}
    assert [True, True] == [kind.has_seed for kind in result.kinds]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_one_mistake_is_told_as_itself(tmp_path: Path, mistake: str) -> None:
    """And as nothing else: findings of one mistake are about one member."""
    result = search(suite(tmp_path, MISTAKES[mistake]), 1, CASES // 2)
    cause, path, operations = NAMED[mistake]
    assert operations == told(result)[cause, path]
    assert {path.removesuffix("s")} == {finding.path.removesuffix("s") for finding in result.findings}


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("mistake", PATHS)
def test_a_wrong_path_is_one_row(tmp_path: Path, mistake: str, style: str, seed: int) -> None:
    """Whatever its limits, operations and places, and although a validator that returned early hides half of it."""
    result = search(suite(tmp_path, PATHS[mistake][0], STYLES[style]), seed, 3000)
    rows = [(one.cause, one.location) for one in group(build_report(result).findings) if one.cause != "masked"]
    assert [PATHS[mistake][1]] == rows


def test_a_check_that_no_text_explains_is_passed_with_an_example(tmp_path: Path) -> None:
    """Without one no object is accepted; with one every mistake behind it is found."""
    blind = search(suite(tmp_path / "blind", *MISTAKES.values(), RETURNS, OPAQUE), 1, CASES // 2)
    assert [False, False] == [kind.has_seed for kind in blind.kinds]
    place = suite(tmp_path / "seeing", *MISTAKES.values(), RETURNS, OPAQUE)
    (place / "examples").mkdir()
    (place / "examples" / "one.yaml").write_text(
        "apiVersion: ward.example.org/v1\nkind: Roster\nmetadata: {name: a}\nspec: {ward: M/7, weeks: 2}\n"
    )
    found = told(search(place, 1))
    assert NAMED == {name: (cause, path, found.get((cause, path))) for name, (cause, path, _) in NAMED.items()}


@pytest.mark.parametrize(
    "message", ['must be like "M/7"', "must be one of M/7, M/6.", "is wrong (e.g. M/7)", "must match ^[A-Z]/[0-8]$"]
)
def test_what_a_message_names_is_tried_where_it_speaks_of(tmp_path: Path, message: str) -> None:
    """A value in quotation marks or announced, or an expression: enough to get past a check that no code explains."""
    said = ("handwritten.py", '"is not the mark of a ward"', repr(message))
    check = OPAQUE if "match" not in message else ("handwritten.py", "WARD.fullmatch(ward)", MATCHED)
    result = search(suite(tmp_path, check, said), 1, 600)
    assert [True, True] == [kind.has_seed for kind in result.kinds]


@pytest.mark.parametrize("style", STYLES)
def test_a_pattern_need_not_be_called_after_its_field(tmp_path: Path, style: str) -> None:
    """One of several that a helper is given by their numbers: all are tried, and nothing is told as a missing check."""
    patterns = 'P = (r"[a-z]+@[a-z]+", r"[A-Z]{3}/[0-9]{2}[A-F]", "[0-9]+")'
    place = suite(
        tmp_path, STYLES[style],
        ("handwritten.py", 'WARD = re.compile(r"[A-Z]{3}/[0-9]{2}[A-F]")', patterns),
        ("handwritten.py", "WARD.fullmatch(ward)", "re.fullmatch(P[1], ward)"),
    )  # fmt: skip
    text = (place / "handwritten.py").read_text(encoding="utf-8")
    (place / "handwritten.py").write_text(text.replace("validate_ward", "check_mark"), encoding="utf-8")
    result = search(place, 1, 600)
    assert [True, True] == [kind.has_seed for kind in result.kinds]
    assert {"masked"} >= {finding.cause for finding in result.findings}
