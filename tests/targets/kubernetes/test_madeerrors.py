"""The constructors of errors of a release get a hook, or the file is left as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.targets.kubernetes.build import OVERLAY, write_sources
from harness.targets.kubernetes.madeerrors import ERRORS, MADE_ERRORS, tell_made_errors
from harness.targets.kubernetes.release import find_release, find_toolchain

CONSTRUCTOR = """
func Made{number}(field *Path, value any) *Error {{
	return &Error{{
		Type:     ErrorTypeInvalid,
		BadValue: value,
	}}
}}
"""


def write(folder: Path, text: str) -> Path:
    """Write the file of constructors into a module."""
    file = folder / ERRORS
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return folder


def constructors(count: int) -> str:
    """Write a package with so many constructors."""
    return "package field\n" + "".join(CONSTRUCTOR.format(number=number) for number in range(count))


def test_every_constructor_tells_of_its_error(tmp_path: Path) -> None:
    """And every line stays where it is, so that stacks name the lines of the release."""
    text = constructors(13) + "\nfunc Other() *Path {\n\treturn &Path{}\n}\n"
    hooked = tell_made_errors(write(tmp_path, text)).decode()
    assert 13 == hooked.count("return harnessMade(&Error{")
    assert 13 == hooked.count("\t})\n}\n")
    assert "return &Path{}" in hooked
    before, after = text.splitlines(), hooked.splitlines()
    assert [line.replace("harnessMade(", "").replace("})", "}") for line in after[: len(before)]] == before


@pytest.mark.parametrize(
    "text",
    [
        "",
        constructors(3),
        constructors(13) + "\nfunc {",
        constructors(13) + "\nvar harnessMade = 1\n",
        constructors(13).replace("&Error{", "newError{"),
    ],
)
def test_a_file_of_another_form_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    """A worker without traces is better than none."""
    assert b"" == tell_made_errors(write(tmp_path, text))
    assert b"" == tell_made_errors(tmp_path / "nowhere")


@pytest.mark.kubernetes
@pytest.mark.parametrize("release", ["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def test_the_constructors_of_a_release_are_found(release: str, tmp_path: Path) -> None:
    """All thirteen of them, and the worker is connected to the hook."""
    write_sources(tmp_path, find_release(release), find_toolchain())
    hooked = next((tmp_path / "hooked").rglob("errors.go")).read_text(encoding="utf-8")
    assert 13 == hooked.count("return harnessMade(&Error{")
    assert "return &Error{" not in hooked
    assert MADE_ERRORS.connection == (tmp_path / "hook_apimachinery.go").read_text(encoding="utf-8")
    assert ERRORS in (tmp_path / OVERLAY).read_text(encoding="utf-8")
