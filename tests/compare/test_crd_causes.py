"""Why servers with different CRDs disagree: each cause by its experiment, on two servers of a few lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from harness.case import Answer, Case, KindInfo, Operation, TargetInfo
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compare.judge import judge
from harness.field import FieldError
from harness.subject.targetpair import TargetPair
from harness.targets.target import Closing
from tests.compare.builders import drive

KIND = KindInfo("g", "v1", "T", "ts", "g/v1")
RULE = "spec.x-kubernetes-validations[0]"
Judge = Callable[[Case], tuple[Sequence[FieldError], Sequence[str]]]


class Server(Closing):
    """A server with a CRD: what its schema says of a case, and which fields it drops."""

    def __init__(self, name: str, judge: Judge) -> None:
        self.info = TargetInfo(name, abilities=("modes", "pruned", "update", "validated"), kinds=(KIND,))
        self.judge = judge

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        return [
            Answer(case.id, declarative=tuple(self.judge(case)[0]), pruned=tuple(self.judge(case)[1])) for case in cases
        ]

    def submit(self, cases: Sequence[Case]) -> Any:
        answers = self.ask(cases)
        return type("Pending", (), {"result": lambda _: answers})()


def says(*errors: FieldError, drops: Sequence[str] = ()) -> Judge:
    """Say the same of every case."""
    return lambda case: (errors, drops)


def found(before: Judge, after: Judge, new: Any = None, old: Any = None) -> list[Finding]:
    """What is found of a case that both are asked."""
    with TargetPair(Server("new", after), Server("old", before), origins=True) as pair:
        operation = Operation.CREATE if old is None else Operation.UPDATE
        case = KIND.case(operation, new or {"spec": {}}, old)
        [answer] = pair.ask([case])
        comparator = Comparator(pair.info.kinds[0], comparison=pair.servers)
        return [
            drive(judge(case, answer, one, comparator, subject="crds"), lambda asked: pair.ask([asked])[0])
            for one in comparator.compare(case, answer)
        ]


def raised(words: str) -> FieldError:
    """What a server says of a rule that raises."""
    detail = f"{words} evaluating rule: be even"
    return FieldError("FieldValueInvalid", "spec", detail, f"{RULE} raises", value='"object"')


@pytest.mark.parametrize(
    ("words", "fix"),
    [
        ("no such key: size", "has(self.size)"), ("divide by zero", "answer for every object"),
        ("index out of bounds: 3", "answer for every object"),
    ],
)  # fmt: skip
def test_a_rule_that_raises(words: str, fix: str) -> None:
    """The rule and what it raises are named, on whichever side it does."""
    [after], [before] = found(says(), says(raised(words))), found(says(raised(words)), says())
    assert ("cel-error", "cel-error") == (after.cause, before.cause)
    assert ("verdict", "accepted by old, rejected by new") == (after.severity, after.detail.partition(":")[0])
    assert f"the rule {RULE} raises `{words}` instead of answering (be even)" in after.detail
    assert fix in after.fix


@pytest.mark.parametrize(
    ("expression", "words", "cause", "fix"),
    [
        ("object.spec.size < 3", "no such key: size", "cel-error", "has(object.spec.size) && ..."),
        ("object.spec.all(a, a > 3)", "got 'int', expected iterable type", "cel-error", "answer for every object"),
        ("object.spec.all(a, a > 3)", "operation cancelled: actual cost limit exceeded", "cost", "maxItems"),
    ],
)  # fmt: skip
def test_an_expression_of_a_policy(expression: str, words: str, cause: str, fix: str) -> None:
    """The validation and what it raises are named, and the field that it should look for first."""
    said = f"expression '{expression}' resulted in error: {words}"
    [one] = found(says(), says(FieldError("FieldValueInvalid", "", said, "pods.validations[2] raises")))
    assert cause == one.cause
    assert "the rule pods.validations[2] " in one.detail
    assert words in one.detail
    assert fix in one.fix


@pytest.mark.parametrize(
    ("words", "cause"),
    [("no such key: size", "cel-error"), ("operation cancelled: actual cost limit exceeded", "cost")],
)
@pytest.mark.parametrize("is_after", [True, False])
def test_what_a_policy_raised_and_let_pass(words: str, cause: str, is_after: bool) -> None:
    """The finding names the rule of the side that denies nothing, and says that its users are served."""
    said = f"expression 'object.spec.size < 3' resulted in error: {words}"
    passed = FieldError("FieldValueInvalid", "", said, "pods.validations[2] raises")

    class Ignoring(Server):
        def ask(self, cases: Sequence[Case]) -> list[Answer]:
            return [Answer(case.id, ignored=(passed,)) for case in cases]

    denying, silent = Server("hook", says(FieldError("Forbidden", "", "too large"))), Ignoring("policies", says())
    pair = (silent, denying) if is_after else (denying, silent)
    with TargetPair(*pair, origins=True, verdicts=True) as target:
        case = KIND.case(Operation.CREATE, {"spec": {}})
        [answer] = target.ask([case])
        comparator = Comparator(target.info.kinds[0], comparison=target.servers)
        [mismatch] = comparator.compare(case, answer)
        one = drive(judge(case, answer, mismatch, comparator, subject="x"), lambda asked: target.ask([asked])[0])
    assert (cause, "verdict") == (one.cause, one.severity)
    assert "the rule pods.validations[2] " in one.detail
    assert words in one.detail
    assert "failurePolicy: Ignore lets the request pass, so users of policies are served" in one.detail


def test_a_rule_that_says_no_is_no_error() -> None:
    """A rule that answers is a new rule, whatever its message is about."""
    [one] = found(says(), says(FieldError("FieldValueInvalid", "spec", "rules are evaluated", RULE, value='"object"')))
    assert "new-rule" == one.cause


@pytest.mark.parametrize("words", [
    "validation failed due to running out of cost budget, no further validation rules will be run",
    "'operation cancelled': no further validation rules will be run due to call cost exceeds limit for rule: x",
])  # fmt: skip
def test_a_rule_that_costs_too_much(words: str) -> None:
    """A server that stopped counting says so, and the limits are what helps."""
    [one] = found(says(), says(FieldError("FieldValueInvalid", "spec", words, RULE)))
    assert "cost" == one.cause
    assert "maxItems" in one.fix


def test_a_dropped_field() -> None:
    """A field that the server after does not know is found although nobody rejects the object."""
    [one] = found(says(), says(drops=["spec.a"]))
    assert ("pruned", "spec.a", "pruned", "verdict") == (one.cause, one.path, one.origin, one.severity)
    assert "old keeps spec.a, new drops it" in one.detail


def test_a_new_field_is_no_difference() -> None:
    """Nobody has an object with a field that the server before drops, so neither it nor its rules change anything."""
    error = FieldError("FieldValueInvalid", "spec.a", "must be even", "multipleOf")
    assert [] == found(says(drops=["spec.a"]), says())
    assert [] == found(says(drops=["spec.a"]), says(error))


def test_what_both_drop_is_no_difference() -> None:
    """A field that nobody knows is the object's own mistake."""
    assert [] == found(says(drops=["spec.a"]), says(drops=["spec.a"]))


def test_another_error_at_one_path_is_one_change() -> None:
    """What the server before reports there is not told a second time, as something that no server is asked about."""
    short, no = (FieldError(f"FieldValue{kind}", "spec.a", kind) for kind in ("TooShort", "Forbidden"))
    [one] = found(says(short), says(no))
    assert ("spec.a", "FieldValueForbidden") == (one.path, one.type)


def test_a_field_in_a_dropped_one_is_dropped_with_it() -> None:
    """Where one server drops a field whole, the other does not drop a field of it alone, nor keep one that is new."""
    whole, part = says(drops=["spec.a"]), says(drops=["spec.a.b", "spec.a[0]"])
    assert [] == found(whole, part)
    [one] = found(part, whole)
    assert ("pruned", "spec.a") == (one.cause, one.path)


def test_an_unchanged_object_that_is_rejected() -> None:
    """An update that changes nothing and is rejected all the same locks stored objects, and is told so."""
    error = FieldError("FieldValueInvalid", "spec.a", "must be even", "multipleOf")
    old = {"spec": {"a": 1, "b": 1}}
    [one] = found(says(), says(error), {"spec": {"a": 1, "b": 2}}, old)
    assert "unratcheted" == one.cause
    assert "an update that changes nothing" in one.detail


def test_a_rule_that_ratchets() -> None:
    """Where the unchanged object may be updated, stored objects are safe, and the rule is new for others."""
    error = FieldError("FieldValueInvalid", "spec.a", "must be even", "multipleOf")

    def ratchets(case: Case) -> tuple[Sequence[FieldError], Sequence[str]]:
        same = case.old is not None and case.old.get("spec", {}).get("a") == case.object["spec"]["a"]
        return (() if same else (error,)), ()

    [one] = found(says(), ratchets, {"spec": {"a": 1}}, {"spec": {"a": 2}})
    assert "new-rule" == one.cause


def test_the_same_rule_at_another_index() -> None:
    """A rule that moved within its schema is the same rule, and two rules of one path are two findings."""
    one = FieldError("FieldValueInvalid", "spec", "be even", "spec.x-kubernetes-validations[0]")
    moved = FieldError("FieldValueInvalid", "spec", "be even", "spec.x-kubernetes-validations[4]")
    other = FieldError("FieldValueInvalid", "spec", "be small", "spec.x-kubernetes-validations[5]")
    assert [] == found(says(one), says(moved))
    assert 2 == len(found(says(), says(moved, other)))
