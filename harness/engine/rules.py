"""Checks the normalization rules of a target against the types, once, at the end of a run.

Such a rule maps the error paths of one version to those of another. A rule that never applies is useless, and one that
maps two fields of a version to the same path hides wrong paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from harness.case import KindInfo
from harness.compare.finding import Finding, rule_findings
from harness.errormatch.normalize import RuleProblem, check_rules
from harness.fuzzers.shape import Shape
from harness.jsonpath import join

MAX_PATHS = 20_000
"""At most so many paths of one type are checked."""

_MAX_DEPTH = 16
"""Paths are at most so deep, because a type that contains itself has infinitely many."""


def paths_of(shape: Shape) -> Iterator[str]:
    """Yield the paths of a type as validators report them: lists at index 0, maps at key `k`.

    A type inside itself is not entered again.
    """
    left = MAX_PATHS
    for path in _paths_below(shape, "", ()):
        yield path
        left -= 1
        if not left:
            return


def _paths_below(shape: Shape, path: str, outer: tuple[str, ...]) -> Iterator[str]:
    if path:
        yield path
    if len(outer) > _MAX_DEPTH or (shape.type and shape.type in outer and shape.kind == "struct"):
        return
    outer_types = (*outer, shape.type)
    if shape.kind == "struct":
        for member in shape.fields:
            yield from _paths_below(member.shape, join(path, member.name), outer_types)
    elif shape.kind in ("list", "map"):
        yield from _paths_below(shape.elem, join(path, "[0]" if shape.kind == "list" else "[k]"), outer_types)


def _versions(info: KindInfo) -> Iterator[KindInfo]:
    """Yield the kind in its own version and in those compared with it, whose types are in sibling packages."""
    yield info
    for version in info.versions:
        type_name = info.type.replace(f"/{info.version}.", f"/{version}.")
        yield msgspec.structs.replace(info, version=version, type=type_name)


def examine_rules(
    kinds: Iterable[KindInfo], asked: Iterable[KindInfo], shape: Callable[[KindInfo], Shape], subject: str
) -> list[Finding]:
    """Find normalization rules that apply to no field, and those that map two fields of one kind to the same path.

    `kinds` are all kinds of the target: a rule may be shared, and is used if it applies to one of them. `asked` are the
    kinds of this run: only their problems are reported, each once.
    """
    asked_keys = {info.key for info in asked}
    findings: list[Finding] = []
    unused: dict[tuple[str, str], Finding] = {}
    used: set[tuple[str, str]] = set()

    def problems_of(info: KindInfo) -> tuple[RuleProblem, ...]:
        found = check_rules(info.normalization, {one.version: paths_of(shape(one)) for one in _versions(info)})
        used.update(set(info.normalization) - {problem.rule for problem in found if problem.kind == "unused"})
        return found

    ruled = [info for info in kinds if info.normalization]
    for info in ruled:
        problems = problems_of(info) if info.key in asked_keys else ()
        findings += rule_findings(info, [problem for problem in problems if problem.kind == "collision"], subject)
        for problem in problems:
            if problem.kind == "unused" and (problem.rule not in unused or problem.earlier is not None):
                (unused[problem.rule],) = rule_findings(info, [problem], subject)
    for info in ruled:  # which takes half a second for all of a release
        if info.key not in asked_keys and not used.issuperset(unused.keys() & set(info.normalization)):
            problems_of(info)
    return findings + [finding for rule, finding in unused.items() if rule not in used]
