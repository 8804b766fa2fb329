"""Generated code that is not that of its tags, without a handwritten side: a run finds what each mistake changes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Operation
from harness.engine import RunConfig, run
from harness.events import Budget, Result
from harness.rulecov.inventory import inventory_of
from harness.rulecov.observed import NAME, RuleObserverFactory
from harness.subject import SubjectSpec
from harness.subject.api import open_api
from harness.subject.opening import kind_of
from harness.subject.owntags import OwnTags, own_tags
from harness.subject.subject import Note, Subject
from harness.targets.target import Closing, Target

CASES = 2000
DOC = "// +k8s:validation-gen=TypesWithField=TypeMeta\npackage v1\n"
TYPES = """package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +k8s:optional
	Spec *WidgetSpec `json:"spec,omitempty"`
}

type WidgetSpec struct {
	// +k8s:optional
	// +k8s:maxItems=2
	Colors []string `json:"colors,omitempty"`
	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=name
	Ports []Port `json:"ports,omitempty"`
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:maxLength=3
	Note string `json:"note,omitempty"`
	// +k8s:optional
	// +k8s:minimum=1
	Size *int32 `json:"size,omitempty"`
}

type Port struct {
	// +k8s:required
	Name string `json:"name"`
	// +k8s:optional
	Number int32 `json:"number,omitempty"`
}
"""


class WithoutRatcheting(Closing):
    """A target whose generated code validates an update as if the object was new."""

    def __init__(self, inner: Target) -> None:
        self._inner, self.info = inner, inner.info

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        answers = []
        for case, answer in zip(cases, self._inner.ask(cases), strict=True):
            created = msgspec.structs.replace(case, operation=Operation.CREATE, old=None, validated=False)
            [new] = self._inner.ask([created])
            answers.append(msgspec.structs.replace(answer, declarative=new.declarative))
        return answers

    def submit(self, cases: Sequence[Case]) -> Any:
        answers = self.ask(cases)
        return type("Pending", (), {"result": lambda _s: answers, "wait": lambda _s, _t: True, "seconds": 0.0})()


def folder(place: Path, types: str) -> Path:
    """Write a package of types, which has the same import path wherever it is."""
    package = place / "v1"
    package.mkdir(parents=True)
    (package / "doc.go").write_text(DOC)
    (package / "types.go").write_text(types)
    return package


def search(tmp_path: Path, generated: str, ratchets: bool = True, cases: int = CASES) -> Result:
    """Search a target whose declarative side was generated from other types than those it has."""
    tags, code = folder(tmp_path / "tags", TYPES), folder(tmp_path / "code", generated)

    def opened(spec: SubjectSpec, note: Note) -> Subject:
        subject, api = kind_of("types").open(spec, note), open_api(tags)
        inner = subject.target if ratchets else WithoutRatcheting(subject.target)
        subject.target = OwnTags(inner, api.universe, lambda: own_tags(api, inner.info), note)
        return subject

    rules = {NAME: RuleObserverFactory(inventory_of(open_api(tags)))}
    config = RunConfig(seed=1, budget=Budget(max_cases=cases), observers=rules)
    return run(SubjectSpec("types", str(code)), config, opener=opened)


def found(result: Result) -> set[tuple[str, str, str]]:
    return {(one.path, one.type, one.side) for one in result.findings if one.mismatch == "generated"}


def test_generated_code_of_the_tags_has_no_finding(tmp_path: Path) -> None:
    """The same types give the same lists, in a share of the cases that is counted."""
    result = search(tmp_path, TYPES)
    assert () == tuple(one for one in result.findings if one.mismatch == "generated")
    assert CASES / 50 < result.generated_checked < CASES / 4


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("maxItems=2", "maxItems=3", ("spec.colors", "FieldValueTooMany", "")),
        ("maxItems=2", "maxItems=1", ("spec.colors", "FieldValueTooMany", "declarative")),
        ("listMapKey=name", "listMapKey=number", ("spec.ports[*]", "FieldValueDuplicate", "")),
        ('beta(since: "1.37")', 'alpha(since: "1.37")', ("spec.note", "FieldValueTooLong", "both")),
        ("\t// +k8s:minimum=1\n", "", ("spec.size", "FieldValueInvalid", "")),
        ("\tNote string", "\t// +k8s:minLength=2\n\tNote string", ("spec.note", "FieldValueTooShort", "declarative")),
    ],
)
def test_each_mistake_of_generated_code_is_found(
    tmp_path: Path, before: str, after: str, expected: tuple[str, str, str]
) -> None:
    """A limit off by one, both ways, a wrong key, a wrong level, a rule that is missing, and one too many."""
    assert before in TYPES
    result = search(tmp_path, TYPES.replace(before, after))
    assert expected in found(result)
    one = next(finding for finding in result.findings if (finding.path, finding.type, finding.side) == expected)
    assert "generated" == one.cause
    assert one.case.compiled


def test_lost_ratcheting_is_found(tmp_path: Path) -> None:
    """A value that an update leaves as it was is rejected: the tags let it through."""
    result = search(tmp_path, TYPES, ratchets=False)
    updates = {one.path for one in result.findings if one.mismatch == "generated" and one.operation == "update"}
    assert {"spec.colors", "spec.note", "spec.size"} <= updates


def test_what_is_compared_depends_on_the_cases_alone(tmp_path: Path) -> None:
    """Twice the same cases have the same share and the same findings."""
    changed = TYPES.replace("maxItems=2", "maxItems=3")
    first, second = (search(tmp_path / name, changed, cases=500) for name in ("a", "b"))
    assert first.generated_checked == second.generated_checked
    assert [one.fingerprint for one in first.findings] == [one.fingerprint for one in second.findings]
