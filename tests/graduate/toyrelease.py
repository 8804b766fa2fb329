"""A release of our own in miniature: one kind for each variant of a handwritten check and its generated rule.

All variants are read in one run. `judge` compiles and runs them: it says on which rules the two sides differ, asked
with every object of a grid, so that the judgement comes from the code itself.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.graduate.conditions import KindRead
from harness.graduate.program import LOWERING, run_program
from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.release import find_toolchain
from harness.targets.kubernetes.sourceprogram import source_files

FIELD = """package field

type Path struct{ text string }

func NewPath(name string, more ...string) *Path { return (*Path)(nil).Child(name, more...) }

func (p *Path) Child(name string, more ...string) *Path {
	text := name
	if p != nil {
		text = p.text + "." + name
	}
	for _, one := range more {
		text += "." + one
	}
	return &Path{text}
}

func (p *Path) Index(index int) *Path { return &Path{p.text + "[*]"} }

type Error struct {
	Type, Field, Origin string
	Covered             bool
}

type ErrorList []*Error

func Required(at *Path, detail string) *Error { return &Error{Type: "FieldValueRequired", Field: at.text} }

func Invalid(at *Path, value any, detail string) *Error { return &Error{Type: "FieldValueInvalid", Field: at.text} }

func Forbidden(at *Path, detail string) *Error { return &Error{Type: "FieldValueForbidden", Field: at.text} }

func TooLong(at *Path, value any, limit int) *Error { return &Error{Type: "FieldValueTooLong", Field: at.text} }

func TooMany(at *Path, count, limit int) *Error { return &Error{Type: "FieldValueTooMany", Field: at.text} }

func NotSupported(at *Path, value any, allowed []string) *Error {
	return &Error{Type: "FieldValueNotSupported", Field: at.text}
}

func (e *Error) WithOrigin(origin string) *Error {
	e.Origin = origin
	return e
}

func (e *Error) MarkCoveredByDeclarative() *Error {
	e.Covered = true
	return e
}

func (e *Error) MarkBeta() *Error { return e }

func (list ErrorList) MarkCoveredByDeclarative() ErrorList {
	for _, one := range list {
		one.Covered = true
	}
	return list
}
"""

TYPES = """package {package}

type Thing struct {{
	Spec ThingSpec
}}

type ThingSpec struct {{
	Name  string
	Class string
	Size  int32
	Width int32
	Count *int32
	Mode  string
	Items []Item
}}

type Item struct {{
	Key    string
	Weight int32
}}
"""

GENERATED = """package v1

import (
	"context"
	"regexp"
	"slices"
	"unicode/utf8"

	"k8s.io/api/{name}/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var modes = []string{{"Open", "Closed"}}

var short = regexp.MustCompile("^[a-z]+$")

func Validate_Thing(ctx context.Context, op any, fldPath *field.Path, obj, oldObj *v1.Thing) (errs field.ErrorList) {{
	spec, at := &obj.Spec, fldPath.Child("spec")
	if spec.Name == "" {{
		errs = append(errs, field.Required(at.Child("name"), "").MarkBeta())
	}}
	if utf8.RuneCountInString(spec.Name) > 10 {{
		errs = append(errs, field.TooLong(at.Child("name"), "", 10).WithOrigin("maxLength").MarkBeta())
	}}
	if spec.Size < 1 {{
		errs = append(errs, field.Invalid(at.Child("size"), "", "").WithOrigin("minimum").MarkBeta())
	}}
	if spec.Count != nil && *spec.Count < 0 {{
		errs = append(errs, field.Invalid(at.Child("count"), "", "").WithOrigin("minimum").MarkBeta())
	}}
	if !slices.Contains(modes, spec.Mode) {{
		errs = append(errs, field.NotSupported(at.Child("mode"), "", modes).MarkBeta())
	}}
	if spec.Class != "" && spec.Mode == "Closed" {{
		errs = append(errs, field.Forbidden(at.Child("class"), "").MarkBeta())
	}}
	if len(spec.Items) > 3 {{
		errs = append(errs, field.TooMany(at.Child("items"), 0, 3).WithOrigin("maxItems").MarkBeta())
		return errs
	}}
	for i := range spec.Items {{
		errs = append(errs, validateItem(&spec.Items[i], at.Child("items").Index(i))...)
	}}
	return errs
}}

func validateItem(item *v1.Item, at *field.Path) (errs field.ErrorList) {{
	if !short.MatchString(item.Key) {{
		errs = append(errs, field.Invalid(at.Child("key"), "", "").WithOrigin("format=short").MarkBeta())
	}}
	return errs
}}
"""

HANDWRITTEN = """package validation

import (
	"regexp"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/{name}"
)

const longest = 10

var known = map[string]bool{{"Open": true, "Closed": true}}

var keys = regexp.MustCompile("^[a-z]+$")

func ValidateThing(thing *{name}.Thing) field.ErrorList {{
	all := field.ErrorList{{}}
	all = append(all, validateSpec(&thing.Spec, field.NewPath("spec"))...)
	if len(all) > 0 {{
		return all
	}}
	return nil
}}

func validateSpec(spec *{name}.ThingSpec, at *field.Path) field.ErrorList {{
	var all field.ErrorList
	if len(spec.Name) == 0 {{
		all = append(all, field.Required(at.Child("name"), "").MarkCoveredByDeclarative())
	}} else if utf8.RuneCountInString(spec.Name) > longest {{
		tooLong := field.TooLong(at.Child("name"), "", longest).WithOrigin("maxLength")
		all = append(all, tooLong.MarkCoveredByDeclarative())
	}}
	if !(spec.Size > 0) {{
		all = append(all, field.Invalid(at.Child("size"), "", "").WithOrigin("minimum").MarkCoveredByDeclarative())
	}}
	if spec.Count != nil {{
		all = append(all, nonnegative(*spec.Count, at.Child("count")).MarkCoveredByDeclarative()...)
	}}
	switch spec.Mode {{
	case "Open":
	case "Closed":
		if spec.Class != "" {{
			all = append(all, field.Forbidden(at.Child("class"), "").MarkCoveredByDeclarative())
		}}
	default:
		all = append(all, field.NotSupported(at.Child("mode"), "", nil).MarkCoveredByDeclarative())
	}}
	if len(spec.Items) > 3 {{
		return append(all, field.TooMany(at.Child("items"), 0, 3).WithOrigin("maxItems").MarkCoveredByDeclarative())
	}}
	for i, item := range spec.Items {{
		if keys.MatchString(item.Key) {{
			continue
		}}
		path := at.Child("items").Index(i).Child("key")
		all = append(all, field.Invalid(path, "", "").WithOrigin("format=short").MarkCoveredByDeclarative())
	}}
	return all
}}

func nonnegative(value int32, at *field.Path) (all field.ErrorList) {{
	if value < 0 {{
		all = append(all, field.Invalid(at, "", "").WithOrigin("minimum"))
	}}
	return
}}
"""

STRATEGY = """package thing

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/{name}"
	"k8s.io/kubernetes/pkg/apis/{name}/validation"
)

type strategy struct{{}}

func (strategy) Validate(ctx context.Context, obj any) field.ErrorList {{
	thing := obj.(*{name}.Thing)
	return validation.ValidateThing(thing)
}}
"""

JUDGED = """	judge("{name}", func(text []byte) (field.ErrorList, field.ErrorList) {{
		var inner {name}.Thing
		var outer {name}api.Thing
		if json.Unmarshal(text, &inner) != nil || json.Unmarshal(text, &outer) != nil {{
			panic(string(text))
		}}
		return {name}validation.ValidateThing(&inner), {name}v1.Validate_Thing(nil, nil, nil, &outer, nil)
	}})
"""

JUDGE = """package main

import (
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/util/validation/field"
{imports})

var objects []json.RawMessage

func judge(name string, both func([]byte) (field.ErrorList, field.ErrorList)) {{
	differs := map[string]bool{{}}
	for _, text := range objects {{
		check, rule := both(text)
		found := map[string]int{{}}
		for _, one := range check {{
			if one.Covered {{
				found[one.Field+" "+one.Type+" "+one.Origin]++
			}}
		}}
		for _, one := range rule {{
			found[one.Field+" "+one.Type+" "+one.Origin]--
		}}
		for key, count := range found {{
			if count != 0 {{
				differs[key] = true
			}}
		}}
	}}
	for key := range differs {{
		fmt.Println(name, key)
	}}
}}

func main() {{
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {{
		panic(err)
	}}
{judged}}}
"""


class Variant(NamedTuple):
    """One kind: its handwritten and its generated code, where `{name}` stands for its group."""

    handwritten: str = HANDWRITTEN
    generated: str = GENERATED


class ToyRelease:
    """The variants in a folder, in modules of the names that a release has."""

    def __init__(self, folder: Path, variants: Sequence[Variant]) -> None:
        self.folder, self.names = folder, [f"toy{number}" for number in range(len(variants))]
        staging = "k8s.io/api", "k8s.io/apimachinery"
        lines = ["module k8s.io/kubernetes", "go 1.24", *(f"require {one} v0.0.0" for one in staging)]
        self._write("go.mod", "\n".join([*lines, *(f"replace {one} => ./staging/{one}" for one in staging), ""]))
        for one in staging:
            self._write(f"staging/{one}/go.mod", f"module {one}\ngo 1.24\n")
        self._write("staging/k8s.io/apimachinery/pkg/util/validation/field/errors.go", FIELD)
        imports = judged = ""
        for name, variant in zip(self.names, variants, strict=True):
            self._write(f"staging/k8s.io/api/{name}/v1/types.go", TYPES.format(package="v1"))
            self._write(f"pkg/apis/{name}/types.go", TYPES.format(package=name))
            self._write(f"pkg/apis/{name}/v1/zz_generated.validations.go", variant.generated.format(name=name))
            self._write(f"pkg/apis/{name}/validation/validation.go", variant.handwritten.format(name=name))
            self._write(f"pkg/registry/{name}/thing/strategy.go", STRATEGY.format(name=name))
            own = f"k8s.io/kubernetes/pkg/apis/{name}"
            imports += f'\t{name}api "k8s.io/api/{name}/v1"\n\t"{own}"\n\t{name}v1 "{own}/v1"\n'
            imports += f'\t{name}validation "{own}/validation"\n'
            judged += JUDGED.format(name=name)
        self._write("judge/main.go", JUDGE.format(imports=imports, judged=judged))

    def _write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def read(self, program: Path) -> dict[str, KindRead]:
        """Read all variants, by name."""
        kinds = {f"k8s.io/api/{name}/v1.Thing": name for name in self.names}
        request = {"go": str(find_toolchain().go), "folder": str(self.folder), "kinds": list(kinds), "replaced": {}}
        return {kinds[read.kind]: read for read in run_program(program, request, KindRead)}

    def judge(self, objects: Sequence[Mapping[str, object]]) -> dict[str, set[tuple[str, str, str]]]:
        """Run all variants on some objects: the errors of which the two sides differ, by name."""
        done = subprocess.run(
            [find_toolchain().go, "run", "./judge"], input=json.dumps(objects), text=True, capture_output=True,
            cwd=self.folder, env=go_environment(), timeout=600,
        )  # fmt: skip
        assert not done.returncode, done.stderr
        found: dict[str, set[tuple[str, str, str]]] = {name: set() for name in self.names}
        for line in done.stdout.splitlines():
            name, path, type_, origin = line.split(" ", 3)
            found[name].add((path, type_, origin))
        return found


def build_program(folder: Path) -> Path:
    """Build the program that reads sources, without a release."""
    for file in source_files(LOWERING):
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "go.mod").write_text("module worker\ngo 1.24\n", encoding="utf-8")
    subprocess.run(
        [find_toolchain().go, "build", "-o", "lowering", "."], check=True, cwd=folder, env=go_environment(), timeout=600
    )
    return folder / "lowering"
