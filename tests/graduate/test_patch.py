"""The patch of safe rules: it applies, what it leaves compiles, and `verify` reads it as what it is."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.case import KindInfo
from harness.graduate.cuts import CutCheck, CutFiles, ReportedAt
from harness.graduate.document import Certificate, CheckSource
from harness.graduate.markers import markers_of
from harness.graduate.patch import BoundaryTests, Patch, PatchWriter
from harness.graduate.program import run_program
from harness.graduate.view import lines_of_patch
from harness.rulecov.inventory import KnownRule, read_inventory
from harness.subject.api import open_api
from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.release import find_toolchain
from harness.verify.read import read_change
from tests.graduate.toycheckout import line_of, toy_checkout
from tests.graduate.toyrelease import build_program
from tests.verify.checkout import git
from tests.verify.mini import TYPES, VALIDATION

PORT = ReportedAt("fleet.Ship", "spec.port")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A checkout with two rules in two versions, and one check for each."""
    return toy_checkout(tmp_path / "kubernetes")


def kind_of(version: str, served: bool = True) -> KindInfo:
    """The ship of a version."""
    return KindInfo(
        "fleet.example.com", version, "Ship", "ships", f"fleet/{version}", through="" if served else "v1",
        type=f"k8s.io/api/fleet/{version}.Ship",
    )  # fmt: skip


class Fixture:
    """Writes patches of a checkout with certificates that a run might have made."""

    def __init__(self, top: Path) -> None:
        api = open_api(kubernetes=str(top))
        self.top, self.rules, self.markers = top, read_inventory(api).rules, markers_of(api)
        self.kinds = [kind_of("v1"), kind_of("v1beta1")]
        self.cuts: list[list[tuple[str, ...]]] = []
        self.tested: list[KnownRule] = []
        self.tests = BoundaryTests()

    def certificate(self, known: KnownRule, verdict: Any = "safe") -> Certificate:
        """A certificate of a rule at beta, with the lines of its tag and of its check."""
        rule = known.rule
        name = known.type, rule.path, rule.type, rule.origin
        place = line_of(self.top, "field.Required(" if rule.type == "FieldValueRequired" else "field.TooLong(")
        return Certificate(
            rule.group, rule.version, rule.kind, rule.path, rule.type, rule.origin, rule.level, rule.tag, known.limit,
            verdict, (), None, (), check=CheckSource(f"{place} in validateSpec", calls=(place,)),
            markers=tuple(one.line for one in self.markers if name in one.rules),
        )  # fmt: skip

    def write(self, chosen: Sequence[KnownRule], cut: Any = None, **verdicts: str) -> Patch:
        """Write the patch of some rules, all safe but for those named by type of error."""
        writer = PatchWriter(self.top, self.markers, self.rules, self.kinds, cut or self.cut, self.make_tests)
        found = [
            self.certificate(one, verdicts.get(one.rule.type.removeprefix("FieldValue"), "safe")) for one in chosen
        ]
        return writer.write(chosen, found)

    def beta(self, *types: str) -> list[KnownRule]:
        """The rules at beta with these types of errors."""
        return [one for one in self.rules if one.rule.level == "beta" and one.rule.type in types]

    def make_tests(self, raised: Sequence[KnownRule]) -> BoundaryTests:
        """Make the tests of a fixture, whatever is raised."""
        self.tested += raised
        return self.tests

    def cut(self, calls: Sequence[Sequence[str]]) -> CutFiles:
        """Cut without reading Go: every check reports at the port alone."""
        self.cuts.append([tuple(one) for one in calls])
        return CutFiles(tuple(CutCheck(lines[0], (PORT,)) for lines in calls), {})


TEST = "test/declarative_validation/fleet/ship/exported_spec_port_standard_test.go"
TESTED = """package ship

import (
	"testing"

	"k8s.io/kubernetes/pkg/apis/fleet/validation"
)

func TestDeclarativeValidateSpecPortStandard(t *testing.T) {
	_ = validation.ValidateShip
}
"""
BOTH = ("FieldValueRequired", "FieldValueTooLong")


@pytest.mark.kubernetes
def test_a_patch_applies_compiles_and_is_read_as_a_finished_migration(top: Path, tmp_path: Path) -> None:
    """Both rules of both versions become standard, their checks go, tests come, and no generated code is stale."""
    fixture = Fixture(top)
    fixture.tests = BoundaryTests({TEST: TESTED}, ("ships v1 spec.crew: none was found",))
    (tmp_path / "program").mkdir()
    program = build_program(tmp_path / "program")

    def cut(calls: Sequence[Sequence[str]]) -> CutFiles:
        request = {"go": str(find_toolchain().go), "folder": str(top), "checks": [{"calls": one} for one in calls]}
        return run_program(program, request, CutFiles)[0]

    patch = fixture.write(fixture.beta(*BOTH), cut)
    assert (4, ()) == (len(patch.written), patch.unwritten)
    file = tmp_path / "standard.patch"
    file.write_text(patch.text, encoding="utf-8")
    git(top, "apply", "--check", str(file))
    git(top, "apply", str(file))
    assert ("+k8s:beta" in (top / TYPES).read_text(), "spec.Port" in (top / VALIDATION).read_text()) == (False, False)
    for command in (["build", "./pkg/apis/fleet/validation", "./pkg/registry/fleet/ship"], ["test", f"./{TEST}"]):
        subprocess.run([find_toolchain().go, *command], cwd=top, env=go_environment(), check=True)
    assert (TESTED, fixture.beta(*BOTH)) == ((top / TEST).read_text(encoding="utf-8"), fixture.tested)
    change = read_change(top, "base")
    events = {(reason.cause, reason.event) for one in change.fields for reason in one.reasons}
    assert ((), True) == (
        change.not_regenerated,
        {("tags", "level raised"), ("handwritten", "check removed")} <= events,
    )
    told = list(lines_of_patch(patch))
    assert "written: 4 rules, not written: 0 safe rules" == told[0]
    assert [f"  test: {TEST}", "  not tested: ships v1 spec.crew: none was found"] == told[-2:]


def test_a_test_that_is_there_already_is_changed(top: Path, tmp_path: Path) -> None:
    """The patch applies where an earlier one left the file, and no tests are made where nothing is written."""
    fixture = Fixture(top)
    assert ("", []) == (fixture.write(fixture.beta(*BOTH), Required="unknown", TooLong="unknown").text, fixture.tested)
    (top / TEST).parent.mkdir(parents=True)
    (top / TEST).write_text("package ship\n", encoding="utf-8")
    fixture.tests = BoundaryTests({TEST: TESTED})
    file = tmp_path / "standard.patch"
    file.write_text(fixture.write(fixture.beta(*BOTH)).text, encoding="utf-8")
    git(top, "apply", str(file))
    assert TESTED == (top / TEST).read_text(encoding="utf-8")


def test_all_versions_are_written_or_none(top: Path) -> None:
    """The check of v1 is that of v1beta1 too: it stays while a rule of that does; one that is not served has no say."""
    fixture = Fixture(top)
    chosen = [one for one in fixture.beta(*BOTH) if one.rule.version == "v1"]
    patch = fixture.write(chosen)
    assert ("", {"its check is that of v1beta1 too, where the rule is not written"}) == (
        patch.text, {reason.partition(" (")[0] for _, reason in patch.unwritten},
    )  # fmt: skip
    fixture.kinds[1] = kind_of("v1beta1", served=False)
    patch = fixture.write(chosen)
    assert (2, 2) == (len(patch.written), patch.text.count("+\t// +k8s:required\n"))
    assert {"v1", "v1beta1"} == {one.rule.version for one in fixture.tested}  # the tests ask what is not served too


def test_a_version_that_no_request_names_keeps_what_cannot_be_edited(top: Path) -> None:
    """Its generated code has no call to mark: its lines stay, those of the other version rise."""
    fixture = Fixture(top)
    fixture.kinds[1] = kind_of("v1beta1", served=False)
    code = top / "pkg/apis/fleet/v1beta1/zz_generated.validations.go"
    code.write_text(code.read_text(encoding="utf-8").replace(".MarkBeta()", ""), encoding="utf-8")
    patch = fixture.write([one for one in fixture.beta(*BOTH) if one.rule.version == "v1"])
    assert (2, 1) == (len(patch.written), patch.text.count("+\t// +k8s:required\n"))


def test_a_rule_that_is_not_safe_is_not_written_and_its_tag_stays(top: Path) -> None:
    """The line beside it is raised alone, in the types and in generated code."""
    fixture = Fixture(top)
    patch = fixture.write(fixture.beta(*BOTH), Required="unknown")
    assert {"FieldValueTooLong"} == {one.type for one in patch.written}
    raised = [f'-\t// +k8s:beta(since: "1.37")=+k8s:{name}' for name in ("maxLength", "required")]
    assert [2, 0] == [patch.text.count(words) for words in raised]
    assert 2 == patch.text.count("+\t\t\tif e := validate.MaxLength(ctx, op, fldPath, obj, oldObj, 63); len(e) != 0 {")


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (CutCheck("x.go:1", (PORT, ReportedAt("fleet.Harbour", "port"))), "its check reports fleet.Harbour port too"),
        (CutCheck("x.go:1", ()), "the statement of its check reports elsewhere"),
        (CutCheck("x.go:1", None, "it is made in a loop"), "it is made in a loop (x.go:1)"),
    ],
)
def test_a_check_that_is_not_only_its_own_stays(top: Path, check: CutCheck, reason: str) -> None:
    """Nothing is written, and the reason says why."""
    fixture = Fixture(top)
    patch = fixture.write(fixture.beta(*BOTH), lambda calls: CutFiles(tuple(check for _ in calls), {}))
    assert ("", (), 4) == (patch.text, patch.written, len(patch.unwritten))
    assert any(told.startswith(reason) for _, told in patch.unwritten), patch.unwritten
    assert any(reason in line for line in lines_of_patch(patch))


def test_alpha_rises_to_beta_first(top: Path) -> None:
    """And a rule without a traced check is left out."""
    fixture = Fixture(top)
    alpha = [one for one in fixture.rules if one.rule.level == "alpha"]
    assert ["a rule at alpha rises to beta first"] * 2 == [reason for _, reason in fixture.write(alpha).unwritten]
    writer = PatchWriter(top, fixture.markers, fixture.rules, fixture.kinds, fixture.cut, fixture.make_tests)
    known = fixture.beta("FieldValueRequired")
    blind = [msgspec.structs.replace(fixture.certificate(one), check=None) for one in known]
    assert {"the line of its check is not known"} == {reason for _, reason in writer.write(known, blind).unwritten}
    assert [] == fixture.cuts
