"""A fix of handwritten code says where the line that it names serves other fields too."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from harness.case import NEUTRAL, Vocabulary
from harness.engine.checkcallers import add_callers
from harness.engine.checksource import TracedErrors
from harness.subject.deciding import UNREAD, HandwrittenCode
from harness.subject.pythoncallsites import PythonCallSites
from tests.compare.builders import errors
from tests.engine.toldcode import ToldCode, traced_explanation


@pytest.mark.parametrize(
    ("fix", "is_warned"),
    [("take the mark `covered` from x; the handwritten check is v.go:7 in f", True), ("go on", False)],
)
def test_a_mark_in_a_shared_helper_comes_with_its_callers(fix: str, is_warned: bool) -> None:
    """What is changed there is changed for every kind that calls it; other fixes need no warning."""
    found, _ = traced_explanation(True, "spec.a", "v.go:7 in f")
    told = add_callers(
        msgspec.structs.replace(found, fix=fix),
        NEUTRAL,
        ToldCode(("f is called by A (v.go:3)", "B (v.go:5)")),
    )
    assert is_warned == ("called by A (v.go:3), B (v.go:5)" in told.fix)
    assert fix == add_callers(msgspec.structs.replace(found, fix=fix), NEUTRAL, UNREAD).fix
    words = msgspec.structs.replace(found, fix="give the words; the handwritten check is v.go:7 in f", cause="wording")
    calls = "f is called by ValidateA (v.go:3)", "ValidateAUpdate (v.go:5)"
    operations = add_callers(words, NEUTRAL, ToldCode(calls, under="both")).fix
    assert (True, False) == (operations.endswith("make the operation its condition"), "option" in operations)
    assert "called by A" in add_callers(words, NEUTRAL, ToldCode(("f is called by A (v.go:3)", "B (v.go:5)"))).fix
    line = "the handwritten check is v.go:7 in f"
    for cause, told_fix, expected in (
        ("wording", f"give the words; {line}", True),
        ("ratcheting", f"skip what did not change; {line}", True),
        ("ratcheting", f"look at it; {line}, which depends on the old object under `if x` at v.go:2 in g", False),
        ("ratcheting", "declare a key of the list", False),
        ("wrong-path", f"report another name; {line}", False),
    ):
        one = msgspec.structs.replace(found, fix=told_fix, cause=cause)
        code = ToldCode(("f is called by A (v.go:3)", "B (v.go:5)"))
        assert expected == ("called by A" in add_callers(one, NEUTRAL, code).fix)


@pytest.mark.parametrize(("cause", "is_told"), [("wording", True), ("other-value", True), ("boundary", False)])
def test_who_calls_what_hands_an_option_on_is_named_too(cause: str, is_told: bool) -> None:
    """Words are changed by an option that the functions in between hand down: they do it for others as well."""
    found, _ = traced_explanation(True, "spec.a", "v.go:7 in f")
    other, error = (
        msgspec.structs.replace(one, source="v.go:7 in f")
        for one in errors("TooMany@spec.x/maxItems", "TooMany@spec.a/maxItems")
    )
    one = msgspec.structs.replace(found, fix="mend; the handwritten check is v.go:7 in f", cause=cause)
    code, told = (
        ToldCode(("f is called by A (v.go:3)", "B (v.go:5)")),
        f"; {one.kind} also by C (v.go:8); spec.a: change",
    )
    for traced in (TracedErrors([other, error]), TracedErrors(elsewhere=[error])):
        assert is_told == (told in add_callers(one, NEUTRAL, code, traced).fix)
    assert "also by" not in add_callers(one, NEUTRAL, code).fix


def test_what_the_validation_of_a_kind_shares_is_no_other_kinds() -> None:
    """Creates and updates of one object are to have one limit; the words of their errors may be marked apart."""
    found, _ = traced_explanation(True, "spec.a", "v.go:7 in own")
    code = ToldCode(("own is called by A (v.go:3)", "B (v.go:5)"))
    for cause, expected in (("boundary", False), ("ratcheting", False), ("wording", True)):
        one = msgspec.structs.replace(found, fix="mend; the handwritten check is v.go:7 in own", cause=cause)
        assert expected == ("called by A" in add_callers(one, NEUTRAL, code).fix)


@pytest.mark.parametrize(
    ("cause", "told"), [("ratcheting", "many is called by 4 functions of validators"), ("wording", "by A (v.go:3)")]
)
def test_of_many_callers_the_number_is_enough(cause: str, told: str) -> None:
    """Words, marks and origins are another matter: there each caller has to be looked at."""
    found, _ = traced_explanation(True, "spec.a", "v.go:7 in many")
    line = "mend the check; the handwritten check is v.go:7 in many"
    one = msgspec.structs.replace(found, fix=line, cause=cause)
    assert add_callers(one, NEUTRAL, ToldCode(("many is called by A (v.go:3)",))).fix.startswith(f"{line}; ")
    assert told in add_callers(one, NEUTRAL, ToldCode(("many is called by A (v.go:3)",))).fix


CODE = """\
def validate(new):
    errors = [required(path.child(name)) for name in ("a", "b") if name not in new]
    for name, check in (("c", one), ("d", two)):
        errors.append(FieldError("FieldValueInvalid", name))
    return errors + [FieldError("FieldValueInvalid", "e")]
"""


@pytest.mark.parametrize(
    ("line", "call", "rounds"),
    [
        (2, "invalid(...)", 'for name in ("a", "b")'),
        (4, "FieldError(...)", 'for name, check in (("c", one), ("d", two))'),
        (5, "FieldError(...)", ""),
    ],
)
def test_a_mark_in_a_loop_over_names_is_one_for_each(tmp_path: Path, line: int, call: str, rounds: str) -> None:
    """The line is told with its loop, and with the call that stands on it, where that is another one than is usual."""
    (tmp_path / "handwritten.py").write_text(CODE.replace("required(", "invalid("))
    source = f"handwritten.py:{line} in validate"
    found, _ = traced_explanation(True, "spec.a", source)
    words = Vocabulary(mark="covered=True", calls={found.type: "invalid(...)"})
    fix = f"add covered=True to invalid(...) for spec.a in handwritten.py; the handwritten check is {source}"
    told = add_callers(msgspec.structs.replace(found, fix=fix), words, HandwrittenCode(PythonCallSites(tmp_path))).fix
    assert told.startswith(f"add covered=True to {call} for spec.a")
    warning = f"; that line runs for each of `{rounds}`: change it by a condition where not all of them are meant"
    assert (warning if rounds else "") == told.removeprefix(fix.replace("invalid(...)", call))
