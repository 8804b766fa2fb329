"""Asking an open subject about given cases, and saying what its answers mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from harness.case import Answer, Case, KindInfo
from harness.compare.comparator import Comparator
from harness.compare.mismatch import Mismatch
from harness.compare.severity import severity_of
from harness.diagnostics import UsageError, near_miss
from harness.errormatch.trusted import Wordings, all_wordings, own_wordings
from harness.reporting.assembly import served_lists
from harness.subject import Subject

BATCH = 100


class CheckedAnswer(Answer, frozen=True, omit_defaults=True):
    """An answer with what is wrong about it. `served` holds the list of every setting."""

    mismatches: tuple[Mismatch, ...] = ()


class CaseAsker:
    """Asks a subject, compares, and remembers one comparator per kind."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.kinds = {info.key: info for info in subject.target.info.kinds}
        self._wordings: Wordings = all_wordings(own_wordings())
        self._comparators: dict[tuple[str, str, str, str], Comparator] = {}

    def ask(self, cases: Iterable[Case]) -> Iterator[tuple[Case, CheckedAnswer]]:
        """Answer cases in order, a batch at a time. Ids may repeat: they are the caller's."""
        rest = iter(cases)
        while batch := list(islice(rest, BATCH)):
            numbered = [msgspec.structs.replace(case, id=number) for number, case in enumerate(batch)]
            answers = self.subject.target.ask(numbered)
            for case, answer in zip(batch, answers, strict=True):
                yield case, self.checked(case, msgspec.structs.replace(answer, id=case.id))

    def checked(self, case: Case, answer: Answer) -> CheckedAnswer:
        """Compare one answer, and compose what users would be served."""
        comparator = self.comparator(self.info(case))
        fields: dict[str, Any] = {name: getattr(answer, name) for name in Answer.__struct_fields__}
        if answer.failure is None:
            fields["served"] = served_lists(answer, comparator.info, self.subject.ends or ())
        return CheckedAnswer(**fields, mismatches=tuple(comparator.compare(case, answer)))

    def severity(self, case: Case, answer: Answer, mismatch: Mismatch) -> str:
        """Say who would notice."""
        return severity_of(case, answer, mismatch, self.comparator(self.info(case)))

    def comparator(self, info: KindInfo) -> Comparator:
        """Return the comparator of a kind."""
        if info.key not in self._comparators:
            known = self.subject.is_known_path(info)
            self._comparators[info.key] = Comparator(
                info, is_known_path=known, trusted=self._wordings, ends=self.subject.ends
            )
        return self._comparators[info.key]

    def info(self, case: Case) -> KindInfo:
        """Return the kind of a case. Raises UsageError when the target does not serve it."""
        info = self.kinds.get((case.group, case.version, case.resource, case.subresource))
        if info is None:
            named = KindInfo(case.group, case.version, case.kind, case.resource or case.kind, "", case.subresource).name
            raise not_served(self.subject, named)
        return info

    def completed(self, case: Case) -> Case:
        """Add the resource, which people need not name. Raises UsageError when none or several fit."""
        if not case.resource:
            wanted = (case.group, case.version, case.subresource, case.kind)
            fits = [i for i in self.kinds.values() if (i.group, i.version, i.subresource, i.kind) == wanted]
            if not fits:
                raise not_served(self.subject, f"{case.group}/{case.version} {case.kind}".lstrip("/"), case.kind)
            if len(fits) > 1:
                names = ", ".join(info.name for info in fits)
                raise UsageError(f'several resources fit: {names}\n  fix: add "resource"')
            case = msgspec.structs.replace(case, resource=fits[0].resource)
        self.info(case)
        return case

    def find(
        self, api_version: str, kind: str, subresource: str = "", version: str = "", resource: str = ""
    ) -> KindInfo:
        """Find the kind that an object of this apiVersion and kind is sent to.

        `version` asks another version of the request than the object's own; `resource` decides between several.
        Raises: UsageError when none or several fit.
        """
        fits = [
            info
            for info in self.kinds.values()
            if info.kind == kind and info.subresource == subresource and resource in ("", info.resource)
        ]
        exact = [info for info in fits if api_version in ("", info.api_version)]
        if version:
            exact = [
                info for info in fits if info.version == version and _group(info) == api_version.rpartition("/")[0]
            ]
        if len(exact) == 1 or (exact and len({info.key[:3] for info in exact}) == 1):
            return exact[0]
        named = f"{api_version} {kind}" + (f" at subresource {subresource}" if subresource else "")
        if exact:
            names = ", ".join(info.name for info in exact)
            raise UsageError(f"{named} may be meant for several: {names}\n  fix: add --resource {exact[0].resource}")
        raise not_served(self.subject, named, kind)


def _group(info: KindInfo) -> str:
    return info.api_version.rpartition("/")[0]


def not_served(subject: Subject, named: str, kind: str = "") -> UsageError:
    """Say that the target does not serve what was asked, with the near miss."""
    info = subject.target.info
    known = sorted({one.kind for one in info.kinds})
    same = sorted({f"{one.api_version} {one.kind} ({one.name})" for one in info.kinds if one.kind == kind})
    fix = f"it serves {'; '.join(same[:6])}" if same else near_miss(kind, known) or "harness kinds lists what it serves"
    reasons = [f"{e.resource}: {e.reason}" for e in info.excluded if kind and e.resource.startswith(kind.lower())]
    why = f"\n  why: excluded: {'; '.join(reasons)}" if reasons else ""
    return UsageError(f"{subject.name} does not serve {named}{why}\n  fix: {fix}")
