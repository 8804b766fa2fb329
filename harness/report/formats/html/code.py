"""Prepares code coverage for the HTML page: what no case reached, by package and function, and errors by field.

The page has what is not reached; the report document has all blocks. What is shown of it is bounded, with the number of
what is left out. Tables beyond the first, and all objects, are packed: a release has a thousand such blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jinja2
from markupsafe import Markup

from harness.case import Case
from harness.report.escaping import encode_json
from harness.report.formats.html.details import PackedPieces, PageBody, show_objects
from harness.report.model.code import BlockEntry, CodeSums, FieldCalls, FunctionEntry, by_field, by_package, sum_code
from harness.report.model.fields import FieldErrors, by_kind

MAX_FUNCTIONS = 300
"""At most this many functions of a package are shown."""
MAX_BLOCKS = 40
"""At most this many blocks of a function are shown."""
MAX_FIELDS = 400
"""At most this many fields of a package or a kind are shown, those first whose errors were not all reached."""
MAX_OBJECTS = 600
"""At most this many different objects are embedded, each once."""


class NearObject(NamedTuple):
    """A case that came near to blocks of a function: its number there, and its location among the packed pieces.

    The location is empty if the page has no room for it.
    """

    number: int
    case: Case
    packed: str


class MissedFunction(NamedTuple):
    """A function of which something was not reached."""

    function: FunctionEntry
    sums: CodeSums
    body: PageBody


class MissedPackage(NamedTuple):
    """A package of which something was not reached. `size` is the number of such functions, shown or not.

    `fields` is the table of errors by field, None if no call makes one, or the fields of kinds are known.
    """

    name: str
    sums: CodeSums
    functions: list[MissedFunction]
    size: int
    fields: PageBody | None


class KindErrors(NamedTuple):
    """The table of errors by field of one kind; `reached` of its `size` calls were reached."""

    name: str
    reached: int
    size: int
    body: PageBody


class CodePacker:
    """Renders the details of code coverage. The first `at_once` tables are plain HTML, the others are packed."""

    def __init__(self, environment: jinja2.Environment, packed_pieces: PackedPieces, at_once: int) -> None:
        self._function, self._fields, self._kind, self._object = (
            environment.get_template(f"{name}.html.j2") for name in ("function", "codefields", "kindfields", "nearest")
        )
        self._packed_pieces = packed_pieces
        self._inline_left = at_once
        self._objects: dict[bytes, str] = {}

    def kinds(self, fields: Sequence[FieldErrors]) -> list[KindErrors]:
        """Return the tables of errors by field of kinds, in order of name."""
        return [
            KindErrors(name, sum(one.reached for one in own), sum(one.size for one in own), self._write_kind(name, own))
            for name, own in by_kind(fields).items()
        ]

    def packages(self, functions: Sequence[FunctionEntry], with_fields: bool) -> list[MissedPackage]:
        """Return the packages of which something was not reached, in order of path. `with_fields`: with their tables of
        errors by field, which are those of no kind.
        """
        return [self._package(name, own, with_fields) for name, own in by_package(functions).items() if _missed(own)]

    def _package(self, name: str, own: Sequence[FunctionEntry], with_fields: bool) -> MissedPackage:
        missed, fields = _missed(own), by_field(own) if with_fields else []
        shown = [
            MissedFunction(function, sum_code([function]), self._write_function(function))
            for function in missed[:MAX_FUNCTIONS]
        ]
        table = self._write_fields(name, fields) if fields else None
        return MissedPackage(name, sum_code(own), shown, len(missed), table)

    def _write_function(self, function: FunctionEntry) -> PageBody:
        blocks = function.missed[:MAX_BLOCKS]
        objects = self._near_objects(blocks)
        nearest = [objects[encode_json(block.nearest.case)] if block.nearest else None for block in blocks]
        return self._put(
            self._function.render(
                function=function,
                blocks=list(zip(blocks, nearest, strict=True)),
                left_out=len(function.missed) - len(blocks),
                objects=list(objects.values()),
            )
        )

    def _near_objects(self, blocks: Sequence[BlockEntry]) -> dict[bytes, NearObject]:
        """Return the different cases that came near to blocks, numbered from 1, by their JSON."""
        found: dict[bytes, NearObject] = {}
        for block in blocks:
            if block.nearest is not None and (key := encode_json(block.nearest.case)) not in found:
                found[key] = NearObject(len(found) + 1, block.nearest.case, self._pack_object(key, block.nearest.case))
        return found

    def _pack_object(self, key: bytes, case: Case) -> str:
        if key not in self._objects and len(self._objects) < MAX_OBJECTS:
            old, new, _ = show_objects(case, ())
            self._objects[key] = self._packed_pieces.put(self._object.render(old=old, new=new))
        return self._objects.get(key, "")

    def _write_fields(self, package: str, fields: Sequence[FieldCalls]) -> PageBody:
        shown = sorted(fields, key=lambda calls: not calls.missed)[:MAX_FIELDS]
        return self._put(self._fields.render(package=package, fields=shown, left_out=len(fields) - len(shown)))

    def _write_kind(self, kind: str, fields: Sequence[FieldErrors]) -> PageBody:
        shown = sorted(fields, key=lambda field: not field.missed)[:MAX_FIELDS]
        return self._put(self._kind.render(kind=kind, fields=shown, left_out=len(fields) - len(shown)))

    def _put(self, html: str) -> PageBody:
        if self._inline_left > 0:
            self._inline_left -= 1
            return PageBody(Markup(html), "")
        return PageBody(Markup(), self._packed_pieces.put(html))


def _missed(functions: Sequence[FunctionEntry]) -> list[FunctionEntry]:
    return [function for function in functions if function.missed]
