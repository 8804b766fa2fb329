"""What is said of an API is what is compiled: rules in words, at full paths, versions side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.apidocs.document import ApiReference
from harness.apidocs.gather import gather, group_names, version_order
from harness.apidocs.sharing import kinds_of
from harness.apidocs.walk import TypeWalk
from harness.diagnostics import InputError
from harness.rulecov.declared import declared_rules
from harness.subject.api import ApiPackage, open_api
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.types import Types
from tests.apidocs import made


@pytest.fixture(scope="module")
def widgets(tmp_path_factory: pytest.TempPathFactory) -> ApiReference:
    """The small API, gathered once."""
    return made.widgets(tmp_path_factory.mktemp("api"))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("metadata.name", ["a DNS label: lower-case letters, digits and `-`, at most 63 bytes (`k8s-short-name`)"]),
        ("spec.name", ["required, not empty", "may not change once created", "at most 63 characters"]),
        ("spec.parts", ["may be absent", "at most 1,000 items", "items must differ in `id`"]),
        ("spec.parts[id=main]", ["may be neither changed nor added"]),
        ("spec.parts[*].count", ["at least 1"]),
        ("spec.sizes", ["each key: at most 1 byte of UTF-8"]),
        ("spec.sizes[*]", ["at least 3"]),
        ("spec.speed", ["at most 9 while `Turbo` is on"]),
        ("spec.gear", ["required when `mode` is `Fast`", "must be absent unless `mode` is `Fast`"]),
        ("spec.once", ["may be set once; then it may be neither modified nor cleared"]),
        ("spec.odd", ["checked by the handwritten function `ValidateCustom_WidgetSpec_Odd`"]),
        ("spec.choice", ["exactly one of `a` and `b` must be set"]),
        ("spec.choice.c", ["must be absent when `a` is set"]),
        ("spec.word", ['not "x"']),
    ],
)
def test_rules_are_said_in_words(widgets: ApiReference, path: str, words: list[str]) -> None:
    """Each rule stands at the path its errors have, with units and conditions."""
    assert sorted(words) == sorted(made.said(widgets, path))


def test_versions_stand_side_by_side(widgets: ApiReference) -> None:
    """A rule has a level in each version, or is absent where the field is, or the version has no such field."""
    by_words = {one.text: dict(one.states) for one in made.row(widgets, "spec.name").statements}
    assert {"v1": "standard", "v1beta1": "alpha"} == by_words["at most 63 characters"]
    assert {"v1": "standard", "v1beta1": "absent"} == by_words["may not change once created"]
    assert {"v1": "no field", "v1beta1": "standard"} == dict(made.row(widgets, "spec.age").statements[0].states)
    assert {"v1": "beta", "v1beta1": "absent"} == dict(made.row(widgets, "spec.word").statements[0].states)


def test_places_are_lines_of_tags(widgets: ApiReference) -> None:
    """A rule names the very line of its tag, in the folders that everybody has."""
    statements = {one.text: one for one in made.row(widgets, "spec.name").statements}
    assert made.line_of("+k8s:maxLength=63") == statements["at most 63 characters"].positions["v1"]
    assert made.line_of('+k8s:ifMode("Fast")') == made.row(widgets, "spec.gear").statements[0].positions["v1"]
    assert made.line_of("+k8s:item(id: main)") == made.row(widgets, "spec.parts[id=main]").statements[0].positions["v1"]


def test_a_type_that_holds_itself_is_linked(widgets: ApiReference) -> None:
    """It has a section of its own, which says where it is used, itself included."""
    assert made.TREE == made.row(widgets, "tree").link
    tree = made.section(widgets, "Tree")
    assert ["at most 1 character"] == made.said(widgets, "leaf", "Tree")
    assert [("Widget", "tree"), ("Tree", "left")] == [(key.name, path) for key, path in tree.used_by]
    assert (made.TREE,) == made.section(widgets, "Widget").linked_types


def test_a_type_that_many_kinds_use_is_documented_once(tmp_path: Path) -> None:
    """Three kinds link to it; two would have it written out in full."""
    kind = 'type {0} struct {{\n\tTypeMeta int\n\tPart Part `json:"part"`\n}}\n'
    fields = "".join(f'\t// +k8s:maxLength={n}\n\tF{n} string `json:"f{n}"`\n' for n in range(3))
    part = f"type Part struct {{\n{fields}}}\n"
    three = made.api(tmp_path, v1="package v1\n\n" + part + "".join(kind.format(name) for name in "ABC"))
    assert {"Part"} == {one.name for name in "ABC" for one in made.section(three, name).linked_types}
    assert 3 == made.section(three, "A").total_rules
    again = tmp_path / "two"
    again.mkdir()
    two = made.api(again, v1="package v1\n\n" + part + "".join(kind.format(name) for name in "AB"))
    assert ["at most 2 characters"] == made.said(two, "part.f2", "A")


def test_a_tower_of_types_stays_small(tmp_path: Path) -> None:
    """Types that double at every level are linked, so that the document does not double too."""
    levels = "".join(
        f'type L{n} struct {{\n\tA *L{n + 1} `json:"a"`\n\tB *L{n + 1} `json:"b"`\n'
        f'\t// +k8s:maxLength=1\n\tC string `json:"c"`\n}}\n'
        for n in range(40)
    )
    last = 'type L40 struct {\n\t// +k8s:maxLength=1\n\tC string `json:"c"`\n}\n'
    root = 'type Root struct {\n\tTypeMeta int\n\tL L0 `json:"l"`\n}\n'
    document = made.api(tmp_path, v1=f"package v1\n\n{root}{levels}{last}")
    assert document.rule_count < 400


@pytest.mark.kubernetes
def test_every_declared_rule_is_said() -> None:
    """What upstream's coverage knows as a rule stands at its path; a type in itself is looked into once."""
    api = open_api(kubernetes="1.37.1")
    document = gather(api)
    said = {
        (group.name, version, section.key.name): {
            made.without_items(path) for path, _, _ in made.followed(document, section, version)
        }
        for group in document.groups
        for section in group.kinds
        for version in section.versions
    }
    rules = declared_rules(api)
    missing = [r for r in rules if made.without_items(r.path) not in said[r.group or "core", r.version, r.kind]]
    assert [] == missing
    assert len(rules) > 2900


def test_kinds_without_rules_are_listed(widgets: ApiReference) -> None:
    """Nothing is left out in silence."""
    assert (("Quiet", ("v1",)),) == widgets.groups[0].without_rules


def test_subresources_and_summaries_are_said(widgets: ApiReference) -> None:
    """A kind says which requests it answers, and the first sentence of its comment."""
    widget = made.section(widgets, "Widget")
    assert {"v1": ("/", "/status"), "v1beta1": ("/",)} == widget.requests
    assert "Widget is made of parts." == widget.summary
    assert "Name is what people say." == made.row(widgets, "spec.name").summary


_CORNERS = """package v1

type Widget struct {
	TypeMeta int
	// +k8s:optional
	// +k8s:eachVal=+k8s:opaqueType
	Pointers []*Item `json:"pointers"`
	ByName map[Name]Item `json:"byName"`
	// +k8s:listType=set
	// +k8s:eachVal=+k8s:maxLength=2
	Words []string `json:"words"`
	// +k8s:listType=atomic
	// +k8s:eachVal=+k8s:maxLength=2
	Lines []string `json:"lines"`
	// +k8s:neq="x"
	Hidden string `json:"-"`
	// +k8s:subfield(member)=+k8s:maxLength=1
	Inner Inner `json:"inner"`
	Bool Flagged `json:"flagged"`
}

// +k8s:maxLength=7
type Name string

type Item struct {
	// +k8s:minimum=1
	Count int32 `json:"count"`
}

type Inner struct {
	// +k8s:optional
	Member string `json:"member"`
}

type Flagged struct {
	// +k8s:modeDiscriminator
	On bool `json:"on"`
	// +k8s:ifMode("true")=+k8s:required
	Extra *string `json:"extra"`
}
"""


def test_corners_are_said(tmp_path: Path) -> None:
    """Keys of a type with rules, nil items, fields outside of JSON, stops that a member brings along."""
    corners = made.api(tmp_path, v1=_CORNERS)
    assert ["each key: at most 7 characters"] == made.said(corners, "byName")
    assert ["at least 1"] == made.said(corners, "byName[*].count")
    assert ["may be absent", "no item may be null"] == made.said(corners, "pointers")
    assert ["may be absent", "at most 1 character"] == sorted(made.said(corners, "inner.member"), reverse=True)
    assert ('not "x"', True) == (made.said(corners, "")[0], "Hidden" in made.row(corners, "").notes[0])
    assert "told apart by value" in made.row(corners, "words").notes[0]
    assert "every item is checked again" in made.row(corners, "lines").notes[0]
    assert "must be absent unless `on` is `true`" in made.said(corners, "flagged.extra")


def test_types_generated_in_two_places_are_one_version(tmp_path: Path) -> None:
    """Other roots of the same types add to what is said; they take nothing away."""
    made.widgets(tmp_path)
    api = open_api(tmp_path)
    (old, *_) = api.packages
    twice = replace(api, packages=(replace(old, criteria=("TypesWithSuffix=Spec",)), *api.packages))
    assert made.section(gather(api), "Widget").rows == made.section(gather(twice), "Widget").rows


def test_options_are_named(widgets: ApiReference) -> None:
    """A kind says which options its rules look up."""
    assert ("Turbo",) == made.section(widgets, "Widget").options


def test_members_say_what_binds_them(widgets: ApiReference) -> None:
    """A field of a union says so even when it has no rule of its own."""
    assert ("exactly one of `a` and `b` must be set",) == made.row(widgets, "spec.choice.b").notes
    assert "`c` must be absent when `a` is set" in made.row(widgets, "spec.choice.a").notes


def test_lists_say_what_an_update_ratchets(widgets: ApiReference) -> None:
    """What tells items apart decides which of them are checked again."""
    (note,) = made.row(widgets, "spec.parts").notes
    assert "items are told apart by `id`: an update ratchets those that did not change" == note


def test_everything_wrong_is_told_at_once(tmp_path: Path) -> None:
    """Bad types of all packages are diagnostics together."""
    bad = 'package {0}\n\ntype T struct {{\n\tTypeMeta int\n\t// +k8s:maxLength=x\n\tF string `json:"f"`\n}}\n'
    with pytest.raises(InputError) as raised:
        made.api(tmp_path, v1=bad.format("v1"), v2=bad.format("v2"))
    assert 2 == len(raised.value.diagnostics)


def test_packages_that_ask_for_nothing_are_named(tmp_path: Path) -> None:
    """+k8s:validation-gen=false is respected and said."""
    (tmp_path / "doc.go").write_text("// +k8s:validation-gen=false\npackage v1\n", encoding="utf-8")
    (tmp_path / "types.go").write_text("package v1\n\ntype T struct {\n\tTypeMeta int\n}\n", encoding="utf-8")
    document = gather(open_api(tmp_path))
    assert ((), 1) == (document.groups, len(document.skipped))


def test_versions_sort_newest_and_most_stable_first() -> None:
    """As Kubernetes sorts them; what is no version comes last."""
    assert ["v2", "v1", "v1beta2", "v1beta1", "v2alpha1", "widgets"] == sorted(
        ["widgets", "v1beta1", "v2alpha1", "v1", "v1beta2", "v2"], key=version_order
    )


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["a.io/api/x/v1", "a.io/api/x/v2"], ["x", "x"]),
        (["a.io/api/x/v1", "a.io/api/y/v1"], ["x", "y"]),
        (["a.io/t/list/simple", "a.io/t/map/simple", "a.io/t/other"], ["list/simple", "map/simple", "other"]),
        (["widgets"], ["widgets"]),
    ],
)
def test_groups_without_a_name_are_their_folders(paths: list[str], names: list[str]) -> None:
    """What all packages share is left out; what is left tells them apart."""
    packages = [ApiPackage(path, "", path.rpartition("/")[2]) for path in paths]
    assert names == list(group_names(packages).values())


def test_two_packages_of_one_group_and_version_stay_apart() -> None:
    """A name that is claimed twice is nobody's."""
    packages = [ApiPackage("a.io/x/v1", "g", "v1"), ApiPackage("a.io/y/v1", "g", "v1"), ApiPackage("z/v1", "x", "v1")]
    assert {"z/v1": "x", "a.io/x/v1": "a.io/x/v1", "a.io/y/v1": "y"} == group_names(packages)


@pytest.mark.kubernetes
def test_a_release_is_documented_whole() -> None:
    """Every kind of a real release that has rules has a section, and every rule words."""
    document = gather(open_api(kubernetes="1.37.1"))
    assert document.kind_count > 70
    assert [] == [
        (section.key, row.path)
        for group in document.groups
        for section in group.sections
        for row in section.rows
        for one in row.statements
        if not one.text
    ]
    assert {"v1": "beta", "v1beta2": "beta", "v1beta1": "beta"} == dict(
        made.row(document, "spec", "ResourceClaim").statements[0].states
    )


@pytest.mark.kubernetes
def test_links_lose_no_rule() -> None:
    """Followed through its links, a kind has exactly the rules of a walk that links nothing."""
    api = open_api(kubernetes="1.37.1")
    document = gather(api)
    types = Types(api.universe)
    seen = 0
    for package in api.packages:
        if package.path.removeprefix("k8s.io/api/") in ("apps/v1", "batch/v1", "networking/v1", "resource/v1beta2"):
            plan = api.compile(package, CustomFunctions()).plan
            for root in kinds_of(plan, types):
                if root.type in plan.types:
                    walk = TypeWalk(types, plan, lambda name: None)
                    walk.walk(root.type)
                    whole = {(row.path, one.text, one.level) for row in walk.rows.values() for one, _ in row.rules}
                    kind = made.section(document, root.name, package.group)
                    assert whole == made.followed(document, kind, package.version), root.name
                    seen += 1
    assert seen > 15


UNIONS = """package v1

type T struct {
	// +k8s:optional
	// +k8s:unionMember
	A *string `json:"a"`
	// +k8s:optional
	// +k8s:unionMember
	B *string `json:"b"`
	// +k8s:optional
	// +k8s:zeroOrOneOfMember
	X *string `json:"x"`
	// +k8s:optional
	// +k8s:zeroOrOneOfMember
	Y *string `json:"y"`
	// +k8s:optional
	Chosen *Chosen `json:"chosen"`
	// +k8s:optional
	Empty *Empty `json:"empty"`
}

type Chosen struct {
	// +k8s:required
	// +k8s:unionDiscriminator
	Kind string `json:"kind"`
	// +k8s:optional
	// +k8s:unionMember
	C *string `json:"c"`
}

type Empty struct {
	// +k8s:required
	// +k8s:unionDiscriminator
	Kind string `json:"kind"`
}
"""


@pytest.mark.parametrize("release", ["1.34", "1.35", "1.36", "1.37"])
def test_unions_are_said_in_words_under_the_tags_of_every_release(release: str, tmp_path: Path) -> None:
    """Unions with and without a discriminator, and one without members, whatever a release does about them."""
    (tmp_path / "types.go").write_text(UNIONS)
    document = gather(open_api(str(tmp_path), release=release))
    sections = [section for group in document.groups for section in group.sections]
    words = [told.text for section in sections for row in section.rows for told in row.statements]
    wanted = [
        "exactly one of `a` and `b` must be set",
        "at most one of `x` and `y` may be set",
        "`kind` selects the only member that must be set: `c` when it is `C`",
    ]
    assert [1, 1, 1] == [words.count(one) for one in wanted]
    empty = "`kind` selects the member of a union that must be set, but the union has no members"
    assert (release != "1.37") == (empty in words)
