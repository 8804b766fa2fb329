"""The list of known surviving mutants: what it tolerates, what it rejects, and which entries no longer hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnostics import InputError
from harness.power.known import Known, apply, load, without
from harness.power.mutant import Record, State


def record(name: str, state: State) -> Record:
    """What became of a mutant."""
    return Record(name, "declarative", "drop", "v1.Widget", "maximum", state, shown_by="a widget")


def test_surviving_mutants_on_the_list_are_known() -> None:
    """Equivalent and tolerated ones are told apart; what was killed stays killed."""
    entries = [Known("a: *", "equivalent", "why"), Known("b: drop", "tolerated", "not reached")]
    records = [record("a: drop", "survived"), record("a: x", "killed"), record("b: drop", "survived")]
    marked, stale = apply([*records, record("c: drop", "survived")], entries)
    assert ["equivalent", "killed", "tolerated", "survived"] == [one.state for one in marked]
    assert ["why", "", "not reached", ""] == [one.reason for one in marked]
    assert () == stale


@pytest.mark.parametrize(("state", "is_stale"), [("killed", True), ("survived", False), ("unjudged", False)])
def test_an_entry_must_hold(state: State, is_stale: bool) -> None:
    """It is stale when its mutant was killed; one that was not judged says nothing."""
    entry = Known("a: drop", "equivalent", "why")
    assert is_stale == (apply([record("a: drop", state)], [entry])[1] == (entry,))


def test_an_entry_without_a_mutant_is_stale() -> None:
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
    file.write_text("- mutant: a\n  equivalent: because\n- {mutant: b, tolerated: later}\n", encoding="utf-8")
    assert (Known("a", "equivalent", "because"), Known("b", "tolerated", "later")) == load(file)


@pytest.mark.parametrize(
    "text",
    ["{", "a: b", "- {mutant: a}", "- {mutant: a, equivalent: b, tolerated: c}", "- {mutant: 1, tolerated: x}", "- x"],
)
def test_a_list_that_is_wrong_is_refused(tmp_path: Path, text: str) -> None:
    """With the file, and how an entry looks."""
    file = tmp_path / "power.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(file)
    [found, *_] = caught.value.diagnostics
    assert (str(file), "power-known", True) == (found.position.file, found.code, "mutant" in found.fix)


LIST = """# A head.

# Equivalent:
- mutant: "a: drop"
  equivalent: nobody sees it   # said twice
# about b
- mutant: b
  tolerated: not yet
"""


def test_an_entry_is_taken_out_with_its_comment(tmp_path: Path) -> None:
    """The rest stays to the letter; without entries it is an empty list."""
    (tmp_path / "power.yaml").write_text(LIST)
    first, second = load(tmp_path / "power.yaml")
    assert without(tmp_path / "power.yaml", [second]) == LIST[: LIST.index("# about b")]
    assert without(tmp_path / "power.yaml", [first, second]) == "# A head.\n\n[]\n"
    assert without(tmp_path / "power.yaml", []) == LIST


def test_an_older_list_is_read_with_the_names_of_today(tmp_path: Path) -> None:
    """Its keys and operators had other names; it is cut as it stands, and mixed names are wrong as before."""
    file = tmp_path / "power.yaml"
    old = ("a: forgive every update", "*: forgive nothing", "b: stop nothing #2", "c: turn the mark*", "say twice: x")
    file.write_text("".join(f'- sabotage: "{name}"\n  hole: later\n' for name in old))
    now = ("a: skip updates", "*: no ratcheting", "b: no short-circuit #2", "c: flip the mark*", "say twice: x")
    entries = load(file)
    assert tuple(Known(name, "tolerated", "later") for name in now) == entries
    assert without(file, entries[1:]) == '- sabotage: "a: forgive every update"\n  hole: later\n'
    file.write_text("- {sabotage: a, mutant: b, equivalent: c}\n")
    with pytest.raises(InputError, match="needs a mutant"):
        load(file)


def test_a_list_in_one_line_is_left_alone(tmp_path: Path) -> None:
    """It cannot be cut."""
    (tmp_path / "power.yaml").write_text("[{mutant: a, tolerated: b}]\n")
    assert without(tmp_path / "power.yaml", load(tmp_path / "power.yaml")) is None
