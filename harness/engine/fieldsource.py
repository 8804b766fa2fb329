"""Where a finding belongs: the Go type that declares its field, without its version, and the line that does it.

Types that many kinds share sit at other paths in each of them, and versions of one type are one type to a reader: both
become one place here, so that findings of one cause can be told together.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache, reduce
from pathlib import Path
from typing import NamedTuple

import msgspec

from harness.compare.finding import Finding
from harness.diagnostics import near_miss
from harness.fuzzers.lending import unversioned
from harness.fuzzers.shape import ANY, FieldShape, Shape
from harness.jsonpath import join, pattern_of
from harness.tags.registry import rule_facts

_MODULE = re.compile(r"@v\d")


class FieldSource(NamedTuple):
    """The place of a path: see `Finding`.

    `known` are the fields of the type where a path leaves it, `tags` those of the field with their lines.
    """

    owner: str = ""
    member: str = ""
    source: str = ""
    known: tuple[str, ...] = ()
    tags: tuple[tuple[str, int], ...] = ()


def find_field_source(path: str, shape: Shape) -> FieldSource:
    """Follow a path through a type as far as it goes."""
    if shape.kind != "struct":
        return FieldSource()
    way = pattern_of(path)
    found, last = FieldSource(unversioned(shape.type)), None
    for index, step in enumerate(way):
        if shape.kind != "struct":
            found = found._replace(member=join(found.member, step))
            shape = shape.elem if shape.kind in ("list", "map") else ANY
            continue
        field = shape.by_name.get(step)
        if field is None:
            rest = way[index:]
            return FieldSource(unversioned(shape.type), reduce(join, rest, ""), "", tuple(shape.by_name))
        found, shape, last = FieldSource(unversioned(field.owner), step, tags=field.tags), field.shape, field
    return found if last is None else found._replace(source=_source(last))


def _source(field: FieldShape) -> str:
    return _line_of(field.position.file, field.position.line, field.owner, os.getcwd())


@lru_cache(maxsize=8192)
def _line_of(file: str, line: int, owner: str, folder: str) -> str:
    """Say which line declares a field.

    By its path in the current folder, which is a checkout most of the time, else by the import path of its package: a
    folder says nothing on another machine, and a downloaded module is nobody's checkout.
    """
    name = re.split(r"[/\\]", file)[-1]
    if not name or not line:
        return ""
    if Path(file).is_absolute() and Path(file).is_relative_to(folder) and not _MODULE.search(file):
        return f"{Path(file).relative_to(folder).as_posix()}:{line}"
    return f"{owner.rpartition('.')[0]}/{name}:{line}"


def _rule_source(finding: Finding, place: FieldSource) -> str:
    """Say which tag of the field declares the rule whose error is concerned; nothing where none of them does."""
    words = rule_facts().tag_for(finding.type, finding.origin).split()
    if not words or not place.source:
        return ""
    name = re.compile(re.escape(re.split("=<|\\(", words[0])[0]) + r"(?![\w-])")
    line = next((line for text, line in place.tags if name.search(text)), 0)
    return f"{place.source.rpartition(':')[0]}:{line}" if line else ""


def add_field_source(finding: Finding, shape: Shape) -> Finding:
    """Add the place of a finding, and to its fix where the field is declared or which field may have been meant."""
    place = find_field_source(finding.path, shape)
    fix = finding.fix
    if place.source:
        fix = f"{fix} ({place.source})"
    elif finding.cause == "wrong-path" and place.known:
        hint = _meant(place)
        fix = f"{fix}; {hint}" if hint else fix
    return msgspec.structs.replace(
        finding, owner=place.owner, member=place.member, source=place.source, fix=fix,
        rule_source=_rule_source(finding, place),
    )  # fmt: skip


def _meant(place: FieldSource) -> str:
    """Name the field of the type that comes next to the one a path names."""
    first = pattern_of(place.member)[0]
    same = [name for name in place.known if name.lower() == first.lower()]
    return f"did you mean {same[0]}?" if same else near_miss(first, place.known)
