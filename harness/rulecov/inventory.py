"""The declared rules of an API with what it takes to see them at work: limits, places, arguments.

Reading them means compiling every package, so the inventory of an API is kept beside the compiled validators.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec
import platformdirs

from harness.case import Json
from harness.compiler.cache import key_of
from harness.diagnostics import InputError
from harness.files import forget_old, write_atomically
from harness.rulecov import declared
from harness.rulecov.declared import DeclaredError, DeclaredRule, Part, errors_of, rule_of
from harness.subject.api import Api, ApiPackage
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.rules import Check, Mode

Judge: TypeAlias = Literal[
    "limit", "there", "absent", "unchanged", "both", "two", "one", "trigger-set", "trigger-alone"
]
"""What an accepted object must show for a rule to count as seen to accept. `limit`: a value exactly at the limit.

`there`: a value that is not empty. `absent`: a struct without the member. `unchanged`, `both`: an update of a struct in
which the member stayed as it was, is there before and after. `two`: at least two items. `one`: exactly one member of a
union. `trigger-set`: the trigger and its dependent. `trigger-alone`: the trigger without its dependent.
"""

Measure: TypeAlias = Literal["", "value", "characters", "bytes", "items"]
"""What of a value a limit counts; `items` are those of a list or the keys of a map."""

_MEASURES: dict[str, tuple[Measure, int]] = {
    "k8s:minimum": ("value", -1), "k8s:maximum": ("value", 1), "k8s:minLength": ("characters", -1),
    "k8s:maxLength": ("characters", 1), "k8s:maxBytes": ("bytes", 1), "k8s:minItems": ("items", -1),
    "k8s:maxItems": ("items", 1), "k8s:minProperties": ("items", -1), "k8s:maxProperties": ("items", 1),
}  # fmt: skip
"""By tag: what is measured, and in which direction it goes too far."""

_JUDGES: dict[str, Judge] = {
    "k8s:forbidden": "absent", "k8s:immutable": "unchanged", "k8s:update": "both", "k8s:listType": "two",
    "k8s:listMapKey": "two", "k8s:unique": "two", "k8s:unionMember": "one", "k8s:unionDiscriminator": "one",
    "k8s:zeroOrOneOfMember": "one", "k8s:dependentRequired": "trigger-set", "k8s:dependentForbidden": "trigger-alone",
}  # fmt: skip


class KnownRule(msgspec.Struct, frozen=True):
    """One rule of a type, and how to see it at work. Rules that declare the same error are one.

    `type` is the Go type that declares it, `import/path.Name`. `places` are the canonical paths at which its errors are
    reported. `steps` lead to the value that `judge` looks at. `beyond` is 1 or -1: which way the limit is crossed.
    `option` is the option it depends on and the wanted state. `argument` is what else its tag says.
    """

    rule: DeclaredRule
    type: str
    places: tuple[str, ...]
    steps: tuple[Part, ...]
    judge: Judge
    measure: Measure = ""
    limit: int | None = None
    beyond: int = 0
    on_keys: bool = False
    update: bool = False
    option: tuple[str, bool] | None = None
    argument: dict[str, Json] = {}


class Inventory(msgspec.Struct, frozen=True):
    """All rules of an API, sorted, and by Go type the errors that rules cause and coverage tests leave out.

    `others` holds (place, type, origin), canonical.
    """

    rules: tuple[KnownRule, ...]
    others: dict[str, tuple[tuple[str, str, str], ...]] = {}


def inventory_of(api: Api, folder: Path | None = None) -> Inventory:
    """Return the inventory of an API, from the user's cache when its files are unchanged.

    Packages that do not compile are left out: whoever opens them says what is wrong.
    """
    folder = folder or platformdirs.user_cache_path("equivalence-harness") / "rules"
    place = folder / f"{_key(api)}.msgpack"
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.msgpack.decode(place.read_bytes(), type=Inventory)
    made = read_inventory(api)
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(place, msgspec.msgpack.encode(made))
        forget_old(folder, "*.msgpack", 50)
    return made


def _key(api: Api) -> str:
    own = b"".join(Path(file).read_bytes() for file in (__file__, declared.__file__))
    packages = tuple((one.path, one.group, one.version, one.criteria, one.generates) for one in api.packages)
    return key_of(hashlib.sha256(own).digest() + api.universe.digest(), repr(packages), api.release, ())


def read_inventory(api: Api) -> Inventory:
    """Compile every package of an API and list its rules."""
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
    """Make one of the rules that declare the same error: the strictest limit is what can be seen."""
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
    measure, beyond = _MEASURES.get(found.tag, ("", 0))
    limit = int(found.body.args[0]) if measure and isinstance(found.body, Check) else None
    return KnownRule(
        rule=rule_of(package, name, found),
        type=f"{package.path}.{name}",
        places=found.places,
        steps=found.steps,
        judge="limit" if measure else _JUDGES.get(found.tag, "there"),
        measure=measure,
        limit=limit,
        beyond=beyond,
        on_keys=found.on_keys,
        update=found.tag in ("k8s:immutable", "k8s:update"),
        option=found.option,
        argument=_argument(found),
    )


def _argument(found: DeclaredError) -> dict[str, Json]:
    """Return what a tag says besides its limit, as plain data."""
    body = found.body
    told: dict[str, Json] = {}
    if isinstance(body, Mode):
        told = {
            "discriminator": body.discriminator.json_name,
            "modes": {str(value): [rule.tag for rule in rules] for value, rules in body.rules},
        }
    elif found.tag in _ARGUMENTS:
        told = _ARGUMENTS[found.tag](body.args)
    items = [part for part in found.steps if isinstance(part, dict)]
    return {
        **told,
        **({"item": items[-1]} if items else {}),
        **({"on": "key"} if found.on_keys else {}),
        **({"option": found.option[0], "wanted": found.option[1]} if found.option else {}),
    }


def _union(args: tuple[Any, ...]) -> dict[str, Json]:
    members = [
        dict(member.selector.keys) if member.selector is not None else member.label for member in args[1].members
    ]
    if len(args) < 4:
        return {"members": members}
    return {"members": list(args[0]), "values": list(args[2]), "discriminator": args[3]}


def _dependent(args: tuple[Any, ...]) -> dict[str, Json]:
    return {"trigger": args[0], "dependent": args[1]}


_ARGUMENTS: dict[str, Callable[[tuple[Any, ...]], dict[str, Json]]] = {
    "k8s:enum": lambda args: {"values": list(args[1])},
    "k8s:neq": lambda args: {"value": args[0]},
    "k8s:listType": lambda args: {"keys": list(args[0].identity.keys)},
    "k8s:unique": lambda args: {"keys": list(args[0].identity.keys)},
    "k8s:update": lambda args: {"constraints": list(args[0])},
    "k8s:unionMember": _union,
    "k8s:unionDiscriminator": _union,
    "k8s:zeroOrOneOfMember": _union,
    "k8s:dependentRequired": _dependent,
    "k8s:dependentForbidden": _dependent,
}
"""By tag: what the arguments of its check say."""
