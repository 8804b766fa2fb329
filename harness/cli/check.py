"""`harness check`: validate given objects with the handwritten and the declarative validators, and compare."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec

from harness.case import Case, Mode, Operation
from harness.cli.asker import CaseAsker, CheckedAnswer
from harness.cli.configuration import parse_gates
from harness.cli.targets import TargetChoice, is_suite, pair_options, target_options
from harness.diagnostics import Diagnostic, HarnessError, InputError, Position, UsageError
from harness.limits import lines_of
from harness.objectmodel import API_VERSION
from harness.report.escaping import encode_json, lines, visible
from harness.report.text.finding import describe_error
from harness.subject import open_subject
from harness.subject.manifests import Manifest, check_types, read_case, read_manifests
from harness.subject.unknown_fields import unknown_fields


@click.command("check")
@click.argument("files", nargs=-1, metavar="[SUITE] [MANIFEST]...")
@target_options
@pair_options
@click.option("--old", "old_file", metavar="FILE", help="The old objects: check updates.")
@click.option("--cases", metavar="FILE", help="Cases as NDJSON, `-` for standard input; prints answers as NDJSON.")
@click.option("--subresource", default="", help="Send the objects to this subresource.")
@click.option("--resource", default="", help="The resource, if the kind has several.")
@click.option("--version", default="", help="Send the objects to this API version.")
@click.option("--versions", is_flag=True, help="Show the declarative errors of every version.")
@click.option("--option", "options", multiple=True, metavar="NAME=true", help="Set a validation option; repeatable.")
@click.option("--strict", is_flag=True, help="Reject objects with unknown fields.")
@click.option("--json", "as_json", is_flag=True, help="Print answers as NDJSON.")
def command(
    files: tuple[str, ...], target: TargetChoice, old_file: str | None, cases: str | None, subresource: str,
    resource: str, version: str, versions: bool, options: tuple[str, ...], strict: bool, as_json: bool,
) -> int:  # fmt: skip
    """Print the errors of both sides for objects, and the errors served under each gate setting.

    \b
    harness check suites/widgets_v1 widget.yaml
    harness check --kubernetes 1.37.1 new.yaml --old old.yaml
    harness check --kubernetes 1.37.1 --cases - < cases.ndjson

    Unknown fields are dropped before validation, with a warning. With --strict they are an error, like kubectl
    --validate=strict.

    Exit codes: 0 both sides agree on all objects, 1 they differ, 2 an object could not be checked.
    """
    suites = [name for name in files if is_suite(name)]
    manifests = [name for name in files if name not in suites]
    if not target.named and not suites and len(files) > 1 and Path(files[0]).is_dir():
        suites, manifests = [files[0]], list(files[1:])
    if bool(cases) == bool(manifests):
        raise UsageError("nothing to check\n  fix: name manifests, or --cases FILE" if not cases else
                         "name manifests or --cases, not both")  # fmt: skip
    spec = target.one(suites)
    wanted = parse_gates(options)
    objects = [m for name in manifests for m in read_manifests(name)]
    olds = read_manifests(old_file) if old_file else []
    with open_subject(spec, lambda text: click.echo(lines(text), err=True)) as subject:
        if not subject.is_plain:
            check_types((one.object, one.position) for one in (*objects, *olds))
        asker = CaseAsker(subject)
        if cases:
            return _check_lines(asker, cases, spec.mode, strict)
        pairs = [(m, _old_of(m, objects, olds) if old_file else None) for m in objects]
        made, codes = [], []
        for number, (new, old) in enumerate(pairs):
            try:
                info = asker.find(new.api_version, new.kind, subresource, version, resource)
                operation = Operation.UPDATE if old is not None else Operation.CREATE
                if operation not in info.operations:
                    raise UsageError(f"{info.name} does not support {operation}\n  fix: {_fix(operation)}")
                before = None if old is None else _with_version(old, info.api_version)
                case = info.case(
                    operation, _with_version(new, info.api_version), before,
                    id=number, mode=spec.mode, options={**info.options, **wanted} if wanted else None,
                    versions=versions,
                )  # fmt: skip
                _check_unknown_fields(asker, case, str(new.position), strict)
                made.append(case)
            except HarnessError as error:
                click.echo(f"harness: {visible(str(new.position))}: {visible(str(error), keep=chr(10))}", err=True)
                codes.append(2)
        for case, answer in asker.ask(made):
            codes.append(_code(answer))
            if as_json:
                _print_line(answer)
            else:
                click.echo("\n".join(_describe(asker, pairs[case.id][0], case, answer)))
    return _worst(codes)


def _fix(operation: Operation) -> str:
    return "add --old FILE" if operation is Operation.CREATE else "omit --old"


def _with_version(manifest: Manifest, api_version: str) -> dict[str, object]:
    return {**manifest.object, API_VERSION: api_version} if api_version else manifest.object


def _old_of(new: Manifest, objects: Sequence[Manifest], olds: Sequence[Manifest]) -> Manifest:
    """Return the old object of an update: the one of the same name, else the one at the same index."""
    named = [old for old in olds if old.name == new.name]
    if len(named) == 1:
        return named[0]
    if len(objects) == len(olds):
        return olds[objects.index(new)]
    raise UsageError(
        f"{new.position}: no old object for {' '.join(part for part in new.name if part)}\n"
        "  fix: give it the same kind, namespace and name, or list old objects in the same order"
    )


def _check_unknown_fields(asker: CaseAsker, case: Case, position: str, strict: bool) -> None:
    """Warn about unknown fields, which decoding drops. Raises: UsageError with all of them with --strict."""
    if asker.subject.is_plain:  # its validators say themselves what they do with them
        return
    shape = asker.subject.shape(asker.info(case))
    found = [str(one) for one in unknown_fields(shape, case.object)]
    found += [f"{one} in the old object" for one in unknown_fields(shape, case.old)]
    if found and strict:
        raise UsageError("\n  ".join(found) + "\n  fix: remove them, or omit --strict to get warnings only")
    for text in found:
        click.echo(visible(f"warning: {position}: {text}"), err=True)


def _check_lines(asker: CaseAsker, name: str, mode: Mode, strict: bool) -> int:
    """Answer cases line by line. An invalid line is reported, and the others are still answered."""
    codes: list[int] = []
    cases = _read_lines(asker, name, mode, strict, codes)
    for _, answer in asker.ask(cases):
        codes.append(_code(answer))
        _print_line(answer)
    if not codes:
        raise UsageError(f"{name} has no cases\n  fix: one JSON object per line")
    return _worst(codes)


def _read_lines(asker: CaseAsker, name: str, mode: Mode, strict: bool, codes: list[int]) -> Iterator[Case]:
    for number, line in enumerate(_stream(name), 1):
        if not line.strip():
            continue
        try:
            case = read_case(line, number, name)
            case = asker.add_resource(case if b'"mode"' in line else msgspec.structs.replace(case, mode=mode))
            _check_unknown_fields(asker, case, f"{name}:{number}", strict)
            yield case
        except InputError as error:
            codes.append(2)
            click.echo(f"harness: {visible(str(error), keep=chr(10))}", err=True)
        except UsageError as error:
            codes.append(2)
            click.echo(f"harness: {visible(name)}:{number}: {visible(str(error), keep=chr(10))}", err=True)


def _stream(name: str) -> Iterator[bytes]:
    if name == "-":
        yield from lines_of(sys.stdin.buffer, "-")
        return
    try:
        with open(name, "rb") as file:
            yield from lines_of(file, name)
    except OSError as error:
        message, fix = f"cannot be read: {error.strerror}", "name a file, or - for standard input"
        raise InputError([Diagnostic(Position(name), "case-syntax", message, fix=fix)]) from None


def _print_line(answer: CheckedAnswer) -> None:
    sys.stdout.buffer.write(encode_json(answer) + b"\n")


def _code(answer: CheckedAnswer) -> int:
    if answer.mismatches:
        return 1
    return 2 if answer.failure is not None else 0


def _worst(codes: Sequence[int]) -> int:
    """Return the exit code: 1 for a difference, else 2 for an object that was not answered, else 0."""
    return 1 if 1 in codes else max(codes, default=2)


def _describe(asker: CaseAsker, manifest: Manifest, case: Case, answer: CheckedAnswer) -> Iterator[str]:
    info = asker.info(case)
    yield visible(f"{manifest.position}: {info.name} {case.operation} {'/'.join(p for p in manifest.name[1:] if p)}")
    if answer.failure is not None:
        yield visible(f"  cannot be answered: {answer.failure.stage}: {answer.failure.message}", keep="")
    else:
        sides = (("handwritten", answer.handwritten), ("declarative", answer.declarative))
        is_of_servers = bool(asker.subject.comparison.names)  # what each of the two serves is shown below
        for label, errors in sides if not is_of_servers else ():
            yield from _list_errors(label, [describe_error(error) for error in errors])
        for settings, texts in _group_settings(answer):
            yield visible(f"  served {', '.join(settings):<10} {'rejected' if texts else 'accepted'}")
            yield from (f"      {visible(text)}" for text in texts)
        for version, errors in answer.versions.items():
            yield from _list_errors(f"as {version}", [describe_error(error) for error in errors])
    for mismatch in answer.mismatches:
        severity = asker.severity(case, answer, mismatch)
        yield visible(f"  DIFFERS {mismatch.kind} ({severity}) {mismatch.path}: {mismatch.detail}")
    if not answer.mismatches and answer.failure is None:
        yield "  both sides agree" + (
            ", in other words: see what each setting serves" if len(_group_settings(answer)) > 1 else ""
        )


def _group_settings(answer: CheckedAnswer) -> list[tuple[list[str], tuple[str, ...]]]:
    """Group the gate settings with equal served errors, in order. Returns: their names, and the errors."""
    found: dict[tuple[str, ...], list[str]] = {}
    for served in answer.served:
        found.setdefault(tuple(error.text for error in served.errors), []).append(served.setting)
    return [(settings, texts) for texts, settings in found.items()]


def _list_errors(label: str, texts: Sequence[str]) -> Iterator[str]:
    yield f"  {visible(label):<12} {texts[0] if texts else 'no errors'}"
    yield from (f"  {'':<12} {text}" for text in texts[1:])
