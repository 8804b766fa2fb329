"""The cause `item-key`."""

from __future__ import annotations

from harness.compare.cause import Cause, Experiment, Explanation, Finder, Question
from harness.compare.itemkeys import find_pairing
from harness.jsonpath import canonical_path, write


def search(question: Question) -> Experiment[Explanation | None]:
    found = yield from question.search_once(find_pairing)
    if found is None:
        return None
    items, by = canonical_path(write(found.items)), {question.silent: found.silent, question.loud: found.loud}
    silent, loud = question.name_of(question.silent), question.name_of(question.loud)
    if found.silent:
        other = f"by {found.loud}" if found.loud else "otherwise"
        told = (
            f"{silent} looks up the item of {items} in the old object by {found.silent}, and "
            f"{loud} {other}: with another {found.silent} both sides report it"
        )
    else:
        told = (
            f"{loud} looks up the item of {items} in the old object by {found.loud}, and "
            f"{silent} has found one with another {found.loud}: without any both sides report it"
        )
    key = f"by {by['declarative']}" if by["declarative"] else f"by what the rules of {items} do"
    instead = f", not by {by['handwritten']}" if by["handwritten"] else ""
    fix = f"let the check of {question.check} look up the item of {items} in the old object {key}{instead}"
    return Explanation(told, fix, spoken=found.spoken)


ITEM_KEY = Cause(
    code="item-key",
    page="""
The two sides look up an item of a list in the old object by different members, so that one of them takes it for new and
the other for one that it has seen. Rules look it up by the key of the list. Let the handwritten check look it up by the
same member.
""",
    experiment="the item with another value of each member, and old items that share one member with it",
    example="""
`status.reservedFor` has the key `uid`, and the check compares the item with the old one of the same `name`. An update
that gives an item another `uid` that is wrong is reported by the rule alone.
""",
    sides=Finder(search=search),
)
