"""What is to be changed for one path is read from the calls that made the error, not guessed from who may call."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.gotypes.branches import GoSource
from harness.sourcecode import GivenStep
from harness.subject.deciding import UNREAD, HandwrittenCode
from harness.subject.errorstack import ErrorStacks, Made
from harness.subject.gocallsites import GoCallSites
from tests.subject.test_deciding import META, error, place

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

func ValidateMapsUpdate(maps, oldMaps *Maps) field.ErrorList {
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

func validateOnce(size int, path *field.Path) field.ErrorList {
	errs := field.ErrorList{field.Required(path.Child("more"), "")}
	return append(errs, field.Invalid(path.Child("more"), size, ""), field.Invalid(path.Child("less"), size, ""))
}

func ValidateKeys(keys map[string]int) field.ErrorList {
	path := field.NewPath("first")
	errs := validateSize(1, path)
	path = field.NewPath("keys")
	return append(errs, validateKeys(keys, path)...)
}

func validateKeys(keys map[string]int, path *field.Path) (errs field.ErrorList) {
	for key, size := range keys {
		keyPath := path.Key(short(key))
		errs = append(errs, validateSize(size, keyPath)...)
	}
	return errs
}

func ValidateOnce(size int) field.ErrorList {
	return validateOnce(size, field.NewPath("spec"))
}
"""
_META = """package validation

func ValidateName(name string, fldPath *field.Path) field.ErrorList {
	return field.ErrorList{field.Invalid(fldPath, name, "")}
}

func ValidateMeta(meta Meta, fldPath *field.Path) field.ErrorList {
	return ValidateName(meta.Name, fldPath.Child("name"))
}
"""
TOO_MANY, EACH = "field.TooMany", "validateSize(each"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release with one group, and the code that kinds share."""
    root = tmp_path_factory.mktemp("release")
    for file, text in (("pkg/apis/apps/validation/validation.go", _MAPS), (META.removeprefix("k8s.io/"), _META)):
        path = root / file
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return root


def read(root: Path) -> GoCallSites:
    """Return the calls of a release of which nothing was read yet."""
    return GoCallSites(root, {"k8s.io/apimachinery": root / "apimachinery"})


@pytest.fixture(scope="module")
def sites(root: Path) -> GoCallSites:
    """The calls of the release."""
    return read(root)


def made(path: str, *calls: str, kind: str = "Maps") -> Made:
    """Return an error that calls of the kind made, the innermost first."""
    return error(path, *calls, kind=kind, text=_MAPS)


@pytest.mark.parametrize(
    ("path", "calls"),
    [
        ("spec.large", ["maps.Large, path"]),
        ("spec.each", [EACH, "maps.Each, specPath"]),
        ("spec.rest", [EACH, "maps.Rest, specPath"]),
        ("spec.inner.rest", [EACH, "inner.Rest"]),
    ],
)
def test_the_calls_of_a_helper_are_told_up_to_the_one_that_is_given_the_path(
    sites: GoCallSites, path: str, calls: list[str]
) -> None:
    """The helper itself is that of many paths; a path may be given by a local variable too."""
    code = HandwrittenCode(sites)
    assert [place(one, _MAPS) for one in calls] == [one.text for one in code.find_way(made(path, TOO_MANY, *calls))]


def test_a_helper_that_is_called_once_is_told_alone_and_where_no_path_is_given_up_to_the_kind(
    sites: GoCallSites,
) -> None:
    """The line of the error is enough then, and without sources there is nothing else."""
    code = HandwrittenCode(sites)
    once = made("spec.more", "field.Required", "validateOnce(size, field")
    assert [] == list(code.find_way(once))
    way = code.find_way(made("spec.each", TOO_MANY, EACH, "func ValidateOther", kind="Other"))
    assert [place(one, _MAPS) for one in (EACH, "func ValidateOther")] == [one.text for one in way]
    assert [place(EACH, _MAPS)] == [one.text for one in code.find_way(made("spec.each", TOO_MANY, EACH))]
    assert ((), None) == (UNREAD.find_way(once), UNREAD.find_name(once, "more"))
    assert (3, 5, 5) == tuple(code.count_callers(place(TOO_MANY, _MAPS), one) for one in ("Maps", "Map", ""))
    assert (0, 0) == (code.count_callers(""), UNREAD.count_callers(place(TOO_MANY, _MAPS)))


def told(code: HandwrittenCode, name: str, error: Made) -> list[str]:
    """Return the lines that give a name in the path of an error, and the call around them."""
    found = code.find_name(error, name)
    return [] if found is None else [one.text for one in (*found.lines, found.around) if one is not None]


def test_a_name_in_a_path_is_given_by_the_call_that_was_made(sites: GoCallSites) -> None:
    """A function of the same kind that gives the helper the same name is named too, and every line for one path."""
    code = HandwrittenCode(sites)
    small = made("spec.small[0]", TOO_MANY, "maps.Small, path")
    assert [place(one, _MAPS) for one in ('Child("small")', '"spec", "small"')] == told(code, "small", small)
    more = made("spec.more", "field.Required", "validateOnce(size, field", kind="Once")
    assert [place(one, _MAPS) for one in ("field.Required", 'field.Invalid(path.Child("more")')] == told(
        code, "more", more
    )
    assert [] == told(code, "more", small) == told(UNREAD, "small", small)
    assert [] == told(code, "large", made("spec.large", TOO_MANY, "maps.Each, specPath"))
    assert [] == told(code, "large", made("spec.more.large", "field.Required", "validateOnce(size, field"))


def test_what_is_told_does_not_depend_on_what_was_asked_before(root: Path) -> None:
    """What a file shows is kept: in whatever order findings are explained, each is told the same."""
    asked = [
        ("small", made("spec.small[0]", TOO_MANY, "maps.Small, path")),
        ("large", made("spec.large", TOO_MANY, "maps.Large, path")),
        ("more", made("spec.more", "field.Required", "validateOnce(size, field", kind="Once")),
        ("rest", made("spec.inner.rest", TOO_MANY, EACH, "inner.Rest", "maps.Inner")),
    ]
    alone = [told(HandwrittenCode(read(root)), *one) for one in asked]
    code = HandwrittenCode(read(root))
    assert all(alone)
    assert alone[::-1] == [told(code, *one) for one in asked[::-1]]
    assert alone == [told(code, *one) for one in asked]


def test_the_lines_that_give_a_name_are_looked_for_once(sites: GoCallSites, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many findings are about one line, and to look for the others like it reads a whole function."""
    looked = list[GivenStep]()
    real = GoSource.lines_giving

    def lines_giving(source: GoSource, step: GivenStep) -> list[int]:
        looked.append(step)
        return real(source, step)

    monkeypatch.setattr(GoSource, "lines_giving", lines_giving)
    code = HandwrittenCode(sites)
    more = made("spec.more", "field.Required", "validateOnce(size, field", kind="Once")
    assert told(code, "more", more) == told(code, "more", more) != []
    assert ["more"] == [one.name for one in looked]


def test_a_name_that_serves_other_paths_too_has_the_call_for_this_one(sites: GoCallSites) -> None:
    """The line that gives it is in a function of several paths: what to change for one of them is further up."""
    rest = made("spec.inner.rest", TOO_MANY, EACH, "inner.Rest", "maps.Inner")
    found = HandwrittenCode(sites).find_name(rest, "rest")
    assert found is not None
    assert (found.lines[0].text, None) == (place("inner.Rest", _MAPS), found.around)


def test_a_key_is_given_by_the_line_that_adds_it(sites: GoCallSites) -> None:
    """The helper serves other maps too, and the call of it is the place for one of them; a text alone has no key."""
    code = HandwrittenCode(sites)
    keys = made("keys[a]", TOO_MANY, "validateSize(size, keyPath", "validateKeys(keys, path)", kind="Keys")
    found = code.find_name(keys, "keys", is_key=True)
    assert found is not None
    assert found.around is not None
    given, around = place("path.Key(short", _MAPS), place("validateKeys(keys, path)", _MAPS)
    assert ([given], around) == ([one.text for one in found.lines], found.around.text)
    assert code.find_name(made("spec.large", TOO_MANY, "maps.Large, path"), "large", is_key=True) is None


def test_a_path_that_is_assigned_anew_is_the_last_one(sites: GoCallSites) -> None:
    """Before that it is the first one."""
    frames = ErrorStacks(sites).frames(made("keys[a]", "validateKeys(keys, path)", "validateSize(1, path)"))
    assert [("keys",), ("first",)] == [one.names for one in frames]


def test_shared_code_is_named_where_it_gives_the_path(sites: GoCallSites) -> None:
    """A helper below it checks values of all sorts."""
    calls = [place(one, _META, META) for one in ("field.Invalid", "ValidateName(meta")]
    check = Made("metadata.name", calls[0], stack=", called at ".join(calls))
    assert calls[1] == HandwrittenCode(sites).find_line_of_path(check)
    own = made("spec.large", TOO_MANY)
    assert [own.source] * 2 == [one.find_line_of_path(own) for one in (HandwrittenCode(sites), UNREAD)]


def test_an_argument_is_that_of_the_call_that_was_made(sites: GoCallSites) -> None:
    """Another call of the same function may be given another one; what was not called has none."""
    stacks = ErrorStacks(sites)
    check = made("spec.large", TOO_MANY, "maps.Large, path")
    inner, outer = stacks.frames(check)
    assert ("maps.Large", outer) == stacks.argument(check, inner, "size")
    assert ("", outer) == stacks.argument(check, inner, "elsewhere")
    assert ("", None) == stacks.argument(check, outer, "maps")
    assert (("spec", "large"), ()) == (stacks.given_to(check, inner), stacks.given_to(check, outer))


def test_a_call_that_the_sources_do_not_have_is_left_out(sites: GoCallSites) -> None:
    """Sources of another release have other lines."""
    other = place(TOO_MANY, _MAPS).replace("validateSize", "validateWeight")
    known = place("maps.Large, path", _MAPS)
    check = Made("spec.large", other, stack=f"{other}, called at {known}, called at nowhere.go:3 in f")
    assert [known] == [one.place.text for one in ErrorStacks(sites).frames(check)]
    assert () == ErrorStacks(sites).own(check)
