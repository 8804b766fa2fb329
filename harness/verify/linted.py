"""What lint says of the change: of every declaration that changed, and whatever else the base did not have."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from harness.diagnostics import Diagnostic
from harness.lint.run import lint
from harness.verify.declarations import members_of, package_or_none
from harness.verify.sides import Side
from harness.verify.touches import Member


def lint_change(base: Side, head: Side, changed: Collection[Member], packages: Collection[str]) -> list[Diagnostic]:
    """Lint some packages of the head. `changed` are the declarations that differ.

    A diagnostic counts as known when the base has one of the same code, message and line of text in the same file.
    """
    known = {_key(one) for one in _lint(base, packages)}
    places = _places(head, changed)
    return [
        one
        for one in _lint(head, packages)
        if _key(one) not in known or (one.position.file, one.position.line) in places
    ]


def _lint(side: Side, packages: Collection[str]) -> Iterable[Diagnostic]:
    for api in side.apis:
        groups = {package.group for package in api.packages if package.path in packages}
        chosen = tuple(package for package in api.packages if package.group in groups)
        for found in lint(replace(api, packages=chosen)) if chosen else ():
            yield replace(found.diagnostic, position=side.place(found.diagnostic.position))


def _key(found: Diagnostic) -> tuple[str, str, str, str]:
    return found.code, found.message, found.position.file, found.source.strip()


def _places(side: Side, changed: Collection[Member]) -> set[tuple[str, int]]:
    """Return the lines of declarations: their tags and comments, and the line of the name."""
    found: set[tuple[str, int]] = set()
    for path in {name.rpartition(".")[0] for name, _ in changed}:
        package = package_or_none(side.universe, path)
        for member, declared in members_of(package).items() if package else ():
            if (f"{path}.{member[0]}", member[1]) in changed:
                positions = [declared.position, *(line.position for line in declared.comments)]
                found |= {(side.place(one).file, one.line) for one in positions}
    return found
