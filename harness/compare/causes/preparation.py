"""The cause `preparation`: one of two servers drops a field that it knows."""

from __future__ import annotations

from harness.compare.cause import Cause, Experiment, Explanation, Finder, Question
from harness.compare.given import find_difference


def search(question: Question) -> Experiment[Explanation | None]:
    found = yield from question.search_once(find_difference)
    if found is None or not found.lacking or not found.is_known:
        return None
    return Explanation(
        f"{found.lacking} drops {found.path} before it validates: a feature gate, or what the server writes itself",
        f"look which feature gate {found.lacking} has for {found.path}",
    )


PREPARATION = Cause(
    code="preparation",
    page="""
One of two targets drops a field that it knows, before it validates.
Without preparation the field is present, with preparation it is gone; without the field both serve the
same. Usually a feature gate is on in one release and off in the other.
""",
    experiment="the objects that both validate, prepared and unprepared, and the same object without the field",
    example="""
`spec.newField` is set: one release drops it because its feature gate is off, the next one validates it.
""",
    servers=Finder(search=search),
)
