"""Which generated coverage tests a change leaves behind, on the small checkout and on a release."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from harness.verify.change import Change
from harness.verify.read import read_change
from tests.verify.checkout import commit, git, replace, write
from tests.verify.mini import OLDER, TYPES, mini

FOLDER = "test/declarative_validation/fleet/ship"
RULES = FOLDER + "/zz_generated.validations.{}_test.go"
MAIN = f"{FOLDER}/zz_generated.validations.main_test.go"
LIMIT = "\t// +k8s:maxItems=8\n"

_TEST = """package ship

func init() {{
	coverage.RegisterDeclaredRules(
		schema.GroupVersionKind{{Group: "fleet.example.com", Version: "{version}", Kind: "Ship"}},
		coverage.FieldRules{{
			"spec.cargo": {{
				{{ErrorType: "FieldValueTooMany", Origin: "maxItems"}},
			}},
			"spec.crew": {{
				{{ErrorType: "FieldValueInvalid", Origin: "minimum"}},
			}},
			"spec.port": {{
				{{ErrorType: "FieldValueRequired"}},
				{{ErrorType: "FieldValueTooLong", Origin: "maxLength"}},
			}},
		}},
	)
}}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout with the tests that its types declare, made once."""
    top = mini(tmp_path_factory.mktemp("mini") / "kubernetes")
    files = {RULES.format(version): _TEST.format(version=version) for version in ("v1", "v1beta1")}
    commit(top, "tests", {**files, MAIN: 'package ship\n\nvar apiVersions = []string{"v1", "v1beta1"}\n'})
    git(top, "tag", "--force", "base")
    return top


@pytest.fixture
def top(made: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    copytree(made, tmp_path / "kubernetes")
    return tmp_path / "kubernetes"


def stale_of(change: Change) -> list[tuple[str, str, bool]]:
    """Return file, sentence and whether it was edited, of each stale test."""
    listed = [one for one in change.not_regenerated if one.file.startswith("test/")]
    return [(one.file, one.sentence, one.edited) for one in listed]


def test_tests_of_the_types_are_not_stale(top: Path) -> None:
    """Neither are those of a rule whose limit changed: they register no limit."""
    replace(top, TYPES, "+k8s:maxLength=63", "+k8s:maxLength=64")
    assert [] == stale_of(read_change(top, "base"))


def test_a_rule_that_is_not_registered(top: Path) -> None:
    """A new rule is in the types of one version, and in no test of it."""
    replace(top, TYPES, "\tCrew *int32", "\t// +k8s:alpha=+k8s:maximum=9\n\tCrew *int32")
    said = "the coverage test does not register spec.crew FieldValueInvalid maximum"
    assert [(RULES.format("v1"), said, False)] == stale_of(read_change(top, "base"))


def test_a_rule_that_is_gone(top: Path) -> None:
    """It is still registered, so the test asks for an error that nothing reports; regenerated, nothing is stale."""
    replace(top, OLDER, LIMIT, "")
    said = "the coverage test registers spec.cargo FieldValueTooMany maxItems, which the types do not declare"
    assert [(RULES.format("v1beta1"), said, False)] == stale_of(read_change(top, "base"))
    rule = '\t\t\t"spec.cargo": {\n\t\t\t\t{ErrorType: "FieldValueTooMany", Origin: "maxItems"},\n\t\t\t},\n'
    replace(top, RULES.format("v1beta1"), rule, "")
    assert [] == stale_of(read_change(top, "base"))


def test_a_test_that_was_edited_by_hand(top: Path) -> None:
    """It is told although no type changed, and nothing else is touched."""
    replace(top, RULES.format("v1"), 'Origin: "minimum"', 'Origin: "least"')
    change = read_change(top, "base")
    [(file, said, is_edited)] = stale_of(change)
    assert (RULES.format("v1"), True) == (file, is_edited)
    assert "does not register spec.crew FieldValueInvalid minimum" in said
    assert "registers spec.crew FieldValueInvalid least" in said
    assert change.nothing_touched


def test_an_exception_leaves_a_rule_out(top: Path) -> None:
    """The list of exceptions takes rules out of the tests, so a test without them is right."""
    entry = (
        "apiVersion: fleet.example.com/v1\n  kind: Ship\n  path: '*'\n  errorType: {}\n  origin: maximum\n  reason: x\n"
    )
    write(top, {"test/declarative_validation/coverage-allowlist.yaml": f"- {entry.format('FieldValueInvalid')}"})
    replace(top, TYPES, "\tCrew *int32", "\t// +k8s:alpha=+k8s:maximum=9\n\tCrew *int32")
    assert [] == stale_of(read_change(top, "base"))
    write(top, {"test/declarative_validation/coverage-allowlist.yaml": f"- {entry.format('FieldValueTooLong')}"})
    assert 1 == len(stale_of(read_change(top, "base")))


def test_a_version_that_no_test_names(top: Path) -> None:
    """The test of all versions must name each, and the new one needs a test of its rules."""
    for old in (OLDER, "pkg/apis/fleet/v1beta1/doc.go", OLDER.replace("types.go", "register.go")):
        new = (top / old).read_text(encoding="utf-8").replace("v1beta1", "v1beta2")
        write(top, {old.replace("v1beta1", "v1beta2"): new})
    (main, said, _), (rules, more, _) = sorted(stale_of(read_change(top, "base")))
    assert (MAIN, "the test of all versions does not name v1beta2") == (main, said)
    assert rules == RULES.format("v1beta2")
    assert more.endswith("spec.port FieldValueRequired and 1 more")


def test_what_was_stale_before_is_not_told(top: Path) -> None:
    """A test that the base has, just as wrong, is none of the change."""
    replace(top, RULES.format("v1"), 'Origin: "minimum"', 'Origin: "least"')
    commit(top, "stale")
    git(top, "tag", "--force", "base")
    replace(top, TYPES, "+k8s:maxLength=63", "+k8s:maxLength=64")
    assert [] == stale_of(read_change(top, "base"))


def test_a_checkout_without_such_tests(top: Path) -> None:
    """Releases before 1.37 have none, so none is stale."""
    for name in (RULES.format("v1"), RULES.format("v1beta1"), MAIN):
        write(top, {name: None})
    (top / FOLDER).rmdir()
    for folder in (Path(FOLDER).parent, Path(FOLDER).parent.parent):
        (top / folder).rmdir()
    replace(top, OLDER, LIMIT, "")
    assert [] == stale_of(read_change(top, "base"))
