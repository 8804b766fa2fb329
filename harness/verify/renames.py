"""Finds what was only renamed or moved, in code of any language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

Name = tuple[str, str]
"""A package or module, and a name in it."""


class NamedDeclaration(Protocol):
    """A declaration."""

    @property
    def kind(self) -> str:
        """What is declared."""


Decl = TypeVar("Decl", bound=NamedDeclaration)
Plain = Callable[[Mapping[Name, Decl], Mapping[Name, Name]], Callable[[Decl], str]]
"""From the declarations of a side, and names that stand for others, to the text of one in which only what counts is."""


def renames(base: Mapping[Name, Decl], head: Mapping[Name, Decl], plain: Plain[Decl]) -> dict[Name, Name]:
    """Return base names with the head names they have now: each with the same text under all these names."""
    gone = {name: decl for name, decl in base.items() if name not in head}
    come = {name: decl for name, decl in head.items() if name not in base}
    vague_old, vague_new = (plain(side, dict.fromkeys(own, ("", "?"))) for side, own in ((base, gone), (head, come)))
    shapes: dict[tuple[str, str], list[Name]] = {}
    for name, decl in come.items():
        shapes.setdefault((decl.kind, vague_new(decl)), []).append(name)
    pairs: dict[Name, Name] = {}
    for name, decl in gone.items():
        fitting = shapes.get((decl.kind, vague_old(decl)), [])
        best = min(fitting, key=lambda other: _unlike(name, other), default=None)
        if best is not None:
            fitting.remove(best)
            pairs[name] = best
    exact = plain(head, {})
    while True:  # those that only look alike while what they refer to is vague are dropped, until all others hold
        known = plain(base, pairs)
        wrong = [old for old, new in pairs.items() if known(base[old]) != exact(head[new])]
        if not wrong:
            return pairs
        for old in wrong:
            del pairs[old]


def _unlike(one: Name, other: Name) -> tuple[bool, int, str]:
    """Order candidates for a new name: the same package and a name of like length first."""
    return one[0] != other[0], abs(len(one[1]) - len(other[1])), other[1]
