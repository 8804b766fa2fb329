"""The Hypothesis door: what is drawn, what is found, and what it shrinks to."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from harness.case import Json
from harness.diagnostics import UsageError
from harness.strategies import ask, differences, objects, pairs

ROOT = Path(__file__).parent.parent
MIGRATION = ROOT / "examples" / "migration"
HEAD = {"apiVersion": "backup.example.com/v1", "kind": "Backup"}
ACCEPTED = {**HEAD, "spec": {"schedule": "nightly", "keepDays": 7}}

quick = settings(max_examples=1000, database=None, derandomize=True)


def first_difference(new: Json, old: Json = None) -> tuple[str, str] | None:
    """Kind and path of the first difference."""
    found = differences(MIGRATION, "Backup", new, old)
    return (found[0].kind, found[0].path) if found else None


def test_a_limit_is_found_and_shrinks_to_the_day_on_which_they_differ() -> None:
    """The planted difference of the limits shrinks to 29 days."""
    found = find(
        objects(MIGRATION, "Backup"), lambda new: first_difference(new) == ("extra", "spec.keepDays"), settings=quick
    )
    assert 29 == found["spec"]["keepDays"]


def test_a_difference_of_updates_is_found() -> None:
    """The planted difference of ratcheting needs an old object that breaks the rule, and shrinks to no change of it."""
    wanted = ("unmatched", "spec.destination")
    old, new = find(
        pairs(MIGRATION, "Backup", lean="boundary"),
        lambda pair: first_difference(pair[1], pair[0]) == wanted,
        settings=settings(quick, max_examples=3000),
    )
    assert old["spec"]["destination"] == new["spec"]["destination"]
    assert 33 == len(new["spec"]["destination"])


PLAN_TYPES = """package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Plan struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec PlanSpec `json:"spec"`
}

type PlanSpec struct {
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:maxLength=8
	Title string `json:"title,omitempty"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:maxItems=2
	Steps []Step `json:"steps,omitempty"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:minimum=1
	Size *int32 `json:"size,omitempty"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:immutable
	Owner string `json:"owner,omitempty"`
}

type Step struct {
	// +k8s:optional
	Name string `json:"name,omitempty"`
}
"""
PLAN_HANDWRITTEN = """
from harness.field import Path
from harness.field.make import invalid, too_long_characters, too_many


def validate(new, old, context):
    spec, before = new.get("spec") or {}, (old or {}).get("spec") or {}
    path, found = Path().child("spec"), []
    if len(spec.get("title") or "") > 12 and before.get("title") != spec["title"]:  # declared: 8
        found.append(too_long_characters(path.child("title"), 12, origin="maxLength", covered=True))
    if len(spec.get("steps") or []) > 3 and before.get("steps") != spec["steps"]:  # declared: 2
        found.append(too_many(path.child("steps"), len(spec["steps"]), 3, origin="maxItems", covered=True))
    if (spec.get("size") if spec.get("size") is not None else 1) < 1:  # an unchanged one is not forgiven
        found.append(invalid(path.child("size"), spec["size"], "small", origin="minimum", covered=True))
    if old is not None and before.get("owner") and spec.get("owner") != before["owner"]:  # may be set later
        found.append(invalid(path.child("owner"), None, "field is immutable", origin="immutable", covered=True))
    return found
"""
PLAN_SUITE = """
from harness import Suite, SuiteKind
from .handwritten import validate

SUITE = Suite("plan_v1", "plan.example.com", [SuiteKind("Plan", "plans", {"v1": "types.go"}, validate)])
"""
PLAN = {"apiVersion": "plan.example.com/v1", "kind": "Plan"}
PLANTED_OBJECTS = {
    ("extra", "spec.title"): {**PLAN, "spec": {"title": "a" * 9}},
    ("extra", "spec.steps"): {**PLAN, "spec": {"steps": [{}, {}, {}]}},
}
PLANTED_PAIRS = {
    ("unmatched", "spec.size"): ({**PLAN, "spec": {"size": 0}}, {**PLAN, "spec": {"size": 0}}),
    ("extra", "spec.owner"): (PLAN, {**PLAN, "spec": {"owner": "a"}}),
    ("extra", "spec.title"): (PLAN, {**PLAN, "spec": {"title": "a" * 9}}),
}


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite with four planted differences."""
    folder = tmp_path_factory.mktemp("plan_v1")
    (folder / "types.go").write_text(PLAN_TYPES)
    (folder / "doc.go").write_text("// +k8s:validation-gen=TypesWithField=TypeMeta\n\npackage v1\n")
    (folder / "handwritten.py").write_text(PLAN_HANDWRITTEN)
    (folder / "suite.py").write_text(PLAN_SUITE)
    return folder


def shown(plans: Path, new: Json, old: Json = None) -> set[tuple[str, str]]:
    """Kinds and paths of the differences."""
    return {(one.kind, one.path) for one in differences(plans, "Plan", new, old)}


def test_trusted_words_are_no_difference(plans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a run takes for the same words is no difference here: shipped wordings, and those of the current folder."""
    too_small = {**PLAN, "spec": {"size": 0}}
    for name, words, own, expected in [
        ("other", "small", False, {("served", "spec.size")}),
        ("shipped", "must be positive", False, set()),
        ("project", "small", True, set()),
    ]:
        suite = tmp_path / name / "plan_v1"
        shutil.copytree(plans, suite, ignore=shutil.ignore_patterns("__pycache__"))
        (suite / "handwritten.py").write_text(PLAN_HANDWRITTEN.replace("small", words))
        if own:
            wording = "- {handwritten: small, declarative: '.*', reason: a test of the file of the current folder}"
            (tmp_path / name / "trusted_wordings.yaml").write_text(wording)
        monkeypatch.chdir(tmp_path / name)
        assert (name, expected) == (name, shown(suite, too_small))


@pytest.mark.parametrize("bug", PLANTED_OBJECTS)
def test_a_planted_difference_shrinks_to_the_smallest_object(plans: Path, bug: tuple[str, str]) -> None:
    """Nothing is left of an object but what shows the difference, and that is as short as can be."""
    found = find(objects(plans, "Plan"), lambda new: shown(plans, new) == {bug}, settings=quick)
    assert PLANTED_OBJECTS[bug] == found


@pytest.mark.parametrize("bug", PLANTED_PAIRS)
def test_a_planted_difference_of_updates_shrinks_to_the_smallest_pair(plans: Path, bug: tuple[str, str]) -> None:
    """Old and new become small together, and differ in nothing that does not matter."""

    def shows(old: Json, new: Json) -> bool:
        # None counts as absent, and is no larger than that to what shrinks.
        values = [value for one in (old, new) for value in (one.get("spec") or {}).values()]
        return shown(plans, new, old) == {bug} and None not in values

    old, new = find(pairs(plans, "Plan"), lambda pair: shows(*pair), settings=settings(quick, max_examples=3000))
    assert PLANTED_PAIRS[bug] == (old, new)


def drawn(strategy: st.SearchStrategy[Any], count: int = 100) -> list[Any]:
    """So many examples, unshrunk."""
    found: list[Any] = []

    @settings(max_examples=count, database=None, derandomize=True, deadline=None, phases=[Phase.generate])
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


def accepts(plans: Path, new: Json, old: Json = None) -> bool:
    """Whether both sides accept it."""
    answer = ask(plans, "Plan", new, old)
    return not answer.handwritten and not answer.declarative and answer.failure is None


def test_leaning_to_the_valid_side_most_is_accepted(plans: Path) -> None:
    """With `valid` most objects and pairs are accepted, and they are not all the same; with `boundary` fewer are."""
    valid, edgy = drawn(objects(plans, "Plan", lean="valid")), drawn(objects(plans, "Plan", lean="boundary"))
    assert sum(accepts(plans, obj) for obj in edgy) < 90 < sum(accepts(plans, obj) for obj in valid)
    assert 20 < len({repr(obj) for obj in valid})
    both = drawn(pairs(plans, "Plan", lean="valid"))
    assert 80 < sum(accepts(plans, new, old) for old, new in both)
    assert any(old != new for old, new in both)


def test_the_former_name_of_a_lean_means_the_same(plans: Path) -> None:
    """`edges` draws what `boundary` draws."""
    former: Any = "edges"
    assert drawn(objects(plans, "Plan", lean="boundary")) == drawn(objects(plans, "Plan", lean=former))


def test_a_valid_object_shrinks_to_the_smallest_accepted_one(plans: Path) -> None:
    """With `valid` nothing is cut off an accepted object."""
    found = find(objects(plans, "Plan", lean="valid"), lambda obj: True, settings=quick)
    assert accepts(plans, found)
    assert {**PLAN, "spec": {}} == {**found, "spec": found.get("spec", {})}


def test_nothing_valid_is_told(tmp_path: Path, plans: Path) -> None:
    """Where no accepted object is found, leaning to the valid side says what the validators say."""
    folder = shutil.copytree(plans, tmp_path / "never_v1")
    always = "    return [invalid(Path().child('spec'), None, 'never')]\n"
    (folder / "handwritten.py").write_text(PLAN_HANDWRITTEN.replace("    return found\n", always))
    with pytest.raises(UsageError, match=r"no Plan was found that both sides accept: .*never"):
        drawn(objects(folder, "Plan", lean="valid"), 1)
    assert drawn(objects(folder, "Plan"), 5)


def test_types_alone_are_a_subject(tmp_path: Path) -> None:
    """A folder of types has the tags to decide, and nothing is handwritten."""
    for name, text in (
        ("types.go", PLAN_TYPES),
        ("doc.go", "// +k8s:validation-gen=TypesWithField=TypeMeta\n\npackage v1\n"),
    ):
        (tmp_path / name).write_text(text)
    assert () == ask(tmp_path, "Plan", {"spec": {"size": 0}}).handwritten
    found = find(objects(tmp_path, "Plan"), lambda new: bool(ask(tmp_path, "Plan", new).declarative), settings=quick)
    assert 1 == len(found["spec"])


def test_the_most_stable_version_is_meant() -> None:
    """Without a version it is the last stable one, as Kubernetes orders them."""
    assert "traffic.example.com/v1" == drawn(objects(ROOT / "suites" / "policy_v1", "Policy"), 1)[0]["apiVersion"]


@pytest.mark.kubernetes
def test_objects_of_a_release() -> None:
    """A release is a subject by its number; several groups may have a kind, and one has to be named."""
    for lean in ("valid", "boundary"):
        found = drawn(objects("1.37.1", "CronJob", lean=lean), 40)
        answers = [ask("1.37.1", "CronJob", obj) for obj in found]
        sound = sum(not answer.handwritten and not answer.declarative for answer in answers)
        assert (sound > 25) == (lean == "valid")
    with pytest.raises(UsageError, match=r"name /Event or events\.k8s\.io/Event"):
        ask("1.37.1", "Event", {})


@settings(max_examples=30, database=None, deadline=None)
@given(objects(ROOT / "suites" / "workload_v1", "Scale"))
def test_objects_say_what_they_are(value: dict[str, Any]) -> None:
    """Everything drawn has the header of its kind, even for a kind that is a subresource only."""
    assert ("fleet.example.com/v1", "Scale") == (value["apiVersion"], value["kind"])


def test_an_answer_can_be_asked_for() -> None:
    """Both lists of one object or pair, for a test that looks closer."""
    assert () == ask(MIGRATION, "Backup", ACCEPTED).declarative
    changed = {**ACCEPTED, "spec": {"schedule": "weekly", "keepDays": 7}}
    answer = ask(MIGRATION, "Backup", changed, ACCEPTED)
    assert ["immutable"] == [error.origin for error in answer.handwritten]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kind": "Bakup"}, "did you mean Backup?"),
        ({"kind": "backups.example.com/Backup"}, "did you mean backup.example.com/Backup?"),
        ({"kind": "Backup", "version": "v2"}, "it serves backup.example.com/v1 backups"),
        ({"kind": "Backup", "subresource": "status"}, "it serves backup.example.com/v1 backups"),
    ],
)
def test_what_is_not_served_is_refused(arguments: dict[str, str], words: str) -> None:
    """A wrong name is told the right ones."""
    with pytest.raises(UsageError) as refused:
        ask(MIGRATION, new=ACCEPTED, **arguments)
    assert words in str(refused.value)


def test_a_folder_that_is_no_subject_is_refused(tmp_path: Path) -> None:
    """Neither a suite, nor types, nor a release: the message says what may be named."""
    with pytest.raises(UsageError, match=r"has neither a suite\.py nor Go types"):
        ask(tmp_path, "Plan", {})
    with pytest.raises(UsageError, match="is not a folder"):
        ask(tmp_path / "missing", "Plan", {})
