"""Compares custom resources judged in Python with the API server's own code, on objects drawn from their schemas.

    python -m tests.pyschemas.crd_conformance --cases 100000 FILE...

Verdict, and type and path of each error, have to be the same. Each difference is printed once for each class.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from harness.case import Case, Operation
from harness.jsonpath import put, remove
from harness.pyschemas.crds.definition import read_resource
from harness.pyschemas.crds.dialect import literals_of
from harness.pyschemas.crds.resource import Judge
from harness.pyschemas.crds.values import UNUSABLE, to_cel
from harness.subject.definitions import read_definitions
from harness.targets.crd.target import CrdTarget, refusals

BATCH = 200
_WORDS = (
    "", "a", "A", "example.com", "-", "a-b", "1", "0", "10Gi", "5m", "1h", "10.0.0.1", "10.0.0.0/24", "::1",
    "fe80::/10", "https://example.com/a?b=c", "/a", "//", "2024-01-01T00:00:00Z", "2024-01-01", "é", "😀", "x" * 64,
    "x" * 254, "1.2.3", "v1.02", "1.0.0-rc.1+b", "1.9", "v1", "b", "b.c.d.e", "ab", "abc", "50%", "100m", "1Ki",
    "2Ki", "1e3", "-1", "1.5Gi", "127.0.0.1", "10.0.0.1/24", "10.0.0.0/33", "::ffff:1.2.3.4", "2001:DB8::1",
    "fe80::1%eth0", "1::/64", "0.0.0.0", "http://a:80/b", "https://a", "https://[::1]:443/", "mailto:a@b",
    "a@b.example", "A <a@b.example>", "a..b@c", "#fff", "rgb(1,2,3)", "rgb(1, 2, 300)", "123-45-6789", "0321751043",
    "978-0321751041", "4111111111111111", "00:1a:2b:3c:4d:5e", "001a.2b3c.4d5e",
    "123e4567-e89b-12d3-a456-426614174000", "123E4567E89B32D3A456426614174000", "1h30m", "1 day", "-5m",
    "123e4567-e89b-42d3-a456-426614174000", "2024-02-30", "2024-01-01t00:00:00.1z", "2024-01-01T24:00:00Z",
    "0000-01-01", "2024-01-01T00:00:00+02:00", "507f1f77bcf86cd799439011", "aGk", "aGk_", "1d", "300s", "0", "1.5h",
    "a.b.c", "a-", "A.B", "localhost", "é.com", "https://a/%zz", "/a?b#c", "//a/b", "1:2", "a:b", "https://a b/c",
    "0x10", "+1", ".5", "5.", "TCP", "*", "true", "a b", "$(A)", "010.1.1.1", "aGk=", "=", "a\n", "22 ms",
)  # fmt: skip
_NUMBERS = (0, 1, -1, 2, 7, 80, 443, 65535, 65536, 1 << 31, -(1 << 31), 1 << 62, 1.0, 1.5, -0.5)
_FOREIGN: tuple[Any, ...] = (None, True, "a", 1, 1.5, [], {}, [None], {"a": 1}, ["a"], [{}])


class Difference(NamedTuple):
    """One object about which the two do not agree."""

    kind: str
    mine: tuple[Any, ...]
    theirs: tuple[Any, ...]
    new: Any
    old: Any
    is_unreadable: bool


class Drawing:
    """Objects of one kind: at first as small as the schema allows, then with edits of members that it knows."""

    def __init__(self, judge: Judge, schema: Mapping[str, Any], seed: int) -> None:
        self._judge, self._schema = judge, schema
        self._random = random.Random(seed)
        self._words = list(dict.fromkeys([*_all_literals(schema), *_WORDS]))
        self._good: list[Any] = []

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield new and old objects without end; old is None for a create."""
        while True:
            new = self._object()
            old = None
            if self._good and self._random.random() < 0.4:
                old = self._random.choice(self._good) if self._random.random() < 0.7 else self._object()
                new = self._edited(old, self._random.choice((0, 1, 1, 2, 3)))
            yield new, old

    def _object(self) -> Any:
        base = deepcopy(self._random.choice(self._good)) if self._good and self._random.random() < 0.8 else None
        made = self._draw(self._schema, 0) if base is None else self._edited(base, self._random.choice((1, 1, 2, 4)))
        resource = self._judge.resource
        made = made if isinstance(made, dict) else {}
        made |= {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": "a"}}
        if len(self._good) < 400 and not self._judge.errors(made):
            self._good.append(made)
        return made

    def _edited(self, obj: Any, count: int) -> Any:
        for _ in range(count):
            places = [
                one for one in _places(obj, self._schema, ()) if one[0] and one[0][0] in ("spec", "status", "data")
            ]
            if not places:
                return obj
            path, schema = self._random.choice(places)
            chance = self._random.random()
            try:
                if chance < 0.25:
                    obj = remove(obj, path)
                elif chance < 0.4:
                    obj = put(obj, path, self._random.choice(_FOREIGN))
                else:
                    obj = put(obj, path, self._draw(schema, len(path)))
            except (KeyError, IndexError, TypeError, ValueError):
                continue
        return obj

    def _draw(self, schema: Mapping[str, Any], depth: int) -> Any:
        pick = self._random
        if schema.get("default") is not None and pick.random() < 0.1:
            return deepcopy(schema["default"])
        if schema.get("enum") and pick.random() < 0.9:
            return pick.choice(schema["enum"])
        if schema.get("x-kubernetes-int-or-string"):
            return pick.choice([*_NUMBERS, *self._words])
        match schema.get("type"):
            case "object":
                return self._draw_map(schema, depth)
            case "array":
                size = pick.choice((0, 1, 1, 2, 3, schema.get("maxItems", 2) + pick.choice((0, 1))))
                items = [self._draw(schema["items"], depth + 1) for _ in range(min(size, 20))]
                return [*items, deepcopy(items[0])] if items and pick.random() < 0.1 else items
            case "string":
                sizes = [one for one in (schema.get("maxLength"), schema.get("minLength")) if one is not None]
                if sizes and pick.random() < 0.15:
                    return pick.choice("aé") * min(3000, max(0, pick.choice(sizes) + pick.choice((-1, 0, 1))))
                return pick.choice([one for one in self._words if isinstance(one, str)])
            case "integer" | "number":
                limits = [one for one in (schema.get("minimum"), schema.get("maximum")) if one is not None]
                if limits and pick.random() < 0.6:
                    return pick.choice(limits) + pick.choice((-1, 0, 0, 1))
                return pick.choice([*_NUMBERS, *(one for one in self._words if isinstance(one, int))])
            case "boolean":
                return pick.random() < 0.5
        return pick.choice(_FOREIGN)

    def _draw_map(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        pick = self._random
        required = schema.get("required") or ()
        share = 0.5 if depth < 2 else 0.25
        known = {
            name: self._draw(one, depth + 1) for name, one in (schema.get("properties") or {}).items()
            if name not in ("apiVersion", "kind", "metadata") and (name in required or pick.random() < share)
        }  # fmt: skip
        others = schema.get("additionalProperties")
        if isinstance(others, dict):
            texts = [one for one in self._words if isinstance(one, str) and "\n" not in one and one]
            known |= {pick.choice(texts): self._draw(others, depth + 1) for _ in range(pick.choice((0, 1, 2)))}
        if pick.random() < 0.03 or schema.get("x-kubernetes-preserve-unknown-fields"):
            known["unknown"] = pick.choice(_FOREIGN)
        return known


def _all_literals(schema: Any) -> Iterator[Any]:
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name == "x-kubernetes-validations":
                for rule in value:
                    yield from literals_of(rule["rule"])
            elif name not in ("description", "pattern"):
                yield from _all_literals(value)


def _places(value: Any, schema: Mapping[str, Any], path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if path:
        yield path, schema
    if isinstance(value, dict):
        for name, below in (schema.get("properties") or {}).items():
            yield from _places(value[name], below, (*path, name)) if name in value else [((*path, name), below)]
        others = schema.get("additionalProperties")
        if isinstance(others, dict):
            for name in value:
                yield from _places(value[name], others, (*path, name))
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        for at, one in enumerate(value):
            yield from _places(one, schema["items"], (*path, at))


def compare(files: Sequence[str], cases: int, seed: int = 1) -> tuple[int, list[Difference], Counter[str]]:
    """Ask both about objects of every kind; return how many were asked, the differences, and what was seen."""
    definitions = [one for file in files for one in read_definitions(file)]
    seen: Counter[str] = Counter()
    differences: list[Difference] = []
    asked = 0
    with CrdTarget([one.document for one in definitions], "server") as server:
        refused = [f"{one.field} {one.reason}" for one in refusals(server.info)]
        if refused:
            raise SystemExit("\n".join(refused))
        names = {(kind.group, kind.version, kind.kind): kind for kind in server.info.kinds if not kind.subresource}
        for definition in definitions:
            for version, _ in definition.schemas():
                resource = read_resource(definition.file, version, Path())
                judge = Judge(resource)
                info = names[resource.group, version, resource.kind]
                drawn = Drawing(judge, resource.schema, seed).pairs()
                for _ in range(0, max(1, cases // sum(len(list(one.schemas())) for one in definitions)), BATCH):
                    batch = [next(drawn) for _ in range(BATCH)]
                    told = server.ask([_case(info, at, new, old) for at, (new, old) in enumerate(batch)])
                    asked += len(batch)
                    for (new, old), answer in zip(batch, told, strict=True):
                        mine = _mine(judge, new, old)
                        theirs = _theirs(answer)
                        seen["accepted" if not theirs else "rejected"] += 1
                        seen["updates" if old is not None else "creates"] += 1
                        seen.update(f"{type} {'' if path != '' else 'of the object'}".strip() for type, path in theirs)
                        if mine != theirs:
                            unreadable = any(
                                _is_unreadable(to_cel(judge.decode(one), judge.root)) for one in (new, old)
                            )
                            differences.append(Difference(resource.kind, mine, theirs, new, old, unreadable))
    return asked, differences, seen


def explain(one: Difference) -> str:
    """Return the class of a difference that is known (docs/explanation/crds-in-python.md), empty for any other."""
    lost, more = set(one.theirs) - set(one.mine), set(one.mine) - set(one.theirs)
    if lost and not more and one.is_unreadable and all(type == "Invalid" for type, _ in lost):
        return "a rule compares a value of another type with == or !=, or asks has() of it"
    return ""


def _is_unreadable(seen: Any) -> bool:
    """Whether rules see a value that has another type than its schema."""
    if seen == UNUSABLE:
        return True
    return isinstance(seen, dict | list) and any(map(_is_unreadable, seen.values() if isinstance(seen, dict) else seen))


def _case(info: Any, id: int, new: Any, old: Any) -> Case:
    operation = Operation.CREATE if old is None else Operation.UPDATE
    return Case(id, info.group, info.version, info.kind, operation, new, old, info.resource)


def _mine(judge: Judge, new: Any, old: Any) -> tuple[Any, ...]:
    errors = judge.errors(new, old)
    if any(one.detail == "cannot be decoded" for one in errors):
        return (("decode", ""),)
    return tuple(sorted({(one.type.removeprefix("FieldValue"), one.field) for one in errors}))


def _theirs(answer: Any) -> tuple[Any, ...]:
    if answer.failure is not None:
        return (("decode", ""),) if answer.failure.stage == "decode" else (("panic", answer.failure.message),)
    return tuple(sorted({(one.type.removeprefix("FieldValue"), one.field) for one in answer.declarative}))


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shown", type=int, default=12, help="how many classes of differences are printed")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    asked, differences, seen = compare(options.files, options.cases, options.seed)
    known = Counter(filter(None, map(explain, differences)))
    differences = [one for one in differences if not explain(one)]
    classes: dict[Any, list[Difference]] = {}
    for one in differences:
        key = one.kind, tuple(set(one.mine) - set(one.theirs))[:1], tuple(set(one.theirs) - set(one.mine))[:1]
        classes.setdefault(key, []).append(one)
    sys.stdout.write("".join(f"  {count:>8,} explained: {name}\n" for name, count in known.items()))
    verdicts = sum(bool(one.mine) != bool(one.theirs) for one in differences)
    sys.stdout.write(f"{asked:,} objects, {len(differences):,} not explained, {verdicts:,} of the verdict\n")
    sys.stdout.write("".join(f"  {count:>8,} {name}\n" for name, count in seen.most_common()))
    for key, found in sorted(classes.items(), key=lambda one: -len(one[1]))[: options.shown]:
        least = min(found, key=lambda one: len(json.dumps(one.new)) + len(json.dumps(one.old)))
        sys.stdout.write(f"{len(found)} x {key}\n  python {least.mine}\n  server {least.theirs}\n")
        sys.stdout.write(f"  new {json.dumps(least.new)}\n  old {json.dumps(least.old)}\n")
    return 1 if differences else 0


if __name__ == "__main__":
    raise SystemExit(main())
