"""The part of a fix that a program can make by itself, as data: tags that one writes, or one argument of a call.

A cause proposes it beside its sentence. Who knows the types applies it, asks again, and tells what came of it; the
judge itself reads no types.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from harness.field.facts import Place, RuleDeclaration

TagOperation: TypeAlias = Literal["add", "remove", "change"]


class TagChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tags to add, to remove or to change at the field of a path, in the types of a version.

    `tags` are written one below the other. `place` is where the field has them, and `member` its sibling, if they are
    on one. `replaces` are names of tags, one of which is removed or changed. `others` would do as well, and `otherwise`
    is the fix that is told if none of them is to be proposed. `source` is the line of the field that has the tags,
    or of the tag that goes.
    """

    operation: TagOperation
    path: str
    tags: tuple[str, ...] = ()
    version: str = ""
    place: Place = "field"
    member: str = ""
    replaces: tuple[str, ...] = ()
    others: tuple[RuleDeclaration, ...] = ()
    otherwise: str = ""
    source: str = ""

    @property
    def text(self) -> str:
        """The tags as the sentence of the fix names them."""
        return RuleDeclaration(self.tags, self.place).text

    def alternatives(self) -> tuple[TagChange, ...]:
        """Return this change and the others, each by itself, the likeliest first."""
        alone = msgspec.structs.replace(self, others=())
        return (
            alone,
            *(msgspec.structs.replace(alone, tags=one.tags, place=one.place, member=one.member) for one in self.others),
        )


def add(
    declarations: tuple[RuleDeclaration, ...], path: str, version: str, otherwise: str, names: tuple[str, ...] = ()
) -> TagChange | None:
    """Return the change that adds a declaration; None if nothing is known that could be added by itself.

    Of a tag that is known only by one of its `names` nothing is added, but it may be there already.
    """
    known = [one for one in declarations if one.place != "members"]
    if not known:
        return TagChange("add", path, (), version, replaces=names, otherwise=otherwise) if names else None
    first, *others = known
    return TagChange(
        "add", path, first.tags, version, first.place, first.member, others=tuple(others), otherwise=otherwise
    )
