"""Asks an open subject given cases, compares the answers, and finds the kind that an object is sent to."""

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
from harness.report.model.assembly import served_lists
from harness.subject import Subject

BATCH = 100


class CheckedAnswer(Answer, frozen=True, omit_defaults=True):
    """An answer with its mismatches. `served` has the served errors under every gate setting."""

    mismatches: tuple[Mismatch, ...] = ()


class CaseAsker:
    """Asks a subject cases and compares its answers. Caches one comparator per kind."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.kinds = {info.key: info for info in subject.target.info.kinds}
        self._wordings: Wordings = all_wordings(own_wordings())
        self._comparators: dict[tuple[str, str, str, str], Comparator] = {}

    def ask(self, cases: Iterable[Case]) -> Iterator[tuple[Case, CheckedAnswer]]:
        """Yield each case with its answer, in order. The ids of the cases may repeat; answers have the same ids."""
        rest = iter(cases)
        while batch := list(islice(rest, BATCH)):
            numbered = [msgspec.structs.replace(case, id=number) for number, case in enumerate(batch)]
            answers = self.subject.target.ask(numbered)
            for case, answer in zip(batch, answers, strict=True):
                yield case, self._check(case, msgspec.structs.replace(answer, id=case.id))

    def _check(self, case: Case, answer: Answer) -> CheckedAnswer:
        """Return an answer with its mismatches and the served errors, composed under every gate setting."""
        comparator = self.comparator(self.info(case))
        fields: dict[str, Any] = {name: getattr(answer, name) for name in Answer.__struct_fields__}
        if answer.failure is None:
            fields["served"] = served_lists(answer, comparator.info, self.subject.comparison.names)
        return CheckedAnswer(**fields, mismatches=tuple(comparator.compare(case, answer)))

    def severity(self, case: Case, answer: Answer, mismatch: Mismatch) -> str:
        """Return the severity of a mismatch."""
        return severity_of(case, answer, mismatch, self.comparator(self.info(case)))

    def comparator(self, info: KindInfo) -> Comparator:
        """Return the comparator of a kind."""
        if info.key not in self._comparators:
            self._comparators[info.key] = self.subject.comparator(info, self._wordings)
        return self._comparators[info.key]

    def info(self, case: Case) -> KindInfo:
        """Return the kind of a case. Raises: UsageError if the target does not serve it."""
        info = self.kinds.get((case.group, case.version, case.resource, case.subresource))
        if info is None:
            name = KindInfo(case.group, case.version, case.kind, case.resource or case.kind, "", case.subresource).name
            raise not_served(self.subject, name)
        return info

    def add_resource(self, case: Case) -> Case:
        """Add the resource to a case without one. Raises: UsageError if no resource has its kind, or several have."""
        if not case.resource:
            key = (case.group, case.version, case.subresource, case.kind)
            matches = [i for i in self.kinds.values() if (i.group, i.version, i.subresource, i.kind) == key]
            if not matches:
                raise not_served(self.subject, f"{case.group}/{case.version} {case.kind}".lstrip("/"), case.kind)
            if len(matches) > 1:
                names = ", ".join(info.name for info in matches)
                raise UsageError(f'several resources have this kind: {names}\n  fix: add "resource"')
            case = msgspec.structs.replace(case, resource=matches[0].resource)
        self.info(case)
        return case

    def find(
        self, api_version: str, kind: str, subresource: str = "", version: str = "", resource: str = ""
    ) -> KindInfo:
        """Find the resource that an object of this apiVersion and kind is sent to.

        `version` selects another version of the request than that of the object; `resource` selects one of several.
        Raises: UsageError if none or several match.
        """
        if self.subject.is_plain:
            return next(iter(self.kinds.values()))
        matches = [
            info
            for info in self.kinds.values()
            if info.kind == kind and info.subresource == subresource and resource in ("", info.resource)
        ]
        exact = [info for info in matches if api_version in ("", info.api_version)]
        if version:
            exact = [
                info for info in matches if info.version == version and _group(info) == api_version.rpartition("/")[0]
            ]
        if len(exact) == 1 or (exact and len({info.key[:3] for info in exact}) == 1):
            return exact[0]
        name = f"{api_version} {kind}" + (f" at subresource {subresource}" if subresource else "")
        if exact:
            names = ", ".join(info.name for info in exact)
            raise UsageError(f"several resources have {name}: {names}\n  fix: add --resource {exact[0].resource}")
        raise not_served(self.subject, name, kind)


def _group(info: KindInfo) -> str:
    return info.api_version.rpartition("/")[0]


def not_served(subject: Subject, name: str, kind: str = "") -> UsageError:
    """Return the error for a request that the target does not serve, with similar kinds that it serves."""
    info = subject.target.info
    known = sorted({one.kind for one in info.kinds})
    same = sorted({f"{one.api_version} {one.kind} ({one.name})" for one in info.kinds if one.kind == kind})
    fix = f"it serves {'; '.join(same[:6])}" if same else near_miss(kind, known) or "harness kinds lists what it serves"
    reasons = [f"{e.resource}: {e.reason}" for e in info.excluded if kind and e.resource.startswith(kind.lower())]
    why = f"\n  why: excluded: {'; '.join(reasons)}" if reasons else ""
    return UsageError(f"{subject.name} does not serve {name}{why}\n  fix: {fix}")
