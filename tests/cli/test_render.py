"""`harness render`: a saved report in any form, later and elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.report import FORMATS
from harness.report.formats.html.page import render_html
from harness.report.formats.json import encode
from harness.report.formats.junit import render_junit
from harness.report.model.assembly import build_report
from tests.cli.fakes import call
from tests.report import made

REPORT = build_report(made.hostile())


def test_a_report_is_rendered_from_its_file(tmp_path: Path, capfd: Any) -> None:
    """The page and the XML are the same as right after the run."""
    path, page, junit = (tmp_path / name for name in ("r.json", "r.html", "r.xml"))
    path.write_bytes(encode(REPORT))
    assert call(capfd, "render", path, "--html", page, "--junit", junit).code == 0
    assert render_html(REPORT) == page.read_text(encoding="utf-8")
    assert render_junit(REPORT) == junit.read_text(encoding="utf-8")


def test_a_report_is_printed(tmp_path: Path, capfd: Any) -> None:
    """On one screen, or every finding at length."""
    path = tmp_path / "r.json"
    path.write_bytes(encode(REPORT))
    assert "Not equivalent" in call(capfd, "render", path).out
    assert call(capfd, "render", path, "--all").out.count("\n   object ") == 3


def test_a_damaged_report_is_exit_code_2(tmp_path: Path, capfd: Any) -> None:
    """And so is a page that cannot be written where it was wanted."""
    path = tmp_path / "r.json"
    path.write_bytes(encode(REPORT)[:100])
    assert call(capfd, "render", path).code == 2
    path.write_bytes(encode(REPORT))
    told = call(capfd, "render", path, "--html", path / "r.html")
    assert told.code == 2
    assert "it is in " in told.err


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_every_form_is_offered(form: Any, tmp_path: Path, capfd: Any) -> None:
    """By the option of its name, and to standard output; what is said to people does not get into it."""
    path = tmp_path / "r.json"
    path.write_bytes(encode(REPORT))
    assert call(capfd, "render", path, f"--{form.name}", tmp_path / form.file).code == 0
    expected = form.render(REPORT)
    assert expected == (tmp_path / form.file).read_bytes()
    other = next(one for one in FORMATS if one.name != form.name)
    told = call(capfd, "render", path, f"--{form.name}", "-", f"--{other.name}", tmp_path / "other")
    assert (0, expected.decode()) == (told.code, told.out)
    assert "written: " in told.err


def test_a_folder_gets_all_of_them(tmp_path: Path, capfd: Any) -> None:
    """Under names that programs can rely on."""
    path = tmp_path / "r.json"
    path.write_bytes(encode(REPORT))
    assert call(capfd, "render", path, "--report", tmp_path / "all").code == 0
    assert sorted(form.file for form in FORMATS) == sorted(file.name for file in (tmp_path / "all").iterdir())


def test_standard_output_takes_one(tmp_path: Path, capfd: Any) -> None:
    """Two in one would be neither."""
    path = tmp_path / "r.json"
    path.write_bytes(encode(REPORT))
    told = call(capfd, "render", path, "--json", "-", "--sarif", "-")
    assert (2, "") == (told.code, told.out)
    assert "--json and --sarif" in told.err


def test_the_summary_of_a_step_is_added_to(tmp_path: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other commands of the step wrote stays, and counts for the limit; any other file is replaced."""
    path, page = tmp_path / "r.json", tmp_path / "summary.md"
    path.write_bytes(encode(REPORT))
    page.write_text("before")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    assert call(capfd, "render", path, "--markdown", page).code == 0
    assert page.read_text(encoding="utf-8").startswith("before\n## Not equivalent")
    page.write_text("x" * 999_500)
    assert call(capfd, "render", path, "--markdown", page).code == 0
    assert 1_000_000 >= page.stat().st_size
    assert "The rest was left out" in page.read_text(encoding="utf-8")[-200:]
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    call(capfd, "render", path, "--markdown", page)
    assert page.read_text(encoding="utf-8").startswith("## Not equivalent")
