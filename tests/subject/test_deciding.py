"""The branch that keeps a check from running, and the line at which validation ends, are read from the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.subject.deciding import UNREAD, HandwrittenCode, Stop
from harness.subject.errorstack import Made
from harness.subject.gocallsites import GoCallSites

_APPS = """package validation

import (
	common "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	core "k8s.io/kubernetes/pkg/apis/core/validation"
)

func ValidateApp(app *App, fldPath *field.Path) field.ErrorList {
	errs := common.ValidateMeta(app.Meta, fldPath.Child("metadata"))
	if app.Spec.First != nil {
		errs = append(errs, validateKey(*app.Spec.First, fldPath.Child("first"))...)
	} else if app.Spec.Second != nil {
		errs = append(errs, validateKey(*app.Spec.Second, fldPath.Child("second"))...)
	}
	switch app.Mode {
	case "limited":
		errs = append(errs, validateLimit(app.Limit, fldPath.Child("limit"))...)
	}
	return errs
}

func validateKey(key string, fldPath *field.Path) field.ErrorList {
	return field.ErrorList{field.Invalid(fldPath, key, "")}
}

func validateLimit(limit *Limit, fldPath *field.Path) field.ErrorList {
	switch limit.Mode {
	case "x":
		return nil
	case "y":
		return field.ErrorList{field.Invalid(fldPath.Child("other"), limit.Mode, "")}
	}
	return field.ErrorList{field.Required(fldPath.Child("mode"), "")}
}

func ValidateAppUpdate(app, oldApp *App) field.ErrorList {
	errs := common.ValidateMetaUpdate(app.Meta, field.NewPath("metadata"))
	if len(errs) > 0 {
		return errs
	}
	opts := Options{}
	if oldApp.Broken {
		opts.SkipPorts = true
	}
	return append(errs, validatePorts(app.Ports, oldApp.Ports, field.NewPath("ports"), opts)...)
}

func validatePorts(ports, oldPorts []Port, fldPath *field.Path, opts Options) (errs field.ErrorList) {
	if !opts.SkipPorts {
		errs = append(errs, field.Duplicate(fldPath.Index(0), ""))
	}
	return errs
}

func validateCore(name string) field.ErrorList {
	return core.ValidateName(name)
}

func ValidateTool(tool *Tool) field.ErrorList {
	return validateHandle(tool.Handle)
}

func ValidateToolUpdate(tool, oldTool *Tool) field.ErrorList {
	return append(validateHandle(tool.Handle), validateGrip(tool.Grip)...)
}

func ValidateToolStatusUpdate(tool, oldTool *Tool) field.ErrorList {
	return validateGrip(tool.Grip)
}

func validateUnion(one *Attribute, fldPath *field.Path) field.ErrorList {
	set := 0
	if one.Text != nil {
		set++
	}
	if one.Texts != nil {
		set++
	}
	if set > 1 {
		return field.ErrorList{field.NotFound(fldPath, one)}
	}
	return nil
}

func validateID(id string, fldPath *field.Path) (errs field.ErrorList) {
	if id == "" {
		errs = append(errs, field.Invalid(fldPath, id, "no id"))
	} else if id != lower(id) {
		errs = append(errs, field.Invalid(fldPath, id, "not lower"), field.Invalid(fldPath.Child("a"), id, ""))
	}
	return append(errs, field.Invalid(fldPath.Index(0), id, "an item"), field.Required(fldPath, id))
}

func validateHandle(handle string) field.ErrorList { return field.ErrorList{field.TooLong(nil, handle, 1)} }

func validateGrip(grip string) field.ErrorList { return field.ErrorList{field.TooMany(nil, 1, 1)} }
"""
_META = """package validation

func ValidateMeta(meta Meta, fldPath *field.Path) field.ErrorList {
	return field.ErrorList{field.Required(fldPath.Child("name"), "")}
}

func ValidateOwner(owner Owner, fldPath *field.Path) field.ErrorList {
	return field.ErrorList{field.Required(fldPath.Child("owner"), "")}
}
"""
_CREATE = """package rest

import common "k8s.io/apimachinery/pkg/api/validation"

func ValidateCreate(obj Object, strategy Strategy) field.ErrorList {
	errs := strategy.Validate(obj)
	if len(errs) == 0 {
		errs = append(errs, common.ValidateOwner(obj.Owner, field.NewPath("metadata"))...)
	}
	return errs
}
"""
APPS, META = "pkg/apis/apps/validation/validation.go", "k8s.io/apimachinery/pkg/api/validation/meta.go"
CREATE = "k8s.io/apiserver/pkg/registry/rest/create.go"


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> HandwrittenCode:
    """A release with one group, and the code that kinds share."""
    root = tmp_path_factory.mktemp("release")
    modules = {f"k8s.io/{name}": root / name for name in ("apimachinery", "apiserver")}
    for file, text in ((APPS, _APPS), (META, _META), (CREATE, _CREATE)):
        path = root / re.sub(r"^k8s\.io/", "", file)
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return HandwrittenCode(GoCallSites(root, modules))


def place(text: str, source: str = _APPS, file: str = APPS) -> str:
    """Name the first line that contains a text, as a worker does."""
    number = next(number for number, line in enumerate(source.splitlines(), 1) if text in line)
    function = [found[1] for found in re.finditer(r"^func (\w+)|\n", source, re.M) if found[1]]
    before = [name for name in function if source.index(f"func {name}(") < source.index(text) + len(text)]
    return f"{file}:{number} in {before[-1]}"


def error(path: str, *calls: str, kind: str = "", text: str = _APPS) -> Made:
    """Return an error that calls made, the innermost first, each the first line that contains a text."""
    stack = [place(call, text) for call in calls]
    return Made(path, stack[0], kind, ", called at ".join(stack))


KEY, SECOND, LIMIT = "field.Invalid(fldPath, key", "app.Spec.Second, fldPath", "validateLimit(app.Limit"


@pytest.mark.parametrize(
    ("calls", "path", "beside", "made", "told"),
    [
        ((KEY, SECOND), "second", "first", "", "else if app.Spec.Second != nil"),
        (("field.Required(fldPath", LIMIT), "limit.mode", "mode", "", 'case "limited" of switch app.Mode'),
        (('Child("other")', LIMIT), "limit.other", "limit.mode", "", 'case "y" of switch limit.Mode'),
        ((KEY, SECOND), "second", "elsewhere", "", None),
        ((KEY, SECOND), "second", "capacity", "app.Spec.First, fldPath", "else if app.Spec.Second != nil"),
        ((KEY,), "second", "first", "", None),
    ],
)
def test_the_branch_that_decides_is_above_the_call(
    code: HandwrittenCode, calls: tuple[str, ...], path: str, beside: str, made: str, told: str | None
) -> None:
    """It reads the member beside the field, or an error was made in its other half; only calls that were made count."""
    errors = [error("other", made)] if made else []
    found = code.find_condition(error(path, *calls), path, beside, errors)
    assert told == (None if found is None else found.text)


def test_a_condition_about_the_old_object_may_be_an_option_of_it(code: HandwrittenCode) -> None:
    """The option is set where the old object is looked at."""
    check = Made("ports[0]", place("field.Duplicate"))
    [told] = code.find_update(check, "ports[0]")
    assert ("if !opts.SkipPorts", "ValidateAppUpdate") == (told.text, told.given.rpartition(" in ")[2])
    assert ", which is set under `if oldApp.Broken` at " in told.given
    assert [] == code.find_update(Made("second", place("field.Invalid")), "second")


def test_a_check_of_creates_alone_names_the_function_of_updates(code: HandwrittenCode) -> None:
    """That function is the one whose name says so; where it does call the check nothing is told."""
    check = error("second", KEY, SECOND)
    line = place("func ValidateAppUpdate").partition(" in ")[0]
    assert f"ValidateAppUpdate ({line})" == code.find_unreached(check, "second", "")
    assert f"ValidateAppUpdate ({line})" == code.find_unreached(check._replace(kind="App"), "second", "")
    assert "" == code.find_unreached(check._replace(kind="Other"), "second", "")
    assert "" == code.find_unreached(check, "second", "status")
    assert "" == code.find_unreached(error("ports[0]", "field.Duplicate", "validatePorts(app"), "ports[0]", "")


def text_of(stop: Stop | None) -> str:
    """Return what a stop says, empty without one."""
    return "" if stop is None else stop.text


def test_validation_ends_at_the_return_and_not_at_the_line_that_forwards(code: HandwrittenCode) -> None:
    """The first return after the call that made the error, or the branch that was taken; else nothing is told."""
    ports = error("ports[0]", "field.Duplicate", "validatePorts(app")
    forwarded = error("metadata.name", "common.ValidateMetaUpdate")
    told = code.find_stop(forwarded, ports, "ports[0]")
    number = int(place("if len(errs) > 0").partition(" in ")[0].rpartition(":")[2]) + 1
    assert f"it ends at {APPS}:{number} in ValidateAppUpdate, under `if len(errs) > 0`" == text_of(told)
    second = error("second", KEY, SECOND)
    first = error("first", "app.Spec.First, fldPath")
    assert "else if app.Spec.Second != nil" in text_of(code.find_stop(first, second, "second"))
    assert code.find_stop(error("metadata.name", "common.ValidateMeta("), second, "second") is None
    source = place('Child("owner")', _META, META)
    owner = Made("metadata.owner", source, stack=f"{source}, called at {place('ValidateOwner', _CREATE, CREATE)}")
    shared = code.find_stop(second, owner, "metadata.owner")
    assert "`if len(errs) == 0`" in text_of(shared)
    assert [True, False] == [one is not None and one.is_shared for one in (shared, told)]


def test_a_line_that_forwards_names_what_it_calls(code: HandwrittenCode) -> None:
    """The check itself is in the library."""
    assert "common.ValidateMetaUpdate" == code.forwards(place("common.ValidateMetaUpdate"))
    others = (place("field.Duplicate"), place("core.ValidateName"), f"{META}:4 in ValidateMeta", "")
    assert ["", "", "", ""] == [code.forwards(one) for one in others]


@pytest.mark.parametrize(
    ("check", "kind", "is_one"),
    [
        ("field.TooLong", "Tool", True),
        ("field.TooLong", "Other", False),
        ("field.TooMany", "Tool", False),
        ("field.Duplicate", "App", False),
    ],
)
def test_the_operations_of_one_kind_are_told_from_other_callers(
    code: HandwrittenCode, check: str, kind: str, is_one: bool
) -> None:
    """Two sorts of updates are one operation, and another kind may have a function of its own."""
    assert is_one == code.is_of_operations(place(check), kind)
    assert not UNREAD.is_of_operations(place(check), kind)


def test_without_sources_nothing_is_told() -> None:
    """A suite in Python and a recording have none."""
    check = Made("ports[0]", place("field.Duplicate"))
    assert ((), "", None) == (UNREAD.callers(check.source), UNREAD.forwards(check.source),
                              UNREAD.find_condition(check, "ports[0]", "mode"))  # fmt: skip
    assert ([], "", None) == (UNREAD.find_update(check, "ports[0]"), UNREAD.find_unreached(check, "x", ""),
                            UNREAD.find_stop(check, check, "ports[0]"))  # fmt: skip


def test_a_place_that_the_sources_do_not_have_is_told_of_nothing(code: HandwrittenCode) -> None:
    """Sources of another release have other lines."""
    for source in (f"{APPS}:9999 in ValidateApp", f"{APPS}:3 in ValidateApp", "nowhere.go:3 in f"):
        assert code.find_condition(Made("second", source), "second", "first") is None
        assert ("", "") == (code.forwards(source), code.find_unreached(Made("second", source), "second", ""))


def test_what_lets_a_value_through_is_told_with_its_line(code: HandwrittenCode) -> None:
    """The condition right above the check; of a line that always runs, and without sources, nothing."""
    told = code.find_guard(error("ports[0]", "field.Duplicate"))
    assert f"under `if !opts.SkipPorts` at {place('if !opts.SkipPorts')}" == told
    assert ["", ""] == [one.find_guard(error("second", KEY)) for one in (code, UNREAD)]


def test_other_words_of_a_helper_are_found(code: HandwrittenCode) -> None:
    """Of the same constructor and the path that it is given: those of its items and members are about other fields."""
    first, second = (int(place(one).partition(" in ")[0].rpartition(":")[2]) for one in ('"no id"', '"not lower"'))
    assert [[second], [first]] == [list(code.find_likes(error("id", one))) for one in ('"no id"', '"not lower"')]
    assert [[], []] == [list(one.find_likes(error("second", KEY))) for one in (code, UNREAD)]


def test_what_counts_an_empty_member_is_told_alone(code: HandwrittenCode) -> None:
    """Where a list is empty and not nil, the line that counts it decides; else all that count are told."""
    check = error("union", "field.NotFound")
    texts, text = (
        int(place(f"if one.{name} != nil").partition(" in ")[0].rpartition(":")[2]) for name in ("Texts", "Text")
    )
    guard = f"under `if set > 1` at {place('if set > 1')}, which counts "
    assert f"{guard}Texts, which is empty here, at {texts + 1} under `if one.Texts != nil`" == (
        code.find_guard(check, ["Texts"])
    )
    assert [f"{guard}at {text + 1}, {texts + 1}"] * 2 == [code.find_guard(check, one) for one in ([], ["Other"])]


_OLD = """package validation

func ValidateClaim(claim *Claim) field.ErrorList {
	return validateClaim(claim, nil, field.NewPath("spec"))
}

func ValidateClaimUpdate(claim, oldClaim *Claim) field.ErrorList {
	return validateClaim(claim, oldClaim, field.NewPath("spec"))
}

func validateClaim(claim, oldClaim *Claim, path *field.Path) (errs field.ErrorList) {
	if oldClaim == nil || claim.Name != oldClaim.Name {
		errs = append(errs, field.Invalid(path, claim.Name, ""))
	}
	meta, err := access(oldClaim)
	if err != nil {
		return errs
	}
	oldDevice := lookup(claim)
	if oldDevice == nil {
		errs = append(errs, each(claim, func(one Item) field.ErrorList {
			return field.ErrorList{field.Required(path, "")}
		})...)
	}
	return errs
}
"""


def test_a_function_that_is_given_no_old_object_looks_at_none(tmp_path: Path) -> None:
    """What gives the old value is told, where the code makes it; that a call with it fails is no look at it."""
    (tmp_path / "pkg/apis/apps/validation").mkdir(parents=True)
    (tmp_path / APPS).write_text(_OLD)
    code = HandwrittenCode(GoCallSites(tmp_path))
    create, update = "validateClaim(claim, nil", "validateClaim(claim, oldClaim, field"
    for call, told in ((create, []), (update, ["if oldClaim == nil || claim.Name != oldClaim.Name"])):
        check = error("spec", "field.Invalid", call, text=_OLD)
        assert told == [one.text for one in code.find_update(check, "spec")]
    check = error("spec", "field.Required", "each(claim", update, text=_OLD)
    [found] = code.find_update(check, "spec")
    assert f", where oldDevice is what lookup returns at {place('lookup(claim)', _OLD)}" == found.given


_SELECTED = """package validation

func ValidateSet(spec *Spec, path *field.Path) field.ErrorList {
	errs := validateSelector(spec.Selector, path.Child("selector"))
	selector, err := parse(spec.Selector)
	if err != nil {
		errs = append(errs, field.Invalid(path.Child("selector"), spec.Selector, ""))
	} else {
		errs = append(errs, validateTemplate(spec.Template, selector, path.Child("template"))...)
	}
	return errs
}
"""


def test_a_check_behind_a_call_that_fails_for_the_masking_error_has_its_branch(tmp_path: Path) -> None:
    """The error stands before it; one about another field leads to no failure of that call."""
    (tmp_path / "pkg/apis/apps/validation").mkdir(parents=True)
    (tmp_path / APPS).write_text(_SELECTED)
    code = HandwrittenCode(GoCallSites(tmp_path))
    check = error("spec.template.name", "validateTemplate", text=_SELECTED)
    told = [
        text_of(code.find_stop(error(path, "validateSelector", text=_SELECTED), check, "spec.template.name"))
        for path in ("spec.selector.matchExpressions[0].values", "spec.other")
    ]
    line = place("if err != nil", _SELECTED)
    number = int(line.partition(" in ")[0].rpartition(":")[2]) + 2
    assert [f"the check runs under `else of if err != nil` at {APPS}:{number} in ValidateSet, which is not taken here",
            ""] == told  # fmt: skip


def test_what_gives_an_old_value_is_known_of_the_function_around_a_closure_too(tmp_path: Path) -> None:
    """A closure is called by a helper, which is given no old object; the function around it is."""
    text = _OLD.replace("oldDevice := lookup(claim)", "").replace("oldClaim *Claim, path", "oldDevice *Device, path")
    text = text.replace("validateClaim(claim, oldClaim, field", "validateClaim(claim, oldClaim, field", 1).replace(
        "oldClaim *Claim) field.ErrorList {\n", "old *Claim) field.ErrorList {\n\toldClaim := lookup(old)\n"
    )
    (tmp_path / "pkg/apis/apps/validation").mkdir(parents=True)
    (tmp_path / APPS).write_text(text)
    update = "validateClaim(claim, oldClaim, field"
    check = error("spec", "field.Required", "each(claim", update, text=text)
    [found] = HandwrittenCode(GoCallSites(tmp_path)).find_update(check, "spec")
    assert f", where oldDevice is what lookup returns at {place('oldClaim := lookup', text)}" == found.given


_POINTERS = """package validation

func ValidateRule(spec *Spec, rule *Rule, path *field.Path) (errs field.ErrorList) {
	if rule.Names != nil {
		errs = append(errs, parse(*rule.Names, *spec.Limit)...)
	}
	if rule.Count != nil && *rule.Count > *spec.Limit {
		errs = append(errs, field.Invalid(path, *rule.Count, ""))
	}
	return errs
}
"""


def test_the_pointer_that_is_nil_is_told_with_each_line_that_follows_it(tmp_path: Path) -> None:
    """Which it is shows the object: where two may be nil, or none is, nothing is told."""
    (tmp_path / "pkg/apis/apps/validation").mkdir(parents=True)
    (tmp_path / APPS).write_text(_POINTERS)
    code, line = HandwrittenCode(GoCallSites(tmp_path)), place("*rule.Count > *spec.Limit", _POINTERS)
    assert "spec.Limit is nil, which ValidateRule reads at 5 too" == code.find_nil(line, lambda name: name == "Count")
    assert ["", ""] == [code.find_nil(line, lambda name: True), code.find_nil(line, lambda name: False)]
    alone = place("path, *rule.Count", _POINTERS)
    assert "rule.Count is nil, which ValidateRule reads at 7 too" == code.find_nil(alone, lambda name: False)
    assert "" == UNREAD.find_nil(line, lambda name: False)


_TOO_SHORT = """package validation

func allocate(spec, old *Spec) {
	wanted[spec.Families[1]] = spec.IPs[1]
	if err := take(wanted); err == nil {
		spec.IPs[1] = wanted[spec.Families[1]]
	}
}
"""


def test_the_item_that_is_missing_is_told_with_each_line_that_uses_it(tmp_path: Path) -> None:
    """Which it is shows the object: where two lists may be too short, or none is, nothing is told."""
    (tmp_path / "pkg/apis/apps/validation").mkdir(parents=True)
    (tmp_path / APPS).write_text(_TOO_SHORT)
    code, line = HandwrittenCode(GoCallSites(tmp_path)), place("wanted[spec.Families[1]] = spec", _TOO_SHORT)
    told = code.find_missing_item(line, 1, lambda name: name == "Families")
    assert "spec.IPs[1] is out of range, which allocate uses at 6 too" == told
    assert ["", ""] == [code.find_missing_item(line, 1, one) for one in (lambda name: True, lambda name: False)]
    assert "" == code.find_missing_item(line, 0, lambda name: False)
    assert "" == UNREAD.find_missing_item(line, 1, lambda name: False)


_CONVERSION = """package v1

func Convert_v1_Event_To_core_Event(in *v1.Event, out *core.Event, s conversion.Scope) error {
	if err := Convert_v1_Reference_To_core_Reference(&in.Regarding, &out.Involved, s); err != nil {
		return err
	}
	out.Message = in.Note
	out.Reason = in.Reason
	out.Service.Name = in.ServiceName
	out.Service.Port.Name = in.ServicePort.Text
	return nil
}

func Convert_v1_Other_To_core_Other(in *v1.Other, out *core.Other, s conversion.Scope) error {
	out.Message = in.Text
	return nil
}
"""


def test_a_member_that_is_converted_into_another_name_has_its_line(tmp_path: Path) -> None:
    """Of the type and version that are asked for, and of no member that keeps its name."""
    folder = tmp_path / "pkg/apis/events/v1"
    folder.mkdir(parents=True)
    (folder / "doc.go").write_text("// +groupName=events.k8s.io\npackage v1\n")
    (folder / "conversion.go").write_text(_CONVERSION)
    code, group, file = HandwrittenCode(GoCallSites(tmp_path)), "events.k8s.io", "pkg/apis/events/v1/conversion.go"
    found = [code.find_conversions(group, "v1", "Event", name) for name in ("involved", "message", "reason")]
    assert [(("Regarding", f"{file}:4"),), (("Note", f"{file}:7"),), ()] == found
    found = [
        code.find_conversions(group, "v1", "Event", name) for name in ("service.name", "service.port.name", "service")
    ]
    assert [(("ServiceName", f"{file}:9"),), (("ServicePort.Text", f"{file}:10"),), ()] == found
    assert () == code.find_conversions("other", "v1", "Event", "message")
    assert () == UNREAD.find_conversions(group, "v1", "Event", "message")


_ITEMS = """package validation

func ValidateState(state *State) field.ErrorList {
	return validateStatus(state.Status, field.NewPath("status"))
}

func validateStatus(status Status, path *field.Path) field.ErrorList {
	return append(validateConditions(status.Conditions, path), validateKeys(status, path)...)
}

func validateConditions(conditions []Condition, path *field.Path) (errs field.ErrorList) {
	for i := range conditions {
		errs = append(errs, field.Required(path.Index(i).Child("message"), ""))
	}
	return errs
}

func validateKeys(status Status, path *field.Path) field.ErrorList {
	return field.ErrorList{field.Required(path.Child("limits").Key("a"), "")}
}
"""


def test_the_call_that_hands_over_the_path_of_items_is_told(tmp_path: Path) -> None:
    """`status[0].message` lacks a name between; where the line itself names what has the keys, it is that line."""
    (tmp_path / "pkg/apis/apps/validation").mkdir(parents=True)
    (tmp_path / APPS).write_text(_ITEMS)
    code = HandwrittenCode(GoCallSites(tmp_path))
    calls = ("validateConditions(status.C", "validateStatus(state.Status")
    check = error("status[0].message", 'Child("message")', *calls, text=_ITEMS)
    assert place(calls[0], _ITEMS) == code.find_items(check, ["message"])
    key = error("status.limits[a]", 'Key("a")', *calls, text=_ITEMS)
    assert place('Key("a")', _ITEMS) == code.find_items(key, [])
    assert ["", ""] == [code.find_items(check, ["a", "b", "message"]), UNREAD.find_items(check, ["message"])]


_READING = """package validation

func ValidateClaim(claim *Claim) field.ErrorList {
	return validateStorage(claim.Spec.Resources, field.NewPath("spec"))
}

func validateStorage(resources Resources, path *field.Path) (errs field.ErrorList) {
	storage, ok := resources.Requests["storage"]
	if !ok {
		errs = append(errs, field.Required(path.Child("resources").Key("storage"), ""))
	}
	return errs
}
"""


def test_what_a_check_reads_is_in_the_condition_above_it(tmp_path: Path) -> None:
    """Also where that condition has a variable of its own."""
    (tmp_path / "pkg/apis/apps/validation").mkdir(parents=True)
    (tmp_path / APPS).write_text(_READING)
    code = HandwrittenCode(GoCallSites(tmp_path))
    check = error("spec.resources[storage]", 'Key("storage")', "validateStorage(claim", text=_READING)
    assert "requests" in code.find_read(check)
    assert "limits" not in code.find_read(check)
    assert not UNREAD.find_read(check)
