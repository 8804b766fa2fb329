"""A finding stands at the Go type that declares its field, whatever kind and version it was met in."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from harness.case import KindInfo
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding, Severity
from harness.compare.mismatch import Mismatch
from harness.compiler.rulelines import RuleLine, RuleLines
from harness.diagnostics import Position
from harness.engine.checksource import TracedErrors, add_handwritten_source
from harness.engine.explain import Explainer
from harness.engine.fieldsource import (
    FieldSource,
    add_converted_name,
    add_field_source,
    add_read_member,
    find_field_source,
    tell_if_unreachable,
    wrong_names,
)
from harness.field import FieldError
from harness.fuzzers.shape import FieldShape, Shape, shape_of
from harness.gotypes.packages import Universe
from harness.subject import SubjectSpec, open_subject
from harness.subject.deciding import UNREAD, HandwrittenCode
from harness.tags.release import Release
from tests.fuzzers.toys import PACKAGE, widget_shape
from tests.report import made

SHAPE = widget_shape()


@pytest.mark.parametrize(
    ("path", "owner", "member"),
    [
        ("spec.title", "WidgetSpec", "title"),
        ("spec.parent.parent.title", "WidgetSpec", "title"),
        ("spec.ports[3].name", "Port", "name"),
        ("spec.ports[3]", "WidgetSpec", "ports[*]"),
        ("spec.labels[a.b/c]", "WidgetSpec", "labels[*]"),
        ("spec", "Widget", "spec"),
        ("", "Widget", ""),
        ("spec.Title", "WidgetSpec", "Title"),
        ("spec.ports[0].nowhere[1].x", "Port", "nowhere[*].x"),
    ],
)
def test_the_owner_is_the_struct_that_declares_the_field(path: str, owner: str, member: str) -> None:
    """A path is followed as far as the type goes; versions are left out of the name."""
    found = find_field_source(path, SHAPE)
    assert (f"{PACKAGE.removesuffix('/v1')}.{owner}", member) == (found.owner, found.member)


def test_where_no_type_is_known_nothing_is_said() -> None:
    """A program without types has findings without a path."""
    assert find_field_source("spec.title", Shape("any")) == FieldSource()


def test_the_source_is_named_by_import_path() -> None:
    """A folder of one machine says nothing on another one."""
    field = FieldShape(
        "title", Shape("string"), owner="k8s.io/api/apps/v1beta1.Spec", position=Position("/x/types.go", 7)
    )
    root = Shape("struct", "k8s.io/api/apps/v1beta1.Spec")
    root.__dict__["fields"] = (field,)
    found = find_field_source("title", root)
    assert (found.owner, found.source) == ("k8s.io/api/apps.Spec", "k8s.io/api/apps/v1beta1/types.go:7")
    finding: Finding = made.finding(path="title", fix="declare a rule")
    assert add_field_source(finding, root).fix == "declare a rule (k8s.io/api/apps/v1beta1/types.go:7)"


def test_a_file_of_this_folder_is_named_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a reader can open it; a module that was downloaded is no file of anybody's checkout."""
    monkeypatch.chdir(tmp_path)
    root = Shape("struct", "suites/mine/v1.Spec")

    def source(file: str) -> str:
        position = Position(str(tmp_path / file), 7)
        root.__dict__["fields"] = (FieldShape("title", Shape("string"), owner=root.type, position=position),)
        root.__dict__.pop("by_name", None)
        return find_field_source("title", root).source

    assert "suites/mine_v1/types.go:7" == source("suites/mine_v1/types.go")
    assert "suites/mine/v1/types.go:7" == source("mod/example.com/mine@v1.0.0/types.go")


def test_lines_of_tags_are_those_of_the_file() -> None:
    """Of a suite: the tag stands above its field, in the file as it is."""
    with closing(open_subject(SubjectSpec("suite", "examples/migration"))) as subject:
        shape, rules = subject.shape(subject.target.info.kinds[0]), subject.rules
    finding = made.finding(path="spec.keepDays", origin="maximum")
    file, _, line = add_field_source(finding, shape, rules).rule_source.rpartition(":")
    assert "+k8s:maximum=28" in Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert "" == add_field_source(finding, shape).rule_source


def test_a_kind_without_declarative_validation_has_no_line_of_a_rule() -> None:
    """Its types may have tags all the same, which nothing runs."""
    with closing(open_subject(SubjectSpec("suite", "examples/migration"))) as subject:
        info = subject.target.info.kinds[0]
        shape, rules = subject.shape(info), subject.rules
    finding = made.finding(path="spec.keepDays", origin="maximum")
    explainer = Explainer(shape, "s", rules=rules)
    silent = Comparator(msgspec.structs.replace(info, rules=False))
    mismatch = Mismatch("extra", "spec.keepDays", "FieldValueInvalid", "maximum", "declarative")
    told = [
        explainer.leave_unexplained(finding.case, finding.answer, mismatch, one) for one in (Comparator(info), silent)
    ]
    assert [True, False] == [bool(one.rule_source) for one in told]


def test_a_path_that_is_right_in_another_version_is_no_misspelt_name() -> None:
    """A change of the name would make that version wrong; nor is a version that lacks it too passed over."""
    bare = Shape("struct")
    bare.__dict__["fields"] = (FieldShape("kinds", Shape("string")),)
    one = made.finding(path="spec.title", version="v1beta1", cause="wrong-path", fix="report another name")
    told = add_field_source(one, bare, others={"v1": SHAPE}).fix
    assert told.startswith("the path is right in v1: for v1beta1, add a normalization rule")
    assert told.endswith("or write an exception")
    other = add_field_source(one, bare, others={"core/v1": SHAPE}).fix
    assert other.startswith(f"the path is right in core/v1: for {one.group}/v1beta1, add a normalization rule")
    assert "report another name" == add_field_source(one, bare).fix
    assert "report another name; v2 has no such field either" == add_field_source(one, bare, others={"v2": bare}).fix


def test_a_name_that_is_near_is_meant_rather_than_that_of_another_group() -> None:
    """The check may serve one of the groups alone; another version of the same group is judged by the same one."""
    root, spec = Shape("struct"), Shape("struct")
    spec.__dict__["fields"] = (FieldShape("deprecatedTitle", Shape("string")),)
    root.__dict__["fields"] = (FieldShape("spec", spec),)
    one = made.finding(path="spec.title", version="v1beta1", cause="wrong-path", fix="report another name")
    told = [add_field_source(one, root, others={name: SHAPE}).fix for name in ("core/v1", "v1")]
    assert [True, False] == ["did you mean deprecatedTitle?" in fix for fix in told]


def test_the_member_that_the_object_has_is_meant() -> None:
    """Two names end alike, and the object has one of them."""
    root = Shape("struct", "v1.A")
    root.__dict__["fields"] = tuple(FieldShape(f"{one}Disk12345", Shape("string")) for one in ("gce", "photon"))
    one = made.finding(path="disk12345", cause="wrong-path", fix="report another name")
    one = msgspec.structs.replace(one, case=msgspec.structs.replace(one.case, object={"gceDisk12345": "a"}))
    assert add_field_source(one, root).fix.endswith("did you mean gceDisk12345?")


@pytest.mark.parametrize(
    ("severity", "is_served", "fix", "told"),
    [
        (
            "unreachable",
            False,
            "mend it",
            "nothing to do for requests, none of which names v1 boxes; to mend it all the same, mend it",
        ),
        (
            "unreachable",
            True,
            "mend it",
            "nothing to do for requests, none of which shows it; to mend it all the same, mend it",
        ),
        ("unreachable", True, "", "nothing to do for requests, none of which shows it"),
        ("unreachable", False, "nothing to do for requests", "nothing to do for requests"),
        ("shadow", True, "mend it", "mend it"),
    ],
)
def test_what_no_request_shows_needs_nothing_for_requests(
    severity: Severity, is_served: bool, fix: str, told: str
) -> None:
    """It is the first that a reader has to know about a fix."""
    info = KindInfo("g", "v1", "Box", "boxes", "g/v1", through="" if is_served else "v2")
    assert told == tell_if_unreachable(made.finding(severity=severity, fix=fix), info).fix


def test_a_difference_of_two_targets_names_the_check_and_the_rule() -> None:
    """The line of the handwritten check of one, and the rule of the other, which is silent on this case."""
    origin = "spec.x-kubernetes-validations[1]"
    finding = made.finding(
        cause="other-value", side="declarative", type="FieldValueInvalid", path="spec.a", origin="",
        fix="expect another", between=("old", "new"),
    )  # fmt: skip
    own = FieldError("FieldValueInvalid", "spec.a", source="a.go:1 in f")
    said = FieldError("FieldValueInvalid", "spec.a", origin=origin)
    told = add_handwritten_source(finding, TracedErrors((own,), (said,)))
    assert "a.go:1 in f" == told.handwritten_source
    assert told.fix == (
        f"expect another; the handwritten check is a.go:1 in f; the rule of new, which is silent here, is {origin}"
    )
    removed = msgspec.structs.replace(finding, cause="rule-removed", fix="rely no more")
    assert add_handwritten_source(removed, TracedErrors((own,))).fix.endswith("the handwritten check is a.go:1 in f")


def test_a_custom_rule_that_an_experiment_heard_has_a_line() -> None:
    """A covered check and a rule that ratchets: the rule is there, though it is silent on this case."""
    with closing(open_subject(SubjectSpec("suite", "examples/migration"))) as subject:
        shape, rules = subject.shape(subject.target.info.kinds[0]), subject.rules
    assert rules is not None
    line = RuleLine(Position("api/v1/types.go", 9), "api/v1", "k8s:customValidation")
    told = {}
    for cause in ("ratcheting", "no-rule"):
        finding = made.finding(
            path="spec.keepDays", type="FieldValueDuplicate", origin="", side="handwritten", cause=cause
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(RuleLines, "find_custom", lambda self, root, path: line)
            told[cause] = add_field_source(finding, shape, rules).rule_source
    assert {"ratcheting": "api/v1/types.go:9", "no-rule": ""} == told


def test_gates_of_the_field_and_of_the_rule_are_named(tmp_path: Path) -> None:
    """A reader has to know under which gates a difference can show."""
    file = tmp_path / "types.go"
    file.write_text(
        """package v1

type Kind struct {
	// +featureGate=First,Second
	Spec Spec `json:"spec"`
}

type Spec struct {
	// +k8s:alpha=+k8s:ifEnabled(Third)=+k8s:maxLength=3
	Name string `json:"name"`
	// +k8s:maxLength=3
	Title string `json:"title"`
	Choice Choice `json:"choice"`
}

type Choice struct {
	// +featureGate=Fourth
	One *int `json:"one"`
	// +featureGate=Fifth
	Two *int `json:"two"`
}
"""
    )
    universe = Universe.from_files({"api/v1": [file]})
    shape, rules = shape_of(universe, "api/v1.Kind"), RuleLines(universe, Release())
    told = {
        name: add_field_source(
            made.finding(path=f"spec.{name}", type="FieldValueTooLong", origin="maxLength", detail="d"), shape, rules
        ).detail
        for name in ("name", "title")
    }
    gates = "d; spec has +featureGate=First,Second"
    assert {"name": f"{gates}; the rule runs with Third on", "title": gates} == told
    plain = made.finding(path="spec.choice", detail="d")
    case = msgspec.structs.replace(plain.case, object={"spec": {"choice": {"one": 1}}})
    choice = msgspec.structs.replace(plain, case=case)
    fourth = f"{gates}; spec.choice.one has +featureGate=Fourth"
    assert fourth == add_field_source(choice, shape, rules).detail
    beside = add_field_source(choice, shape, rules, beside="spec.choice.two").detail
    assert f"{fourth}; spec.choice.two has +featureGate=Fifth" == beside


@pytest.mark.parametrize(
    ("path", "hint"),
    [("spec.Title", "did you mean title?"), ("spec.titel", "did you mean title?"), ("spec.zzzzzz", "")],
)
def test_a_wrong_path_comes_with_the_field_that_may_have_been_meant(path: str, hint: str) -> None:
    """Go names in place of JSON names differ in their letters' case; others are near misses."""
    found = add_field_source(made.finding(path=path, cause="wrong-path", fix="report another name"), SHAPE)
    assert found.fix == f"report another name{'; ' if hint else ''}{hint}"


def _quota(**spec: Shape) -> Shape:
    """A type with an overhead, in a spec if it is given one."""
    overhead, root = Shape("struct"), Shape("struct", "v1.Quota")
    overhead.__dict__["fields"] = (FieldShape("podFixed", Shape("string")),)
    members = spec or {"overhead": overhead}
    for one in spec.values():
        one.__dict__["fields"] = (FieldShape("overhead", overhead),)
    root.__dict__["fields"] = tuple(FieldShape(name, shape) for name, shape in members.items())
    return root


def test_a_name_that_is_right_in_another_version_is_not_the_one_to_mend() -> None:
    """Two are wrong in a row: of the first one the other version has, what gives the second is to be changed."""
    one = made.finding(path="overhead.limits", version="v1alpha1", cause="wrong-path", fix="report another name")
    shape, others = _quota(spec=Shape("struct")), {"v1": _quota()}
    told = "report another name; perhaps the path is to be spec.overhead.podFixed; v1 has no such field either"
    assert told == add_field_source(one, shape, others=others).fix
    assert ["limits"] == wrong_names(one, one.path, shape, others)
    assert ("overhead", "limits") == tuple(wrong_names(one, one.path, shape, {}))
    assert () == wrong_names(msgspec.structs.replace(one, cause="path"), one.path, shape, others)


class _Converting(HandwrittenCode):
    """Sources in which a member of one type is converted into another one."""

    def find_conversions(self, group: str, version: str, type: str, member: str) -> Sequence[tuple[str, str]]:
        return [("Nowhere", "c.go:1"), ("PodFixed", "c.go:2")] if (type, member) == ("Quota", "limits") else []


def test_the_name_that_a_version_has_is_told_with_the_line_that_converts_it() -> None:
    """A path of another group is right there: what this one calls the field, its conversion says."""
    one = made.finding(path="limits.x", cause="wrong-path", fix="the path is right in core/v1: for a/v1, add")
    one = msgspec.structs.replace(one, owner="a.Quota", member="limits.x")
    inner, root = Shape("struct"), Shape("struct", "v1.Quota")
    inner.__dict__["fields"] = (FieldShape("x", Shape("string")),)
    root.__dict__["fields"] = (FieldShape("podFixed", inner),)
    told = add_converted_name(one, root, _Converting()).fix
    assert told.startswith("the path is right in core/v1, and ")
    assert told.endswith("has podFixed for limits (c.go:2): report podFixed.x there, or write an exception")
    assert one == add_converted_name(one, root, UNREAD)
    other = msgspec.structs.replace(one, fix="report another name")
    assert other == add_converted_name(other, root, _Converting())


class _Splitting(HandwrittenCode):
    """Sources in which a member is converted, and members of that one into members of a member."""

    def find_conversions(self, group: str, version: str, type: str, member: str) -> Sequence[tuple[str, str]]:
        known = {
            ("Spec", "defaultBackend"): ("Backend", "c.go:1"), ("Backend", "service.name"): ("ServiceName", "c.go:2"),
            ("Backend", "service.port.name"): ("ServicePort.Text", "c.go:3"),
        }  # fmt: skip
        return [known[type, member]] if (type, member) in known else []


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("name", "serviceName for service.name (c.go:2): report spec.backend.serviceName there"),
        ("port.name", "servicePort for service.port.name (c.go:3): report spec.backend.servicePort there"),
        ("other", ""),
    ],
)
def test_every_name_that_a_version_converts_is_told(path: str, told: str) -> None:
    """Down to the last one: a path with one of two right is no path."""
    backend, spec, root = Shape("struct", "v1.Backend"), Shape("struct", "v1.Spec"), Shape("struct", "v1.Root")
    backend.__dict__["fields"] = tuple(FieldShape(one, Shape("string")) for one in ("serviceName", "servicePort"))
    spec.__dict__["fields"] = (FieldShape("backend", backend),)
    root.__dict__["fields"] = (FieldShape("spec", spec),)
    one = made.finding(
        path=f"spec.defaultBackend.service.{path}", cause="wrong-path", fix="the path is right in v1: for"
    )
    fix = add_converted_name(one, root, _Splitting()).fix
    names = wrong_names(one, one.path, root, {}, _Splitting())
    assert (["defaultBackend", "service"] if told else []) == names
    whole = f"the path is right in v1, and {one.group}/{one.version} has backend for defaultBackend (c.go:1) and {told}"
    assert (f"{whole}, or write an exception" if told else one.fix) == fix


def test_the_list_that_a_check_reads_is_told() -> None:
    """Of two that an index may be of; without one that is read nothing is."""
    one = made.finding(path="resources[*]", cause="wrong-path", fix="report another name")
    resources, root = Shape("struct"), Shape("struct")
    resources.__dict__["fields"] = tuple(FieldShape(name, Shape("list")) for name in ("limits", "requests"))
    root.__dict__["fields"] = (FieldShape("resources", resources),)
    told = "report another name; perhaps the path is to be resources.requests[*]"
    assert told == add_read_member(one, one.path, root, {"requests"}).fix
    assert one == add_read_member(one, one.path, root, ())


def test_a_path_that_a_normalization_rule_leads_to_its_field_is_left_where_another_version_has_it() -> None:
    """Another name would make that version wrong; the line that gives the name is looked for all the same."""
    root, flat = Shape("struct", "v1.A"), Shape("struct")
    root.__dict__["fields"] = (FieldShape("mode", Shape("string"), owner="v1.A", position=Position("a.go", 3)),)
    flat.__dict__["fields"] = (FieldShape("flat", Shape("string")),)
    one = made.finding(path="flat", version="v1", cause="wrong-path", fix="report another name")
    told = add_field_source(one, root, others={"v1beta1": flat}, path="mode")
    apart = "for v1, let the path depend on the version, or write an exception"
    assert f"the path is right in v1beta1: {apart}; the field is mode there (v1/a.go:3)" == told.fix
    assert ["flat"] == wrong_names(told, "mode", root, {"v1beta1": flat})
    assert "report another name, where the field is mode (v1/a.go:3)" == add_field_source(one, root, path="mode").fix


def test_a_path_without_an_index_says_that_the_items_have_the_name() -> None:
    """`ports.name` is `ports[0].name`; a name that the items lack is not told so."""
    root, ports, port = Shape("struct", "v1.A"), Shape("list"), Shape("struct")
    port.__dict__["fields"], ports.__dict__["elem"] = (FieldShape("name", Shape("string")),), port
    root.__dict__["fields"] = (FieldShape("ports", ports, owner="v1.A", position=Position("a.go", 3)),)
    told = [
        add_field_source(made.finding(path=path, cause="wrong-path", fix="report another name"), root).fix
        for path in ("ports.name", "ports.nowhere")
    ]
    where = "report another name, where the field is ports (v1/a.go:3)"
    assert [f"{where}, and the items of the list have it: ports[*].name", where] == told
