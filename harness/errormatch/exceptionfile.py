"""Reads equivalence_exceptions.yaml, the only place where a known finding may be tolerated.

An exception is scoped to one finding, or to named rules of one root cause on named Go types; it has an owner, an end
and a witness, and never hides a severity worse than it names. Entries that expired, that no witness shows any more,
that have none, or that are too wide fail the run.
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
    """What exceptions did to the findings of one run.

    `findings` are all of them, tolerated ones with the id of their entry. `used` and `expired` are entries; a run fails
    on findings that nothing tolerates, and on `diagnostics`.
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
        """Return what is wrong with entries that were read well but have no right to be there."""
        why, fix = "an exception is a promise with a date", "mend the difference, or agree on a new date with the owner"
        late = (
            Diagnostic(one.position, "exception-expired", f"the exception ended on {one.until}: {one}", why, fix)
            for one in self.expired
        )
        return tuple(sorted(late, key=lambda diagnostic: diagnostic.position))

    @property
    def failed(self) -> bool:
        """Whether the run fails, for its findings or for its exceptions."""
        return bool(self.beyond or self.expired)


@dataclass(frozen=True, slots=True)
class ExceptionFile:
    """Entries that were read without complaint, their witnesses by id, and the day on which they are judged.

    `notes` are what a reader should know of the file, though nothing is wrong with it.
    """

    entries: tuple[ExceptionSpec, ...]
    today: date
    witnesses: Mapping[str, Witness] = field(default_factory=dict)
    notes: tuple[Diagnostic, ...] = ()

    def apply(self, findings: Iterable[F], subject: str) -> ExceptionOutcome[F]:
        """Mark every finding that an entry tolerates with the entry's id; the first entry wins.

        `subject` is the suite, or `kubernetes`. Entries of other subjects are not judged here; an expired one
        tolerates nothing.
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
            # Findings are structs; this layer knows them by their attributes only.
            marked.append(msgspec.structs.replace(finding, exception=tolerated_by))  # type: ignore[type-var]  # so above
        return ExceptionOutcome(tuple(marked), tuple(used.values()), expired)


NO_EXCEPTIONS = ExceptionFile((), date.min)
"""Tolerates nothing."""


def load_exceptions(path: Path, today: date, text: str | None = None) -> ExceptionFile:
    """Read equivalence_exceptions.yaml, or a text that will stand there.

    Their witnesses are those of the folder beside the file. Raises: InputError with everything that is wrong.
    """
    page = EntryFile(path, FORM, text)
    found: dict[str, ExceptionSpec] = {}
    old: list[Entry] = []
    for entry in page.entries():
        _rename_causes(entry)
        before = len(page.diagnostics)
        check(page, entry)
        if len(page.diagnostics) == before:
            _keep(page, _read(page, entry), found)
            old += [entry] if IGNORED in entry.values else []
    raise_if(page.diagnostics)
    witnesses = read_witnesses(path, found)
    return ExceptionFile(tuple(found.values()), today, witnesses, (_ignored(old),) if old else ())


def _rename_causes(entry: Entry) -> None:
    """Give the causes of an older file their present names."""
    if "cause" in entry.values:
        entry.values["cause"] = current_cause(entry["cause"])
    if "cause" in entry.lists:
        entry.lists["cause"] = tuple((current_cause(text), place) for text, place in entry.lists["cause"])


def _ignored(old: Sequence[Entry]) -> Diagnostic:
    why = "whether an exception is unused is what its witness shows, on every machine and for every budget"
    message = f"{IGNORED} is ignored, here and in {len(old) - 1:,} more" if len(old) > 1 else f"{IGNORED} is ignored"
    return Diagnostic(old[0].place(IGNORED), "exception-ignored", message, why, f"remove {IGNORED}")


def _read(page: EntryFile, entry: Entry) -> ExceptionSpec:
    rules = tuple(filter(None, (parse_rule(text) for text, _ in entry.lists.get("rules", ()))))
    if rules:
        scope = {PLACE[key]: BOTH.join(sorted(text for text, _ in page.texts(entry, key))) for key in PLACE}
    else:
        scope = {key: entry[key] for key in SCOPE}
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


def _keep(page: EntryFile, entry: ExceptionSpec, found: dict[str, ExceptionSpec]) -> None:
    partner = found.setdefault(entry.id, entry)
    if partner is not entry:
        message = f"the same exception stands in line {partner.position.line}"
        fix = "write the rules of both into one" if entry.rules else "remove one"
        page.complain(entry.position, "twice", message, "only one of them can be used", fix)
