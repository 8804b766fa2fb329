"""The surprises of semantics.md#10 that concern what the compiler does: each as upstream does it, however odd."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from harness.case import Operation
from harness.compiler import compile_types
from harness.diagnostics import InputError
from harness.gotypes.packages import Universe
from tests.compiler.fixtures import compiled, errors, seen, universe_of

REQUIRED = "Required value"


def test_s1_trailing_comment_belongs_to_the_next_field() -> None:
    """A comment after a field is the doc comment of the field below."""
    go = 'type T struct {\n\tA string `json:"a"` // +k8s:required\n\tB string `json:"b"`\n}'
    assert [f"b: {REQUIRED}"] == seen(go, {"a": "x"})
    assert seen(go, {"b": "x"}) == []


def test_s2_levels_do_not_soften_control_flow() -> None:
    """An alpha rule that stops hides standard rules."""
    go = """type T struct {
	// +k8s:alpha(since: "1.37")=+k8s:maxItems=3
	// +k8s:eachVal=+k8s:minLength=1
	L []string `json:"l"`
}"""
    (error,) = errors(go, {"l": ["", "", "", ""]})
    assert (error.type, error.level, error.short_circuit) == ("FieldValueTooMany", "alpha", True)
    assert seen(go, {"l": [""]}) == ["l[0]: Too short: must be at least 1 character"]


def test_s3_all_short_circuits_run() -> None:
    """Clearing a value that is required and may not be cleared gives both errors."""
    go = 'type T struct {\n\t// +k8s:required\n\t// +k8s:update=NoUnset\n\tA string `json:"a"`\n}'
    assert [f"a: {REQUIRED}", "a: Invalid value: null: field cannot be cleared once set"] == seen(go, {}, {"a": "x"})


IMMUTABLE_MEMBER = """type T struct {
	// +k8s:optional
	P *S `json:"p"`
}
type S struct {
	// +k8s:optional
	// +k8s:immutable
	X string `json:"x"`
}"""


def test_s4_immutable_never_compares() -> None:
    """In a struct that is new, an immutable member fails even when it is unset; in an old one only when changed."""
    assert seen(IMMUTABLE_MEMBER, {"p": {}}, {}) == ["p.x: Invalid value: null: field is immutable"]
    assert seen(IMMUTABLE_MEMBER, {"p": {"x": "a"}}, {"p": {"x": "a"}}) == []
    assert seen(IMMUTABLE_MEMBER, {"p": {}}, {"p": {"x": "a"}}) == ["p.x: Invalid value: null: field is immutable"]
    assert seen(IMMUTABLE_MEMBER, {"p": {"x": "a"}}) == []


def test_s5_nil_struct_panics() -> None:
    """A nil struct that nothing stops is one Internal error, and all others are lost."""
    go = """type T struct {
	// +k8s:required
	A string `json:"a"`
	Q *S `json:"q"`
}
type S struct {
	// +k8s:required
	X string `json:"x"`
}"""
    text = "panic during declarative validation: runtime error: invalid memory address or nil pointer dereference"
    assert [f"<nil>: Internal error: {text}"] == seen(go, {})
    assert [f"a: {REQUIRED}", f"q.x: {REQUIRED}"] == seen(go, {"q": {}})
    assert [f"a: {REQUIRED}"] == seen(go.replace("\tQ *S", "\t// +k8s:optional\n\tQ *S"), {})


def test_s7_an_option_loses_the_cohort() -> None:
    """A stop under ifEnabled ends the whole field, a stop of a subfield only its cohort."""
    go = """type T struct {
	// TAG+k8s:subfield(a)=+k8s:required
	// +k8s:subfield(b)=+k8s:format=k8s-short-name
	S S `json:"s"`
}
type S struct {
	A string `json:"a"`
	B string `json:"b"`
}"""
    plain = go.replace("TAG", "")
    assert [e.field for e in errors(plain, {"s": {"b": "-"}})] == ["s.a", "s.b"]
    under = go.replace("TAG", "+k8s:ifEnabled(F)=")
    assert [e.field for e in errors(under, {"s": {"b": "-"}}, None, {"F": True})] == ["s.a"]
    assert [e.field for e in errors(under, {"s": {"b": "-"}}, None, {"F": False})] == ["s.b"]


def test_s8_nested_level_is_lost_for_validators_without_arguments() -> None:
    """Under eachVal a format becomes standard, a limit keeps its level."""
    go = 'type T struct {\n\t// +k8s:eachVal=+k8s:alpha=+k8s:TAG\n\tL []string `json:"l"`\n}'
    assert [e.level for e in errors(go.replace("TAG", "format=k8s-short-name"), {"l": ["-"]})] == [""]
    assert [e.level for e in errors(go.replace("TAG", "minLength=1"), {"l": [""]})] == ["alpha"]


MODES = """type T struct {
	// +k8s:modeDiscriminator
	D string `json:"d"`
	TAGS
	F FTYPE `json:"f"`
}"""


def test_s9_modes_drop_what_is_deferred() -> None:
    """eachVal under ifMode does nothing except forbidding the field in other modes."""
    go = MODES.replace("TAGS", '// +k8s:ifMode("A")=+k8s:eachVal=+k8s:minLength=1').replace("FTYPE", "[]string")
    assert seen(go, {"d": "A", "f": [""]}) == []
    assert seen(go, {"d": "B", "f": [""]}) == ["f: Forbidden"]


def test_s10_modes_keep_tag_order() -> None:
    """A rule written before `required` runs on the unset value."""
    tags = '// +k8s:ifMode("B")=+k8s:minItems=1\n\t// +k8s:ifMode("B")=+k8s:required'
    go = MODES.replace("TAGS", tags).replace("FTYPE", "[]string")
    assert ["f: Too few: 0: must have at least 1 item", f"f: {REQUIRED}"] == seen(go, {"d": "B"})


def test_s11_immutable_in_a_mode_fires_on_the_mode_alone() -> None:
    """Changing only the discriminator to the mode counts as a change."""
    go = MODES.replace("TAGS", '// +k8s:ifMode("A")=+k8s:immutable\n\t// +k8s:ifMode("B")=+k8s:optional')
    go = go.replace("FTYPE", "string")
    assert [e.field for e in errors(go, {"d": "A", "f": "v"}, {"d": "B", "f": "v"})] == ["f"]
    assert seen(go, {"d": "A", "f": "v"}, {"d": "A", "f": "v"}) == []


def test_s13_groups_take_the_wrappers_of_their_first_tag() -> None:
    """One member under an option and alpha makes the whole union so."""
    go = """type T struct {
	// +k8s:ifEnabled(X)=+k8s:alpha=+k8s:unionMember
	A *string `json:"a"`
	// +k8s:unionMember
	B *string `json:"b"`
}"""
    assert seen(go, {}, None, {"X": False}) == []
    (error,) = errors(go, {}, None, {"X": True})
    assert (error.field, error.level) == ("<nil>", "alpha")


def test_s14_undefined_option_under_optional_is_swallowed() -> None:
    """It stops the field without a word."""
    go = 'type T struct {\n\t// +k8s:ifEnabled(Nope)=+k8s:optional\n\t// +k8s:minLength=3\n\tA string `json:"a"`\n}'
    assert seen(go, {"a": "a"}) == []
    assert [e.field for e in errors(go, {"a": "a"}, None, {"Nope": True})] == ["a"]


def test_s44_undefined_option_under_required_is_an_internal_error() -> None:
    """It carries the short-circuit mark of what it wraps; 1.36 takes the option as off."""
    go = 'type T struct {\n\t// +k8s:ifEnabled(F)=+k8s:required\n\tA string `json:"a"`\n}'
    (error,) = errors(go, {"a": "a"})
    assert (error.text, error.short_circuit) == ('a: Internal error: undefined validation option "F"', True)
    assert errors(go, {}, release="1.36") == []


def test_s15_root_rules_ignore_ratcheting() -> None:
    """An immutable root type refuses an update that changes nothing."""
    go = '// +k8s:immutable\ntype T struct {\n\tA string `json:"a"`\n}'
    assert seen(go, {"a": "x"}, {"a": "x"}) == ["<nil>: Invalid value: null: field is immutable"]


def test_s16_unions_ratchet_on_what_is_set() -> None:
    """A union that was broken stays forgiven while only contents change."""
    go = 'type T struct {\n\tS S `json:"s"`\n}\ntype S struct {\n'
    go += "".join(f'\t// +k8s:unionMember\n\t{n} *string `json:"{n.lower()}"`\n' for n in "AB") + "}"
    assert seen(go, {"s": {"a": "1", "b": "2"}}, {"s": {"a": "0", "b": "2"}}) == []
    assert [e.field for e in errors(go, {"s": {"a": "1", "b": "2"}}, {"s": {"a": "1"}})] == ["s"]


OPAQUE = """type T struct {
	// TAG
	A FTYPE `json:"a"`
}
type S struct {
	// +k8s:required
	X string `json:"x"`
}
type L []S"""


@pytest.mark.parametrize(
    ("tag", "kind", "value", "fields"),
    [
        ("+k8s:ifEnabled(F)=+k8s:opaqueType", "S", {}, []),
        ("+k8s:alpha=+k8s:opaqueType", "*S", {}, []),
        ("+k8s:opaqueType", "[]S", [{}], ["a[0].x"]),
        ("+k8s:eachVal=+k8s:opaqueType", "[]S", [{}], []),
        ("+k8s:eachVal=+k8s:opaqueType", "L", [{}], ["a[0].x"]),
        ("none", "map[string]S", {"k": {}}, ["a[k].x"]),
        ("+k8s:eachVal=+k8s:opaqueType", "map[string]S", {"k": {}}, []),
    ],
)
def test_s18_s19_opacity(tag: str, kind: str, value: object, fields: list[str]) -> None:
    """Opacity is unconditional, and does nothing on unnamed lists or through typedefs."""
    go = OPAQUE.replace("TAG", tag).replace("FTYPE", kind)
    assert fields == [e.field for e in errors(go, {"a": value})]


def test_s21_s22_members_at_their_parents_path() -> None:
    """A member that JSON ignores reports at the struct; at the root a first element is invented."""
    go = """type T struct {
	Emb `json:",inline"`
	E string `json:"-"`
	In In `json:"in"`
}
type In struct {
	Emb `json:",inline"`
}
type Emb struct {
	// +k8s:required
	X string `json:"x"`
}""".replace("\tE string", "\t// +k8s:minLength=2\n\tE string")
    assert [e.field for e in errors(go, {})] == ["Emb.x", "string", "in.x"]
    assert [e.field for e in errors(go, {"x": "a", "in": {"x": "b"}})] == ["string"]


@pytest.mark.parametrize(
    ("package", "element"),
    [("example.com/other", "other.Emb"), ("example.com/a/v1", "v1.Emb"), ("example.com/a/example", "aexample.Emb")],
)
def test_s22_types_of_other_packages_stand_behind_their_alias(package: str, element: str) -> None:
    """The invented element is the type as Go writes it: its package's last part, more parts where names collide."""
    files = {
        "example": f'package example\n\nimport o "{package}"\n\ntype T struct {{\n\to.Emb `json:",inline"`\n}}\n',
        package: 'package o\n\ntype Emb struct {\n\t// +k8s:required\n\tX string `json:"x"`\n}\n',
    }
    with tempfile.TemporaryDirectory() as folder:
        places = {}
        for index, (name, text) in enumerate(files.items()):
            places[name] = [Path(folder) / f"{index}.go"]
            places[name][0].write_text(text)
        validators = compile_types(Universe.from_files(places), "example")
    assert [f"{element}.x"] == [e.field for e in validators.validate("T", Operation.CREATE, {})]


def test_s32_s33_typedefs_and_copies() -> None:
    """A typedef of a typedef drops its rules; a copy of a struct keeps field tags and drops type tags."""
    go = """type T struct {
	F F `json:"f"`
	B B `json:"b"`
}
// +k8s:enum
type E string

const X E = "x"

type F E
type B A
// +k8s:immutable
type A struct {
	// +k8s:required
	X string `json:"x"`
}"""
    assert [e.field for e in errors(go, {"f": "nothing"})] == ["b.x"]
    assert errors(go, {"b": {"x": "2"}}, {"b": {"x": "1"}}) == []


def test_s34_unknown_tags() -> None:
    """At the top an unknown tag is ignored with a warning, under another tag it is an error."""
    go = 'type T struct {\n\t// +k8s:maxLenght=3\n\t// +k8s:openapi-gen=true\n\t// +optional\n\tA string `json:"a"`\n}'
    (warning,) = compiled(go).warnings
    assert (warning.code, warning.fix) == ("unknown-tag", "did you mean k8s:maxLength?")
    assert (warning.position.line, warning.position.column) == (4, 5)
    with pytest.raises(InputError) as caught:
        compiled(go.replace("+k8s:maxLenght=3", "+k8s:alpha=+k8s:maxLenght=3"))
    (error,) = caught.value.diagnostics
    assert (error.code, error.position.line, error.position.column) == ("unknown-tag", 4, 16)


def test_s36_member_names_are_go_names() -> None:
    """The discriminator is compared with the Go name unless memberName says otherwise."""
    go = """type T struct {
	// +k8s:unionDiscriminator
	D string `json:"d"`
	// +k8s:unionMember
	FooBar *string `json:"fooBar"`
	// +k8s:unionMember(memberName: "other")
	B *string `json:"b"`
}"""
    assert seen(go, {"d": "FooBar", "fooBar": ""}) == []
    assert seen(go, {"d": "other", "b": ""}) == []
    assert seen(go, {"fooBar": ""}) == ['fooBar: Invalid value: "": may only be specified when `d` is "FooBar"']
    assert seen(go, {"d": "other"}) == ['b: Invalid value: "": must be specified when `d` is "other"']


def test_s38_named_strings_are_shown_as_json() -> None:
    """Angle brackets of a named string are escaped, those of a plain one are not."""
    go = 'type T struct {\n\t// +k8s:neq="x<y"\n\tA ATYPE `json:"a"`\n}\ntype N string'
    assert [e.value for e in errors(go.replace("ATYPE", "N"), {"a": "x<y"})] == ['"x\\u003cy"']
    assert [e.value for e in errors(go.replace("ATYPE", "*string"), {"a": "x<y"})] == ['"x<y"']


def test_s47_min_length_zero() -> None:
    """It emits nothing, which under eachVal is an error."""
    go = 'type T struct {\n\t// +k8s:minLength=0\n\tA string `json:"a"`\n}'
    assert not compiled(go).has_rules("T")
    with pytest.raises(InputError, match="no validation functions found"):
        compiled('type T struct {\n\t// +k8s:eachVal=+k8s:minLength=0\n\tA []string `json:"a"`\n}')


def test_s48_int8_is_unsigned() -> None:
    """A negative minimum of an int8 is refused."""
    with pytest.raises(InputError, match='parsing "-1" as uint'):
        compiled('type T struct {\n\t// +k8s:minimum=-1\n\tA int8 `json:"a"`\n}')


def test_roots_and_subresources() -> None:
    """A dispatcher accepts its own paths, and answers others with an Internal error."""
    go = """// +k8s:supportsSubresource="/status"
type T struct {
	// +k8s:required
	A string `json:"a"`
}"""
    both = compile_types(universe_of(go), "example")
    assert [both.validates("T", name) for name in ("", "status", "scale")] == [True, True, False]
    (error,) = both.validate("T", Operation.CREATE, {}, None, {}, "scale")
    assert error.text == "<nil>: Internal error: no validation found for *example.T, subresource: /scale"
    only = compiled(go.replace("supports", "is"))
    assert [only.validates("T", name) for name in ("", "status")] == [False, True]


def test_s25_required_by_kind() -> None:
    """false is no value, a pointer to it is."""
    go = 'type T struct {\n\t// +k8s:required\n\tB bool `json:"b"`\n\t// +k8s:required\n\tP *bool `json:"p"`\n}'
    assert [f"b: {REQUIRED}"] == seen(go, {"b": False, "p": False})


@pytest.mark.parametrize(
    ("go", "default", "value", "expected"),
    [
        ("int32", "0", 0, ["f: Invalid value: 0: must be greater than or equal to 3"]),
        ("int32", "0.0", 0, ["f: Invalid value: 0: must be greater than or equal to 3"]),
        ("int32", "5", 0, [f"f: {REQUIRED}"]),
        ("*int32", "0", None, [f"f: {REQUIRED}"]),
        ("*int32", "0", 3, []),
    ],
)
def test_s26_s27_optional_with_a_default(go: str, default: str, value: object, expected: list[str]) -> None:
    """A zero default of a value makes optional disappear; any other makes it required."""
    source = (
        f'type T struct {{\n\t// +default={default}\n\t// +k8s:optional\n\t// +k8s:minimum=3\n\tF {go} `json:"f"`\n}}'
    )
    assert expected == seen(source, {"f": value})


def test_s31_detached_comments() -> None:
    """A tag above a blank line is ignored, except one for a subresource."""
    go = """// +k8s:enum

// E is one of a few.
type E string

const A E = "a"

// +k8s:supportsSubresource="/status"

// T is the root.
type T struct {
	E E `json:"e"`
	// +k8s:required
	F string `json:"f"`
}"""
    validators = compiled(go)
    assert [f"f: {REQUIRED}"] == [e.text for e in validators.validate("T", Operation.CREATE, {"e": "z"})]
    assert validators.validates("T", "status")


def test_s35_subfield_merges_with_the_members_own_tags() -> None:
    """A subfield's update rule enforces the member's constraint too."""
    go = """type T struct {
	// +k8s:subfield(l)=+k8s:update=NoSet
	S S `json:"s"`
}
type S struct {
	// +k8s:update=NoUnset
	L string `json:"l"`
}"""
    twice = "s.l: Invalid value: null: field cannot be cleared once set"
    assert [twice, twice] == seen(go, {"s": {}}, {"s": {"l": "a"}})


def test_s37_names_with_many_slashes() -> None:
    """A resource's qualified name with two slashes passes; a pool's name that is too long is of another type."""
    go = 'type T struct {\n\t// +k8s:format=k8s-resource-fully-qualified-name\n\tF string `json:"f"`\n}'
    assert seen(go, {"f": "a/b/c"}) == []
    (error,) = errors(go.replace("fully-qualified", "pool"), {"f": "a" * 254})[:1]
    assert ("FieldValueTooLong", "format=k8s-resource-pool-name") == (error.type, error.origin)


def test_s45_many_tags_keep_their_order() -> None:
    """More than twelve equal names: upstream promises no order, we keep the source's."""
    lines = "".join(f'\t// +k8s:validateFalse="{number:02}"\n' for number in range(20))
    details = [e.detail for e in errors(f'type T struct {{\n{lines}\tF string `json:"f"`\n}}', {})]
    assert sorted(details) == details
    assert 20 == len(details)


def test_constants_of_one_value() -> None:
    """A value is taken out only when every constant that has it is."""
    go = """// +k8s:enum
type E string

const (
	// +k8s:enumExclude
	A E = "a"
	B E = "a"
	// +k8s:enumExclude
	C E = "c"
)

type T struct {
	F E `json:"f"`
}"""
    assert seen(go, {"f": "a"}) == []
    assert ['f: Unsupported value: "c": supported values: "a"'] == seen(go, {"f": "c"})


def test_undefined_options_of_enums() -> None:
    """The first option that nobody defined is an internal error, unless the value was taken out before."""
    go = """// +k8s:enum
type E string

const (
	// +k8s:ifEnabled(On)=+k8s:enumExclude
	A E = "a"
	// +k8s:ifEnabled(Nope)=+k8s:enumExclude
	B E = "b"
)

type T struct {
	F E `json:"f"`
}"""
    undefined = 'f: Internal error: undefined validation option "Nope"'
    for value in ("a", "b", "c"):
        assert [undefined] == seen(go, {"f": value}, options={"On": True})
    both = go.replace("ifEnabled(Nope)", "ifDisabled(On)")
    assert ['f: Unsupported value: "a": supported values: "b"'] == seen(both, {"f": "a"}, options={"On": True})
