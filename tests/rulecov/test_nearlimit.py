"""Why no object at the limit of a rule was accepted: the errors of the one that has the fewest."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.case import Failure, Json
from harness.field.unaccepted import ErrorAt, Unaccepted
from tests.rulecov.watching import error, root, watched

PORT = root('maximum=10; optional | P *int32 `json:"p"`')
TOO_LARGE = error("p", "Invalid", "maximum")
AT_Q = ErrorAt("q", "FieldValueRequired")


def required(*paths: str) -> tuple[ErrorAt, ...]:
    """Errors of required fields."""
    return tuple(ErrorAt(path, "FieldValueRequired") for path in paths)


def test_an_object_at_the_limit_is_rejected_for_another_error(tmp_path: Path) -> None:
    """An error of both sides counts once, at whichever index."""
    seen = watched(tmp_path, PORT)
    again = error("q[1]", "Required")
    seen.show({"p": 10}, declarative=(error("q[0]", "Required"), again), handwritten=(again,))
    assert {"p": Unaccepted("rejected", 1, required("q[*]"))} == seen.unaccepted()


def test_errors_of_the_handwritten_side_are_told_at_paths_of_the_version(tmp_path: Path) -> None:
    """An error that both sides report at paths of their own form is one."""
    seen = watched(tmp_path, PORT, normalization=((r"^q$", "exactly.q"),))
    seen.show({"p": 10}, declarative=(error("exactly.q", "Required"),), handwritten=(error("q", "Required"),))
    assert {"p": Unaccepted("rejected", 1, required("exactly.q"))} == seen.unaccepted()


def test_the_object_with_the_fewest_errors_is_kept(tmp_path: Path) -> None:
    """At most three errors are named, and all are counted; more errors later change nothing."""
    seen = watched(tmp_path, PORT)
    many = tuple(error(name, "Required") for name in "edcba")
    seen.show({"p": 10}, handwritten=many)
    assert {"p": Unaccepted("rejected", 5, required("a", "b", "c"))} == seen.unaccepted()
    seen.show({"p": 10}, handwritten=many[:2])
    seen.show({"p": 10}, handwritten=many)
    assert {"p": Unaccepted("rejected", 2, required("d", "e"))} == seen.unaccepted()
    seen.show({"p": 10}, handwritten=many[4:])
    seen.show({"p": 10}, handwritten=many[:1])
    assert {"p": Unaccepted("rejected", 1, required("a"))} == seen.unaccepted()


def test_an_accepted_object_leaves_no_reason(tmp_path: Path) -> None:
    """Nor does one that is rejected after it."""
    seen = watched(tmp_path, PORT)
    wrong = (error("q", "Required"), error("r", "Required"))
    seen.show({"p": 10}, handwritten=wrong)
    seen.show({"p": 10})
    seen.show({"p": 10}, handwritten=wrong)
    assert {} == seen.unaccepted()


@pytest.mark.parametrize("obj", [{"p": 9}, {"p": 11}, {}, None])
def test_an_object_elsewhere_is_no_try(tmp_path: Path, obj: Json) -> None:
    """Only the limit itself counts."""
    seen = watched(tmp_path, PORT)
    seen.show(obj, handwritten=(error("q", "Required"),))
    seen.show(obj, failure=Failure("decode", "why"))
    assert {} == seen.unaccepted()


def test_an_unchanged_value_is_no_try(tmp_path: Path) -> None:
    """Ratcheting skips it."""
    seen = watched(tmp_path, PORT)
    seen.show({"p": 10}, {"p": 10}, handwritten=(error("q", "Required"),))
    assert {} == seen.unaccepted()
    seen.show({"p": 10}, {"p": 9}, handwritten=(error("q", "Required"),))
    assert {"p": Unaccepted("rejected", 1, (AT_Q,))} == seen.unaccepted()


def test_an_object_that_is_beyond_the_limit_as_well_is_no_try(tmp_path: Path) -> None:
    """The rule itself fires, at another item: that says nothing of what stands in the way."""
    seen = watched(tmp_path, root('eachVal=+k8s:maxLength=2 | F []string `json:"f"`'))
    seen.show({"f": ["aa", "aaa"]}, declarative=(error("f[1]", "TooLong", "maxLength"),))
    assert {} == seen.unaccepted()
    seen.show({"f": ["aa", "a"]}, handwritten=(error("f[1]", "TooLong", "maxLength"),))
    assert {"f[*]": Unaccepted("rejected", 1, (ErrorAt("f[*]", "FieldValueTooLong"),))} == seen.unaccepted()


def test_a_failure_is_a_reason_until_an_object_is_rejected(tmp_path: Path) -> None:
    """The stage and the message say what failed."""
    seen = watched(tmp_path, PORT)
    seen.show({"p": 10}, failure=Failure("convert", "too large" + "!" * 500))
    assert ("failed", "convert: too large!") == (seen.unaccepted()["p"].reason, seen.unaccepted()["p"].message[:19])
    assert 200 == len(seen.unaccepted()["p"].message)
    seen.show({"p": 10}, handwritten=(error("q", "Required"), error("r", "Required")))
    seen.show({"p": 10}, failure=Failure("convert", "too large"))
    assert "rejected" == seen.unaccepted()["p"].reason


def test_a_rule_without_a_limit_has_no_reason(tmp_path: Path) -> None:
    """Its field may be anything."""
    seen = watched(tmp_path, root('required | P *int32 `json:"p"`'))
    seen.show({"p": 10}, handwritten=(error("q", "Required"),))
    assert {} == seen.unaccepted()


def test_between_servers_only_the_one_after_decides(tmp_path: Path) -> None:
    """What the server before rejects, and the one after accepts, is accepted."""
    seen = watched(tmp_path, PORT, servers=True)
    seen.show({"p": 10}, handwritten=(error("q", "Required"),), declarative=(TOO_LARGE,))
    assert {"p": Unaccepted("rejected", 1, (AT_Q,))} == seen.unaccepted()
    seen.show({"p": 10}, declarative=(TOO_LARGE,))
    assert {} == seen.unaccepted()
