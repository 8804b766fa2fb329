"""A family of limits that Kubernetes does not have: a number, bytes of a text, items of a list.

Their errors are Invalid with origins of their own, so that nothing but these records tells what they count.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from harness.case import Operation
from harness.field import ErrorType, FieldError, Path
from harness.field.make import invalid
from harness.tags import families, registry
from harness.tags.boundary import Boundary
from harness.tags.families.limits import a_canonical_int, a_list, a_string, an_integer, not_negative
from harness.tags.spec import FIELD_ONLY, VALUE_SCOPES, Emission, Payload, TagSpec, accepts, invalid_usage, rejects


def max_weight(op: Operation, path: Path, new: int | None, old: int | None, limit: int) -> list[FieldError]:
    """Reject a number above `limit`. None is accepted. Returns: at most one Invalid error, origin `maxWeight`."""
    if new is None or new <= limit:
        return []
    return [invalid(path, new, f"must weigh at most {limit}", origin="maxWeight")]


def max_octets(op: Operation, path: Path, new: str | None, old: str | None, limit: int) -> list[FieldError]:
    """Reject a text of more than `limit` bytes. Returns: at most one Invalid error, origin `maxOctets`."""
    if new is None or len(new.encode("utf-8", "surrogatepass")) <= limit:
        return []
    return [invalid(path, new, f"must take at most {limit} octets", origin="maxOctets")]


def max_parts(
    op: Operation, path: Path, new: Sequence[Any] | None, old: Sequence[Any] | None, limit: int
) -> list[FieldError]:
    """Reject a list of more than `limit` items. Returns: at most one Invalid error, origin `maxParts`."""
    if new is None or len(new) <= limit:
        return []
    return [invalid(path, len(new), f"must have at most {limit} parts", origin="maxParts")]


_COUNT = Payload("int", "<non-negative integer>")

MAX_WEIGHT = TagSpec(
    name="k8s:maxWeight",
    summary="Limits a number to N.",
    describe=lambda check, subject: f"weighs at most {check.args[0]}",
    invalid_usages=(invalid_usage("string", "=1"),),
    scopes=VALUE_SCOPES,
    payload=_COUNT,
    requires=(an_integer, a_canonical_int, not_negative),
    check=max_weight,
    emits=(Emission(ErrorType.INVALID, "maxWeight", texts=("must weigh at most <N>",)),),
    examples=(accepts("int32", 7, "=7"), rejects("int32", 8, "=7")),
    boundary=Boundary("value", upper=True),
    since=37,
)
MAX_OCTETS = TagSpec(
    name="k8s:maxOctets",
    summary="Limits a text to N octets.",
    describe=lambda check, subject: f"takes at most {check.args[0]} octets",
    invalid_usages=(invalid_usage("int32", "=1"),),
    scopes=VALUE_SCOPES,
    payload=_COUNT,
    requires=(a_string, a_canonical_int, not_negative),
    check=max_octets,
    emits=(Emission(ErrorType.INVALID, "maxOctets", texts=("must take at most <N> octets",)),),
    examples=(accepts("string", "éx", "=3"), rejects("string", "éé", "=3")),
    boundary=Boundary("bytes", upper=True),
    since=37,
)
MAX_PARTS = TagSpec(
    name="k8s:maxParts",
    go_function="MaxPieces",
    summary="Limits a list to N parts.",
    describe=lambda check, subject: f"has at most {check.args[0]} parts",
    invalid_usages=(invalid_usage("string", "=1"),),
    scopes=FIELD_ONLY,
    payload=_COUNT,
    requires=(a_list, a_canonical_int, not_negative),
    check=max_parts,
    short_circuit=True,
    emits=(Emission(ErrorType.INVALID, "maxParts", texts=("must have at most <N> parts",)),),
    examples=(accepts("[]string", ["a"], "=1"), rejects("[]string", ["a", "b"], "=1")),
    boundary=Boundary("items", upper=True),
    since=37,
)

SPECS = (MAX_WEIGHT, MAX_OCTETS, MAX_PARTS)


def register() -> None:
    """Do what a line in `FAMILIES` does, in a process of which the family is no part."""
    families.FAMILIES = (*families.FAMILIES, sys.modules[__name__])  # type: ignore[assignment]  # a tuple of so many modules, and this is one more
    for spec in SPECS:
        registry.SPECS[spec.name] = registry.ALL_SPECS[spec.name] = spec
