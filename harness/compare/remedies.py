"""Proposed fixes in words: which field, which tag, which mark. Plain text for people; decides nothing."""

from __future__ import annotations

from harness.compare.mismatch import Mismatch
from harness.field.facts import RuleFacts
from harness.jsonpath import canonical_path


def place(mismatch: Mismatch) -> str:
    """Return the field of a mismatch for a sentence."""
    return canonical_path(mismatch.path) or "the object itself"


def declare(mismatch: Mismatch, facts: RuleFacts) -> str:
    """Say which rule is missing, and where."""
    tag = facts.tag_for(mismatch.type, mismatch.origin)
    what = f"declare {tag}" if tag else f"declare the rule that reports {mismatch.type} {mismatch.origin}".rstrip()
    return f"{what} on {place(mismatch)} in every version, or take the mark MarkCoveredByDeclarative from the check"


def write_check(mismatch: Mismatch, facts: RuleFacts) -> str:
    """Say what has to happen to a rule that the handwritten side does not know."""
    tag = facts.tag_for(mismatch.type, mismatch.origin)
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
