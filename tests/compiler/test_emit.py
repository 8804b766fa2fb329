"""The emitted source: readable, on its own feet, shown by tracebacks, and fast."""

from __future__ import annotations

import ast
import traceback
from pathlib import Path
from typing import Any

import pytest

from harness.case import Operation
from harness.compiler import compile_types
from harness.diagnostics import InputError, UsageError
from harness.field import FieldError
from harness.field import Path as FieldPath
from harness.gotypes.packages import Universe
from tests.compiler.fixtures import compiled, universe_of

GO = """type T struct {
	// +k8s:required
	// +k8s:beta(since: "1.37")=+k8s:maxLength=3
	Name string `json:"name"`
	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=name
	Ports []Port `json:"ports"`
	// +k8s:ifEnabled(Feature)=+k8s:required
	Mode Mode `json:"mode"`
}
type Port struct {
	// +k8s:required
	Name string `json:"name"`
}
// +k8s:enum
type Mode string

const (
	A Mode = "a"
	// +k8s:ifDisabled(Other)=+k8s:enumExclude
	B Mode = "b"
)"""

NAME = """    # Name: required, maxLength (beta)
    v = new.get("name") or ""
    while not (changed and v == (old.get("name") or "")):
        if not v:
            errs += stopping(required_value(op, Path(path, ".name"), v, None))
            break
        if len(v) > 3:
            errs += at_level(max_length(op, Path(path, ".name"), v, None, 3), 'beta')
        break
"""


def test_a_field_reads_as_its_tags_do() -> None:
    """A field's code is a page's few lines, in the order of its rules; a path is made when something is wrong."""
    assert NAME in compiled(GO).source


def test_a_field_that_is_only_optional_is_not_read() -> None:
    """No error can come of it, so nothing is written for it."""
    go = GO.replace("type Port", "type Other struct{}\ntype Port").replace(
        "\t// +k8s:ifEnabled", '\t// +k8s:optional\n\tNote string `json:"note"`\n\t// +k8s:ifEnabled'
    )
    assert "note" not in compiled(go).source


def test_rules_of_parts_have_names_that_speak() -> None:
    """A function is named by what it checks, and rules that are the same share it."""
    go = """type T struct {
	// +k8s:eachVal=+k8s:maxLength=3
	A []string `json:"a"`
	// +k8s:eachVal=+k8s:maxLength=3
	B []string `json:"b"`
	// +k8s:subfield(x)=+k8s:ifEnabled(F)=+k8s:minLength=1
	S S `json:"s"`
}
type S struct {
	X string `json:"x"`
}"""
    source = compiled(go).source
    assert 1 == source.count("def check_max_length_3(")
    assert "def x_if_F_min_length_1(" in source
    assert "    # S: x minLength if F\n" in source


def test_the_source_stands_alone() -> None:
    """It imports paths, operations, runtime and check functions, never the compiler, and runs by itself."""
    source = compiled(GO).source
    modules = {node.module or "" for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}
    allowed = ("__future__", "harness.case", "harness.field", "harness.tags.runtime", "harness.tags.families.")
    assert [] == [module for module in modules if not module.startswith(allowed)]
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    found = namespace["validate_T"](
        Operation.CREATE, FieldPath(), {"mode": "a"}, None, {"Feature": True, "Other": True}
    )
    assert ["name"] == [error.field for error in found]


def test_equal_input_gives_equal_source() -> None:
    """The source is a function of the types."""
    assert compiled(GO).source == compiled(GO).source


def broken(operation: Operation, path: FieldPath, new: Any, old: Any) -> list[FieldError]:
    raise RuntimeError("broken")


CUSTOM = 'type T struct {\n\t// +k8s:customValidation\n\tName string `json:"name"`\n}'


def test_tracebacks_show_the_source() -> None:
    """When a handwritten check raises, the traceback shows the generated line that called it."""
    made = compiled(CUSTOM, custom={"ValidateCustom_T_Name": broken})
    with pytest.raises(RuntimeError) as caught:
        made.validate("T", Operation.CREATE, {})
    shown = "".join(traceback.format_exception(caught.value))
    assert "errs += ValidateCustom_T_Name(op, p, v, o)" in shown


def test_custom_checks_must_be_given() -> None:
    """Without its function the tag is a diagnostic that names it."""
    with pytest.raises(InputError, match="ValidateCustom_T_Name"):
        compiled(CUSTOM)


def test_what_is_known_of_a_type() -> None:
    """Options are found through fields, items and enums; a name that is no root is refused with the near miss."""
    made = compiled(GO)
    assert frozenset({"Feature", "Other"}) == made.options("T")
    assert made.has_rules("T")
    assert made.validates("T", "")
    with pytest.raises(UsageError, match="did you mean Port"):
        made.has_rules("Prt")


def test_roots_are_selected() -> None:
    """doc.go's criteria, the tag on a type, and ours decide what a request may be about."""
    go = "// +k8s:validation-gen=false\ntype A struct{}\n\ntype B struct{\n\tTypeMeta int\n}\n\ntype C struct{}\n"
    assert ("B",) == compiled(go).types
    assert ("B", "C") == compiled(go, criteria=["*"]).types
    assert universe_of(go).package("example").name == "example"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["*"], ""),
        (["TypesWithField=TypeMeta", "TypesWithSuffix=List"], ""),
        (["false"], ""),
        (["true"], "has the unknown value 'true'"),
        (["TypesWithFeld=X"], "has the unknown value 'TypesWithFeld=X'"),
        (["false", "*"], "contradicts another one with false"),
    ],
)
def test_what_doc_go_says_of_roots(lines: list[str], words: str, tmp_path: Path) -> None:
    """A value that upstream's generator stops at is refused at its line."""
    tags = "".join(f"// +k8s:validation-gen={line}\n" for line in lines)
    files = [tmp_path / "doc.go", tmp_path / "types.go"]
    files[0].write_text(f"{tags}package example\n")
    files[1].write_text("package example\n\ntype T struct{}\n")
    universe = Universe.from_files({"example": files})
    if not words:
        compile_types(universe, "example")
        return
    with pytest.raises(InputError) as caught:
        compile_types(universe, "example")
    assert f"+k8s:validation-gen of the package {words}" == caught.value.diagnostics[0].message


def test_nesting_too_deep_is_an_error_and_no_crash() -> None:
    """A recursive type with a hostile object gives one Internal error."""
    go = 'type T struct {\n\t// +k8s:optional\n\tT *T `json:"t"`\n\t// +k8s:maxLength=1\n\tA string `json:"a"`\n}'
    value: dict[str, Any] = {}
    for _ in range(5000):
        value = {"t": value}
    (error,) = compiled(go).validate("T", Operation.CREATE, value)
    assert ("InternalError", "<nil>") == (error.type, error.field)
