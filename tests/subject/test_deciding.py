"""The branch that keeps a check from running, and the line at which validation ends, are read from the sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.subject.callsites import CallSites
from harness.subject.deciding import UNREAD, HandwrittenCode, Made, Stop

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
    return HandwrittenCode(CallSites(root, modules))


def place(text: str, source: str = _APPS, file: str = APPS) -> str:
    """Name the first line that contains a text, as a worker does."""
    number = next(number for number, line in enumerate(source.splitlines(), 1) if text in line)
    function = [found[1] for found in re.finditer(r"^func (\w+)|\n", source, re.M) if found[1]]
    before = [name for name in function if source.index(f"func {name}(") < source.index(text) + len(text)]
    return f"{file}:{number} in {before[-1]}"


@pytest.mark.parametrize(
    ("check", "path", "beside", "made", "told"),
    [
        ("field.Invalid(fldPath, key", "second", "first", "", "else if app.Spec.Second != nil"),
        ("field.Required(fldPath", "limit.mode", "mode", "", 'case "limited" of switch app.Mode'),
        ('Child("other")', "limit.other", "limit.mode", "", 'case "y" of switch limit.Mode'),
        ("field.Invalid(fldPath, key", "second", "elsewhere", "", None),
        (
            "field.Invalid(fldPath, key",
            "second",
            "capacity",
            "app.Spec.First, fldPath",
            "else if app.Spec.Second != nil",
        ),
        ("field.Invalid(fldPath, key", "third", "first", "", None),
    ],
)
def test_the_branch_that_decides_is_above_the_call(
    code: HandwrittenCode, check: str, path: str, beside: str, made: str, told: str | None
) -> None:
    """It reads the member beside the field, or an error was made in its other half."""
    errors = [Made("other", place(made))] if made else []
    found = code.find_condition(Made(path, place(check)), path, beside, errors)
    assert told == (None if found is None else found.text)


def test_a_condition_about_the_old_object_may_be_an_option_of_it(code: HandwrittenCode) -> None:
    """The option is set where the old object is looked at."""
    check = Made("ports[0]", place("field.Duplicate"))
    assert ["if !opts.SkipPorts"] == [one.text for one in code.find_update(check, "ports[0]")]
    assert [] == code.find_update(Made("second", place("field.Invalid")), "second")


def test_a_check_of_creates_alone_names_the_function_of_updates(code: HandwrittenCode) -> None:
    """That function is the one whose name says so; where it does call the check nothing is told."""
    check = Made("second", place("field.Invalid(fldPath, key"))
    line = place("func ValidateAppUpdate").partition(" in ")[0]
    assert f"ValidateAppUpdate ({line})" == code.find_unreached(check, "second", "")
    assert f"ValidateAppUpdate ({line})" == code.find_unreached(check._replace(kind="App"), "second", "")
    assert "" == code.find_unreached(check._replace(kind="Other"), "second", "")
    assert "" == code.find_unreached(check, "second", "status")
    assert "" == code.find_unreached(Made("ports[0]", place("field.Duplicate")), "ports[0]", "")


def text_of(stop: Stop | None) -> str:
    """Return what a stop says, empty without one."""
    return "" if stop is None else stop.text


def test_validation_ends_at_the_return_and_not_at_the_line_that_forwards(code: HandwrittenCode) -> None:
    """The first return after the call that made the error, or the branch that was taken; else nothing is told."""
    ports = Made("ports[0]", place("field.Duplicate"))
    forwarded = Made("metadata.name", place("common.ValidateMetaUpdate"))
    told = code.find_stop(forwarded, ports, "ports[0]")
    number = int(place("if len(errs) > 0").partition(" in ")[0].rpartition(":")[2]) + 1
    assert f"it ends at {APPS}:{number} in ValidateAppUpdate, under `if len(errs) > 0`" == text_of(told)
    second = Made("second", place("field.Invalid(fldPath, key"))
    first = Made("first", place("app.Spec.First, fldPath"))
    assert "else if app.Spec.Second != nil" in text_of(code.find_stop(first, second, "second"))
    assert code.find_stop(Made("metadata.name", place("common.ValidateMeta(")), second, "second") is None
    owner = Made("metadata.owner", place('Child("owner")', _META, META))
    shared = code.find_stop(second, owner, "metadata.owner")
    assert "`if len(errs) == 0`" in text_of(shared)
    assert [True, False] == [one is not None and one.is_shared for one in (shared, told)]


def test_a_name_in_a_path_is_that_of_the_call_that_gives_it(code: HandwrittenCode) -> None:
    """Two calls may give the same name, of which one leads to other paths."""
    check = Made("limit.mode", place("field.Required(fldPath"))
    given = code.find_member(check, "limit")
    assert [place("validateLimit(app.Limit")] == [one.text for one in given]
    assert not code.find_member(check, "mode")
    assert not code.find_member(Made("other.mode", check.source), "limit")


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


_MAPS = """package validation

import "k8s.io/apimachinery/pkg/util/validation/field"

func ValidateMaps(maps *Maps) field.ErrorList {
	specPath := field.NewPath("spec")
	if maps.Small {
		path := specPath.Child("small")
		validateSize(maps.Small, path.Index(0))
	} else {
		path := specPath.Child("large")
		validateSize(maps.Large, path)
	}
	validateEach(maps.Each, specPath.Child("each"))
	validateInner(maps.Inner, specPath.Child("inner"))
	return validateEach(maps.Rest, specPath.Child("rest"))
}

func ValidateMapsUpdate(maps *Maps) field.ErrorList {
	return validateSize(maps.Small, field.NewPath("spec", "small").Index(0))
}

func ValidateOther(other *Other) field.ErrorList {
	return validateEach(other.Each, field.NewPath("spec", "each"))
}

func validateInner(inner Inner, path *field.Path) field.ErrorList {
	return validateEach(inner.Rest, path.Child("rest"))
}

func validateEach(each []Each, path *field.Path) field.ErrorList {
	return validateSize(each, path)
}

func validateSize(size int, path *field.Path) field.ErrorList {
	return field.ErrorList{field.TooMany(path, size, 3)}
}
"""


def test_a_helper_is_called_on_one_way_for_a_path(tmp_path: Path) -> None:
    """The calls are told up to the one that is given the path, also by a local variable; of several ways none is."""
    folder = tmp_path / "pkg/apis/apps/validation"
    folder.mkdir(parents=True)
    (folder / "validation.go").write_text(_MAPS)
    read, source = HandwrittenCode(CallSites(tmp_path)), place("field.TooMany", _MAPS)

    def way(path: str, kind: str = "Maps") -> list[str]:
        return [one.text for one in read.find_way(Made(path, source, kind))]

    each = place("validateSize(each", _MAPS)
    assert [place("maps.Large, path", _MAPS)] == way("spec.large")
    assert [each, place("maps.Each, specPath", _MAPS)] == way("spec.each")
    assert [each, place("maps.Rest, specPath", _MAPS)] == way("spec.rest")
    assert [each, place("inner.Rest", _MAPS)] == way("spec.inner.rest")
    assert [each, place("other.Each", _MAPS)] == way("spec.each", "Other")
    assert [[], [], []] == [way("spec.small[0]"), way("spec.nowhere"), way("spec.each", "Third")]
    assert ((), ()) == (UNREAD.find_way(Made("spec.each", source, "Maps")), tuple(way("spec.each", "")))
    assert (1, 3) == (read.count_callers(source, "Maps"), read.count_callers(source, "Map"))
    assert (3, 0, 0) == (read.count_callers(source), read.count_callers(""), UNREAD.count_callers(source))
    small = read.find_member(Made("spec.small[0]", source, "Maps"), "small")
    assert [place(text, _MAPS) for text in ('Child("small")', '"spec", "small"')] == [one.text for one in small]
