"""Compares the defaults of a release's Go code with its `+default` tags and its published OpenAPI.

    python -m tests.conformance.defaults --kubernetes 1.37.1

Each kind is asked with an object in which every struct is there and empty. What the release validates then has the
defaults of its Go code; conditions on other members are not looked for.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import click
import msgspec

from harness.case import Case, Operation
from harness.gotypes.model import Struct, TypeRef
from harness.objectmodel import METADATA, SPECIAL_TYPES, is_object_meta, is_type_meta
from harness.subject.api import open_api
from harness.subject.defaults import defaults_of
from harness.subject.generators import Published
from harness.subject.opening import open_subject
from harness.subject.spec import SubjectSpec
from harness.tags.types import Types

NOTHING = object()
_ZERO: tuple[Any, ...] = ("", 0, False, None)


class Place(NamedTuple):
    """A member that someone gives a default: the Go type without its version, and the member."""

    type: str
    member: str


class Defaults(NamedTuple):
    """The values of one member by who says them; NOTHING where nobody does."""

    go: Any
    tags: Any
    published: Any


def skeleton(types: Types, ref: TypeRef, around: tuple[str, ...] = ()) -> Any:
    """Return a value in which every struct is there, each type once on the way."""
    ref = types.declared(ref)
    while ref.kind == "pointer" and ref.elem is not None:
        ref = types.declared(ref.elem)
    if ref.kind == "list" and ref.elem is not None:
        item = skeleton(types, ref.elem, around)
        return NOTHING if item is NOTHING else [item]
    struct = types.struct(ref) if ref.kind == "named" and ref.name not in SPECIAL_TYPES else None
    if struct is None or struct.qualified in around:
        return NOTHING
    made: dict[str, Any] = {}
    for member in struct.fields:
        if member.json_ignored or is_type_meta(member.type.name) or (not around and member.json_name == METADATA):
            continue
        below = skeleton(types, member.type, (*around, struct.qualified))
        if member.inline or not member.json_name:
            made.update(below if isinstance(below, dict) else {})
        elif below is not NOTHING:
            made[member.json_name] = below
    return made


def leaves(types: Types, ref: TypeRef, values: tuple[Any, Any], schema: Any, published: Published) -> Iterator[Any]:
    """Yield each member that an object before, or one after, or the schema has a value for: its place and these."""
    ref = types.value(ref)
    schema = published.resolve(schema or {})
    if ref.kind == "list" and ref.elem is not None:
        pairs = zip(*(one if isinstance(one, list) else [] for one in values), strict=False)
        for pair in pairs:
            yield from leaves(types, ref.elem, pair, schema.get("items"), published)
    struct = types.struct(ref) if ref.kind == "named" and ref.name not in SPECIAL_TYPES else None
    if struct is None or not all(isinstance(one, dict) for one in values):
        return
    yield from _members(types, struct, values, schema, published)


def _members(
    types: Types, struct: Struct, values: tuple[Any, Any], schema: Mapping[str, Any], published: Published
) -> Iterator[Any]:
    for member in struct.fields:
        if is_type_meta(member.type.name) or is_object_meta(member.type.name):
            continue
        if member.inline or not member.json_name:
            yield from leaves(types, member.type, values, schema, published)
            continue
        go, tags = (one.get(member.json_name, NOTHING) for one in values)
        below = published.resolve(schema.get("properties", {}).get(member.json_name, {}))
        said = below.get("default", NOTHING)
        if isinstance(go, list) and len(go) != len(tags if isinstance(tags, list) else go):
            continue  # a list that the server makes anew
        if isinstance(go, dict | list) and isinstance(tags, dict | list):
            yield from leaves(types, member.type, (go, tags), below, published)
        elif not (isinstance(tags, dict | list) and _real(go) is NOTHING):  # reset by the server
            yield Place(struct.qualified, member.json_name), Defaults(_real(go), _real(tags), _real(said))


def _real(value: Any) -> Any:
    """Return a default that is not the zero value, which Go has without one and OpenAPI says of every member."""
    if value is NOTHING or (isinstance(value, dict | list) and not value) or value in _ZERO:
        return NOTHING
    return value


def compare(kubernetes: str) -> dict[Place, Defaults]:
    """Return every member with a default of the kinds of a release."""
    api, published = open_api(kubernetes=kubernetes), Published(kubernetes)
    types = Types(api.universe)
    found: dict[Place, Defaults] = {}
    with open_subject(SubjectSpec("kubernetes", kubernetes), lambda text: None) as subject:
        kinds = {info.type: info for info in subject.target.info.kinds if not info.subresource and info.type}
        names = [(name.rpartition(".")[0], name.rpartition(".")[2]) for name in kinds]
        schemas = published.roots(api, [one for one in names if one[0] in {p.path for p in api.packages}])
        for name, info in kinds.items():
            header = {"apiVersion": f"{info.group}/{info.version}".lstrip("/"), "kind": info.kind}
            given = {**header, METADATA: {"name": "a"}, **skeleton(types, TypeRef("named", name))}
            setting = defaults_of(api.universe, name)
            tagged = given if setting is None else setting(given)
            case = Case(0, info.group, info.version, info.kind, Operation.CREATE, given, None, info.resource)
            (answer,) = subject.target.ask([msgspec.structs.replace(case, validated=True)])
            after = answer.validated.get(info.version)
            if after is None:
                click.echo(f"{name}: {answer.failure}")
                continue
            for place, values in leaves(
                types, TypeRef("named", name), (after.object, tagged), schemas.get(name), published
            ):
                if any(one is not NOTHING for one in values):
                    found.setdefault(place, values)
    return found


def main() -> None:
    """Print a table, and each member that the three do not say alike."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kubernetes", default="1.37.1")
    found = compare(parser.parse_args().kubernetes)
    classes: dict[str, list[str]] = defaultdict(list)
    for place, (go, tags, said) in sorted(found.items()):
        alike = {"Go": go is not NOTHING, "+default": tags is not NOTHING, "OpenAPI": said is not NOTHING}
        values = [one for one in (go, tags, said) if one is not NOTHING]
        name = ", ".join(who for who, says in alike.items() if says)
        if any(one != values[0] for one in values):
            name += ", not alike"
        shown = " | ".join("-" if one is NOTHING else repr(one)[:60] for one in (go, tags, said))
        classes[name].append(f"    {place.type}.{place.member}: {shown}")
    for name, lines in sorted(classes.items()):
        click.echo(f"{len(lines):4} {name}")
        click.echo("\n".join(lines))
    click.echo(f"{len(found)} members; {dict(Counter({name: len(lines) for name, lines in classes.items()}))}")


if __name__ == "__main__":
    main()
