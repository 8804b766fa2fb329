"""Visits the elements that upstream's linter visits, and checks its rule about levels (+k8s:alpha and +k8s:beta).

Upstream's generator fails if its linter has a finding (`lint failed:`), so the compiler reports these findings, too.
Source: semantics.md#8; validation-gen lint.go and lint_rules.go, 1.37.1.
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
"""The message of upstream's linter, and the tag that it is about."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One element that upstream's linter checks: a type, or a field of `holder`."""

    name: str
    type: TypeRef
    position: Position
    tags: tuple[Tag, ...]
    package: str
    holder: str = ""

    @property
    def subject(self) -> str:
        """The name of the element in messages."""
        return f"{self.holder}.{self.name}" if self.holder else self.name


class LintWalk:
    """Visits every reachable element, including opaque and unexported ones. `read` reads comments."""

    def __init__(self, types: Types, seen: set[str], read: Callable[[Comments], tuple[Tag, ...]] | None = None) -> None:
        self._types, self._seen, self._read = types, seen, read or parse_tags
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


def parse_tags(comments: Comments) -> tuple[Tag, ...]:
    """Return the tags of a comment, sorted by name. Like upstream, skip all tags of a name if one does not parse."""
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


def level_problem(tag: Tag | None) -> Problem | None:
    """Return the problem of the levels in a chain of tags with its tag; None if there is none."""
    outermost = True
    while tag is not None:
        if tag.name in LEVELS and not outermost:
            return f'tag "{tag.name}" can\'t be used in between', tag
        if tag.name in LEVELS and tag.payload is None:
            return f'tag "{tag.name}" requires a validation tag as its value payload', tag
        outermost, tag = False, tag.payload
    return None


def find_nested_levels(types: Types, package: Package, roots: Iterable[TypeRef]) -> Iterator[Diagnostic]:
    """Yield the linter's findings about levels inside a chain, unless +k8s:validation-gen-nolint is set."""
    if any(line.name == NOLINT for line in tag_lines(package.comments)):
        return
    walk = LintWalk(types, set(), _parse_nested_levels)
    for root in roots:
        walk.enter(root)
    for visit in walk.found:
        message, tag = next((found for one in visit.tags if (found := level_problem(one)) is not None), ("", None))
        if tag is not None and tag.payload is not None:
            text = f"{visit.subject}: {message}"
            yield Diagnostic(
                tag.position, "alphaBetaPrefix", text, WHY, FIX, shown(tag.position, tag.source), tag.width
            )


def _parse_nested_levels(comments: Comments) -> tuple[Tag, ...]:
    """Parse the comments that may have a level inside a chain, which are few. Return no tags for others."""
    texts = (line.text for line in comments if "k8s:" in line.text)
    if any(text.rfind(f"+{level}") > text.find("+") for text in texts for level in LEVELS):
        return parse_tags(comments)
    return ()
