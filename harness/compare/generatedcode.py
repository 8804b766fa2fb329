"""Compares the declarative list of a target with what its own tags report, as a check of both compilers.

Rules without a handwritten counterpart are judged by this comparison alone. A difference is generated code that is not
that of the tags, or a mistake of the harness. Everything of an error counts, and the order of the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from harness.compare.mismatch import Mismatch, Side, is_panic, mismatch_of
from harness.field import FieldError
from harness.jsonpath import canonical_path


def compare_generated(declarative: Sequence[FieldError], compiled: Sequence[FieldError]) -> Iterator[Mismatch]:
    """Yield one mismatch for each type, canonical path and origin of which the lists have other errors, else their
    order. `compiled` is the list of the tags.

    The side of an error that generated code alone reports is `declarative`, of one that both report otherwise `both`,
    of one that the tags alone report empty. Two crashes have no words in common, and are one error.
    """
    if tuple(declarative) == tuple(compiled) or (any(map(is_panic, declarative)) and any(map(is_panic, compiled))):
        return
    ours, theirs = Counter(compiled), Counter(declarative)
    only_generated = list((theirs - ours).elements())
    only_tags = list((ours - theirs).elements())
    if not only_generated and not only_tags:
        yield _other_order(declarative, compiled)
        return
    tagged = {_key(error): error for error in reversed(only_tags)}
    for key, error in {_key(error): error for error in reversed(only_generated)}.items():
        other = tagged.pop(key, None)
        if other is None:
            detail = f"generated code reports {_words(error)}, the tags do not"
            yield _mismatch(error, "declarative", detail)
        else:
            detail = f"generated code reports {_words(error, other)}, the tags report {_words(other, error)}"
            yield _mismatch(error, "both", detail)
    for error in tagged.values():
        yield _mismatch(error, "", f"the tags report {_words(error)}, generated code does not")


def _other_order(declarative: Sequence[FieldError], compiled: Sequence[FieldError]) -> Mismatch:
    first, other = next((one, other) for one, other in zip(declarative, compiled, strict=True) if one != other)
    detail = f"generated code reports {first.text} before {other.text}, the tags after it"
    return _mismatch(first, "both", detail)


def _mismatch(error: FieldError, side: Side, detail: str) -> Mismatch:
    return mismatch_of("generated", error, side, None, detail)


def _key(error: FieldError) -> tuple[str, str, str]:
    return error.type, canonical_path(error.field), error.origin


def _words(error: FieldError, other: FieldError | None = None) -> str:
    """Return the text of an error, and what differs from another one besides: level, short-circuit."""
    marks = []
    if other is None or error.level != other.level:
        marks.append(f"level {error.level or 'standard'}")
    if other is not None and error.short_circuit != other.short_circuit:
        marks.append("as a short-circuit" if error.short_circuit else "not as a short-circuit")
    return f"{error.text} ({', '.join(marks)})" if marks else error.text
