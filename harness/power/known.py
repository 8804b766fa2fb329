"""The committed list of survivors, each with its reason. An entry that no longer holds fails.

`power.yaml` in the folder of a suite, or the file of `--known`. An entry says why nothing could show the sabotage
(`equivalent`), or why the search does not get there yet (`hole`). A `*` in a name stands for anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec
import yaml

from harness.blocks import cut_blocks, joined
from harness.diagnostics import Diagnostic, InputError, Position
from harness.limits import check_yaml, read_bounded_text
from harness.power.sabotage import Record

NAME = "power.yaml"
KnownState: TypeAlias = Literal["equivalent", "hole"]


@dataclass(frozen=True, slots=True)
class Known:
    """One entry: which sabotages, whether something could show them at all, and why nothing does."""

    sabotage: str
    state: KnownState
    reason: str

    def matches(self, name: str) -> bool:
        """Whether a sabotage is meant."""
        return re.fullmatch(".*".join(map(re.escape, self.sabotage.split("*"))), name, re.DOTALL) is not None


def load(file: Path) -> tuple[Known, ...]:
    """Read a list; none when there is no file. Raises: InputError with everything that is wrong."""
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
    wrong = [_wrong(file, problem) for index, entry in enumerate(entries, 1) if (problem := _problem(entry, index))]
    if wrong:
        raise InputError(wrong)
    return tuple(_known(entry) for entry in entries)


def _known(entry: dict[str, str]) -> Known:
    state: KnownState = "equivalent" if "equivalent" in entry else "hole"
    return Known(entry["sabotage"], state, " ".join(entry[state].split()))


def _problem(entry: Any, index: int) -> str:
    keys = [{"sabotage", "equivalent"}, {"sabotage", "hole"}]
    if isinstance(entry, dict) and set(entry) in keys and all(isinstance(v, str) and v.strip() for v in entry.values()):
        return ""
    return f"entry {index} needs a sabotage, and why it survives as `equivalent` or `hole`, all texts"


def _wrong(file: Path, message: str, line: int = 0) -> Diagnostic:
    fix = '- {sabotage: "declarative v1.Widget.name: maxLength: drop", equivalent: "why nothing can show it"}'
    return Diagnostic(Position(str(file), line), "power-known", message, fix=fix)


def without(file: Path, stale: Sequence[Known]) -> str | None:
    """Return the text of a list without these entries, the rest to the letter; None when it cannot be cut so.

    Raises: OSError.
    """
    cut = cut_blocks(read_bounded_text(file))
    entries = load(file)
    if cut is None or len(cut.blocks) != len(entries):
        return None
    kept = [text for text, entry in zip(cut.blocks, entries, strict=True) if entry not in stale]
    return joined(cut.head, kept)


def apply(records: Sequence[Record], known: Sequence[Known]) -> tuple[tuple[Record, ...], tuple[Known, ...]]:
    """Mark survivors that are known. Returns: all records, and entries of which nothing survives any more.

    An entry is stale when a sabotage of its name was judged and none survived, or when there is no such sabotage.
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
