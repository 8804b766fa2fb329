"""Every operator edits a validator of our own; the edits compile, and each changes what its operator names."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.mutants.gomutant import ENVIRONMENT, SWITCH, GoMutant, find_mutants, write_file
from harness.targets.kubernetes.mutants.operators import OPERATORS
from harness.targets.kubernetes.mutants.program import copies_of, switch_file
from harness.targets.kubernetes.release import find_toolchain

WIDGETS = Path(__file__).parent / "widgets"
FILE = "validation/validation.go"
SOURCE = (WIDGETS / FILE).read_bytes()
FOUND = [one for own in find_mutants("example.com/widgets", FILE, SOURCE).values() for one in own]
NUMBERED = dict(enumerate(FOUND, 1))
FINE = {"Name": "a", "Size": 5, "Tags": ["x"]}
PARTS = [{"Name": "a", "Size": 1, "Zone": "x"}, {"Name": "b", "Size": 2, "Zone": "x"}]


def entries() -> dict[str, int]:
    """The probes at the entry of each function."""
    return {one.function: len(FOUND) + number for number, one in NUMBERED.items()}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The widgets with all mutants, built with an overlay: their folder is not changed."""
    folder = tmp_path_factory.mktemp("widgets")
    shutil.copytree(WIDGETS, folder, dirs_exist_ok=True)
    (folder / "mutated.go.txt").write_bytes(write_file(SOURCE, NUMBERED, f"example.com/widgets/{SWITCH}", entries()))
    (folder / "switch.go.txt").write_bytes(switch_file(2 * len(FOUND) + 1))
    replaced = {FILE: "mutated.go.txt", f"{SWITCH}/{SWITCH}.go": "switch.go.txt"}
    overlay = {str(folder / name): str(folder / text) for name, text in replaced.items()}
    (folder / "overlay.json").write_text(json.dumps({"Replace": overlay}), encoding="utf-8")
    command = [str(find_toolchain().go), "build", "-overlay=overlay.json", "-o", "program", "."]
    done = subprocess.run(command, cwd=folder, env=go_environment(), capture_output=True, text=True, check=False)
    assert "" == done.stderr
    return folder / "program"


def run(program: Path, number: int, new: Any, old: Any = None, **more: Any) -> tuple[str, set[int]]:
    """Validate a widget with one mutant. Returns: the errors, and the probes that were reached."""
    done = subprocess.run(
        [str(program)], input=json.dumps({"New": new, "Old": old, **more}), capture_output=True, text=True, check=True,
        env={**os.environ, ENVIRONMENT: str(number)},
    )  # fmt: skip
    errors, probes = done.stdout.splitlines()
    return errors[1:-1], {int(word) for word in probes.strip("[]").split()}


SIZE = 'field.Invalid(field.NewPath("size"), w.Size, "").WithOrigin("maximum")'
CASES: tuple[tuple[str, str, str, dict[str, Any], str, str], ...] = (
    ("limit", "maxSize", "(maxSize + 1)", {"new": FINE | {"Size": 11}}, "Invalid size maximum", ""),
    ("limit", "maxSize", "(maxSize - 1)", {"new": FINE | {"Size": 10}}, "", "Invalid size maximum"),
    ("comparison", "w.Size > maxSize", "w.Size >= maxSize", {"new": FINE | {"Size": 10}}, "", "Invalid size maximum"),
    ("uniqueness key", "seen.Insert(part.Name)", "_ = part.Name", {"new": FINE | {"Parts": PARTS[:1] * 2}},
     "Duplicate parts[1].name", ""),
    ("ratcheting", "w.Size != old.Size", "(true || w.Size != old.Size)",
     {"new": FINE | {"Size": 1}, "old": FINE | {"Size": 1}}, "", "Invalid small"),
    ("correlation", "i", "0*i", {"new": FINE | {"Parts": PARTS}, "old": FINE | {"Parts": PARTS}}, "",
     "Invalid parts[1]"),
    ("subresource", 'errs = append(errs, field.Invalid(field.NewPath("status"), w.Size, ""))',
     '_ = append(errs, field.Invalid(field.NewPath("status"), w.Size, ""))',
     {"new": FINE | {"Size": -1}, "old": FINE, "Status": True}, "Invalid status", ""),
    ("option", "opts.AllowEmptyName", "(!opts.AllowEmptyName)", {"new": FINE | {"Name": ""}},
     "Required name covered", ""),
    ("create only", "ValidateWidget(w, opts)", "ValidateWidget(w, opts)[:0]",
     {"new": FINE | {"Size": 11}, "old": FINE | {"Size": 11}}, "Invalid size maximum", ""),
    ("origin", '"maximum"', '"maximum-other"', {"new": FINE | {"Size": 11}}, "Invalid size maximum",
     "Invalid size maximum-other"),
    ("origin", SIZE, SIZE.removesuffix('.WithOrigin("maximum")'), {"new": FINE | {"Size": 11}},
     "Invalid size maximum", "Invalid size"),
    ("path", '"name"', '"nameOther"', {"new": FINE | {"Parts": PARTS[:1] * 2}}, "Duplicate parts[1].name",
     "Duplicate parts[1].nameOther"),
    ("path", "i", "0*i", {"new": FINE | {"Parts": PARTS[:1] * 2}}, "Duplicate parts[1].name",
     "Duplicate parts[0].name"),
    ("mark removed", 'field.Required(field.NewPath("name"), "").MarkCoveredByDeclarative()',
     'field.Required(field.NewPath("name"), "")', {"new": FINE | {"Name": ""}}, "Required name covered",
     "Required name"),
    ("mark added", 'field.Duplicate(c.path.Index(i).Child("name"), part.Name)',
     'field.Duplicate(c.path.Index(i).Child("name"), part.Name).MarkCoveredByDeclarative()',
     {"new": FINE | {"Parts": PARTS[:1] * 2}}, "Duplicate parts[1].name", "Duplicate parts[1].name covered"),
    ("nil or empty", "len(w.Tags) == 0", "w.Tags == nil", {"new": FINE | {"Tags": []}}, "Required tags", ""),
)  # fmt: skip


@pytest.mark.parametrize(
    ("operator", "before", "after", "given", "usual", "mutated"), CASES, ids=lambda value: str(value)[:30]
)
def test_an_edit_does_what_its_operator_names(
    program: Path, operator: str, before: str, after: str, given: dict[str, Any], usual: str, mutated: str
) -> None:
    """The unmutated program and all other mutants are as before; the statement is told as reached."""
    chosen = [
        number for number, one in NUMBERED.items()
        if (one.operator, one.before, one.edit[2]) == (operator, before, after)
    ]  # fmt: skip
    assert (usual, set()) == run(program, 0, **given)
    answers = {number: run(program, number, **given) for number in chosen}
    assert mutated in {errors for errors, _ in answers.values()}
    assert all(number in probes for number, (errors, probes) in answers.items() if errors == mutated)


def test_every_operator_has_a_case() -> None:
    """So that a new operator is seen to do what it says."""
    assert {one.name for one in OPERATORS} == {operator for operator, *_ in CASES}
    assert {one.name for one in OPERATORS} == {one.operator for one in FOUND}


def test_all_probes_tell_in_a_process_that_traces(program: Path) -> None:
    """Which functions are entered, and which edited statements run."""
    errors, probes = run(program, -1, FINE)
    names = {name for name, probe in entries().items() if probe in probes}
    assert ("", {"ValidateWidget", "validateParts"}) == (errors, names)
    reached = {one.line for number, one in NUMBERED.items() if number in probes}
    assert {line_of("w.Size > maxSize")} <= reached
    assert line_of('field.Required(field.NewPath("tags")') not in reached


def line_of(text: str) -> int:
    """The line of the validators that has a text."""
    return SOURCE[: SOURCE.index(text.encode())].count(b"\n") + 1


def test_lines_stay_where_they_are() -> None:
    """Copies follow the last line, so that messages of the compiler and stacks name lines of the release."""
    written = write_file(SOURCE, NUMBERED, "x/y", entries()).decode().splitlines()
    for before, after in zip(SOURCE.decode().splitlines(), written, strict=False):
        assert re.split("{|//", before)[0].strip() in after


def test_the_copy_of_a_message_of_the_compiler_is_found() -> None:
    """By the lines of the copies, one for each mutant."""
    written = write_file(SOURCE, NUMBERED, "x/y", entries())
    spans = dict(copies_of(FILE, written))
    assert set(NUMBERED) == set(spans)
    lines = written.decode().splitlines()
    assert all(f"__mutant{number}" in lines[first - 1] for number, (first, _) in spans.items())


def test_a_function_that_cannot_pass_its_arguments_on_has_no_mutants() -> None:
    """Its parameters have no names."""
    assert not [one for one in FOUND if one.function == "unnamed"]
    assert [one for one in FOUND if one.function == "sizes"]


def test_a_file_that_cannot_be_read_has_no_mutants() -> None:
    """The compiler will say what is wrong with it."""
    assert {} == find_mutants("m", "a.go", b"package a\nfunc f() { if }\n")


def test_names_have_no_lines() -> None:
    """A name is stable while the function stays, and says what was changed."""
    one: GoMutant = next(one for one in FOUND if one.operator == "limit")
    assert f"handwritten validation.{one.function}: limit: {one.before} → {one.edit[2]}" == one.name
    assert f"{FILE}:{one.line}" == one.location
