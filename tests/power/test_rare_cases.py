"""Mutants that only certain lists and pairs can show are killed: what the search was taught to try."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import engine
from harness.engine import RunConfig
from harness.events import Budget
from harness.power.judge import SuiteTrial, judge, mutants_of, run_original
from harness.subject import SubjectSpec

TYPES = """package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Plan struct {
	metav1.TypeMeta `json:",inline"`
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:listType=set
	// +k8s:beta(since: "1.37")=+k8s:maxItems=3
	// +k8s:beta(since: "1.37")=+k8s:eachVal=+k8s:maxLength=9
	Zones []string `json:"zones,omitempty"`
	// +k8s:optional
	Want *Want `json:"want,omitempty"`
	// +k8s:beta(since: "1.37")=+k8s:ifDisabled(Rush)=+k8s:forbidden
	Speed *int32 `json:"speed,omitempty"`
}

type Want struct {
	Title string `json:"title"`
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:zeroOrOneOfMember
	Count *int32 `json:"count,omitempty"`
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:zeroOrOneOfMember
	All *bool `json:"all,omitempty"`
}
"""
HANDWRITTEN = '''"""Validation of plans."""

from harness.field import Path
from harness.field.make import duplicate, forbidden, invalid, too_long_characters, too_many

ZONES = Path().child("zones")


def validate(new, old, context):
    """Zones, what is wanted, and how fast."""
    errors = []
    before = old or {}
    if new.get("zones") != before.get("zones"):
        errors += validate_zones(new.get("zones") or [], before.get("zones") or [])
    if new.get("want") and new.get("want") != before.get("want"):
        errors += validate_want(new["want"], before.get("want"))
    if new.get("speed") != before.get("speed") and new.get("speed") is not None and not context.options["Rush"]:
        errors.append(forbidden(Path().child("speed"), covered=True))
    return errors


def validate_zones(zones, old):
    """Few, short, and each once."""
    if len(zones) > 3:
        return [too_many(ZONES, len(zones), 3, origin="maxItems", covered=True)]
    errors = []
    for i, zone in enumerate(zones):
        if zone in zones[:i]:
            errors.append(duplicate(ZONES.index(i), zone, covered=True))
        if zone not in old and len(zone) > 9:
            errors.append(too_long_characters(ZONES.index(i), 9, origin="maxLength", covered=True))
    return errors


def validate_want(want, old):
    """Not both."""
    given = [name for name in ("count", "all") if name in want]
    before = [name for name in ("count", "all") if name in (old or {})]
    if len(given) > 1 and (old is None or given != before):
        message = "must specify at most one of: `count`, `all`"
        return [invalid(Path().child("want"), "{count, all}", message, origin="zeroOrOneOf", covered=True)]
    return []
'''
SUITE = """from harness.suite import Suite, SuiteKind

from .handwritten import validate

KIND = SuiteKind("Plan", "plans", {"v1": "types.go"}, validate, options={"Rush": True})
SUITE = Suite("toy", "toys.example.com", [KIND], gates={"Rush": True})
"""
SHOWN = (
    "declarative v1.Plan.zones: listType (beta): first duplicate only",
    "declarative v1.Plan.zones: each maxLength (beta): first item only",
    "declarative v1.Plan.zones: maxItems (beta): no short-circuit",
    "handwritten handwritten.validate: 'zones': change text #4",  # what is not new among zones is forgotten
    "handwritten handwritten.validate_want: ('count', 'all'): drop 'all' #2",  # a change beside count and all
    "declarative v1.Plan.speed: forbidden unless Rush (beta): drop",
    "declarative v1.Plan.speed: forbidden unless Rush (beta): skip updates",
    "handwritten handwritten.validate: forbidden(Path().child('speed'), covered=True): flip the mark",
)


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> SuiteTrial:
    """A suite of its own, searched as it is."""
    folder = tmp_path_factory.mktemp("plans") / "toy"
    folder.mkdir()
    files = {"types.go": TYPES, "handwritten.py": HANDWRITTEN, "suite.py": SUITE}
    files["doc.go"] = "// +k8s:validation-gen=TypesWithField=TypeMeta\n\npackage v1\n"
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return run_original(SuiteTrial(SubjectSpec("suite", str(folder)), 1, 2500))


def test_the_suite_itself_shows_nothing(trial: SuiteTrial) -> None:
    """Both sides agree before anything is broken, whatever the options are."""
    assert frozenset() == trial.original


@pytest.mark.parametrize("name", SHOWN)
def test_it_is_killed(trial: SuiteTrial, name: str) -> None:
    """A search of 2,500 cases, or a few of its cases, show the mutant."""
    number, mutant = next((n, one) for n, one in enumerate(mutants_of(trial.spec)) if one.name == name)
    assert judge(trial, number, mutant).killed


def test_a_difference_under_a_turned_option_is_a_finding_with_the_option(trial: SuiteTrial, tmp_path: Path) -> None:
    """The case and the detail say under which option it shows; no check reports it, whatever the option is."""
    folder = tmp_path / "toy"
    folder.mkdir()
    for file in Path(trial.spec.location).glob("*.*"):
        text = file.read_text(encoding="utf-8")
        (folder / file.name).write_text(text.replace('and not context.options["Rush"]', "and False"), encoding="utf-8")
    result = engine.run(SubjectSpec("suite", str(folder)), RunConfig(seed=1, budget=Budget(None, 2500)))
    assert {("speed", "no-counterpart")} == {(finding.path, finding.cause) for finding in result.findings}
    assert all("the rule runs with Rush off" in finding.detail for finding in result.findings)
    assert all(finding.case.options == {"Rush": False} for finding in result.findings)
