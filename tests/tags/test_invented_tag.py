"""A limit tag is one record in its family, and one line in `FAMILIES`: every part of the harness handles it by that.

The tags are invented and their errors are Invalid with origins of their own, so nothing here can know them otherwise.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.apidocs.catalogue import index, page_of
from harness.case import Json, Operation
from harness.compiler import compile_types
from harness.diagnostics import InputError
from harness.engine import RunConfig, run
from harness.events import Budget, Result
from harness.field.facts import Measure, RuleLimit
from harness.fuzzers.aimedpairs import aimed_pairs
from harness.fuzzers.aims import Aim
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.probes import probes_of
from harness.fuzzers.shape import FieldShape, shape_of
from harness.jsonpath import ABSENT
from harness.power.filters import LIMIT_DOWN, LIMIT_UP, RuleKey, limit_of
from harness.power.observer import Power
from harness.power.operators.rules import mutants_of
from harness.rulecov.inventory import inventory_of
from harness.rulecov.observed import ACCEPTED, FIRED, NAME, REJECTED, RuleObserverFactory
from harness.subject import SubjectSpec
from harness.subject.opening import api_of
from harness.suite import Suite
from harness.tags import families, registry
from harness.verify.generated import Call, expected_calls, plain_name
from tests.apidocs import made
from tests.cli.fakes import call
from tests.compiler.fixtures import compiled, errors, universe_of
from tests.lint.examples import messages
from tests.rulecov.watching import error, root, watched
from tests.tags import invented

ROOT = Path(__file__).parents[2]
EMPTY = Suite("toy", "toys.example.com", ())


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Do what the one line in `FAMILIES` does; what is compiled meanwhile is nobody else's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(families, "FAMILIES", families.FAMILIES)
    for spec in invented.SPECS:
        for known in (registry.SPECS, registry.ALL_SPECS):
            monkeypatch.setitem(known, spec.name, spec)
    invented.register()


each = pytest.mark.parametrize(
    ("name", "limit", "go", "at", "beyond", "measure"),
    [
        ("maxWeight", 7, "int32", 7, 8, "value"),
        ("maxOctets", 4, "string", "éé", "ééa", "bytes"),
        ("maxParts", 2, "[]string", ["a", "b"], ["a", "b", "c"], "items"),
    ],
)


def field(tags: str, go: str) -> str:
    """A root T whose field f has these tags, separated by `; `."""
    lines = "".join(f"\t// +k8s:{tag}\n" for tag in tags.split("; "))
    return f'// +k8s:validation-gen=true\ntype T struct {{\n{lines}\tF {go} `json:"f"`\n}}\n'


def member_of(tags: str, go: str) -> FieldShape:
    """The field f as those who make objects see it."""
    return shape_of(universe_of(field(tags, go)), "example.T").by_name["f"]


@each
def test_the_parser_takes_it_and_refuses_a_wrong_payload(
    name: str, limit: int, go: str, at: Json, beyond: Json, measure: Measure
) -> None:
    """What is wrong with it is told on its own line, with the way to write it."""
    compiled(field(f"{name}={limit}", go))
    for payload in ("=ten", ""):
        with pytest.raises(InputError) as caught:
            compiled(field(f"{name}{payload}", go))
        (told,) = caught.value.diagnostics
        assert ("tag-payload", 5, True) == (told.code, told.position.line, f"+k8s:{name}" in told.fix)


@each
def test_the_compiler_enforces_it(name: str, limit: int, go: str, at: Json, beyond: Json, measure: Measure) -> None:
    """The limit is accepted, one more is rejected, and what an update did not change is ratcheted."""
    types = field(f"{name}={limit}", go)
    assert [] == errors(types, {"f": at})
    assert [("FieldValueInvalid", "f", name)] == [(e.type, e.field, e.origin) for e in errors(types, {"f": beyond})]
    assert [] == errors(types, {"f": beyond}, {"f": beyond})


@each
def test_values_are_drawn_at_its_boundary(
    name: str, limit: int, go: str, at: Json, beyond: Json, measure: Measure
) -> None:
    """The limit and the next value are suggested, tried, and gone for."""
    member = member_of(f"{name}={limit}", go)
    spec = registry.SPECS[f"k8s:{name}"]
    assert spec.boundary is not None
    assert tuple(spec.boundary.probes(limit)) == member.suggestions.own
    tried = [_size(one, measure) for one in probes_of(member.shape, ABSENT, member, Harvest())]
    assert {limit, limit + 1} <= set(tried)
    shape = shape_of(universe_of(field(f"{name}={limit}", go)), "example.T")
    for wants, size in (("accept", limit), ("reject", limit + 1)):
        aim = Aim("f", "FieldValueInvalid", name, f"k8s:{name}", limit, wants)
        first = next(new for new, _ in aimed_pairs(aim, shape, [{}]))
        assert size == _size(first["f"], measure)


def _size(value: Any, measure: Measure) -> int | None:
    """What the limit counts of a value; nothing of one that is not there."""
    if measure == "value":
        return value if isinstance(value, int) else None
    if measure == "bytes":
        return len(value.encode()) if isinstance(value, str) else None
    return len(value) if isinstance(value, list) else None


@each
def test_rule_coverage_wants_it_accepted_at_the_limit_and_rejected_beyond(
    name: str, limit: int, go: str, at: Json, beyond: Json, measure: Measure, tmp_path: Path
) -> None:
    """Neither a smaller value nor a much larger one is enough."""
    seen = watched(tmp_path, root(f'{name}={limit} | F {go} `json:"f"`'))
    (known,) = seen.rules
    assert ("limit", measure, limit, 1) == (known.judge, known.measure, known.limit, known.beyond)
    fired = error("f", "Invalid", name)
    assert ["reject", "accept"] == [aim.wants for aim in seen.observer.aims()]
    seen.show({"f": beyond * 9}, declarative=(fired,))
    assert (1, []) == (len(seen.seen(FIRED)), seen.seen(REJECTED) + seen.seen(ACCEPTED))
    seen.show({"f": beyond}, declarative=(fired,))
    seen.show({"f": at})
    assert ([("f", name)], [("f", name)], []) == (seen.seen(REJECTED), seen.seen(ACCEPTED), seen.observer.aims())


@each
def test_generated_code_is_known_by_its_call(
    name: str, limit: int, go: str, at: Json, beyond: Json, measure: Measure
) -> None:
    """Go code that calls with its limit the function of its name, or the one that it names, is not stale."""
    calls = expected_calls(compiled(field(f"{name}={limit}", go)).plan.types["example.T"])["F"]
    called = {"maxParts": "MaxPieces"}.get(name, f"M{name[1:]}")
    assert [Call(plain_name(called), (str(limit),), "")] == list(calls)


@each
def test_its_mutants_are_told_by_values_at_the_limit(
    name: str, limit: int, go: str, at: Json, beyond: Json, measure: Measure
) -> None:
    """A limit that is off by one, and bytes taken for characters, answer otherwise there and only there."""
    universe = universe_of(field(f"{name}={limit}", go))
    original = compile_types(universe, "example")
    found = {one.operator: one.rework for one in mutants_of(original)}
    telling = {"limit + 1": beyond, "limit - 1": at, "characters for bytes": beyond}
    if measure != "bytes":
        del telling["characters for bytes"]
        assert "characters for bytes" not in found
    for operator, value in telling.items():
        rework = found[operator]
        assert rework is not None
        broken = rework(EMPTY, universe, original)
        assert original.validate(*create(value)) != broken.validate(*create(value)), operator
    assert RuleLimit(measure, 1) == limit_of(RuleKey("f", "FieldValueInvalid", name, ""))


def create(value: Json) -> tuple[Any, ...]:
    """A create of T with a value at f."""
    return "T", Operation.CREATE, {"f": value}, None, {}


@pytest.mark.parametrize(
    ("tags", "go", "code", "told"),
    [
        ("optional; minimum=9; maxWeight=7", "*int32", "contradicting-limits", "leave no value"),
        ("optional; minLength=5; maxOctets=4", "*string", "contradicting-limits", "leave no value"),
        ("optional; minItems=3; maxParts=2", "[]string", "contradicting-limits", "leave no value"),
        ("optional; maxWeight=32767", "*int16", "limit-never-reached", "no int16 is greater than 32767"),
        ("optional; maxOctets=300; format=k8s-short-name", "*string", "limit-never-reached", "already rejects"),
        ("optional; alpha=+k8s:maxParts=3; eachVal=+k8s:maxOctets=4", "[]string", "hidden-stop", "does not run"),
    ],
)
def test_linting_knows_what_it_contradicts(tags: str, go: str, code: str, told: str, tmp_path: Path) -> None:
    """Its unit, its direction and that it stops others are all that linting asks for."""
    found = messages(field(tags, go), tmp_path, code)
    assert any("+k8s:max" in one and told in one for one in found), found


def test_it_has_a_page_a_place_in_the_index_and_words(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What its page shows is compiled and asked; reference pages of an API say it in its words."""
    page = page_of("maxWeight")
    assert "# `+k8s:maxWeight=<non-negative integer>`" in page
    assert "| FieldValueInvalid | `maxWeight` | `must weigh at most <N>` |" in page
    assert '`{"f": 8}`: rejected' in page
    told = call(capfd, "explain", "maxWeight")
    assert (0, page) == (told.code, told.out)
    assert "## Invented" in index()
    assert "[`+k8s:maxOctets`](maxOctets.md)" in index()
    assert ["weighs at most 7"] == made.said(made.api(tmp_path, v1=PLAIN + SPEC), "spec.weight", "Crate")


PLAIN = """package v1

type Crate struct {
	TypeMeta int
	Spec CrateSpec `json:"spec"`
}
"""
SPEC = """
type CrateSpec struct {
	// +k8s:beta=+k8s:maxWeight=7
	Weight int32 `json:"weight"`
	Free int32 `json:"free"`
	// +k8s:beta=+k8s:maxOctets=9
	Label string `json:"label"`
	// +k8s:beta=+k8s:maxParts=2
	Parts []string `json:"parts"`
}
"""
TYPES = """package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Crate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec CrateSpec `json:"spec"`
}
"""
DOC = "// +k8s:validation-gen=TypesWithField=TypeMeta\n\npackage v1\n"
HANDWRITTEN = '''
"""Weights are checked at another limit, free ones without a rule, labels as their tag says, parts not at all."""

from harness.field import Path
from harness.field.make import invalid


def validate_crate(new, old, context):
    spec, before = new.get("spec") or {}, (old or {}).get("spec") or {}
    path, errors = Path().child("spec"), []
    for name, limit in (("weight", 9), ("free", 5)):
        value = spec.get(name) or 0
        if value > limit and not (old and value == before.get(name)):
            errors.append(invalid(path.child(name), value, f"at most {limit}", origin="maxWeight", covered=True))
    label = spec.get("label") or ""
    if len(label.encode("utf-8", "surrogatepass")) > 9 and not (old and label == before.get("label")):
        detail = "must take at most 9 octets"
        errors.append(invalid(path.child("label"), label, detail, origin="maxOctets", covered=True))
    return errors
'''
SUITE = f"""
import sys

from harness.suite import Suite, SuiteKind

from .handwritten import validate_crate

SUITE = Suite(
    name="crates",
    group="crates.example.com",
    kinds=[SuiteKind(kind="Crate", resource="crates", versions={{"v1": "types.go"}}, handwritten=validate_crate)],
)
# The family is a part of the tests and not of the process of a suite.
sys.path.insert(0, {str(ROOT)!r})
__import__("tests.tags.invented").tags.invented.register()
"""


@pytest.fixture
def crates(tmp_path: Path) -> Path:
    """A suite whose types use the tags."""
    folder = tmp_path / "crates"
    folder.mkdir()
    files = {"doc.go": DOC, "types.go": TYPES + SPEC, "handwritten.py": HANDWRITTEN, "suite.py": SUITE}
    for name, text in files.items():
        (folder / name).write_text(text.lstrip(), encoding="utf-8")
    return folder


def searched(folder: Path, cases: int = 4000) -> Result:
    """What a run finds, with rule coverage."""
    spec = SubjectSpec("suite", str(folder))
    api = api_of(spec)
    assert api is not None
    return run(
        spec,
        RunConfig(seed=1, budget=Budget(max_cases=cases), observers={NAME: RuleObserverFactory(inventory_of(api))}),
    )


def test_a_run_meets_its_boundary_and_says_how_to_mend_what_it_finds(crates: Path) -> None:
    """Every limit is seen from both sides, and fixes name the tag."""
    result = searched(crates)
    (observed,) = result.observed[NAME]
    assert [True] * 3 == [sight.seen & ACCEPTED > 0 and sight.seen & REJECTED > 0 for sight in observed.rules.values()]
    fixes = {(one.path, one.cause): one.fix for one in result.findings}
    assert fixes["spec.weight", "boundary"].startswith(
        "give +k8s:maxWeight on spec.weight the limit of the handwritten check, 9"
    )
    assert fixes["spec.free", "no-rule"].startswith(
        'declare +k8s:alpha(since: "1.37")=+k8s:maxWeight=5 on spec.free, or take covered=True from invalid(...)'
    )
    assert fixes["spec.parts", "no-counterpart"].startswith(
        "remove +k8s:beta=+k8s:maxParts=2 from spec.parts, or write invalid(...)"
    )
    assert [] == [path for path, _ in fixes if path == "spec.label"]


def test_its_boundary_tests_are_exported(crates: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Inside the limit, at it, and beyond."""
    module = tmp_path / "test_label.py"
    told = call(capfd, "export", crates, "--kind", "crates", "--field", "spec.label", "--output", module)
    assert 0 == told.code, told.err
    text = module.read_text(encoding="utf-8")
    for row in ("inside the limit, 8 bytes", "at the limit, 9 bytes", "beyond the limit, 10 bytes"):
        assert f"spec.label: maxOctets 9: {row}" in text


def test_power_makes_mutants_of_its_answers(crates: Path) -> None:
    """Of a target that cannot be changed, too: a run that stops at the limit kills a limit that is off by one."""
    result = run(
        SubjectSpec("suite", str(crates)),
        RunConfig(seed=1, budget=Budget(max_cases=4000), observers={"power": Power()}),
    )
    (records,) = result.observed["power"]
    states = {one.operator: one.state for one in records if "spec.label" in one.location}
    assert ("killed", "killed") == (states[LIMIT_UP], states[LIMIT_DOWN])
