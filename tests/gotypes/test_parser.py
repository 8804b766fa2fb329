"""Declarations of one file, and what is said of a broken one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.gotypes.model import Typedef, TypeRef
from harness.gotypes.parser import parse_file
from harness.gotypes.scanner import source_of
from tests.gotypes.reading import found_in, read, wanted

V1 = "example.io/api/v1"
WHOLE = """\
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Widget is one.
type Widget struct {
	metav1.TypeMeta `json:",inline"`
	*Base
	// +k8s:required
	A, B string `json:"ab,omitempty"`
	C    []*Part                       `json:"c"` // +late
	D    map[string]resource.Quantity  `json:"d,omitempty" protobuf:"bytes,4"`
	E    [3]byte
	F    struct { X int `json:"x"` }   `json:"f"`
	G    List[string]
	h    chan int
	I    any                           `json:"-"`
}

type (
	Base struct{ Rune rune }
	Part string
	Same = Part
	List[T any] []T
)
"""


def test_every_form_of_field(tmp_path: Path) -> None:
    """Names, types, tags and embedding of fields are read as written."""
    widget = read(tmp_path, WHOLE).structs["Widget"]
    shown = [(one.name, one.json_name, str(one.type), one.embedded, one.inline) for one in widget.fields]
    assert [
        ("TypeMeta", "", "k8s.io/apimachinery/pkg/apis/meta/v1.TypeMeta", True, True),
        ("Base", "", f"*{V1}.Base", True, True),
        ("A", "ab", "string", False, False),
        ("B", "ab", "string", False, False),
        ("C", "c", f"[]*{V1}.Part", False, False),
        ("D", "d", "map[string]k8s.io/apimachinery/pkg/api/resource.Quantity", False, False),
        ("E", "E", "[]uint8", False, False),
        ("F", "f", "struct", False, False),
        ("G", "G", "List[string]", False, False),
        ("h", "h", "chan int", False, False),
        ("I", "", "any", False, True),
    ] == shown
    assert [one.omitempty for one in widget.fields[2:4]] == [True, True]
    assert [widget.fields[9].exported, widget.fields[10].json_ignored] == [False, True]
    assert [one.json_name for one in widget.fields[7].type.fields] == ["x"]
    assert (widget.fields[2].position.line, widget.fields[2].position.column) == (12 + 1, 2)


def test_comments_of_fields(tmp_path: Path) -> None:
    """Fields of one line share a block, and a trailing comment belongs to the next field (semantics.md#S1)."""
    fields = {one.name: [line.text for line in one.comments] for one in read(tmp_path, WHOLE).structs["Widget"].fields}
    assert [fields[name] for name in "ABCD"] == [["+k8s:required"], ["+k8s:required"], [], ["+late"]]


def test_every_form_of_type(tmp_path: Path) -> None:
    """Structs, typedefs, aliases and generics in one declaration; byte and rune go by their other names."""
    package = read(tmp_path, WHOLE)
    assert list(package.structs) == ["Widget", "Base"]
    assert TypeRef("builtin", "int32") == package.structs["Base"].fields[0].type
    shown = {name: (str(one.underlying), one.alias) for name, one in package.typedefs.items()}
    assert {"Part": ("string", False), "Same": (f"{V1}.Part", True), "List": ("List[T any] []T", False)} == shown
    assert package.typedefs["List"].underlying.kind == "other"
    assert ["go-json-name"] == [one.code for one in package.diagnostics]  # A and B share a tag


def test_positions_stay_with_comments(tmp_path: Path) -> None:
    """A comment line knows the column of its first character."""
    line = read(tmp_path, WHOLE).structs["Widget"].fields[2].comments[0]
    assert (line.position.line, line.position.column) == (12, 5)


BROKEN = [
    'package v1\n\ntype A struct {\n\tX string `json:"x"`\n\tY [ // want go-syntax\n}\n',
    "package v1\n\ntype A struct {\n\tX strin // want go-undefined\n\tY metav1.Time // want go-import\n}\n",
    'package v1\n\ntype A struct {\n\tX string `json:"x` // want go-json-tag\n}\n',
    'package v1\n\ntype A struct {\n\tX string `json:"x"`\n\tY int `json:"x,omitempty"` // want go-json-name\n}\n',
    'package v1\n\ntype A struct {\n\tX string\n\tY int `json:"X"` // want go-json-name\n}\n',
    "package v1\n\ntype A struct {\n\tX string\n\tX int // want go-duplicate\n}\n\ntype A int // want go-duplicate\n",
    "type A struct{} // want go-package\n",
    "package v1\n\ntype A " + "[]" * 200 + "int // want go-nesting\n",
    "package v1\n\ntype A B C // want go-syntax\ntype D struct { E, } // want go-syntax\n",
]


@pytest.mark.parametrize("text", BROKEN)
def test_every_mistake_is_told(tmp_path: Path, text: str) -> None:
    """Each mistake in a file gives a diagnostic on its own line with what, why and fix."""
    package = read(tmp_path, text)
    assert set(wanted(text)) == set(found_in(package))
    assert all(one.message and one.fix and one.position.column for one in package.diagnostics)


def test_a_near_miss_is_suggested(tmp_path: Path) -> None:
    """A misspelt type gets the word that was meant."""
    package = read(tmp_path, "package v1\ntype A struct { X strin }\n")
    assert [one.fix for one in package.diagnostics] == ["did you mean string?"]


def test_a_broken_declaration_does_not_hide_the_others(tmp_path: Path) -> None:
    """What stands before and after a mistake is read."""
    package = read(tmp_path, "package v1\ntype A struct { X string }\ntype B struct { ]] }\ntype C int\n")
    assert "A" in package.structs
    assert "C" in package.typedefs
    assert "go-syntax" in {one.code for one in package.diagnostics}


@pytest.mark.parametrize("length", range(1, len(WHOLE), 7))
def test_cut_off_anywhere(length: int) -> None:
    """A file that ends too early is told about, or ends between two declarations."""
    text = WHOLE[:length]
    found = parse_file(source_of("types.go", text.encode()), V1)
    whole = text.count("{") == text.count("}") and text.count("(") == text.count(")") and text.count("`") % 2 == 0
    assert found.diagnostics or whole


PIECES = st.sampled_from(
    [
        *["type", "struct", "{", "}", "(", ")", "[", "]", "`", '"', "//", "/*", "*/", "const", "=", "iota", "\n", "."],
        *["map[", "json:", "\0", "\r", "é", "import", "A", "1<<", "func", "~", "interface{", ",", "// +k8s:x\n", "*"],
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_nothing_raises(data: st.DataObject) -> None:
    """Whatever is cut from, inserted into or exchanged in a file, it is read without an exception."""
    text = WHOLE + 'const (\n A Part = "a"\n B = 1 << iota\n)\n'
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 30)))
        text = text[:start] + "".join(data.draw(st.lists(PIECES, max_size=4))) + text[end:]
    found = parse_file(source_of("types.go", text.encode()), V1)
    assert all(one.position.line >= 0 and str(one) for one in found.diagnostics)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_bytes_do_not_raise(data: bytes) -> None:
    """Any bytes are read without an exception."""
    parse_file(source_of("types.go", data), V1)


def test_deep_nesting_ends(tmp_path: Path) -> None:
    """Thousands of nested structs, parentheses and expressions end in diagnostics, not in an exhausted stack."""
    text = f"package v1\ntype A {'struct { X ' * 3000}int{' }' * 3000}\nconst B = {'(' * 3000}1{')' * 3000}\n"
    package = read(tmp_path, text)
    assert "go-nesting" in {one.code for one in package.diagnostics}
    assert [one.value for one in package.consts] == [None]


def test_interfaces_and_functions(tmp_path: Path) -> None:
    """Types that no JSON describes are kept as interface or other."""
    text = "package v1\ntype A interface { F() }\ntype B func(int) error\ntype C = any\n"
    typedefs = read(tmp_path, text).typedefs
    assert [one.underlying.kind for one in typedefs.values()] == ["interface", "other", "interface"]
    assert isinstance(typedefs["A"], Typedef)
