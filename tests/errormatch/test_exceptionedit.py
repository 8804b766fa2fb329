"""Changing equivalence_exceptions.yaml: what is not meant stays to the letter, and two people rarely collide."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.compare.finding import CAUSE_CODES
from harness.diagnostics import InputError, Position
from harness.errormatch.exceptionedit import ExceptionText, read_text, render
from harness.errormatch.exceptionentry import PLACE, SCOPE, ExceptionSpec, GroupRule, identity
from harness.errormatch.exceptionfile import load_exceptions

TODAY = date(2026, 11, 21)
FILE = """\
# What everybody should know.
# In two lines.

# about apples
- suite: a_v1
  kind: Apple
  path: spec.size
  type: FieldValueInvalid
  origin: ""
  mismatch: extra
  cause: no-counterpart
  severity: visible
  reason: it   is odd   # and somebody said so
  owner: sig-a
  until: 2027-01-31

# about pears:
# two lines
- suite: a_v1
  place: k8s.io/api/core.Pear
  cause: ratcheting
  side: handwritten
  rules:
  - color FieldValueRequired unmatched graduation
  # people asked about the stem
  - stem FieldValueRequired unmatched graduation  # twice
  reason: >-
    a long
    story
  owner: "sig-b"
  until: 2027-02-28
# the end
"""


def entry(kind: str = "Banana", **more: object) -> ExceptionSpec:
    scope = dict(zip(SCOPE, (kind, "spec.x", "FieldValueInvalid", "", "extra", "no-counterpart"), strict=True))
    made = ExceptionSpec(
        identity("a_v1", scope, "visible", False), "a_v1", scope, "visible", (), "why", "me", date(2027, 1, 31), "",
        Position(""),
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]  # the tests give fields of an entry


def group(place: str, *rules: GroupRule) -> ExceptionSpec:
    scope = dict(zip(PLACE.values(), (place, "ratcheting", "handwritten"), strict=True))
    return replace(entry(), id=identity("a_v1", scope, "", True), scope=scope, rules=rules)


def write(tmp_path: Path, content: str = FILE) -> Path:
    file = tmp_path / "equivalence_exceptions.yaml"
    file.write_text(content)
    return file


def changed(file: Path, *entries: ExceptionSpec) -> str:
    text, _ = read_text(file, TODAY, CAUSE_CODES)
    for one in entries:
        text.add(one)
    text.write(TODAY)
    return file.read_text()


def test_an_entry_is_put_where_it_belongs(tmp_path: Path) -> None:
    """Between the entries that come before and after it, and every other byte is as it was."""
    after = changed(write(tmp_path), entry())
    place = after.index("- suite: a_v1\n  kind: Banana")
    assert after.replace(render(entry()), "") == FILE
    assert after.index("kind: Apple") < place < after.index("# about pears")


def test_the_first_and_the_last(tmp_path: Path) -> None:
    """Comments at the top stay at the top, and a missing newline at the end is added."""
    after = changed(
        write(tmp_path, FILE.removesuffix("\n")),
        entry("Aardvark"),
        group("z.Zebra", GroupRule("", "T", "", "extra", "shadow")),
    )
    assert after.startswith("# What everybody should know.\n# In two lines.\n\n- suite: a_v1\n  kind: Aardvark\n")
    assert "# the end\n- suite: a_v1\n  place: z.Zebra\n" in after
    assert "# about apples\n- suite: a_v1\n  kind: Apple" in after


@pytest.mark.parametrize(
    "content", ["[]\n", "# a\n# b\n[]\n", "# a\n\n[]\n", "", "null\n", "# only a comment\n", "[ ]"]
)
def test_an_empty_file_is_filled_and_emptied(tmp_path: Path, content: str) -> None:
    """The comments at its top stay; without an entry it is an empty list."""
    file = write(tmp_path, content)
    after = changed(file, entry())
    head = "".join(line + "\n" for line in content.splitlines() if line.startswith("#"))
    assert after == (head + "\n" if head else "") + render(entry())
    text, _ = read_text(file, TODAY, CAUSE_CODES)
    text.remove([entry().id])
    text.write(TODAY)
    assert () == load_exceptions(file, TODAY, CAUSE_CODES).entries
    assert file.read_text().startswith(head)


def test_a_file_that_is_not_there_is_made(tmp_path: Path) -> None:
    """It begins with a comment that describes it."""
    after = changed(tmp_path / "new.yaml", entry())
    assert after.startswith("# Findings that are known")
    assert 1 == len(load_exceptions(tmp_path / "new.yaml", TODAY, CAUSE_CODES).entries)


def test_an_entry_goes_with_its_comments(tmp_path: Path) -> None:
    """And the comments of its neighbours stay."""
    file = write(tmp_path)
    text, entries = read_text(file, TODAY, CAUSE_CODES)
    text.remove([entries.entries[1].id])
    text.write(TODAY)
    assert FILE[: FILE.index("# about pears")] == file.read_text()
    text, entries = read_text(write(tmp_path), TODAY, CAUSE_CODES)
    text.remove([entries.entries[0].id])
    text.write(TODAY)
    assert file.read_text() == FILE[: FILE.index("# about apples")] + FILE[FILE.index("# about pears") :]


def test_rules_come_and_go(tmp_path: Path) -> None:
    """A rule that stays keeps its line and the comment above it."""
    file = write(tmp_path)
    text, entries = read_text(file, TODAY, CAUSE_CODES)
    pear = entries.entries[1]
    text.set_rules(pear.id, (pear.rules[1], GroupRule("[*]", "FieldValueInvalid", "", "unmatched", "shadow")))
    text.write(TODAY)
    assert file.read_text() == FILE.replace(
        "  - color FieldValueRequired unmatched graduation\n",
        "  - '[*] FieldValueInvalid unmatched shadow'\n",
    )


FLOWS = [
    "[{suite: a, kind: b, path: c, type: d, origin: e, mismatch: extra, cause: no-counterpart, severity: shadow, "
    "reason: r, owner: o, until: 2027-01-31}]\n",
    FILE.replace("- suite: a_v1\n  kind", "-\n  suite: a_v1\n  kind"),
    FILE.replace("# the end\n", "...\n"),
]


@pytest.mark.parametrize("content", FLOWS, ids=range(len(FLOWS)))
def test_a_file_in_another_style_is_not_changed(tmp_path: Path, content: str) -> None:
    """Other styles of YAML are read; adding an entry to them is an error."""
    file = write(tmp_path, content)
    with pytest.raises(InputError):
        changed(file, entry(), entry("Zebra", suite="z"))
    assert content == file.read_text()


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1).filter(
    lambda text: bool(text.strip()) and "*" not in text
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4, unique_by=lambda one: one[0]))
def test_whatever_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, words: list[tuple[str, ...]]
) -> None:
    """Texts of any sort survive, sorted; of a reason the words do."""
    text = ExceptionText(tmp_path_factory.mktemp("e") / "e.yaml", CAUSE_CODES)
    made = [entry(kind, reason=reason, owner=owner) for kind, reason, owner in words]
    made = [replace(one, id=identity(one.suite, one.scope, one.severity, False)) for one in made]
    for one in made:
        text.add(one)
    text.write(TODAY)
    found = load_exceptions(text.path, TODAY, CAUSE_CODES).entries
    assert sorted(one.scope["kind"] for one in made) == [one.scope["kind"] for one in found]
    assert {(one.owner, " ".join(one.reason.split())) for one in made} == {(one.owner, one.reason) for one in found}


def test_two_people_add_at_once(tmp_path: Path) -> None:
    """Entries that belong to different places merge without a conflict, and the result is sorted."""
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    for file in (base, ours, theirs):
        file.write_text(FILE)
    changed(ours, entry("Aardvark"))
    changed(theirs, entry("Banana"))
    pear = load_exceptions(theirs, TODAY, CAUSE_CODES).entries[-1]
    text, _ = read_text(theirs, TODAY, CAUSE_CODES)
    text.set_rules(pear.id, (*pear.rules, GroupRule("zest", "T", "", "extra", "shadow")))
    text.write(TODAY)
    merged = subprocess.run(
        ["git", "merge-file", "-p", str(ours), str(base), str(theirs)], capture_output=True, text=True, check=False
    )
    assert 0 == merged.returncode, merged.stdout
    ours.write_text(merged.stdout)
    entries = load_exceptions(ours, TODAY, CAUSE_CODES).entries
    assert 4 == len(entries)
    assert sorted(one.key for one in entries) == [one.key for one in entries]
    assert 3 == len(entries[-1].rules)


def test_nothing_is_left_of_a_write_that_fails(tmp_path: Path) -> None:
    """A missing folder is an error, and no partial file is left."""
    file = tmp_path / "file" / "e.yaml"
    (tmp_path / "file").write_text("")
    text = ExceptionText(file, CAUSE_CODES)
    text.add(entry())
    with pytest.raises(InputError, match="exception-file: cannot be written"):
        text.write(TODAY)
    assert ["file"] == [path.name for path in tmp_path.iterdir()]
