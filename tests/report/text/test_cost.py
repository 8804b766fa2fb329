"""The cost of validation on one screen and as Markdown, also with hostile names."""

from __future__ import annotations

from html import unescape

import msgspec

from harness.report.formats.markdown import render_markdown
from harness.report.formats.terminal.screen import MAX_COST_ROWS, cost_screen
from harness.report.model.assembly import build_report
from harness.report.model.cost import Cost, CostRow, CostSum, Interval, PartCost, Unmeasured
from harness.report.text.cost import MAX_TABLE_ROWS
from tests.report.made import HOSTILE, result

HALF = Interval(0.5, 0.4, 0.6)
PARTS = {
    name: PartCost(Interval(time, time, time), 12, 345)
    for name, time in (("handwritten", 2000.0), ("convert", 500.0), ("declarative", 1000.0), ("both", 4000.0))
}


def made(rows: int = 3, resource: str = "widgets", busy: float = 0.1) -> Cost:
    """Return a section with this number of kinds; the last one is the most expensive."""
    kinds = tuple(
        CostRow(
            "suite", "g", f"v{number}", "K", resource, "", "create", True, "typical", 99, 0, 25,
            {**PARTS, "declarative": PartCost(Interval(1000.0 + number, 1, 1), 12, 345)}, HALF, HALF,
        )
        for number in range(rows)
    )  # fmt: skip
    sums = (CostSum(True, "typical", rows, PARTS, HALF, HALF, HALF),)
    missing = (Unmeasured("suite", resource, "update", "nothing changes it"),)
    return Cost("cpu", 5, 5, 200_000, 0.95, 2, (busy, busy), "It costs little", sums, kinds, missing)


def cost_markdown(cost: Cost) -> str:
    """Return the section on the cost of the Markdown summary."""
    page = render_markdown(msgspec.structs.replace(build_report(result()), cost=cost))
    return page[page.index("## What declarative validation costs") :]


def test_the_screen_is_one_screen() -> None:
    """It has the answer, medians, the most expensive kinds and the method, however many kinds there are."""
    rows = [row.plain for row in cost_screen(made(200))]
    assert "It costs little" == rows[0]
    assert len(rows) <= 45
    assert "0.50 (0.40–0.60)" in rows[3]
    assert "50%" in rows[3]
    assert "12 + 12" in rows[3]
    assert rows[6].lstrip().startswith("g/v199 widgets create, 99 bytes")
    assert 2 * MAX_COST_ROWS == sum("99 bytes" in row for row in rows)


def test_a_busy_machine_is_reported() -> None:
    """Times of a busy machine have a warning, those of an idle one do not."""
    assert "the machine was busy (9.0 and 9.0 processes wanted 2 cores)" in "\n".join(
        row.plain for row in cost_screen(made(busy=9.0))
    )
    assert not any("busy" in row.plain for row in cost_screen(made()))


def test_kinds_that_were_not_measured_are_listed() -> None:
    """They are listed with the reason."""
    assert any("not measured: widgets update: nothing changes it" in row.plain for row in cost_screen(made()))


def test_hostile_names_are_escaped() -> None:
    """The name of a kind is not interpreted by the terminal or as Markdown."""
    screen = "".join(row.plain for row in cost_screen(made(resource=HOSTILE)))
    assert not {"\x1b", "\x07", "\u202e"} & set(screen)
    text = cost_markdown(made(resource=HOSTILE + "|*_`"))
    assert "<script" not in text
    assert [6] * 6 == [line.count("|") for line in text.splitlines() if line.startswith("|") and "script" in line]


def test_markdown_has_longer_lists() -> None:
    """The tables are those of the screen, with more rows."""
    text = cost_markdown(made(200))
    assert 2 * MAX_TABLE_ROWS == sum("99 bytes" in line for line in text.splitlines())
    assert "| valid typical | 200 | 2 µs | 1 µs | 500 ns | 4 µs |" in unescape(text)


def test_nothing_measured_is_stated() -> None:
    """Without medians there are no tables, and the answer has the reason."""
    empty = msgspec.structs.replace(made(0), sums=(), answer="nothing was measured")
    assert "nothing was measured" in cost_markdown(empty)
    assert "| objects" not in cost_markdown(empty)
