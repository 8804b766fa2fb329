"""Validators tell what they are given; everything else of their files stays as it is."""

from __future__ import annotations

import pytest

from harness.targets.kubernetes.gotests.hooks import RECORD, hook_validators

FILE = b"""// Package validation has validators.
package validation

import "x/field"

// ValidateThing checks.
func ValidateThing(thing, oldThing *Thing, path *field.Path) field.ErrorList {
	return nil
}

func validatePart(part Part, more ...string) (errs field.ErrorList) { return nil }

func isThing(thing *Thing) bool { return true }

func (s strategy) Validate(thing *Thing) field.ErrorList { return nil }

func ValidateNothing(_ *Thing, path *field.Path) field.ErrorList { return nil }
"""


def test_every_validator_calls_with_its_parameters() -> None:
    """Exported or not; not the method, not the predicate, not the one with a parameter that has no name."""
    hooked = hook_validators(FILE, "x/validation", "x/record")
    text = hooked.source.decode()
    assert ("ValidateThing", "validatePart") == hooked.validators
    names = '[]string{"thing", "oldThing", "path"}'
    assert f'{{ {RECORD}.Call("x/validation.ValidateThing", {names}, thing, oldThing, path);\n\treturn nil' in text
    assert f'{RECORD}.Call("x/validation.validatePart", []string{{"part", "more"}}, part, more); return nil' in text
    assert 2 == text.count(f"{RECORD}.Call(")


def test_no_line_moves() -> None:
    """Errors of the compiler, and failures of tests, name the lines of the release."""
    hooked = hook_validators(FILE, "x/validation", "x/record").source
    assert FILE.count(b"\n") == hooked.count(b"\n")
    assert b'package validation; import harnessrecord "x/record"\n' in hooked


@pytest.mark.parametrize(
    "source", [b"", b"package validation\n", b"package validation\nfunc ValidateThing(", b"\xff\x00"]
)
def test_a_file_without_validators_stays_as_it_is(source: bytes) -> None:
    """Also one that does not parse: the compiler says why."""
    hooked = hook_validators(source, "x/validation", "x/record")
    assert (source, ()) == (hooked.source, hooked.validators)
