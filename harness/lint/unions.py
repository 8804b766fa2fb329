"""Collects the unions of a package (of fields of a struct, or of items of a list) and their discriminators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from harness.diagnostics import near_miss
from harness.lint.elements import struct_elements
from harness.lint.uses import Use, tagged_elements, uses_on
from harness.lint.view import Element, PackageView
from harness.tags.spec import Scope

MEMBERS = ("unionMember", "zeroOrOneOfMember")
"""The tags that make a field or an item a member of a union."""


@dataclass(slots=True)
class Union:
    """The members of a union, and its discriminator if it has one, each with the tag that declares it."""

    members: list[tuple[Element, Use]] = field(default_factory=list)
    discriminator: tuple[Element, Use] | None = None


def unions_of(view: PackageView) -> tuple[tuple[str, Union], ...]:
    """Return the unions of structs and of lists, each with the name of its members' tag."""
    found: tuple[tuple[str, Union], ...] | None = view.memo.get(("unions", 0))
    if found is None:
        found = view.memo["unions", 0] = tuple(_find_unions(view))
    return found


def _find_unions(view: PackageView) -> Iterator[tuple[str, Union]]:
    for fields in struct_elements(view).values():
        of_struct: dict[tuple[str, str], Union] = {}
        for element in fields:
            found = uses_on(view, element)
            _collect(element, [use for use in found if not use.target and not use.is_in_mode], of_struct)
            of_list: dict[tuple[str, str], Union] = {}
            _collect(element, [use for use in found if use.target and use.target[-1].startswith("item(")], of_list)
            yield from ((group, union) for (group, _), union in of_list.items())
        yield from ((group, union) for (group, _), union in of_struct.items())
    for element in tagged_elements(view):
        if element.scope is Scope.TYPE:
            of_list = {}
            _collect(element, [use for use in uses_on(view, element) if use.target], of_list)
            yield from ((group, union) for (group, _), union in of_list.items())


def _collect(element: Element, found: list[Use], unions: dict[tuple[str, str], Union]) -> None:
    for use in found:
        name = use.tag.arg("union")
        key = "union" if use.name == "unionDiscriminator" else use.name, name.text if name else ""
        if use.name == "unionDiscriminator":
            unions.setdefault(("unionMember", key[1]), Union()).discriminator = element, use
        elif use.name in MEMBERS:
            unions.setdefault(key, Union()).members.append((element, use))


def discriminator_values(view: PackageView, element: Element) -> list[str]:
    """Return the values of the constants of the discriminator's type."""
    ref = view.types.declared(element.type)
    found = view.types.consts_of(ref.name) if ref.kind == "named" else ()
    return [const.value for const in found if isinstance(const.value, str)]


def suggest(value: str, known: list[str], form: str) -> str:
    """Return a fix that lists the known values, formatted by `form`, and names the one that was probably meant."""
    same = next((one for one in known if one.lower() == value.lower()), "")
    hint = f"did you mean {same}?" if same else near_miss(value, known)
    return f"{hint} " * bool(hint) + "known values: " + ", ".join(form % one for one in known)
