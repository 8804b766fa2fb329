"""What upstream's generators can be told to ask of doc.go (`--lint-rules`, off by default).

Source: semantics.md#8.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.diagnostics import Diagnostic, Position, near_miss
from harness.gotypes.model import Package
from harness.lint.rule import LintFinding, LintRule
from harness.lint.view import PackageView
from harness.objectmodel import is_type_meta
from harness.tags.grammar import TagLine, tag_lines

_VERSION = re.compile(r"v\d+([a-z]+\d+)?")
_VALUES = {
    "k8s:conversion-gen": "peer-package or false",
    "k8s:deepcopy-gen": "package or false",
    "k8s:defaulter-gen": "TypeMeta or false",
    "k8s:validation-gen": "TypeMeta or false",
}
KNOWN = frozenset({
    *_VALUES, "k8s:conversion-gen-external-types", "k8s:defaulter-gen-input", "k8s:validation-gen-input",
    "k8s:validation-gen-nolint", "k8s:validation-gen-scheme-registry", "k8s:validation-gen-test-fixture",
    "k8s:validation-gen-test-targets", "k8s:prerelease-lifecycle-gen", "k8s:register-gen", "k8s:openapi-gen",
    "k8s:openapi-model-package", "k8s:protobuf-gen", "k8s:client-gen", "k8s:applyconfiguration-gen",
    "k8s:informer-gen", "k8s:lister-gen",
})  # fmt: skip
"""The tags of generators that upstream's own linter knows (1.37)."""
_FORGOTTEN = """// +groupName=example.com

package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type T struct {
	metav1.TypeMeta `json:",inline"`
}
"""
_OTHERS = ("genclient", "groupGoName")


def _known_tags(view: PackageView) -> Iterator[LintFinding]:
    package = view.universe.package(view.path)
    for line in tag_lines(package.comments):
        base = ":".join(line.name.split(":")[:2])
        if line.name.startswith("k8s:") and "-gen" in line.name and base not in KNOWN:
            message = f"unrecognized +k8s: tag(s): +{line.name}"
            yield _finding(view, KNOWN_TAGS, line.position, message, near_miss(base, sorted(KNOWN)), line.name)


def _disablement(view: PackageView) -> Iterator[LintFinding]:
    package = view.universe.package(view.path)
    lines = {line.name: line for line in reversed(list(tag_lines(package.comments)))}
    for tag in sorted(_expected(package, lines)):
        if tag not in lines:
            first = package.comments[0].position
            message = f"doc.go does not mention +{tag}"
            yield _finding(view, EXPLICIT, first, message, f"write +{tag}=<{_VALUES[tag]}>", "")


def _expected(package: Package, lines: dict[str, TagLine]) -> tuple[str, ...]:
    """Which generators a package of its kind is expected to decide about."""
    belongs = "groupName" in lines or any(name in KNOWN or name.split(":")[0] in _OTHERS for name in lines)
    if not belongs or not _VERSION.fullmatch(package.path.rpartition("/")[2]):
        return ()
    members = (member for struct in package.structs.values() for member in struct.fields)
    if any(is_type_meta(member.name) and member.embedded and member.inline for member in members):
        return ("k8s:deepcopy-gen",)
    inside = ("k8s:defaulter-gen", "k8s:defaulter-gen-input", "k8s:validation-gen", "k8s:validation-gen-input")
    return ("k8s:conversion-gen", "k8s:defaulter-gen", "k8s:validation-gen") if lines.keys() & {*inside} else ()


def _finding(view: PackageView, rule: LintRule, position: Position, message: str, fix: str, name: str) -> LintFinding:
    lines = view.sources.get(position.file, ())
    source = lines[position.line - 1] if 0 < position.line <= len(lines) else ""
    diagnostic = Diagnostic(position, rule.code, message, rule.why, fix, source, len(name) + 1)
    return LintFinding(diagnostic, rule.severity)


KNOWN_TAGS = LintRule(
    "known-tags-only",
    "warning",
    "Every +k8s:*-gen tag of doc.go belongs to a known generator.",
    "a misspelt generator tag is ignored silently, and the generator does not run",
    good="// +k8s:deepcopy-gen=package\n\npackage v1\n",
    bad="// +k8s:deepcopi-gen=package\n\npackage v1\n",
    check=_known_tags,
    upstream=True,
    opt_in=True,
)
EXPLICIT = LintRule(
    "require-explicit-disablement",
    "warning",
    "The doc.go of an API package enables or disables each generator that such packages use.",
    "a forgotten generator looks like a disabled one",
    good=f"// +k8s:deepcopy-gen=package\n{_FORGOTTEN}",
    bad=_FORGOTTEN,
    check=_disablement,
    upstream=True,
    opt_in=True,
)
RULES: tuple[LintRule, ...] = (KNOWN_TAGS, EXPLICIT)
