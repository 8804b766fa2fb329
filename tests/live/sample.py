"""Draws cases as a search asks them, and compares both answers to each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from heapq import heappop, heappush
from typing import Any

import msgspec

from harness import engine
from harness.case import Answer, Case, Gates, KindInfo
from harness.compare.confirmation import Confirmation, confirm, questions
from harness.compare.covered import gather
from harness.engine import RunConfig
from harness.errormatch.matcher import matcher_for
from harness.events import Budget
from harness.report.model.assembly import served_lists
from harness.subject import Subject, SubjectSpec, open_subject
from harness.targets.target import Target

_BATCH = 100


@dataclass
class Sampled:
    """A target that keeps a sample of the cases on their way to another one: each is as likely as any other.

    Those with the smallest digests, in whatever order they come: a search fills its batches as fast as answers arrive,
    so that only the set of its cases is the same each time.
    """

    target: Any
    size: int
    kept: dict[int, Case] = field(default_factory=dict)
    _digests: list[int] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.target, name)

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Keep some of the cases, and let them be answered."""
        self._keep(cases)
        answers: list[Answer] = self.target.ask(cases)
        return answers

    def submit(self, cases: Sequence[Case]) -> Any:
        """Keep some of the cases, and let them be answered."""
        self._keep(cases)
        return self.target.submit(cases)

    def _keep(self, cases: Sequence[Case]) -> None:
        for case in cases:
            if case.mode != "served" or case.options:  # no request
                continue
            digest = -int.from_bytes(sha256(msgspec.json.encode(_plain(case, 0), order="sorted")).digest())
            if digest not in self.kept:
                self.kept[digest] = case
                heappush(self._digests, digest)
            if len(self.kept) > self.size:
                del self.kept[heappop(self._digests)]


def draw(release: str, gates: Gates, size: int, seed: int = 1) -> tuple[list[Case], list[Case]]:
    """Return cases of a search that asks ten times as many, and those of its findings."""
    samples: list[Sampled] = []
    spec = SubjectSpec("kubernetes", release, gates=dict(gates))
    config = RunConfig(seed=seed, budget=Budget(None, 10 * size), jobs=1)
    found = engine.run(spec, config, opener=partial(_open_sampled, size, samples)).findings
    shown = [one.case for one in found if one.case.mode == "served" and not one.case.options and one.case.object]
    (sample,) = samples
    return unique(case for _, case in sorted(sample.kept.items())), unique(shown)


def unique(cases: Iterable[Case]) -> list[Case]:
    """Return different cases, numbered, without what asks for more than the answer."""
    plain = [_plain(case, number) for number, case in enumerate(cases)]
    return list(
        {msgspec.json.encode(msgspec.structs.replace(case, id=0), order="sorted"): case for case in plain}.values()
    )


def _open_sampled(size: int, samples: list[Sampled], spec: SubjectSpec, note: Any) -> Subject:
    subject = open_subject(spec, note)
    samples.append(Sampled(subject.target, size))
    subject.target = samples[-1]
    return subject


def _plain(case: Case, number: int) -> Case:
    return Case(
        number, case.group, case.version, case.kind, case.operation, case.object, case.old, case.resource,
        case.subresource,
    )  # fmt: skip


def predict(case: Case, ours: Answer, its: Answer, info: KindInfo) -> tuple[str, int]:
    """Return the label of a server's counters for a case, and by how much its mismatches rise under all settings."""
    label = f"{case.kind.lower()}{f'_{case.subresource}' if case.subresource else ''}_{case.operation}"
    if not info.rules or ours.failure is not None:
        return label, 0
    found = gather(ours.handwritten, ours.declarative, info, matcher_for(info.normalization))
    return label, sum(map(len, found)) * sum(not one.status for one in its.served)


def compare(cases: Iterable[Case], validators: Target, server: Target) -> Iterator[tuple[Case, Answer, Confirmation]]:
    """Yield each case with our answer, and what came of asking the server."""
    kinds: Mapping[tuple[str, str, str, str], KindInfo] = {info.key: info for info in validators.info.kinds}
    rest = list(cases)
    for start in range(0, len(rest), _BATCH):
        batch = rest[start : start + _BATCH]
        ours = []
        for case, answer in zip(batch, validators.ask(batch), strict=True):
            info = kinds[case.group, case.version, case.resource, case.subresource]
            lists = served_lists(answer, info) if answer.failure is None else ()
            ours.append((case, info, msgspec.structs.replace(answer, served=lists)))
        requests = [questions(case, answer) for case, _, answer in ours]
        said = iter(server.ask([one for own in requests for one in own]))
        for (case, info, answer), own in zip(ours, requests, strict=True):
            replies = [next(said) for _ in own]
            yield (
                case,
                answer,
                confirm(case, answer, replies, server.info.name, info.served, info.storage, info.composition),
            )
