"""Rows for a field without rules: tries typical values, and keeps the nearest object for each distinct answer.

This records the handwritten validation of a field before its migration starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from harness.case import Answer, Json, KindInfo, Operation
from harness.export.asker import Asker
from harness.export.nearest import distance, nearest
from harness.export.rows import TableRow
from harness.fuzzers.aimedpairs import aimed_pairs, parts_of
from harness.fuzzers.aims import Aim
from harness.fuzzers.pairs import Pair
from harness.fuzzers.shape import Shape
from harness.jsonpath import ITEMS, canonical_path, is_within

MAX_TRIES = 400
"""At most so many objects are tried for one field."""
_ERROR_SORTS = (
    ("FieldValueInvalid", "minimum"), ("FieldValueInvalid", "maximum"), ("FieldValueInvalid", "format"),
    ("FieldValueTooLong", ""), ("FieldValueTooMany", ""), ("FieldValueDuplicate", ""), ("FieldValueNotSupported", ""),
    ("FieldValueRequired", ""),
)  # fmt: skip
"""Types of errors, with an origin where it matters: each has its own values to try."""

Key = tuple[tuple[str, str, str], ...]


def is_field(shape: Shape, path: str) -> bool:
    """Whether a type has a field of this path."""
    for part in parts_of(Aim(path, "")):
        if shape.kind == "struct" and part not in shape.by_name:
            return False
        if shape.kind not in ("struct", "list", "map") or (part == ITEMS) is (shape.kind == "struct"):
            return False
        shape = shape.child(part)
    return True


def observed(asker: Asker, shape: Shape, path: str, door: KindInfo, base: Json) -> Iterator[TableRow]:
    """Yield the nearest object for each distinct answer with errors only in this field, the accepted one first."""
    create = Operation.CREATE in door.operations
    operation = Operation.CREATE if create else Operation.UPDATE
    ground: Pair = (base, None) if create else (base, base)
    best: dict[Key, tuple[tuple[int, float], int, Pair]] = {}
    tried = islice(_tries(path, shape, base), MAX_TRIES)
    pairs = [(new, None if create else base) for new in tried]
    for number, (pair, answer) in enumerate(asker.pairs(door, operation, pairs)):
        key = _key(answer, path)
        if key is not None and pair != ground and (key not in best or (distance(pair, ground), number) < best[key][:2]):
            best[key] = distance(pair, ground), number, pair
    for key in sorted(best):

        def judge(pair: Pair, answer: Answer, wanted: Key = key) -> int | None:
            return 0 if _key(answer, path) == wanted and pair != ground else None

        new, old = nearest(best[key][2], 0, ground, judge, lambda some: asker.pairs(door, operation, some))
        said = "; ".join(f"{kind.removeprefix('FieldValue')} {origin}".rstrip() for _, kind, origin in key)
        yield TableRow(f"{path}: {said or 'accepted'}", door, operation, new, old, "reject" if key else "accept")


def _tries(path: str, shape: Shape, base: Json) -> Iterator[Json]:
    aims = [Aim(path, kind, origin) for kind, origin in _ERROR_SORTS]
    running = [aimed_pairs(aim, shape, [base]) for aim in (replace(aims[0], wants="accept"), *aims)]
    yield from (new for new, _ in chain.from_iterable(islice(one, MAX_TRIES // len(running)) for one in running))


def _key(answer: Answer, path: str) -> Key | None:
    """Return the errors in a field, None when there is an error at another path."""
    errors: Sequence[tuple[str, str, str]] = sorted({
        (canonical_path(one.field), str(one.type), one.origin) for one in (*answer.handwritten, *answer.declarative)
    })  # fmt: skip
    is_clean = all(is_within(field, path) for field, _, _ in errors)
    return tuple(errors) if is_clean else None
