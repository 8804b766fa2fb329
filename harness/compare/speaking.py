"""Does a mismatch still show in an answer, and who speaks of it?"""

from __future__ import annotations

from harness.case import Answer, Case
from harness.compare.comparator import Comparator
from harness.compare.mismatch import Mismatch


def remains_in(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> bool:
    """Whether the answer to a case shows the mismatch."""
    return mismatch.signature in comparator.signatures(case, answer)


def speakers(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> tuple[bool, bool]:
    """Say whether the handwritten and the declarative side report the error of a mismatch.

    Of two targets, an error without a mark is one that both serve.
    """
    handwritten = [error for error in answer.handwritten if comparator.concerns(mismatch, error)]
    declarative = any(comparator.concerns(mismatch, error) for error in answer.declarative)
    shared = comparator.ends is not None and any(not error.covered for error in handwritten)
    return bool(handwritten), declarative or shared


def agrees(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> bool:
    """Whether both sides report the error now, and the mismatch is gone; two targets may use words of their own."""
    both = all(speakers(answer, mismatch, comparator))
    return both and (comparator.ends is not None or not remains_in(case, answer, mismatch, comparator))
