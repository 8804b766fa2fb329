"""A fix of tags is told when it mends the finding and breaks nothing else, as far as that can be asked."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from harness import engine
from harness.case import TargetInfo
from harness.compare.change import TagChange
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compare.judge import judge
from harness.engine import RunConfig
from harness.engine.fixtrial import FixTrials
from harness.events import Budget
from harness.fuzzers.shape import ANY
from harness.subject import SubjectSpec
from harness.subject.tagtrial import TagRefusal
from tests.compare.builders import answer, case, drive, errors, info

TYPES = """package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Box struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:beta(since: "1.37")=+k8s:required
	Owner string `json:"owner"`
	Label Label `json:"label"`
}
OTHER
type Label struct {
	Text string `json:"text,omitempty"`
}
"""
BAG = """
type Bag struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:optional
	Tags []Label `json:"tags"`
}
"""
HANDWRITTEN = '''"""Validation of boxes."""

from harness.field import Path
from harness.field.make import required, too_long_characters


def validate_box(new, old, context):
    """A box has an owner, and a short label."""
    errors = []
    if not new.get("owner"):
        errors.append(required(Path().child("owner"), covered=True))
    text, before = (None if one is None else one.get("label", {}).get("text", "") for one in (new, old))
    if len(text) > 4 and text != before:
        errors.append(too_long_characters(Path().child("label", "text"), LIMIT, origin="maxLength", covered=True))
    return errors


def validate_bag(new, old, context):
    """A bag is never wrong."""
    return []
'''
SUITE = """from harness.suite import Suite, SuiteKind

from .handwritten import validate_bag, validate_box

KINDS = [SuiteKind("Box", "boxes", {"v1": "types.go"}, validate_box)]
KINDS += [SuiteKind("Bag", "bags", {"v1": "types.go"}, validate_bag)] if OTHER else []
SUITE = Suite("boxes", "boxes.example.com", KINDS)
"""


def findings(folder: Path, *, shared: bool, limit: int = 4, tag: str = "") -> dict[str, Finding]:
    """Search the suite of boxes, in which a rule for the text of labels is missing. Returns: findings by path."""
    folder.mkdir()
    types = TYPES.replace("OTHER", BAG if shared else "")
    if tag:
        types = types.replace("\tText", f"\t// {tag}\n\tText")
    (folder / "types.go").write_text(types)
    (folder / "handwritten.py").write_text(HANDWRITTEN.replace("LIMIT", str(limit)))
    (folder / "suite.py").write_text(SUITE.replace("OTHER", str(shared)))
    spec = SubjectSpec("suite", str(folder), in_process=True)
    result = engine.run(spec, RunConfig(seed=1, budget=Budget(None, 600), kinds=("boxes",)))
    return {one.path: one for one in result.findings if one.mismatch == "unmatched" and one.operation == "create"}


def test_a_tag_that_mends_the_finding_is_told_as_tried(tmp_path: Path) -> None:
    """The limit comes from the message, the level from the tags around it, and the change is data as well."""
    found = findings(tmp_path / "boxes", shared=False)["label.text"]
    tag = '+k8s:beta(since: "1.37")=+k8s:maxLength=4'
    assert "gone" == found.fix_tried
    assert found.fix.startswith(f"declare {tag} on label.text, or take covered=True from too_long_characters(...)")
    assert found.change is not None
    assert ("add", "label.text", (tag,), "v1") == (
        found.change.operation, found.change.path, found.change.tags, found.change.version,
    )  # fmt: skip
    assert found.change.source in found.fix


def test_a_tag_that_breaks_another_kind_is_not_told(tmp_path: Path) -> None:
    """A type that two kinds share has one comment: what only one of them checks is no rule of the type."""
    found = findings(tmp_path / "boxes", shared=True)["label.text"]
    assert found.fix_tried.startswith("differs: ")
    assert "boxes.example.com/v1 bags create" in found.fix_tried
    assert found.fix.startswith("take covered=True from too_long_characters(...) for label.text in handwritten.py")
    assert found.change is None


def test_a_limit_that_the_message_has_wrong_is_not_told(tmp_path: Path) -> None:
    """The check says 3 and rejects from 5 on: a rule with the limit that it names rejects 4."""
    found = findings(tmp_path / "boxes", shared=False, limit=3)["label.text"]
    assert found.fix_tried.startswith('differs: +k8s:beta(since: "1.37")=+k8s:maxLength=3: ')
    assert "declare" not in found.fix


@pytest.mark.parametrize("tag", ['+k8s:beta(since: "1.37")=+k8s:maxLength=9'])
def test_a_tag_that_is_there_is_replaced_or_left(tmp_path: Path, tag: str) -> None:
    """Nobody is told to declare a second limit."""
    found = findings(tmp_path / "boxes", shared=False, tag=tag)["label.text"]
    assert "boundary" == found.cause
    assert "gone" == found.fix_tried
    assert found.fix.startswith("give +k8s:maxLength on label.text the limit of the handwritten check, 4")


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ({"rules": False}, "generate the declarative validation of v1: +k8s:required on a is there already"),
        ({"through": "v2"}, "look why +k8s:required on a, which is there already, does not report this in v1; "
                            "no request names v1 deployments, which are registered and not served"),
        ({}, "look why +k8s:required on a, which is there already, does not report this in v1"),
    ],
)  # fmt: skip
def test_a_tag_that_is_there_is_told_of_the_version_that_lacks_its_rule(kind: dict[str, Any], told: str) -> None:
    """Versions share types: one that has the tag and does not report the error has no code for it, or no users."""
    lacking = info(**kind)
    here = info(version="v2", versions=("v1",))
    target = SimpleNamespace(info=TargetInfo("toy", kinds=(lacking, here)))
    tags = SimpleNamespace(edits=lambda *given: TagRefusal("+k8s:required", is_there=True))
    subject: Any = SimpleNamespace(tags=tags, target=target, shape=lambda one: ANY)
    one, asked = Comparator(here), case(version="v2")
    said = answer((), errors("Required@a"), versions={"v1": ()})
    [mismatch] = [found for found in one.compare(asked, said) if found.kind == "version"]
    finding = drive(judge(asked, said, mismatch, one, subject="toy"), lambda _: said)
    finding = msgspec.structs.replace(finding, change=TagChange("add", "a", ("+k8s:required",), "v1"))
    told_of = drive(FixTrials(subject, lambda info: one).run(finding, one), lambda _: said)
    assert (told, None) == (told_of.fix, told_of.change)
