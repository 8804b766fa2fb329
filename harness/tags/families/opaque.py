"""Types whose own rules do not run. Source: DV 5.8."""

from __future__ import annotations

from harness.tags.rules import Contribution
from harness.tags.spec import VALUE_SCOPES, TagSpec, accepts

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
    name="k8s:opaqueType",
    summary="Leaves out the rules of a field's type. Wrappers around it change nothing.",
    surprises=(
        "On a field of an unnamed list or map it changes nothing: use +k8s:eachVal=+k8s:opaqueType.",
        "Under an option or a level, the type's rules are off always.",
    ),
    scopes=VALUE_SCOPES,
    apply=lambda context, tag: Contribution(opaque_type=True),
    examples=(accepts(_GO, {"f": {}}),),
    since=33,
)

SPECS = (OPAQUE_TYPE,)
