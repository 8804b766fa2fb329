"""What a minor release of Kubernetes knows and how it behaves, where releases differ. Source: semantics.md#B.

Everything else in `tags` and `compiler` asks this record and compares no version numbers of its own. The facts were
read from the generator and the check functions of each release: code-generator and apimachinery 0.34.2, 0.35.2,
0.36.3 and 0.37.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.diagnostics import UsageError

OLDEST, NEWEST = 34, 37

_LATE = {
    34: ("k8s:eachVal", "k8s:item"),
    35: ("k8s:eachVal", "k8s:item"),
    36: ("k8s:alpha", "k8s:beta", "k8s:eachVal", "k8s:item"),
}
_FORMATS = {"k8s-path-segment-name": 36, "k8s-prefixed-label-key": 37}


@dataclass(frozen=True, slots=True)
class Release:
    """One minor release: 37 is 1.37. The names say what is so in this release."""

    minor: int = NEWEST

    def __str__(self) -> str:
        return f"1.{self.minor}"

    # Which rules run, and when

    @property
    def all_stops_run(self) -> bool:
        """Whether all short-circuit rules run (semantics.md#S3); before, the first failure returned."""
        return self.minor >= 35

    @property
    def has_cohorts(self) -> bool:
        """Whether stops of a subfield or an item end only what stands beside them (semantics.md#3.3)."""
        return self.minor >= 35

    @property
    def forgives_only_correlated(self) -> bool:
        """Whether an update forgives nothing where there was no old struct to hold an old value (semantics.md#4.1)."""
        return self.minor >= 35

    @property
    def forgives_types(self) -> bool:
        """Whether a type's own rules are skipped for an unchanged value too, the root included.

        Against semantics.md#S15.
        """
        return self.minor < 35

    @property
    def forgives_before_types(self) -> bool:
        """Whether a field without own rules forgives before its type is looked into; else a nil struct panics."""
        return self.minor >= 35

    @property
    def inherits_stops(self) -> bool:
        """Whether a subfield stops where the member's own tags would (semantics.md#3.9)."""
        return self.minor >= 37

    @property
    def has_pointer_items(self) -> bool:
        """Whether items of lists may be pointers; then nil ones are errors where anything is checked.

        Source: semantics.md#S23.
        """
        return self.minor >= 37

    @property
    def iterates_bare_typedefs(self) -> bool:
        """Whether items of a named list type are looked into although the list type itself has no rules."""
        return self.minor >= 37

    # Order and wrappers

    @property
    def defers(self) -> bool:
        """Whether tags put work off one by one (semantics.md#3.2).

        Before, whole groups (uniqueness, unions, updates, modes) were made after all tags, in the order of the groups'
        names and whatever wrapped a tag; all other tags did their work in two passes.
        """
        return self.minor >= 37

    @property
    def late(self) -> tuple[str, ...]:
        """Tags of the second pass."""
        return _LATE.get(self.minor, ())

    @property
    def nested_groups_vanish(self) -> bool:
        """Whether +k8s:update or +k8s:listType under +k8s:subfield say nothing: groups look at whole fields."""
        return self.minor == 36

    # Single rules

    @property
    def immutable_compares(self) -> bool:
        """Whether +k8s:immutable compares, is Forbidden without origin, and stops nothing."""
        return self.minor < 35

    @property
    def undefined_options_are_off(self) -> bool:
        """Whether an option that nobody defined is off, and no internal error."""
        return self.minor < 37

    @property
    def marks_short_circuits(self) -> bool:
        """Whether errors tell that they stopped something."""
        return self.minor >= 37

    @property
    def max_length_counts_bytes(self) -> bool:
        """Whether +k8s:maxLength counts bytes."""
        return self.minor < 36

    @property
    def names_fields_bare(self) -> bool:
        """Whether doc.go names the field that makes roots without TypesWithField in front."""
        return self.minor < 37

    @property
    def names_fields_as_go(self) -> bool:
        """Whether unions of items name their list as Go does, and not as JSON does."""
        return self.minor < 35

    @property
    def older_unions(self) -> bool:
        """Whether unions have no origin, take `[]` for set, and take what is missing in an update for unset."""
        return self.minor < 36

    @property
    def excludes_values(self) -> bool:
        """Whether constants can be taken out of an enum."""
        return self.minor >= 35

    @property
    def map_lists_are_unique(self) -> bool:
        """Whether +k8s:listType=map refuses two items with one key."""
        return self.minor >= 35

    @property
    def pointer_keys(self) -> bool:
        """Whether a list's key may be a pointer."""
        return self.minor >= 35

    @property
    def update_needs_old(self) -> bool:
        """Whether +k8s:update of a value panics in a struct that is new."""
        return self.minor < 37

    @property
    def updates_items(self) -> bool:
        """Whether +k8s:update knows lists, maps, items and values."""
        return self.minor >= 37

    @property
    def nests_subfields(self) -> bool:
        """Whether +k8s:subfield may stand under itself."""
        return self.minor < 37

    @property
    def canonical_ints(self) -> bool:
        """Whether limits must be written as decimals print."""
        return self.minor >= 36

    @property
    def bare_subresource_paths(self) -> bool:
        """Whether subresource tags hold their path without quotes."""
        return self.minor < 36

    def format_since(self, name: str) -> int:
        """Return the minor release that brought a format."""
        return _FORMATS.get(name, 35)


def release_of(text: str) -> Release:
    """Read `1.37`, `1.37.1` or `v1.37.1`. Raises: UsageError for anything else and for releases that are not known."""
    known = [f"1.{minor}" for minor in range(OLDEST, NEWEST + 1)]
    parts = re.match(r"v?([0-9]+)\.([0-9]+)(?![0-9])", text.strip())
    if parts is None:
        raise UsageError(f"release {text!r} is not of the form {known[-1]}\n  fix: one of {', '.join(known)}")
    major, minor = int(parts[1]), int(parts[2])
    if major != 1 or not OLDEST <= minor <= NEWEST:
        nearest = known[0] if (major, minor) < (1, OLDEST) else known[-1]
        raise UsageError(
            f"the tags of release {text} are not known: {known[0]} to {known[-1]} are\n"
            f"  fix: take the nearest one, {nearest}, and judge what differs"
        )
    return Release(minor)
