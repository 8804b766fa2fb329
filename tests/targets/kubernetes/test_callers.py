"""Why no request reaches a function: nothing calls it, or only what validates no request."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.targets.kubernetes.callers import GoFunction, unreachable_functions

VALIDATION = "pkg/apis/apps/validation"
IMPORT = f'import "k8s.io/kubernetes/{VALIDATION}"\n'
FILES = {
    f"{VALIDATION}/validation.go": """package validation

func ValidateThing(thing *Thing) { validateSpec(thing) }
func validateSpec(thing *Thing) {}
func ValidateOld(thing *Thing) { validateOldSpec(thing) }
func validateOldSpec(thing *Thing) { validateOldSpec(thing) }
func WarningsForThing(thing *Thing) {}
func IsPattern(text string) {}
func ValidateItem(thing *Thing) {}
func ValidateShared(thing *Thing) {}
""",
    f"{VALIDATION}/validation_test.go": "package validation\nfunc TestOld() { ValidateOld(nil) }\n",
    "pkg/registry/apps/thing/strategy.go": f"""package thing

{IMPORT}
func (s strategy) Validate(thing *Thing) {{ validation.ValidateThing(thing); validation.ValidateShared(thing) }}
func (s strategy) WarningsOnCreate(thing *Thing) {{ validation.WarningsForThing(thing) }}
func (s strategy) Each() {{ each(validation.ValidateItem) }}
""",
    "pkg/kubelet/sysctl/allow.go": f"""package sysctl

{IMPORT}
func New() {{ validation.IsPattern(""); validation.ValidateShared(nil) }}
""",
    "pkg/registry/apps/other/strategy.go": "package other\nfunc Check() { other.ValidateOld(nil) }\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small release."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def reasons(root: Path, *names: str) -> dict[str, str]:
    """The reasons of functions by name."""
    found = unreachable_functions(root, [GoFunction(VALIDATION, name) for name in names])
    return {function.name: reason for function, reason in found.items()}


def test_what_only_tests_call_is_called_by_no_code(root: Path) -> None:
    """Another package's function of that name is another function, and so is what it calls itself."""
    assert {
        "ValidateOld": "no code of the release calls it",
        "validateOldSpec": f"only ValidateOld ({VALIDATION}) calls it, which no request reaches",
    } == reasons(root, "ValidateOld", "validateOldSpec")


def test_warnings_and_other_programs_validate_no_request(root: Path) -> None:
    """With the one that calls."""
    assert {
        "WarningsForThing": "only WarningsOnCreate (pkg/registry/apps/thing) calls it, which warns",
        "IsPattern": "only New (pkg/kubelet/sysctl) calls it, which is no validation of requests",
    } == reasons(root, "WarningsForThing", "IsPattern")


def test_what_a_request_may_reach_has_no_reason(root: Path) -> None:
    """A call of a strategy, directly or not, among others, or as a value."""
    assert {} == reasons(root, "ValidateThing", "validateSpec", "ValidateItem", "ValidateShared")


def test_a_caller_that_has_no_reason_gives_none(root: Path) -> None:
    """The search may reach it another time."""
    assert {} == reasons(root, "validateOldSpec")


def test_nothing_is_read_for_nothing(tmp_path: Path) -> None:
    """Also where there are no sources."""
    assert {} == unreachable_functions(tmp_path, [])
