"""Reads equivalence_exceptions.yaml, the list of tolerated findings, and applies it to the findings of a run.

An exception tolerates one finding, or named rules with one root cause on named Go types. It has an owner, an end date,
a witness (see `harness.errormatch.witness`), and the worst severity that it tolerates. A run fails on an entry that
expired, is too broad, has no witness, or whose witness does not show its differences any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from harness.diagnostics import Diagnostic
from harness.errormatch.entries import Entry, EntryFile, raise_if
from harness.errormatch.exceptionentry import (
    BOTH,
    PLACE,
    SCOPE,
    VERSION,
    ExceptionSpec,
    Tolerable,
    identity,
    parse_rule,
    worst,
)
from harness.errormatch.exceptionform import FORM, IGNORED, check
from harness.errormatch.oldcauses import current_cause
from harness.errormatch.witness import Witness, read_witnesses

F = TypeVar("F", bound=Tolerable)


@dataclass(frozen=True, slots=True)
class ExceptionOutcome(Generic[F]):
    """The findings of a run after exceptions were applied.

    `findings` are all of them; tolerated ones have the id of their entry. `used` are the entries that tolerate a
    finding, `expired` those whose end date is past. A run fails on findings without an entry, and on `diagnostics`.
    """

    findings: tuple[F, ...]
    used: tuple[ExceptionSpec, ...]
    expired: tuple[ExceptionSpec, ...]

    @property
    def beyond(self) -> tuple[F, ...]:
        """Return the findings that no exception tolerates."""
        return tuple(finding for finding in self.findings if finding.exception is None)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return the errors of entries that are valid but expired."""
        why, fix = "an exception ends on its date", "fix the difference, or agree on a new date with the owner"
        diagnostics = (
            Diagnostic(one.position, "exception-expired", f"the exception ended on {one.until}: {one}", why, fix)
            for one in self.expired
        )
        return tuple(sorted(diagnostics, key=lambda diagnostic: diagnostic.position))

    @property
    def failed(self) -> bool:
        """Whether the run fails, for its findings or for its exceptions."""
        return bool(self.beyond or self.expired)


@dataclass(frozen=True, slots=True)
class ExceptionFile:
    """The entries of a valid exceptions file, their witnesses by id, and the date with which end dates are compared.

    `notes` are remarks on the file that are not errors.
    """

    entries: tuple[ExceptionSpec, ...]
    today: date
    witnesses: Mapping[str, Witness] = field(default_factory=dict)
    notes: tuple[Diagnostic, ...] = ()

    def apply(self, findings: Iterable[F], subject: str) -> ExceptionOutcome[F]:
        """Mark every tolerated finding with the id of the first entry that tolerates it.

        `subject` is the suite, or `kubernetes`; entries of other subjects are ignored. Expired entries tolerate no
        finding.
        """
        expired = tuple(entry for entry in self.entries if entry.until < self.today and entry.of(subject))
        valid = [entry for entry in self.entries if entry.until >= self.today]
        used: dict[str, ExceptionSpec] = {}
        marked: list[F] = []
        for finding in findings:
            entry = next((entry for entry in valid if entry.tolerates(finding, subject)), None)
            if entry is not None:
                used[entry.id] = entry
            tolerated_by = entry.id if entry else None
            # This layer may not import the class of findings, which is a struct.
            marked.append(msgspec.structs.replace(finding, exception=tolerated_by))  # type: ignore[type-var]  # so above
        return ExceptionOutcome(tuple(marked), tuple(used.values()), expired)


NO_EXCEPTIONS = ExceptionFile((), date.min)
"""An exceptions file without entries."""


def load_exceptions(path: Path, today: date, causes: Sequence[str], text: str | None = None) -> ExceptionFile:
    """Read an exceptions file, or the `text` that will be written to it, and the witnesses of its entries.

    `causes` are those that an entry may name. Raises: InputError with all diagnostics.
    """
    page = EntryFile(path, FORM, text)
    found: dict[str, ExceptionSpec] = {}
    old: list[Entry] = []
    for entry in page.entries():
        _rename_causes(entry)
        before = len(page.diagnostics)
        check(page, entry, causes)
        if len(page.diagnostics) == before:
            _add(page, _read(page, entry), found)
            old += [entry] if IGNORED in entry.values else []
    raise_if(page.diagnostics)
    witnesses = read_witnesses(path, found)
    return ExceptionFile(tuple(found.values()), today, witnesses, (_report_ignored(old),) if old else ())


def _rename_causes(entry: Entry) -> None:
    """Replace the causes of older versions by their current names."""
    if "cause" in entry.values:
        entry.values["cause"] = current_cause(entry["cause"])
    if "cause" in entry.lists:
        entry.lists["cause"] = tuple((current_cause(text), place) for text, place in entry.lists["cause"])


def _report_ignored(old: Sequence[Entry]) -> Diagnostic:
    why = "whether an exception is unused depends only on its witness, on every machine and for every budget"
    message = f"{IGNORED} is ignored, here and in {len(old) - 1:,} more" if len(old) > 1 else f"{IGNORED} is ignored"
    return Diagnostic(old[0].place(IGNORED), "exception-ignored", message, why, f"remove {IGNORED}")


def _read(page: EntryFile, entry: Entry) -> ExceptionSpec:
    rules = tuple(filter(None, (parse_rule(text) for text, _ in entry.lists.get("rules", ()))))
    if rules:
        scope = {PLACE[key]: BOTH.join(sorted(text for text, _ in page.texts(entry, key))) for key in PLACE}
    else:
        scope = {key: entry[key] for key in SCOPE}
    if entry[VERSION]:
        scope[VERSION] = entry[VERSION]
    severity = worst(tuple(rule.severity for rule in rules)) if rules else entry["severity"]
    return ExceptionSpec(
        identity(entry["suite"], scope, severity, bool(rules)),
        entry["suite"],
        scope,
        severity,
        rules,
        entry["reason"],
        entry["owner"],
        date.fromisoformat(entry["until"]),
        entry["link"],
        entry.position,
    )


def _add(page: EntryFile, entry: ExceptionSpec, found: dict[str, ExceptionSpec]) -> None:
    """Add an entry by its id, or report it if another one has the same scope."""
    first = found.setdefault(entry.id, entry)
    if first is not entry:
        message = f"line {first.position.line} has the same exception"
        fix = "move the rules of both into one entry" if entry.rules else "remove one of them"
        page.complain(entry.position, "twice", message, "only the first of them would be used", fix)
