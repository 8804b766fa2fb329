"""Code coverage on the HTML page: what no case reached, bounded, escaped, and packed beyond the first tables."""

from __future__ import annotations

import base64
import json
import re
import zlib

import msgspec

from harness.case import Case, Operation
from harness.report.formats.html.code import MAX_BLOCKS, MAX_FIELDS, MAX_FUNCTIONS, MAX_OBJECTS
from harness.report.formats.html.page import render_html
from harness.report.model.code import BlockEntry, FunctionEntry, NearestObject
from harness.report.model.fields import FieldErrors, MissedCall
from harness.report.text.code import code_table, field_table
from tests.report import made
from tests.report.covered import FIRST, PACKAGE, WHOLE, covered, function
from tests.report.formats.html.test_page import Reader


def near(number: int, text: str = "", old: object = None) -> NearestObject:
    """Return a case that reached line 4."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    return NearestObject("p", 4, Case(number, "apps", "v1", "Deployment", operation, {"n": text}, old, "deployments"))


def missed(line: int, nearest: NearestObject | None = None) -> BlockEntry:
    """Return a block that was not reached."""
    return BlockEntry((line, 1), (line, 9), 1, errors=(("Invalid", f"f{line}"),), nearest=nearest)


def pieces(page: str) -> list[str]:
    """Return what is packed in a page."""
    chunks = re.findall(r'class="chunk">([^<]*)<', page)
    return [piece for chunk in chunks for piece in json.loads(zlib.decompress(base64.b64decode(chunk)))]


def test_blocks_that_were_not_reached_are_told_by_package_and_function() -> None:
    """With lines, condition, errors and reason; what was reached whole is left out, and all of it is closed."""
    page = Reader(render_html(covered()))
    told = (
        "5-7 1 if spec.Size > 9 Invalid at name Invalid at (path of the caller) No reason is known –",
        f"{PACKAGE} 3 of 4 statements reached (75.0%)",
        "validation.go:3 ValidateSpec 3 of 4 statements reached (75.0%)",
    )  # fmt: skip
    assert [] == [part for part in told if part not in page.text]
    assert "k8s.io/x/validation" not in page.text
    folds = [attrs for tag, attrs in page.tags if tag == "details" and attrs.get("class") in ("code", "fold packed")]
    assert 3 == len(folds)
    assert not any("open" in attrs for attrs in folds)
    assert "#code" in {attrs["href"] for tag, attrs in page.tags if tag == "a"}


def test_errors_are_told_by_field() -> None:
    """Of each field how many calls were reached and where the others are; fields with such come first."""
    whole = BlockEntry((1, 2), (2, 9), 1, reached=True, errors=(("Required", "a"),))
    text = Reader(render_html(covered(FIRST, function("ValidateWhole", whole)))).text
    rows = (
        "(path of the caller) 0 of 1 Invalid at validation.go:5 ValidateSpec "
        "name 1 of 2 Invalid at validation.go:5 ValidateSpec a 1 of 1 –"
    )
    assert rows in text


def test_errors_are_told_by_the_fields_of_kinds() -> None:
    """Where they are known, in place of the tables of packages."""
    call = MissedCall(f"{PACKAGE}/validation.go", 5, "ValidateSpec", ("FieldValueInvalid",), "validation.go:9")
    fields = (FieldErrors("kubernetes", "Pod", "", 2), FieldErrors("kubernetes", "Pod", "spec.size", 1, (call,)))
    text = Reader(render_html(msgspec.structs.replace(covered(FIRST), fields=fields))).text
    assert "Errors by field of Pod 3 of 4 calls reached" in text
    row = "Invalid at validation.go:5 ValidateSpec; for this field by validation.go:9, which was not reached"
    assert f"spec.size 1 of 2 reached {row} (the object) 2 of 2 reached –" in text
    assert "(path of the caller) 0 of 1" not in text


def test_the_page_and_the_terminal_tell_the_same() -> None:
    """Functions, reasons, and calls of fields have one wording."""
    fact = "the gate A is on in every setting of the run"
    gated = function("Gated", BlockEntry((8, 2), (9, 9), 2, sort="gate", reason=fact, behind="line 7"))
    silent = function("Old", missed(12), reason="no code of the release calls it")
    text = Reader(render_html(covered(FIRST, gated, silent))).text.casefold()
    rows = [
        *code_table((FIRST, gated, silent), unseen=True),
        *field_table(covered(FIRST, gated, silent), (), unseen=True),
    ]
    told = [row.strip().removeprefix("reason: ") for row in rows if "reason" in row or "reaches" in row]
    told += [row.split("reached: ")[1] for row in rows if "not reached: Invalid" in row]
    told += [row.strip().replace(": ", " ") for row in rows if "validation.go" in row and "%" in row]
    assert 9 == len(told)
    assert [] == [row for row in told if row.casefold() not in text]


def test_the_nearest_object_is_packed_once() -> None:
    """Also if several blocks and functions have it; each block says which line it reached."""
    shared, update = near(1, "shared"), near(2, "new", {"n": "old"})
    one = function("A", missed(5, shared), missed(6, update), missed(7, shared), missed(8))
    html = render_html(covered(one, function("B", missed(9, shared))))
    objects = pieces(html)
    assert [1, 0] == [piece.count("shared") for piece in objects]
    assert "Old object" in objects[1]
    text = Reader(html).text
    assert 2 == text.count("Object 1: create of apps/v1 deployments")
    assert "Object 2: update of apps/v1 deployments" in text
    assert ["1", "2", "1", "1"] == re.findall(r"No reason is known (\d), reached line 4", text)


def test_what_is_embedded_is_bounded_and_the_rest_is_counted() -> None:
    """Blocks of a function, functions of a package, fields of a package, and objects."""
    blocks = [missed(n, near(n, "x")) for n in range(1, MAX_FIELDS + 3)]
    functions = [function(f"F{n}", missed(n, near(1000 + n, "y"))) for n in range(1, MAX_FUNCTIONS + 3)]
    pages = [
        render_html(covered(function("Large", *blocks))),
        render_html(covered(*functions)),
        render_html(
            covered(*(function(f"G{n}", missed(n, near(n)), package=f"p{n % 5}") for n in range(MAX_OBJECTS + 4)))
        ),
    ]
    texts = [Reader(page + "".join(pieces(page))).text for page in pages]
    assert f"And {len(blocks) - MAX_BLOCKS} blocks more" in texts[0]
    assert "And 2 fields more" in texts[0]
    assert "And 2 functions more" in texts[1]
    assert 4 == texts[2].count("which the report file has")


def test_a_release_with_a_thousand_blocks_has_a_small_page() -> None:
    """The tables beyond the first are packed, and so are all objects."""
    functions = [
        function(f"Validate{n}", *(missed(m, near(n, "text " * 60)) for m in range(4)), package=f"k8s.io/p{n % 20}")
        for n in range(250)
    ]
    html = render_html(covered(*functions))
    assert 100 == html.count("Blocks of Validate") + html.count('aria-label="Errors by field')
    assert len(html) - len(render_html(covered(WHOLE))) < 500_000
    assert len(html) < len(render_html(covered(*functions), at_once=10_000))


def test_no_section_without_blocks_that_were_not_reached() -> None:
    """Nothing is shown if code was not measured, or if all was reached."""
    assert 'id="code"' not in render_html(covered(WHOLE))


def test_texts_of_code_are_escaped() -> None:
    """They come from sources and objects."""
    block = BlockEntry(
        (5, 1), (6, 1), 1, condition=made.HOSTILE, errors=((made.HOSTILE, made.HOSTILE),), reason=made.HOSTILE,
        behind=made.HOSTILE, nearest=near(1, made.HOSTILE),
    )  # fmt: skip
    hostile = FunctionEntry("k", f"{made.HOSTILE}/v.go", made.HOSTILE, (block,), "")
    html = render_html(covered(hostile))
    whole = html + "".join(pieces(html))
    assert "<script>alert" not in whole
    assert "\x1b" not in whole
    assert 5 < whole.count("&lt;script&gt;alert")
