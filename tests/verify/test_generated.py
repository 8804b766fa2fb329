"""Generated Go and compiled tags, brought to one form."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.compiler import compile_types
from harness.gotypes.packages import Universe
from harness.verify.generated import expected_calls, read_generated

HEAD = """package v1

import (
	v1 "example.com/api/v1"
	validate "k8s.io/apimachinery/pkg/api/validate"
)

var members = validate.NewUnionMembership("a", "b")
var symbols = sets.New(v1.Green, v1.Red)
var single = sets.New[v1.C](v1.Green)
var exclusions = []validate.EnumExclusion[v1.C]{
	{
		Value: v1.Green, Option: "FeatureB", ExcludeWhen: false},
	{
		Value:       v1.Red,
		Option:      "FeatureA",
		ExcludeWhen: true,
	},
}
var chosen = validate.NewDiscriminatedUnionMembership("d", validate.NewDiscriminatedUnionMember("a", "A"))
var older = validate.NewUnionMembership([2]string{"a", "A"}, [2]string{"b", "B"})

func Validate_T(ctx context.Context, op operation.Operation, fldPath *field.Path, obj, oldObj *v1.T) field.ErrorList {
"""


def calls(folder: Path, body: str, field: str = "F") -> list[str]:
    """Read what the code of one field, or of the type, does."""
    text = f"	{{ // field v1.T.{field}\n{body}\n	}}\n" if field else body
    (folder / "types.go").write_text('package v1\n\ntype C string\n\nconst Green C = "green"\n')
    (folder / "z.go").write_text(f"{HEAD}{text}	return errs\n}}\n")
    universe = Universe.from_files({"example.com/api/v1": [folder / "types.go"]})
    found = read_generated(folder / "z.go", "z.go", "v1", universe)
    return sorted(map(str, found.elements["example.com/api/v1.T", field].calls.elements()))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("validate.MaxItems(ctx, op, fldPath, obj, oldObj, 8)", ["maxitems(8)"]),
        ("validate.Minimum(ctx, op, fldPath, obj, oldObj, -1).MarkAlpha()", ["minimum(-1) at level alpha"]),
        ("validate.OptionalSlice(ctx, op, fldPath, obj, oldObj).MarkBeta().MarkShortCircuit()",
         ["optional() at level beta"]),
        ("validate.EachMapKey(ctx, op, fldPath, obj, oldObj, validate.ShortName).MarkBeta()",
         ["shortname() at level beta"]),
        ("validate.EachValSliceVal(ctx, op, fldPath, obj, oldObj, nil, validate.SemanticDeepEqual, Validate_U)", []),
        ("validate.EachValSliceVal(ctx, op, nil, nil, nil, nil, nil, func() { return validate.MaxBytes(ctx, op, 64) })",
         ["maxbytes(64)"]),
        ("validate.Union(ctx, op, fldPath, obj, oldObj, members, func() {})", ["union(a, b)"]),
        ("validate.Enum(ctx, op, fldPath, obj, oldObj, symbols, nil)", ["enum(Red, green)"]),
        ("validate.Enum(ctx, op, fldPath, obj, oldObj, symbols, exclusions)",
         ["enum(Red, green, without Red while FeatureA is on, without green while FeatureB is off)"]),
        ("validate.Enum(ctx, op, fldPath, obj, oldObj, single)", ["enum(green)"]),
        ("validate.DiscriminatedUnion(ctx, op, fldPath, obj, oldObj, chosen, func() {})", ["discriminated(d, a, A)"]),
        ("validate.Union(ctx, op, fldPath, obj, oldObj, older, func() {})", ["union(a, b)"]),
        ("validate.PtrSliceNoNils(ctx, op, fldPath, obj, oldObj)", ["nonilitems()"]),
        ("validate.PtrSliceUnique(ctx, op, fldPath, obj, oldObj, nil)", ["unique()"]),
        ("validate.UpdateStruct(ctx, op, fldPath, obj, oldObj, validate.NoModify)", ["update(NoModify)"]),
        ('validate.IfOption(ctx, op, fldPath, obj, oldObj, "X", true, validate.Immutable)',
         ["ifoption(X, true)", "immutable()"]),
        ("validate.UpdatePointer(ctx, op, fldPath, obj, oldObj, validate.NoSet, validate.NoUnset)",
         ["update(NoSet, NoUnset)"]),
        ("ValidateCustom_T_F(ctx, op, fldPath, obj, oldObj)", ["validatecustom_t_f()"]),
    ],
)  # fmt: skip
def test_calls(tmp_path: Path, body: str, expected: list[str]) -> None:
    """A call is its name without shapes, its constants, and the level of its errors or of the call around it."""
    assert expected == calls(tmp_path, body)


def test_calls_of_a_type(tmp_path: Path) -> None:
    """What stands outside the blocks of fields is the type's."""
    assert ["union(a, b)"] == calls(tmp_path, "	validate.Union(ctx, op, fldPath, obj, oldObj, members)\n", "")


@pytest.mark.parametrize("text", ["", "func Validate_T(", "func Validate_T() { validate.( }", "\x00"])
def test_damaged(tmp_path: Path, text: str) -> None:
    """A file that is damaged, or missing, is read as far as it goes."""
    (tmp_path / "z.go").write_text(f"package v1\n{text}")
    for name in ("z.go", "missing.go"):
        assert isinstance(read_generated(tmp_path / name, name, "v1", Universe.from_files({})).elements, dict)


ORDERS = """package v1

type T struct {
	// +k8s:unionDiscriminator
	D string `json:"d"`
	// +k8s:unionMember
	A *string `json:"a"`
	// +k8s:optional
	// +k8s:update=NoModify
	U string `json:"u"`
	// +k8s:maxLength=4
	M string `json:"m"`
	// +k8s:zeroOrOneOfMember
	X *string `json:"x"`
	// +k8s:zeroOrOneOfMember
	Y *string `json:"y"`
	E E `json:"e"`
}

// +k8s:enum
type E string

const (
	// +k8s:ifEnabled(FeatureA)=+k8s:enumExclude
	Red E = "red"
	Green E = "green"
)
"""


@pytest.mark.parametrize("release", ["1.35", "1.36", "1.37"])
def test_what_types_order_is_named_as_generated_code_names_it(tmp_path: Path, release: str) -> None:
    """Checks that releases do in ways of their own have one name, with the constants that generated code has."""
    (tmp_path / "types.go").write_text(ORDERS)
    compiled = compile_types(Universe.from_files({"v1": [tmp_path / "types.go"]}), "v1", release=release)
    own, enum = expected_calls(compiled.plan.types["v1.T"]), expected_calls(compiled.plan.types["v1.E"])
    assert ["discriminated(d, a, A)", "zerooroneof(x, y)"] == sorted(map(str, own[""]))
    assert ["optional()", "update(NoModify)"] == sorted(map(str, own["U"]))
    assert ["maxlength(4)"] == [*map(str, own["M"])]
    assert ["enum(green, red, without red while FeatureA is on)"] == [*map(str, enum[""])]
