"""Each release is compiled as its own generator and check functions would: what 1.34 to 1.37 do differently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.compiler import compile_types
from harness.diagnostics import InputError, UsageError
from harness.field import FieldError
from harness.gotypes.packages import Universe
from harness.tags.registry import ALL_SPECS
from harness.tags.release import Release, release_of
from tests.compiler.fixtures import compiled, errors

RELEASES = ("1.34", "1.35", "1.36", "1.37")


def field(tags: str, go: str, more: str = "") -> str:
    """Return a root T with one field `f`; tags are divided by blanks."""
    lines = "".join(f"\t// +k8s:{tag}\n" for tag in tags.split())
    return f'type T struct {{\n{lines}\tF {go} `json:"f"`\n}}\n{more}'


def by_release(go: str, new: Any, old: Any = None, **more: Any) -> dict[str, list[str]]:
    """Return the errors of every release, as text."""
    return {name: [e.text for e in errors(go, new, old, release=name, **more)] for name in RELEASES}


def same(*texts: str, since: int) -> dict[str, list[str]]:
    """Return what is expected when a rule works from a release on and says the same ever since."""
    return {name: list(texts) if int(name[2:]) >= since else [] for name in RELEASES}


@pytest.mark.parametrize(
    ("text", "minor", "patch"),
    [("1.34", 34, 0), ("1.35.12", 35, 12), ("v1.36", 36, 0), ("1.37.1", 37, 1), ("1.37.0-rc.1", 37, 0)],
)
def test_releases_are_read(text: str, minor: int, patch: int) -> None:
    """A release is a minor version and a patch of it, the first one if none is named."""
    assert Release(minor, patch=patch) == release_of(text)


@pytest.mark.parametrize(
    ("text", "near"),
    [("1.32", "1.33"), ("1.38", "1.37"), ("2.0", "1.37"), ("0.9", "1.33"), ("new", "1.33, 1.34, 1.35")],
)
def test_other_releases_are_refused(text: str, near: str) -> None:
    """A release that is not known is refused with those that are."""
    with pytest.raises(UsageError, match=near):
        compiled('type T struct {\n\tF string `json:"f"`\n}', release=text)


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_knows_its_tags(name: str) -> None:
    """At the top a tag of another release is a warning that says when it came; nothing is checked."""
    minor = int(name[2:])
    for spec in ALL_SPECS.values():
        if spec.known_in(minor) or spec.proposal:
            continue
        (warning,) = compiled(field(spec.name.removeprefix("k8s:"), "string"), release=name).warnings
        since = f"it came with 1.{spec.since}" if spec.since > minor else f"1.{spec.until} was the last that had it"
        assert "tag-release" == warning.code
        assert f"{name} has no +{spec.name}: {since}" == warning.message


def test_nested_tags_of_another_release_are_errors() -> None:
    """Under another tag the generator would crash, so it is an error with the same words."""
    with pytest.raises(InputError) as caught:
        compiled(field("eachVal=+k8s:maxBytes=3", "[]string"), release="1.35")
    (diagnostic,) = caught.value.diagnostics
    assert "tag-release" == diagnostic.code
    assert "1.35 has no +k8s:maxBytes: it came with 1.36" in diagnostic.message


@pytest.mark.parametrize(
    ("name", "since"), [("k8s-uuid", 35), ("k8s-path-segment-name", 36), ("k8s-prefixed-label-key", 37)]
)
def test_formats_have_their_releases(name: str, since: int) -> None:
    """A format is refused by releases before its own; k8s-ip by all, since no generator ever took it."""
    for minor in (35, 36, 37):
        go = field(f"format={name}", "string")
        if minor >= since:
            assert compiled(go, release=f"1.{minor}").has_rules("T")
        else:
            with pytest.raises(InputError, match="unsupported validation format"):
                compiled(go, release=f"1.{minor}")
    with pytest.raises(InputError, match='unsupported validation format "k8s-ip"'):
        compiled(field("format=k8s-ip", "string"), release="1.35")


def test_immutable() -> None:
    """1.34 compares and forbids, without origin and without stopping anything; later releases rely on forgiveness."""
    go = field("immutable required", "string")
    cleared = by_release(go, {}, {"f": "a"})
    assert ["f: Required value"] == cleared["1.34"]
    assert [["f: Invalid value: null: field is immutable", "f: Required value"]] * 3 == list(cleared.values())[1:]
    plain = field("immutable", "string")
    (error,) = errors(plain, {"f": "b"}, {"f": "a"}, release="1.34")
    assert ("FieldValueForbidden", "", False) == (error.type, error.origin, error.short_circuit)
    assert same(since=38) == by_release(plain, {"f": "a"}, {"f": "a"})


ROOT = '// +k8s:immutable\ntype T struct {\n\tF string `json:"f"`\n}'


def test_a_root_is_forgiven_in_1_34_only() -> None:
    """1.34 skips a type's own rules when nothing changed, later releases never do (semantics.md#S15)."""
    assert same("<nil>: Invalid value: null: field is immutable", since=35) == by_release(ROOT, {"f": "a"}, {"f": "a"})


NEW_STRUCT = """type T struct {
	// +k8s:optional
	P *S `json:"p"`
}
type S struct {
	// +k8s:required
	X *string `json:"x"`
	// +k8s:required
	Y string `json:"y"`
}"""


def test_what_a_new_struct_leaves_unset() -> None:
    """1.34 takes an absent pointer in a struct that is new for unchanged; later releases do not."""
    seen = by_release(NEW_STRUCT, {"p": {}}, {})
    assert ["p.y: Required value"] == seen["1.34"]
    assert [["p.x: Required value", "p.y: Required value"]] * 3 == [seen[name] for name in RELEASES[1:]]


def test_the_first_stop_returned_in_1_34() -> None:
    """Two rules that stop: 1.34 reports the first that fails, later releases both (semantics.md#S3)."""
    go = field("forbidden required", "string")
    assert same("f: Required value", since=35) == by_release(go, {})  # 1.34 stops at forbidden's hidden optional
    both = field('validateFalse(flags:ShortCircuit)="a" validateFalse(flags:ShortCircuit)="b"', "string")
    assert {"1.34": 1, "1.35": 2, "1.36": 2, "1.37": 2} == {n: len(e) for n, e in by_release(both, {"f": "x"}).items()}


COHORTS = """type T struct {
	// +k8s:subfield(a)=+k8s:required
	// +k8s:subfield(b)=+k8s:required
	S S `json:"s"`
}
type S struct {
	A string `json:"a"`
	B string `json:"b"`
	// +k8s:required
	C string `json:"c"`
}"""


def test_cohorts() -> None:
    """Before 1.35 a subfield that stops ends the whole field."""
    all_of_it = ["s.a: Required value", "s.b: Required value", "s.c: Required value"]
    assert {"1.34": all_of_it[:1]} == {k: v for k, v in by_release(COHORTS, {}).items() if v != all_of_it}


def test_marks() -> None:
    """Only 1.37 tells that an error stopped something, and 1.36 is the first with levels."""
    marks: dict[str, FieldError] = {}
    for name in RELEASES:
        (marks[name],) = errors(field("required", "string"), {}, release=name)
    assert {"1.34": False, "1.35": False, "1.36": False, "1.37": True} == {
        name: error.short_circuit for name, error in marks.items()
    }
    go = field("alpha=+k8s:required", "string")
    assert ["", "", "alpha", "alpha"] == [
        next((e.level for e in errors(go, {}, release=name)), "") for name in RELEASES
    ]


@pytest.mark.parametrize(
    ("release", "defined", "expected"),
    [("1.35", None, []), ("1.36", None, []), ("1.37", None, ['f: Internal error: undefined validation option "F"'])],
)
def test_undefined_options(release: str, defined: Any, expected: list[str]) -> None:
    """Before 1.37 an option that nobody defined is off."""
    go = field("ifEnabled(F)=+k8s:maxLength=1", "string")
    assert expected == [e.text for e in errors(go, {"f": "ab"}, release=release, options=defined)]
    off = field("ifDisabled(F)=+k8s:maxLength=1", "string")
    assert 1 == len(errors(off, {"f": "ab"}, release=release, options=defined))


def test_max_length_counted_bytes_in_1_35() -> None:
    """Two letters of two bytes each are too long for 3 in 1.35 only."""
    seen = by_release(field("maxLength=3", "string"), {"f": "éé"})
    assert {"1.34": [], "1.35": ["f: Too long: may not be more than 3 bytes"], "1.36": [], "1.37": []} == seen


UNION = """type T struct {
	U U `json:"u"`
}
type U struct {
	// +k8s:unionMember
	A *string `json:"a"`
	// +k8s:unionMember
	B []string `json:"b"`
}"""


def test_unions() -> None:
    """Before 1.36 unions have no origin and an empty list is set."""
    for name in RELEASES:
        (error,) = errors(UNION, {"u": {}}, release=name)
        assert ("union" if name >= "1.36" else "") == error.origin
    assert {"1.34": 0, "1.35": 0, "1.36": 1, "1.37": 1} == {
        name: len(found) for name, found in by_release(UNION, {"u": {"b": []}}).items()
    }
    new_item = UNION.replace("U U `", "// +k8s:optional\n\tU *U `")
    assert {"1.34": 0, "1.35": 0, "1.36": 1, "1.37": 1} == {
        name: len(found) for name, found in by_release(new_item, {"u": {}}, {}).items()
    }


def test_nothing_ratcheted_in_1_33() -> None:
    """A value that an update leaves as it was is checked as on create; from 1.34 on it is not."""
    go, wrong = field("minimum=1", "int32"), {"f": -1}
    texts = {name: [e.text for e in errors(go, wrong, wrong, release=name)] for name in ("1.33", *RELEASES)}
    assert {"1.33": ["f: Invalid value: -1: must be greater than or equal to 1"]} == {
        n: t for n, t in texts.items() if t
    }


def test_a_patch_release_looks_at_unions_that_an_update_adds() -> None:
    """From 1.35.4 on, a union that was not there before is checked; its errors still have no origin."""
    go = UNION.replace("U U `", "// +k8s:optional\n\tU *U `")
    new: dict[str, Any] = {"u": {}}
    origins = {patch: [e.origin for e in errors(go, new, {}, release=f"1.35.{patch}")] for patch in (3, 4, 5)}
    assert {3: [], 4: [""], 5: [""]} == origins
    assert [] == errors(go, new, new, release="1.35.4")


ITEM = 'type I struct {\n\tK string `json:"k"`\n}'


def test_duplicate_keys() -> None:
    """1.34 has list-maps and does not refuse two items with one key."""
    go = field("listType=map listMapKey=k", "[]I", ITEM)
    twins = {"f": [{"k": "a"}, {"k": "a"}]}
    assert same('f[1]: Duplicate value: {"k":"a"}', since=35) == by_release(go, twins)


def test_lists_of_pointers() -> None:
    """They came with 1.37, and with them the refusal of nil items."""
    go = field("optional", "[]*I", ITEM)
    for name in RELEASES[:3]:
        with pytest.raises(InputError, match="lists of pointers are not supported"):
            compiled(go, release=name)
    assert ["f[0]: Required value"] == [e.text for e in errors(go, {"f": [None]})]


@pytest.mark.parametrize(
    ("tag", "go", "message"),
    [
        ("update=NoAddItem", "[]string", "unknown [+]k8s:update constraint: NoAddItem"),
        ("update=NoSet", "[]string", "[+]k8s:update=NoSet is currently not supported on list or map fields"),
        ("eachVal=+k8s:update=NoModify", "map[string]string", "cannot be specified on map values"),
    ],
)
def test_updates_of_lists(tag: str, go: str, message: str) -> None:
    """+k8s:update knows single fields only before 1.37."""
    for name in ("1.35", "1.36"):
        with pytest.raises(InputError, match=message):
            compiled(field(tag, go), release=name)
    compiled(field(tag if "AddItem" not in tag else "listType=set " + tag, go))


def test_order() -> None:
    """1.36 works in two passes, levels and items last, and groups after both; 1.37 sorts by name and defers."""
    go = field('beta=+k8s:minItems=9 eachVal=+k8s:minLength=5 listType=set minItems=8 validateFalse="x"', "[]string")
    kinds = {name: [e.type[10:] for e in errors(go, {"f": ["a", "a"]}, release=name)] for name in ("1.36", "1.37")}
    assert ["TooFew", "Invalid", "TooFew", "TooShort", "TooShort", "Duplicate"] == kinds["1.36"]
    assert ["TooFew", "TooFew", "Invalid", "TooShort", "TooShort", "Duplicate"] == kinds["1.37"]


def test_wrappers_do_not_reach_groups_before_1_37() -> None:
    """An option around a group's tag says nothing in 1.36; the level of the last tag counts."""
    go = field("ifEnabled(F)=+k8s:update=NoSet", "string")
    off = {"F": False}
    assert [1, 0] == [len(errors(go, {"f": "a"}, {"f": ""}, off, release=name)) for name in ("1.36", "1.37")]
    leveled = field("listType=atomic beta=+k8s:unique=set", "[]string")
    (error,) = errors(leveled, {"f": ["a", "a"]}, release="1.36")
    assert "beta" == error.level


def test_stops_are_inherited_since_1_37() -> None:
    """A subfield's rules see an unset optional member in 1.36."""
    go = """type T struct {
	// +k8s:subfield(x)=+k8s:neq=""
	S S `json:"s"`
}
type S struct {
	// +k8s:optional
	X string `json:"x"`
}"""
    text = 's.x: Invalid value: "": must not be equal to ""'
    assert {"1.34": [text], "1.35": [text], "1.36": [text], "1.37": []} == by_release(go, {})


MODES = """type T struct {
	// +k8s:discriminator(name: M)
	D int32 `json:"d"`
	// +k8s:member(value: "1", discriminator: M)=+k8s:required
	F *string `json:"f"`
}"""


def test_modes_by_their_older_names() -> None:
    """1.36 has numbers as modes and its own names of arguments; 1.37 knows none of it and warns."""
    assert ["f: Required value"] == [e.text for e in errors(MODES, {"d": 1}, release="1.36")]
    assert ["f: Forbidden"] == [e.text for e in errors(MODES, {"d": 2, "f": ""}, release="1.36")]
    newer = compiled(MODES)
    assert ["tag-release", "tag-release"] == [warning.code for warning in newer.warnings]
    assert "+k8s:modeDiscriminator came in its place" == newer.warnings[0].fix


def test_updates_without_an_old_value_panic_before_1_37() -> None:
    """A value with +k8s:update in a struct that is new reads what is not there."""
    go = NEW_STRUCT.replace("+k8s:required\n\tY", "+k8s:update=NoModify\n\tY").replace("\t// +k8s:required\n\tX", "\tX")
    assert [1, 0] == [len(errors(go, {"p": {"y": "a"}}, {}, release=name)) for name in ("1.36", "1.37")]


def test_subresource_paths() -> None:
    """Up to 1.35 the path is written bare, since 1.36 quoted."""
    go = "// +k8s:isSubresource=/scale\n" + field("required", "string")
    assert compiled(go, release="1.35").validates("T", "scale")
    with pytest.raises(InputError, match="unexpected character"):
        compiled(go, release="1.36")
    assert compiled(go.replace("/scale", '"/scale"'), release="1.36").validates("T", "scale")


def test_a_union_of_items_waits_for_all_its_members() -> None:
    """Before 1.37 too, where a tag did all its work at once: the union is made when every item is known."""
    go = (
        "type T struct {\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=k\n\t// +k8s:customUnique\n"
        '\t// +k8s:alpha=+k8s:item(k: "a")=+k8s:zeroOrOneOfMember\n'
        '\t// +k8s:alpha=+k8s:item(k: "b")=+k8s:zeroOrOneOfMember\n\tL []C `json:"l"`\n}\n\n'
        'type C struct {\n\tK string `json:"k"`\n}\n'
    )
    both = {"l": [{"k": "a"}, {"k": "b"}]}
    assert ["zeroOrOneOf"] == [error.origin for error in errors(go, both, release="1.36")]
    assert ["zeroOrOneOf"] == [error.origin for error in errors(go, both, release="1.37")]


def test_a_discriminator_alone_made_a_rule() -> None:
    """Before 1.37 a union without members counted as a rule, so that its type refused unknown subresources."""
    go = 'type T struct {\n\t// +k8s:unionDiscriminator\n\tD string `json:"d"`\n}'
    assert {"1.34": True, "1.35": True, "1.36": True, "1.37": False} == {
        name: compiled(go, release=name).has_rules("T") for name in RELEASES
    }
    assert [] == errors(go, {"d": "x"}, release="1.36")


def test_nil_structs_without_rules_of_their_own() -> None:
    """In 1.34 an unchanged nil struct is looked into, and that panics; later it is forgiven."""
    go = """type T struct {
	P *S `json:"p"`
}
type S struct {
	// +k8s:required
	X string `json:"x"`
}"""
    found = by_release(go, {}, {})
    assert found.pop("1.34")[0].startswith("<nil>: Internal error: panic")
    assert {"1.35": [], "1.36": [], "1.37": []} == found


def test_unions_of_items_name_their_list() -> None:
    """By its Go name in 1.34, by its JSON name later."""
    go = """type T struct {
	// +k8s:listType=map
	// +k8s:listMapKey=k
	// +k8s:item(k: "a")=+k8s:unionMember
	// +k8s:item(k: "b")=+k8s:unionMember
	Lines []I `json:"l"`
}
type I struct {
	K string `json:"k"`
}"""
    found = {release: text for release, (text,) in by_release(go, {}).items()}
    assert {"1.34": True, "1.35": False, "1.36": False, "1.37": False} == {r: "Lines[" in t for r, t in found.items()}


def test_constants_are_taken_out_since_1_35() -> None:
    """1.34 does not know the tag, and warns."""
    go = """// +k8s:enum
type E string

const (
	// +k8s:enumExclude
	A E = "a"
)

type T struct {
	F E `json:"f"`
}"""
    assert same('f: Unsupported value: "a"', since=35) == by_release(go, {"f": "a"})
    assert ["tag-release"] == [warning.code for warning in compiled(go, release="1.34").warnings]


def test_criteria_of_roots() -> None:
    """Before 1.37 a criterion is the name of a field alone; 1.37 says what it is."""
    go = "type A struct {\n\tTypeMeta int\n}\n\ntype B struct{}"
    assert ("A",) == compiled(go, release="1.36", criteria=["TypeMeta"]).types
    for name in RELEASES:
        assert ("A",) == compiled(go, release=name, criteria=["TypesWithField=TypeMeta"]).types


def test_doc_go_names_the_field_of_roots_by_a_bare_word(tmp_path: Path) -> None:
    """Before 1.37 any word after +k8s:validation-gen names a field; 1.37 stops at it."""
    (tmp_path / "doc.go").write_text(
        "// +k8s:validation-gen=TypeMeta\npackage example\n\ntype T struct {\n\tTypeMeta int\n}\n\ntype S struct{}\n"
    )
    universe = Universe.from_folders({"example": tmp_path})
    assert ("T",) == compile_types(universe, "example", release="1.36").types
    with pytest.raises(InputError):
        compile_types(universe, "example", release="1.37")
