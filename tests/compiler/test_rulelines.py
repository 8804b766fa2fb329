"""The tag behind an error: the line that declares the rule is found wherever it stands, and no other line is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.compiler.emissions import DeclaredError
from harness.compiler.rulelines import RuleLine, RuleLines
from harness.field import FieldError, Level
from harness.gotypes.packages import Universe
from harness.jsonpath import pattern_of
from harness.rulecov.declared import errors_of
from harness.subject.api import open_api
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.grammar import Tag, parse
from harness.tags.release import Release, release_of

INVALID, REQUIRED, FORBIDDEN = "FieldValueInvalid", "FieldValueRequired", "FieldValueForbidden"
TOO_LONG, DUPLICATE, NOT_SUPPORTED = "FieldValueTooLong", "FieldValueDuplicate", "FieldValueNotSupported"


def find(
    tmp_path: Path,
    go: str,
    path: str,
    error_type: str,
    origin: str = "",
    detail: str = "",
    level: Level = "",
    minor: int = 37,
) -> str:
    """Return the tag on the line that is found for an error of a root T; empty if none is."""
    (tmp_path / "types.go").write_text(f"package v1\n\n{go}\n", encoding="utf-8")
    lines = RuleLines(Universe.from_folders({"x/v1": tmp_path}), Release(minor))
    options = {"On": True, "Off": False}
    found = lines.find("x/v1.T", path, FieldError(error_type, path, detail, origin, level), options)
    if found is None:
        return ""
    assert ("x/v1", str(tmp_path / "types.go")) == (found.package, found.position.file)
    line = (tmp_path / "types.go").read_text(encoding="utf-8").splitlines()[found.position.line - 1]
    return line[line.index("+k8s:") :]


CLOSE = """type T struct {
	// +k8s:required
	// +k8s:maxLength=3
	A string `json:"a"`
	// +k8s:required
	// +k8s:beta(since: "1.37")=+k8s:maxLength=4
	B string `json:"b"`
	C string `json:"c"` // +k8s:required
	D string `json:"d"`
}"""


@pytest.mark.parametrize(
    ("path", "error_type", "origin", "line"),
    [
        ("a", TOO_LONG, "maxLength", "+k8s:maxLength=3"),
        ("b", TOO_LONG, "maxLength", '+k8s:beta(since: "1.37")=+k8s:maxLength=4'),
        ("b", TOO_LONG, "", '+k8s:beta(since: "1.37")=+k8s:maxLength=4'),
        ("b", INVALID, "maxLength", ""),
        ("b", TOO_LONG, "maxBytes", ""),
        ("c", TOO_LONG, "maxLength", ""),
        ("c", REQUIRED, "", ""),
        ("d", REQUIRED, "", "+k8s:required"),
    ],
)
def test_fields_without_blank_lines_keep_their_tags(
    tmp_path: Path, path: str, error_type: str, origin: str, line: str
) -> None:
    """The block that ends above a field is its own; the one before it belongs to the field before."""
    assert line == find(tmp_path, CLOSE, path, error_type, origin)


def test_two_fields_with_one_tag_have_two_lines(tmp_path: Path) -> None:
    """Equal lines are told apart by where they stand."""
    (tmp_path / "types.go").write_text(f"package v1\n\n{CLOSE}\n", encoding="utf-8")
    lines = RuleLines(Universe.from_folders({"x/v1": tmp_path}), Release())
    found = [lines.find("x/v1.T", path, FieldError(REQUIRED, path)) for path in ("a", "b")]
    assert [4, 7] == [one.position.line for one in found if one is not None]


ENUM = """// +k8s:enum
type E string

const EA E = "a"

// +k8s:eachVal=+k8s:maxLength=3
type Names []string

type T struct {
	E E `json:"e"`
	P *E `json:"p"`
	L []E `json:"l"`
	M map[string]E `json:"m"`
	K map[E]string `json:"k"`
	N Names `json:"n"`
	O O `json:"o"`
}

type O struct {
	E E `json:"e"`
}"""


@pytest.mark.parametrize(
    ("path", "error_type", "origin", "line"),
    [
        ("e", NOT_SUPPORTED, "", "+k8s:enum"),
        ("p", NOT_SUPPORTED, "", "+k8s:enum"),
        ("l[3]", NOT_SUPPORTED, "", "+k8s:enum"),
        ("m[x]", NOT_SUPPORTED, "", "+k8s:enum"),
        ("k", NOT_SUPPORTED, "", "+k8s:enum"),
        ("o.e", NOT_SUPPORTED, "", "+k8s:enum"),
        ("l", NOT_SUPPORTED, "", ""),
        ("n[0]", TOO_LONG, "maxLength", "+k8s:eachVal=+k8s:maxLength=3"),
    ],
)
def test_a_tag_of_a_type_is_found_wherever_the_type_is_used(
    tmp_path: Path, path: str, error_type: str, origin: str, line: str
) -> None:
    """On a field, behind a pointer, in lists and maps, and as a key, whose errors are reported at the map."""
    assert line == find(tmp_path, ENUM, path, error_type, origin)


@pytest.mark.parametrize(
    ("tags", "go", "path", "error_type", "origin", "line"),
    [
        ('format="k8s-uuid"', "string", "f", INVALID, "format=k8s-uuid", 0),
        ("format=k8s-long-name; format=k8s-short-name", "string", "f", INVALID, "format=k8s-short-name", 1),
        ("format=k8s-long-name-caseless", "string", "f", INVALID, "format=k8s-long-name", -1),
        ("listType=atomic; unique=set", "[]string", "f[1]", DUPLICATE, "", 1),
        ("listMapKey=k; listType=map", "[]I", "f[1]", DUPLICATE, "", 1),
        ("listMapKey=k; listType=atomic; unique=map", "[]I", "f[1]", DUPLICATE, "", 2),
        ("listMapKey=k; listType=map; customUnique", "[]I", "f[1]", DUPLICATE, "", -1),
        ("eachVal=+k8s:maxLength=3", "[]string", "f[7]", TOO_LONG, "maxLength", 0),
        ("eachVal=+k8s:maxLength=3", "[]string", "f", TOO_LONG, "maxLength", -1),
        ("eachKey=+k8s:maxLength=3; eachVal=+k8s:maxLength=4", "map[string]string", "f", TOO_LONG, "maxLength", 0),
        ("eachKey=+k8s:maxLength=3; eachVal=+k8s:maxLength=4", "map[string]string", "f[k]", TOO_LONG, "maxLength", 1),
        ('listType=map; listMapKey=k; item(k: "a")=+k8s:immutable', "[]I", "f[0]", INVALID, "immutable", 2),
        ("subfield(k)=+k8s:maxLength=3", "I", "f.k", TOO_LONG, "maxLength", 0),
        ('subfield("k")=+k8s:maxLength=3', "*I", "f.k", TOO_LONG, "maxLength", 0),
        ("eachVal=+k8s:subfield(k)=+k8s:maxLength=3", "[]I", "f[2].k", TOO_LONG, "maxLength", 0),
        ('ifEnabled(On)=+k8s:maxLength=3; ifDisabled("On")=+k8s:maxLength=4', "string", "f", TOO_LONG, "maxLength", 0),
        ("ifDisabled(Off)=+k8s:maxLength=3; ifEnabled(Off)=+k8s:maxLength=4", "string", "f", TOO_LONG, "maxLength", 0),
        ("update=NoSet; update=NoUnset", "string", "f", INVALID, "update", 0),
        ("listType=set; update=NoAddItem; update=NoRemoveItem", "[]string", "f[0]", FORBIDDEN, "update", 1),
        ("optional\n\t// +default=5", "*int32", "f", REQUIRED, "", 0),
        ("opaqueType", "J", "f.k", TOO_LONG, "maxLength", -1),
        ("optional", "J", "f.k", TOO_LONG, "maxLength", -2),
    ],
)
def test_each_sort_of_tag_is_found(
    tmp_path: Path, tags: str, go: str, path: str, error_type: str, origin: str, line: int
) -> None:
    """By what it reports and where; -1 is none of them, and -2 the tag of the type within."""
    texts = [f"+k8s:{tag}" for tag in tags.split("; ")]
    above = "\n".join(f"\t// {text}" for text in texts)
    inner = (
        'type I struct {\n\tK string `json:"k"`\n}\n\ntype J struct {\n\t// +k8s:maxLength=9\n\tK string `json:"k"`\n}'
    )
    source = (
        f'type T struct {{\n\t// +k8s:maxBytes=1\n\tB string `json:"b"`\n{above}\n\tF {go} `json:"f"`\n}}\n\n{inner}'
    )
    expected = {-1: "", -2: "+k8s:maxLength=9"}.get(line) if line < 0 else texts[line].split("\n")[0]
    assert expected == find(tmp_path, source, path, error_type, origin)


def test_the_detail_tells_constraints_of_updates_apart(tmp_path: Path) -> None:
    """They are one rule, but each has a line."""
    go = 'type T struct {\n\t// +k8s:update=NoSet\n\t// +k8s:update=NoUnset\n\tF string `json:"f"`\n}'
    for detail, line in (
        ("field cannot be set once created", "NoSet"),
        ("field cannot be cleared once set", "NoUnset"),
    ):
        assert f"+k8s:update={line}" == find(tmp_path, go, "f", INVALID, "update", detail)


@pytest.mark.parametrize(
    ("detail", "level", "line"),
    [
        ("may not be more than 30 characters", "", "+k8s:maxLength=30"),
        ("may not be more than 3 characters", "beta", "+k8s:beta=+k8s:maxLength=3"),
        ("may not be more than 5 characters", "", "+k8s:maxLength=5"),
        ("something else", "", "+k8s:maxLength=5"),
    ],
)
def test_of_several_rules_the_one_of_the_error_is_found(tmp_path: Path, detail: str, level: Level, line: str) -> None:
    """By the level and the limit that the error has; the nearest one where they do not tell."""
    go = """// +k8s:maxLength=5
type S string

type T struct {
\t// +k8s:beta=+k8s:maxLength=3
\t// +k8s:maxLength=30
\tF S `json:"f"`
}"""
    assert line == find(tmp_path, go, "f", TOO_LONG, "maxLength", detail, level)


STRUCT_RULES = """type T struct {
	U U `json:"u"`
	// +k8s:listType=map
	// +k8s:listMapKey=k
	// +k8s:item(k: "a")=+k8s:zeroOrOneOfMember
	// +k8s:item(k: "b")=+k8s:zeroOrOneOfMember
	L []I `json:"l"`
}

type I struct {
	K string `json:"k"`
}

type U struct {
	// +k8s:unionDiscriminator
	D string `json:"d"`
	// +k8s:unionMember # one
	A *string `json:"a"`
	// +k8s:unionMember # two
	B *string `json:"b"`
	// +k8s:unionMember(union: "plain") # three
	C *string `json:"c"`
	// +k8s:unionMember(union: "plain") # four
	E *string `json:"e"`
	// +k8s:modeDiscriminator
	M string `json:"m"`
	// +k8s:ifMode("X")=+k8s:required
	F *string `json:"f"`
	// +k8s:ifMode("Y")=+k8s:maxLength=3
	G *string `json:"g"`
	// +k8s:dependentRequired("f")
	H *string `json:"h"`
}"""


@pytest.mark.parametrize(
    ("path", "error_type", "origin", "line"),
    [
        ("u.a", INVALID, "union", "+k8s:unionMember # one"),
        ("u.b", INVALID, "union", "+k8s:unionMember # two"),
        ("u", INVALID, "union", '+k8s:unionMember(union: "plain") # three'),
        ("l", INVALID, "zeroOrOneOf", '+k8s:item(k: "a")=+k8s:zeroOrOneOfMember'),
        ("u.f", FORBIDDEN, "", '+k8s:ifMode("X")=+k8s:required'),
        ("u.f", REQUIRED, "", '+k8s:ifMode("X")=+k8s:required'),
        ("u.g", FORBIDDEN, "", '+k8s:ifMode("Y")=+k8s:maxLength=3'),
        ("u.g", TOO_LONG, "maxLength", '+k8s:ifMode("Y")=+k8s:maxLength=3'),
        ("u.g", REQUIRED, "", ""),
        ("u.f", REQUIRED, "dependentRequired", '+k8s:dependentRequired("f")'),
        ("u.h", REQUIRED, "dependentRequired", ""),
    ],
)
def test_rules_of_a_struct_have_the_line_of_the_field_that_declares_them(
    tmp_path: Path, path: str, error_type: str, origin: str, line: str
) -> None:
    """Unions at their members or with their first member, modes at the field, dependents at the trigger."""
    assert line == find(tmp_path, STRUCT_RULES, path, error_type, origin)


def test_of_the_tags_of_one_union_that_of_the_member_that_is_meant(tmp_path: Path) -> None:
    """An error of the whole union is about none of its members, and says nothing of which one is read differently."""
    (tmp_path / "types.go").write_text(f"package v1\n\n{STRUCT_RULES}\n", encoding="utf-8")
    lines = RuleLines(Universe.from_folders({"x/v1": tmp_path}), Release())
    error = FieldError(INVALID, "u", origin="union")
    found = [lines.find("x/v1.T", "u", error, meant=meant) for meant in ((), ("e",), ("x", "c"))]
    marks = [one.text.rpartition("# ")[2] for one in found if one is not None]
    assert ["three", "four", "three"] == marks


def test_types_within_themselves_and_inlined_ones_are_followed(tmp_path: Path) -> None:
    """As far as the path goes, and a type that inlines itself ends."""
    go = """type T struct {
	Base `json:",inline"`
}

type Base struct {
	*T `json:",inline"`
	// +k8s:maxLength=3
	A string `json:"a"`
	N *Base `json:"n"`
}"""
    assert "+k8s:maxLength=3" == find(tmp_path, go, "n.n.n.a", TOO_LONG, "maxLength")


def test_an_older_release_knows_its_own_tags(tmp_path: Path) -> None:
    """1.36 called modes otherwise; 1.37 does not know these names."""
    go = """type T struct {
	// +k8s:discriminator
	D string `json:"d"`
	// +k8s:member("A")=+k8s:required
	F *string `json:"f"`
}"""
    assert '+k8s:member("A")=+k8s:required' == find(tmp_path, go, "f", FORBIDDEN, minor=36)
    assert "" == find(tmp_path, go, "f", FORBIDDEN)


def test_a_mistake_in_another_type_hides_no_line(tmp_path: Path) -> None:
    """Rules are read type by type: what the compiler refuses elsewhere does not matter here."""
    go = CLOSE + '\n\ntype Bad struct {\n\t// +k8s:maxLength=ten\n\tX string `json:"x"`\n}'
    assert "+k8s:maxLength=3" == find(tmp_path, go, "a", TOO_LONG, "maxLength")


def test_a_handwritten_function_is_found_by_its_path(tmp_path: Path) -> None:
    """It may report any error, so that only where it is called tells of it."""
    go = 'type T struct {\n\t// +k8s:customValidation\n\tF string `json:"f"`\n\tG string `json:"g"`\n}'
    (tmp_path / "types.go").write_text(f"package v1\n\n{go}\n", encoding="utf-8")
    lines = RuleLines(Universe.from_folders({"x/v1": tmp_path}), Release())
    found = lines.find_custom("x/v1.T", "f")
    assert found is not None
    assert 4 == found.position.line
    assert None is lines.find_custom("x/v1.T", "g")
    assert None is lines.find("x/v1.T", "f", FieldError(INVALID, "f"))


def chain_of(tag: Tag) -> Iterator[Tag]:
    """Yield a tag and those within it."""
    inner: Tag | None = tag
    while inner is not None:
        yield inner
        inner = inner.payload


def declaration_below(lines: list[str], number: int) -> str:
    """Return the first line below a comment."""
    return next(line.strip() for line in lines[number:] if not line.strip().startswith("//"))


def is_line_of(found: RuleLine, error: DeclaredError, place: str, lines: list[str]) -> bool:
    """Whether a line has the tag of a rule, above the field or the type that an error at a place leads to."""
    number = found.position.line
    tags = list(chain_of(parse(lines[number - 1].strip().removeprefix("//").strip())))
    names, below, steps = [tag.name for tag in tags], declaration_below(lines, number), list(pattern_of(place))
    same = {"k8s:listType": ("k8s:listType", "k8s:unique")}.get(error.tag, (error.tag,))
    of_mode = error.tag in ("k8s:ifMode", "k8s:member")  # the wrapper itself reports, whatever it wraps
    if (error.tag not in names) if of_mode else (names[-1] not in same):
        return False
    if below.startswith("type "):
        return True
    json = re.search(r'json:"([^",]*)', below)
    field = json[1] if json and json[1] else below.split()[0]
    if error.tag in ("k8s:dependentRequired", "k8s:dependentForbidden"):
        argument = tags[-1].arg()
        return argument is not None and argument.text == steps[-1]
    if error.tag in ("k8s:unionMember", "k8s:zeroOrOneOfMember"):
        return len(error.places) == 1 or field == steps[-1]
    argument_of = {"k8s:eachVal": "[*]", "k8s:item": "[*]"}
    inside = [argument_of.get(tag.name) or (tag.arg().text if tag.name == "k8s:subfield" else "") for tag in tags]  # type: ignore[union-attr]
    at_items = error.type == DUPLICATE or (error.origin, error.type) == ("update", FORBIDDEN)
    wanted = [field, *filter(None, inside), *(["[*]"] if at_items and steps[-1] == "[*]" else [])]
    return steps[-len(wanted) :] == wanted


@pytest.mark.kubernetes
@pytest.mark.parametrize(
    ("release", "expected"), [("1.37.1", 3380), pytest.param("1.36.3", 727, marks=pytest.mark.older)]
)
def test_every_rule_of_a_release_is_found_on_its_line(release: str, expected: int) -> None:
    """The line has the tag, and stands above the field of the error, its type, or the field further out."""
    api = open_api(kubernetes=release)
    lines = RuleLines(api.universe, release_of(api.release))
    files: dict[str, list[str]] = {}
    wrong, count = [], 0
    for package in (one for one in api.packages if one.generates):
        for name, error in errors_of(api.compile(package, CustomFunctions())):
            for place in error.places:
                count += 1
                told = FieldError(error.type, place, origin=error.origin, level=error.level)
                found = lines.find(f"{package.path}.{name}", place, told)
                if found is not None and (file := found.position.file) not in files:
                    files[file] = Path(file).read_text(encoding="utf-8").splitlines()
                if found is None or not is_line_of(found, error, place, files[found.position.file]):
                    wrong.append((package.path, name, place, error.type, error.origin, found))
    assert ([], expected) == (wrong, count)


UNIQUE_LIST = """type T struct {
	// +k8s:listType=atomic
	// +k8s:unique=map
	// +k8s:listMapKey=k
	F []I `json:"f"`
	// +k8s:alpha(since: "1.37")=+k8s:listType=set
	G []string `json:"g"`
}

type I struct {
	K string `json:"k"`
}"""


@pytest.mark.parametrize(("path", "tag"), [("f[1]", "k8s:unique"), ("g[1]", "k8s:listType")])
def test_the_tag_is_the_one_that_stands_on_the_line(tmp_path: Path, path: str, tag: str) -> None:
    """Two tags may declare that items are unique, and a fix names the one that is there."""
    (tmp_path / "types.go").write_text(f"package v1\n\n{UNIQUE_LIST}\n", encoding="utf-8")
    lines = RuleLines(Universe.from_folders({"x/v1": tmp_path}), Release())
    found = lines.find("x/v1.T", path, FieldError("FieldValueDuplicate", path))
    assert found is not None
    assert tag == found.tag
