"""Tags that steer the generator instead of checking a value. Source: semantics.md#1.6, #1.7.

They are read where they matter, by `harness/compiler/build.py`; here stands what they are, for whoever explains them.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.tags.spec import ReleaseChange


@dataclass(frozen=True, slots=True)
class ControlTag:
    """A tag that is no rule. `where` says on what it stands, `value` what follows `=`; the rest is as in TagSpec."""

    name: str
    summary: str
    where: tuple[str, ...]
    value: str = ""
    since: int = 33
    until: int | None = None
    history: tuple[ReleaseChange, ...] = ()

    def known_in(self, minor: int) -> bool:
        """Whether a release knows the tag."""
        return self.since <= minor and (self.until is None or minor <= self.until)


_QUOTED = (ReleaseChange(36, "The path must be quoted; before, it was written bare."),)

IS_SUBRESOURCE = ControlTag(
    name="k8s:isSubresource",
    summary="Makes a root type answer requests for one subresource only, and not those for the object itself.",
    where=("root types",),
    value='"<path>"',
    since=34,
    history=_QUOTED,
)
SUPPORTS_SUBRESOURCE = ControlTag(
    name="k8s:supportsSubresource",
    summary="Makes a root type answer requests for a subresource too. Repeat it for several.",
    where=("root types",),
    value='"<path>"',
    since=34,
    history=_QUOTED,
)

CONTROL_TAGS = (
    IS_SUBRESOURCE,
    SUPPORTS_SUBRESOURCE,
    ControlTag(
        name="k8s:validation-gen",
        summary="On a package, says which types are roots; on a type, makes it one or not, whatever the package says.",
        where=("packages", "types"),
        value="* | TypesWithField=<field> | TypesWithSuffix=<suffix> | true | false",
        history=(
            ReleaseChange(
                37, "Knows TypesWithSuffix and spells out TypesWithField; before, a field's name stood alone."
            ),
        ),
    ),
    ControlTag(
        name="k8s:validation-gen-input",
        summary="Names the package that holds the types, when the generated code goes to another one.",
        where=("packages",),
        value="<import path>",
    ),
    ControlTag(
        name="k8s:validation-gen-scheme-registry",
        summary="Names what the generated functions are registered with; nil registers them nowhere.",
        where=("packages",),
        value="<type> | nil",
    ),
    ControlTag(
        name="k8s:validation-gen-nolint",
        summary="Silences the generator's own lint for a package or a type, and for what is below the type.",
        where=("packages", "types"),
        since=36,
    ),
    ControlTag(
        name="k8s:validation-gen-test-fixture",
        summary="Asks for a test that sees every +k8s:validateFalse of the package.",
        where=("packages",),
        value="validateFalse",
    ),
    ControlTag(
        name="k8s:validation-gen-test-targets",
        summary="Asks for tests of rule coverage in a package whose name is no API version.",
        where=("packages",),
        since=37,
    ),
)
