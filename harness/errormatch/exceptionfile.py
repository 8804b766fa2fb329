"""Reads equivalence_exceptions.yaml, the only place where a known finding may be tolerated.

An exception is scoped to one finding, has an owner and an end, and never hides a severity worse than it names. Entries
that expired, that nothing needs any more, or that are too wide fail the run. Knows nothing of findings but the
attributes that an entry names, so that it stays below the judge.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from harness.diagnostics import Diagnostic, Position, near_miss
from harness.errormatch.entries import Entry, Form, Page, raise_if
from harness.field import ErrorType

SCOPE = ("kind", "path", "type", "origin", "mismatch", "cause")
"""Keys that are compared with a finding, value by value; `suite` is compared with the subject of the run."""

FORM = Form(
    "exception",
    "exception",
    ("suite", *SCOPE, "severity", "reason", "owner", "until"),
    ("link",),
    may_be_empty=("path", "type", "origin", "link"),
)

ANY = "*"
MOST_WILDCARDS = 3
"""An entry with more keys left open than this is too wide to be about one finding."""

SEVERITIES = ("verdict", "graduation", "visible", "shadow", "unreachable")
MISMATCHES = ("unmatched", "extra", "served", "version", "composition", "path", "panic", "self")
CAUSES = (
    "ratcheting", "masked", "short-circuit", "path", "type", "origin", "unmarked", "no-rule", "no-twin", "boundary",
    "version", "gate", "duplicate", "wrong-path", "unreachable", "panic", "unknown", "wording", "unstable",
    "composition", "normalization", "conditional",
)  # fmt: skip


class Tolerable(Protocol):
    """What an exception looks at in a finding: a frozen msgspec Struct with these attributes."""

    @property
    def severity(self) -> Any: ...
    @property
    def exception(self) -> str | None: ...


F = TypeVar("F", bound=Tolerable)


@dataclass(frozen=True, slots=True)
class ExceptionEntry:
    """One tolerated finding. `id` is made of its scope, so it stays when the file is sorted or the reason improved."""

    id: str
    suite: str
    scope: Mapping[str, str]
    severity: str
    reason: str
    owner: str
    until: date
    link: str
    position: Position

    def tolerates(self, finding: Tolerable, subject: str) -> bool:
        """Whether this entry speaks of this finding, and the finding is not worse than the entry says."""
        return (
            self.suite in (ANY, subject)
            and all(wanted in (ANY, str(getattr(finding, key))) for key, wanted in self.scope.items())
            and SEVERITIES.index(str(finding.severity)) >= SEVERITIES.index(self.severity)
        )

    def __str__(self) -> str:
        scope = " ".join(f"{key}={value!r}" for key, value in self.scope.items() if value != ANY)
        return f"suite={self.suite!r} {scope} severity={self.severity!r}"


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

        `subject` is the suite, or `kubernetes`. Entries of other subjects cannot be unused here; an expired entry
        tolerates nothing, whatever it speaks of.
        """
        expired = tuple(entry for entry in self.entries if entry.until < self.today)
        valid = [entry for entry in self.entries if entry.until >= self.today]
        used: dict[str, ExceptionEntry] = {}
        marked: list[F] = []
        for finding in findings:
            entry = next((entry for entry in valid if entry.tolerates(finding, subject)), None)
            if entry is not None:
                used[entry.id] = entry
            # Findings are structs; this layer knows them by their attributes only.
            marked.append(msgspec.structs.replace(finding, exception=entry.id if entry else None))  # type: ignore[type-var]
        unused = tuple(entry for entry in valid if entry.suite == subject and entry.id not in used)
        return Outcome(tuple(marked), tuple(used.values()), unused, expired)


NO_EXCEPTIONS = ExceptionFile((), date.min)
"""Tolerates nothing."""


def load_exceptions(path: Path, today: date) -> ExceptionFile:
    """Read equivalence_exceptions.yaml. Raises: InputError with everything that is wrong with it."""
    page = Page(path, FORM)
    found: list[ExceptionEntry] = []
    for entry in page.entries():
        before = len(page.diagnostics)
        _check(page, entry)
        if len(page.diagnostics) == before:
            _keep(page, _read(entry), found)
    raise_if(page.diagnostics)
    return ExceptionFile(tuple(found), today)


def _read(entry: Entry) -> ExceptionEntry:
    scope = {key: entry[key] for key in SCOPE}
    identity = "\x1f".join((entry["suite"], *scope.values(), entry["severity"]))
    return ExceptionEntry(
        hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:8],
        entry["suite"],
        scope,
        entry["severity"],
        entry["reason"],
        entry["owner"],
        date.fromisoformat(entry["until"]),
        entry["link"],
        entry.position,
    )


def _keep(page: Page, entry: ExceptionEntry, found: list[ExceptionEntry]) -> None:
    twin = next((other for other in found if other.id == entry.id), None)
    if twin is None:
        found.append(entry)
        return
    message = f"the same exception stands in line {twin.position.line}"
    page.complain(entry.position, "twice", message, "only one of them can be used", "remove one")


def _check(page: Page, entry: Entry) -> None:
    _one_of(page, entry, "severity", SEVERITIES)
    _one_of(page, entry, "mismatch", (*MISMATCHES, ANY))
    _one_of(page, entry, "cause", (*CAUSES, ANY))
    _check_type(page, entry)
    _check_until(page, entry)
    _check_stars(page, entry)
    _check_width(page, entry)


def _one_of(page: Page, entry: Entry, key: str, known: Sequence[str]) -> None:
    value = entry[key]
    if value in known:
        return
    why = f"{key} is one of {', '.join(word or chr(34) * 2 for word in known)}"
    if value == ANY:
        why = "an exception never hides a worse severity than it names, so it must name one"
    page.complain(entry.place(key), "value", f"unknown {key} {value!r}", why, near_miss(value, known), len(value))


def _check_type(page: Page, entry: Entry) -> None:
    """Complain about a misspelt type only: a worker in another language may well have types of its own."""
    known = [str(one) for one in ErrorType]
    guess = near_miss(entry["type"], known)
    if guess and entry["type"] not in known:
        why = f"known types: {', '.join(known)}"
        page.complain(entry.place("type"), "value", f"unknown type {entry['type']!r}", why, guess, len(entry["type"]))


def _check_until(page: Page, entry: Entry) -> None:
    try:
        if len(entry["until"]) != 10:
            raise ValueError
        date.fromisoformat(entry["until"])
    except ValueError:
        message = f"until must be a day, got {entry['until']!r}"
        page.complain(entry.place("until"), "value", message, "every exception ends", "until: 2027-01-31")


def _check_stars(page: Page, entry: Entry) -> None:
    for key in ("suite", *SCOPE):
        rest = entry[key].replace("[*]", "") if key == "path" else entry[key]
        if ANY in rest and entry[key] != ANY:
            why = '"*" stands for a whole value; inside a path only [*], for any subscript, is known'
            page.complain(
                entry.place(key), "value", f"{key} holds a lone *: {entry[key]!r}", why, "write the whole value"
            )


def _check_width(page: Page, entry: Entry) -> None:
    stars = [key for key in ("suite", *SCOPE) if entry[key] == ANY]
    fix = "write one entry for each finding; the report prints what to copy"
    if entry["suite"] == ANY and entry["path"] == ANY:
        page.complain(
            entry.position, "wide", "suite and path are both open", "it would hide what nobody has seen yet", fix
        )
    elif len(stars) > MOST_WILDCARDS:
        why = f"at most {MOST_WILDCARDS} keys may be open"
        page.complain(entry.position, "wide", f"{len(stars)} keys are open: {', '.join(stars)}", why, fix)
