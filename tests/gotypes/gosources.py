"""Go sources that tests of branches and calls read."""

from __future__ import annotations

from harness.gotypes.branches import GoSource

BRANCHING = b"""package validation

import (
	other "example.com/other/validation"
	"example.com/field"
)

var validateName = other.ValidateName

func validate(spec, oldSpec *Spec, fldPath *field.Path) (errs field.ErrorList) {
	hasFirst, count := len(spec.First) > 0, 0
	if hasFirst {
		count++
	}
	switch {
	case count > 1:
		errs = append(errs, field.Invalid(fldPath, nil, ""))
	case hasFirst:
		errs = append(errs, validateEach(spec.First, func(one string) field.ErrorList {
			return validateName(one, fldPath)
		}, fldPath.Child("first", "inner").Index(0))...)
	}
	if len(errs) > 0 {
		return errs
	}
	if spec.A != nil {
		errs = append(errs, other.ValidateName(*spec.A, fldPath.Child("a"))...)
	} else if oldSpec == nil {
		errs = append(errs, validateBoth(spec, fldPath.Child("a"), fldPath.Child("b")), field.Required(fldPath, ""))
	} else {
		errs = append(errs, field.Forbidden(fldPath, ""))
	}
	return errs
}
"""
SOURCE = GoSource(BRANCHING)
CHECKS = b"""package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	other "example.com/field"
)

func validate(spec *Spec, fldPath *field.Path) (errs field.ErrorList) {
	if spec.A == nil { // no need
		errs = append(errs, field.Required(fldPath.Child("a"), ""))
	}
	if spec.B {
		return errs
	}
	errs = append(errs, field.Invalid(fldPath.Child("b", "c").Index(0), 1, ""), other.Invalid(fldPath, 1, ""))
	switch spec.D {
	case "x":
		errs = append(errs, field.TooLong(fldPath, "", 3))
	}
	return errs
}
"""
GUARDING = b"""package validation

func validate(spec, old *Spec, path *field.Path) (errs field.ErrorList) {
	oldSpec := clone(old)
	count := 0
	if spec.A {
		count++
	}
	if spec.B {
		count++
	}
	if count > 1 {
		errs = append(errs, field.Forbidden(path.Child("a").Index(0), ""))
	}
	for _, msg := range other.IsName(strings.ToLower(spec.Name)) {
		errs = append(errs, field.Invalid(path.Child("name"), spec.Name, msg))
	}
	switch spec.Mode {
	case "x":
		errs = append(errs, field.Invalid(path.Child("name"), spec.Mode, ""))
	}
	func() { errs = append(errs, field.Required(path, "")) }()
	return append(errs, nested(path.Child("b", "c").Key("k"), other.Check(spec, oldSpec)))
}

func nested(path *field.Path, one, _ string) field.ErrorList { return nil }
"""
GUARDS = GoSource(GUARDING)


def line_of(text: str) -> int:
    """Return the line of the branching source that contains a text."""
    return next(number for number, line in enumerate(BRANCHING.decode().splitlines(), 1) if text in line)


def at(text: str) -> tuple[int, int]:
    """Return the line of the guarding source that contains a text, and where it begins."""
    line = next(number for number, row in enumerate(GUARDING.decode().splitlines(), 1) if text in row)
    return line, GUARDS.offset_of(line) or 0
