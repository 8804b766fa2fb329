"""Reads equivalence_exceptions.yaml, the only place where a known finding may be tolerated.

An exception is scoped to one finding, or to named rules of one cause on one Go type; it has an owner and an end, and
never hides a severity worse than it names. Entries that expired, that nothing needs any more, or that are too wide fail
the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from harness.diagnostics import Diagnostic
from harness.errormatch.entries import Entry, Page, raise_if
from harness.errormatch.exceptionentry import (
    ANY,
    PLACE,
    SCOPE,
    ExceptionEntry,
    Tolerable,
    identity,
    parse_occurs,
    parse_rule,
    worst,
)
from harness.errormatch.exceptionform import FORM, check

F = TypeVar("F", bound=Tolerable)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[F]):
    """What exceptions did to the findings of one run.

    `findings` are all of them, tolerated ones with the id of their entry. `used`, `unused` and `expired` are entries;
    a run fails on findings that nothing tolerates, and on `diagnostics`.
    """

    findings: tuple[F, ...]
    used: tuple[ExceptionEntry, ...]
    unused: tuple[ExceptionEntry, ...]
    expired: tuple[ExceptionEntry, ...]

    @property
    def beyond(self) -> tuple[F, ...]:
        """Return the findings that no exception tolerates."""
        return tuple(finding for finding in self.findings if finding.exception is None)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return what is wrong with entries that were read well but have no right to be there."""
        late = [_complaint(entry, "expired", f"the exception ended on {entry.until}") for entry in self.expired]
        idle = [_complaint(entry, "unused", "no finding of this run needs the exception") for entry in self.unused]
        return tuple(sorted(late + idle, key=lambda diagnostic: diagnostic.position))

    @property
    def failed(self) -> bool:
        """Whether the run fails, for its findings or for its exceptions."""
        return bool(self.beyond or self.unused or self.expired)


def _complaint(entry: ExceptionEntry, code: str, message: str) -> Diagnostic:
    why, fix = {
        "expired": (
            "an exception is a promise with a date",
            "mend the difference, or agree on a new date with the owner",
        ),
        "unused": ("the difference is gone, and the entry would hide its return", "remove the entry"),
    }[code]
    return Diagnostic(entry.position, f"exception-{code}", f"{message}: {entry}", why, fix)


@dataclass(frozen=True, slots=True)
class ExceptionFile:
    """Entries that were read without complaint, and the day on which they are judged."""

    entries: tuple[ExceptionEntry, ...]
    today: date

    def apply(self, findings: Iterable[F], subject: str) -> Outcome[F]:
        """Mark every finding that an entry tolerates with the entry's id; the first entry wins.

        `subject` is the suite, or `kubernetes`. Entries of other subjects are not judged here; an expired one
        tolerates nothing.
        """
        expired = tuple(entry for entry in self.entries if entry.until < self.today and entry.of(subject))
        valid = [entry for entry in self.entries if entry.until >= self.today]
        used: dict[str, ExceptionEntry] = {}
        marked: list[F] = []
        for finding in findings:
            entry = next((entry for entry in valid if entry.tolerates(finding, subject)), None)
            if entry is not None:
                used[entry.id] = entry
            tolerated_by = entry.id if entry else None
            # Findings are structs; this layer knows them by their attributes only.
            marked.append(msgspec.structs.replace(finding, exception=tolerated_by))  # type: ignore[type-var]  # so above
        unused = tuple(entry for entry in valid if entry.of(subject) and entry.suite != ANY and entry.id not in used)
        return Outcome(tuple(marked), tuple(used.values()), unused, expired)


NO_EXCEPTIONS = ExceptionFile((), date.min)
"""Tolerates nothing."""


def load_exceptions(path: Path, today: date, text: str | None = None) -> ExceptionFile:
    """Read equivalence_exceptions.yaml, or a text that will stand there.

    Raises: InputError with everything that is wrong with it.
    """
    page = Page(path, FORM, text)
    found: dict[str, ExceptionEntry] = {}
    for entry in page.entries():
        before = len(page.diagnostics)
        check(page, entry)
        if len(page.diagnostics) == before:
            _keep(page, _read(entry), found)
    raise_if(page.diagnostics)
    return ExceptionFile(tuple(found.values()), today)


def _read(entry: Entry) -> ExceptionEntry:
    rules = tuple(filter(None, (parse_rule(text) for text, _ in entry.lists.get("rules", ()))))
    scope = {PLACE[key]: entry[key] for key in PLACE} if rules else {key: entry[key] for key in SCOPE}
    severity = worst(tuple(rule.severity for rule in rules)) if rules else entry["severity"]
    occurs = parse_occurs(entry["occurs"])
    assert occurs is not None, "it was checked"
    return ExceptionEntry(
        identity(entry["suite"], scope, severity, bool(rules)),
        entry["suite"],
        scope,
        severity,
        rules,
        entry["reason"],
        entry["owner"],
        date.fromisoformat(entry["until"]),
        entry["link"],
        occurs,
        entry.position,
    )


def _keep(page: Page, entry: ExceptionEntry, found: dict[str, ExceptionEntry]) -> None:
    twin = found.setdefault(entry.id, entry)
    if twin is not entry:
        message = f"the same exception stands in line {twin.position.line}"
        fix = "write the rules of both into one" if entry.rules else "remove one"
        page.complain(entry.position, "twice", message, "only one of them can be used", fix)
