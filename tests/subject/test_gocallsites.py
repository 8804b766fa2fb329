"""Who calls a function of handwritten validators is read in their files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.gotypes.branches import GoSource
from harness.gotypes.gocalls import Mention
from harness.subject.callsites import CodeLine
from harness.subject.deciding import UNREAD, HandwrittenCode
from harness.subject.gocallsites import GoCallSites

_STORAGE = """package validation

// validateName(in a comment) is no call.
func validateName(name string) []string {
	return validateName(name[1:])
}

func ValidateClass(c Class) []string {
	return validateName(c.Name)
}

func (v *Validator) ValidateOther(c Class) []string {
	return append(validateName(c.Name), inner(c)...)
}

func inner(c Class) []string {
	return innermost(c)
}

func innermost(c Class) []string { return once(c) }

func once(c Class) []string { return Shared(c.Name) }

func ValidateAny(name string, marks ...Mark) []string { return nil }

func ValidateVolume(v Volume) []string { return ValidateAny(v.Name, SizeCovered) }
"""
_APPS = """package validation

import storage "k8s.io/kubernetes/pkg/apis/storage/validation"

var validateAny = storage.ValidateAny

func ValidateApp(a App) []string {
	return storage.Shared(a.Name)
}

func ValidateMany(a App) []string {
	return validateEach(a.Names, validateAny)
}

func ValidateOne(a App) []string {
	return validateAny(a.Name, SizeCovered)
}
"""


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> GoCallSites:
    """Two groups of validators."""
    root = tmp_path_factory.mktemp("release")
    for group, text in (("storage", _STORAGE), ("apps", _APPS)):
        folder = root / "pkg/apis" / group / "validation"
        folder.mkdir(parents=True)
        (folder / "validation.go").write_text(text)
        (folder / "validation_test.go").write_text("package validation\nfunc TestOnce() { once(Class{}) }\n")
    return GoCallSites(root)


FILE, APPS = "pkg/apis/storage/validation/validation.go", "pkg/apis/apps/validation/validation.go"


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (
            f"{FILE}:5 in validateName",
            (f"validateName is called by ValidateClass ({FILE}:9)", f"ValidateOther ({FILE}:13)"),
        ),
        (f"{FILE}:21 in Shared", (f"Shared is called by once ({FILE}:22)", f"ValidateApp ({APPS}:8)")),
        (
            f"{FILE}:24 in ValidateAny, called at {FILE}:26 in ValidateVolume",
            (
                f"ValidateAny is called by ValidateVolume ({FILE}:26)",
                f"ValidateOne ({APPS}:16, with SizeCovered too)",
                f"ValidateMany ({APPS}:12)",
            ),
        ),
        (f"{FILE}:22 in once", ()),
        (f"{FILE}:9 in ValidateClass", ()),
        ("k8s.io/apimachinery/pkg/x.go:9 in f", ()),
        ("handwritten.py:3 in validate", ()),
        ("", ()),
    ],
)
def test_a_shared_function_names_its_callers(sites: GoCallSites, place: str, told: tuple[str, ...]) -> None:
    """Each call counts once, an exported function's in every group, under another name and handed on as a value too;
    those with the same marks come first, and a helper of one caller is that caller's own."""
    assert told == sites.shared_by(place)


@pytest.mark.parametrize(
    ("line", "function", "users"),
    [
        (5, "validateItem", "validateItem is"),
        (4, "validateKey", "only validateItem uses it, which is"),
        (3, "validateName", "only validateKey uses it, which only validateItem uses, which is"),
    ],
)
def test_each_function_that_alone_uses_another_is_named(tmp_path: Path, line: int, function: str, users: str) -> None:
    """Up to the one that several call, also where that is called in a function literal."""
    lines = [
        "package validation",
        "",
        "func validateName(s string) []string { return nil }",
        "func validateKey(s string) []string { return validateMap(s, validateName) }",
        "func validateItem(s string) []string { return each(func(k string) []string { return validateKey(k) }) }",
        "func ValidateOne(s string) []string { return validateItem(s) }",
        "func ValidateTwo(s string) []string { return validateItem(s) }",
    ]
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / FILE).write_text("\n".join(lines))
    told = GoCallSites(tmp_path).shared_by(f"{FILE}:{line} in {function}")
    assert (f"{users} called by ValidateOne ({FILE}:6)", f"ValidateTwo ({FILE}:7)") == told


def test_functions_on_the_way_to_a_helper_name_their_other_callers(tmp_path: Path) -> None:
    """An option that is handed down to a helper reaches them too; the last call of the way is the one for the path."""
    lines = [
        "package validation",
        "func check(s string) []string { return nil }",
        "func other(s string) []string { return check(s) }",
        "func checkName(s string) []string { return check(s) }",
        "func checkFull(s string) []string { return checkName(s) }",
        "func validateOne(s string) []string { return checkFull(s) }",
        "func validateAll(s []string) []string { return validateMap(s, checkName) }",
        "func validateTwo(s string) []string { return append(checkFull(s), validateOne(s)...) }",
        "func validateThree(s string) []string { return validateOne(s) }",
    ]
    folder = tmp_path / "pkg/apis/storage/validation"
    folder.mkdir(parents=True)
    (folder / "validation.go").write_text("\n".join(lines))
    sites, way = GoCallSites(tmp_path), [CodeLine(FILE, 5, "checkFull"), CodeLine(FILE, 6, "validateOne")]
    source = f"{FILE}:2 in check, called at {FILE}:4 in checkName"
    told = f"checkName also by validateAll ({FILE}:7)", f"checkFull also by validateTwo ({FILE}:8)"
    assert told == sites.shared_on_way(source, way)
    assert told[:1] == sites.shared_on_way(source, way[:1])
    assert () == sites.shared_on_way(source, [])


@pytest.mark.parametrize("folder", ["pkg/proxy/apis/config/validation", "plugin/pkg/admission/a/apis/a/validation"])
def test_validators_of_configuration_are_callers_too(tmp_path: Path, folder: str) -> None:
    """They use functions of the validators of kinds, so a count without them is wrong."""
    for path, text in (("pkg/apis/storage/validation", _STORAGE), (folder, _APPS)):
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "validation.go").write_text(text)
    code = HandwrittenCode(GoCallSites(tmp_path))
    assert 2 == code.count_callers(f"{FILE}:21 in Shared")


def test_a_file_that_does_not_import_a_package_is_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function of the same name is another one; the file that imports the package is read for its calls."""
    read = list[str]()
    other = _APPS.replace("apis/storage", "apis/batch").replace("ValidateApp", "ValidateJob")
    for group, text in (("storage", _STORAGE), ("apps", _APPS), ("jobs", other)):
        (tmp_path / "pkg/apis" / group / "validation").mkdir(parents=True)
        (tmp_path / "pkg/apis" / group / "validation/validation.go").write_text(text)
    real = GoSource.mentions

    def mentions(source: GoSource, name: str, package: str = "") -> Iterator[Mention]:
        read.append("\n".join(source.lines))
        return real(source, name, package)

    monkeypatch.setattr(GoSource, "mentions", mentions)
    calls = GoCallSites(tmp_path).calls_of(FILE, "Shared")
    assert [("once", FILE), ("ValidateApp", APPS)] == [(one.caller, one.file) for one in calls]
    assert [_STORAGE.rstrip(), _APPS.rstrip()] == read


def test_the_line_that_says_whether_validation_is_generated_is_found(tmp_path: Path) -> None:
    """In the package of the version of a group, whatever its folder is called; one may say nothing of it."""
    for group, text in (
        ("a", "// +k8s:conversion-gen=x\n// +groupName=events.k8s.io\n// +k8s:validation-gen=false\n"),
        ("b", "// +k8s:validation-gen=TypeMeta\n// +groupName=other\n"),
        ("c", "// +groupName=silent\n"),
    ):
        (tmp_path / "pkg/apis" / group / "v1").mkdir(parents=True)
        (tmp_path / "pkg/apis" / group / "v1/doc.go").write_text(text)
    code = HandwrittenCode(GoCallSites(tmp_path))
    assert "`+k8s:validation-gen=false` is at pkg/apis/a/v1/doc.go:3" == code.find_generation("events.k8s.io", "v1")
    assert "pkg/apis/c/v1/doc.go has no +k8s:validation-gen" == code.find_generation("silent", "v1")
    assert ["", "", ""] == [
        one.find_generation(group, version)
        for one, group, version in ((code, "other", "v2"), (code, "none", "v1"), (UNREAD, "other", "v1"))
    ]
