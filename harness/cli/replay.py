"""`harness replay`: ask the cases of findings again, and show which findings still differ."""

from __future__ import annotations

from collections.abc import Sequence

import click
import msgspec

from harness.case import Case, KindInfo
from harness.cli import completion
from harness.cli.asker import CaseAsker, CheckedAnswer
from harness.cli.publishing import name_kept_report
from harness.cli.targets import TargetChoice, is_suite, pair_options, spec_of, target_options
from harness.cli.trust import check_trust, trust_option
from harness.compare.finding import SEVERITIES, Finding
from harness.compare.mismatch import TURNED, Mismatch
from harness.diagnostics import Diagnostic, InputError, Position, UsageError, near_miss
from harness.jsonpath import canonical_path
from harness.limits import MAX_REPORT, decode_bounded, read_bounded
from harness.report.escaping import lines, visible
from harness.report.formats.terminal.lines import show
from harness.report.model.document import Reach, Report, ReportedFinding
from harness.report.model.grouping import find_by_id
from harness.report.model.reading import decode, read_data, rename_cause
from harness.report.text.finding import describe_fully
from harness.subject import SubjectSpec, open_subject
from harness.subject.manifests import read_case, read_text

ReplayedCase = tuple[SubjectSpec, Case, Finding | None]
"""A case, the target to ask, and the finding that the case belongs to, if it is from a report."""


@click.command("replay")
@click.argument(
    "arguments",
    nargs=-1,
    metavar="[REPORT] [FINDING]... | FINDING.json | SUITE",
    shell_complete=completion.replayed,
)
@target_options
@pair_options
@trust_option
@click.option(
    "--case", "cases", multiple=True, metavar="FILE|JSON", help="A case, as a JSON file or inline; repeatable."
)
def command(arguments: tuple[str, ...], target: TargetChoice, cases: tuple[str, ...], trust: bool) -> int:
    """Replay findings on their target, and show whether both sides still differ.

    \b
    harness replay report.json                     every finding of a report
    harness replay report.json 1f2e3d4c5b6a        one finding, or all findings of a group
    harness replay 1f2e3d4c5b6a                    from the newest cached report that has it
    harness replay report.json --kubernetes PATH   the same objects against another target
    harness replay report.json suites/widgets_v1   ... or against this suite
    harness replay suites/widgets_v1 --case case.json

    FINDING is the fingerprint of a finding, or the ID of a group of findings.

    A report that you did not write on this machine opens its target only with --trust, or when you name the target,
    because the report names the program to start.

    Exit codes: 0 nothing differs any more, 1 a finding still differs, 2 could not replay.
    """
    selected = _read_cases(arguments, target, cases) if cases else _read_findings(arguments, target, trust)
    if not selected:
        raise UsageError("nothing to replay: run again instead")
    codes = []
    for spec in dict.fromkeys(_identity(spec) for spec, _, _ in selected):
        same_spec = [entry for entry in selected if _identity(entry[0]) == spec]
        with open_subject(same_spec[0][0], lambda text: click.echo(lines(text), err=True)) as subject:
            asker = CaseAsker(subject)
            answers = asker.ask(asker.add_resource(case) for _, case, _ in same_spec)
            for (_, _, finding), (case, answer) in zip(same_spec, answers, strict=True):
                codes.append(_show_answer(asker, finding, case, answer))
    differing = codes.count(1)
    click.echo(f"{differing} of {len(codes)} still differ" if len(codes) > 1 else _verdict(codes[0]))
    return 1 if 1 in codes else max(codes)


def _verdict(code: int) -> str:
    return ("no longer differs", "still differs", "could not be answered")[code]


def _identity(spec: SubjectSpec) -> tuple[object, ...]:
    """Return a key that is equal for specifications of the same target."""
    gates = tuple(sorted(spec.gates.items()))
    own = (spec.against, spec.handwritten, spec.release, spec.validator, spec.crds)
    return spec.kind, spec.location, gates, spec.types, spec.mode, spec.declarative, *own


def _read_cases(arguments: Sequence[str], target: TargetChoice, texts: Sequence[str]) -> list[ReplayedCase]:
    """Read the cases of --case, which are files or JSON."""
    spec = target.one(arguments)
    selected: list[ReplayedCase] = []
    for text in texts:
        data = text.encode() if text.lstrip().startswith("{") else read_text(text)
        name = "--case" if text.lstrip().startswith("{") else text
        case = read_case(data, 1, name)
        if b'"mode"' not in data:
            case = msgspec.structs.replace(case, mode=spec.mode)
        selected.append((spec, case, None))
    return selected


def _read_findings(arguments: Sequence[str], target: TargetChoice, trust: bool) -> list[ReplayedCase]:
    """Read the cases of the findings that the arguments select, and their targets."""
    arguments = name_kept_report(arguments)
    if not arguments or is_suite(arguments[0]):
        raise UsageError("nothing to replay\n  fix: name a report (harness run --json FILE writes one), or --case FILE")
    name, *others = arguments
    overrides = target.specs(suites := [one for one in others if is_suite(one)])
    if len(suites) > 1:
        raise UsageError("a report is replayed against one suite at a time\n  fix: omit the others")
    ids = [one for one in others if one not in suites]
    if single := _read_finding(name):
        return [(overrides[0] if overrides else target.one(ids), single.case, single)]
    data = read_data(name)
    report = decode(data, name)
    selected = _select_findings(_replayable_findings(report), ids, name)
    reaches = {part.subject: part.reach for part in report.parts}
    specs = dict.fromkeys({one.subject for one in selected}, overrides[0]) if overrides else {}
    for subject in dict.fromkeys(one.subject for one in selected if not overrides):
        reach = _find_reach(reaches, subject, name)
        check_trust(reach, name, data, trust)  # before any file or program that the report names is opened
        specs[subject] = spec_of(reach, target.in_process)
    return [(specs[finding.subject], _request_lists(finding), finding) for finding in selected]


def _replayable_findings(report: Report) -> list[ReportedFinding]:
    """Return the findings of a report, and of a verification also changed answers and the findings of its base."""
    verification = report.verification
    if verification is None:
        return list(report.findings)
    pairs = [part.subject for part in report.parts if part.reach.against]
    heads = [part.subject for part in report.parts if not part.reach.against]
    base_findings = (*verification.known, *verification.uncompared)
    others = [*((one.finding, pairs) for one in verification.changes), *((one, heads) for one in base_findings)]
    return [*report.findings, *(_with_subject(finding, subjects) for finding, subjects in others)]


def _with_subject(finding: Finding, subjects: Sequence[str]) -> ReportedFinding:
    """Add the subject to a finding: the first of `subjects` that is a part in which it was found."""
    found_in = [one for one in finding.parts if one in subjects] or list(subjects)
    fields = {name: getattr(finding, name) for name in Finding.__struct_fields__}
    return ReportedFinding(**fields, subject=found_in[0] if found_in else "")


def _find_reach(reaches: dict[str, Reach], subject: str, name: str) -> Reach:
    """Return the entry of the report from which a subject is opened. Raises: InputError."""
    reach = reaches.get(subject)
    if reach is None or not reach.kind:
        fix = "name the target: a suite folder, --kubernetes RELEASE or --command PROGRAM"
        message = f"does not contain how to open {subject}"
        raise InputError([Diagnostic(Position(name), "report-unreadable", message, fix=fix)])
    return reach


def _request_lists(finding: Finding) -> Case:
    """Return the case of a finding, which requests the extra lists that the comparison of its mismatch needs."""
    kind = finding.mismatch
    return msgspec.structs.replace(
        finding.case,
        served=finding.case.served or kind == "composition",
        versions=finding.case.versions or kind == "version",
        repeat=finding.case.repeat or kind == "self",
        compiled=finding.case.compiled or kind == "generated",
        round_trip=kind in TURNED,
    )


def _read_finding(name: str) -> Finding | None:
    """Read a file with a single finding. Returns None for a report, and for a file that cannot be read."""
    try:
        value = decode_bounded(read_bounded(name, MAX_REPORT), name)
        if not isinstance(value, dict) or "fingerprint" not in value:
            return None
        rename_cause(value)
        return msgspec.convert(value, ReportedFinding)
    except msgspec.ValidationError as error:
        message = f"breaks the schema of findings: {error}"
        raise InputError([Diagnostic(Position(name), "report-unreadable", message)]) from None
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return None


def _select_findings(findings: Sequence[ReportedFinding], ids: Sequence[str], name: str) -> list[ReportedFinding]:
    """Select findings by the IDs of groups and by (prefixes of) fingerprints; without any, select all."""
    if not findings:
        raise UsageError(f"{name} has no findings to replay")
    selected = []
    for prefix in ids:
        matches = find_by_id(findings, prefix)
        if not matches:
            hint = near_miss(prefix, [f.fingerprint for f in findings]) or f"it has {findings[0].fingerprint}, ..."
            raise UsageError(f"{name} has no finding {prefix!r}\n  fix: {hint}")
        selected += matches
    unique = {(finding.subject, finding.fingerprint): finding for finding in selected}
    selected = list(unique.values()) or list(findings)
    for finding in selected:
        if finding.case.object is None:
            click.echo(f"{finding.fingerprint} is about a rule, not about an object: a run shows it again", err=True)
    return [finding for finding in selected if finding.case.object is not None]


def _show_answer(asker: CaseAsker, finding: Finding | None, case: Case, answer: CheckedAnswer) -> int:
    """Show the answer to a case. Returns: 0 if nothing differs, 1 if something does, 2 without a comparison."""
    if finding is None:
        if answer.failure is not None and not answer.mismatches:
            click.echo(visible(f"cannot be answered: {answer.failure.stage}: {answer.failure.message}"), err=True)
            return 2
        for mismatch in answer.mismatches:
            show(describe_fully(_make_finding(asker, case, answer, mismatch)))
        return 1 if answer.mismatches else 0
    again = next((m for m in answer.mismatches if _is_same(finding, m)), None)
    now = ReportedFinding(**{
        **{name: getattr(finding, name) for name in Finding.__struct_fields__},
        "answer": answer, "detail": again.detail if again else "both sides agree on this now", "replay": "",
    })  # fmt: skip
    show(describe_fully(now))
    click.echo()
    if again is None and answer.failure is not None:
        return 2
    return 0 if again is None else 1


def _is_same(finding: Finding, mismatch: Mismatch) -> bool:
    return mismatch.signature == (finding.mismatch, finding.path, finding.type, finding.origin, finding.side)


def _make_finding(asker: CaseAsker, case: Case, answer: CheckedAnswer, mismatch: Mismatch) -> ReportedFinding:
    """Return a finding without a cause, to show a mismatch of a case that is from no report."""
    info: KindInfo = asker.info(case)
    severity = asker.severity(case, answer, mismatch)
    return ReportedFinding(
        fingerprint="", code=mismatch.kind, cause="unknown",
        severity=next(name for name in SEVERITIES if name == severity), mismatch=mismatch.kind, group=info.group,
        version=info.version, kind=info.kind, resource=info.resource, subresource=info.subresource,
        operation=str(case.operation), path=canonical_path(mismatch.path), type=mismatch.type, origin=mismatch.origin,
        side=mismatch.side, gates=mismatch.gates, detail=mismatch.detail, fix="", occurrences=1, case=case,
        answer=answer,
    )  # fmt: skip
