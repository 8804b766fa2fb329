"""The cause `cost`: a server stopped evaluating CEL rules because they cost too much for this object."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question
from harness.field import FieldError

_WORDS = (
    "running out of cost budget", "call cost exceeds limit", "runtime cost could not be calculated",
    "actual cost limit exceeded",
)  # fmt: skip
"""How the server words it, the last of one expression of a policy. Source: pkg/apiserver/schema/cel/validation.go of
k8s.io/apiextensions-apiserver, and github.com/google/cel-go (2026-11)."""


def is_about_cost(detail: str) -> bool:
    """Whether an error says that the evaluation of rules took too much."""
    return any(words in detail for words in _WORDS)


def raised_by_rules(question: Question) -> list[FieldError]:
    """Return the errors that the mismatch is about, and what a rule of the silent side raised and let pass."""
    side, answer = question.mismatch.side, question.answer
    return [*question.select(answer.declarative if side == "declarative" else answer.handwritten), *answer.ignored]


def describe_ignored(question: Question, error: FieldError) -> str:
    """Say that users are served although a rule raised, if they are; empty otherwise."""
    if error not in question.answer.ignored:
        return ""
    return f"; failurePolicy: Ignore lets the request pass, so users of {question.name_of(question.silent)} are served"


def show(question: Question) -> Explanation | None:
    """See that the error is about the cost of a rule, and not about what it checks."""
    error = next((one for one in raised_by_rules(question) if is_about_cost(one.detail)), None)
    if error is None:
        return None
    name = f"the rule {error.origin.removesuffix(' raises')}" if error.origin else f"a rule on {question.where}"
    return Explanation(
        f"{name} costs more than the server allows: {error.detail}{describe_ignored(question, error)}",
        "limit what the rules read: maxItems, maxProperties and maxLength, or fewer loops inside of one another",
    )


COST = Cause(
    code="cost",
    page="""
The CEL rules of a CRD or the expressions of a policy cost more for this object than the server spends on one request.
It rejects the object then. The estimate that a CRD must pass is made of its limits, and policies are not estimated at
all; what is spent depends on the object. Bound the lists, maps and texts that rules read, and keep loops from standing
inside of one another.
""",
    experiment="none: the error says that the budget of a request was spent",
    example="""
`self.all(x, self.all(y, x != y))` on a list without `maxItems`, for a list of 3,000 items.
""",
    sides=Finder(show=show),
    servers=Finder(show=show),
    extent="rule",
)
