"""Exported Go tests in the release's own tree: they compile, pass beside upstream's own, and notice what is broken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.engine import RunConfig, run
from harness.events import Budget
from harness.export.asker import find_resource
from harness.export.expected import RuleLevels
from harness.export.found import tabulate_findings
from harness.export.gotest import GoTest, render_go
from harness.export.gotree import Tree
from harness.export.rowsearch import tabulate_rules
from harness.rulecov.inventory import Inventory, inventory_of
from harness.subject import Subject, SubjectSpec, open_subject
from harness.subject.opening import api_of
from tests.export.tree import SourceTree, make_tree

pytestmark = pytest.mark.kubernetes

RELEASE = "1.37.1"
SPEC = SubjectSpec("kubernetes", RELEASE)
KINDS = {
    "cronjobs": "spec.jobTemplate.spec.template", "resourceclaims": "spec.devices.constraints",
    "certificatesigningrequests": "status", "horizontalpodautoscalers": "spec", "endpointslices": "endpoints",
    "clusterrolebindings": "roleRef",
}  # fmt: skip
"""Kinds of different shapes, and the fields of the larger ones."""
AUTOSCALER = "pkg/apis/autoscaling/v2/zz_generated.validations.go"
CLASSES = "pkg/apis/storage/{version}/zz_generated.validations.go"
DRIVER = """before := safe.Field(oldObj, func(o *{alias}.VolumeAttributesClass) *string {{ return &o.DriverName }})
	driver := validate.RequiredValue(ctx, op, fldPath.Child("driverName"), &obj.DriverName, before)
	errs = append(errs, driver.MarkAlpha()...)
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> SourceTree:
    """The tree of the release."""
    return make_tree(tmp_path_factory.mktemp("tree"), RELEASE)


@pytest.fixture(scope="module")
def subject() -> Subject:
    """The release, open until all is done."""
    return open_subject(SPEC)


@pytest.fixture(scope="module")
def inventory() -> Inventory:
    """Its rules."""
    api = api_of(SPEC)
    assert api is not None
    return inventory_of(api)


@pytest.fixture(scope="module")
def exported(subject: Subject, inventory: Inventory, source: SourceTree) -> dict[str, GoTest]:
    """Tests of every kind, written into the tree."""
    found = {}
    for kind, field in KINDS.items():
        info = find_resource(subject, kind)[0]
        table = tabulate_rules(subject, inventory, info, field, "given")
        found[kind] = render_go(
            Tree.of(RELEASE), table, ["A test."], field, level_of=RuleLevels(inventory.rules, info).level_of
        )
        (source.top / found[kind].path).write_text(found[kind].text)
    return found


def folder(test: GoTest) -> str:
    """The package of a test."""
    return str(Path(test.path).parent)


def test_they_pass_in_the_tree(exported: dict[str, GoTest], source: SourceTree) -> None:
    """Tests of six kinds pass as they are, with those that upstream has in the same packages."""
    assert [] == [kind for kind, test in exported.items() if test.rows - test.differing < 3]
    found = source.test([folder(test) for test in exported.values()])
    assert [] == [(package, text[-3000:]) for package, (passed, text) in found.items() if not passed]


def test_they_are_formatted(exported: dict[str, GoTest]) -> None:
    """What is written is what gofmt leaves as it is, under upstream's layout."""
    assert {"test/declarative_validation"} == {"/".join(test.path.split("/")[:2]) for test in exported.values()}
    assert [] == [test.path for test in exported.values() if test.note or re.search(r"[ \t]+$", test.text, re.M)]


def test_a_limit_that_is_off_by_one(exported: dict[str, GoTest], source: SourceTree) -> None:
    """An off-by-one in a generated check fails the exported test at the limit, and not the one inside of it."""
    text = (source.top / AUTOSCALER).read_text()
    broken = text.replace("oldObj, 1).MarkBeta()", "oldObj, 2).MarkBeta()")
    assert text != broken
    package = folder(exported["horizontalpodautoscalers"])
    passed, printed = source.test([package], "^TestDeclarativeValidateSpec$", {AUTOSCALER: broken})[package]
    failed = re.findall(r"--- FAIL: TestDeclarativeValidateSpec/v2/([^/]*?) \(", printed)
    wanted = "spec.maxReplicas:_minimum_1:_"
    assert (False, ["at_the_limit,_1"]) == (
        passed, [name.removeprefix(wanted) for name in failed if name.startswith(wanted) and "limit" in name],
    )  # fmt: skip


def test_a_finding_fails_until_it_is_mended(subject: Subject, inventory: Inventory, source: SourceTree) -> None:
    """The test of a missing rule fails, and passes as it is when the rule is there."""
    result = run(
        SPEC, RunConfig(seed=1, budget=Budget(max_cases=3000), kinds=("storage.k8s.io/v1/volumeattributesclasses",))
    )
    finding = next(one for one in result.findings if (one.path, one.cause) == ("driverName", "no-rule"))
    table = tabulate_findings(subject, [finding], "finding")
    made = render_go(
        Tree.of(RELEASE),
        table,
        ["A finding."],
        "finding",
        level_of=RuleLevels(inventory.rules, table.info).level_of,
        skips=False,
    )
    (source.top / made.path).write_text(made.text)
    package = folder(made)
    before = source.test([package], "Finding")[package]
    fixed = {}
    for version in ("v1", "v1beta1", "v1alpha1"):
        name = CLASSES.format(version=version)
        text, alias = (source.top / name).read_text(), f"storage{version}"
        place = f"// field {alias}.VolumeAttributesClass.DriverName has no validation\n"
        assert place in text
        fixed[name] = text.replace(place, DRIVER.format(alias=alias))
    after = source.test([package], "Finding", fixed)[package]
    assert (False, True) == (before[0], "--- PASS: TestDeclarativeValidateFinding" in after[1]), after[1][-3000:]
    assert "driverName" in before[1]
