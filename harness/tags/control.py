"""Tags that steer the generator instead of checking a value. Source: semantics.md#1.6, #1.7.

`harness/compiler/build.py` applies them; this module has their documentation.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.tags.spec import ReleaseChange


@dataclass(frozen=True, slots=True)
class ControlTag:
    """A tag that is not a rule. `where` are its scopes, `value` the text after `=`; the rest is as in TagSpec."""

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
    summary="Validates a root type for one subresource only, and not for the resource itself.",
    where=("root types",),
    value='"<path>"',
    since=34,
    history=_QUOTED,
)
SUPPORTS_SUBRESOURCE = ControlTag(
    name="k8s:supportsSubresource",
    summary="Validates a root type for a subresource too. Repeat it for several.",
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
        summary="On a package, selects root types. On a type, includes or excludes it, overriding the package.",
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
        summary="Names the package of the types if the generated code belongs to another package.",
        where=("packages",),
        value="<import path>",
    ),
    ControlTag(
        name="k8s:validation-gen-scheme-registry",
        summary="Names the type to register the generated functions with; nil registers none.",
        where=("packages",),
        value="<type> | nil",
    ),
    ControlTag(
        name="k8s:validation-gen-nolint",
        summary="Disables the generator's lint for a package, or for a type and what only it reaches.",
        where=("packages", "types"),
        since=36,
    ),
    ControlTag(
        name="k8s:validation-gen-test-fixture",
        summary="Generates a test that expects every +k8s:validateFalse of the package.",
        where=("packages",),
        value="validateFalse",
    ),
    ControlTag(
        name="k8s:validation-gen-test-targets",
        summary="Generates rule coverage tests in a package whose name is not an API version.",
        where=("packages",),
        since=37,
    ),
)
