"""The program that follows paths: what it tells of a release in miniature, and what it leaves open."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from harness.diagnostics import TargetError
from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.errorpaths.follow import PROGRAM, FollowedKind, run_follower
from harness.targets.kubernetes.release import find_toolchain

_FIELD = """package field

type Path struct{ text string }

func NewPath(name string, more ...string) *Path           { return &Path{name} }
func (p *Path) Child(name string, more ...string) *Path { return &Path{name} }
func (p *Path) Index(index int) *Path                     { return p }
func (p *Path) Key(key string) *Path                      { return p }

type Error struct{ Field string }
type ErrorList []*Error

func (e *Error) WithOrigin(origin string) *Error              { return e }
func (e *Error) MarkCoveredByDeclarative() *Error             { return e }
func (l ErrorList) MarkCoveredByDeclarative() ErrorList       { return l }
func Required(path *Path, detail string) *Error               { return &Error{} }
func Invalid(path *Path, value any, detail string) *Error     { return &Error{} }
func Forbidden(path *Path, detail string) *Error              { return &Error{} }
func TooMany(path *Path, actual, most int) *Error             { return &Error{} }
"""
_TYPES = """package toy

type TypeMeta struct{ Kind string }

type Thing struct {
	TypeMeta
	Name   string
	Items  []Item
	Labels map[string]string
	Nested *Nested
}

type Item struct{ Name, Value string }

type Nested struct {
	Name string
	Next *Nested
}
"""
_STRATEGY = """package thing

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/toy"
	"k8s.io/kubernetes/pkg/apis/toy/validation"
)

type strategy struct{}

func (strategy) Validate(ctx context.Context, obj any) field.ErrorList {
	return validation.ValidateThing(obj.(*toy.Thing))
}

func (strategy) ValidateUpdate(ctx context.Context, obj, old any) field.ErrorList {
	return validation.ValidateThingUpdate(obj.(*toy.Thing), old.(*toy.Thing))
}
"""
_HEAD = """package validation

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/toy"
)

"""
_UPDATE = "\nfunc ValidateThingUpdate(thing, old *toy.Thing) field.ErrorList { return nil }\n"

Told: TypeAlias = dict[str, set[str]]
Follow: TypeAlias = Callable[[str], FollowedKind]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, built without a release."""
    folder = tmp_path_factory.mktemp("errorpaths")
    for file in PROGRAM.sources():
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "go.mod").write_text("module worker\ngo 1.24\n")
    command = [str(find_toolchain().go), "build", "-o", "program", "."]
    subprocess.run(command, check=True, cwd=folder, env=go_environment(), timeout=600)
    return folder / "program"


@pytest.fixture
def follow(program: Path, tmp_path: Path) -> Follow:
    """Follow the errors of a kind with this code, which begins with `ValidateThing`."""

    def write(path: str, text: str) -> None:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run(code: str) -> FollowedKind:
        requires = "require k8s.io/apimachinery v0.0.0\nreplace k8s.io/apimachinery => ./machinery\n"
        write("go.mod", f"module k8s.io/kubernetes\ngo 1.24\n{requires}")
        write("machinery/go.mod", "module k8s.io/apimachinery\ngo 1.24\n")
        write("machinery/pkg/util/validation/field/field.go", _FIELD)
        write("pkg/apis/toy/types.go", _TYPES)
        write("pkg/apis/toy/v1/doc.go", "// +k8s:conversion-gen-external-types=k8s.io/api/toy/v1\npackage v1\n")
        code = code if "ValidateThingUpdate" in code else code + _UPDATE
        write("pkg/apis/toy/validation/validation.go", _HEAD + code)
        write("pkg/registry/toy/thing/strategy.go", _STRATEGY)
        (found,) = run_follower(program, find_toolchain().go, tmp_path, ["k8s.io/api/toy/v1.Thing"])
        return found

    return run


def told(found: FollowedKind) -> Told:
    """Return the errors by path, each with the line in the code behind its head."""
    paths: Told = {}
    for one in found.errors or ():
        site = found.site(one.site)
        assert "k8s.io/kubernetes/pkg/apis/toy/validation/validation.go" == site.file
        words = one.type.removeprefix("FieldValue") + f" {site.line - _HEAD.count(chr(10))}"
        words += f" {one.origin}" if one.origin else ""
        words += " covered" if one.covered else ""
        paths.setdefault("(unknown)" if one.vague else one.path, set()).add(words)
    return paths


def test_paths_are_followed_through_callers(follow: Follow) -> None:
    """Names, indices, keys and variables that callers add, and marks of an error and of a list."""
    found = follow("""func ValidateThing(thing *toy.Thing) field.ErrorList {
	allErrs := check(thing.Name, field.NewPath("metadata", "name"))
	path := field.NewPath("spec")
	for i := range thing.Items {
		allErrs = append(allErrs, check(thing.Items[i].Name, path.Child("items").Index(i).Child("name"))...)
	}
	for key, value := range thing.Labels {
		allErrs = append(allErrs, check(value, path.Child("labels").Key(key)).MarkCoveredByDeclarative()...)
	}
	return allErrs
}

func check(name string, path *field.Path) (errs field.ErrorList) {
	if name == "" {
		return field.ErrorList{field.Required(path, "").WithOrigin("a")}
	}
	return
}
""")
    assert ("toy.Thing", "", ()) == (found.internal, found.problem, found.open or ())
    assert {
        "metadata.name": {"Required 15 a"},
        "spec.items[*].name": {"Required 15 a"},
        "spec.labels[*]": {"Required 15 a covered"},
    } == told(found)


def test_functions_that_are_handed_on_are_followed(follow: Follow) -> None:
    """Literals, with what they capture, generic helpers, and functions of a table."""
    found = follow("""func ValidateThing(thing *toy.Thing) field.ErrorList {
	var allErrs field.ErrorList
	root := field.NewPath("spec")
	value := func(item toy.Item, path *field.Path) field.ErrorList {
		return field.ErrorList{field.Invalid(path.Child("value"), item, "")}
	}
	allErrs = append(allErrs, each(thing.Items, root.Child("items"), value)...)
	visit := func(name string) { allErrs = append(allErrs, field.Forbidden(root.Child(name), "")) }
	visit("a")
	for name, one := range checks {
		allErrs = append(allErrs, one(root.Child(name)))
	}
	return allErrs
}

var checks = map[string]func(*field.Path) *field.Error{"b": required, "c": required}

func required(path *field.Path) *field.Error { return field.Required(path, "") }

func each[T any](list []T, path *field.Path, one func(T, *field.Path) field.ErrorList) (errs field.ErrorList) {
	if len(list) > 9 {
		errs = append(errs, field.TooMany(path, len(list), 9))
	}
	for i, item := range list {
		errs = append(errs, one(item, path.Index(i))...)
	}
	return errs
}
""")
    assert {
        "spec.items": {"TooMany 22"},
        "spec.items[*].value": {"Invalid 5"},
        "spec.a": {"Forbidden 8"},
        "spec.b": {"Required 18"},
        "spec.c": {"Required 18"},
    } == told(found)


def test_errors_that_are_not_returned_are_not_told(follow: Follow) -> None:
    """Such as those that only decide, and those of branches that constants exclude."""
    found = follow("""func ValidateThing(thing *toy.Thing) field.ErrorList {
	path := field.NewPath("spec")
	if errs := check(thing.Name, path.Child("asked"), true); len(errs) > 0 {
		return field.ErrorList{field.Invalid(path.Child("told"), nil, "")}
	}
	return check(thing.Name, path.Child("name"), false)
}

func check(name string, path *field.Path, strict bool) (errs field.ErrorList) {
	if strict && name == "x" {
		errs = append(errs, field.Invalid(path, name, ""))
	}
	if name == "" {
		errs = append(errs, field.Required(path, ""))
	}
	return errs
}
""")
    assert {"spec.told": {"Invalid 4"}, "spec.name": {"Required 14"}} == told(found)


def test_what_is_not_known_is_told_as_such(follow: Follow) -> None:
    """A name that the object decides, a path that comes from elsewhere, and a function that calls itself."""
    found = follow("""func ValidateThing(thing *toy.Thing) field.ErrorList {
	path := field.NewPath("spec")
	errs := field.ErrorList{field.Invalid(path.Child(thing.Name), nil, ""), field.Required(paths[thing.Name], "")}
	return append(errs, nested(thing.Nested, path.Child("nested"))...)
}

var paths = make(map[string]*field.Path)

func nested(one *toy.Nested, path *field.Path) field.ErrorList {
	if one == nil {
		return nil
	}
	return append(nested(one.Next, path.Child("next")), field.Forbidden(path, ""))
}
""")
    paths = told(found)
    assert {"Invalid 3"} == paths.pop("spec.?")
    assert {"Required 3"} == paths.pop("(unknown)")
    assert {"Forbidden 13"} == paths["spec.nested"] == paths["spec.nested.next.next"]
    (cut,) = {(one.path, one.why) for one in found.open or ()}
    assert (sorted(paths)[-1] + ".next", True) == (cut[0], "calls itself" in cut[1])
    one = next(one for one in found.errors or () if one.path == "spec.?")
    assert [True, True, False, False] == [
        one.is_at(*asked)
        for asked in (
            ("spec.a", "FieldValueInvalid"),
            ("spec.[*]", "FieldValueInvalid"),
            ("spec.a.b", "FieldValueInvalid"),
            ("spec.a", "FieldValueRequired"),
        )
    ]


def test_updates_begin_with_their_own_method(follow: Follow) -> None:
    """Each call is told with the function that has it, up to the strategy."""
    found = follow("""func ValidateThing(thing *toy.Thing) field.ErrorList { return nil }

func ValidateThingUpdate(thing, old *toy.Thing) field.ErrorList {
	return field.ErrorList{field.Invalid(field.NewPath("name"), thing.Name, "")}
}
""")
    (one,) = found.errors or ()
    (entry,) = [name for name in found.entries or () if name.endswith("ValidateUpdate")]
    assert "(k8s.io/kubernetes/pkg/registry/toy/thing.strategy).ValidateUpdate" == entry
    ((site, caller),) = [(site, caller) for node, site, caller in found.calls or () if node == one.node]
    assert "k8s.io/kubernetes/pkg/registry/toy/thing/strategy.go" == found.site(site).file
    assert [0] == [above for node, _, above in found.calls or () if node == caller]


def test_a_kind_without_a_strategy_is_told(program: Path, follow: Follow, tmp_path: Path) -> None:
    """And sources that cannot be read are an error."""
    follow("func ValidateThing(thing *toy.Thing) field.ErrorList { return nil }\n")
    (found,) = run_follower(program, find_toolchain().go, tmp_path, ["k8s.io/api/toy/v1.Other"])
    assert "no strategy" in found.problem
    with pytest.raises(TargetError, match="the fields at which errors are reported"):
        run_follower(program, Path("/bin/false"), tmp_path, ["k8s.io/api/toy/v1.Thing"])
