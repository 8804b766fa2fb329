"""Types whose own rules do not run. Source: semantics.md#5.8."""

from __future__ import annotations

from harness.gotypes.model import Comments
from harness.tags.grammar import TagSyntaxError, parse, tag_lines
from harness.tags.rules import Contribution
from harness.tags.spec import VALUE_SCOPES, TagSpec, Trait, accepts

_NAME = "k8s:opaqueType"
_SAME_SCOPE = frozenset({"k8s:alpha", "k8s:beta", "k8s:ifEnabled", "k8s:ifDisabled", "k8s:ifMode"})
"""Wrappers whose nested tag applies to the element itself, and not to its items, keys or members."""


def is_opaque(comments: Comments) -> bool:
    """Whether a tag in a comment makes the element itself opaque."""
    return any(_is_opaque_tag(line.text) for line in tag_lines(comments) if _NAME in line.text)


def _is_opaque_tag(text: str) -> bool:
    try:
        tag = parse(text)
    except TagSyntaxError:
        return False  # reported where the element's tags are read
    while tag.name in _SAME_SCOPE and tag.payload is not None:
        tag = tag.payload
    return tag.name == _NAME


_GO = """type T struct {
    // @
    F S `json:"f"`
}

type S struct {
    // +k8s:required
    X string `json:"x"`
}
"""

OPAQUE_TYPE = TagSpec(
    name=_NAME,
    traits=frozenset({Trait.METADATA}),
    summary="Skips the rules of a field's type. Wrapping tags have no effect on it.",
    caveats=(
        "On a field of an unnamed list or map it changes nothing: use +k8s:eachVal=+k8s:opaqueType.",
        "Nested in an option or a level, it still turns the type's rules off always.",
    ),
    scopes=VALUE_SCOPES,
    apply=lambda context, tag: Contribution(opaque_type=True),
    examples=(accepts(_GO, {"f": {}}),),
    since=33,
)

SPECS = (OPAQUE_TYPE,)
