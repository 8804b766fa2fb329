"""Trusted wordings: what is the same, what is not, and what is said about a bad file."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnostics import InputError
from harness.errormatch import trusted as trusted_module
from harness.errormatch.trusted import NO_WORDINGS, SHIPPED, Wording, Wordings, all_wordings, load_wordings
from harness.field import FieldError


def pair(handwritten: str, declarative: str, kind: str = "FieldValueInvalid") -> tuple[FieldError, FieldError]:
    return FieldError(kind, "a", handwritten), FieldError(kind, "a", declarative)


def test_equal_words_need_no_trust() -> None:
    """The same detail is the same, with or without entries; other words are not."""
    assert NO_WORDINGS.same(*pair("x", "x"))
    assert not NO_WORDINGS.same(*pair("x", "y"))


def test_both_regexes_cover_the_whole_detail() -> None:
    """A regex that matches a part trusts nothing."""
    trusted = Wordings([Wording("too big", "too large", "same")])
    assert trusted.same(*pair("too big", "too large"))
    assert not trusted.same(*pair("far too big", "too large"))
    assert not trusted.same(*pair("too large", "too big"))
    assert not trusted.same(*pair("too big", "\ud800"))


def test_named_groups_must_agree() -> None:
    """Words are trusted, limits are compared."""
    trusted = Wordings([Wording(r"at least (?P<n>\d+)", r">= (?P<n>\d+)", "same")])
    assert trusted.same(*pair("at least 1", ">= 1"))
    assert not trusted.same(*pair("at least 1", ">= 10"))


def test_a_type_narrows_an_entry() -> None:
    """An entry with a type speaks of errors of that type only."""
    trusted = Wordings([Wording(".*", "", "no words", "FieldValueRequired")])
    assert trusted.same(*pair("name is required", "", "FieldValueRequired"))
    assert not trusted.same(*pair("name is wrong", "", "FieldValueInvalid"))


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Details hold values, so the memory forgets, and decides the same again."""
    trusted = Wordings([Wording(r"x(?P<n>\d+)", r"y(?P<n>\d+)", "same")])
    monkeypatch.setattr(trusted_module, "_MAX_CACHED", 10)
    for number in range(100):
        assert trusted.same(*pair(f"x{number}", f"y{number}"))
    assert len(trusted._known) <= 10
    assert trusted.same(*pair("x1", "y1"))


SAME = [
    ("FieldValueRequired", "must be set and greater than 0", "", True),
    ("FieldValueForbidden", "must be nil if the type is Limited", "", True),
    ("FieldValueInvalid", "must be greater than or equal to 1", "", False),
    ("FieldValueInvalid", "must be greater than 0", "must be greater than or equal to 1", True),
    ("FieldValueInvalid", "must be greater than 0", "must be greater than or equal to 0", False),
    ("FieldValueInvalid", "must be at least 3", "must be greater than or equal to 3", True),
    ("FieldValueInvalid", "must be at least 3", "must be greater than or equal to 30", False),
    ("FieldValueInvalid", "must be between 1 and 65535, inclusive", "must be greater than or equal to 1", True),
    ("FieldValueInvalid", "must be between 1 and 65535, inclusive", "must be less than or equal to 65535", True),
    ("FieldValueInvalid", "must be between 1 and 65535, inclusive", "must be less than or equal to 65536", False),
    ("FieldValueInvalid", "updates to provisioner are forbidden.", "field is immutable", True),
    ("FieldValueInvalid", "must be a number", "field is immutable", False),
    ("FieldValueInvalid", "a DNS-1123 label must consist of x", "a lowercase RFC 1123 label must consist of y", True),
    ("FieldValueInvalid", "exactly one value must be specified", "must specify exactly one of: `a`, `b`", True),
    ("FieldValueInvalid", "Approved and Denied are mutually exclusive", "must specify at most one of: `a`", True),
    ("FieldValueInvalid", "must be lower case", "must specify at most one of: `a`, `b`", False),
    ("FieldValueRequired", "when maxFailedIndexes is specified", "must be set when maxFailedIndexes is set", True),
    ("FieldValueRequired", "when maxFailedIndexes is specified", "must be set when minFailedIndexes is set", False),
    ("FieldValueForbidden", "may not be set when a is specified", "may not be set when a is set", True),
    ("FieldValueTooMany", "must have at most 3 addresses", "must have at most 3 items", True),
    ("FieldValueTooLong", "may not be more than 63 bytes", "may not be more than 64 bytes", False),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "handwritten", "declarative", "expected"), SAME)
def test_the_shipped_file(kind: str, handwritten: str, declarative: str, expected: bool) -> None:
    """The wordings we ship trust what real checks say, and no other limit."""
    assert expected == load_wordings(SHIPPED).same(*pair(handwritten, declarative, kind))


def test_every_shipped_entry_has_a_reason() -> None:
    """A reason is a sentence, not a word."""
    entries = load_wordings(SHIPPED).entries
    assert len(entries) > 10
    assert all(len(entry.reason.split()) >= 5 for entry in entries)


OK = "  declarative: b\n  reason: r\n"
BAD = [
    ("- handwritten: (\n" + OK, ["1:16: wording-regex: handwritten is not a regular expression"]),
    ("- handwriten: a\n" + OK, ["did you mean handwritten?", "missing handwritten"]),
    ("- handwritten: a\n  declarative: b\n", ["1:3: wording-missing: missing reason"]),
    ("- handwritten: a\n  type: FieldValueRequird\n" + OK, ["did you mean FieldValueRequired?"]),
    ("- handwritten: a (?: b)\n" + OK, ["put the text between single quotation marks"]),
    ("- handwritten: a\n  declarative: b\n  reason:\n- 3\n", ["wording-value: reason is empty", "4:3: wording-shape"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), BAD)
def test_bad_entries_are_all_reported(tmp_path: Path, text: str, expected: list[str]) -> None:
    """Every mistake of the file is a diagnostic with its line and a fix."""
    file = tmp_path / "trusted_wordings.yaml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        load_wordings(file)
    assert all(part in str(caught.value) for part in expected)


def test_wordings_of_a_project_come_behind_the_shipped_ones(tmp_path: Path) -> None:
    """What the harness trusts holds everywhere; a project's file adds to it."""
    file = tmp_path / "trusted_wordings.yaml"
    file.write_text("- handwritten: too big\n  declarative: too large\n  reason: the same\n", encoding="utf-8")
    shipped, both = all_wordings(None), all_wordings(file)
    assert shipped.entries == both.entries[:-1]
    assert not shipped.same(*pair("too big", "too large"))
    assert both.same(*pair("too big", "too large"))
