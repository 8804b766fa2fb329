"""Lines that are folded to a terminal: no word broken, no id cut, nothing lost."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.text import Text

from harness.reporting.assembly import build_report
from harness.reporting.linewrap import fold
from harness.reporting.terminal import Loudness, summary
from tests.reporting import made


def folded(text: str, width: int) -> list[str]:
    return [piece.plain for piece in fold(Text(text), width)]


@pytest.mark.parametrize("width", [80, 100, 160])
@pytest.mark.parametrize("loudness", list(Loudness))
def test_a_screen_is_no_wider_than_the_terminal_and_breaks_no_word(width: int, loudness: Loudness) -> None:
    """Words and ids are whole, and all of them are there."""
    long = "a sentence of quite a few words that says what was seen, " * 5
    findings = [
        made.finding(
            f"{n:012x}", path=f"spec.template.field{n}.x", detail=long, cause=("no-rule", "masked", "wording")[n % 3]
        )
        for n in range(20)
    ]
    rows = summary(
        build_report(made.result(*findings), replay=lambda f: f"harness replay {f.fingerprint}"), (), loudness
    )
    for row in rows:
        pieces = list(fold(row, width))
        assert all(len(piece.plain) <= width for piece in pieces)
        assert row.plain.split() == " ".join(piece.plain for piece in pieces).split()


def test_a_text_goes_on_below_its_beginning() -> None:
    """Behind the label, or further in than a line without one."""
    assert [
        "   what         one two three four five six",
        "                seven eight nine",
    ] == folded("   what         one two three four five six seven eight nine", 45)
    assert ["tried: " + "word " * 7 + "word", "       word word"] == folded("tried: " + "word " * 10, 46)


def test_a_long_object_is_folded_between_its_members() -> None:
    """And anywhere only where it has none."""
    text = '   object       {"spec":{"name":"a","size":3,"color":"red"}}'
    assert ['   object       {"spec":{"name":"a","size":3,', '                "color":"red"}}'] == folded(text, 45)
    pieces = folded("x" * 100, 40)
    assert ("x" * 100, True) == ("".join(piece.strip() for piece in pieces), all(len(one) <= 40 for one in pieces))


def test_a_command_stays_one_line() -> None:
    """Whoever copies it gets all of it."""
    row = "   replay       harness replay '/a folder/of/a/report that has a name.json' 0123456789ab"
    assert [row] == folded(row, 60)


def test_wide_characters_count_as_the_columns_that_they_take() -> None:
    """A terminal shows them two columns wide."""
    assert all(cell_len(piece) <= 46 for piece in folded("漢字 " * 40, 46))
