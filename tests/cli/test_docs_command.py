"""`harness docs`: pages are written where it is said, and what cannot be done gets a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.fakes import call

TYPES = 'package v1\n\ntype Widget struct {\n\t// +k8s:maxLength=63\n\tName string `json:"name"`\n}\n'


def write(place: Path, text: str = TYPES) -> Path:
    """A file of types."""
    (place / "types.go").write_text(text, encoding="utf-8")
    return place / "types.go"


@pytest.mark.parametrize(
    ("form", "files"),
    [
        ("both", {"index.html", "index.md", "Widget.md"}),
        ("html", {"index.html"}),
        ("markdown", {"index.md", "Widget.md"}),
    ],
)
def test_an_api_is_documented(capfd: pytest.CaptureFixture[str], tmp_path: Path, form: str, files: set[str]) -> None:
    """The pages that were asked for are written, and the sums are told."""
    told = call(capfd, "docs", write(tmp_path), "--output", tmp_path / "out", "--format", form)
    assert (0, "") == (told.code, told.err)
    assert "1 kind with 1 rule in 1 group" in told.out
    assert files == {path.name for path in (tmp_path / "out").rglob("*.*")}


def test_the_catalogue_is_written(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One page for each tag, and an index."""
    told = call(capfd, "docs", "--tags", "--output", tmp_path)
    assert 0 == told.code
    assert "Limits a string to N characters." in (tmp_path / "maxLength.md").read_text(encoding="utf-8")
    assert (tmp_path / "README.md").is_file()


def test_a_tag_is_explained(capfd: pytest.CaptureFixture[str]) -> None:
    """`harness explain` shows a tag's page, and suggests one for a near miss."""
    assert "# `+k8s:maxLength=<non-negative integer>`" in call(capfd, "explain", "k8s:maxLength").out
    assert "k8s:maxLength" in call(capfd, "explain", "k8s:maxLenght").err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "no API is named"),
        (("--tags", "somewhere"), "use --tags alone"),
        (("--words", "somewhere"), "use --words alone"),
        (("--tags", "--words"), "use --tags alone"),
        (("nowhere",), "there is no nowhere"),
    ],
)
def test_bad_calls_get_a_message(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    """What to name, and what not to name together."""
    told = call(capfd, "docs", *arguments, "--output", tmp_path / "out")
    assert 2 == told.code
    assert words in told.err
    assert not (tmp_path / "out").exists()


def test_bad_types_are_told(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Where, what, why and how to fix; nothing is written."""
    told = call(capfd, "docs", write(tmp_path, TYPES.replace("63", "ten")), "--output", tmp_path / "out")
    assert 2 == told.code
    assert "types.go:4:5: tag-payload" in told.err
    assert not (tmp_path / "out").exists()


def test_a_place_that_cannot_be_written_is_told(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file stands where a folder is wanted."""
    place = write(tmp_path)
    told = call(capfd, "docs", place, "--output", place / "out")
    assert 2 == told.code
    assert "--output DIR" in told.err
