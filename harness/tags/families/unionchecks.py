"""The checks of unions and of groups with at most one member, as each release makes them.

Source: semantics.md#5.9; union.go (2026-07).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec

from harness.case import Operation
from harness.field import FieldError, Path, quote
from harness.field.make import invalid
from harness.tags.release import Release
from harness.tags.rules import CheckFunction

IsSet: TypeAlias = Callable[[Any], tuple[bool, ...]]
Names: TypeAlias = tuple[str, ...]


def _unchanged(op: Operation, new: Any, old: Any, is_set: IsSet) -> bool:
    return op is Operation.UPDATE and old is not None and is_set(new) == is_set(old)


def quoted(names: Names) -> str:
    """Return the names of members as error messages list them."""
    return ", ".join(f"`{name}`" for name in names)


def _set_members(names: Names, present: tuple[bool, ...]) -> str:
    return "{" + ", ".join(name for name, is_set in zip(names, present, strict=True) if is_set) + "}"


def union(op: Operation, path: Path, new: Any, old: Any, names: Names, is_set: IsSet) -> list[FieldError]:
    """Require that exactly one member is set. An update that sets and unsets no member is ratcheted.

    Returns: at most one Invalid error at the struct or list, origin `union`.
    """
    present = is_set(new)
    if (count := sum(present)) == 1 or _unchanged(op, new, old, is_set):
        return []
    if count:
        detail = f"must specify exactly one of: {quoted(names)}"
        return [invalid(path, _set_members(names, present), detail, origin="union")]
    return [invalid(path, "", f"must specify one of: {quoted(names)}", origin="union")]


def zero_or_one_of(op: Operation, path: Path, new: Any, old: Any, names: Names, is_set: IsSet) -> list[FieldError]:
    """Require that at most one member is set. Returns: at most one Invalid error, origin `zeroOrOneOf`."""
    present = is_set(new)
    if sum(present) <= 1 or _unchanged(op, new, old, is_set):
        return []
    detail = f"must specify at most one of: {quoted(names)}"
    return [invalid(path, _set_members(names, present), detail, origin="zeroOrOneOf")]


def discriminated_union(
    op: Operation,
    path: Path,
    new: Any,
    old: Any,
    names: Names,
    is_set: IsSet,
    values: Names,
    discriminator: str,
    value_of: Callable[[Any], Any],
) -> list[FieldError]:
    """Require that exactly the member named by the discriminator is set; an unknown discriminator names none.

    Returns: one Invalid error per wrongly set or unset member, at the member, origin `union`.
    """
    chosen = value_of(new) or ""
    if op is Operation.UPDATE and old is not None and chosen == (value_of(old) or "") and is_set(new) == is_set(old):
        return []
    errors = []
    for name, value, is_member_set in zip(names, values, is_set(new), strict=True):
        if is_member_set and value != chosen:
            detail = f"may only be specified when `{discriminator}` is {quote(value)}"
        elif not is_member_set and value == chosen:
            detail = f"must be specified when `{discriminator}` is {quote(chosen)}"
        else:
            continue
        errors.append(invalid(path.child(name), "", detail, origin="union"))
    return errors


# Releases before 1.36: errors have no origin, except zeroOrOneOf; a missing old value counts as all members unset.


def older_union(op: Operation, path: Path, new: Any, old: Any, names: Names, is_set: IsSet) -> list[FieldError]:
    """Check as `union` did before 1.36. Returns: at most one Invalid error, no origin."""
    if op is Operation.UPDATE and is_set(new) == is_set(old):
        return []
    return _unnamed(union(op, path, new, None, names, is_set))


def older_zero_or_one_of(
    op: Operation, path: Path, new: Any, old: Any, names: Names, is_set: IsSet
) -> list[FieldError]:
    """Check as `zero_or_one_of` did before 1.36."""
    if op is Operation.UPDATE and is_set(new) == is_set(old):
        return []
    return zero_or_one_of(op, path, new, None, names, is_set)


def older_discriminated_union(
    op: Operation,
    path: Path,
    new: Any,
    old: Any,
    names: Names,
    is_set: IsSet,
    values: Names,
    discriminator: str,
    value_of: Callable[[Any], Any],
) -> list[FieldError]:
    """Check as `discriminated_union` did before 1.36. Returns: an Invalid error per member, no origin."""
    if op is Operation.UPDATE and (value_of(new) or "") == (value_of(old) or "") and is_set(new) == is_set(old):
        return []
    return _unnamed(discriminated_union(op, path, new, None, names, is_set, values, discriminator, value_of))


# From 1.35.4 on, a missing old value is none, as in 1.36; errors still have no origin. With a discriminator that shows
# nothing: members that are not set are only missed if it names one, and then it has changed.


def unnamed_union(op: Operation, path: Path, new: Any, old: Any, names: Names, is_set: IsSet) -> list[FieldError]:
    """Check as `union` does since 1.35.4. Returns: at most one Invalid error, no origin."""
    return _unnamed(union(op, path, new, old, names, is_set))


def _unnamed(errors: list[FieldError]) -> list[FieldError]:
    return [msgspec.structs.replace(error, origin="") for error in errors]


def check_of(release: Release, newest: CheckFunction) -> CheckFunction:
    """Return the check of a release that is `newest` in the newest one."""
    if not release.has_older_unions:
        return newest
    return (_OLDER if release.ratchets_new_unions else _PATCHED).get(newest, newest)


_OLDER: dict[CheckFunction, CheckFunction] = {
    union: older_union,
    zero_or_one_of: older_zero_or_one_of,
    discriminated_union: older_discriminated_union,
}
DISCRIMINATED = (discriminated_union, older_discriminated_union)
_PATCHED: dict[CheckFunction, CheckFunction] = {union: unnamed_union, discriminated_union: older_discriminated_union}


def no_members(op: Operation, path: Path, new: Any, old: Any, discriminator: str) -> list[FieldError]:
    """Accept every value, for a union without members."""
    return []
