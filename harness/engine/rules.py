"""Are the normalization rules of a target themselves sound? Asked of the types, once, at the end of a run.

A rule that never applies proves nothing, and one that makes two fields of a version meet hides a wrong path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from harness.case import KindInfo
from harness.compare.finding import Finding, rule_findings
from harness.errormatch.normalize import check_rules
from harness.fuzzers.shape import Shape
from harness.jsonpath import join

MOST_PATHS = 20_000
"""Paths of one type that are looked at; a type that contains itself has no end of them."""

_DEEPEST = 16


def paths_of(shape: Shape) -> Iterator[str]:
    """Name the fields of a type as validators report them: lists at index 0, maps at key `k`.

    A type within itself is not entered again.
    """
    left = MOST_PATHS
    for path in _below(shape, "", ()):
        yield path
        left -= 1
        if not left:
            return


def _below(shape: Shape, path: str, outer: tuple[str, ...]) -> Iterator[str]:
    if path:
        yield path
    if len(outer) > _DEEPEST or (shape.type and shape.type in outer and shape.kind == "struct"):
        return
    around = (*outer, shape.type)
    if shape.kind == "struct":
        for member in shape.fields:
            yield from _below(member.shape, join(path, member.name), around)
    elif shape.kind in ("list", "map"):
        yield from _below(shape.elem, join(path, "[0]" if shape.kind == "list" else "[k]"), around)


def _versions(info: KindInfo) -> Iterator[KindInfo]:
    """The kind in its own version and in those that are compared with it; their types lie in sibling packages."""
    yield info
    for version in info.versions:
        home = info.type.replace(f"/{info.version}.", f"/{version}.")
        yield msgspec.structs.replace(info, version=version, type=home)


def examine_rules(
    every: Iterable[KindInfo], asked: Iterable[KindInfo], shape: Callable[[KindInfo], Shape], subject: str
) -> list[Finding]:
    """Find normalization rules that apply to no field of any kind, and those that make two fields of one kind meet.

    `every` are the kinds of the target: rules are often shared, and one kind's use is enough. `asked` are the kinds
    of this run: only theirs are reported, each problem once.
    """
    wanted = {info.key for info in asked}
    useful: set[tuple[str, str]] = set()
    findings: list[Finding] = []
    unused: dict[tuple[str, str], Finding] = {}
    for info in every:
        if not info.normalization:
            continue
        found = check_rules(info.normalization, {one.version: paths_of(shape(one)) for one in _versions(info)})
        without = {problem.rule for problem in found if problem.kind == "unused"}
        useful |= set(info.normalization) - without
        if info.key not in wanted:
            continue
        findings += rule_findings(info, [problem for problem in found if problem.kind == "collision"], subject)
        for problem in found:
            if problem.kind == "unused" and problem.rule not in unused:
                (unused[problem.rule],) = rule_findings(info, [problem], subject)
    return findings + [finding for rule, finding in unused.items() if rule not in useful]
