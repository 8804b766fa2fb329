"""Finds limits that can never be exceeded, because of the type, a format or another limit.

Source: semantics.md#5.2, #5.5.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise, propose_deletion
from harness.lint.elements import target_type
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import STRENGTH, Use, limited_values, tag_text
from harness.lint.view import Element, PackageView
from harness.tags.families.limits import range_of


def find(view: PackageView) -> Iterator[Advice]:
    for element, target, found in limited_values(view):
        for use in (use for use in found if use.is_own):
            reason = _find_limit_of_type(view, element, target, use) or _find_covering_tag(use, found)
            if reason:
                edit = propose_deletion(view, use.tag)
                message = f"{tag_text(use.tag)} never rejects anything: {reason}"
                yield advise(use, message, "remove it, or correct the number", edit)


def _find_limit_of_type(view: PackageView, element: Element, target: tuple[str, ...], use: Use) -> str:
    """Return why no value of the type exceeds the limit; empty if one can."""
    number, ref, boundary = use.number, target_type(view, element.type, target), use.boundary
    if number is None or ref is None or boundary is None:
        return ""
    if boundary.is_size and not boundary.upper and number <= 0:
        return "nothing has less than nothing"
    native = view.types.value(ref)
    if boundary.is_size or native.kind != "builtin" or view.types.kind(native) != "integer":
        return ""
    low, high = range_of(native.name)
    if boundary.upper:
        return f"no {native.name} is greater than {high}" if number >= high else ""
    return f"no {native.name} is less than {low}" if number <= low else ""


def _find_covering_tag(use: Use, found: list[Use]) -> str:
    """Return why another tag, of the same level or above, rejects all that this one does; empty if none does."""
    for other in found:
        is_as_strict = other.applies_whenever(use) and STRENGTH[other.level] >= STRENGTH[use.level]
        if other is not use and is_as_strict and _rejects_all_of(other, use):
            is_equal = _rejects_all_of(use, other) and use.applies_whenever(other) and use.level == other.level
            if not is_equal or not other.is_own or other.tag.position < use.tag.position:
                return f"{other.describe()} already rejects all that it does"
    return ""


def _rejects_all_of(other: Use, use: Use) -> bool:
    """Whether `other` rejects every value that `use` rejects."""
    if use.name == "format":
        return False
    if (comparison := _compare_limits(other, use)) is not None:
        return comparison
    dimension, least, most = use.bounds
    other_dimension, lowest, highest = other.bounds
    if dimension != other_dimension or not dimension:
        return False
    if least is not None:
        return lowest is not None and lowest >= least
    return most is not None and highest is not None and highest <= most


def _compare_limits(other: Use, use: Use) -> bool | None:
    """Whether the number of `other` rejects every value that the number of `use` rejects.

    Bytes are compared with characters by the length of a character in UTF-8, one to four bytes. Returns: None if they
    are not both upper limits or both lower limits, or their units cannot be compared.
    """
    boundary, other_boundary, number, limit = use.boundary, other.boundary, use.number, other.number
    if (
        boundary is None
        or other_boundary is None
        or boundary.upper != other_boundary.upper
        or number is None
        or limit is None
    ):
        return None
    if boundary.measure == other_boundary.measure:
        return limit <= number if boundary.upper else limit >= number
    if (boundary.measure, other_boundary.measure) != ("bytes", "characters"):
        return None
    return 4 * limit <= number if boundary.upper else limit >= number


RULE = LintRule(
    code="limit-never-reached",
    severity="warning",
    summary="A limit that the type, a format or another limit makes unreachable.",
    why="a rule that cannot fire reads like a promise, and hides that a real limit may be missing",
    good=field_of("+k8s:optional\n+k8s:minimum=1", "*int32"),
    bad=field_of("+k8s:optional\n+k8s:minimum=-2147483648", "*int32"),
    find=find,
    fixes=True,
)
