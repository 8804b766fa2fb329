"""A change as text: hostile names are escaped, long lists are cut with a count."""

from __future__ import annotations

from pathlib import Path

from harness.diagnostics import Diagnostic, Position
from harness.verify.change import (
    Change,
    ChangedFile,
    FieldPath,
    KindName,
    Reason,
    Revision,
    StaleFile,
    TouchedField,
    TouchedKind,
)
from harness.verify.view import rows_of

EVIL = "\x1b[31mred\u202e"
PLACE = Position(f"a/{EVIL}.go", 3, 4)
SHIP = KindName("fleet.example.com", "v1", "Ship")


def change(number: int, whole: bool = False) -> Change:
    """Make a change that touches some fields and kinds, all with a hostile word in them."""
    reason = Reason("handwritten", "check removed", f"f: {EVIL} is gone", PLACE, in_base=True, certain=False)
    kinds = [KindName("fleet.example.com", "v1", f"Ship{one}") for one in range(number)]
    fields = [
        TouchedField(f"k8s.io/api/fleet/v1.T{one}", "F", "f", tuple(FieldPath(kind, f"spec.f{EVIL}") for kind in kinds),
                     (reason,), position=PLACE)
        for one in range(number)
    ]  # fmt: skip
    return Change(
        checkout=Path(f"/tmp/{EVIL}"),
        layout="kubernetes",
        base=Revision(EVIL, "1" * 40, EVIL),
        head=Revision("HEAD", "2" * 40, EVIL),
        files=(ChangedFile(f"a/{EVIL}.go", "types", "modified", committed=False),),
        fields=tuple(fields),
        kinds=tuple(TouchedKind(kind, ("spec.f",), reasons=(reason,), whole=whole) for kind in kinds),
        diagnostics=(Diagnostic(PLACE, "some-code", EVIL, EVIL, EVIL, EVIL),),
        not_regenerated=(StaleFile("z.go", "k8s.io/api/fleet/v1.T", EVIL, EVIL, PLACE, "run this", edited=True),),
        notes=(EVIL,),
        left_out=(EVIL,),
    )


def test_hostile_names() -> None:
    """Nothing that repaints a terminal comes through, wherever it stands."""
    text = "\n".join(rows_of(change(3, whole=True)))
    assert "\\x1b[31mred" in text
    assert not {"\x1b", "\u202e"} & set(text)


def test_long_lists_are_cut() -> None:
    """Of many fields and kinds the first are shown, and the number of the rest is said."""
    rows = list(rows_of(change(100)))
    assert len(rows) < 400
    assert "  … 40 more" in rows
    assert any("and 94 more" in row for row in rows)


def test_what_is_said() -> None:
    """Where, what and how sure: base and head, files not committed, reasons of the base, guesses, what to run."""
    text = "\n".join(rows_of(change(1)))
    for words in (
        "base   111111111111",
        "1 file not committed",
        "files  1 types",
        "1 field touched, in 1 kind:",
        "check removed:",
        "(uncertain)",
        "of the base]",
        "generated code was edited by hand:",
        "  fix: run this",
        "lint: 1 diagnostic",
        "left out by --field:",
    ):
        assert words in text


def test_whole_kinds_of_one_reason_stand_together() -> None:
    """Kinds that count as a whole for the same reason are one entry."""
    text = "\n".join(rows_of(change(3, whole=True)))
    assert "as a whole: fleet.example.com/v1 Ship0, fleet.example.com/v1 Ship1, fleet.example.com/v1 Ship2" in text
