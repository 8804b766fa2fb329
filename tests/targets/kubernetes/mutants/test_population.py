"""Which functions have mutants, and how some are drawn."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from harness.targets.kubernetes.mutants.gomutant import GoMutant
from harness.targets.kubernetes.mutants.population import all_mutants, draw
from tests.targets.kubernetes.places import write

VALIDATION = """package validation

import (
	"k8s.io/kubernetes/pkg/helper"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validate"
)

func ValidateWidget(w *Widget) field.ErrorList {
	if w.Size > 3 || helper.IsLarge(w) || validate.Maximum(w) {
		return field.ErrorList{field.Invalid(field.NewPath("size"), w.Size, "")}
	}
	return apivalidation.ValidateName(w.Name)
}
"""
HELPER = """package helper

func IsLarge(w *Widget) bool { return size(w) > 10 }

func size(w *Widget) int { if w.Size > 20 { return 20 }; return w.Size }

func NotCalled(w *Widget) bool { return w.Size > 30 }
"""
SHARED = "package validate\n\nfunc Maximum(w *Widget) bool { return w.Size > 40 }\n"
NAMES = "package validation\n\nfunc ValidateName(name string) bool { return len(name) > 50 }\n"


def folders(tmp_path: Path) -> dict[str, Path]:
    """Two modules: validators, and what they call."""
    write(
        tmp_path,
        {
            "k/pkg/apis/widgets/validation/validation.go": VALIDATION,
            "k/pkg/apis/widgets/validation/validation_test.go": VALIDATION,
            "k/pkg/apis/widgets/validation/zz_generated.go": VALIDATION,
            "k/pkg/apis/gadgets/validation/validation.go": VALIDATION.replace("Widget", "Gadget"),
            "k/pkg/helper/helper.go": HELPER,
            "m/pkg/api/validate/limits.go": SHARED,
            "m/pkg/api/validation/names.go": NAMES,
        },
    )
    return {"k8s.io/kubernetes": tmp_path / "k", "k8s.io/apimachinery": tmp_path / "m"}


def test_validators_and_what_they_call_have_mutants(tmp_path: Path) -> None:
    """Through functions of the same package too; what both sides of the comparison share has none, nor have tests."""
    found = all_mutants(folders(tmp_path))
    assert {"ValidateWidget", "ValidateGadget", "IsLarge", "size", "ValidateName"} == {one.function for one in found}
    assert {"validation.go", "helper.go", "names.go"} == {one.file.rpartition("/")[2] for one in found}
    assert len(found) == len({one.name for one in found})


def test_a_draw_goes_over_operators_and_packages(tmp_path: Path) -> None:
    """Each has its turn before one has a second, and a smaller draw is the beginning of a larger one."""
    found = all_mutants(folders(tmp_path))
    operators = {one.operator for one in found}
    first = draw(found, len(operators), 1)
    assert operators == {one.operator for one in first}
    limits = [one.package for one in draw(found, len(found), 1) if one.operator == "limit"]
    assert 1 == max(Counter(limits[: len(set(limits))]).values())
    assert first == draw(found, 2 * len(operators), 1)[: len(operators)]
    assert sorted(found) == sorted(draw(found, 10 * len(found), 1))


def test_a_draw_depends_on_the_seed_alone(tmp_path: Path) -> None:
    """Not on the order in which mutants were found."""
    found = all_mutants(folders(tmp_path))
    assert names(draw(found, 9, 1)) == names(draw(list(found), 9, 1))
    assert names(draw(found, 9, 1)) != names(draw(found, 9, 2))


def names(mutants: list[GoMutant]) -> list[str]:
    """Their names, in order."""
    return [one.name for one in mutants]
