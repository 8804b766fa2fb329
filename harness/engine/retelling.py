"""Findings that an earlier run explained, told again from the corpus instead of being reduced and explained once more.

A reduction and its experiments take a hundred cases. Whoever asks with the same build of everything gets the same
answers, so one is enough: that to the reduced case. Where its lists are those of then, the difference, its severity and
its fingerprint are read from the answer of now, and only the words of the explanation from the corpus; else the finding
is explained anew. What depends on more than the answer of one case is not kept: changing answers, crashes, and what no
request shows.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from harness.case import Answer, Case
from harness.compare.cause import Explanation
from harness.compare.causes.unreachable import UNREACHABLE
from harness.compare.causes.unstable import UNSTABLE
from harness.compare.comparator import Comparator
from harness.compare.finding import SEVERITIES, Finding, fingerprint
from harness.compare.judge import grade
from harness.engine.config import RunConfig
from harness.engine.explain import count_different
from harness.engine.ledger import SignatureRecord
from harness.engine.packedfinding import PackedFinding
from harness.engine.plan import UnitPlan, is_as_drawn
from harness.files import code_digest
from harness.fuzzers.corpus import keep_file, load_file
from harness.subject import Subject

_OF_THE_MACHINE = ("beside", "in_process", "allow_exec", "branches")
"""What in the specification of a subject changes no answer."""
_NEVER = (UNREACHABLE.code, UNSTABLE.code)
"""Causes that one answer does not confirm."""


class ExplainedFinding(msgspec.Struct, frozen=True):
    """A finding, what it depends on (`run_digest`), and a checksum of both that tells a damaged one."""

    run: str
    finding: Finding
    checksum: str

    @classmethod
    def of(cls, run: str, finding: Finding) -> ExplainedFinding:
        """Make one, with its checksum, which is that of the finding as it is read again."""
        plain = msgspec.json.decode(msgspec.json.encode(finding), type=Finding)
        return cls(run, plain, _checksum(run, plain))

    @property
    def is_whole(self) -> bool:
        """Whether it is as it was written."""
        return self.checksum == _checksum(self.run, self.finding)


class ExplainedFindings(msgspec.Struct, frozen=True):
    """The explained findings of one type, ordered by run and fingerprint."""

    findings: tuple[ExplainedFinding, ...] = ()


_DECODER = msgspec.json.Decoder(ExplainedFindings)


def _checksum(run: str, finding: Finding) -> str:
    return hashlib.sha256(msgspec.json.encode((run, finding), order="deterministic")).hexdigest()[:20]


def run_digest(subject: Subject, config: RunConfig) -> str:
    """Return the digest of what explanations depend on besides cases; empty if it is not known what answers.

    That is the harness's own code, what answers and how it is asked, the wordings that are trusted, and the examples.
    """
    if not subject.build:
        return ""
    spec = {name: value for name, value in dataclasses.asdict(subject.spec).items() if name not in _OF_THE_MACHINE}
    trusted = b"" if config.trusted is None else config.trusted.read_bytes()
    examples = msgspec.json.encode([one.object for one in config.examples], order="deterministic")
    digest = hashlib.sha256(code_digest().encode())
    for part in (subject.name.encode(), subject.build.encode(), repr(sorted(spec.items())).encode(), trusted, examples):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:20]


def load_explained(path: Path, run: str, note: Callable[[str], None]) -> dict[str, PackedFinding]:
    """Read the findings of a file that depend on the same as this run, by fingerprint."""
    kept = read_explained(path, note)
    return {
        one.finding.fingerprint: PackedFinding.of(one.finding)
        for one in (kept.findings if kept is not None else ())
        if one.run == run
    }


def read_explained(path: Path, note: Callable[[str], None]) -> ExplainedFindings | None:
    """Read all findings of a file. Reports a file that cannot be read, and damaged findings, to `note`."""
    kept = load_file(
        path, _DECODER.decode, lambda read: [one.finding.case for one in read.findings], "no findings", note
    )
    if kept is None:
        return None
    whole = tuple(one for one in kept.findings if one.is_whole)
    if (damaged := len(kept.findings) - len(whole)) > 0:
        note(f"{path}: corpus-file: {damaged:,} damaged finding{'s' * (damaged != 1)} left out, explained anew")
    return ExplainedFindings(whole)


def keep_explained(
    path: Path, findings: Mapping[str, PackedFinding], run: str, note: Callable[[str], None]
) -> None:  # fmt: skip
    """Replace the findings of a file, those of other builds too. Reports a failure to `note`."""
    if findings:
        kept = (ExplainedFinding.of(run, packed.unpack()) for packed in findings.values())
        keep_file(path, merge_explained(kept), note)


def merge_explained(findings: Iterable[ExplainedFinding]) -> ExplainedFindings:
    """Return each finding once for each run that it depends on: the most severe one, and of those the smallest."""
    best: dict[tuple[str, str], ExplainedFinding] = {}
    for one in findings:
        key = one.run, one.finding.fingerprint
        best[key] = min(best.get(key, one), one, key=_order)
    return ExplainedFindings(tuple(one for _, one in sorted(best.items())))


def _order(one: ExplainedFinding) -> tuple[int, int, bytes]:
    data = msgspec.json.encode(one, order="deterministic")
    return SEVERITIES.index(one.finding.severity), len(data), data


def explained_of(seen: Iterable[SignatureRecord], plan: UnitPlan, run: str) -> dict[str, PackedFinding]:
    """Return the findings of a search that a later run may tell again."""
    return {one.fingerprint: PackedFinding.of(one) for one in _kept(seen, plan)}


def _kept(seen: Iterable[SignatureRecord], plan: UnitPlan) -> Iterator[Finding]:
    for record in seen:
        if record.finding is None or record.sighting is not None:
            continue
        finding = record.finding.unpack()
        is_answered = is_as_drawn(plan, finding.case) and finding.answer.failure is None
        if is_answered and finding.mismatch != "self" and finding.cause not in _NEVER:
            yield msgspec.structs.replace(finding, occurrences=1, phase="")


def case_to_retell(finding: Finding, served: bool) -> Case:
    """Return the case of a finding as it was asked: with the target's own composition where the answer has it."""
    return msgspec.structs.replace(finding.case, id=0, served=served and bool(finding.answer.served))


def retell(explained: Finding, answer: Answer, comparator: Comparator, subject: str) -> Finding | None:
    """Return a finding from the answer to its case, with the words of its explanation; None where they differ.

    Whatever stands in `explained`, the difference, its severity and its fingerprint are those of the answer.
    """
    case = explained.case
    if answer.failure is not None or count_different(explained.answer, [answer]) or explained.cause in _NEVER:
        return None
    answer = msgspec.structs.replace(answer, id=0)
    words = Explanation(
        explained.detail, explained.fix, cause=explained.cause, experiment=explained.experiment,
        certainty=explained.certainty, change=explained.change, tried=explained.fix_tried,
    )  # fmt: skip
    for mismatch in comparator.compare(case, answer):
        if fingerprint(subject, case, mismatch) == explained.fingerprint:
            graded = grade(case, answer, mismatch, comparator, words, subject)
            if graded.severity != explained.severity:
                return None
            return msgspec.structs.replace(
                graded, code=explained.code, owner=explained.owner, member=explained.member, source=explained.source,
                rule_source=explained.rule_source, handwritten_source=explained.handwritten_source,
                severity_note=explained.severity_note,
            )  # fmt: skip
    return None
