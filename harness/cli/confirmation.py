"""Asks the running API server of a release the cases of findings, and adds its answers to a report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import TypeAlias

import click
import msgspec

from harness.case import Answer, Case, Failure, TargetInfo
from harness.compare.confirmation import Confirmation, confirm, questions
from harness.diagnostics import UsageError
from harness.report.escaping import lines
from harness.report.model.document import KindEntry, Reach, Report, ReportedFinding
from harness.subject.openers.kubernetes import KUBERNETES
from harness.targets.live.access import Access
from harness.targets.live.client import ServerTarget
from harness.targets.live.target import LiveTarget
from harness.targets.target import Closing

_BATCH = 100
"""So many cases are sent at once: a server answers about 600 a second under three settings."""


def check_reach(reach: Reach) -> None:
    """Check that a running server can be asked what a target was asked. Raises: UsageError."""
    if reach.kind != KUBERNETES.name:
        raise UsageError(
            f"a running server has no part in findings of {reach.kind} {reach.location}\n"
            "  fix: confirm the findings of a release or checkout, from harness run --kubernetes"
        )
    if reach.against or reach.handwritten or reach.declarative != "target" or reach.types:
        raise UsageError(
            "the findings are not about one release as it is\n"
            "  why: a running server has its own validators under its own gates, and nothing to compare them with\n"
            "  fix: confirm a report of harness run --kubernetes RELEASE without --against, --handwritten and --types"
        )


def confirm_report(report: Report, findings: Sequence[ReportedFinding], access: Access | None = None) -> Report:
    """Ask a server for each part of a run the cases of these findings. Returns: the report with what they answered.

    `access` reaches somebody's own server, which is asked by dry run; without it, the release's own is started.
    Raises: TargetError if a server cannot be built, started or asked; UsageError if none can be asked.
    """
    reaches = {part.subject: part.reach for part in report.parts}
    subjects = dict.fromkeys(finding.subject for finding in findings)
    for subject in subjects:
        check_reach(reaches[subject])
    kinds = {(kind.subject, kind.name): kind for kind in report.kinds}
    found: dict[tuple[str, str], Confirmation] = {}
    chosen = {subject: reaches[subject] for subject in subjects}
    releases = {part.subject: part.target.release for part in report.parts}
    with _open_servers(chosen) if access is None else _connect(access, chosen, releases) as servers:
        for subject, server in servers.items():
            own = [finding for finding in findings if finding.subject == subject]
            started = time.monotonic()
            for finding, confirmation in _ask(server, own, kinds):
                found[subject, finding.fingerprint] = _doubt(confirmation) if access else confirmation
            note(f"asked the server of {subject} {len(own):,} cases in {time.monotonic() - started:.1f} s")
    every = tuple(_with(finding, found.get((finding.subject, finding.fingerprint))) for finding in report.findings)
    return msgspec.structs.replace(report, findings=every)


def note(text: str) -> None:
    """Print what happens while a server is built, started and asked."""
    click.echo(lines(text), err=True)


def _with(finding: ReportedFinding, confirmation: Confirmation | None) -> ReportedFinding:
    return finding if confirmation is None else msgspec.structs.replace(finding, confirmation=confirmation)


@contextmanager
def _open_servers(reaches: Mapping[str, Reach]) -> Iterator[Mapping[str, Server]]:
    """Start a server for each part, all at once: most of the time each of them waits for itself."""
    with ExitStack() as stack, ThreadPoolExecutor(max(1, len(reaches))) as pool:
        starting = {subject: pool.submit(_open, reach, note) for subject, reach in reaches.items()}
        try:
            opened = {subject: one.result() for subject, one in starting.items()}
        finally:
            for one in starting.values():
                if one.exception() is None:
                    stack.enter_context(one.result())
        yield opened


@contextmanager
def _connect(
    access: Access, reaches: Mapping[str, Reach], releases: Mapping[str, str]
) -> Iterator[Mapping[str, Server]]:
    """Connect to somebody's own server, which has one configuration of gates: that of the part without any."""
    plain = [subject for subject, reach in reaches.items() if not reach.gates]
    if not plain:
        raise UsageError(
            "the findings are of other feature gates than those of a server by default\n"
            "  fix: leave --server and --kubeconfig out, or name other findings"
        )
    with ServerTarget(access, releases[plain[0]]) as server:
        others = {subject: Unasked(server.info) for subject in reaches if subject not in plain}
        yield {**dict.fromkeys(plain, server), **others}


class Unasked(Closing):
    """Stands for a server whose gates are others than those of a part."""

    def __init__(self, info: TargetInfo) -> None:
        self.info = info

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Ask nothing."""
        return [Answer(case.id, failure=Failure("prepare", "the part has other feature gates")) for case in cases]


Server: TypeAlias = LiveTarget | ServerTarget | Unasked


def _doubt(confirmation: Confirmation) -> Confirmation:
    """Say what else may have answered: a cluster has more than validation."""
    if confirmation.outcome != "contradicted":
        return confirmation
    reason = f"{confirmation.reason}; a plugin, webhook or policy that changes objects there may be the reason"
    return msgspec.structs.replace(confirmation, reason=reason)


def _open(reach: Reach, note: Callable[[str], None]) -> LiveTarget:
    return LiveTarget(reach.location, gates=reach.gates, note=note)


def _ask(
    server: Server, findings: Sequence[ReportedFinding], kinds: Mapping[tuple[str, str], KindEntry]
) -> Iterator[tuple[ReportedFinding, Confirmation]]:
    name = server.info.name
    compositions = {kind.key: kind.composition for kind in server.info.kinds}
    asked = []
    for finding in findings:
        if why := _why_not_asked(finding):
            yield finding, Confirmation(name, "not-asked", why)
        else:
            asked.append(finding)
    for start in range(0, len(asked), _BATCH):
        batch = asked[start : start + _BATCH]
        requests = [questions(finding.case, finding.answer) for finding in batch]
        said = iter(server.ask([case for cases in requests for case in cases]))
        for finding, cases in zip(batch, requests, strict=True):
            kind = kinds.get((finding.subject, finding.name))
            served, stored = kind is None or not kind.through, kind is None or kind.storage
            own = list(islice(said, len(cases)))
            case = finding.case
            key = case.group, case.version, case.resource, case.subresource
            composition = compositions.get(key, "levels")  # one that is not served is answered by a status
            yield finding, confirm(case, finding.answer, own, name, served, stored, composition)


def _why_not_asked(finding: ReportedFinding) -> str:
    """Return why the case of a finding is no request; empty if it is one."""
    if finding.case.object is None:
        return "it is about a rule, not about an object"
    if finding.case.mode != "served":
        return "the object was validated as given, and a server prepares it"
    if finding.case.options:
        return "the case sets validation options, and a server has its own"
    return ""
