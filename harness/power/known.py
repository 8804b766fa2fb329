"""Reads the committed list of surviving mutants, each with its reason. A stale entry makes the command fail.

The list is `power.yaml` in the folder of a suite, or the file of `--known`. An entry gives the reason why no case can
kill the mutant (`equivalent`), or why the search does not kill it yet (`tolerated`). A `*` in a name matches any text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec
import yaml

from harness.blocks import cut_blocks, join_blocks
from harness.diagnostics import Diagnostic, InputError, Position
from harness.limits import check_yaml, read_bounded_text
from harness.power.mutant import Record

NAME = "power.yaml"
KnownState: TypeAlias = Literal["equivalent", "tolerated"]
_KEYS = {"sabotage": "mutant", "hole": "tolerated"}
"""Keys of older lists, with their current names."""
_OPERATORS = {
    "forgive every update": "skip updates",
    "forgive nothing": "no ratcheting",
    "stop nothing": "no short-circuit",
    "say twice": "report twice",
    "change words": "change detail",
    "turn the mark": "flip the mark",
    "tell no items apart": "no correlation",
}
"""Operators at the end of names in older lists, with their current names."""
_OPERATOR = re.compile(rf"(?<=: )(?:{'|'.join(_OPERATORS)})(?=(?: #\d+)?\*?$)")


@dataclass(frozen=True, slots=True)
class Known:
    """One entry: a pattern of names, whether a case could kill these mutants at all, and the reason why none does."""

    mutant: str
    state: KnownState
    reason: str

    def matches(self, name: str) -> bool:
        """Whether the name of a mutant matches."""
        return re.fullmatch(".*".join(map(re.escape, self.mutant.split("*"))), name, re.DOTALL) is not None


def load(file: Path) -> tuple[Known, ...]:
    """Return the entries of a file; none without the file. Raises: InputError with all problems."""
    if not file.is_file():
        return ()
    try:
        text = read_bounded_text(file)
        check_yaml(text, str(file))
        entries: Any = yaml.safe_load(text) or []
    except (OSError, ValueError, yaml.YAMLError) as error:
        where = getattr(error, "problem_mark", None)
        raise InputError([_wrong(file, " ".join(str(error).split()), where.line + 1 if where else 0)]) from None
    if not isinstance(entries, list):
        raise InputError([_wrong(file, "a list of entries is needed")])
    entries = [_rename(entry) for entry in entries]
    wrong = [_wrong(file, problem) for index, entry in enumerate(entries, 1) if (problem := _problem(entry, index))]
    if wrong:
        raise InputError(wrong)
    return tuple(_known(entry) for entry in entries)


def _rename(entry: Any) -> Any:
    """Return an entry of an older list with the current names of keys and operators."""
    if not isinstance(entry, dict):
        return entry
    now = {_KEYS.get(key, key): value for key, value in entry.items()}
    if isinstance(name := now.get("mutant"), str):
        now["mutant"] = _OPERATOR.sub(lambda found: _OPERATORS[found[0]], name)
    return now if len(now) == len(entry) else entry


def _known(entry: dict[str, str]) -> Known:
    state: KnownState = "equivalent" if "equivalent" in entry else "tolerated"
    return Known(entry["mutant"], state, " ".join(entry[state].split()))


def _problem(entry: Any, index: int) -> str:
    keys = [{"mutant", "equivalent"}, {"mutant", "tolerated"}]
    if isinstance(entry, dict) and set(entry) in keys and all(isinstance(v, str) and v.strip() for v in entry.values()):
        return ""
    return f"entry {index} needs a mutant, and why it survives as `equivalent` or `tolerated`, all texts"


def _wrong(file: Path, message: str, line: int = 0) -> Diagnostic:
    fix = '- {mutant: "declarative v1.Widget.name: maxLength: drop", equivalent: "why nothing can kill it"}'
    return Diagnostic(Position(str(file), line), "power-known", message, fix=fix)


def without(file: Path, stale: Sequence[Known]) -> str | None:
    """Return the text of a list without these entries and otherwise unchanged; None if its layout does not allow that.

    Raises: OSError.
    """
    cut = cut_blocks(read_bounded_text(file))
    entries = load(file)
    if cut is None or len(cut.blocks) != len(entries):
        return None
    kept = [text for text, entry in zip(cut.blocks, entries, strict=True) if entry not in stale]
    return join_blocks(cut.head, kept)


def apply(records: Sequence[Record], known: Sequence[Known]) -> tuple[tuple[Record, ...], tuple[Known, ...]]:
    """Mark surviving mutants that are on the list. Returns: all records, and the stale entries.

    An entry is stale when a mutant of its name was judged and none survived, or when there is no such mutant.
    """
    used: set[Known] = set()
    idle: set[Known] = set()
    marked = []
    for record in records:
        entry = next((one for one in known if one.matches(record.name)), None)
        if entry is not None and record.state == "survived":
            used.add(entry)
            record = msgspec.structs.replace(record, state=entry.state, reason=entry.reason, shown_by="")
        elif entry is not None and record.state == "unjudged":
            idle.add(entry)
        marked.append(record)
    return tuple(marked), tuple(entry for entry in known if entry not in used | idle)
