"""A Go validator of a project's own module: each form that webhooks have, and what its compiler says."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from harness.case import Case, KindInfo, Operation
from harness.diagnostics import TargetError, UsageError
from harness.targets.command import CommandTarget
from harness.targets.crd.govalidator import blocks_of_validator, build_validator
from harness.targets.kubernetes.build import go_environment

KIND = KindInfo("example.com", "v1", "Thing", "things", "example.com/v1")
TYPES = """\
package v1

import (
	"context"
	"errors"
	"fmt"
)

type Spec struct {
	N int `json:"n"`
}

type Thing struct {
	Spec Spec `json:"spec"`
}

type Object any

// Error is a field.Error as apimachinery has it.
type ErrorType string

type Error struct {
	Type                 ErrorType
	Field, Detail, Value string
}

func (e *Error) Error() string     { return e.Field + ": " + e.Detail }
func (e *Error) ErrorBody() string { return e.Detail }

type ErrorList []*Error

func odd(n int) ErrorList {
	fmt.Println("printed")
	if n == 13 {
		panic("thirteen")
	}
	if n%2 == 0 {
		return nil
	}
	return ErrorList{{Type: "FieldValueInvalid", Field: "spec.n", Detail: "must be even"}}
}

func ValidateThing(t *Thing) ErrorList { return odd(t.Spec.N) }

func ValidateThingUpdate(t, old *Thing) ErrorList {
	if t.Spec.N < old.Spec.N {
		return ErrorList{{Type: "FieldValueForbidden", Field: "spec.n", Detail: "must grow"}}
	}
	return nil
}

// The receiver is the object.
func (t *Thing) ValidateCreate() ([]string, error) { return []string{"a warning"}, status(odd(t.Spec.N)) }

func (t *Thing) ValidateUpdate(old Object) ([]string, error) {
	return nil, status(ValidateThingUpdate(t, old.(*Thing)))
}

type cause struct {
	Reason  string `json:"reason"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

type details struct {
	Causes []cause `json:"causes"`
}

type Status struct {
	Message string  `json:"message"`
	Details details `json:"details"`
}

type statusError struct{ status Status }

func (e *statusError) Error() string  { return e.status.Message }
func (e *statusError) Status() Status { return e.status }

func status(list ErrorList) error {
	if len(list) == 0 {
		return nil
	}
	told := Status{Message: "is invalid"}
	for _, e := range list {
		told.Details.Causes = append(told.Details.Causes, cause{string(e.Type), e.Field, e.Detail})
	}
	return &statusError{told}
}

// Custom is a validator beside the object.
type Custom struct{}

func (*Custom) ValidateCreate(_ context.Context, obj Object) ([]string, error) {
	return nil, status(odd(obj.(*Thing).Spec.N))
}

func (*Custom) ValidateUpdate(_ context.Context, old, obj Object) ([]string, error) {
	return nil, status(ValidateThingUpdate(obj.(*Thing), old.(*Thing)))
}

// Knative has errors as knative.dev/pkg/apis has them.
type Knative struct{}

type FieldError struct {
	Message, Details string
	Paths            []string
	errors           []*FieldError
}

func (e *FieldError) Error() string                { return "in one text" }
func (e *FieldError) WrappedErrors() []*FieldError { return e.errors }

func (Knative) Validate(_ context.Context, obj *Thing) *FieldError {
	if len(odd(obj.Spec.N)) == 0 {
		return nil
	}
	return &FieldError{errors: []*FieldError{
		{Message: "missing field(s)", Paths: []string{"spec.a", "spec.b"}},
		{Message: "must not set the field(s)", Paths: []string{"spec.c"}},
		{Message: "invalid value: 1", Details: "must be even", Paths: []string{"spec.n"}},
		{Message: "expected a whole"},
	}}
}

// Typed takes objects of its type, and returns texts.
type Typed struct{}

func (Typed) ValidateCreate(_ context.Context, obj *Thing) ([]string, error) {
	if len(odd(obj.Spec.N)) > 0 {
		return nil, errors.New("odd")
	}
	return nil, nil
}
"""
TRACED = """\
package v2

import (
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

type Thing struct {
	Spec struct {
		N int `json:"n"`
	} `json:"spec"`
}

func ValidateThing(t *Thing) (found field.ErrorList) {
	path := field.NewPath("spec").Child("n")
	if t.Spec.N%2 != 0 {
		found = append(found, even(path, t.Spec.N))
	}
	for _, text := range validation.IsValidPortNum(t.Spec.N) {
		func() { found = append(found, field.Forbidden(path, text)) }()
	}
	return found
}

func even(path *field.Path, n int) *field.Error {
	return field.Invalid(path, n, "must be even")
}
"""
EVEN = ("FieldValueInvalid", "spec.n", "must be even")
GROW = ("FieldValueForbidden", "spec.n", "must grow")


KNATIVE = [
    ("FieldValueRequired", "spec.a", "missing field(s)"), ("FieldValueRequired", "spec.b", "missing field(s)"),
    ("FieldValueForbidden", "spec.c", "must not set the field(s)"),
    ("FieldValueInvalid", "spec.n", "invalid value: 1: must be even"), ("FieldValueInvalid", "", "expected a whole"),
]  # fmt: skip


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Go module with validators of each form."""
    top = tmp_path_factory.mktemp("module")
    (top / "go.mod").write_text("module example.com/project\n\ngo 1.18\n")
    (top / "internal" / "v1").mkdir(parents=True)
    (top / "internal" / "v1" / "types.go").write_text(TYPES)
    (top / "broken").mkdir()
    (top / "broken" / "broken.go").write_text("package broken\n\ntype Thing struct{}\n\nvar x int = true\n")
    return top


def case(number: int, old: int | None = None) -> Case:
    """A create, or an update, of an object."""
    objects = [None if n is None else {"spec": {"n": n}} for n in (number, old)]
    return KIND.case(Operation.CREATE if old is None else Operation.UPDATE, *objects, id=number)


@pytest.mark.kubernetes
@pytest.mark.parametrize(
    ("name", "create", "update"),
    [
        ("Thing", [EVEN], [GROW]), ("Custom=Thing", [EVEN], [GROW]), ("ValidateThing", [EVEN], []),
        ("ValidateThingUpdate", [], [GROW]), ("Typed", [("FieldValueInvalid", "", "odd")], []),
        ("Knative", KNATIVE, []),
    ],
)  # fmt: skip
def test_each_form_of_a_validator(
    module: Path, name: str, create: list[tuple[str, str, str]], update: list[tuple[str, str, str]]
) -> None:
    """Methods of the object or beside it, and functions, are asked for what they take, and their errors are read."""
    location = "=".join(f"{module}/internal/v1.{one}" for one in name.split("="))
    with CommandTarget([str(build_validator(location, print))]) as target:
        answers = target.ask([case(2), case(3), case(4, old=6), case(6, old=4)])
    found = [[(error.type, error.field, error.detail) for error in answer.handwritten] for answer in answers]
    assert [[], create, update, []] == found
    assert [None] * 4 == [answer.failure for answer in answers]
    assert ["broken", "go.mod", "internal"] == sorted(path.name for path in module.iterdir())


def traced_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a module that uses apimachinery, and return where its validator is."""
    monkeypatch.setenv("GOFLAGS", go_environment()["GOFLAGS"])
    (tmp_path / "go.mod").write_text("module example.com/traced\n\ngo 1.26.0\n\nrequire k8s.io/apimachinery v0.37.1\n")
    (tmp_path / "v2").mkdir()
    (tmp_path / "v2" / "things.go").write_text(TRACED)
    return f"{tmp_path}/v2.ValidateThing"


@pytest.mark.kubernetes
def test_where_errors_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A case that asks for it is told the line and the function of the module, where the errors are apimachinery's."""
    location = traced_module(tmp_path, monkeypatch)
    asked = msgspec.structs.replace(case(-3), trace=True)
    with CommandTarget([str(build_validator(location, print))]) as target:
        assert "trace" in target.info.abilities
        told, plain = target.ask([asked, case(-3)])
    assert ["v2/things.go:26 in even", "v2/things.go:20 in ValidateThing"] == [one.source for one in told.handwritten]
    assert ["", ""] == [one.source for one in plain.handwritten]


@pytest.mark.kubernetes
def test_the_code_that_cases_reach(module: Path) -> None:
    """A case is told the blocks of the module that are new to who asks, after a panic too."""
    location, before = f"{module}/internal/v1.ValidateThing", sorted(module.rglob("*"))
    program, heard = build_validator(location, print), list[str]()
    counted = build_validator(location, heard.append, counts_blocks=True)
    assert [] == heard
    assert program != counted
    code = blocks_of_validator(location)
    assert (module, "example.com/project") == (code.root, code.module)
    assert {"example.com/project/internal/v1/types.go"} == {block.file for block in code.blocks}
    known = {block.number: (block.function, block.end[0]) for block in code.blocks}
    asked = ((2, ""), (4, "a"), (3, "a"), (3, "b"))
    cases = [msgspec.structs.replace(case(number), blocks=name) for number, name in asked]
    with CommandTarget([str(counted)]) as target:
        assert "blocks" in target.info.abilities
        answers = target.ask([*cases, msgspec.structs.replace(case(13), blocks="a")])
    told = [sorted(known[number] for number in answer.blocks if number in known) for answer in answers]
    even = [("ValidateThing", 43), ("odd", 34), ("odd", 37), ("odd", 39)]
    odd = [("ValidateThing", 43), ("odd", 34), ("odd", 37), ("odd", 40)]
    assert [[], even, odd[-1:], odd, [("odd", 35)]] == told
    assert answers[-1].failure is not None
    assert before == sorted(module.rglob("*"))
    with CommandTarget([str(program)]) as target:
        assert "blocks" not in target.info.abilities
        assert () == target.ask([cases[1]])[0].blocks


@pytest.mark.kubernetes
def test_a_counted_program_tells_where_errors_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the one without counters does."""
    location = traced_module(tmp_path, monkeypatch)
    with CommandTarget([str(build_validator(location, print, counts_blocks=True))]) as target:
        [told] = target.ask([msgspec.structs.replace(case(-3), trace=True, blocks="a")])
    assert ["v2/things.go:26 in even", "v2/things.go:20 in ValidateThing"] == [one.source for one in told.handwritten]
    assert told.blocks


@pytest.mark.kubernetes
def test_a_module_that_cannot_be_counted(tmp_path: Path) -> None:
    """A module of a workspace takes no other go.mod: that is told, and its validator is asked without counters."""
    (tmp_path / "go.mod").write_text("module example.com/project\n\ngo 1.18\n")
    (tmp_path / "go.work").write_text("go 1.18\n\nuse .\n")
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "types.go").write_text(TYPES)
    heard = list[str]()
    with CommandTarget([str(build_validator(f"{tmp_path}/v1.ValidateThing", heard.append, True))]) as target:
        assert "blocks" not in target.info.abilities
        [error] = target.ask([case(3)])[0].handwritten
        assert EVEN == (error.type, error.field, error.detail)
    [told] = heard
    assert told.startswith("the code of handwritten validators is not counted: ")
    assert "workspace" in told


@pytest.mark.kubernetes
def test_what_goes_wrong_in_it(module: Path) -> None:
    """A panic is one of the handwritten side; an object that does not fit the type is no verdict."""
    with CommandTarget([str(build_validator(f"{module}/internal/v1.ValidateThing", print))]) as target:
        panic, wrong = target.ask([case(13), KIND.case(Operation.CREATE, {"spec": {"n": "x"}})])
    assert panic.failure is not None
    assert wrong.failure is not None
    assert ("thirteen", True) == (panic.failure.message, panic.failure.panic)
    assert ("handwritten", False) == (wrong.failure.stage, wrong.failure.panic)


@pytest.mark.kubernetes
def test_many_cases(module: Path) -> None:
    """It answers through many collections of garbage: its output is not closed with what is collected."""
    with CommandTarget([str(build_validator(f"{module}/internal/v1.ValidateThing", print))]) as target:
        answers = target.ask([case(2 * number) for number in range(30_000)])
    assert (30_000, 0) == (len(answers), target.restarts)


@pytest.mark.kubernetes
def test_a_module_that_does_not_compile(module: Path) -> None:
    """What the compiler says is told, with the folder."""
    with pytest.raises(TargetError, match="does not compile") as told:
        build_validator(f"{module}/broken.Thing", print)
    assert "broken.go:5" in str(told.value)
    assert str(module) in str(told.value)


def test_what_is_not_there(module: Path, tmp_path: Path) -> None:
    """A package, a name and a module that are missing are told."""
    (tmp_path / "x.go").write_text("package x\n")
    for location, words in (
        (f"{module}/nowhere.Thing", "there is no package"), (f"{module}/internal/v1.Nothing", "declares no Nothing"),
        (f"{tmp_path}.Thing", "no Go module"), ("Thing", "there is no package"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=words):
            build_validator(location, print)
