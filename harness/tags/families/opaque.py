"""Types whose own rules do not run. Source: DV 5.8."""

from __future__ import annotations

from harness.tags.rules import Contribution
from harness.tags.spec import VALUE_SCOPES, TagSpec, accepts

_GO = 'type T struct {\n\t// @\n\tF S `json:"f"`\n}\n\ntype S struct {\n\t// +k8s:required\n\tX string `json:"x"`\n}'

OPAQUE_TYPE = TagSpec(
    name="k8s:opaqueType",
    summary="Leaves out the rules of a field's type. Wrappers around it change nothing (DV S18).",
    scopes=VALUE_SCOPES,
    apply=lambda context, tag: Contribution(opaque_type=True),
    examples=(accepts(_GO, {"f": {}}),),
)

SPECS = (OPAQUE_TYPE,)
