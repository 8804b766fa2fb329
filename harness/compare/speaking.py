"""Does a mismatch still show in an answer, and who speaks of it?"""

from __future__ import annotations

from harness.case import Answer, Case
from harness.compare.comparator import Comparator
from harness.compare.mismatch import Mismatch


def remains_in(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> bool:
    """Whether the answer to a case shows the mismatch."""
    return any(m.signature == mismatch.signature for m in comparator.compare(case, answer))


def agrees(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> bool:
    """Whether both sides report the error now, and the mismatch is gone."""
    handwritten = any(comparator.concerns(mismatch, error) for error in answer.handwritten)
    declarative = any(comparator.concerns(mismatch, error) for error in answer.declarative)
    return handwritten and declarative and not remains_in(case, answer, mismatch, comparator)
