"""The cause `unreachable`: a case that was validated as it stands is asked once more, prepared as a server does it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from harness.case import Answer
from harness.compare.cause import Cause, Explanation, Finder, Question, Trial


def trials(question: Question) -> Iterator[Trial]:
    if question.case.mode != "given" or question.mismatch.kind in ("composition", "self"):
        return
    asked = msgspec.structs.replace(question.case, mode="served")

    def proves(said: Answer) -> Explanation | None:
        if said.unreachable:
            detail = f"a server answers {said.unreachable}"
        elif question.comparator.remains(question.mismatch, asked, said):
            return None
        else:
            detail = "gone when the object is defaulted and prepared as the server does"
        return Explanation(detail, "nothing to do unless validators are called directly")

    yield Trial(asked, proves)


UNREACHABLE = Cause(
    code="unreachable",
    page="""
The difference is gone when the object is defaulted and prepared as the server does it, or no request gets that far.
A server refuses a request before it validates where, for example, the body has another uid than the stored object.
It exists only for callers of the validators. See the severity of the same name.
""",
    experiment="the same object, defaulted and prepared as a server does it",
    example="""
`spec.mode` is absent, which the rule rejects: a server fills it in before it validates.
""",
    sides=Finder(trials=trials, overrules=True),
)
