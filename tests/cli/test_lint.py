"""`harness lint`: what is found is shown, counted, repaired when asked, and says so in the exit code."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.fakes import call

BAD = """package v1

type T struct {
	// +k8s:optional
	// +k8s:maxLenght=5
	F string `json:"f"`
	// +k8s:maxLength=5
	G string `json:"g"`
}
"""
GOOD = 'package v1\n\ntype T struct {\n\t// +k8s:optional\n\t// +k8s:maxLength=5\n\tF string `json:"f"`\n}\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a bad package and a good one."""
    for name, text in (("bad", BAD), ("good", GOOD)):
        (tmp_path / name / "v1").mkdir(parents=True)
        (tmp_path / name / "v1" / "types.go").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_findings_are_shown_for_people(capfd: pytest.CaptureFixture[str], here: Path) -> None:
    """By file, with position, line, caret, reason and fix, and the totals by rule."""
    told = call(capfd, "lint", "bad")
    assert (1, "") == (told.code, told.err)
    assert told.out.startswith("bad/v1/types.go\n  5:5      error    unknown-tag: there is no tag +k8s:maxLenght")
    assert "           | // +k8s:maxLenght=5\n           |    ^^^^^^^^^^^^^^\n           why: " in told.out
    assert "did you mean +k8s:maxLength? (--fix does it)" in told.out
    assert (
        "2 findings in 1 file of 1 package: 2 errors\n      1  requiredAndOptional\n      1  unknown-tag\n" in told.out
    )


def test_nothing_found_is_said(capfd: pytest.CaptureFixture[str], here: Path) -> None:
    """A clean API has exit code 0."""
    told = call(capfd, "lint", "good")
    assert (0, "nothing found in 1 package\n") == (told.code, told.out)


@pytest.mark.parametrize(
    ("options", "codes", "exit_code"),
    [
        ((), {"unknown-tag", "requiredAndOptional"}, 1),
        (("--rule", "unknown-tag"), {"unknown-tag"}, 1),
        (("--ignore", "unknown-tag"), {"requiredAndOptional"}, 1),
        (("--ignore", "unknown-tag", "--ignore", "requiredAndOptional"), set(), 0),
        (("--fail-on", "never"), {"unknown-tag", "requiredAndOptional"}, 0),
        (("--min-severity", "error"), {"unknown-tag", "requiredAndOptional"}, 1),
    ],
)
def test_findings_are_chosen(
    capfd: pytest.CaptureFixture[str], here: Path, options: tuple[str, ...], codes: set[str], exit_code: int
) -> None:
    """By code and severity; the exit code speaks of what is shown."""
    told = call(capfd, "lint", "bad", "--format", "json", *options)
    assert exit_code == told.code
    assert codes == {one["code"] for one in json.loads(told.out)["findings"]}


def test_json_has_what_is_documented(capfd: pytest.CaptureFixture[str], here: Path) -> None:
    """Every member that docs/reference/commands.md names, and no other."""
    told = json.loads(call(capfd, "lint", "bad", "--format", "json").out)
    assert ["format", "tool", "api", "release", "packages", "totals", "findings"] == list(told)
    assert {"error": 2, "warning": 0, "note": 0} == told["totals"]
    first = told["findings"][0]
    assert ["code", "severity", "message", "why", "fix", "file", "line", "column", "width", "source", "fingerprint",
            "edit"] == list(first)  # fmt: skip
    assert {"line": 5, "old": "\t// +k8s:maxLenght=5", "new": "\t// +k8s:maxLength=5"} == first["edit"]


def test_programs_get_sarif_and_annotations(capfd: pytest.CaptureFixture[str], here: Path) -> None:
    """SARIF names every rule; an annotation stands at its line."""
    log = json.loads(call(capfd, "lint", "bad", "--format", "sarif").out)
    rules = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    found = log["runs"][0]["results"]
    assert 2 == len(found)
    assert [one["ruleId"] for one in found] == [rules[one["ruleIndex"]] for one in found]
    told = call(capfd, "lint", "bad", "--format", "github").out
    assert told.startswith("::error file=bad/v1/types.go,line=5,col=5,endColumn=19,title=unknown-tag::there is no tag")


def test_repairs_are_shown_or_made(capfd: pytest.CaptureFixture[str], here: Path) -> None:
    """--diff changes nothing; --fix changes what --diff showed, and a second time nothing."""
    file = here / "bad" / "v1" / "types.go"
    shown = call(capfd, "lint", "bad", "--diff").out
    assert "-\t// +k8s:maxLenght=5\n+\t// +k8s:maxLength=5\n" in shown
    assert file.read_text(encoding="utf-8") == BAD
    made = call(capfd, "lint", "bad", "--fix")
    assert made.out.startswith(f"{shown}1 repair made\n")
    assert 1 == made.code
    assert file.read_text(encoding="utf-8") == BAD.replace("Lenght", "Length")
    assert "0 repairs made" in call(capfd, "lint", "bad", "--fix").out


def test_a_file_is_linted_in_its_package(capfd: pytest.CaptureFixture[str], here: Path) -> None:
    """Types of other files are known; what is found in these is not told."""
    other = here / "bad" / "v1" / "more_types.go"
    other.write_text('package v1\n\ntype U struct {\n\t// +k8s:optional\n\tT *T `json:"t"`\n}\n', encoding="utf-8")
    assert 0 == call(capfd, "lint", other).code
    assert 1 == call(capfd, "lint", other, "bad/v1/types.go").code


def test_downloaded_modules_are_never_changed(
    capfd: pytest.CaptureFixture[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies in the module cache is shown by module, and left alone."""
    monkeypatch.setenv("GOMODCACHE", str(here))
    told = call(capfd, "lint", "bad", "--fix")
    assert "0 repairs made" in told.out
    assert "downloaded modules are not fixed" in told.err
    assert (here / "bad" / "v1" / "types.go").read_text(encoding="utf-8") == BAD


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bad", "--rule", "unknown-tags"), "did you mean unknown-tag?"),
        (("bad", "--fix", "--diff"), "mutually exclusive"),
        (("nowhere",), "there is no nowhere"),
        ((), "no API is named"),
        (("bad", "--kubernetes", "1.37.1"), "omit one of them"),
    ],
)
def test_calls_that_make_no_sense(
    capfd: pytest.CaptureFixture[str], here: Path, words: tuple[str, ...], said: str
) -> None:
    """Exit code 2 and what to do."""
    told = call(capfd, "lint", *words)
    assert (2, "") == (told.code, told.out)
    assert said in told.err


def test_several_paths_are_one_list(capfd: pytest.CaptureFixture[str], here: Path) -> None:
    """A path within another adds nothing."""
    once = call(capfd, "lint", "bad").out
    assert once == call(capfd, "lint", "bad", f"bad{os.sep}v1").out.replace("of 2 packages", "of 1 package")


def _huge(shape: str) -> str:
    """Types that nobody writes by hand, and that a generator of code may."""
    match shape:
        case "fields":
            lines = (f'\t// +k8s:optional\n\tF{n} string `json:"f{n}"`\n' for n in range(3000))
            return "package v1\n\ntype T struct {\n" + "".join(lines) + "}\n"
        case "aliases":
            chain = "".join(f"type A{n} A{n + 1}\n" for n in range(1500)) + "type A1500 string\n"
            return f'package v1\n\ntype T struct {{\n\t// +k8s:optional\n\tF A0 `json:"f"`\n}}\n\n{chain}'
        case "embedded":
            chain = "".join(f'type E{n} struct {{\n\tE{n + 1} `json:",inline"`\n}}\n' for n in range(1200))
            return f'package v1\n\n{chain}type E1200 struct {{\n\tX string `json:"x"`\n}}\n'
        case _:
            tag = "+k8s:eachVal=" * 300 + "+k8s:maxLength=5"
            return f'package v1\n\ntype T struct {{\n\t// +k8s:optional\n\t// {tag}\n\tF []string `json:"f"`\n}}\n'


@pytest.mark.parametrize(
    ("shape", "words"),
    [("fields", ""), ("aliases", "go-nesting"), ("embedded", "go-nesting"), ("chained", "nested too deeply")],
)
def test_huge_types_end_in_diagnostics(
    shape: str, words: str, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of fields are fine; what is too deep is told, by each command that reads types."""
    monkeypatch.chdir(tmp_path)
    Path("huge/v1").mkdir(parents=True)
    Path("huge/v1/types.go").write_text(_huge(shape), encoding="utf-8")
    for command in ("lint", "compile", "docs", "rules"):
        told = call(capfd, command, "huge/v1")
        said = told.out + told.err
        assert (command, told.code) == (command, (1 if command == "lint" else 2) if words else 0), said[:500]
        assert words in said
        assert "Traceback" not in said
        assert "RecursionError" not in said
