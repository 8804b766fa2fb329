"""Which resource of a target is meant, and in which version its objects are written down."""

from __future__ import annotations

import re
from collections.abc import Iterable

from harness.case import KindInfo
from harness.diagnostics import UsageError, near_miss
from harness.engine.units import matches
from harness.subject import Subject

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")


def stability(info: KindInfo) -> tuple[bool, int, int, int]:
    """Order versions as Kubernetes does, those that are served over others: stable ones over betas over alphas."""
    found = _VERSION.fullmatch(info.version)
    if found is None:
        return info.served, -1, 0, 0
    return info.served, {None: 2, "beta": 1, "alpha": 0}[found[2]], int(found[1]), int(found[3] or 0)


def choose(subject: Subject, pattern: str) -> tuple[KindInfo, ...]:
    """Return the resource that a pattern means, in every version, the most stable first.

    Raises: UsageError when it means none or several.
    """
    every = [info for info in subject.target.info.kinds if not info.subresource]
    fitting = [info for info in every if matches(info, [pattern])]
    if not fitting:
        names = sorted({name for info in every for name in (info.resource, info.kind)})
        hint = near_miss(pattern, names) or "`harness kinds` lists them"
        raise UsageError(f"{subject.name} serves no {pattern}\n  fix: {hint}")
    found = {(info.group, info.resource) for info in fitting}
    if len(found) > 1:
        named = ", ".join(f"{group or 'core'}/{resource}" for group, resource in sorted(found))
        raise UsageError(f"--kind {pattern} means several: {named}\n  fix: name one; a file of tests is about one kind")
    return tuple(sorted(fitting, key=stability, reverse=True))


def most_stable(infos: Iterable[KindInfo]) -> KindInfo:
    """Return the most stable version."""
    return max(infos, key=stability)
