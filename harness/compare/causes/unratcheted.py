"""The cause `unratcheted`: the server after rejects an update that changes nothing of a stored object."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import msgspec

from harness.case import Answer, Case, Operation
from harness.compare.cause import Cause, Explanation, Finder, Question, Trial


def trials(question: Question) -> Iterator[Trial]:
    """Ask to update the old object by itself, where servers say which rule reports an error."""
    case, mismatch = question.case, question.mismatch
    if case.operation is not Operation.UPDATE or mismatch.side != "handwritten" or not mismatch.origin:
        return
    unchanged = msgspec.structs.replace(case, object=case.old)
    yield Trial(unchanged, partial(_proves, question, unchanged))


def _proves(question: Question, unchanged: Case, answer: Answer) -> Explanation | None:
    if not question.comparator.remains(question.mismatch, unchanged, answer):
        return None
    before, after = question.names
    return Explanation(
        f"{after} rejects an update that changes nothing: what {before} stored cannot be updated any more",
        f"mend stored objects before they meet {after}, or let the rule accept what was there: "
        "optionalOldSelf in a CRD, oldObject in a policy",
    )


UNRATCHETED = Cause(
    code="unratcheted",
    page="""
The new schema or policy rejects an update of a stored object although nothing of it changes.
Servers ratchet most rules of CRDs:
what an update leaves as it was is not held against it. They do not where a rule raises an error, below lists without
keys, and where the value is changed by defaults; policies are never ratcheted. Users, controllers and garbage
collection cannot write such objects any more, not even to remove a finalizer.
""",
    experiment="an update of the old object by itself, which is rejected for the same reason",
    example="""
`spec.ports` is an atomic list. A new rule rejects one of its stored items, and with it each update of the object.
""",
    servers=Finder(trials=trials),
    extent="rule",
)
