"""The HTML page as text: self-contained, safe, and readable without scripts (in a browser: test_browser)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any

import msgspec

from harness.case import Answer, Excluded, Failure, Operation
from harness.report.formats.html.details import MAX_INLINE
from harness.report.formats.html.page import render_html
from harness.report.model.assembly import build_report
from harness.report.model.document import ExceptionEntry, Exceptions
from harness.report.model.moves import Move, Moves
from tests.report import made
from tests.report.ruled import rule, ruled
from tests.report.sections import costing, row, verified, whole


class Reader(HTMLParser):
    """Reads a page as a browser would: elements, their attributes, and the text outside of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Leave a script or style."""
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        """Note a text."""
        if not self._inside:
            self.words.append(data)

    @property
    def text(self) -> str:
        """What a person reads, blanks folded."""
        return " ".join(" ".join(self.words).split())


def read(*args: Any, **more: Any) -> Reader:
    """Render the page of a report, and parse it."""
    return Reader(render_html(build_report(*args, **more)))


def out_of_order(text: str, parts: Sequence[str]) -> str:
    """Return the first part that is not after the parts before it; empty if all are in order."""
    place = 0
    for part in parts:
        place = text.find(part, place)
        if place < 0:
            return part
    return ""


def test_the_page_has_all_of_a_finding() -> None:
    """Mismatch, audience, cause, fix, both lists, both objects, all gate settings and the command are on the page."""
    text = read(made.result(made.finding()), replay=lambda f: f"harness replay r.json {f.fingerprint}").text
    for part in (
        "Not equivalent", "Update of kind Widget (example.io/v1). The handwritten code reports an error",
        "Handwritten spec.size: Invalid value: 3: must be even", "Everybody, once the migration is finished",
        "rejected today and will be accepted then", "and no declarative rule of this version was seen to report it",
        "Declare a rule",
        "This finding. covered: it promises that a rule reports the same, and none does",
        "changed spec.size from 2 to 3", 'set spec.name to "a"', "beta-on today, gate DeclarativeValidationBeta on",
        "✗ rejected", "✓ accepted", "harness replay r.json 0123456789ab", "harness explain no-rule", "seed 1",
    ):  # fmt: skip
        assert part in text, part


def test_the_first_screen_has_verdict_effort_and_causes() -> None:
    """They are in this order, before the first finding."""
    text = read(made.result(made.finding())).text
    parts = ("Not equivalent", "Who would notice", "How hard was tried", "Why they differ: 1 cause", "Findings")
    assert "" == out_of_order(text, parts)
    assert "Not equivalent: widgets_v1" in text


def test_the_page_sends_no_requests() -> None:
    """No element has an external address, and the policy forbids everything that the page does not need."""
    page = read(made.hostile())
    named = [attrs[name] for _, attrs in page.tags for name in ("src", "href", "action") if name in attrs]
    assert not [place for place in named if not str(place).startswith("#")]
    policy = next(a["content"] for t, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_every_link_has_one_target() -> None:
    """Each fragment is the ID of one element, also if a group has open and tolerated findings."""
    findings = [
        made.finding(f"{n:012}", cause=cause, exception="1a2b" if n % 2 else None, owner="a/b.C", member="d")
        for n, cause in enumerate(["no-rule", "no-rule", "masked", "masked"])
    ]
    page = read(made.result(*findings))
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert set() == {(a["href"] or "")[1:] for tag, a in page.tags if tag == "a"} - set(ids)


def test_hostile_texts_stay_text() -> None:
    """Only the page's script runs, no attribute has a handler or style, and no invisible character is left."""
    html = render_html(build_report(made.hostile()))
    page = Reader(html)
    assert ["application/json", None] == [attrs.get("type") for tag, attrs in page.tags if tag == "script"]
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on") or name == "style"]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e\u2028]", html)
    assert "<script>alert(1)</script>" in page.text


def test_a_clean_run_has_a_page_too() -> None:
    """It has the verdict and the effort, and no filters."""
    page = read(made.result())
    assert "No difference was found" in page.text
    assert "100 cases in 2.0 s" in page.text
    assert not [attrs for tag, attrs in page.tags if attrs.get("id") == "tools"]


def test_the_page_states_that_nothing_was_compared() -> None:
    """A run without comparisons must not look like a run without differences."""
    assert "nothing can be said about equivalence" in read(made.result(compared=0)).text


def test_long_texts_say_how_much_is_shown() -> None:
    """Long objects, messages and paths are cut, so that pages stay small."""
    long = "x" * 100_000
    case = made.finding().case.__class__(
        1, "example.io", "v1", "Widget", Operation.CREATE, {"a": ["x" * 100] * 20_000, long: long}, None, "widgets"
    )
    finding = made.finding(
        case=case, detail=long, fix=long, path=f"spec[{long}]", origin=long, source=long,
        answer=Answer(1, handwritten=(made.error(long, detail=long, origin=long),)),
    )  # fmt: skip
    html = render_html(build_report(made.result(finding)))
    assert len(html) < 400_000
    assert "Shown: the first 1,500 of 20,00" in html
    assert "(shown: the first 2,000 of 100,000 characters)" in html


def test_a_failure_is_shown_with_its_stage() -> None:
    """A failed answer has no error lists."""
    finding = made.finding(
        cause="panic", mismatch="panic", answer=Answer(1, failure=Failure("declarative", "nil map", panic=True))
    )
    text = read(made.result(finding)).text
    assert "A validator crashed on this object: declarative: nil map" in text
    assert "What each side reports" not in text


def test_exclusions_and_exceptions_are_listed() -> None:
    """Excluded resources, tolerated findings and failing exceptions are listed with their reasons."""
    entry = ExceptionEntry("1a2b", "widgets_v1", "known since March", "sig-example", "2027-01-31")
    excluded = Excluded("example.io", "v1", "gadgets", "has no strategy")
    text = read(
        made.result(made.finding(exception="1a2b"), excluded=(excluded,)),
        exceptions=Exceptions("f.yaml", used=(entry,), unused=(entry,)),
    ).text
    for part in (
        "has no strategy", "Tolerated for now by exception 1a2b : known since March", "Exceptions that must go",
        "Tolerated by exceptions", "Exceptions in use",
    ):  # fmt: skip
        assert part in text, part


def test_the_first_findings_need_no_script_and_the_rest_is_packed() -> None:
    """The first findings of groups come first; without scripts the page states that the others are missing."""
    many = [made.finding(f"{n:012}", path=f"a.f{n // 3}", owner=f"p.T{n // 3}") for n in range(MAX_INLINE * 3 + 3)]
    page = read(made.result(*many))
    packed = [attrs["data-packed"] for _, attrs in page.tags if "data-packed" in attrs]
    assert len(many) - MAX_INLINE == len(packed) == len(set(packed))
    assert len(packed) // 40 + 1 == sum(attrs.get("class") == "chunk" for _, attrs in page.tags)
    assert f"only the first {MAX_INLINE} findings have their details here" in page.text
    assert MAX_INLINE == page.text.count("What is wrong")
    assert "only the first" not in read(made.result(*many[:50])).text


def test_every_word_of_a_finding_is_explained() -> None:
    """All severities, causes and kinds of mismatch that occur have an explanation on the page."""
    text = read(made.result(made.finding())).text
    for part in (
        "the verdict changes once the migration is finished",
        "and no declarative rule of this version was seen to report it.",
        "unmatched A handwritten error is marked as covered, and no declarative error matches it.", "covered A mark on",
    ):  # fmt: skip
        assert part in text, part


def test_many_findings_begin_with_a_list_of_causes() -> None:
    """Each cause has its summary, its number of findings and its severity, and links to its findings."""
    causes = ("no-rule", "masked", "origin", "path")
    page = read(made.result(*(made.finding(f"{n:012}", path=f"a.f{n}", cause=causes[n % 4]) for n in range(20))))
    assert "or took another branch. 5 5 graduation" in page.text
    assert "#c-masked" in {attrs["href"] for tag, attrs in page.tags if tag == "a"}


def test_two_targets_are_compared_by_changes_for_users() -> None:
    """Changes are listed by direction, and each finding has the errors of both targets."""
    move = Move("newly-rejected", "boundary", "WidgetSpec.size", "now rejected: 3", ("v1 widgets update",), ("0" * 12,))
    moves = (Moves("widgets_v1", "1.36.3", "1.37.1", {}, {}, (move,), ("v1 gadgets",)),)
    between = ("1.36.3", "1.37.1")
    report = build_report(made.result(made.finding("0" * 12, between=between), between=between))
    text = Reader(render_html(msgspec.structs.replace(report, moves=moves))).text
    parts = (
        "Users of 1.36.3 and users of 1.37.1 were asked the same 100 cases",
        "What users of 1.36.3 see when they move to 1.37.1", "1 change", "WidgetSpec.size",
        "boundary", "Now rejected: 3", "Served by 1.36.3 only", "v1 gadgets", "What is wrong", "read different errors",
        "1.36.3 1.37.1 How they relate",
    )  # fmt: skip
    assert "" == out_of_order(text, parts)


def test_rules_are_listed_by_kind_with_their_coverage() -> None:
    """Each row has the letters of its missing observations for the filter, and is readable without scripts."""
    page = render_html(ruled(rule(declarative=("create",), rejected=True, first=1.5), rule(path="spec.b")))
    assert "1 of 2 fired" in page
    assert 'data-s="HA"' in page
    assert 'data-s="FHAR"' in page
    assert "Handwritten checks without a rule" in page


def test_without_rules_there_is_no_section() -> None:
    """A report without rules has no section on rules."""
    assert 'id="rules"' not in render_html(build_report(made.result()))


def test_texts_of_rules_are_escaped() -> None:
    """They come from untrusted types and programs."""
    page = render_html(ruled(rule(path=made.HOSTILE, cannot=made.HOSTILE), lost=True, hostile=made.HOSTILE))
    assert "<script>alert" not in page
    assert "\x1b" not in page


def test_a_verdict_on_a_change_comes_first() -> None:
    """Each field has its verdict, reasons, effort, rules, findings, and changes for users."""
    text = Reader(render_html(whole())).text
    parts = (
        "Not fit to merge as it is", "Verdict per field", "WidgetSpec.Size ✗ different",
        "Who would notice", "The change",
        "Generated code is not up to date", "Run make generated", "What is wrong with the tags", "(a guess)",
        "+k8s:maximum=9", "accepted at its limit, 9", "graduation no-rule", "What changes for users",
        "was accepted, is now rejected", "Changed: new", "1 finding that the base has too", "What was left out",
        "Findings that only the head has", "What is wrong Update of kind Widget",
    )  # fmt: skip
    assert "" == out_of_order(text, parts)


def test_a_change_that_touches_nothing_has_one_sentence() -> None:
    """The page has nothing on the search, because there was none."""
    text = Reader(render_html(verified(findings=0, nothing_touched="Only a comment was changed."))).text
    assert "✓ Nothing touched" in text
    assert "No difference was found" not in text


def test_a_measured_cost_comes_first() -> None:
    """It has the answer, the plot, and a table; differences found during the search come later."""
    page = Reader(render_html(costing(row(1, 700.0), row(2, 9000.0), findings=1)))
    parts = (
        "What declarative validation costs", "It costs little", "Kind by kind", "g/v2 widgets create",
        "g/v1 widgets create",
        "The same as a table", "Over all kinds", "gadgets update: nothing changes it", "Findings",
        "They are not what this report is about",
    )  # fmt: skip
    assert "" == out_of_order(page.text, parts)
    assert ("svg", "img") in [(tag, attrs.get("role")) for tag, attrs in page.tags]


def test_texts_of_sections_are_escaped() -> None:
    """They come from untrusted commits, types and programs; links have targets on the page."""
    for report in (whole(made.HOSTILE), costing(row(1, 7.0, made.HOSTILE), text=made.HOSTILE)):
        html = render_html(report)
        page = Reader(html)
        assert "<script>alert" not in html
        assert "\x1b" not in html
        ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
        assert len(ids) == len(set(ids))
        assert set() == {(a["href"] or "")[1:] for tag, a in page.tags if tag == "a"} - set(ids)
