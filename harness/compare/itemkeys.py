"""Finds by which member validators tell the items of a list apart, and by which they look one up in the old object.

Two equal items are reported as duplicates. With another value of its key the second one is not, and with another value
of any other member it still is.

Of an update, the silent side has found an old item whose value is the same. With another value of its key in the new
item it finds none, and reports the error; with an old item that has this value too it is silent again. The other side
has found none: it is silent as soon as the old list has an item with its key. That an equal item makes it silent is
asked first, for most checks look at no old item.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from harness.case import Answer, Case, Json, Operation
from harness.compare.cause import Experiment, Question
from harness.compare.othervalues import path_in_object, reporters
from harness.field import ErrorType
from harness.jsonpath import ABSENT, JsonPath, canonical_path, index_of, is_within, look, path_of, put

_MOST_MEMBERS = 8
_MOST_LOOKED_UP = 6


def find_item_key(question: Question, path: str) -> Experiment[tuple[str, Case | None]]:
    """Return the member by which the items of a list are told apart, empty if none alone is seen to be, and the case
    with two equal items; None if that has no error about it, or only marked ones.
    """
    at = path_of(question.mismatch.path)[: len(path_of(path))]
    base = question.created() or question.case
    items = look(base.object, at)
    if not isinstance(items, list) or not items:
        return "", None
    first = items[0]
    scalars = [name for name, value in first.items() if isinstance(value, str | int)] if isinstance(first, dict) else []
    members = scalars[:_MOST_MEMBERS]
    others = [{**first, name: _another(first[name])} for name in members]
    cases = [
        msgspec.structs.replace(base, id=number, object=put(base.object, at, [first, second]))
        for number, second in enumerate([first, *others])
    ]
    twice, *changed = yield cases
    duplicates = _count(question, twice, path)
    keys = [
        name
        for name, answer in zip(members, changed, strict=True)
        if duplicates and answer.failure is None and not _count(question, answer, path)
    ]
    is_unmarked = any(not covered for covered in duplicates)
    return keys[0] if len(keys) == 1 else "", cases[0] if is_unmarked else None


def _count(question: Question, answer: Answer, path: str) -> Sequence[bool]:
    """Return of each error about equal items whether it is marked."""
    normalize = question.comparator.matcher.normalize
    return [
        one.covered
        for one in answer.handwritten
        if one.type == ErrorType.DUPLICATE and is_within(canonical_path(normalize(one.field)), path)
    ]


Item: TypeAlias = dict[str, Json]


class Pairing(NamedTuple):
    """By which members the side that reports an error and the silent one look up the items of a list; empty if no one
    member was seen to decide. `spoken` is a case on which both report it.
    """

    items: JsonPath
    loud: str
    silent: str
    spoken: Case


class _Item(NamedTuple):
    """An item of the new list, the old items, and the member with the error, if it is one of the item."""

    path: JsonPath
    new: Item
    old: tuple[Json, ...]
    own: str

    @property
    def members(self) -> list[str]:
        """The members by which it may be looked up."""
        items = [self.new, *(one for one in self.old if isinstance(one, dict))]
        names = dict.fromkeys(name for one in items for name, value in one.items() if isinstance(value, str | int))
        return list(names)[:_MOST_LOOKED_UP]

    def fresh(self, name: str) -> Json:
        """Return a value of a member that neither the item nor an old one has."""
        known = [one[name] for one in (self.new, *self.old) if isinstance(one, dict) and name in one]
        value = max(known, key=lambda one: len(str(one)))
        for _ in range(len(known) + 1):
            value = _another(value)
            if value not in known:
                break
        return value

    def is_paired(self, name: str) -> bool:
        """Whether an old item has the same value of a member, or has it not either."""
        return any(_value(one, name) == _value(self.new, name) for one in self.old)


def find_pairing(question: Question) -> Experiment[Pairing | None]:
    """Return by what both sides look up the item that has the error, None unless it is by different members."""
    case, item = question.case, _item_of(question)
    if item is None:
        return None
    known = msgspec.structs.replace(case, id=0, old=_with_item(case, item, item.new))
    [answer] = yield [known]
    if answer.failure is not None or reporters(question, answer) != (False, False):
        return None  # the other side looks at no old item, or both find one
    members = [one for one in item.members if one != item.own]
    asked = [*_of_silent(case, item, members), *_of_loud(case, item, item.members)]
    answers: Sequence[Answer] = (
        (yield [msgspec.structs.replace(one, id=number) for number, one in enumerate(asked)]) if asked else ()
    )
    said = [(False, False) if one.failure is not None else reporters(question, one) for one in answers]
    counts = 3 * len(members)
    by_silent = [
        (name, asked[3 * at])
        for at, name in enumerate(members)
        if said[3 * at] == (True, True) and not said[3 * at + 1][1] and said[3 * at + 2] == (False, False)
    ]
    is_heard = [answers[counts + at].failure is None for at in range(len(item.members))]
    by_loud = [name for at, name in enumerate(item.members) if is_heard[at] and said[counts + at] == (False, False)]
    if len(by_silent) == 1:  # the third case has shown that the other side looks for another member
        name, spoken = by_silent[0]
        others = [one for one in by_loud if one != name]
        return Pairing(item.path[:-1], others[0] if len(others) == 1 else "", name, spoken)
    update = next((one for one in question.proofs if one.operation is Operation.UPDATE), None)
    keys = [one for one in by_loud if one != item.own and not item.is_paired(one)]
    if update is None or len(keys) != 1:
        return None
    return Pairing(item.path[:-1], keys[0], "", update)


def _item_of(question: Question) -> _Item | None:
    """Return the innermost item on the path of a mismatch whose list the old object has too; None without one."""
    case = question.case
    if not question.is_about_an_error or question.mismatch.side == "both" or case.operation is not Operation.UPDATE:
        return None
    path = path_in_object(question, case.object)
    for end in reversed(range(1, len(path) + 1)):
        new, old = look(case.object, path[:end]), look(case.old, path[: end - 1])
        if index_of(str(path[end - 1])) >= 0 and isinstance(new, dict) and isinstance(old, list):
            own = str(path[end]) if len(path) == end + 1 else ""
            return _Item(path[:end], new, tuple(old), own) if any(isinstance(one, dict) for one in old) else None
    return None


def _of_silent(case: Case, item: _Item, members: Sequence[str]) -> Iterator[Case]:
    """Yield three updates for each member: the new item with another value of it; then an old item that has this value
    too, besides the one that it was taken for; and the case with an old item that is equal but for the member.
    """
    for name in members:
        value = item.fresh(name)
        moved = put(case.object, item.path, {**item.new, name: value})
        found = next((one for one in item.old if _value(one, name) == _value(item.new, name)), None)
        known = {**found, name: value} if isinstance(found, dict) else {**item.new, name: value}
        yield msgspec.structs.replace(case, object=moved)
        yield msgspec.structs.replace(case, object=moved, old=_with_item(case, item, known))
        yield msgspec.structs.replace(case, old=_with_item(case, item, {**item.new, name: value}))


def _of_loud(case: Case, item: _Item, members: Sequence[str]) -> Iterator[Case]:
    """Yield an update for each member: with an old item that has only this member, and the value, in common."""
    for name in members:
        others = {one: item.fresh(one) for one in item.members if one in item.new and one not in (name, item.own)}
        yield msgspec.structs.replace(case, old=_with_item(case, item, {**item.new, **others}))


def _with_item(case: Case, item: _Item, one: Item) -> Json:
    return put(case.old, item.path[:-1], [*item.old, one])


def _value(item: Json, name: str) -> Json:
    return item.get(name, ABSENT) if isinstance(item, dict) else None


def _another(value: Json) -> Json:
    return f"{value}a" if isinstance(value, str) else not value if isinstance(value, bool) else value + 1
