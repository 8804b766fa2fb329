"""The inventory of an API: its declared rules, with the facts needed to observe them (limits, paths, arguments).

Reading it compiles every package, so it is cached by the content of the API's files.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec
import platformdirs

from harness.case import Json
from harness.compiler import emissions
from harness.compiler.cache import key_of
from harness.compiler.emissions import DeclaredError, Part
from harness.diagnostics import InputError
from harness.field.facts import Measure
from harness.files import delete_oldest, write_atomically
from harness.rulecov import declared
from harness.rulecov.declared import DeclaredRule, errors_of, rule_of
from harness.subject.api import Api, ApiPackage
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.registry import ALL_SPECS
from harness.tags.rules import Check, Mode
from harness.tags.spec import Criterion


class KnownRule(msgspec.Struct, frozen=True):
    """One rule of a type, with the facts needed to observe it. Rules that declare the same error are merged.

    `type` is the Go type that declares it, `import/path.Name`. `places` are the canonical paths at which its errors are
    reported. `steps` lead to the value that `judge` checks, see `Criterion`. `beyond` is 1 if values above the limit
    are rejected, -1 for values below. `option` is the option that it depends on, with the value that enables it.
    `argument` has the other arguments of its tag.
    """

    rule: DeclaredRule
    type: str
    places: tuple[str, ...]
    steps: tuple[Part, ...]
    judge: Criterion
    measure: Measure | Literal[""] = ""
    limit: int | None = None
    beyond: int = 0
    on_keys: bool = False
    update: bool = False
    option: tuple[str, bool] | None = None
    argument: dict[str, Json] = {}


class Inventory(msgspec.Struct, frozen=True):
    """All rules of an API, sorted, and by Go type the errors of rules that coverage tests leave out.

    `others` has (canonical path, type, origin).
    """

    rules: tuple[KnownRule, ...]
    others: dict[str, tuple[tuple[str, str, str], ...]] = {}


def inventory_of(api: Api, folder: Path | None = None) -> Inventory:
    """Return the inventory of an API, from the user's cache if its files are unchanged.

    Packages that do not compile are left out; opening them reports the errors.
    """
    folder = folder or platformdirs.user_cache_path("equivalence-harness") / "rules"
    file = folder / f"{_key(api)}.msgpack"
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.msgpack.decode(file.read_bytes(), type=Inventory)
    inventory = read_inventory(api)
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(file, msgspec.msgpack.encode(inventory))
        delete_oldest(folder, "*.msgpack", 50)
    return inventory


def _key(api: Api) -> str:
    own = b"".join(Path(file).read_bytes() for file in (__file__, declared.__file__, emissions.__file__))
    packages = tuple((one.path, one.group, one.version, one.criteria, one.generates) for one in api.packages)
    return key_of(hashlib.sha256(own).digest() + api.universe.digest(), repr(packages), api.release, ())


def read_inventory(api: Api) -> Inventory:
    """Compile every package of an API and return its rules."""
    rules: list[KnownRule] = []
    others: dict[str, dict[tuple[str, str, str], None]] = {}
    for package in api.packages:
        if package.generates:
            for name, found in _errors(api, package):
                if found.declared:
                    rules.append(_known(package, name, found))
                else:
                    keys = others.setdefault(f"{package.path}.{name}", {})
                    keys.update(((place, found.type, found.origin), None) for place in found.places)
    return Inventory(tuple(_merged(rules)), {name: tuple(keys) for name, keys in sorted(others.items())})


def _errors(api: Api, package: ApiPackage) -> Iterator[tuple[str, DeclaredError]]:
    try:
        compiled = api.compile(package, CustomFunctions())
    except InputError:
        return
    yield from errors_of(compiled)


def _merged(rules: Iterable[KnownRule]) -> Iterator[KnownRule]:
    """Merge rules that declare the same error: only the strictest limit can be observed."""
    by_error: dict[tuple[str, str, str, str], KnownRule] = {}
    for one in sorted(rules, key=lambda known: (known.rule, known.type)):
        key = one.type, one.rule.path, one.rule.type, one.rule.origin
        known = by_error.get(key)
        if known is None:
            by_error[key] = one
        else:
            strictest = one if _is_stricter(one, known) else known
            places = tuple(dict.fromkeys((*known.places, *one.places)))
            by_error[key] = msgspec.structs.replace(strictest, places=places, rule=known.rule)
    return iter(by_error.values())


def _is_stricter(one: KnownRule, other: KnownRule) -> bool:
    if one.limit is None or other.limit is None or one.beyond != other.beyond:
        return False
    return one.limit * one.beyond < other.limit * other.beyond


def _known(package: ApiPackage, name: str, found: DeclaredError) -> KnownRule:
    spec, body = ALL_SPECS[found.tag], found.body
    boundary, limit = spec.boundary, None
    if boundary is not None and isinstance(body, Check):
        limit = int(body.args[boundary.argument])
    return KnownRule(
        rule=rule_of(package, name, found),
        type=f"{package.path}.{name}",
        places=found.places,
        steps=found.steps,
        judge=spec.criterion,
        measure=boundary.measure if boundary else "",
        limit=limit,
        beyond=boundary.beyond if boundary else 0,
        on_keys=found.on_keys,
        update=spec.rejects_changes,
        option=found.option,
        argument=_argument(found),
    )


def _argument(found: DeclaredError) -> dict[str, Json]:
    """Return the arguments of a tag besides its limit, as plain data."""
    body, arguments_of = found.body, ALL_SPECS[found.tag].arguments
    argument: dict[str, Json] = {}
    if isinstance(body, Mode):
        argument = {
            "discriminator": body.discriminator.json_name,
            "modes": {str(value): [rule.tag for rule in rules] for value, rules in body.rules},
        }
    elif arguments_of is not None:
        argument = arguments_of(body)
    items = [part for part in found.steps if isinstance(part, dict)]
    return {
        **argument,
        **({"item": items[-1]} if items else {}),
        **({"on": "key"} if found.on_keys else {}),
        **({"option": found.option[0], "wanted": found.option[1]} if found.option else {}),
    }
