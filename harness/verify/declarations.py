"""Compares the Go types of base and head: fields, their JSON names and types, tags, constants, and doc.go.

Types are matched by package and name, so moving or splitting a file within its package is not a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from harness.diagnostics import Position
from harness.gotypes.model import Comments, Const, Package, Struct, Typedef, TypeRef
from harness.gotypes.packages import Universe
from harness.lint.build import tags_of
from harness.tags.families.levels import LEVELS
from harness.tags.grammar import Tag, tag_lines
from harness.verify.change import Event, Reason
from harness.verify.collector import TouchCollector
from harness.verify.sides import Side

_RANKS = {"alpha": 0, "beta": 1, "": 2}


@dataclass(frozen=True, slots=True)
class Declared:
    """A type or a field as base or head declares it; `shape` is its type, JSON name, options and constants, as text."""

    tags: tuple[str, ...]
    position: Position
    shape: str
    comments: Comments


def validation_tags(comments: Comments) -> tuple[str, ...]:
    """Return the tags that affect validation, as written."""
    return tuple(line.text.rstrip() for line in tag_lines(comments) if _is_validation_tag(line.name))


def _is_validation_tag(name: str) -> bool:
    return (name.startswith("k8s:") and "-gen" not in name) or name == "default"


def members_of(package: Package) -> dict[tuple[str, str], Declared]:
    """Return the types of a package, under an empty field name, and their fields."""
    found: dict[tuple[str, str], Declared] = {}
    consts = _constants(package)
    for struct in package.structs.values():
        found[struct.name, ""] = _type(struct, "struct", consts)
        for one in struct.fields:
            shape = f"{_text(one.type)} {one.json_name} {' '.join(one.options)}"
            found[struct.name, one.name] = Declared(validation_tags(one.comments), one.position, shape, one.comments)
    for typedef in package.typedefs.values():
        found[typedef.name, ""] = _type(typedef, ("= " if typedef.alias else "") + _text(typedef.underlying), consts)
    return found


def _type(declared: Struct | Typedef, shape: str, consts: dict[str, str]) -> Declared:
    comments = (*declared.second_comments, *declared.comments)
    values = consts.get(declared.qualified, "")
    return Declared(validation_tags(comments), declared.position, f"{shape} {values}".rstrip(), comments)


def _constants(package: Package) -> dict[str, str]:
    """Return the constants of each type, with their values and tags, as text."""
    found: dict[str, list[str]] = {}
    for const in package.consts:
        found.setdefault(const.type, []).append(_const(const))
    return {name: "; ".join(sorted(values)) for name, values in found.items() if name}


def _const(const: Const) -> str:
    tags = " ".join(validation_tags(const.comments))
    return f"{const.value!r}" + (f" {tags}" if tags else "")


def _text(ref: TypeRef) -> str:
    """Format a type without positions and comments."""
    if ref.kind == "struct":
        return "struct{" + "; ".join(f"{one.name} {_text(one.type)} {one.json_name}" for one in ref.fields) + "}"
    if ref.elem is not None:
        inner = _text(ref.elem)
        prefix = {"pointer": "*", "list": "[]", "array": "[n]"}.get(ref.kind)
        return f"{prefix}{inner}" if prefix else f"map[{_text(ref.key) if ref.key else ''}]{inner}"
    return ref.name or ref.kind


def compare_packages(base: Side, head: Side, paths: Iterable[str], collector: TouchCollector) -> None:
    """Compare packages of types by import path."""
    for path in paths:
        before, after = package_or_none(base.universe, path), package_or_none(head.universe, path)
        old, new = members_of(before) if before else {}, members_of(after) if after else {}
        for name in sorted(old.keys() | new.keys()):
            for reason in _reasons(".".join(filter(None, name)), old.get(name), new.get(name)):
                side = base if reason.in_base else head
                collector.touch_field(
                    (f"{path}.{name[0]}", name[1]), replace(reason, position=side.place(reason.position))
                )


def package_or_none(universe: Universe, path: str) -> Package | None:
    """Return a package; None when the universe does not contain it."""
    return universe.package(path) if path in universe.paths else None


def compare_generator_tags(base: Side, head: Side, collector: TouchCollector) -> None:
    """Compare the generator tags of doc.go, which select the types that get validators."""
    for path in sorted(base.packages.keys() | head.packages.keys()):
        old = base.packages[path][1] if path in base.packages else None
        new = head.packages[path][1] if path in head.packages else None
        if old is not None and new is not None and (old.criteria, old.generates) != (new.criteria, new.generates):
            kinds = [one.name for one in (*base.kinds.values(), *head.kinds.values()) if one.package == path]
            position = _doc_position(head, path)
            orders = f"({', '.join(old.criteria) or 'nothing'} became {', '.join(new.criteria) or 'nothing'})"
            sentence = f"doc.go orders other validators for {path} {orders}"
            collector.touch_kinds(kinds, Reason("tags", "changed", sentence, position))


def _doc_position(side: Side, path: str) -> Position:
    folder = side.generated.get(path)
    return side.place(Position(str(folder / "doc.go"), 1)) if folder else Position(path)


def _reasons(name: str, old: Declared | None, new: Declared | None) -> Iterator[Reason]:
    if old is None and new is not None:
        yield Reason("type", "added", f"{name} is new", new.position)
    elif new is None and old is not None:
        yield Reason("type", "removed", f"{name} is gone", old.position, in_base=True)
    elif old is not None and new is not None:
        if old.shape != new.shape:
            yield Reason("type", "changed", f"{name} was {_cut(old.shape)} and is {_cut(new.shape)}", new.position)
        if old.tags != new.tags:
            yield from tag_reasons(old, new)


def _cut(text: str, most: int = 120) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def tag_reasons(old: Declared, new: Declared) -> Iterator[Reason]:
    """Yield a reason for each tag of a declaration that was added, removed or changed."""
    before, after = _by_rule(old), _by_rule(new)
    removed = [key for key in before if key not in after]
    added = [key for key in after if key not in before]
    for key in [one for one in before if one in after]:
        (old_level, old_text, _), (level, text, position) = before[key], after[key]
        if old_level != level:
            event: Event = "level raised" if _RANKS[level] > _RANKS[old_level] else "level lowered"
            sentence = f"{key} went from {old_level or 'standard'} to {level or 'standard'}"
            yield Reason("tags", event, sentence, position)
        elif old_text != text:
            yield Reason("tags", "changed", f"{old_text} became {text}", position)
    for key in removed:
        counterpart = next((one for one in added if _name(one) == _name(key)), None)
        level, text, position = before[key]
        if counterpart is None:
            yield Reason("tags", "removed", f"{text} is gone", position, in_base=True)
            continue
        added.remove(counterpart)
        new_level, new_text, new_position = after[counterpart]
        yield Reason("tags", "changed", f"{text} became {new_text}", new_position)
        if level != new_level:
            raised: Event = "level raised" if _RANKS[new_level] > _RANKS[level] else "level lowered"
            sentence = f"{_name(key)} went from {level or 'standard'} to {new_level or 'standard'}"
            yield Reason("tags", raised, sentence, new_position)
    for key in added:
        yield Reason("tags", "added", f"{after[key][1]} is new", after[key][2])
    if before.keys() == after.keys() and list(before) != list(after):
        yield Reason("tags", "changed", "the tags stand in another order", new.position)


def _by_rule(declared: Declared) -> dict[str, tuple[str, str, Position]]:
    """Return level, text and position of each tag, by the tag without its level."""
    parsed = {tag.position.line: tag for tag in tags_of(declared.comments)}
    found: dict[str, tuple[str, str, Position]] = {}
    for line in tag_lines(declared.comments):
        if _is_validation_tag(line.name):
            text = line.text.rstrip()
            level, key = _level(parsed[line.position.line]) if line.position.line in parsed else ("", text)
            found[key if key not in found else f"{key} ({len(found)})"] = (level, text, line.position)
    return found


def _level(tag: Tag) -> tuple[str, str]:
    """Split a tag into its level and the rest, at any position of its chain."""
    if tag.name in LEVELS and tag.payload is not None:
        return LEVELS[tag.name], str(tag.payload)
    if tag.payload is not None:
        level, inner = _level(tag.payload)
        return level, str(replace(tag, value=None)) + f"={inner}"
    return "", str(tag)


def _name(key: str) -> str:
    """Return the chain of names of a tag, without its last value: `+k8s:eachVal=+k8s:maxLength`."""
    return "=".join(part.partition("(")[0] for part in key.split("=") if part.startswith("+"))
