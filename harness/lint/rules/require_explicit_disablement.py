"""Finds generators that the doc.go of an API package neither enables nor disables.

Source: semantics.md#8.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.gotypes.model import Package
from harness.lint.rule import Advice, LintRule
from harness.lint.upstream import GENERATORS, VALUES
from harness.lint.view import PackageView
from harness.objectmodel import is_type_meta
from harness.tags.grammar import TagLine, tag_lines

_VERSION = re.compile(r"v\d+([a-z]+\d+)?")
_OTHER_TAGS = ("genclient", "groupGoName")


def find(view: PackageView) -> Iterator[Advice]:
    package = view.universe.package(view.path)
    lines = {line.name: line for line in reversed(list(tag_lines(package.comments)))}
    for tag in sorted(_expected(package, lines)):
        if tag not in lines:
            first = package.comments[0].position
            message = f"doc.go does not mention +{tag}"
            yield Advice(first, 1, message, f"write +{tag}=<{VALUES[tag]}>")


def _expected(package: Package, lines: dict[str, TagLine]) -> tuple[str, ...]:
    """Return the generators that a package is expected to enable or disable."""
    has_generator_tag = any(name in GENERATORS or name.split(":")[0] in _OTHER_TAGS for name in lines)
    is_api_package = has_generator_tag or "groupName" in lines
    if not is_api_package or not _VERSION.fullmatch(package.path.rpartition("/")[2]):
        return ()
    members = (member for struct in package.structs.values() for member in struct.fields)
    if any(is_type_meta(member.name) and member.embedded and member.inline for member in members):
        return ("k8s:deepcopy-gen",)
    internal_tags = ("k8s:defaulter-gen", "k8s:defaulter-gen-input", "k8s:validation-gen", "k8s:validation-gen-input")
    return ("k8s:conversion-gen", "k8s:defaulter-gen", "k8s:validation-gen") if lines.keys() & {*internal_tags} else ()


_FORGOTTEN = """// +groupName=example.com

package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type T struct {
	metav1.TypeMeta `json:",inline"`
}
"""

RULE = LintRule(
    code="require-explicit-disablement",
    severity="warning",
    summary="The doc.go of an API package enables or disables each generator that such packages use.",
    why="a forgotten generator looks like a disabled one",
    good=f"// +k8s:deepcopy-gen=package\n{_FORGOTTEN}",
    bad=_FORGOTTEN,
    find=find,
    upstream=True,
    opt_in=True,
)
