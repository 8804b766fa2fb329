"""A field that no rule speaks of yet: what the target says of it is found by trying, one row for each answer.

That is where a migration starts: the handwritten checks of a field, before it has tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from harness.case import Answer, Json, KindInfo, Operation
from harness.export.asker import Asker
from harness.export.nearest import distance, nearest
from harness.export.rows import TableRow
from harness.fuzzers.aiming import parts_of, shots
from harness.fuzzers.aims import Aim
from harness.fuzzers.pairs import Pair
from harness.fuzzers.shape import Shape
from harness.jsonpath import ITEMS, canonical_path, is_within

_TRIED = 400
_SORTS = (
    ("FieldValueInvalid", "minimum"), ("FieldValueInvalid", "maximum"), ("FieldValueInvalid", "format"),
    ("FieldValueTooLong", ""), ("FieldValueTooMany", ""), ("FieldValueDuplicate", ""), ("FieldValueNotSupported", ""),
    ("FieldValueRequired", ""),
)  # fmt: skip
"""What may be wrong with a value, whatever its type: each sort has its own values to try."""

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
    """Yield the nearest object for each answer that concerns a field, the accepted one first."""
    create = Operation.CREATE in door.operations
    operation = Operation.CREATE if create else Operation.UPDATE
    ground: Pair = (base, None) if create else (base, base)
    best: dict[Key, tuple[tuple[int, float], int, Pair]] = {}
    tried = islice(_tries(path, shape, base), _TRIED)
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
    aims = [Aim(path, kind, origin) for kind, origin in _SORTS]
    running = [shots(aim, shape, [base]) for aim in (replace(aims[0], wants="accept"), *aims)]
    yield from (new for new, _ in chain.from_iterable(islice(one, _TRIED // len(running)) for one in running))


def _key(answer: Answer, path: str) -> Key | None:
    """Return what is said of a field, None when something is said of another place."""
    errors: Sequence[tuple[str, str, str]] = sorted({
        (canonical_path(one.field), str(one.type), one.origin) for one in (*answer.handwritten, *answer.declarative)
    })  # fmt: skip
    is_clean = all(is_within(field, path) for field, _, _ in errors)
    return tuple(errors) if is_clean else None
