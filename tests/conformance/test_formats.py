"""Every format, asked of its Go function at the edges: by itself, and through the fields of a release that have it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.case import Case, Operation
from harness.compiler.plan import rules_in
from harness.field import Path as FieldPath
from harness.gotypes.model import TypeRef
from harness.jsonpath import put
from harness.objectmodel import METADATA
from harness.subject.api import open_api
from harness.subject.generators import plan_of
from harness.subject.opening import open_subject
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Subject
from harness.tags.families.format import FORMATS
from harness.tags.rules import Check
from harness.tags.types import Types
from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.release import find_toolchain
from tests.conformance.conftest import Count
from tests.conformance.defaults import skeleton
from tests.conformance.formats import CHECKS, EDGES

pytestmark = pytest.mark.kubernetes
RELEASE = "1.37.1"
Place = tuple[Case, tuple[str | int, ...]]
"""A question about a kind, and where in its object the text goes."""


@pytest.fixture(scope="module")
def subject() -> Iterator[Subject]:
    """The release."""
    with open_subject(SubjectSpec("kubernetes", RELEASE), lambda text: None) as opened:
        yield opened


def places(subject: Subject) -> dict[str, Place]:
    """The first field of each format that is checked in an object in which every struct is there.

    Others are in members that the server resets, or that another rule keeps from being looked at.
    """
    api = open_api(kubernetes=RELEASE)
    types, names = Types(api.universe), {function: name for name, function in CHECKS.items()}
    plans = {package.path: plan_of(api, package) for package in api.packages if package.generates}
    found: dict[str, Place] = {}
    for info in subject.target.info.kinds:
        plan = plans.get(info.type.rpartition(".")[0])
        if info.subresource or plan is None or not info.rules or Operation.CREATE not in info.operations:
            continue
        header = {"apiVersion": f"{info.group}/{info.version}".lstrip("/"), "kind": info.kind, METADATA: {"name": "a"}}
        obj = {**header, **skeleton(types, TypeRef("named", info.type))}
        case = Case(0, info.group, info.version, info.kind, Operation.CREATE, obj, None, info.resource)
        for name, path in _formats(plan, info.type, obj, names):
            if name not in found and rejects(subject, name, (case, path), [next(filter(wrong(name), EDGES[name]))])[0]:
                found[name] = case, path
    return found


def wrong(name: str) -> Callable[[str], bool]:
    """The verdict of Python."""
    return lambda text: bool(CHECKS[name](Operation.CREATE, FieldPath(), text, None))


def rejects(subject: Subject, name: str, place: Place, texts: Sequence[str]) -> list[bool]:
    """The verdict of Go: whether there is an error with the origin of the format."""
    case, path = place
    objects = [put(case.object, path, text) for text in texts]
    cases = [msgspec.structs.replace(case, id=number, object=one) for number, one in enumerate(objects)]
    answers = subject.target.ask(cases)
    assert {None} == {answer.failure for answer in answers}, (name, path)
    return [any(error.origin == f"format={name}" for error in answer.declarative) for answer in answers]


def _formats(plan: Any, callee: str, value: Any, names: Any, path: tuple[str | int, ...] = ()) -> Iterator[Any]:
    if isinstance(value, list):
        yield from _formats(plan, callee, value[0], names, (*path, 0))
    type_plan = plan.types.get(callee)
    for one in type_plan.fields if type_plan is not None and isinstance(value, dict) else ():
        name = one.field.json_name
        for rule in rules_in(one.cohorts):
            if isinstance(rule.body, Check) and rule.body.function in names:
                yield names[rule.body.function], (*path, name)
        if name in value and name not in (METADATA, "status"):  # the server resets the status of a create
            yield from _formats(plan, one.inner.callee or one.inner.elem, value[name], names, (*path, name))


PROGRAM = """package main

import (
	"context"
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var formats = map[string]func(context.Context, operation.Operation, *field.Path, *string, *string) field.ErrorList{
FORMATS
}

func main() {
	asked, said := map[string][]string{}, map[string][][]string{}
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	for name, texts := range asked {
		for _, text := range texts {
			told := []string{}
			errs := formats[name](context.Background(), operation.Operation{}, field.NewPath("f"), &text, nil)
			for _, err := range errs {
				told = append(told, err.Origin+": "+err.Detail)
			}
			said[name] = append(said[name], told)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(said); err != nil {
		panic(err)
	}
}
"""


def function_of(name: str) -> str:
    """The name of the function in Go: `UUID`, `LongNameCaseless`."""
    return "".join(part.upper() if part == "uuid" else part.title() for part in name.split("-")[1:])


def test_every_function_of_go_says_the_same(tmp_path: Path, count: Count) -> None:
    """Origin and words of each error of each text, in their order: of formats that no field of a create has, too."""
    lines = [f'\t"{name}": validate.{function_of(name)}[string],' for name in FORMATS]
    (tmp_path / "main.go").write_text(PROGRAM.replace("FORMATS", "\n".join(lines)))
    version = f"v0.{RELEASE.removeprefix('1.')}"
    (tmp_path / "go.mod").write_text(f"module asked\n\ngo 1.26.0\n\nrequire k8s.io/apimachinery {version}\n")
    done = subprocess.run(
        [str(find_toolchain().go), "run", "."], cwd=tmp_path, env=go_environment(), check=False,
        input=msgspec.json.encode(EDGES), capture_output=True,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr.decode()
    said = msgspec.json.decode(done.stdout, type=dict[str, list[list[str]]])
    different = [
        (name, text, told)
        for name, texts in EDGES.items()
        for text, told in zip(texts, said[name], strict=True)
        if told
        != [f"{one.origin}: {one.detail}" for one in CHECKS[name](Operation.CREATE, FieldPath().child("f"), text, None)]
    ]
    count("functions of formats", {"formats": len(said), "texts": sum(map(len, said.values()))})
    assert ([], set(FORMATS)) == (different, set(said))


def test_a_format_is_the_same_in_go(subject: Subject, count: Count) -> None:
    """Each text has the verdict of Python: an error with the origin of the format, at its field."""
    found = places(subject)
    different = [
        (name, text)
        for name, place in found.items()
        for text, told in zip(EDGES[name], rejects(subject, name, place, EDGES[name]), strict=True)
        if told is not wrong(name)(text)
    ]
    count("formats", {"formats": len(found), "texts": sum(len(EDGES[name]) for name in found)})
    assert [] == different
    assert 7 <= len(found), sorted(found)
