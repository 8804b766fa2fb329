"""Lists how validation-gen and its check functions differ between minor releases of Kubernetes.

Source: semantics.md#B.

The rest of `tags` and `compiler` reads the properties of `Release` and compares no version numbers. They were read from
the generator and the check functions of each release: code-generator and apimachinery 0.34.2, 0.35.2, 0.36.3 and
0.37.1. Of 1.33, only what its one kind with rules uses was compared. Patch releases seldom change them: 0.35.4 took one
of the checks of unions of 0.36.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.diagnostics import UsageError

OLDEST, NEWEST = 33, 37
PROPOSED = "proposed"
"""Reads types as the newest release does, and the tags that proposals describe as well."""

_SECOND_PASS = {
    34: ("k8s:eachVal", "k8s:item"),
    35: ("k8s:eachVal", "k8s:item"),
    36: ("k8s:alpha", "k8s:beta", "k8s:eachVal", "k8s:item"),
}
_FORMATS = {"k8s-path-segment-name": 36, "k8s-prefixed-label-key": 37}


@dataclass(frozen=True, slots=True)
class Release:
    """One minor release: 37 is 1.37. Each property is a behaviour that some releases have.

    `patch` counts where a patch release changed a behaviour; a release that names none is the first one.
    """

    minor: int = NEWEST
    proposed: bool = False
    """Whether tags are known that enhancement proposals describe and no release has."""
    patch: int = 0

    def __str__(self) -> str:
        return PROPOSED if self.proposed else f"1.{self.minor}"

    # Which rules run, and when

    @property
    def runs_all_short_circuits(self) -> bool:
        """Whether all short-circuit rules of a value run (semantics.md#S3), not only up to the first error."""
        return self.minor >= 35

    @property
    def has_cohorts(self) -> bool:
        """Whether a short-circuit skips only rules of the same cohort, such as one subfield (semantics.md#3.3)."""
        return self.minor >= 35

    @property
    def ratchets(self) -> bool:
        """Whether an update skips the rules of a field that it leaves as it was."""
        return self.minor >= 34

    @property
    def ratchets_only_correlated(self) -> bool:
        """Whether an update ratchets a field only if the old object has the struct of that field (semantics.md#4.1)."""
        return self.minor >= 35

    @property
    def ratchets_types(self) -> bool:
        """Whether ratcheting skips the rules of a type too, even of the root type, unlike semantics.md#S15."""
        return self.minor == 34

    @property
    def ratchets_before_types(self) -> bool:
        """Whether a field without rules of its own ratchets before the rules of its type run.

        In other releases a nil struct panics.
        """
        return self.minor >= 35

    @property
    def inherits_short_circuits(self) -> bool:
        """Whether short-circuit tags of a member apply to its +k8s:subfield rules, too (semantics.md#3.9)."""
        return self.minor >= 37

    @property
    def has_pointer_items(self) -> bool:
        """Whether items of lists may be pointers. A nil item is an error if the items have rules (semantics.md#S23)."""
        return self.minor >= 37

    @property
    def iterates_bare_typedefs(self) -> bool:
        """Whether the items of a named list type are validated even if the list type has no rules of its own."""
        return self.minor >= 37

    # Order and wrappers

    @property
    def defers(self) -> bool:
        """Whether each tag defers work of its own until all tags were read (semantics.md#3.2).

        In other releases the rules of a group of tags (uniqueness, unions, updates, modes) are added after those of all
        other tags, in the order of the groups' names, without the tags that wrap them. The other tags are read in two
        passes.
        """
        return self.minor >= 37

    @property
    def second_pass_tags(self) -> tuple[str, ...]:
        """The tags that are read in the second pass."""
        return _SECOND_PASS.get(self.minor, ())

    @property
    def ignores_nested_groups(self) -> bool:
        """Whether +k8s:update and +k8s:listType are ignored under +k8s:subfield, because groups are read per field."""
        return self.minor == 36

    # Single rules

    @property
    def immutable_compares(self) -> bool:
        """Whether +k8s:immutable compares values, reports Forbidden without an origin, and does not short-circuit."""
        return self.minor < 35

    @property
    def undefined_options_are_off(self) -> bool:
        """Whether an option that is not defined counts as disabled, instead of an internal error."""
        return self.minor < 37

    @property
    def marks_short_circuits(self) -> bool:
        """Whether errors of short-circuit rules are marked as such."""
        return self.minor >= 37

    @property
    def max_length_counts_bytes(self) -> bool:
        """Whether +k8s:maxLength counts bytes."""
        return self.minor < 36

    @property
    def names_fields_bare(self) -> bool:
        """Whether doc.go selects root types by the bare name of a field, without `TypesWithField=`."""
        return self.minor < 37

    @property
    def names_fields_as_go(self) -> bool:
        """Whether unions of list items name the list by its Go name, not by its JSON name."""
        return self.minor < 35

    @property
    def has_older_unions(self) -> bool:
        """Whether unions have no origin, count `[]` as set, and count a member that an update omits as unset."""
        return self.minor < 36

    @property
    def ratchets_new_unions(self) -> bool:
        """Whether an update without an old value of a union counts it as one of which no member was set."""
        return (self.minor, self.patch) < (35, 4)

    @property
    def excludes_values(self) -> bool:
        """Whether constants can be excluded from an enum."""
        return self.minor >= 35

    @property
    def map_lists_are_unique(self) -> bool:
        """Whether +k8s:listType=map rejects two items with the same key."""
        return self.minor >= 35

    @property
    def pointer_keys(self) -> bool:
        """Whether the key field of a map list may be a pointer."""
        return self.minor >= 35

    @property
    def update_needs_old(self) -> bool:
        """Whether +k8s:update on a field panics if the old object lacks the struct of that field."""
        return self.minor < 37

    @property
    def updates_items(self) -> bool:
        """Whether +k8s:update is allowed on lists, maps, and their items and values."""
        return self.minor >= 37

    @property
    def nests_subfields(self) -> bool:
        """Whether +k8s:subfield may be nested in another +k8s:subfield."""
        return self.minor < 37

    @property
    def canonical_ints(self) -> bool:
        """Whether limits must be written in the form in which Go prints them, without a sign or leading zeros."""
        return self.minor >= 36

    @property
    def bare_subresource_paths(self) -> bool:
        """Whether the path in subresource tags is written without quotation marks."""
        return self.minor < 36

    def format_since(self, name: str) -> int:
        """Return the minor release that added a format."""
        return _FORMATS.get(name, 35)


def release_of(text: str) -> Release:
    """Read `1.37`, `1.37.1`, `v1.37.1` or `proposed`. Raises: UsageError for other texts and unsupported releases."""
    known = [f"1.{minor}" for minor in range(OLDEST, NEWEST + 1)]
    if text.strip() == PROPOSED:
        return Release(proposed=True)
    parts = re.match(r"v?([0-9]+)\.([0-9]+)(?![0-9])(?:\.([0-9]+))?", text.strip())
    if parts is None:
        raise UsageError(
            f"release {text!r} is not of the form {known[-1]}\n  fix: one of {', '.join(known)}, or {PROPOSED}"
        )
    major, minor = int(parts[1]), int(parts[2])
    if major != 1 or not OLDEST <= minor <= NEWEST:
        nearest = known[0] if (major, minor) < (1, OLDEST) else known[-1]
        raise UsageError(
            f"the tags of release {text} are not known; those of {known[0]} to {known[-1]} are\n"
            f"  fix: use the nearest release, {nearest}, and check what differs"
        )
    return Release(minor, patch=int(parts[3] or 0))
