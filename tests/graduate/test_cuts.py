"""Checks are cut out of a small checkout, in each form that is read; what cannot be cut out has its reason."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness.graduate.cuts import CutFiles, ReportedAt
from harness.graduate.program import run_program
from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.release import find_toolchain
from tests.graduate.toycheckout import line_of, toy_checkout
from tests.graduate.toyrelease import build_program
from tests.verify.mini import VALIDATION

pytestmark = pytest.mark.kubernetes
PORT = ReportedAt("fleet.Ship", "spec.port")
REQUIRED = 'field.Required(fldPath.Child("port")'
TOO_LONG = 'field.TooLong(fldPath.Child("port")'
WHOLE = """	if len(spec.Port) == 0 {
		allErrs = append(allErrs, field.Required(fldPath.Child("port"), "").MarkCoveredByDeclarative())
	} else if len(spec.Port) > maxPort {
		allErrs = append(allErrs, field.TooLong(fldPath.Child("port"), "", maxPort).MarkCoveredByDeclarative())
	}
"""
HELPER = """
func short(value string, fldPath *field.Path) field.ErrorList {
	var allErrs field.ErrorList
	if len(value) > maxPort {
		allErrs = append(allErrs, field.TooLong(fldPath, "", maxPort))
	}
	return allErrs
}
"""
CALL = '	allErrs = append(allErrs, short(spec.Port, fldPath.Child("port")).MarkCoveredByDeclarative()...)\n'
END = "\nfunc validateCrates("


GUARDED = f"	if spec.Crew != nil {{\n	{CALL}	}}\n"
SWITCH = """	switch spec.Port {
	case "a":
		allErrs = nil
	default:
		allErrs = append(allErrs, field.Required(fldPath.Child("port"), "").MarkCoveredByDeclarative())
	}
"""
WITH_PATH = """	at := fldPath.Child("port")
	// A ship needs a port.
	if spec.Port == "" {
		allErrs = append(allErrs, field.Required(at, "").MarkCoveredByDeclarative())
	}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that reads sources."""
    return build_program(tmp_path_factory.mktemp("lowering"))


def cut(program: Path, top: Path, *words: str) -> CutFiles:
    """Cut out the checks on the first lines with these words, and compile what is left."""
    calls = [{"calls": [line_of(top, one)]} for one in words]
    request = {"go": str(find_toolchain().go), "folder": str(top), "checks": calls}
    [found] = run_program(program, request, CutFiles)
    for path, text in found.files.items():
        Path(path).write_text(text, encoding="utf-8")
    subprocess.run(
        [find_toolchain().go, "build", "./pkg/apis/fleet/validation"], cwd=top, env=go_environment(), check=True
    )
    return found


def left(found: CutFiles) -> str:
    """Return the one file that was cut."""
    [text] = found.files.values()
    return text


@pytest.mark.parametrize(
    ("edit", "words", "gone", "kept"),
    [
        (None, (REQUIRED,), "len(spec.Port) == 0", "if len(spec.Port) != 0 && len(spec.Port) > maxPort {"),
        (None, (TOO_LONG,), "else if", "if len(spec.Port) == 0 {"),
        (None, (REQUIRED, TOO_LONG), "spec.Port", "validateCrates(spec.Cargo"),
        ((WHOLE, CALL), ("short(spec.Port",), "short(spec.Port", "func short("),
        ((WHOLE, GUARDED), ("short(spec.Port",), "short(spec.Port", "if spec.Crew != nil && *spec.Crew < 0 {"),
        ((WHOLE, SWITCH), (REQUIRED,), "default:", "switch spec.Port {"),
        ((WHOLE, WITH_PATH), ("field.Required(at",), "A ship needs a port", "validateCrates(spec.Cargo"),
    ],
)  # fmt: skip
def test_a_check_of_one_statement_is_cut_out(
    program: Path, tmp_path: Path, edit: tuple[str, str] | None, words: tuple[str, ...], gone: str, kept: str
) -> None:
    """With the branch that it leaves empty, and the variables and comments that were its own."""
    more = ((END, HELPER + END),)
    found = cut(program, toy_checkout(tmp_path, *more, *([edit] if edit else [])), *words)
    assert [(("", (PORT,))) for _ in words] == [(one.problem, one.reports) for one in found.checks]
    assert (False, True) == (gone in left(found), kept in left(found))


UNMARKED = WHOLE.replace(".MarkCoveredByDeclarative()", "")
LONGER = WHOLE.replace("	} else if", "		spec.Crew = nil\n	} else if")
LOOP = f"	for range spec.Cargo {{\n	{CALL}	}}\n"
ASKED = WHOLE.replace("len(spec.Port) == 0", "notNegative(0, fldPath) == nil")
MADE_PATH = WHOLE.replace('Child("port"), ""', 'Child(spec.Port), ""')
TWO = HELPER.replace("	if len(", '	allErrs = append(allErrs, field.Required(fldPath, ""))\n	if len(')
RETURNED = HELPER.replace("	return allErrs", "	return append(allErrs, short(value[1:], fldPath)...)")


@pytest.mark.parametrize(
    ("edit", "words", "reason"),
    [
        ((WHOLE, UNMARKED), REQUIRED, "no single statement appends its error and marks it as covered"),
        ((WHOLE, LONGER), REQUIRED, "its check has several statements"),
        ((WHOLE, LOOP), "short(spec.Port", "it is made in a loop"),
        ((WHOLE, ASKED), REQUIRED, "its condition calls notNegative(), which may do more"),
        ((WHOLE, MADE_PATH), "field.Required(fldPath", "the path of its error is not read"),
        ((f"{HELPER}{END}", f"{TWO}{END}"), "short(spec.Port", "short reports several errors"),
        ((f"{HELPER}{END}", f"{RETURNED}{END}"), "short(spec.Port", "short reports several errors"),
    ],
)
def test_what_cannot_be_cut_out_is_told_with_its_reason(
    program: Path, tmp_path: Path, edit: tuple[str, str], words: str, reason: str
) -> None:
    """And its file stays as it was."""
    first = (WHOLE, CALL) if edit[0] != WHOLE else (END, HELPER + END)
    more = ((END, HELPER + END),) if edit[0] != WHOLE else ()
    top = toy_checkout(tmp_path, first, *more, edit)
    before = (top / VALIDATION).read_text(encoding="utf-8")
    found = cut(program, top, words)
    assert [reason] == [one.problem for one in found.checks]
    assert before == (top / VALIDATION).read_text(encoding="utf-8")


def test_a_variable_that_is_assigned_elsewhere_keeps_its_check(program: Path, tmp_path: Path) -> None:
    """Without the check it is assigned and not used, which does not compile."""
    counted = """	long := false
	for range spec.Cargo {
		long = true
	}
	if long {
		allErrs = append(allErrs, field.Required(fldPath.Child("port"), "").MarkCoveredByDeclarative())
	}
"""
    [check] = cut(program, toy_checkout(tmp_path, (WHOLE, counted)), REQUIRED).checks
    assert check.problem.startswith("without it the package does not compile"), check


def test_a_check_that_several_fields_share_reports_for_all_of_them(program: Path, tmp_path: Path) -> None:
    """The statement of a helper is followed up to each kind and path."""
    helper = (
        '	if value < 0 {\n		return field.ErrorList{field.Invalid(fldPath, value, "must not be negative")}\n	}\n'
        "	return nil\n",
        "	var allErrs field.ErrorList\n	if value < 0 {\n		allErrs = append(allErrs, "
        'field.Invalid(fldPath, value, "must not be negative").MarkCoveredByDeclarative())\n	}\n	return allErrs\n',
    )
    found = cut(program, toy_checkout(tmp_path, helper), "allErrs = append(allErrs, field.Invalid(fldPath, value")
    places = (ReportedAt("fleet.Harbour", "stored[*].weight"), ReportedAt("fleet.Ship", "spec.cargo[*].weight"))
    assert [places] == [one.reports for one in found.checks]
