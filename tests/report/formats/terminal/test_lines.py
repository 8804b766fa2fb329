"""Lines wrapped to the width of a terminal: no word is broken, no ID is cut, nothing is lost."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.text import Text

from harness.report.formats.terminal.lines import fold
from harness.report.formats.terminal.screen import Verbosity, summary
from harness.report.model.assembly import build_report
from tests.report import made


def folded(text: str, width: int) -> list[str]:
    return [piece.plain for piece in fold(Text(text), width)]


@pytest.mark.parametrize("width", [80, 100, 160])
@pytest.mark.parametrize("verbosity", list(Verbosity))
def test_a_screen_fits_the_terminal_without_broken_words(width: int, verbosity: Verbosity) -> None:
    """All words and IDs are there, unbroken."""
    long = "a sentence of quite a few words that says what was seen, " * 5
    findings = [
        made.finding(
            f"{n:012x}", path=f"spec.template.field{n}.x", detail=long, cause=("no-rule", "masked", "wording")[n % 3]
        )
        for n in range(20)
    ]
    rows = summary(
        build_report(made.result(*findings), replay=lambda f: f"harness replay {f.fingerprint}"), (), verbosity
    )
    for row in rows:
        pieces = list(fold(row, width))
        assert all(len(piece.plain) <= width for piece in pieces)
        assert row.plain.split() == " ".join(piece.plain for piece in pieces).split()


def test_a_wrapped_text_has_a_hanging_indent() -> None:
    """It continues below the text after the label, or with a further indent if there is no label."""
    assert [
        "   what         one two three four five six",
        "                seven eight nine",
    ] == folded("   what         one two three four five six seven eight nine", 45)
    assert ["tried: " + "word " * 7 + "word", "       word word"] == folded("tried: " + "word " * 10, 46)


def test_a_long_object_is_folded_between_its_members() -> None:
    """It is broken anywhere only if it has no members."""
    text = '   object       {"spec":{"name":"a","size":3,"color":"red"}}'
    assert ['   object       {"spec":{"name":"a","size":3,', '                "color":"red"}}'] == folded(text, 45)
    pieces = folded("x" * 100, 40)
    assert ("x" * 100, True) == ("".join(piece.strip() for piece in pieces), all(len(one) <= 40 for one in pieces))


def test_a_command_stays_one_line() -> None:
    """It can be copied as a whole."""
    row = "   replay       harness replay '/a folder/of/a/report that has a name.json' 0123456789ab"
    assert [row] == folded(row, 60)


def test_wide_characters_count_as_two_columns() -> None:
    """A terminal shows them two columns wide, so lines have fewer of them."""
    assert all(cell_len(piece) <= 46 for piece in folded("漢字 " * 40, 46))
