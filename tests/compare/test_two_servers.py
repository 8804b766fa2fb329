"""What changed between two targets: each cause by its experiment, on two validators of a few lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from harness.case import Answer, Case, KindInfo, Operation, TargetInfo, Validated
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compare.given import differing
from harness.compare.judge import judge
from harness.compare.mismatch import Mismatch
from harness.compare.two_servers import TwoServers
from harness.field import FieldError
from harness.subject.targetpair import TargetPair
from harness.targets.target import Closing
from tests.compare.builders import drive

KIND = KindInfo("g", "v1", "T", "ts", "g/v1", composition="shadow", options={"wide": False})
Said = list[tuple[str, str, str]]
Validate = Callable[[dict[str, Any], dict[str, Any] | None, Case], Said]


class Release(Closing):
    """A target of one validator, which may prepare an object before."""

    def __init__(
        self,
        name: str,
        validate: Validate,
        prepare: Callable[[dict[str, Any]], Any] = dict,
        decode: Callable[[dict[str, Any]], Any] = dict,
    ) -> None:
        abilities = ("options", "validated", "modes", "update")
        self.info = TargetInfo("toy", release=name, abilities=abilities, kinds=(KIND,))
        self.validate, self.prepare, self.decode = validate, prepare, decode

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        return [self.answer(case) for case in cases]

    def submit(self, cases: Sequence[Case]) -> Any:
        answers = self.ask(cases)
        return type("Pending", (), {"result": lambda _: answers})()

    def answer(self, case: Case) -> Answer:
        obj = self.decode(case.object)
        obj = obj if case.mode == "given" else self.prepare(obj)
        said = self.validate(obj, case.old, case)
        errors = tuple(FieldError(f"FieldValue{kind}", path, detail) for kind, path, detail in said)
        return Answer(case.id, errors, validated={"v1": Validated("x.T", obj)} if case.validated else {})


def found(
    before: Release, after: Release, new: dict[str, Any], old: dict[str, Any] | None = None, **more: Any
) -> Finding:
    """The first finding of a case that the two are asked."""
    with TargetPair(after, before) as pair:
        operation = Operation.CREATE if old is None else Operation.UPDATE
        asked = Case(1, "g", "v1", "T", operation, new, old, "ts", **more)
        comparator = Comparator(pair.info.kinds[0], comparison=pair.servers)

        def ask(case: Case) -> Answer:
            [one] = pair.ask([case])
            return one

        first = comparator.compare(asked, ask(asked))[0]
        return drive(judge(asked, ask(asked), first, comparator, subject="toys"), ask)


def told(before: Validate, after: Validate, new: dict[str, Any], old: dict[str, Any] | None = None) -> tuple[str, str]:
    """The cause, and the sentence."""
    one = found(Release("1.0", before), Release("2.0", after), new, old)
    return one.cause, one.detail


def silent(new: Any, old: Any, case: Case) -> Said:
    return []


def no_a(new: Any, old: Any, case: Case) -> Said:
    return [("Forbidden", "a", "no")] if "a" in new else []


def test_a_new_rule_and_a_removed_one() -> None:
    """Both directions, each with both names in the sentence, and as bad as it is for users."""
    assert told(silent, no_a, {"a": 1}) == (
        "new-rule",
        "accepted by 1.0, rejected by 2.0: 2.0 alone reports a: Forbidden: no; "
        "1.0 does not report it; no other value was tried",
    )
    assert told(no_a, silent, {"a": 1}) == (
        "rule-removed",
        "rejected by 1.0, accepted by 2.0: 1.0 alone reports a: Forbidden: no; "
        "2.0 does not report it; no other value was tried",
    )
    assert "verdict" == found(Release("1.0", silent), Release("2.0", no_a), {"a": 1}).severity


def at_most(limit: int) -> Validate:
    return lambda new, old, case: [("Invalid", "n", f"at most {limit}")] if new.get("n", 0) > limit else []


def test_a_changed_limit_names_both_limits() -> None:
    """Whichever is stricter; where both reject, the words differ, and that is all users see."""
    cause, detail = told(at_most(10), at_most(5), {"n": 7})
    assert "boundary" == cause
    assert "1.0 rejects a value of 11 or more and 2.0 rejects a value of 6 or more" in detail
    assert detail.startswith("accepted by 1.0, rejected by 2.0")
    cause, detail = told(at_most(5), at_most(10), {"n": 7})
    assert ("boundary", True) == (cause, detail.startswith("rejected by 1.0, accepted by 2.0"))


@pytest.mark.parametrize(
    ("before", "after", "cause", "sentence"),
    [
        (("Invalid", "a", "bad"), ("Invalid", "a", "wrong"), "wording", "1.0 says 'bad', 2.0 says 'wrong'"),
        (("Required", "a", "bad"), ("Required", "a", "wrong"), "wording", "1.0 says 'bad', 2.0 says 'wrong'"),
        (("Invalid", "a", "bad"), ("Forbidden", "a", "bad"), "type", "1.0 reports a: Invalid value: bad, 2.0 a: Forb"),
        (("Invalid", "a", "bad"), ("Invalid", "b.a", "bad"), "path", "1.0 reports it at a, 2.0 at b.a"),
        (
            ("Invalid", "a.b", "bad"),
            ("Required", "a[0].b", ""),
            "path",
            "at a.b, 2.0 at a[0].b, as Required where it was",
        ),
    ],
)
def test_an_error_that_reads_differently(before: Any, after: Any, cause: str, sentence: str) -> None:
    """Words, type and place: rejected by both, one finding, visible."""
    one = found(Release("1.0", lambda *_: [before]), Release("2.0", lambda *_: [after]), {"a": 1})
    assert (cause, "visible", ("1.0", "2.0")) == (one.cause, one.severity, one.between)
    assert one.detail.startswith("rejected by 1.0 and 2.0, with other errors")
    assert sentence in one.detail


def test_a_moved_error_is_told_alike_at_both_places() -> None:
    """Repairing something else does not speak against it."""
    before, after = (lambda *_: [("Invalid", "a", "bad")], lambda *_: [("Invalid", "b", "bad")])
    with TargetPair(Release("2.0", after), Release("1.0", before)) as pair:
        asked = Case(1, "g", "v1", "T", Operation.CREATE, {"a": 1, "b": 1}, None, "ts")
        comparator = Comparator(pair.info.kinds[0], comparison=pair.servers)
        said = pair.ask([asked])[0]

        def ask(case: Case) -> Answer:
            [one] = pair.ask([case])
            return one

        both = [drive(judge(asked, said, m, comparator, subject="t"), ask) for m in comparator.compare(asked, said)]
    assert [("path", "handwritten"), ("path", "declarative")] == [(one.cause, one.side) for one in both]
    assert 1 == len({one.detail.rpartition("; ")[2] for one in both})


def test_an_error_that_comes_once_more() -> None:
    """The same twice is another list."""
    twice = [("Forbidden", "a", "no"), ("Forbidden", "a", "no")]
    one = found(Release("1.0", lambda *_: twice), Release("2.0", no_a), {"a": 1})
    assert ("duplicate", True) == (one.cause, "1.0 reports it once more" in one.detail)


def test_ratcheting_that_changed() -> None:
    """One ratchets what the update did not change; as a create both reject it."""

    def ratcheting(new: Any, old: Any, case: Case) -> Said:
        return [] if old is not None and old.get("a") == new.get("a") else no_a(new, old, case)

    cause, detail = told(no_a, ratcheting, {"a": 1}, {"a": 1})
    assert ("ratcheting", True) == (cause, "2.0 ratchets what the update did not change" in detail)


def test_an_option_that_differs() -> None:
    """With the option turned both serve the same."""

    def gated(new: Any, old: Any, case: Case) -> Said:
        return [] if case.options.get("wide") else no_a(new, old, case)

    cause, detail = told(silent, gated, {"a": 1})
    assert ("gate", True) == (cause, "both agree with the option wide on" in detail)


def without_a(obj: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in obj.items() if name != "a"}


@pytest.mark.parametrize("validated", [False, True])
def test_a_field_that_one_does_not_know(validated: bool) -> None:
    """It reads the object without the field, however the object is taken, and whatever was shown of it before."""
    one = found(Release("1.0", no_a, decode=without_a), Release("2.0", no_a), {"a": 1}, validated=validated)
    assert ("schema", True) == (one.cause, "1.0 does not know the field a" in one.detail)


def test_a_field_that_one_drops_before_it_validates() -> None:
    """Taken as it stands the field is there: a feature gate, probably."""
    one = found(Release("1.0", no_a, prepare=without_a), Release("2.0", no_a), {"a": 1})
    assert ("preparation", True) == (one.cause, "1.0 drops a before it validates" in one.detail)


def test_a_default_that_changed() -> None:
    """Written out, both serve the same; both defaults are told."""

    def wants_one(new: Any, old: Any, case: Case) -> Said:
        return [] if new.get("n") == 1 else [("Invalid", "n", "must be 1")]

    one = found(
        Release("1.0", wants_one, prepare=lambda obj: {"n": 1, **obj}),
        Release("2.0", wants_one, prepare=lambda obj: {"n": 2, **obj}),
        {"b": 1},
    )
    assert ("defaulting", True) == (one.cause, "n is filled in otherwise: 1.0 has 1, 2.0 2" in one.detail)


def test_a_check_that_is_hidden_by_another() -> None:
    """One stops at an error before; without it both agree."""

    def stops(new: Any, old: Any, case: Case) -> Said:
        return [("Forbidden", "b", "never")] if "b" in new else no_a(new, old, case)

    def goes_on(new: Any, old: Any, case: Case) -> Said:
        return [("Forbidden", "b", "never")] * ("b" in new) + no_a(new, old, case)

    cause, detail = told(stops, goes_on, {"a": 1, "b": 1})
    assert ("masked", True) == (cause, "1.0 stops at b: Forbidden: never; without it both agree" in detail)


def test_a_check_that_runs_only_in_some_objects() -> None:
    """Beside another field one of the two does not look."""

    def beside(new: Any, old: Any, case: Case) -> Said:
        return [] if "b" in new else no_a(new, old, case)

    cause, detail = told(beside, no_a, {"a": 1, "b": 1})
    assert ("conditional", True) == (cause, "1.0 does not check beside b" in detail)


@pytest.mark.parametrize(("origin", "expected"), [("", True), ("rules[0]", True), ("rules[1]", False)])
def test_one_server_names_its_rules(origin: str, expected: bool) -> None:
    """An error without an origin may be of any rule; two origins that differ are two rules."""
    comparator = Comparator(KIND, comparison=TwoServers("1.0", "2.0"))
    mismatch = Mismatch("extra", "a", "FieldValueInvalid", "rules[0]", "declarative")
    answer = Answer(0, (FieldError("FieldValueInvalid", "a", "no", origin, covered=True),))
    assert (expected, False) == comparator.reporters(mismatch, answer)


def test_equal_names_are_told_apart() -> None:
    """Two checkouts may call themselves the same."""
    with TargetPair(Release("1.0", silent), Release("1.0", silent)) as pair:
        assert TwoServers("1.0 before", "1.0 after") == pair.servers


def test_differing_places_are_the_outermost() -> None:
    """Members that one lacks, values that differ, lists of another length; never what every server makes up."""
    one = {"a": {"b": 1, "c": [1, 2]}, "metadata": {"uid": "x", "name": "n"}, "d": [1]}
    other = {"a": {"b": 2, "c": [1, 3]}, "metadata": {"name": "n"}, "e": 1, "d": [1, 1]}
    assert [("a", "b"), ("a", "c", 1), ("d",), ("e",)] == list(differing(one, other))
