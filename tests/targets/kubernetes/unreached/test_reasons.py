"""Why no case reached a block: each sort of fact, and none where the sources show none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from harness.report.model.code import BlockEntry, FunctionEntry
from harness.targets.kubernetes.unreached.reasons import BlockReason, BlockReasons, ReasonSort

FOLDER = "pkg/apis/apps/validation"
IMPORTS = """
import (
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/features"
)
"""
FILES = {
    "pkg/apis/apps/types.go": """package apps

type Thing struct {
	Meta
	Spec  ThingSpec
	Ports []Port
}
type Meta struct { Name string }
type ThingSpec struct { Size *int; Mode string }
type Port struct { Protocol string; Name string }
""",
    "pkg/apis/apps/v1/zz_generated.conversion.go": """package v1
func Convert_v1_ThingSpec_To_apps_ThingSpec(in *v1.ThingSpec) {}
func Convert_v1_Port_To_apps_Port(in *v1.Port) {}
""",
    "pkg/apis/apps/v1/defaults.go": """package v1

import "k8s.io/api/apps/v1"

func SetDefaults_Thing(obj *v1.Thing) {
	spec := &obj.Spec
	if spec.Size == nil {
		spec.Size = new(int)
	}
	if obj.Spec.Size != nil && obj.Spec.Mode == "" {
		obj.Spec.Mode = "Fast"
	}
	for i := range obj.Ports {
		port := &obj.Ports[i]
		if port.Protocol == "" {
			port.Protocol = "TCP"
		}
	}
}
""",
    f"{FOLDER}/options.go": """package validation
type Options struct { AllowOld, AllowNew, AllowAny, AllowSome, AllowAll bool }
""",
    "pkg/features/kube_features.go": """package features

var gates = map[string]any{
	Locked: {
		{Version: "1.36", Default: true},
		{Version: "1.37", Default: true, LockToDefault: true}, // remove
	},
	Open: {
		{Version: "1.37", Default: true},
	},
}
""",
    "pkg/registry/apps/thing/strategy.go": """package thing
import "k8s.io/kubernetes/pkg/apis/apps/validation"

func (strategy) Validate(thing *apps.Thing) {
	opts := validation.Options{AllowOld: false, AllowNew: useNew(thing), AllowAny: len(thing.Name) > 3, AllowAll: true}
	opts.AllowNew = opts.AllowNew || len(thing.Name) > 0
	validation.ValidateThing(thing, opts)
}
func (strategy) ValidateUpdate(thing *apps.Thing) {
	opts := validation.Options{AllowNew: useNew(thing)}
	opts.AllowAll = true
	if len(thing.Name) > 5 {
		opts.AllowSome = true
	}
	validation.ValidateThing(thing, opts)
}
func useNew(thing *apps.Thing) bool {
	if utilfeature.DefaultFeatureGate.Enabled(features.Locked) {
		return true
	}
	return len(thing.Name) > 1
}
""",
}
ON: tuple[Mapping[str, bool], ...] = (
    {"Locked": True, "Open": True, "Other": False},
    {"Locked": True, "Open": True, "Other": True},
)


def reasons_of(
    root: Path, code: str, *missed: str, gates: tuple[Mapping[str, bool], ...] = ON
) -> dict[str, BlockReason]:
    """Return the reasons of lines of functions with these texts; each line of a function is a block of its own."""
    text = f"package validation\n{IMPORTS}\n{code}"
    for name, content in {**FILES, f"{FOLDER}/validation.go": text}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    functions: list[FunctionEntry] = []
    blocks: list[BlockEntry] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("func "):
            blocks = []
            functions.append(
                FunctionEntry("k", f"k8s.io/kubernetes/{FOLDER}/validation.go", line.split("(")[0][5:], ())
            )
        if line.startswith("\t") and functions:
            errors = (("InternalError", ""),) if "InternalError" in line else ()
            blocks.append(BlockEntry((number, 1), (number, 99), 1, line.strip() not in missed, errors=errors))
            functions[-1] = FunctionEntry("k", functions[-1].file, functions[-1].name, tuple(blocks))
    reasons = BlockReasons(root, functions, gates)
    lines = text.splitlines()
    return {
        lines[block.start[0] - 1].strip(): reasons.of(function, block)
        for function in functions
        for block in function.missed
    }


def thing(body: str, *more: str) -> str:
    """Return a validator of a thing with some statements, and other functions."""
    return "\n".join((f"func ValidateThing(thing *apps.Thing, opts Options) {{\n{body}\n}}", *more))


@pytest.mark.parametrize(
    ("condition", "sort", "fact"),
    [
        ("!utilfeature.DefaultFeatureGate.Enabled(features.Locked)", "gate",
         "the gate Locked is on in every setting of the run, and locked"),
        ("!utilfeature.DefaultFeatureGate.Enabled(features.Open)", "gate",
         "the gate Open is on in every setting of the run (--gates Open=false sets it otherwise)"),
        ("utilfeature.DefaultFeatureGate.Enabled(features.Other)", "", ""),
        ("!opts.AllowNew", "gate", "AllowNew is true: the gate Locked is on in every setting of the run, and locked"),
        ("opts.AllowOld && len(thing.Name) > 2", "constant", "AllowOld is false: the sources say false"),
        ("opts.AllowOld || len(thing.Name) > 2", "", ""),
        ("opts.AllowAny", "", ""),
        ("!opts.AllowSome", "", ""),
        ("!opts.AllowAll", "constant", "AllowAll is true: the sources say true"),
        ("thing.Spec.Size == nil", "default", "SetDefaults_Thing sets Size before validation"),
        ("len(thing.Spec.Mode) == 0", "", ""),
        ('thing.Ports[0].Protocol == ""', "default", "SetDefaults_Thing sets Protocol before validation"),
        ('thing.Ports[0].Name == ""', "", ""),
        ('thing.Name == ""', "", ""),
    ],
)  # fmt: skip
def test_a_condition_that_no_case_met_has_a_fact(tmp_path: Path, condition: str, sort: ReasonSort, fact: str) -> None:
    """Of gates, options and defaults; where a case could have met it, no reason is made up."""
    found = reasons_of(tmp_path, thing(f"\tif {condition} {{\n\t\tfail()\n\t}}"), "fail()")
    assert {"fail()": BlockReason(sort, fact)} == found


def test_what_another_version_does_not_default_can_be_unset(tmp_path: Path) -> None:
    """A version that has the struct and no defaults for it."""
    other = tmp_path / "pkg/apis/apps/v2/conversion.go"
    other.parent.mkdir(parents=True)
    other.write_text("package v2\nfunc Convert_v2_ThingSpec_To_apps_ThingSpec(in *v2.ThingSpec) {}\n")
    body = thing("\tif thing.Spec.Size == nil {\n\t\tfail()\n\t}")
    assert {"fail()": BlockReason()} == reasons_of(tmp_path, body, "fail()")


def test_what_only_one_kind_defaults_can_be_unset(tmp_path: Path) -> None:
    """The structs of a kind may be part of another one, whose defaulting function does not set the field."""
    body = thing('\tif thing.Ports[0].Name == "" {\n\t\tfail()\n\t}')
    generated = tmp_path / "pkg/apis/apps/v1/zz_generated.defaults.go"
    generated.parent.mkdir(parents=True)
    setter = 'func NAME(obj *v1.Thing) {\n\tif obj.Ports[0].Name == "" {\n\t\tobj.Ports[0].Name = "a"\n\t}\n}\n'
    head = 'package v1\n\nimport "k8s.io/api/apps/v1"\n\n'
    generated.write_text(head + setter.replace("NAME", "SetObjectDefaults_Thing"))
    assert {"fail()": BlockReason()} == reasons_of(tmp_path, body, "fail()")


def test_what_is_behind_a_line_that_was_not_reached_has_its_reason(tmp_path: Path) -> None:
    """With the line that decides, also in a function that only it calls."""
    gate = "utilfeature.DefaultFeatureGate.Enabled(features.Locked)"
    code = thing(
        f"\tif !{gate} {{\n\t\tcheck(thing)\n\t}}", "func check(thing *apps.Thing) {\n\tif one {\n\t\tfail()\n\t}\n}"
    )
    found = reasons_of(tmp_path, code, "check(thing)", "if one {", "fail()")
    assert {"gate"} == {one.sort for one in found.values()}
    assert ["", "line 11", "line 11"] == [found[line].behind for line in ("check(thing)", "if one {", "fail()")]


def test_what_an_earlier_condition_excludes_is_a_contradiction(tmp_path: Path) -> None:
    """Unless what it reads is set, or told something, in between."""
    body = "\tif found {{\n\t\treturn\n\t}}\n{}\tif found && more {{\n\t\tfail()\n\t}}"
    (plain,) = reasons_of(tmp_path, thing(body.format("")), "fail()").values()
    assert ("contradiction", "line 10 requires not found") == (plain.sort, plain.fact)
    for between in ("\tfound = again()\n", "\tfound.Insert(1)\n"):
        assert {"fail()": BlockReason()} == reasons_of(tmp_path, thing(body.format(between)), "fail()")


@pytest.mark.parametrize(
    ("earlier", "later", "is_known"),
    [
        ("spec == nil", "spec == nil", True),
        ("spec == nil", "!(spec != nil)", True),
        ("nil == spec || spec == nil", "len(spec) > 0 && spec == nil", True),
        ("len(spec) == 0", "spec == nil", True),
        ("len(spec) == 0", 'spec == ""', True),
        ("spec != nil", "len(spec) > 0", True),
        ("spec == nil", "len(spec) == 0", False),
        ("spec != nil", "len(spec) == 0", False),
        ("len(spec) != 0", "spec == nil", False),
        ("len(spec) != 0", "spec != nil", False),
        ("spec == nil", "other == nil", False),
    ],
)
def test_nil_and_empty_exclude_each_other_however_written(
    tmp_path: Path, earlier: str, later: str, is_known: bool
) -> None:
    """What is not nil may be empty, and what is empty need not be nil."""
    body = thing(f"\tif {earlier} {{\n\t\treturn\n\t}}\n\tif {later} {{\n\t\tfail()\n\t}}")
    (found,) = reasons_of(tmp_path, body, "fail()").values()
    assert ("contradiction" if is_known else "") == found.sort


@pytest.mark.parametrize(
    ("call", "asked", "fact"),
    [
        ("if list != nil {\n\t\tcheck(list)\n\t}", "list == nil", "what is not nil"),
        ("if len(list) > 0 {\n\t\tcheck(list)\n\t}", "list == nil", "what is not nil"),
        ("if len(list) > 0 {\n\t\tcheck(list)\n\t}", "len(list) == 0", "what is not empty"),
        ("if list != nil {\n\t\tcheck(list)\n\t}", "len(list) == 0", ""),
        ("if list == nil {\n\t\tcheck(list)\n\t}", "list == nil", ""),
        ("if list != nil {\n\t\tlist = again()\n\t\tcheck(list)\n\t}", "list == nil", ""),
        ("if list != nil {\n\t\tcheck(other)\n\t}", "list == nil", ""),
    ],
)
def test_what_each_call_is_guarded_by_holds_in_the_function(tmp_path: Path, call: str, asked: str, fact: str) -> None:
    """Unless the value is set in between, or the condition is about another one."""
    called = f"func check(list []string) {{\n\tif {asked} {{\n\t\tfail()\n\t}}\n}}"
    (found,) = reasons_of(tmp_path, thing(f"\t{call}", called), "fail()").values()
    assert (f"each call of check hands over {fact}" if fact else "") == found.fact


def test_what_every_call_hands_over_is_constant(tmp_path: Path) -> None:
    """An address is never nil, and a word of the sources has its value; one other call is enough to know nothing."""
    called = "func check(spec *apps.ThingSpec, strict bool) {\n\tif spec == nil || !strict {\n\t\tfail()\n\t}\n}"
    (known,) = reasons_of(tmp_path, thing("\tcheck(&thing.Spec, true)", called), "fail()").values()
    assert "constant" == known.sort
    assert known.fact == "each call of check hands over an address; each call of check hands over true"
    other = "func more(spec *apps.ThingSpec) {\n\tcheck(spec, true)\n}"
    assert {"fail()": BlockReason()} == reasons_of(
        tmp_path, thing("\tcheck(&thing.Spec, true)", called, other), "fail()"
    )


def test_an_internal_error_is_one_of_its_own(tmp_path: Path) -> None:
    """Where nothing else is known."""
    body = thing("\tif err != nil {\n\t\tfield.InternalError(path, err)\n\t}")
    (found,) = reasons_of(tmp_path, body, "field.InternalError(path, err)").values()
    assert "internal" == found.sort


def test_a_function_that_nothing_calls_is_told_so(tmp_path: Path) -> None:
    """Before anything about its conditions."""
    code = thing("\tpass()", "func validateOld(thing *apps.Thing) {\n\tfail()\n}")
    assert {"fail()": BlockReason("uncalled", "no code of the release calls it")} == reasons_of(
        tmp_path, code, "fail()"
    )
