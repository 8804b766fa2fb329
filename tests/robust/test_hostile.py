"""Hostile objects, hostile names of packages, and texts of every kind as tags and declarations."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.case import Operation
from harness.compiler import compile_types
from harness.fuzzers.shape import shape_of
from harness.gotypes.packages import Universe
from harness.subject.decode import decoder_of
from harness.tags.registry import ALL_SPECS
from harness.targets.endpoint import DecodeError
from tests.robust.mutate import ODD, PAYLOADS
from tests.robust.objects import nested
from tests.robust.oracle import check_source, compiler, grammar
from tests.robust.seeds import CORPUS

WIDGET = (CORPUS / "compiler" / "widget").read_bytes()


@pytest.mark.parametrize("text", PAYLOADS)
@pytest.mark.parametrize(
    "go",
    [
        'type T struct {\n\t// +k8s:required\n\tA string `json:"@"`\n}\n',
        '// +k8s:enum\ntype E string\n\nconst A E = `@`\n\ntype T struct {\n\tE E `json:"e"`\n}\n',
        'type T struct {\n\t// +k8s:ifEnabled(`@`)=+k8s:required\n\tA string `json:"a"`\n}\n',
        'type T struct {\n\t// +k8s:neq=`@`\n\tA string `json:"a"`\n}\n',
        '// @\ntype T struct {\n\t// @\n\t// +k8s:required\n\tA string `json:"a"`\n}\n',
        'type T struct {\n\t// +k8s:validateFalse=`@`\n\tA string `json:"a"`\n}\n',
    ],
)
def test_no_text_of_types_runs(text: str, go: str) -> None:
    """Names, options, values and comments stay texts in the module that is emitted."""
    compiler(f"package v1\n\n{go.replace('@', text)}".encode())


@pytest.mark.parametrize("path", [*PAYLOADS[:12], "{x}/v1", 'a"""b'])
def test_no_import_path_runs(path: str, tmp_path: Path) -> None:
    """Folders may have any name."""
    file = tmp_path / "types.go"
    file.write_text("package v1\n\ntype T struct {\n\t// +k8s:required\n\tA string\n}\n")
    check_source(compile_types(Universe.from_files({path: [file]}), path).source)


@pytest.mark.parametrize("value", [{"next": nested(5000)}, {f"k{number}": number for number in range(100_000)}])
def test_large_objects_are_decoded_or_refused(value: object, tmp_path: Path) -> None:
    """Depth and breadth end in a word about the object."""
    file = tmp_path / "types.go"
    file.write_text('package v1\n\ntype T struct {\n\t// +k8s:required\n\tA string\n\tNext *T `json:"a"`\n}\n')
    universe = Universe.from_files({"v1": [file]})
    try:
        decoded = decoder_of(shape_of(universe, "v1.T"))(value)
    except (DecodeError, RecursionError):
        return
    assert compile_types(universe, "v1").validate("T", Operation.CREATE, decoded)


NAMES = st.sampled_from(["T", "U", "A", "string", "int32", "any", *ODD]) | st.text(max_size=3)
KINDS = st.recursive(
    NAMES, lambda inner: st.builds(str.__add__, st.sampled_from(["*", "[]", "map[string]", "[2]"]), inner), max_leaves=3
)
TAGS = st.builds(
    "// +{}{}{}".format,
    st.sampled_from([*ALL_SPECS]),
    st.sampled_from(["", "(a)", '("a")', "(a: 1)"]) | st.text(max_size=4),
    st.sampled_from(["", "=1", "=a", "=+k8s:required", "=set"]) | st.text(max_size=4),
)
FIELDS = st.builds('\t{}\n\t{} {} `json:"{}"`\n'.format, TAGS, NAMES, KINDS, st.text(max_size=4))
DECLARATIONS = st.one_of(
    st.builds("{}\ntype {} struct {{\n{}}}\n".format, TAGS, NAMES, st.lists(FIELDS, max_size=3).map("".join)),
    st.builds("{}\ntype {} {} {}\n".format, TAGS, NAMES, st.sampled_from(["", "="]), KINDS),
    st.builds("const {} {} = {}\n".format, NAMES, NAMES, st.sampled_from(["1", '"a"', "iota", "A", "1 << 99"])),
)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(DECLARATIONS, max_size=4))
def test_any_declarations(declarations: list[str]) -> None:
    """Declarations put together at random compile or are refused, and what is emitted is harmless."""
    compiler(("package v1\n\n" + "\n".join(declarations)).encode("utf-8", "replace"))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TAGS | st.text().map("+".__add__))
def test_any_tag(text: str) -> None:
    """Any text behind a plus is a tag, shown so that it parses again, or an error inside the line."""
    grammar(text.encode("utf-8", "replace"))


def test_a_hostile_file_names_everything_wrong() -> None:
    """Many mistakes at once are all told."""
    found = str(compiler(WIDGET.replace(b"maxLength=3", b"maxLength=x").replace(b"minimum=1", b"minimum=")))
    assert "+k8s:maxLength" in found
    assert "+k8s:minimum" in found
