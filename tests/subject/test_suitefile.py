"""Reading suite.py: every mistake in it becomes a diagnostic with its position and a fix."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.diagnostics import Diagnostic, InputError
from harness.subject.description import load_suite
from harness.suite import KubernetesSuite, Suite

GOOD = """from harness.suite import Suite, SuiteKind
from .handwritten import validate

SUITE = Suite("good", "example.com", [SuiteKind("Thing", "things", {"v1": "types.go"}, validate)])
"""
HANDWRITTEN = "def validate(new, old, context):\n    return []\n"


def write(folder: Path, suite: str, handwritten: str = HANDWRITTEN) -> Path:
    """Write a suite folder."""
    folder.mkdir(exist_ok=True)
    (folder / "suite.py").write_text(suite)
    (folder / "handwritten.py").write_text(handwritten)
    (folder / "types.go").write_text("package v1\n")
    return folder


def diagnostics_of(folder: Path) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a suite with mistakes."""
    with pytest.raises(InputError) as caught:
        load_suite(folder)
    return caught.value.diagnostics


def test_a_good_suite_is_read(tmp_path: Path) -> None:
    """The suite has its folder, and imports other files of it relatively."""
    suite = load_suite(write(tmp_path / "good", GOOD))
    assert isinstance(suite, Suite)
    assert ("good", tmp_path / "good") == (suite.name, suite.folder)


def test_two_suites_have_their_own_modules(tmp_path: Path) -> None:
    """The handwritten.py of each folder is a module of its own, and none is imported as `handwritten`."""
    one = load_suite(write(tmp_path / "one", GOOD))
    two = load_suite(write(tmp_path / "two", GOOD))
    assert isinstance(one, Suite)
    assert isinstance(two, Suite)
    assert one.kinds[0].handwritten is not two.kinds[0].handwritten
    assert "handwritten" not in sys.modules


def test_a_suite_is_read_again_at_each_call(tmp_path: Path) -> None:
    """An edit takes effect at the next call in the same process."""
    load_suite(write(tmp_path / "good", GOOD))
    suite = load_suite(write(tmp_path / "good", GOOD.replace('"good"', '"other name"')))
    assert suite.name == "other name"


def test_a_suite_of_kubernetes_is_read(tmp_path: Path) -> None:
    """A suite may be a release."""
    text = 'from harness.suite import KubernetesSuite\nSUITE = KubernetesSuite("1.37.1", {"A": True})\n'
    assert KubernetesSuite("1.37.1", {"A": True}) == load_suite(write(tmp_path / "k", text))


@pytest.mark.parametrize(
    ("suite", "line", "code", "words"),
    [
        ("SUITE = (\n", 1, "suite-syntax", "not Python"),
        ("\nimport nothing_of_the_kind\n", 2, "suite-import", "ModuleNotFoundError"),
        ("\n\n1 / 0\n", 3, "suite-import", "ZeroDivisionError"),
        ("raise SystemExit(3)\n", 1, "suite-import", "SystemExit: 3"),
        ("SUIT = 3\n", 0, "suite-missing", "SUITE is not defined"),
        ("\nSUITE = 3\n", 2, "suite-missing", "SUITE is int, not Suite"),
        ("from harness.suite import Suite\nSUITE = Suite('x', 'y', [])\n", 2, "suite-empty", "no kinds"),
        ("from harness.suite import Suite\nSUITE = Suite('x', 'y', [3])\n", 2, "suite-kind", "type int, not SuiteKind"),
        (GOOD.replace("validate)", "3)"), 4, "suite-kind", "handwritten cannot be called: it is int"),
        (GOOD.replace("])", "], allow_incomplete='things')"), 4, "suite-kind", "it must be a list of patterns"),
        (GOOD.replace("validate)", "validate, prepare=3)"), 4, "suite-kind", "prepare cannot be called"),
        (GOOD.replace("types.go", "type.go"), 4, "suite-kind", "the types of v1, type.go, do not exist"),
        (GOOD.replace('{"v1": "types.go"}', "{}"), 4, "suite-kind", "no versions"),
        (GOOD.replace('"v1":', '"v2": "types.go", "v1":'), 4, "suite-kind", "conversion ('v2', 'v1') is missing"),
        (GOOD.replace("validate)", "validate, 'v11')"), 4, "suite-kind", "did you mean v1?"),
        (GOOD.replace("validate)", "validate, root=False)"), 4, "suite-kind", "root is False, and it has no"),
        (GOOD.replace("validate)", "validate, defaults={'v2': max})"), 4, "suite-kind", "not one of its versions"),
        (
            GOOD.replace("validate)", "validate, subresources=['status'], operations={'statu': ()})"),
            4, "suite-kind", "did you mean status?",
        ),
    ],
)  # fmt: skip
def test_a_mistake_has_a_position(tmp_path: Path, suite: str, line: int, code: str, words: str) -> None:
    """Each mistake gives one diagnostic with the line of suite.py, and no traceback."""
    found = diagnostics_of(write(tmp_path / "bad", suite))[0]
    assert (str(tmp_path / "bad" / "suite.py"), line, code) == (found.position.file, found.position.line, found.code)
    assert words in found.message


def test_a_mistake_in_an_imported_file_has_its_position(tmp_path: Path) -> None:
    """The position is the line of the suite that failed, in any of its files."""
    [found] = diagnostics_of(write(tmp_path / "bad", GOOD, "X = 1\nY = X.no_such_thing\n"))
    assert (tmp_path / "bad" / "handwritten.py", 2) == (Path(found.position.file), found.position.line)
    assert found.source == "Y = X.no_such_thing"


def test_an_absolute_import_of_a_file_of_the_suite_is_explained(tmp_path: Path) -> None:
    """The fix for `from handwritten import` is a relative import."""
    [found] = diagnostics_of(write(tmp_path / "bad", GOOD.replace(".handwritten", "handwritten")))
    assert "from .handwritten import validate" in found.fix


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    """Two mistakes give two diagnostics."""
    text = GOOD.replace("types.go", "type.go").replace("validate)", "3)")
    assert len(diagnostics_of(write(tmp_path / "bad", text))) == 2


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_a_folder_without_a_suite_is_explained(tmp_path: Path, name: str) -> None:
    """The fix names the files of a suite."""
    [found] = diagnostics_of(tmp_path / name)
    assert found.code == "suite-missing"
    assert "types.go, handwritten.py and suite.py" in found.fix
