"""A change of tags becomes lines at the element that would have them, and rules that say what they would say."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.case import Operation, Validated
from harness.compare.change import TagChange
from harness.compiler import compile_types
from harness.diagnostics import InputError
from harness.field.facts import RuleDeclaration
from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.packages import Universe
from harness.subject.tagtrial import TagEdit, TagRefusal, TagTrials

TYPES = """package v1

type Widget struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:maxLength=8
	Name string `json:"name"`

	// +k8s:optional
	Note string `json:"note"`

	// +k8s:optional
	Color Color `json:"color"`

	// +k8s:optional
	Parts []Part `json:"parts"`

	// +k8s:optional
	Words []string `json:"words"`

	// +k8s:optional
	Sizes map[string]string `json:"sizes"`
}

type Part struct {
	Size int32 `json:"size"`
	Name string `json:"name"`
}

type Color string

const (
	Red Color = "red"
)
"""
BETA = '+k8s:beta(since: "1.37")='


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> tuple[TagTrials, Shape]:
    """Widgets, compiled with whatever tags somebody wants."""
    folder = tmp_path_factory.mktemp("types")
    (folder / "types.go").write_text(TYPES)
    universe = Universe.from_folders({"v1": Path(folder)})
    return TagTrials(universe, ["v1"], compile_types), shape_of(universe, "v1.Widget")


def edits(trials: tuple[TagTrials, Shape], change: TagChange, has_levels: bool = True) -> list[TagEdit]:
    """The edits of a change, none refused."""
    found = trials[0].edits(change, trials[1], has_levels)
    assert not isinstance(found, TagRefusal)
    return found


ADDED = [
    (TagChange("add", "note", ("+k8s:maxLength=3",)), TagEdit("v1.Widget", "note", (f"{BETA}+k8s:maxLength=3",))),
    (TagChange("add", "parts[*].size", ("+k8s:minimum=1",)), TagEdit("v1.Part", "size", (f"{BETA}+k8s:minimum=1",))),
    (
        TagChange("add", "words[*]", ("+k8s:maxLength=3",)),
        TagEdit("v1.Widget", "words", (f"{BETA}+k8s:eachVal=+k8s:maxLength=3",)),
    ),
    (
        TagChange("add", "words[*]", ("+k8s:listType=set",), place="list"),
        TagEdit("v1.Widget", "words", (f"{BETA}+k8s:listType=set",)),
    ),
    (TagChange("add", "color", ("+k8s:enum",), place="type"), TagEdit("v1.Color", "", (f"{BETA}+k8s:enum",))),
    (
        TagChange("add", "name", ("+k8s:maxLength=5",)),
        TagEdit("v1.Widget", "name", (f"{BETA}+k8s:maxLength=5",), (f"{BETA}+k8s:maxLength=8",)),
    ),
    (
        TagChange("add", "note", ("+k8s:dependentRequired(note)",), place="sibling", member="color"),
        TagEdit("v1.Widget", "color", (f"{BETA}+k8s:dependentRequired(note)",)),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), ADDED)
def test_a_tag_goes_to_the_element_of_its_path(
    trials: tuple[TagTrials, Shape], change: TagChange, expected: TagEdit
) -> None:
    """Items, types, lists and siblings have elements of their own; the level is that of the tags around."""
    assert expected == edits(trials, change)[0]


def test_without_levels_a_tag_stands_alone(trials: tuple[TagTrials, Shape]) -> None:
    """Where a kind has no levels, a rule without one has a handwritten check beside it."""
    (found,) = edits(trials, TagChange("add", "note", ("+k8s:maxLength=3",)), has_levels=False)
    assert ("+k8s:maxLength=3",) == found.added


def test_the_keys_of_a_map_are_tried_too(trials: tuple[TagTrials, Shape]) -> None:
    """An error of a key has the path of the map."""
    found = [one.added for one in edits(trials, TagChange("add", "sizes", ("+k8s:maxLength=3",)))]
    assert (f"{BETA}+k8s:eachKey=+k8s:maxLength=3",) in found


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (TagChange("add", "name", ("+k8s:required",)), f"{BETA}+k8s:required"),
        (TagChange("add", "nobody", ("+k8s:required",)), "the types have no field nobody of their own"),
        (TagChange("change", "name", ("+k8s:maxLength=8",), replaces=("k8s:maxLength",)), "+k8s:maxLength=8"),
        (TagChange("remove", "note", replaces=("k8s:maxLength",)), ""),
    ],
)
def test_what_is_there_already_or_nowhere_is_refused(
    trials: tuple[TagTrials, Shape], change: TagChange, reason: str
) -> None:
    """Nobody is told to write a tag that stands there, or to remove one that does not."""
    found = trials[0].edits(change, trials[1], True)
    assert isinstance(found, TagRefusal)
    assert reason == found.reason
    assert (found.reason.startswith("+")) == found.is_there


def test_a_limit_is_changed_under_its_level(trials: tuple[TagTrials, Shape]) -> None:
    """Only the innermost tag is another one."""
    (found,) = edits(trials, TagChange("change", "name", ("+k8s:maxLength=4",), replaces=("k8s:maxLength",)))
    assert TagEdit("v1.Widget", "name", (f"{BETA}+k8s:maxLength=4",), (f"{BETA}+k8s:maxLength=8",)) == found
    assert f"{BETA}+k8s:maxLength=4 in place of {BETA}+k8s:maxLength=8" == found.text


def test_the_line_of_a_tag_that_goes_is_known(trials: tuple[TagTrials, Shape]) -> None:
    """Of one that only comes there is none."""
    tags, shape = trials
    change = TagChange("remove", "name", ("+k8s:maxLength=8",), replaces=("k8s:maxLength",))
    found = tags.edits(change, shape, has_levels=True)
    assert isinstance(found, list)
    [removed] = found
    position = tags.position_of(removed)
    assert position is not None
    assert "maxLength=8" in TYPES.splitlines()[position.line - 1]
    assert None is tags.position_of(TagEdit(removed.type, removed.member, ("+k8s:required",)))


def test_changed_types_say_what_they_would_say(trials: tuple[TagTrials, Shape]) -> None:
    """The rules of an edit run on an object as the target validated it; the types themselves stay as they are."""
    given = Validated("v1.Widget", {"name": "abcdef", "parts": [{"size": -1}]})

    def said(edit: TagEdit) -> list[str]:
        return [one.field for one in trials[0].rules_with(edit).validate(Operation.CREATE, given)]

    (shorter,) = edits(trials, TagChange("change", "name", ("+k8s:maxLength=4",), replaces=("k8s:maxLength",)))
    size = edits(trials, TagChange("add", "parts[*].size", ("+k8s:minimum=1",)))[0]
    assert ["name"] == said(shorter)
    assert ["parts[0].size"] == said(size)
    (gone,) = edits(trials, TagChange("remove", "name", replaces=("k8s:maxLength",)))
    assert [] == said(gone)
    assert not trials[0].is_new(gone)


def test_a_tag_that_does_not_fit_its_type_says_so(trials: tuple[TagTrials, Shape]) -> None:
    """What cannot be compiled is an error of input when the rules are wanted, and no crash."""
    edit = edits(trials, TagChange("add", "note", ("+k8s:minimum=1",)))[0]
    with pytest.raises(InputError):
        trials[0].rules_with(edit).validate(Operation.CREATE, Validated("v1.Widget", {"name": "a"}))


def test_alternatives_are_changes_by_themselves() -> None:
    """A tag or another that would do as well are two changes, each without the other."""
    both = TagChange("add", "a", ("+x",), others=(RuleDeclaration(("+y",), "list"),))
    assert [(("+x",), "field"), (("+y",), "list")] == [(one.tags, one.place) for one in both.alternatives()]
