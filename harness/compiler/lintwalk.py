"""What upstream's linter looks at, and the one of its rules by which its generator's levels mean anything.

A finding of the linter stops the generator (`lint failed:`), so that what it says of levels is said when types are
compiled, too. Source: semantics.md#8; validation-gen lint.go and lint_rules.go, 1.37.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from harness.diagnostics import Diagnostic, Position
from harness.gotypes.model import Comments, Field, Package, Typedef, TypeRef
from harness.tags.families.levels import LEVELS
from harness.tags.grammar import Tag, TagLine, TagSyntaxError, parse, tag_lines
from harness.tags.registry import shown
from harness.tags.types import Types

NOLINT = "k8s:validation-gen-nolint"
SINCE = 36
"""The first release whose linter has these rules."""

WHY = "a level holds for the whole chain; upstream's generator stops at one inside a chain or without a rule"
FIX = "put the level first: +k8s:alpha=+k8s:eachVal=+k8s:maxLength=5"

Problem: TypeAlias = tuple[str, Tag | None]
"""The message in upstream's words, and the tag it is about."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One element that upstream's linter looks at: a type, or a field of `holder`."""

    name: str
    type: TypeRef
    position: Position
    tags: tuple[Tag, ...]
    package: str
    holder: str = ""

    @property
    def subject(self) -> str:
        """How messages name it."""
        return f"{self.holder}.{self.name}" if self.holder else self.name


class LintWalk:
    """Goes through everything that is reachable, also what is not exported or opaque. `read` reads comments."""

    def __init__(self, types: Types, seen: set[str], read: Callable[[Comments], tuple[Tag, ...]] | None = None) -> None:
        self._types, self._seen, self._read = types, seen, read or parsed
        self.found: list[Visit] = []

    def enter(self, ref: TypeRef) -> None:
        waiting = [ref]
        while waiting:
            ref = waiting.pop()
            if ref.kind == "named":
                if ref.name not in self._seen:
                    self._seen.add(ref.name)
                    waiting += reversed(self._named(ref))
                continue
            if ref.kind == "struct":
                for member in ref.fields:
                    self._member(member, "", "")
            waiting += reversed([*(member.type for member in ref.fields), *_inner(ref)])

    def _named(self, ref: TypeRef) -> list[TypeRef]:
        declared = self._types.find(ref.name)
        if declared is None:
            return []
        if declared.comments:
            if any(line.name == NOLINT for line in tag_lines(declared.comments)):
                return []
            tags = self._read(declared.comments)
            self.found.append(Visit(declared.name, ref, declared.position, tags, declared.package))
        if isinstance(declared, Typedef):
            return [declared.underlying]
        for member in declared.fields:
            self._member(member, declared.name, declared.package)
        return [member.type for member in declared.fields]

    def _member(self, member: Field, holder: str, package: str) -> None:
        self.found.append(
            Visit(member.name, member.type, member.position, self._read(member.comments), package, holder or "struct")
        )


def _inner(ref: TypeRef) -> list[TypeRef]:
    return [inner for inner in (ref.key, ref.elem) if inner is not None]


def parsed(comments: Comments) -> tuple[Tag, ...]:
    """All tags of a block by name. A name of which one line does not parse is left out, as upstream does."""
    lines: dict[str, list[TagLine]] = {}
    for line in tag_lines(comments):
        lines.setdefault(line.name, []).append(line)
    tags: list[Tag] = []
    for name in sorted(lines):
        try:
            tags += [parse(line.text, line.position) for line in lines[name]]
        except TagSyntaxError:
            continue
    return tuple(tags)


def misplaced(tag: Tag | None) -> Problem | None:
    """Return what is wrong with the levels of a chain of tags, and at which tag; None when nothing is."""
    outermost = True
    while tag is not None:
        if tag.name in LEVELS and not outermost:
            return f'tag "{tag.name}" can\'t be used in between', tag
        if tag.name in LEVELS and tag.payload is None:
            return f'tag "{tag.name}" requires a validation tag as its value payload', tag
        outermost, tag = False, tag.payload
    return None


def levels_in_between(types: Types, package: Package, roots: Iterable[TypeRef]) -> Iterator[Diagnostic]:
    """Yield every level that stands inside a chain, as the linter says it, unless the linter is told to stay away."""
    if any(line.name == NOLINT for line in tag_lines(package.comments)):
        return
    walk = LintWalk(types, set(), _with_two_levels)
    for root in roots:
        walk.enter(root)
    for visit in walk.found:
        message, tag = next((found for one in visit.tags if (found := misplaced(one)) is not None), ("", None))
        if tag is not None and tag.payload is not None:
            words = f"{visit.subject}: {message}"
            yield Diagnostic(
                tag.position, "alphaBetaPrefix", words, WHY, FIX, shown(tag.position, tag.source), tag.width
            )


def _with_two_levels(comments: Comments) -> tuple[Tag, ...]:
    """Parse a block that may have a level in between: nearly none has."""
    texts = (line.text for line in comments if "k8s:" in line.text)
    if any(text.rfind(f"+{level}") > text.find("+") for text in texts for level in LEVELS):
        return parsed(comments)
    return ()
