"""Which functions are near marked rules: by the mark itself, by an option that sets it, by a caller that sets it."""

from __future__ import annotations

from pathlib import Path

from harness.targets.kubernetes.mutants.marks import near_marks
from harness.targets.kubernetes.mutants.population import all_mutants
from tests.targets.kubernetes.places import write

VALIDATION = """package validation

import (
	"k8s.io/kubernetes/pkg/helper"
)

func validateMarked(size int) field.ErrorList {
	if size > 1 {
		return field.ErrorList{field.Invalid(path, size, "").WithOrigin("maximum").MarkCoveredByDeclarative()}
	}
	return nil
}

func validateCaller(size int) field.ErrorList {
	errs := helper.ValidateSize(size, path).WithOrigin("maximum").MarkCoveredByDeclarative()
	return append(errs, validateOwn(size).MarkAlpha().MarkCoveredByDeclarative()...)
}

func validateOwn(size int) field.ErrorList { if size > 2 { return errs }; return nil }

func validateItems(items []int) field.ErrorList {
	if len(items) > 3 {
		return validateSlice(items, sizeCovered)
	}
	return nil
}

func validateOther(size int) field.ErrorList { if size > 4 { return helper.ValidateOther(size) }; return nil }
"""
HELPER = """package helper

func ValidateSize(size int, path *field.Path) field.ErrorList { if size > 5 { return errs }; return nil }

func ValidateOther(size int) field.ErrorList { if size > 6 { return errs }; return nil }
"""


def test_functions_near_marks(tmp_path: Path) -> None:
    """Those of other packages too; a function without a mark, that no caller marks, is left out."""
    write(tmp_path, {"k/pkg/apis/widgets/validation/validation.go": VALIDATION, "k/pkg/helper/helper.go": HELPER})
    folders = {"k8s.io/kubernetes": tmp_path / "k", "k8s.io/apimachinery": tmp_path / "m"}
    found = all_mutants(folders)
    near = near_marks(found, folders)
    assert {"validateMarked", "validateCaller", "validateOwn", "validateItems", "ValidateSize"} == {
        one.function for one in near
    }
    assert {"validateOther", "ValidateOther"} == {one.function for one in found} - {one.function for one in near}
