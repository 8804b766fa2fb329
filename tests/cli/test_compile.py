"""`harness compile`: source that a person can read, and that runs without types and compiler."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.cli import compile as compile_command
from harness.diagnostics import Position
from harness.openapi.keeping import TagFate
from tests.cli.fakes import call

SUITE = Path(__file__).parents[2] / "suites" / "workload_v1"
WIDGET = """package v1

// +k8s:validation-gen=true
type Widget struct {
	// +k8s:optional
	// +k8s:maxLength=3
	// +k8s:customValidation
	Name string `json:"name"`
}
"""
ALONE = """
import sys
sys.modules["harness.compiler"] = None
import widget
from harness.case import Operation
from harness.field import Path
validate, paths = widget.ROOTS["Widget"]
errors = validate(Operation.CREATE, Path(), {"name": "four"}, None, {})
print(sorted(paths), [(e.field, str(e.detail)) for e in errors])
"""
CUSTOM = """
from harness.field.make import invalid

def ValidateCustom_Widget_Name(operation, path, new, old):
    return [invalid(path, new, "is a name")]
"""


def types(folder: Path, go: str = WIDGET) -> Path:
    """Write types.go."""
    (folder / "v1").mkdir()
    (folder / "v1" / "types.go").write_text(go, encoding="utf-8")
    return folder / "v1"


def test_one_package_is_printed(capfd: Any) -> None:
    """With its root types at the end."""
    told = call(capfd, "compile", SUITE)
    assert (0, "") == (told.code, told.err)
    assert '"Workload": (validate_Workload, {"/", "/pause", "/status"}),\n}\n' in told.out


def test_what_is_written_runs_alone(capfd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process that cannot import the compiler, with the handwritten function of a module that is named."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "written_by_hand.py").write_text(CUSTOM, encoding="utf-8")
    told = call(capfd, "compile", types(tmp_path), "--custom", "written_by_hand")
    assert (0, "") == (told.code, told.err)
    (tmp_path / "widget.py").write_text(told.out, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    expected = "['/'] [('name', 'is a name'), ('name', 'may not be more than 3 characters')]"
    assert expected == done.stdout.strip(), done.stderr


def test_a_handwritten_function_that_is_missing_is_named(capfd: Any, tmp_path: Path) -> None:
    """With what to write; a module that cannot be imported is no traceback."""
    place = types(tmp_path)
    told = call(capfd, "compile", place)
    assert 2 == told.code
    assert "custom-missing: ValidateCustom_Widget_Name is handwritten in Go" in told.err
    told = call(capfd, "compile", place, "--custom", "no.such.module")
    assert (2, True) == (told.code, "cannot be imported" in told.err)


def test_a_dash_is_standard_output(capfd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One package fits there; several do not, and no folder of that name is made."""
    monkeypatch.chdir(tmp_path)
    assert call(capfd, "compile", SUITE).out == call(capfd, "compile", SUITE, "--output", "-").out
    for name in ("v1", "v2"):
        (tmp_path / "api" / name).mkdir(parents=True)
        go = WIDGET.replace("\t// +k8s:customValidation\n", "").replace("v1", name)
        (tmp_path / "api" / name / "types.go").write_text(go, encoding="utf-8")
    told = call(capfd, "compile", tmp_path / "api", "--output", "-")
    assert (2, "", True) == (told.code, told.out, "2 packages have rules" in told.err)
    assert ["api"] == [path.name for path in tmp_path.iterdir()]


def test_several_packages_want_a_folder(capfd: Any, tmp_path: Path) -> None:
    """One file each, named by the part of the path that differs; all diagnostics of all packages at once."""
    for name in ("v1", "v2"):
        (tmp_path / "api" / name).mkdir(parents=True)
        go = WIDGET.replace("\t// +k8s:customValidation\n", "").replace("v1", name)
        (tmp_path / "api" / name / "types.go").write_text(go, encoding="utf-8")
    told = call(capfd, "compile", tmp_path / "api")
    assert (2, True) == (told.code, "--output DIR" in told.err)
    told = call(capfd, "compile", tmp_path / "api", "--output", tmp_path / "out")
    assert (0, {"v1.py", "v2.py"}) == (told.code, {path.name for path in (tmp_path / "out").iterdir()})
    for name in ("v1", "v2"):
        (tmp_path / "api" / name / "types.go").write_text(WIDGET.replace("=3", "=three"), encoding="utf-8")
    told = call(capfd, "compile", tmp_path / "api", "--output", tmp_path / "out")
    assert (2, 2) == (told.code, told.err.count("tag-payload"))


def test_a_folder_that_cannot_be_written_is_exit_code_2(capfd: Any, tmp_path: Path) -> None:
    """With what to do."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    told = call(capfd, "compile", SUITE, "--output", tmp_path / "file" / "below")
    assert (2, True) == (told.code, "cannot write" in told.err)


def test_types_become_crds(capfd: Any, tmp_path: Path) -> None:
    """With what the schema does not say of a tag on standard error, where it stands and what to do."""
    told = call(capfd, "compile", types(tmp_path), "--to", "crd")
    (crd,) = yaml.safe_load_all(told.out)
    assert 0 == told.code
    assert 3 == crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["name"]["maxLength"]
    assert "types.go:7:5: schema-lost: +k8s:customValidation of Widget.name is left out" in told.err
    assert "fix: write it in CEL by hand" in told.err


def test_types_become_openapi(capfd: Any, tmp_path: Path) -> None:
    """A document for each group and version, with its root types."""
    told = call(capfd, "compile", types(tmp_path), "--to", "openapi", "--output", tmp_path / "out")
    (file,) = (tmp_path / "out").iterdir()
    document = yaml.safe_load(file.read_text())
    assert (0, ["Widget"]) == (told.code, list(document["components"]["schemas"]))
    assert "written: 1 file" in told.out
    assert "1 tag left out" in told.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("--to", "crd", "--custom", "x"), "leave --custom out"), (("--option", "A=true"), "leave --option out")],
)
def test_options_of_the_other_language_are_refused(
    capfd: Any, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    """Instead of being ignored."""
    told = call(capfd, "compile", types(tmp_path), *arguments)
    assert 2 == told.code
    assert words in told.err


def test_a_generator_is_compared_with_the_tags(capfd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table by tag, and each tag that is not kept on standard error; nothing is written."""
    fates = [
        TagFate("k8s:maxLength", "beta", "Widget.name", Position("types.go", 6, 5), "dropped", "nothing of it"),
        TagFate("k8s:maxItems", "", "Widget.names", Position("types.go", 9, 5), "kept"),
    ]
    monkeypatch.setattr(compile_command, "what_is_kept", lambda *given: fates)
    place = types(tmp_path)
    told = call(capfd, "compile", place, "--generator", "controller-gen")
    rows = [line.split() for line in told.out.splitlines()]
    assert [["tag", "kept", "changed", "dropped"], ["+k8s:maxItems", "1", "0", "0"]] == rows[:2]
    assert ["all", "1", "0", "1"] == rows[-1]
    assert (0, True) == (told.code, "(level beta) is dropped by controller-gen" in told.err)
    told = call(capfd, "compile", place, "--generator", "controller-gen", "--output", tmp_path)
    assert (2, True) == (told.code, "writes no files" in told.err)
