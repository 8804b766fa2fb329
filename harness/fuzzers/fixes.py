"""Candidate fixes of a validation error: edits of the rejected object, the likeliest first.

A candidate is one edit, of the path of the error or of one near it. The order:

1. what the message asks for: remove the path, shorten it, lengthen it, use a value that it quotes;
2. values at the same path in the user's examples, and literals from the Go source near the field's name;
3. values of the same type at other paths of the object, then common values of the type;
4. adding or removing members and siblings, then removing the path, then its parents.

Reads messages, shapes and values. Depends on no kind and on no rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from harness.case import Json
from harness.field import ErrorType, FieldError
from harness.fuzzers.feedback import Harvest, names_of, numbers_of, paths_of, patterns_of, words_of
from harness.fuzzers.patterns import matching_strings
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import member_at, resolve_path, shape_at, walk_paths
from harness.fuzzers.values import alternatives, common_values, fits, small_value, sparse_value
from harness.jsonpath import ABSENT, Edit, JsonPath, later_first, look

MAX_ERRORS = 200
"""At most this many errors of one answer are fixed: a validator may report thousands, at paths that no object has."""
_MAX_INNER_STRUCTS = 6
"""At most this many structs inside a wrong value are searched for a member that the message names."""
_MAX_NEAR_CANDIDATES = 3
"""At most this many patterns, and this many values, of the Go source near the field's name are tried."""
_MAX_OTHER_CANDIDATES = 30
"""At most this many patterns, words, examples and items are tried that are not tied to the field's name."""
_MAX_PATTERNS_FOR_EVERY_FIELD = 6
"""Sources with at most this many patterns have all of them tried at every string, whatever the field's name."""
_MAX_VALUES_OF_OTHER_PATHS = 12
"""At most this many values are copied from other paths of the object."""
_MAX_RECENT_WORDS = 20
"""At most this many words of earlier messages are tried, the last ones."""
_MAX_MEMBER_VALUES = 6
"""At most this many values are tried for a member that is added to a wrong struct."""
_MAX_SIBLING_VALUES = 4
"""At most this many common values are tried for a sibling that the message names."""
_MAX_LEVELS_UP = 3
"""Siblings that a message names are looked for in at most this many structs, from the parent of the path upwards."""
_MAX_ITEMS, _MAX_CHARACTERS = 50, 5000
"""Lists and strings are lengthened only to fewer than this."""
_STRING_KINDS = ("string", "int-or-string")
_EMPTY: dict[str, Json] = {"struct": {}, "map": {}, "list": [], "string": "", "bytes": ""}
_PREFIX = re.compile(r"prefix:? [\"'`]?([^\s\"'`]+)")
_FIELD_IN_DECODE_ERROR = re.compile(r"(?:field|field name) \"?(?:\w+\.)?([\w.\[\]]+)\"?")


def fixes(error: FieldError, obj: Json, shape: Shape, harvest: Harvest) -> Iterator[Edit]:
    """Yield distinct edits that may remove an error, the likeliest first."""
    path, path_shape = resolve_path(error.field, shape)
    seen: set[str] = set()
    for edit in _candidates(error, obj, shape, path, path_shape, harvest):
        key = repr((edit.path, edit.value))
        # The whole object is never removed: an error without a path is fixed by edits inside the object.
        removes_object = not edit.path and edit.value is ABSENT
        if key not in seen and not removes_object and look(obj, edit.path) != edit.value:
            seen.add(key)
            yield edit


def fixes_for_decode_error(message: str, shape: Shape) -> Iterator[Edit]:
    """Yield the removal of each field that the message of a decoder names."""
    for field in _FIELD_IN_DECODE_ERROR.findall(message):
        path, _ = resolve_path(field, shape)
        if path:
            yield Edit(path, ABSENT)


def _candidates(
    error: FieldError, obj: Json, root: Shape, path: JsonPath, shape: Shape, harvest: Harvest
) -> Iterator[Edit]:
    value = look(obj, path)
    is_absent = value is ABSENT or value is None
    if error.type == ErrorType.FORBIDDEN:
        yield Edit(path, ABSENT)
        yield from _edit_named_siblings(error.detail, obj, root, path)
    elif error.type == ErrorType.DUPLICATE:
        yield from _make_distinct(value, path)
    elif error.type in (ErrorType.TOO_MANY, ErrorType.TOO_LONG):
        yield from _shorten(error.detail, value, path)
    elif error.type in (ErrorType.TOO_FEW, ErrorType.TOO_SHORT):
        yield from _lengthen(error.detail, value, path, shape)
    elif error.type == ErrorType.NOT_FOUND:
        yield from _add_named_entry(obj, root, path, value)
    elif error.type in (ErrorType.REQUIRED, ErrorType.INVALID):
        if "empty" in error.detail and shape.kind in _EMPTY:
            yield Edit(path, _EMPTY[shape.kind])
        for prefix in _PREFIX.findall(error.detail):
            yield Edit(path, prefix + "a")
        yield from _equate_with_named_paths(error.detail, obj, root, path, shape)
        yield from _add_named_members(error.detail, obj, root, path)
        if is_absent:
            yield from _add_value(error.detail, path, root, shape, harvest)
    yield from _replace_value(error, obj, root, path, shape, value, harvest)
    yield from _edit_named_siblings(error.detail, obj, root, path)
    yield from _edit_members(path, shape, value)
    if not is_absent:
        yield Edit(path, ABSENT)
    yield from _edit_ancestors(obj, root, path)


def _equate_with_named_paths(detail: str, obj: Json, root: Shape, path: JsonPath, shape: Shape) -> Iterator[Edit]:
    """Copy the value of a path that the message names to the path of the error, then the other way round.

    For rules that require two fields to be equal.
    """
    value = look(obj, path)
    for field in paths_of(detail):
        named_path, named_shape = resolve_path(field, root)
        if named_path == path or named_shape.kind != shape.kind:
            continue
        yield Edit(path, look(obj, named_path))
        if value is not ABSENT and value is not None:
            yield Edit(named_path, value)


def _add_value(detail: str, path: JsonPath, root: Shape, shape: Shape, harvest: Harvest) -> Iterator[Edit]:
    """Add a value at a path that is absent."""
    member = member_at(root, path)
    yield from _values_of_examples(path, harvest)
    for word in (*_values_from_message(detail), *numbers_of(detail), *_literals_near_field(path, shape, harvest)):
        if fits(word, shape):
            yield Edit(path, word)
    if member is not None:
        for value in alternatives(member):
            yield Edit(path, value)
    elif path:
        for sibling in shape_at(root, path[:-1]).fields:
            if sibling.shape.kind == "map":  # `resources[storage]` means a key of one of the maps in `resources`
                yield Edit((*path[:-1], sibling.name, path[-1]), sparse_value(sibling.shape.elem))
        yield Edit(path, sparse_value(shape))


def _replace_value(
    error: FieldError, obj: Json, root: Shape, path: JsonPath, shape: Shape, value: Json, harvest: Harvest
) -> Iterator[Edit]:
    """Replace a wrong value by one from examples, the message, the Go source, other paths, or common values."""
    if path:
        yield from _values_of_examples(path, harvest)
    if not path or shape.kind in ("struct", "list"):
        yield from _values_of_other_paths(obj, root, path, shape)
        return
    for word in _values_from_message(error.detail):
        if fits(word, shape):
            yield Edit(path, word)
    if shape.kind in ("int", "int-or-string", "float"):
        for number in numbers_of(error.detail):
            yield from (Edit(path, near) for near in (number, number + 1, number - 1) if fits(near, shape))
    for choice in shape.choices:
        yield Edit(path, choice)
    for literal in _literals_near_field(path, shape, harvest):
        if fits(literal, shape):
            yield Edit(path, literal)
    yield from _values_of_other_paths(obj, root, path, shape)
    member = member_at(root, path)
    if member is not None:
        yield from (Edit(path, hint) for hint in member.hints if fits(hint, shape))
    if shape.kind == "map":
        yield Edit(path, {})
        yield from _replace_keys(error.detail, path, shape, value)
    if shape.kind == "string" and isinstance(value, str) and len(value) > 1:
        yield Edit(path, value.lower())
    for common in common_values(shape):
        yield Edit(path, common)
    for word in (*_literals_of_other_fields(shape, harvest), *tuple(harvest.words)[-_MAX_RECENT_WORDS:]):
        if fits(word, shape):
            yield Edit(path, word)


def _values_of_examples(path: JsonPath, harvest: Harvest) -> Iterator[Edit]:
    """Copy the value at the same path of each of the user's examples."""
    for example in harvest.examples[:_MAX_OTHER_CANDIDATES]:
        value = look(example, path)
        if value is not ABSENT and value is not None:
            yield Edit(path, value)


def _values_from_message(detail: str) -> Iterator[str]:
    """Yield the values that a message quotes, then strings matching the regexes it quotes."""
    yield from words_of(detail)
    for pattern in patterns_of(detail)[:_MAX_NEAR_CANDIDATES]:
        yield from matching_strings(pattern)[:1]


def _literals_near_field(path: JsonPath, shape: Shape, harvest: Harvest) -> Iterator[Json]:
    """Yield literals from the Go source near the field's name or its type: strings matching regexes, words, numbers."""
    names = tuple(part for part in path if isinstance(part, str))[-1:]
    type_name = shape.type.rpartition(".")[2] if "." in shape.type else ""
    names = (*names, type_name) if type_name else names
    if shape.kind in _STRING_KINDS:
        near = harvest.literals.patterns_near(names)[:_MAX_NEAR_CANDIDATES]
        every = harvest.literals.expressions
        for pattern in dict.fromkeys((*near, *(every if len(every) <= _MAX_PATTERNS_FOR_EVERY_FIELD else ()))):
            yield from matching_strings(pattern)[:1]
    fitting = (literal for literal in harvest.literals.near(names) if fits(literal, shape))
    yield from islice(fitting, _MAX_NEAR_CANDIDATES)


def _literals_of_other_fields(shape: Shape, harvest: Harvest) -> Iterator[Json]:
    """Yield literals from anywhere in the Go source: a check need not be named after the field that it validates."""
    if shape.kind not in _STRING_KINDS:
        return
    patterns = harvest.literals.expressions[:_MAX_OTHER_CANDIDATES]
    yield from (text for pattern in patterns for text in matching_strings(pattern)[:2])
    yield from harvest.literals.words[:_MAX_OTHER_CANDIDATES]


def _replace_keys(detail: str, path: JsonPath, shape: Shape, value: Json) -> Iterator[Edit]:
    """Replace a map by one with a single entry, whose key is quoted by the message or common."""
    entry = next(iter(value.values()), None) if isinstance(value, dict) else None
    entry = small_value(shape.elem) if entry is None else entry
    for key in (*words_of(detail), *(str(choice) for choice in common_values(shape.key))):
        yield Edit(path, {key: entry})


def _values_of_other_paths(obj: Json, root: Shape, path: JsonPath, shape: Shape) -> Iterator[Edit]:
    """Copy values of the same type from other paths: labels that a selector must match, names that are referred to."""
    if shape.kind not in ("string", "map", "struct"):
        return
    copied = 0
    for other_path, other_shape, value in walk_paths(obj, root):
        if other_shape.kind == shape.kind and other_path != path and other_path[: len(path)] != path:
            is_struct = shape.kind == "struct"
            is_same = other_shape.type == shape.type if is_struct else other_shape.elem.kind == shape.elem.kind
            if is_same and value and copied < _MAX_VALUES_OF_OTHER_PATHS:
                copied += 1
                yield Edit(path, value)


def _add_named_members(detail: str, obj: Json, root: Shape, path: JsonPath) -> Iterator[Edit]:
    """Add members that the message names, at the path, its parent, or inside: `must specify one of: "a", "b"`."""
    names = (*words_of(detail), *sorted(names_of(detail)))
    inner = [found for found, shape, _ in walk_paths(look(obj, path), shape_at(root, path), path) if _is_struct(shape)]
    for struct_path in (path, path[:-1], *inner[:_MAX_INNER_STRUCTS]):
        shape = shape_at(root, struct_path)
        for name in names:
            member = shape.by_name.get(name) if _is_struct(shape) else None
            if member is not None and look(obj, (*struct_path, name)) in (ABSENT, None):
                yield Edit((*struct_path, name), sparse_value(member.shape))
                yield Edit((*struct_path, name), small_value(member.shape))


def _add_named_entry(obj: Json, root: Shape, path: JsonPath, name: Json) -> Iterator[Edit]:
    """Add an entry with the key that a value names to each map of structs around its path, the nearest first.

    Such a map is a list of things with names. In one of texts or quantities little is looked for by its key: with these
    tried as well, a pod grew a fifth fewer fields in the same number of cases.
    """
    if not name or not isinstance(name, str):
        return
    for depth in range(len(path) - 1, 0, -1):
        for member in shape_at(root, path[:depth]).fields:
            if member.shape.kind == "map" and _is_struct(member.shape.elem) and member.name != path[depth]:
                yield Edit((*path[:depth], member.name, name), sparse_value(member.shape.elem))
                yield Edit((*path[:depth], member.name, name), small_value(member.shape.elem))


def _is_struct(shape: Shape) -> bool:
    return shape.kind == "struct"


def _edit_named_siblings(detail: str, obj: Json, root: Shape, path: JsonPath) -> Iterator[Edit]:
    """Remove present siblings that the message names, and give them other values."""
    names = sorted(names_of(detail))
    for depth in range(len(path) - 1, max(-1, len(path) - 1 - _MAX_LEVELS_UP), -1):
        shape = shape_at(root, path[:depth])
        for name in names if _is_struct(shape) else ():
            member = shape.by_name.get(name)
            if member is None:
                continue
            sibling_path = (*path[:depth], name)
            if look(obj, sibling_path) not in (ABSENT, None):
                yield Edit(sibling_path, ABSENT)
            for value in (sparse_value(member.shape), *common_values(member.shape)[:_MAX_SIBLING_VALUES]):
                yield Edit(sibling_path, value)


def _edit_members(path: JsonPath, shape: Shape, value: Json) -> Iterator[Edit]:
    """Add each absent member of a wrong struct, or remove each present one; remove or add items of a wrong list."""
    if shape.kind == "struct" and (isinstance(value, dict) or value is ABSENT or value is None):
        present = value if isinstance(value, dict) else {}
        for member in shape.fields:
            if member.name not in present:
                yield Edit((*path, member.name), sparse_value(member.shape))
        for name in present:
            if len(present) > 1:
                yield Edit((*path, name), ABSENT)
        for member in shape.fields:
            if member.name not in present and member.shape.kind in ("struct", "list", "map", "string"):
                values = islice(alternatives(member), _MAX_MEMBER_VALUES)
                yield from (Edit((*path, member.name), member_value) for member_value in values)
    elif shape.kind == "list":
        count = len(value) if isinstance(value, list) else 0
        if count == 0:
            yield Edit(path, [sparse_value(shape.elem)])
            yield from (Edit(path, [item]) for item in common_values(shape.elem)[:_MAX_OTHER_CANDIDATES])
        elif count > 1:
            yield from (Edit((*path, index), ABSENT) for index in range(count))
        yield Edit(path, [])


def _make_distinct(value: Json, path: JsonPath) -> Iterator[Edit]:
    """Remove the innermost list item that holds a duplicate, or change the duplicate string."""
    index = max((position for position, part in enumerate(path) if isinstance(part, int)), default=None)
    if index is not None:
        yield Edit(path[: index + 1], ABSENT)
    if isinstance(value, str):
        yield from (Edit(path, value + suffix) for suffix in ("b", "2"))


def _shorten(detail: str, value: Json, path: JsonPath) -> Iterator[Edit]:
    """Shorten a string, list or map to the numbers that the message names, then to one and to none."""
    limits = [*numbers_of(detail), 1, 0]
    if isinstance(value, str | list):
        yield from (Edit(path, value[:limit]) for limit in limits if 0 <= limit < len(value))
    if isinstance(value, dict):
        yield from (Edit(path, dict(list(value.items())[:limit])) for limit in limits if 0 <= limit < len(value))


def _lengthen(detail: str, value: Json, path: JsonPath, shape: Shape) -> Iterator[Edit]:
    """Lengthen a string or list to the numbers that the message names, then to one and to two."""
    for count in (*numbers_of(detail), 1, 2):
        if shape.kind == "list" and 0 < count < _MAX_ITEMS:
            items = list(value) if isinstance(value, list) else []
            extra = [*common_values(shape.elem)[:count], *[sparse_value(shape.elem)] * count]
            yield Edit(path, (items + extra)[:count])
        if shape.kind == "string" and 0 < count < _MAX_CHARACTERS:
            yield Edit(path, (value if isinstance(value, str) else "").ljust(count, "a"))


def _edit_ancestors(obj: Json, root: Shape, path: JsonPath) -> Iterator[Edit]:
    """Add absent siblings and remove parents, as the last resort."""
    for depth in range(len(path) - 1, 0, -1):
        parent_path, parent_shape = path[:depth], shape_at(root, path[:depth])
        if _is_struct(parent_shape) and depth >= len(path) - 2:
            parent = look(obj, parent_path)
            for member in parent_shape.fields:
                if not isinstance(parent, dict) or member.name not in parent:
                    yield Edit((*parent_path, member.name), sparse_value(member.shape))
        yield Edit(parent_path, ABSENT)


def fix_all(errors: Iterable[FieldError], obj: Json, shape: Shape, harvest: Harvest) -> list[Edit]:
    """Return the likeliest fix of every error, without those whose paths contain one another.

    At most the first `MAX_ERRORS` errors are fixed, because finding a fix takes longer the larger the object is.
    """
    chosen: dict[JsonPath, Edit] = {}
    containing: set[JsonPath] = set()  # the paths that contain the path of a chosen fix
    for error in islice(errors, MAX_ERRORS):
        fix = next(fixes(error, obj, shape, harvest), None)
        if fix is None or fix.path in containing or any(prefix in chosen for prefix in _prefixes(fix.path)):
            continue
        chosen[fix.path] = fix
        containing.update(_prefixes(fix.path))
    return later_first(chosen.values())


def _prefixes(path: JsonPath) -> Iterator[JsonPath]:
    """Yield the paths that contain a path, the root and the path itself included."""
    return (path[:depth] for depth in range(len(path) + 1))
