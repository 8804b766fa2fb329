"""Trusted wordings: pairs of regexes for details that mean the same, each with a reason.

Handwritten and declarative errors rarely have the same words. A difference that was not reviewed is a finding; a
reviewed one is an entry of trusted_wordings.yaml. Regexes match the whole detail and are run by a linear-time engine.
Groups of the same name must capture the same text in both details, so that a trusted wording never hides another limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.diagnostics import near_miss
from harness.errormatch.entries import Entry, EntryFile, Form, raise_if
from harness.errormatch.normalize import compile_regex
from harness.field import ErrorType, FieldError

_SIDES = ("handwritten", "declarative")
FORM = Form("wording", "wording", (*_SIDES, "reason"), ("type",), may_be_empty=_SIDES)

_OWN = Path("trusted_wordings.yaml")
_MAX_CACHED = 4096  # details contain values, so their number is unbounded


@dataclass(frozen=True, slots=True)
class Wording:
    """A pair of regexes for details that mean the same, and why. `type` narrows it to one type of error."""

    handwritten: str
    declarative: str
    reason: str
    type: str = ""


class Wordings:
    """Decides whether two details mean the same, with a cache."""

    def __init__(self, entries: Sequence[Wording] = ()) -> None:
        """Raises: ValueError if a regex is invalid; `load_wordings` reports its position."""
        self.entries = tuple(entries)
        self._compiled = [(e.type, compile_regex(e.handwritten), compile_regex(e.declarative)) for e in self.entries]
        self._known: dict[tuple[str, str, str], bool] = {}

    def same(self, handwritten: FieldError, declarative: FieldError) -> bool:
        """Whether the details of two errors of one type mean the same."""
        first, second = handwritten.detail, declarative.detail
        if first == second:
            return True
        if not self._compiled:
            return False
        asked = (handwritten.type, first, second)
        known = self._known.get(asked)
        return self._decide(asked) if known is None else known

    def _decide(self, asked: tuple[str, str, str]) -> bool:
        if len(self._known) >= _MAX_CACHED:
            self._known.clear()
        of_type, first, second = asked
        self._known[asked] = decided = any(
            _agree(one, other, first, second) for only, one, other in self._compiled if only in ("", of_type)
        )
        return decided


def _agree(handwritten: Any, declarative: Any, first: str, second: str) -> bool:
    try:
        one, other = handwritten.fullmatch(first), declarative.fullmatch(second)
    except UnicodeEncodeError:  # a lone surrogate, which no regex matches
        return False
    if one is None or other is None:
        return False
    mine, theirs = one.groupdict(), other.groupdict()
    return all(mine[name] == theirs[name] for name in mine.keys() & theirs.keys())


NO_WORDINGS = Wordings()
"""Trusts nothing: details must be equal."""


SHIPPED = Path(__file__).with_name("trusted_wordings.yaml")
"""The wordings that the harness itself trusts: those of Kubernetes' own validators."""


def all_wordings(path: Path | None) -> Wordings:
    """Return the shipped wordings, and those of a file of the project behind them. Raises: InputError."""
    own = () if path is None else load_wordings(path).entries
    return Wordings((*load_wordings(SHIPPED).entries, *own))


def own_wordings() -> Path | None:
    """Return the project's own file of trusted wordings, in the current folder, where there is one.

    Raises: InputError for an invalid file. It is checked here because worker processes, which read it again, cannot
    report errors to the user.
    """
    if not _OWN.is_file():
        return None
    load_wordings(_OWN)
    return _OWN


def load_wordings(path: Path) -> Wordings:
    """Read one file of trusted wordings. Raises: InputError with all diagnostics."""
    page = EntryFile(path, FORM)
    entries = page.entries()
    for entry in entries:
        _check(page, entry)
    raise_if(page.diagnostics)
    return Wordings([Wording(e["handwritten"], e["declarative"], e["reason"], e["type"]) for e in entries])


def _check(page: EntryFile, entry: Entry) -> None:
    for side in _SIDES:
        try:
            compile_regex(entry[side])
        except ValueError as error:
            why = "both sides are regular expressions (RE2) for the whole detail"
            fix = r"put a backslash before signs that are meant literally: \( \[ \. \*"
            page.complain(entry.place(side), "regex", f"{side} is not a regular expression: {error}", why, fix)
    known = [str(one) for one in ErrorType]
    if entry["type"] and entry["type"] not in known:
        page.complain(
            entry.place("type"), "type", f"unknown type {entry['type']!r}", f"known types: {', '.join(known)}",
            near_miss(entry["type"], known), width=len(entry["type"]),
        )  # fmt: skip
