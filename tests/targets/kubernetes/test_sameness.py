"""Comments in types are no reason to compile what imports them again; everything else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.targets.kubernetes.sameness import code_of, remember

PLACE = "staging/src/k8s.io/api/apps/v1/types.go"
TYPES = """package v1

// Widget is small.
type Widget struct {
	// +k8s:maximum=3
	Size int `json:"size"` // in inches
	URL  string `json:"url,omitempty"` /* such as http://a */
}

const Where = "// not a comment"
const Raw = `/* nor this */`
"""


def write(root: Path, text: str, place: str = PLACE) -> Path:
    """Write one file of a checkout."""
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("maximum=3", "maximum=4"),
        ("\t// +k8s:maximum=3\n", "\t// +k8s:maximum=3\n\t// +k8s:minimum=1\n"),
        ("// Widget is small.\n", ""),
        (" // in inches", ""),
        ("/* such as http://a */", ""),
    ],
)
def test_a_comment_does_not_count(tmp_path: Path, before: str, after: str) -> None:
    """Tags, documentation and remarks at the end of a line leave the code what it was."""
    assert before in TYPES
    one, other = write(tmp_path / "a", TYPES), write(tmp_path / "b", TYPES.replace(before, after))
    assert code_of(one) == code_of(other)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Size int", "Size int32"),
        ('json:"url,omitempty"', 'json:"url"'),
        ("// not a comment", "// not another"),
        ("/* nor this */", "/* nor that */"),
    ],
)
def test_code_counts_and_strings_are_code(tmp_path: Path, before: str, after: str) -> None:
    """What looks like a comment inside a string is none."""
    assert before in TYPES
    one, other = write(tmp_path / "a", TYPES), write(tmp_path / "b", TYPES.replace(before, after))
    assert code_of(one) != code_of(other)


def test_comments_that_the_compiler_reads_count(tmp_path: Path) -> None:
    """A file with one is compared as it is."""
    text = "//go:build linux\n\n" + TYPES
    one, other = write(tmp_path / "a", text), write(tmp_path / "b", text.replace("maximum=3", "maximum=4"))
    assert code_of(one) != code_of(other)


def test_documentation_of_types_as_maps_does_not_count(tmp_path: Path) -> None:
    """No validator reads it; that a type has one counts."""
    name = "types_swagger_doc_generated.go"
    text = 'package v1\n\nvar m = map[string]string{"": "a"}\n\nfunc (Widget) SwaggerDoc() map[string]string {\n'
    more = text + "func (Gadget) SwaggerDoc() map[string]string {\n"
    files = [write(tmp_path / str(n), t, name) for n, t in enumerate((text, text.replace('"a"', '"b"'), more))]
    assert [True, False] == [code_of(files[0]) == code_of(other) for other in files[1:]]


def test_the_first_file_stands_for_those_with_the_same_code(tmp_path: Path) -> None:
    """Whoever comes later is compiled as the first one; code of its own is compiled as it is."""
    store = tmp_path / "store"
    roots = [tmp_path / name for name in ("base", "head", "other")]
    texts = (TYPES, TYPES.replace("maximum=3", "maximum=4"), TYPES.replace("int `", "int32 `"))
    paths = [write(root, text) for root, text in zip(roots, texts, strict=True)]
    standing = [remember(root, store) for root in roots]
    assert ({}, [str(paths[1])], {}) == (standing[0], list(standing[1]), standing[2])
    assert TYPES == Path(standing[1][str(paths[1])]).read_text()
