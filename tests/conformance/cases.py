"""Cases for the conformance with releases: objects that nearly fit, edited once or twice, and what they were before.

Random noise fires the same few rules again and again. So each kind first gets a collection of objects, grown with the
compiled validator as a quick guide: an object is kept when it fires a rule that no other did, or when it has fewer
errors than the others. Cases are then drawn around these. Nothing is left out by the guide: every edit may put any
value anywhere, and a tenth of the objects is drawn with no guide at all. The same seed gives the same cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from harness.case import Case, Json, Operation, RuledKind
from tests.conformance.drawing import Drawer
from tests.conformance.kinds import Kind, key_of

_TRIES = 1000
"""For a rule that the collection leaves alone. The rarest one that can fire takes some hundreds."""


@dataclass(slots=True)
class Collection:
    """Objects worth editing: those that fired something first, and those with the fewest errors.

    `telling` are the questions that fired something first: asked otherwise, an object may not fire it.
    """

    objects: list[Json] = field(default_factory=list)
    telling: list[Case] = field(default_factory=list)
    best: list[tuple[int, int, Json]] = field(default_factory=list)

    def pick(self, dice: Random) -> Json:
        """Draw one; half of the time one that nearly fits."""
        if self.best and dice.random() < 0.5:
            return dice.choice(self.best)[2]
        return dice.choice(self.objects)


def case_of(kind: Kind, dice: Random, new: Json, old: Json) -> Case:
    """Ask about an object: any subresource, every option on or off or, rarely, not defined at all."""
    options = {name: dice.random() < 0.5 for name in kind.options if dice.random() > 0.01}
    subresource = dice.choice(kind.subresources)
    if dice.random() < 0.01:
        subresource = dice.choice(("status", "scale", "nothing", "a/b", ""))
    operation = Operation.CREATE if old is None else Operation.UPDATE
    ruled = kind.ruled
    return Case(
        0, ruled.group, ruled.version, ruled.kind, operation, new, old, "", subresource, "declarative", options
    )  # fmt: skip


def collected(kind: Kind, drawer: Drawer, steps: int) -> Collection:
    """Grow the objects that cases are drawn around."""
    dice, collection = drawer.dice, Collection()
    for number in range(12):
        _keep(kind, collection, drawer.root((0.0, 0.4, 0.7, 0.95)[number % 4]), dice)
    for _ in range(steps):
        base = collection.pick(dice)
        case = case_of(kind, dice, base, None)
        errors = kind.validate(case)
        fix = errors and dice.random() < 0.5
        _keep(kind, collection, drawer.fixed(base, errors) if fix else drawer.edited(base), dice)
    return collection


def _keep(kind: Kind, collection: Collection, obj: Json, dice: Random) -> None:
    obj = {**obj, "apiVersion": _api_version(kind.ruled), "kind": kind.ruled.kind}
    case = case_of(kind, dice, obj, None)
    errors = kind.validate(case)
    new = [key for key in map(key_of, errors) if key not in kind.fired]
    kind.fired.update(dict.fromkeys(new))
    if new:
        collection.telling.append(case)
    if new or not collection.objects:
        collection.objects.append(obj)
    # Few errors in a rich object beat none in an empty one.
    score = 3 * len(errors) - min(12, len(str(obj)) // 60)
    collection.best.append((score, len(collection.best), obj))
    collection.best = sorted(collection.best, key=lambda one: one[0])[:24]


def _api_version(ruled: RuledKind) -> str:
    return f"{ruled.group}/{ruled.version}" if ruled.group else ruled.version


def aimed(kind: Kind, drawer: Drawer, collection: Collection) -> Iterator[Case]:
    """Go for every declared rule that the collection does not fire, until it fires or there is little hope."""
    dice = drawer.dice
    for key in sorted(kind.declared.difference(kind.fired)):
        for _ in range(_TRIES):
            new, old = drawer.aimed(collection.pick(dice), key)
            case = case_of(kind, dice, new, old)
            found = [key_of(error) for error in kind.validate(case)]
            kind.fired.update(dict.fromkeys(found))
            if key in found:
                collection.objects.append(new)
                break
        yield case


def pair(drawer: Drawer, base: Json) -> tuple[Json, Json]:
    """Return a new object and the old one, related: the same, one edit, two, edited before, edited apart."""
    dice = drawer.dice
    roll = dice.random()
    if roll < 0.1:
        return base, base
    if roll < 0.55:
        return drawer.edited(base), base
    if roll < 0.7:
        return base, drawer.edited(base)
    if roll < 0.85:
        return drawer.edited(drawer.edited(base)), base
    common = drawer.edited(base)
    return drawer.edited(common), drawer.edited(base) if roll < 0.95 else common


def cases_of(kind: Kind, seed: int, many: int, steps: int) -> Iterator[Case]:
    """Draw the cases of a kind: half of them creates, half of them updates."""
    dice = Random(f"{seed} {kind.ruled.type}")
    drawer = Drawer(kind, dice)
    collection = collected(kind, drawer, steps)
    yield from collection.telling
    yield from aimed(kind, drawer, collection)
    for obj in collection.objects:
        yield case_of(kind, dice, obj, None)
    for number in range(many):
        base = collection.pick(dice) if dice.random() < 0.9 else drawer.root(dice.random())
        if number % 2:
            yield case_of(kind, dice, *pair(drawer, base))
        else:
            yield case_of(kind, dice, drawer.edited(base) if dice.random() < 0.8 else base, None)
