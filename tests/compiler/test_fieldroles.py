"""What fields are to the rules around them: discriminators, members of unions, items without keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.compiler.fieldroles import FieldRoles
from harness.gotypes.packages import Universe
from harness.tags.families.lists import UNIQUE
from harness.tags.release import Release

_TYPES = """package v1

type Kind struct {
	// +featureGate=Whole
	Spec Spec `json:"spec"`
}

type Spec struct {
	// +k8s:unionDiscriminator
	Mode string `json:"mode"`
	// +k8s:beta(since: "1.37")=+k8s:unionMember
	One *Item `json:"one"`
	// +oneOf=Older
	Older *Item `json:"older"`
	// Says nothing of oneOf. A +featureGate=X within a sentence is none.
	Plain string `json:"plain"`
	// +k8s:listType=atomic
	Items []Item `json:"items"`
	// +k8s:listType=atomic
	// +k8s:alpha(since: "1.36")=+k8s:unique=map
	// +k8s:listMapKey=name
	Keyed []Item `json:"keyed"`
	Typed Keys `json:"typed"`
}

// +k8s:listType=set
type Keys []string

type Item struct {
	Inline `json:",inline"`
	Names []string `json:"names"`
}

type Inline struct {
	// +optional
	// +featureGate=First, Second
	Name string `json:"name"`
}

type Modes struct {
	// +k8s:listType=atomic
	Modes []Modal `json:"modes"`
	Two Ambiguous `json:"two"`
}

type Modal struct {
	// +k8s:beta(since: "1.37")=+k8s:modeDiscriminator
	Type string `json:"type"`
	// +k8s:beta(since: "1.37")=+k8s:ifMode("A")=+k8s:required
	One *Item `json:"one"`
	Other *Item `json:"other"`
}

type Ambiguous struct {
	// +k8s:modeDiscriminator(name: a)
	A string `json:"a"`
	// +k8s:modeDiscriminator(name: b)
	B string `json:"b"`
	// +k8s:ifMode(discriminator: a, value: "A")=+k8s:required
	One *Item `json:"one"`
}
"""


@pytest.fixture(scope="module")
def roles(tmp_path_factory: pytest.TempPathFactory) -> FieldRoles:
    """The roles of the fields above."""
    folder = tmp_path_factory.mktemp("api")
    (folder / "types.go").write_text(_TYPES)
    return FieldRoles(Universe({"api/v1": folder}), Release())


@pytest.mark.parametrize(
    ("path", "makes"),
    [
        ("spec.mode", True),
        ("spec.one", True),
        ("spec.older", True),
        ("spec.plain", False),
        ("spec.one.name", False),
        ("spec.unknown", False),
        ("", False),
    ],
)
def test_a_choice_is_made_by_discriminators_and_members(roles: FieldRoles, path: str, makes: bool) -> None:
    """The tags of the field say so, those of Kubernetes without rules too; prose does not."""
    assert makes == roles.makes_choice("api/v1.Kind", path)


UNIQUE_ITEMS = '+k8s:beta(since: "1.37")=+k8s:unique=map'
KEY = '+k8s:beta(since: "1.37")=+k8s:listMapKey'


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("spec.items[0].name", ("spec.items", UNIQUE_ITEMS, KEY, 18)),
        ("spec.items[0].names[1]", ("spec.items", UNIQUE_ITEMS, KEY, 18)),
        ("spec.keyed[0].names[1]", ("spec.keyed[*].names", "+k8s:listType=atomic, +k8s:unique=set", "", 31)),
        ("spec.keyed[0].name", None),
        ("spec.typed[0]", None),
        ("spec.items", None),
    ],
)
def test_a_list_without_keys_is_found_on_the_way(
    roles: FieldRoles, path: str, found: tuple[str, str, str, int] | None
) -> None:
    """The outermost list whose items have no identity counts; the list itself is not below it.

    Its tags get the level that most tags of the struct have.
    """
    told = roles.unkeyed_list("api/v1.Kind", path)
    assert found == (None if told is None else (told.path, told.tags, told.key_tag, told.position.line))


def test_an_older_release_has_no_tag_for_unique_items(tmp_path: Path) -> None:
    """There the type of the list is what tells its items apart."""
    (tmp_path / "types.go").write_text(_TYPES)
    told = FieldRoles(Universe({"api/v1": tmp_path}), Release(UNIQUE.since - 1)).unkeyed_list(
        "api/v1.Kind", "spec.keyed[0].names[1]"
    )
    assert told is not None
    assert "+k8s:listType=set" == told.tags


@pytest.mark.parametrize(
    ("path", "gates"),
    [
        ("spec.plain", [("Whole", "spec")]),
        ("spec.items[0].name", [("Whole", "spec"), ("First", "spec.items[*].name"), ("Second", "spec.items[*].name")]),
        ("metadata", []),
    ],
)
def test_gates_are_named_with_their_field(roles: FieldRoles, path: str, gates: list[tuple[str, str]]) -> None:
    """A field is behind the gates of those that contain it too, and may be behind several."""
    assert gates == list(roles.feature_gates("api/v1.Kind", path))


def test_a_field_has_its_name_in_go(roles: FieldRoles) -> None:
    """That of the field at the end of the path, also of an inlined one; none where the path leads elsewhere."""
    names = [
        roles.code_name("api/v1.Kind", path) for path in ("spec.mode", "spec.items[*].name", "spec.items[*]", "spec.no")
    ]
    assert ["Mode", "Name", "", ""] == names


@pytest.mark.parametrize(
    ("path", "mode"),
    [
        ("modes[0].one", "modes[*].type"),
        ("modes[0].other", ""),
        ("modes[0].one.name", ""),
        ("modes[0].type", ""),
        ("two.one", ""),
        ("nowhere", ""),
    ],
)
def test_the_field_whose_value_chooses_rules_is_known(roles: FieldRoles, path: str, mode: str) -> None:
    """It stands beside a field that has rules in one mode; where there are several, it is not told which."""
    assert mode == roles.mode_of("api/v1.Modes", path)
