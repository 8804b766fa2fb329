"""Proposed fixes in words: which field, which tag, which mark. Plain text for people; decides nothing."""

from __future__ import annotations

from collections.abc import Mapping

from harness.compare.mismatch import Mismatch
from harness.field import ErrorType
from harness.jsonpath import canonical_path

_BY_ORIGIN: Mapping[str, str] = {
    "minimum": "+k8s:minimum=<limit>",
    "maximum": "+k8s:maximum=<limit>",
    "minLength": "+k8s:minLength=<limit>",
    "maxLength": "+k8s:maxLength=<limit>",
    "maxBytes": "+k8s:maxBytes=<limit>",
    "minItems": "+k8s:minItems=<limit>",
    "maxItems": "+k8s:maxItems=<limit>",
    "minProperties": "+k8s:minProperties=<limit>",
    "maxProperties": "+k8s:maxProperties=<limit>",
    "immutable": "+k8s:immutable",
    "update": "+k8s:update=<constraint>",
    "monotonic": "+k8s:monotonic",
    "neq": "+k8s:neq=<value>",
    "union": "+k8s:unionMember on each member",
    "zeroOrOneOf": "+k8s:zeroOrOneOfMember on each member",
    "dependentRequired": "+k8s:dependentRequired(<field>)",
    "dependentForbidden": "+k8s:dependentForbidden(<field>)",
}
_BY_TYPE: Mapping[str, str] = {
    ErrorType.REQUIRED: "+k8s:required",
    ErrorType.FORBIDDEN: "+k8s:forbidden",
    ErrorType.NOT_SUPPORTED: "+k8s:enum on its type",
    ErrorType.DUPLICATE: "+k8s:listType=map with +k8s:listMapKey, or +k8s:unique",
    ErrorType.TOO_LONG: "+k8s:maxLength=<limit> or +k8s:maxBytes=<limit>",
    ErrorType.TOO_MANY: "+k8s:maxItems=<limit>",
    ErrorType.TOO_FEW: "+k8s:minItems=<limit>",
    ErrorType.TOO_SHORT: "+k8s:minLength=<limit>",
}


def tag_for(error_type: str, origin: str) -> str:
    """Return the tag whose rule reports such an error, the empty string when no single tag does."""
    if origin.startswith("format="):
        return f"+k8s:{origin}"
    return _BY_ORIGIN.get(origin) or ("" if origin else _BY_TYPE.get(error_type, ""))


def place(mismatch: Mismatch) -> str:
    """Return the field of a mismatch for a sentence."""
    return canonical_path(mismatch.path) or "the object itself"


def declare(mismatch: Mismatch) -> str:
    """Say which rule is missing, and where."""
    tag = tag_for(mismatch.type, mismatch.origin)
    what = f"declare {tag}" if tag else f"declare the rule that reports {mismatch.type} {mismatch.origin}".rstrip()
    return f"{what} on {place(mismatch)} in every version, or take the mark MarkCoveredByDeclarative from the check"


def write_check(mismatch: Mismatch) -> str:
    """Say what has to happen to a rule that the handwritten side does not know."""
    tag = tag_for(mismatch.type, mismatch.origin)
    rule = tag or f"the rule that reports {mismatch.type} {mismatch.origin}".rstrip()
    return f"remove {rule} from {place(mismatch)}, or keep it as +k8s:alpha until a handwritten check agrees"


def condition(mismatch: Mismatch, beside: str) -> str:
    """Say that one side looks at a field only in some objects."""
    return f"let check and rule at {place(mismatch)} run under one condition: with or without {canonical_path(beside)}"


def mark(mismatch: Mismatch) -> str:
    """Say that a check wants its mark."""
    return f"mark the handwritten error on {place(mismatch)} with .MarkCoveredByDeclarative()"


def move(from_path: str, to_path: str) -> str:
    """Say how two paths for one rule become one."""
    return (
        f"let both sides report one path, {to_path or 'the root'} or {from_path or 'the root'}; where the field moved "
        f"between versions, add a normalization rule from the declarative to the handwritten path"
    )


def same_gate(path: str) -> str:
    """Say what to do where a feature gate decides whether both sides speak."""
    return f"let check and rule at {path or 'the object itself'} depend on the same feature gate"
