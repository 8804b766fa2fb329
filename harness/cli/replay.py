"""`harness replay`: show a finding again, and say whether it still differs."""

from __future__ import annotations

from collections.abc import Sequence

import click
import msgspec

from harness.case import Case, KindInfo
from harness.cli import completion
from harness.cli.asker import CaseAsker, CheckedAnswer
from harness.cli.publishing import with_kept
from harness.cli.targets import TargetChoice, is_suite, pair_options, spec_of, target_options
from harness.cli.trust import check_trust, trust_option
from harness.compare.finding import SEVERITIES, Finding
from harness.compare.mismatch import Mismatch
from harness.diagnostics import Diagnostic, InputError, Position, UsageError, near_miss
from harness.jsonpath import canonical_path
from harness.limits import MOST_REPORT, decode_bounded, read_bounded
from harness.reporting import document
from harness.reporting.document import ReportedFinding
from harness.reporting.grouping import named
from harness.reporting.migration import rename_cause
from harness.reporting.terminal import full, show
from harness.reporting.text import lines, visible
from harness.subject import SubjectSpec, open_subject
from harness.subject.manifests import read_case, read_text

Asked = tuple[SubjectSpec, Case, Finding | None]
"""What to ask whom again; with the finding it is about, when there is one."""


@click.command("replay")
@click.argument(
    "arguments",
    nargs=-1,
    metavar="[REPORT.json] [FINGERPRINT|GROUP]... | FINDING.json | SUITE",
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

    A report that you did not write on this machine opens its target only with --trust, or when you name the target,
    because the report names the program to start.

    Exit codes: 0 nothing differs any more, 1 a finding still differs, 2 could not replay.
    """
    asked = _cases(arguments, target, cases) if cases else _findings(arguments, target, trust)
    if not asked:
        raise UsageError("nothing to replay: run again instead")
    codes = []
    for spec in dict.fromkeys(_identity(spec) for spec, _, _ in asked):
        mine = [entry for entry in asked if _identity(entry[0]) == spec]
        with open_subject(mine[0][0], lambda text: click.echo(lines(text), err=True)) as subject:
            asker = CaseAsker(subject)
            answers = asker.ask(asker.completed(case) for _, case, _ in mine)
            for (_, _, finding), (case, answer) in zip(mine, answers, strict=True):
                codes.append(_tell(asker, finding, case, answer))
    differing = codes.count(1)
    click.echo(f"{differing} of {len(codes)} still differ" if len(codes) > 1 else _verdict(codes[0]))
    return 1 if 1 in codes else max(codes)


def _verdict(code: int) -> str:
    return ("no longer differs", "still differs", "could not be answered")[code]


def _identity(spec: SubjectSpec) -> tuple[object, ...]:
    gates = tuple(sorted(spec.gates.items()))
    return spec.kind, spec.location, gates, spec.types, spec.mode, spec.declarative, spec.against, spec.handwritten


def _cases(arguments: Sequence[str], target: TargetChoice, texts: Sequence[str]) -> list[Asked]:
    spec = target.one(arguments)
    asked: list[Asked] = []
    for text in texts:
        data = text.encode() if text.lstrip().startswith("{") else read_text(text)
        name = "--case" if text.lstrip().startswith("{") else text
        case = read_case(data, 1, name)
        if b'"mode"' not in data:
            case = msgspec.structs.replace(case, mode=spec.mode)
        asked.append((spec, case, None))
    return asked


def _findings(arguments: Sequence[str], target: TargetChoice, trust: bool) -> list[Asked]:
    arguments = with_kept(arguments)
    if not arguments or is_suite(arguments[0]):
        raise UsageError("nothing to replay\n  fix: name a report (harness run --json FILE writes one), or --case FILE")
    name, *others = arguments
    given = target.specs(suites := [one for one in others if is_suite(one)])
    if len(suites) > 1:
        raise UsageError("a report is replayed against one suite at a time\n  fix: leave the others out")
    wanted = [one for one in others if one not in suites]
    if single := _read_finding(name):
        return [(given[0] if given else target.one(wanted), single.case, single)]
    data = document.read_data(name)
    report = document.decode(data, name)
    chosen = _chosen(_of_report(report), wanted, name)
    reaches = {part.subject: part.reach for part in report.parts}
    specs = dict.fromkeys({one.subject for one in chosen}, given[0]) if given else {}
    for subject in dict.fromkeys(one.subject for one in chosen if not given):
        reach = _reach(reaches, subject, name)
        check_trust(reach, name, data, trust)  # before anything that it names is looked at
        specs[subject] = spec_of(reach, target.in_process)
    return [(specs[finding.subject], _as_found(finding), finding) for finding in chosen]


def _of_report(report: document.Report) -> list[ReportedFinding]:
    """Return what can be asked again: findings, and of a verification what changes for users and what the base has."""
    told = report.verification
    if told is None:
        return list(report.findings)
    twins = [part.subject for part in report.parts if part.reach.against]
    heads = [part.subject for part in report.parts if not part.reach.against]
    more = [*((one.finding, twins) for one in told.changes), *((one, heads) for one in (*told.known, *told.uncompared))]
    return [*report.findings, *(_placed(finding, subjects) for finding, subjects in more)]


def _placed(finding: Finding, subjects: Sequence[str]) -> ReportedFinding:
    """Say of which part of the run a finding is."""
    named = [one for one in finding.parts if one in subjects] or list(subjects)
    fields = {name: getattr(finding, name) for name in Finding.__struct_fields__}
    return ReportedFinding(**fields, subject=named[0] if named else "")


def _reach(reaches: dict[str, document.Reach], subject: str, name: str) -> document.Reach:
    reach = reaches.get(subject)
    if reach is None or not reach.kind:
        fix = "name the target: a suite folder, --kubernetes RELEASE or --command PROGRAM"
        message = f"does not say how to open {subject}"
        raise InputError([Diagnostic(Position(name), "report-unreadable", message, fix=fix)])
    return reach


def _as_found(finding: Finding) -> Case:
    """Ask for what the comparison needs that found it."""
    kind = finding.mismatch
    return msgspec.structs.replace(
        finding.case,
        served=finding.case.served or kind == "composition",
        versions=finding.case.versions or kind == "version",
        repeat=finding.case.repeat or kind == "self",
    )


def _read_finding(name: str) -> Finding | None:
    """Read a file that holds one finding; None when it holds a whole report, or nothing that can be read."""
    try:
        value = decode_bounded(read_bounded(name, MOST_REPORT), name)
        if not isinstance(value, dict) or "fingerprint" not in value:
            return None
        rename_cause(value)
        return msgspec.convert(value, ReportedFinding)
    except msgspec.ValidationError as error:
        message = f"breaks the schema of findings: {error}"
        raise InputError([Diagnostic(Position(name), "report-unreadable", message)]) from None
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return None


def _chosen(findings: Sequence[ReportedFinding], wanted: Sequence[str], name: str) -> list[ReportedFinding]:
    """Pick findings by the id of a group, by fingerprint or its beginning."""
    if not findings:
        raise UsageError(f"{name} has no findings to replay")
    chosen = []
    for prefix in wanted:
        fits = named(findings, prefix)
        if not fits:
            hint = near_miss(prefix, [f.fingerprint for f in findings]) or f"it has {findings[0].fingerprint}, ..."
            raise UsageError(f"{name} has no finding {prefix!r}\n  fix: {hint}")
        chosen += fits
    once = {(finding.subject, finding.fingerprint): finding for finding in chosen}
    chosen = list(once.values()) or list(findings)
    for finding in chosen:
        if finding.case.object is None:
            click.echo(f"{finding.fingerprint} is about a rule, not about an object: a run shows it again", err=True)
    return [finding for finding in chosen if finding.case.object is not None]


def _tell(asker: CaseAsker, finding: Finding | None, case: Case, answer: CheckedAnswer) -> int:
    if finding is None:
        if answer.failure is not None and not answer.mismatches:
            click.echo(visible(f"cannot be answered: {answer.failure.stage}: {answer.failure.message}"), err=True)
            return 2
        for mismatch in answer.mismatches:
            show(full(_made(asker, case, answer, mismatch)))
        return 1 if answer.mismatches else 0
    again = next((m for m in answer.mismatches if _is_same(finding, m)), None)
    now = ReportedFinding(**{
        **{name: getattr(finding, name) for name in Finding.__struct_fields__},
        "answer": answer, "detail": again.detail if again else "both sides agree on this now", "replay": "",
    })  # fmt: skip
    show(full(now))
    click.echo()
    if again is None and answer.failure is not None:
        return 2
    return 0 if again is None else 1


def _is_same(finding: Finding, mismatch: Mismatch) -> bool:
    return mismatch.signature == (finding.mismatch, finding.path, finding.type, finding.origin, finding.side)


def _made(asker: CaseAsker, case: Case, answer: CheckedAnswer, mismatch: Mismatch) -> ReportedFinding:
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
