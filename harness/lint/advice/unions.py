"""Unions that cannot work as they are meant, and modes that no discriminator names.

Source: semantics.md#5.9, #5.10, #S36.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from harness.diagnostics import near_miss
from harness.lint.advice.common import Advice, Use, advice, at, member_of, path_of, struct_elements, tagged, uses
from harness.lint.view import Element, PackageView
from harness.tags.grammar import Tag
from harness.tags.spec import Scope

_MEMBERS = ("unionMember", "zeroOrOneOfMember")


@dataclass(slots=True)
class _Union:
    """The members of one union, and its discriminator."""

    members: list[tuple[Element, Use]] = field(default_factory=list)
    discriminator: tuple[Element, Use] | None = None


def _unions(view: PackageView) -> tuple[tuple[str, _Union], ...]:
    """The unions of structs and of lists, with the kind of their members' tags."""
    found: tuple[tuple[str, _Union], ...] | None = view.memo.get(("unions", 0))
    if found is None:
        found = view.memo["unions", 0] = tuple(_find_unions(view))
    return found


def _find_unions(view: PackageView) -> Iterator[tuple[str, _Union]]:
    for fields in struct_elements(view).values():
        of_struct: dict[tuple[str, str], _Union] = {}
        for element in fields:
            found = uses(view, element)
            _collect(element, [use for use in found if not use.target and not use.in_mode], of_struct)
            of_list: dict[tuple[str, str], _Union] = {}
            _collect(element, [use for use in found if use.target and use.target[-1].startswith("item(")], of_list)
            yield from ((group, union) for (group, _), union in of_list.items())
        yield from ((group, union) for (group, _), union in of_struct.items())
    for element in tagged(view):
        if element.scope is Scope.TYPE:
            of_list = {}
            _collect(element, [use for use in uses(view, element) if use.target], of_list)
            yield from ((group, union) for (group, _), union in of_list.items())


def _collect(element: Element, found: list[Use], unions: dict[tuple[str, str], _Union]) -> None:
    for use in found:
        name = use.tag.arg("union")
        key = "union" if use.name == "unionDiscriminator" else use.name, name.text if name else ""
        if use.name == "unionDiscriminator":
            unions.setdefault(("unionMember", key[1]), _Union()).discriminator = element, use
        elif use.name in _MEMBERS:
            unions.setdefault(key, _Union()).members.append((element, use))


def _single(view: PackageView) -> Iterator[Advice]:
    for group, union in _unions(view):
        if len(union.members) == 1 and union.discriminator is None:
            element, use = union.members[0]
            if group == "unionMember":
                message = f"{path_of(element)} is the only member of its union, which makes it required"
                yield at(use, message, "write +k8s:required, or add the other members (check their union names)")
            else:
                message = f"{path_of(element)} is the only one of which at most one may be set: nothing is checked"
                yield at(use, message, "remove it, or add the other members (check their union names)")


def _zero_means(view: PackageView) -> Iterator[Advice]:
    for _, union in _unions(view):
        for element, use in union.members:
            kind = view.types.kind(element.type)
            if not use.target and kind in ("bool", "integer") and not view.types.is_pointer(element.type):
                zero = "false" if kind == "bool" else "0"
                message = f"{path_of(element)} = {zero} cannot be told from unset, so it does not count as a member"
                yield at(use, message, f"make it a pointer: *{element.type}")


def _unknown_value(view: PackageView) -> Iterator[Advice]:
    for _, union in _unions(view):
        if union.discriminator is None:
            continue
        element, _ = union.discriminator
        known = _values(view, element)
        for member, use in union.members if known else ():
            given = use.tag.arg("memberName")
            value = given.text if given else member_of(member).name
            if not use.target and value not in known:
                said = "" if given else ", its Go name"
                message = f'{path_of(member)} belongs to "{value}"{said}, but {path_of(element)} is never that'
                yield at(use, message, _suggest(value, known, '(memberName: "%s")'))


def _unknown_mode(view: PackageView) -> Iterator[Advice]:
    for fields in struct_elements(view).values():
        discriminators = {
            _modality(use.tag): element
            for element in fields
            for use in uses(view, element)
            if use.name == "modeDiscriminator"
        }
        for element in fields:
            for tag, _ in element.tagged("k8s:ifMode"):
                mode, holder = tag.arg("mode") or tag.arg(), discriminators.get(_modality(tag))
                known = _values(view, holder) if holder else []
                if mode and known and holder and mode.text not in known:
                    message = f'+k8s:ifMode speaks of "{mode.text}", but {path_of(holder)} is never that'
                    yield at(tag, message, _suggest(mode.text, known, '"%s"'))


def _modality(tag: Tag) -> str:
    found = tag.arg("modality")
    return found.text if found else ""


def _values(view: PackageView, element: Element) -> list[str]:
    """The values of the discriminator's type, where it has constants."""
    ref = view.types.declared(element.type)
    found = view.types.consts_of(ref.name) if ref.kind == "named" else ()
    return [const.value for const in found if isinstance(const.value, str)]


def _suggest(value: str, known: list[str], form: str) -> str:
    same = next((one for one in known if one.lower() == value.lower()), "")
    hint = f"did you mean {same}?" if same else near_miss(value, known)
    return f"{hint} " * bool(hint) + "known values: " + ", ".join(form % one for one in known)


def _discriminator_unset(view: PackageView) -> Iterator[Advice]:
    for _, union in _unions(view):
        if union.discriminator is None or not union.members:
            continue
        element, use = union.discriminator
        found = [one for one in uses(view, element) if not one.target]
        if not any(one.name == "required" for one in found) and any(one.name == "optional" for one in found):
            message = f"{path_of(element)} may be left out, and then no member of the union is required"
            yield at(use, message, "put +k8s:required on it, if one member must always be set")


_PLAIN = """type T struct {
	// +k8s:optional
	// +k8s:unionMember
	A @ `json:"a"`
	// +k8s:optional
	// +k8s:unionMember
	B *string `json:"b"`
}
"""
_NAMED = """type Kind string

const (
	KindA Kind = "A"
	KindB Kind = "B"
)

type T struct {
	// +k8s:unionDiscriminator
	// +k8s:@
	D Kind `json:"d"`
	// +k8s:optional
	// +k8s:unionMember
	A *string `json:"a"`
	// +k8s:optional
	// +k8s:unionMember(memberName: "B")
	Other *string `json:"other"`
}
"""
_MODES = """type Kind string

const (
	KindA Kind = "A"
	KindB Kind = "B"
)

type T struct {
	// +k8s:modeDiscriminator
	// +k8s:required
	D Kind `json:"d"`
	// +k8s:ifMode("A")=+k8s:required
	F *string `json:"f"`
}
"""

RULES = (
    advice(
        "lone-union-member",
        "note",
        _single,
        summary="A union with one member.",
        why="one of one must always be set, and of one at most one always is: another tag says it better, "
        "or the members stand in different unions",
        good=_PLAIN.replace("@", "*string"),
        bad=_PLAIN.replace("@", "*string").replace("\t// +k8s:unionMember\n\tB", "\tB"),
    ),
    advice(
        "member-zero-is-unset",
        "warning",
        _zero_means,
        summary="A union member that is a bool or a number and no pointer.",
        why="a member counts as set when it is not zero",
        good=_PLAIN.replace("@", "*int32"),
        bad=_PLAIN.replace("@", "int32"),
    ),
    advice(
        "member-never-chosen",
        "error",
        _unknown_value,
        summary="A union member whose name is no value of the discriminator.",
        why="a member's name is its Go name unless memberName says otherwise; where no value matches, "
        "setting the member is always an error",
        good=_NAMED.replace("@", "required"),
        bad=_NAMED.replace("@", "required").replace('(memberName: "B")', ""),
    ),
    advice(
        "mode-never-chosen",
        "error",
        _unknown_mode,
        summary="+k8s:ifMode names no value of the discriminator.",
        why="the rule never runs",
        good=_MODES,
        bad=_MODES.replace('"A")', '"a")'),
    ),
    advice(
        "discriminator-optional",
        "note",
        _discriminator_unset,
        summary="A union whose discriminator may be left out.",
        why="without a value the discriminator names no member, so an object with none of them passes",
        good=_NAMED.replace("@", "required"),
        bad=_NAMED.replace("@", "optional"),
    ),
)
