"""The rules of admission policies: a validation each, seen to deny by its denials and to hold by what held."""

from __future__ import annotations

from typing import Any

from harness.case import Answer, KindInfo, Operation
from harness.compare.two_admissions import encode_verdicts
from harness.field import ErrorType, FieldError
from harness.fuzzers.aimedpairs import RULE
from harness.rulecov.observed import ACCEPTED, FIRED, HANDWRITTEN_CREATE, REJECTED
from harness.rulecov.policyrules import PolicyObserver, policy_inventory

PODS = KindInfo("", "v1", "Pod", "pods", "v1")
POLICY: dict[str, Any] = {
    "metadata": {"name": "p"},
    "spec": {
        "matchConstraints": {"resourceRules": [{"resources": ["pods"]}]},
        "variables": [{"name": "all", "expression": "variables.own + [1]"}, {"name": "own", "expression": "object.a"}],
        "validations": [
            {"expression": "variables.all\n  .all(one, one < 3)", "reason": "Forbidden"},
            {"expression": "oldObject == null || object.b == oldObject.b"},
        ],
    },
}
RULES = policy_inventory([POLICY]).rules


def denial(number: int) -> FieldError:
    """The denial of a validation."""
    return FieldError(ErrorType.INVALID, "", "no", f"p.validations[{number}]")


def shown(after: list[FieldError], before: list[FieldError], *held: int, info: KindInfo = PODS) -> PolicyObserver:
    """An observer that was shown an answer to a create."""
    observer = PolicyObserver(info, RULES)
    handwritten, declarative = encode_verdicts(after, before)
    names = tuple(f"p.validations[{number}]" for number in held)
    case = PODS.case(Operation.CREATE, {"a": 1})
    observer.examine([case], [Answer(0, handwritten, declarative, held=names)], 2.0)
    return observer


def test_each_validation_is_a_rule() -> None:
    """With the type of its reason, and with the expressions of all variables that it needs, to find values by."""
    first, second = RULES
    assert ("ValidatingAdmissionPolicy", "p", "p.validations[0]") == (
        first.rule.version, first.rule.kind, first.rule.origin,
    )  # fmt: skip
    assert (ErrorType.FORBIDDEN, "variables.all .all(one, one < 3)") == (first.rule.type, first.rule.tag)
    assert "variables.all .all(one, one < 3) variables.own + [1] object.a" == first.argument[RULE]
    assert (False, True) == (first.argument["changes"], second.argument["changes"])


def test_what_is_no_policy_has_no_rules() -> None:
    """The server says what is wrong with it, when it is opened."""
    odd: list[Any] = [
        {},
        {"spec": 3},
        {"spec": {"validations": {}}},
        {"spec": {"matchConstraints": [], "variables": 1}},
    ]
    assert () == policy_inventory(odd).rules
    assert 1 == len(policy_inventory([{"spec": {"validations": [None], "matchConstraints": []}}]).rules)


def test_denying() -> None:
    """A denial of the policies, whether the other side denies too or not; it is aimed at no more."""
    for before in ([], [FieldError(ErrorType.INVALID, "spec", "other")]):
        observer = shown([denial(0)], before)
        (state,) = observer.outcome().rules.values()
        assert (True, True, 2.0) == (bool(state.seen & FIRED), bool(state.seen & REJECTED), state.first)
        assert bool(before) is bool(state.seen & HANDWRITTEN_CREATE)
        assert ((), ["p.validations[1]"]) == (observer.outcome().uncovered, [aim.origin for aim in observer.aims()])


def test_denying_where_the_other_side_raised() -> None:
    """A denial is of its validation, whatever the other policies raised and let pass."""
    observer = PolicyObserver(PODS, RULES)
    handwritten, declarative = encode_verdicts([denial(0)], [], [FieldError(ErrorType.INVALID, "", "", "q raises")])
    observer.examine([PODS.case(Operation.CREATE, {"a": 1})], [Answer(0, handwritten, declarative)], 2.0)
    assert [0] == [number for number, one in observer.outcome().rules.items() if one.seen & REJECTED]


def test_holding() -> None:
    """It is known where the policies say so: one that was not asked, or raised, is not seen to hold."""
    observer = shown([], [], 1)
    assert {1: ACCEPTED} == {number: one.seen for number, one in observer.outcome().rules.items()}
    assert {0: ACCEPTED} == {number: one.seen for number, one in shown([], [denial(1)], 0).outcome().rules.items()}


def test_what_is_left_to_migrate() -> None:
    """What the other side alone denies, which is no rule's, by the words of the denial."""
    (one,) = shown([], [FieldError(ErrorType.INVALID, "", "pod a1 is odd")]).outcome().uncovered
    assert ("Pod", "pod is odd", 1) == (one.kind, one.origin, one.count)


def test_other_kinds_are_no_aim() -> None:
    """Objects that no rule of the policy names cannot make it deny."""
    assert [] == shown([], [], info=KindInfo("", "v1", "Node", "nodes", "v1")).aims()
