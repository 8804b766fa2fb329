"""The list of known survivors: what it forgives, what it refuses, and what it says of entries that no longer hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnostics import InputError
from harness.power.known import Known, apply, load, without
from harness.power.sabotage import Record, State


def record(name: str, state: State) -> Record:
    """What became of a sabotage."""
    return Record(name, "declarative", "drop", "v1.Widget", "maximum", state, shown_by="a widget")


def test_survivors_on_the_list_are_known() -> None:
    """Equivalent ones and holes are told apart; what was noticed stays noticed."""
    entries = [Known("a: *", "equivalent", "why"), Known("b: drop", "hole", "not reached")]
    records = [record("a: drop", "survived"), record("a: x", "noticed"), record("b: drop", "survived")]
    marked, stale = apply([*records, record("c: drop", "survived")], entries)
    assert ["equivalent", "noticed", "hole", "survived"] == [one.state for one in marked]
    assert ["why", "", "not reached", ""] == [one.reason for one in marked]
    assert () == stale


@pytest.mark.parametrize(("state", "is_stale"), [("noticed", True), ("survived", False), ("unjudged", False)])
def test_an_entry_must_hold(state: State, is_stale: bool) -> None:
    """It is stale when its sabotage was noticed; one that was not judged says nothing."""
    entry = Known("a: drop", "equivalent", "why")
    assert is_stale == (apply([record("a: drop", state)], [entry])[1] == (entry,))


def test_an_entry_without_a_sabotage_is_stale() -> None:
    """The rule that it names is gone."""
    entry = Known("gone", "equivalent", "why")
    assert (entry,) == apply([record("a: drop", "survived")], [entry])[1]


def test_names_are_taken_to_the_letter() -> None:
    """Only a star is a pattern: brackets and question marks stand for themselves."""
    entry = Known("v1.T[0].a?: *", "equivalent", "why")
    assert [True, False] == [entry.matches("v1.T[0].a?: drop"), entry.matches("v1.T0.ab: drop")]


def test_a_list_is_read(tmp_path: Path) -> None:
    """A file that is not there is an empty list."""
    file = tmp_path / "power.yaml"
    assert () == load(file)
    file.write_text("- sabotage: a\n  equivalent: because\n- {sabotage: b, hole: later}\n", encoding="utf-8")
    assert (Known("a", "equivalent", "because"), Known("b", "hole", "later")) == load(file)


@pytest.mark.parametrize(
    "text",
    ["{", "a: b", "- {sabotage: a}", "- {sabotage: a, equivalent: b, hole: c}", "- {sabotage: 1, hole: x}", "- x"],
)
def test_a_list_that_is_wrong_is_refused(tmp_path: Path, text: str) -> None:
    """With the file, and how an entry looks."""
    file = tmp_path / "power.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(file)
    [found, *_] = caught.value.diagnostics
    assert (str(file), "power-known", True) == (found.position.file, found.code, "sabotage" in found.fix)


LIST = """# A head.

# Equivalent:
- sabotage: "a: drop"
  equivalent: nobody sees it   # said twice
# about b
- sabotage: b
  hole: not yet
"""


def test_an_entry_is_taken_out_with_its_comment(tmp_path: Path) -> None:
    """The rest stays to the letter; without entries it is an empty list."""
    (tmp_path / "power.yaml").write_text(LIST)
    first, second = load(tmp_path / "power.yaml")
    assert without(tmp_path / "power.yaml", [second]) == LIST[: LIST.index("# about b")]
    assert without(tmp_path / "power.yaml", [first, second]) == "# A head.\n\n[]\n"
    assert without(tmp_path / "power.yaml", []) == LIST


def test_a_list_in_one_line_is_left_alone(tmp_path: Path) -> None:
    """It cannot be cut."""
    (tmp_path / "power.yaml").write_text("[{sabotage: a, hole: b}]\n")
    assert without(tmp_path / "power.yaml", load(tmp_path / "power.yaml")) is None
