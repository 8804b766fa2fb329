"""Visits the types and fields that upstream's own linter visits, and words findings as it does.

A finding of upstream's linter stops its generator (`lint failed:`). Differences from upstream:

* Upstream stores +k8s:listType by field path, and during lint a type has none. So it rejects the second typedef with
  that tag (`invalid validation tags: ... listType cannot be specified more than once`), though neither is wrong.
* Tags that cannot be evaluated are reported by the compiler.
* Types of 1.36 are linted by the rules of 1.37, which support opaque types and look inside every wrapper. Types of
  earlier releases are not linted by these rules, because upstream's linter did not have them.

Source: semantics.md#8; validation-gen lint.go and lint_rules.go, 1.37.1.
"""

from __future__ import annotations

from harness.compiler.lintwalk import SINCE, LintWalk, Problem, Visit
from harness.gotypes.model import TypeRef
from harness.lint.rule import Advice
from harness.lint.view import PackageView

VALUES = {
    "k8s:conversion-gen": "peer-package or false",
    "k8s:deepcopy-gen": "package or false",
    "k8s:defaulter-gen": "TypeMeta or false",
    "k8s:validation-gen": "TypeMeta or false",
}
"""The generators that a package is expected to enable or disable, with the values of their tags."""
GENERATORS = frozenset({
    *VALUES, "k8s:conversion-gen-external-types", "k8s:defaulter-gen-input", "k8s:validation-gen-input",
    "k8s:validation-gen-nolint", "k8s:validation-gen-scheme-registry", "k8s:validation-gen-test-fixture",
    "k8s:validation-gen-test-targets", "k8s:prerelease-lifecycle-gen", "k8s:register-gen", "k8s:openapi-gen",
    "k8s:openapi-model-package", "k8s:protobuf-gen", "k8s:client-gen", "k8s:applyconfiguration-gen",
    "k8s:informer-gen", "k8s:lister-gen",
})  # fmt: skip
"""The tags of generators that upstream's linter of 1.37 knows. Source: semantics.md#8.4."""


def visits_from_roots(view: PackageView) -> tuple[Visit, ...]:
    """Return the types and fields to lint: those that the roots of a package reach, each type once in a run."""
    found: tuple[Visit, ...] | None = view.memo.get(("visits", 0))
    if found is None:
        walk = LintWalk(view.types, view.shared.setdefault("types seen by lint", set()))
        if view.lint and view.generates and view.release.minor >= SINCE:
            for root in sorted(view.roots):
                walk.enter(TypeRef("named", f"{view.path}.{root}"))
        found = view.memo["visits", 0] = tuple(walk.found)
    return found


def advise_as_upstream(visit: Visit, problem: Problem, fix: str) -> Advice:
    """Return advice in upstream's words, which points at the tag of the problem or at the name of the element."""
    message, tag = problem
    position, width = (tag.position, tag.width) if tag else (visit.position, len(visit.name))
    return Advice(position, width, f"{visit.subject}: {message}", fix)
