"""The page of an upgrade check and its screen: everything that was found, and nothing that a browser would run."""

from __future__ import annotations

import re

import msgspec

from harness.upgrade.document import ChangedObject, ChangeGroup, KindRow, LeftOut, Unread, Upgrade
from harness.upgrade.page import render_page
from harness.upgrade.text import screen
from tests.report.made import HOSTILE

STUCK = ChangeGroup(
    "v1 pods", "stuck", "new-rule", "seen", "Strict=true", ("spec.x: Invalid value",), ("spec.x",), ("update",), 2,
    (ChangedObject("shop/a", "dump.yaml:3", ("update",), ("spec.x: Invalid value",)),),
)  # fmt: skip
REMOVED = ChangeGroup(
    "v1beta1 Widget", "not-served", "not-served", "", "", ("not served any more",), (), ("any",), 1,
    (ChangedObject("b", "dump.yaml:9", ("any",), ()),),
)  # fmt: skip
DOCUMENT = Upgrade(
    1, "0.2.0", "1.36.3", "1.37.1", "", ("dump.yaml",), 4, 12, 1.5, 1, (KindRow("v1 pods", 4, {"stuck": 2}, 1),),
    (STUCK, REMOVED), (LeftOut("example.com/v1 Gadget", "neither serves it", 3, "dump.yaml:20"),),
    (Unread("dump.yaml:30", "the file is cut"),), 1, ("left out: requests of level Metadata: 7",),
)  # fmt: skip


def shown(document: Upgrade) -> str:
    """The screen as text."""
    return "\n".join(row.plain for row in screen(document, ["page.html"]))


def test_both_show_every_fact() -> None:
    """The object, its error, the cause, the gate, what was left out and what could not be read."""
    page = re.sub(r"<[^>]+>", "", render_page(DOCUMENT).decode())
    for text in (page, shown(DOCUMENT)):
        for fact in (
            "2 objects can no longer be updated under 1.37.1", "shop/a", "dump.yaml:3", "spec.x: Invalid value",
            "new-rule", "Strict=true", "example.com/v1 Gadget", "neither serves it", "v1beta1 Widget",
            "level Metadata: 7",
        ):  # fmt: skip
            assert fact in text
    assert "the file is cut" in page
    assert "written: page.html" in shown(DOCUMENT)


def test_what_a_cluster_says_is_not_believed() -> None:
    """Names, errors and reasons are text, on the page and on the screen."""
    hostile = msgspec.convert(
        msgspec.json.decode(msgspec.json.encode(DOCUMENT).replace(b"shop/a", b"NAME").replace(b"spec.x", b"NAME")),
        Upgrade,
    )
    group = msgspec.structs.replace(
        hostile.groups[0], errors=(HOSTILE,), fields=(HOSTILE,), kind=HOSTILE, sentence=HOSTILE,
        objects=(ChangedObject(HOSTILE, HOSTILE, ("update",), (HOSTILE,)),),
    )  # fmt: skip
    left = LeftOut(HOSTILE, HOSTILE, 1, HOSTILE)
    hostile = msgspec.structs.replace(
        hostile, groups=(group,), left_out=(left,), unread=(Unread(HOSTILE, HOSTILE),), sources=(HOSTILE,)
    )
    page = render_page(hostile).decode()
    assert "<script" not in page
    assert not {"\x1b", "\x07", "\u202e"} & {*page, *shown(hostile)}


def test_nothing_found_is_told_as_that() -> None:
    """As far as it was judged."""
    empty = Upgrade(1, "0.2.0", "1.36.3", "1.37.1", "", ("-",), 0, 0, 0.1, 2)
    fine = msgspec.structs.replace(empty, objects=3, exit_code=0)
    assert "No object was judged" in render_page(empty).decode()
    assert "No object changes its verdict" in render_page(fine).decode()
    assert shown(fine).startswith("No object changes its verdict under 1.37.1: 3 objects")
    assert shown(msgspec.structs.replace(fine, exit_code=2)).startswith("Incomplete")
