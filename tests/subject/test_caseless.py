"""A pattern that ignores case is found behind the rule that uses it, and in no other one."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.subject.deciding import UNREAD, HandwrittenCode
from harness.subject.gocallsites import GoCallSites

_RULES = """package validate

import "k8s.io/apimachinery/pkg/api/validate/content"

func LongNameCaseless(value string) (errs field.ErrorList) {
	for _, msg := range content.IsNameCaseless(value) {
		errs = append(errs, field.Invalid(nil, value, msg))
	}
	return errs
}

func LongName(value string) field.ErrorList {
	return check(content.IsName(value))
}

func check(msgs []string) field.ErrorList { return nil }
"""
_CONTENT = """package content

const nameFmt string = "[a-z]+"
const nameFmtCaseless string = "(?i)" + nameFmt

var nameRegexp = regexp.MustCompile(nameFmt)
var nameCaselessRegexp = regexp.MustCompile("^" + nameFmtCaseless + "$")

func IsName(value string) []string { return match(nameRegexp, value) }

func IsNameCaseless(value string) []string {
	return match(nameCaselessRegexp, value)
}
"""


@pytest.mark.parametrize(
    ("function", "line", "told"),
    [
        ("LongNameCaseless", 7, '`const nameFmtCaseless string = "(?i)" + nameFmt` at '),
        ("LongName", 13, ""),
        ("elsewhere", 1, ""),
    ],
)
def test_the_pattern_that_ignores_case_is_found_through_its_names(
    tmp_path: Path, function: str, line: int, told: str
) -> None:
    """From the function that makes the error, through those of other packages, to a constant."""
    package = "k8s.io/apimachinery/pkg/api/validate"
    for name, text in (("strfmt.go", _RULES), ("content/dns.go", _CONTENT)):
        path = tmp_path / "apimachinery/pkg/api/validate" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    sites = GoCallSites(tmp_path, {"k8s.io/apimachinery": tmp_path / "apimachinery"})
    stack = f"{package}/strfmt.go:{line} in {function}, called at pkg/x.go:3 in Validate"
    expected = f"{told}{package}/content/dns.go:4" if told else ""
    assert expected == HandwrittenCode(sites).find_caseless(stack)
    assert "" == UNREAD.find_caseless(stack)
