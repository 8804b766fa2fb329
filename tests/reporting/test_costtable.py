"""The cost of validation on one screen, and as Markdown; whatever kinds are called."""

from __future__ import annotations

from html import unescape

import msgspec

from harness.reporting.assembly import build_report
from harness.reporting.cost import Cost, CostRow, CostSum, Interval, PartCost, Unmeasured
from harness.reporting.costtable import MANY, WORST, cost_screen
from harness.reporting.markdown import render_markdown
from tests.reporting.made import HOSTILE, result

HALF = Interval(0.5, 0.4, 0.6)
PARTS = {
    name: PartCost(Interval(time, time, time), 12, 345)
    for name, time in (("handwritten", 2000.0), ("convert", 500.0), ("declarative", 1000.0), ("both", 4000.0))
}


def made(rows: int = 3, resource: str = "widgets", busy: float = 0.1) -> Cost:
    """A section with so many kinds; the last costs most."""
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
    """The part of a summary that tells the cost."""
    page = render_markdown(msgspec.structs.replace(build_report(result()), cost=cost))
    return page[page.index("## What declarative validation costs") :]


def test_the_screen_is_one_screen() -> None:
    """However many kinds there are: the answer, the sums, the most expensive first, and how it was measured."""
    rows = [row.plain for row in cost_screen(made(200))]
    assert "It costs little" == rows[0]
    assert len(rows) <= 45
    assert "0.50 (0.40–0.60)" in rows[3]
    assert "50%" in rows[3]
    assert "12 + 12" in rows[3]
    assert rows[6].lstrip().startswith("g/v199 widgets create, 99 bytes")
    assert 2 * WORST == sum("99 bytes" in row for row in rows)


def test_a_busy_machine_is_told() -> None:
    """Numbers of a busy machine are shown with that warning, those of a quiet one without."""
    assert "the machine was busy (9.0 and 9.0 processes wanted 2 cores)" in "\n".join(
        row.plain for row in cost_screen(made(busy=9.0))
    )
    assert not any("busy" in row.plain for row in cost_screen(made()))


def test_what_was_not_measured_is_named() -> None:
    """With the reason."""
    assert any("not measured: widgets update: nothing changes it" in row.plain for row in cost_screen(made()))


def test_hostile_names_stay_text() -> None:
    """Neither the terminal nor Markdown takes anything of a kind's name for its own."""
    screen = "".join(row.plain for row in cost_screen(made(resource=HOSTILE)))
    assert not {"\x1b", "\x07", "\u202e"} & set(screen)
    text = cost_markdown(made(resource=HOSTILE + "|*_`"))
    assert "<script" not in text
    assert [6] * 6 == [line.count("|") for line in text.splitlines() if line.startswith("|") and "script" in line]


def test_markdown_has_longer_lists() -> None:
    """The same tables, each row a row of Markdown."""
    text = cost_markdown(made(200))
    assert 2 * MANY == sum("99 bytes" in line for line in text.splitlines())
    assert "| valid typical | 200 | 2 µs | 1 µs | 500 ns | 4 µs |" in unescape(text)


def test_nothing_measured_is_said() -> None:
    """Without sums there are no tables, and the answer says why."""
    empty = msgspec.structs.replace(made(0), sums=(), answer="nothing was measured")
    assert "nothing was measured" in cost_markdown(empty)
    assert "| objects" not in cost_markdown(empty)
