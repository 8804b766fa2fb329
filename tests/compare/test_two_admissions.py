"""Two validators of admission are compared by their verdicts, and each check keeps its name."""

from __future__ import annotations

from harness.compare.causes.cel_error import CEL_ERROR
from harness.compare.causes.coercion import COERCION
from harness.compare.two_admissions import TwoAdmissions, check_of, encode_verdicts
from harness.field import ErrorType, FieldError

SERVERS = TwoAdmissions("the webhook", "the policies")


def error(detail: str, field: str = "", origin: str = "") -> FieldError:
    """A denial."""
    return FieldError(ErrorType.INVALID, field, detail, origin)


def test_one_denies() -> None:
    """Every denial of the one that rejects is a difference."""
    after, before = encode_verdicts([error("a", origin="p.validations[0]"), error("b", "spec.b")], [])
    assert ([True, True], ()) == ([one.covered for one in after], before)
    after, before = encode_verdicts([], [error("b", "spec.b")])
    assert ((), ["spec.b"]) == (after, [one.field for one in before])


def test_both_deny() -> None:
    """Nothing differs, and each is known to have reported its own; what both say of one path is said by both."""
    after, before = encode_verdicts([error("a", "spec.a"), error("b")], [error("c", "spec.a"), error("d")])
    assert ([("a", ""), ("b", "beta"), ("c", ""), ("d", "alpha")], ()) == ([(e.detail, e.level) for e in after], before)
    assert SERVERS.is_agreement(after, before)


def test_one_denies_where_the_other_raised() -> None:
    """That is another difference than a denial where a rule answers; the check is known as before."""
    raised = [error("no such key: a", origin="q.validations[0] raises")]
    named, bare = error("b", origin="p.validations[1]"), error("c", "spec.c")
    after, before = encode_verdicts([named, bare], [], raised)
    assert ["p.validations[1] while q.validations[0] raises", "while q.validations[0] raises"] == [
        one.origin for one in after
    ]
    assert (["p.validations[1]", ""], ()) == ([check_of(one.origin) for one in after], before)
    assert ["the rule raises", "odd while p"] == [check_of(origin) for origin in ("the rule raises", "odd while p")]


def test_the_name_of_a_check() -> None:
    """Without a path and an origin, the words that do not speak of the object tell one check from another."""
    [_, (first, second, third)] = encode_verdicts(
        [],
        [
            error('hostPort (container "a" uses hostPort 80)'),
            error('hostPort (container "(" uses 8080)'),
            error("privileged"),
        ],
    )
    assert ("hostPort", "hostPort", "privileged") == (first.origin, second.origin, third.origin)


def test_an_error_is_told_once() -> None:
    """Equal denials of several bindings are one."""
    after, _ = encode_verdicts([error("a", origin="p"), error("a", origin="q")], [])
    assert ["p"] == [one.origin for one in after]


def test_the_words_of_a_difference() -> None:
    """A denial without a path is told with the validation that denies."""
    assert "the policies alone reports Invalid value: no (p.validations[1])" == SERVERS.describe_alone(
        error("no", origin="p.validations[1]"), "handwritten"
    )
    assert "the webhook alone reports spec.a: Invalid value: no" == SERVERS.describe_alone(
        error("no", "spec.a"), "declarative"
    )


def test_its_causes() -> None:
    """They are those of servers, and not of validators in Python."""
    assert CEL_ERROR.servers is SERVERS.finder_of(CEL_ERROR)
    assert SERVERS.finder_of(COERCION) is not COERCION.validators
