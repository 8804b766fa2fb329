"""Counts the code of handwritten validators in Go that a run reaches, and adds it to the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

import click
import msgspec

from harness.cli.fieldcalls import field_entries
from harness.diagnostics import HarnessError, InputError, TargetError
from harness.engine.observers import ObserverFactory
from harness.events import Result
from harness.gotypes.branches import GoSource
from harness.limits import read_checkout
from harness.report.escaping import lines
from harness.report.model.code import BlockEntry, FunctionEntry, NearestObject, sum_code
from harness.report.model.document import Report
from harness.rulecov.blocks import NAME, BlockObserverFactory
from harness.rulecov.nearest import LEAST, SHARE, NearestCases, reached_before
from harness.subject import SubjectSpec, open_subject
from harness.subject.namedvalidator import GO
from harness.subject.openers.crd import CRD
from harness.subject.openers.kubernetes import KUBERNETES
from harness.targets.crd.govalidator import blocks_of_validator
from harness.targets.kubernetes.blocks import CodeBlock, CountedCode, blocks_of_release, require_counters
from harness.targets.kubernetes.gomodule import TOP
from harness.targets.kubernetes.release import code_folder, find_toolchain
from harness.targets.kubernetes.unreached.reasons import BlockReason, BlockReasons

BlockKey: TypeAlias = tuple[str, tuple[int, int]]
"""A block by its file, and the line and column at which it begins."""


def can_count(spec: SubjectSpec) -> bool:
    """Whether a subject has handwritten code with counters.

    A release or checkout has that is not compared with another, and so have CRDs with a validator in Go behind them.
    """
    return (spec.kind == KUBERNETES.name and spec.against is None) or _has_go_validator(spec)


def _has_go_validator(spec: SubjectSpec) -> bool:
    return spec.kind == CRD.name and spec.validator is not None and spec.validator.startswith(GO)


def counting(spec: SubjectSpec) -> SubjectSpec:
    """Return a subject that counts its blocks, if it can. Says once why the Go at hand builds no counters."""
    if not can_count(spec):
        return spec
    try:
        toolchain = find_toolchain()
    except TargetError:
        return replace(spec, counts_blocks=True)  # opening the subject says what is missing
    try:
        require_counters(toolchain)
    except TargetError as error:
        _warn(f"{error}\n  the search goes on, and does not say which code it reached")
        return spec
    return replace(spec, counts_blocks=True)


def block_observers(spec: SubjectSpec) -> dict[str, ObserverFactory]:
    """Return the observer of code coverage of a subject that counts its blocks."""
    return {NAME: BlockObserverFactory()} if spec.counts_blocks else {}


def with_code(report: Report, results: Sequence[Result], specs: Mapping[str, SubjectSpec]) -> Report:
    """Return a report with the functions of handwritten validators and what was reached of them.

    `specs` are those of the parts of the run, by name, from which they are opened again to ask what came near the rest.
    What cannot be read is a message, because the rest of the report is worth as much without it.
    """
    spec = next((one for one in specs.values() if one.counts_blocks), None)  # a run has one such subject at most
    counted = [result for result in results if NAME in result.observed]
    if spec is None or not counted:
        return report
    reached = reached_blocks(counted)
    if reached is None:
        _warn(str(TargetError(
            "the worker has no counters that can be read, so that the code which was reached is unknown",
            why="it was built without them, as a message above says, or its Go writes them in a form that is not known",
            fix="make the build above succeed; with a newer Go, update the harness or install an older one",
        )))  # fmt: skip
        return report
    try:
        code = list_code(spec)
    except HarnessError as error:
        _warn(str(error))
        return report
    functions = list(functions_of(counted[0].subject, code.blocks, reached, code.root, code.module))
    is_release = not _has_go_validator(spec)  # reasons and fields are facts of the sources of Kubernetes
    if is_release:
        functions = list(with_reasons(functions, code.root, [part.target.gates for part in report.parts]))
    if any(result.stopped == "interrupted" for result in counted):
        return msgspec.structs.replace(report, code=tuple(functions))
    if is_release:
        report = _with_fields(report, spec, counted, functions)
    nearest = nearest_objects(code, reached, counted, specs)
    return msgspec.structs.replace(report, code=tuple(with_nearest(functions, nearest)))


def _with_fields(
    report: Report, spec: SubjectSpec, results: Sequence[Result], functions: Sequence[FunctionEntry]
) -> Report:
    """Return a report with the calls that report at each field of the kinds that were searched."""
    searched = {(kind.group, kind.version, kind.resource, kind.subresource) for kind in report.kinds}
    kinds = [info for result in results for info in result.target.kinds if info.key in searched]
    try:
        fields = field_entries(results[0].subject, spec.location, kinds, functions, lambda text: None)
        return msgspec.structs.replace(report, fields=tuple(fields))
    except HarnessError as error:
        _warn(str(error))
        return report


def reached_blocks(results: Sequence[Result]) -> frozenset[int] | None:
    """Return the blocks that the parts of a run reached; None if they have no counters that can be read."""
    units = [unit for result in results for unit in result.observed[NAME]]
    if not all(unit.can_count for unit in units):
        return None
    return frozenset(one for unit in units for one in unit.blocks)


def list_code(spec: SubjectSpec) -> CountedCode:
    """Return the code that a subject counts, and where its sources are. Raises: TargetError, UsageError."""
    if spec.validator is not None:
        return blocks_of_validator(spec.validator.removeprefix(GO))
    return CountedCode(blocks_of_release(spec.location), code_folder(spec.location), TOP)


def nearest_objects(
    code: CountedCode,
    reached: AbstractSet[int],
    results: Sequence[Result],
    specs: Mapping[str, SubjectSpec],
    only: AbstractSet[BlockKey] = frozenset(),
) -> dict[BlockKey, NearestObject]:
    """Find the case that came nearest to each block that was not reached, or to `only` some, and say what it took."""
    files = {file for file, _ in only}
    before = {
        (block.file, block.start): at
        for file, own in _by_file(code.blocks)
        if not files or file in files
        for block, at in reached_before(_read_source(code.root / file.removeprefix(f"{code.module}/")), own, reached)
        if not only or (block.file, block.start) in only
    }
    cases = sum(result.cases for result in results)
    nearest = NearestCases(frozenset(at.number for at in before.values()), max(LEAST, cases // SHARE))
    for result in results:
        part = result.part or result.subject
        batches = [batch for unit in result.observed[NAME] for batch in unit.batches]
        if nearest.is_complete(batches):
            continue
        try:
            with open_subject(specs[part]) as subject:
                nearest.ask(part, subject.target, batches)
        except HarnessError as error:
            _warn(f"what came near the code that was not reached is not told: {error}")
    found = {key: (at.end[0], *nearest.found[at.number]) for key, at in before.items() if at.number in nearest.found}
    _warn(
        f"{nearest.asked:,} cases were asked again for objects that came near {len(before):,} blocks; "
        f"those of {len(found):,} are told"
    )
    return {key: NearestObject(part, line, case) for key, (line, part, case) in found.items()}


def with_nearest(
    functions: Iterable[FunctionEntry], nearest: Mapping[BlockKey, NearestObject]
) -> Iterator[FunctionEntry]:
    """Yield functions, with the cases that came nearest to their blocks."""
    for one in functions:
        blocks = [msgspec.structs.replace(block, nearest=nearest.get((one.file, block.start))) for block in one.blocks]
        yield msgspec.structs.replace(one, blocks=tuple(blocks))


def _by_file(blocks: Iterable[CodeBlock]) -> Iterator[tuple[str, list[CodeBlock]]]:
    ordered = sorted(blocks, key=lambda one: (one.file, one.number))
    return ((file, list(own)) for file, own in groupby(ordered, lambda one: one.file))


def functions_of(
    subject: str, blocks: Iterable[CodeBlock], reached: Iterable[int], root: Path, module: str = TOP
) -> Iterator[FunctionEntry]:
    """Yield the functions that blocks belong to, with what the sources of a module say of the blocks."""
    seen = frozenset(reached)
    for file, own in _by_file(blocks):
        source = _read_source(root / file.removeprefix(f"{module}/"))
        errors = source.error_calls
        for (_, name), parts in groupby(own, lambda one: (one.number >> 20, one.function)):
            entries = []
            for block in parts:
                start, end = source.offset_at(*block.start), source.offset_at(*block.end)
                is_reached = block.number in seen
                made = tuple((one.constructor, one.field) for one in errors if start <= one.offset < end)
                condition = "" if is_reached else source.condition_of(start, end)
                entries.append(BlockEntry(block.start, block.end, block.statements, is_reached, condition, made))
            yield FunctionEntry(subject, file, name, tuple(sorted(entries, key=lambda one: one.start)))


def with_reasons(
    functions: Sequence[FunctionEntry],
    root: Path,
    gates: Sequence[Mapping[str, bool]],
    only: AbstractSet[BlockKey] = frozenset(),
) -> Iterator[FunctionEntry]:
    """Yield functions, what was not reached with the reasons that the sources below a folder and the gates show.

    Blocks have reasons only if half of the statements were reached, or if they are named as `only` those: a run of few
    kinds or cases has thousands of blocks that it did not ask for, whose reasons take minutes.
    """
    wanted = [one for one in functions if any((one.file, block.start) in only for block in one.blocks)]
    reasons, sums = BlockReasons(root, functions, gates, wanted if only else None), sum_code(functions)
    for one in functions:
        blocks = one.blocks
        if only or sums.reached >= sums.missed:
            blocks = tuple(
                _with_reason(block, reasons.of(one, block))
                if not block.reached and (not only or (one.file, block.start) in only)
                else block
                for block in blocks
            )
        yield msgspec.structs.replace(one, blocks=blocks, reason=reasons.of_function(one))


def _with_reason(block: BlockEntry, found: BlockReason) -> BlockEntry:
    return msgspec.structs.replace(block, sort=found.sort, reason=found.fact, behind=found.behind)


def _read_source(path: Path) -> GoSource:
    try:
        return GoSource(read_checkout(path))
    except (OSError, InputError) as error:
        _warn(f"{path.name}: conditions are not told: {error}")
        return GoSource(b"")


def _warn(text: str) -> None:
    click.echo(f"harness: {lines(text)}", err=True)
