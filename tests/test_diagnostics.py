"""Diagnostics say where, what, why and how to fix."""

from __future__ import annotations

from harness.diagnostics import Diagnostic, HarnessError, InputError, Position, TargetError, near_miss


def test_a_position_shows_what_is_known() -> None:
    """File, line and column are joined by colons; what is unknown is left out."""
    assert str(Position("types.go")) == "types.go"
    assert str(Position("types.go", 3)) == "types.go:3"
    assert str(Position("types.go", 3, 7)) == "types.go:3:7"


def test_a_diagnostic_marks_the_place() -> None:
    """The caret stands under the column, a tab counting as one column."""
    diagnostic = Diagnostic(
        Position("t.go", 4, 5), "tag-payload", "needs a number", why="w", fix="f", source="\t// x", width=2
    )
    assert str(diagnostic) == "t.go:4:5: tag-payload: needs a number\n     // x\n        ^^\n  why: w\n  fix: f"
    assert str(Diagnostic(Position("t.go"), "c", "m")) == "t.go: c: m"
    assert str(Diagnostic(Position("t.go", 1), "c", "m", source="s")) == "t.go:1: c: m\n    s"


def test_an_input_error_carries_every_diagnostic() -> None:
    """All diagnostics are kept as records and shown in the message."""
    both = [Diagnostic(Position("a"), "x", "one"), Diagnostic(Position("b"), "y", "two")]
    error = InputError(both)
    assert tuple(both) == error.diagnostics
    assert str(error) == "a: x: one\nb: y: two"
    assert isinstance(error, HarnessError)


def test_a_target_error_says_why_and_how_to_fix() -> None:
    """What is known is shown, and nothing else."""
    assert str(TargetError("no Go", "not on PATH", "install it")) == "no Go\n  why: not on PATH\n  fix: install it"
    assert str(TargetError("no Go")) == "no Go"


def test_a_near_miss_is_suggested() -> None:
    """A misspelt word gets the closest known one; a far one gets nothing."""
    assert near_miss("maxLenght", ["maxLength", "minItems"]) == "did you mean maxLength?"
    assert near_miss("zzz", ["maxLength"]) == ""
