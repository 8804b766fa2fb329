"""Describes for readers how much of the handwritten code a run reached: the sums, and every block that it did not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from harness.case import Case, kind_name
from harness.report.escaping import bounded, count, visible
from harness.report.model.code import (
    BlockEntry,
    CodeSums,
    FunctionEntry,
    NearestObject,
    ReportingCall,
    by_field,
    by_package,
    sum_code,
)
from harness.report.model.document import Report
from harness.report.model.fields import FieldErrors, MissedCall, by_kind

_SORTS = {
    "uncalled": "no request reaches {}: nothing that serves one calls the function",
    "gate": "{} run with another value of a feature gate alone",
    "default": "{} need a field to be unset that has a default",
    "constant": "{} need another value than every caller hands over",
    "contradiction": "{} need what an earlier condition excludes",
    "internal": "{} report an InternalError",
    "": "no reason is known for {}: the search did not find a case, or there is none",
}
"""The sorts of reasons for blocks that were not reached, in the order of a summary."""
_OBJECT = "(path of the caller)"
_ROOT = "(the object)"
_MOST_SHOWN = 200
"""So many characters of an object are shown; the document has all of it."""


def code_rows(report: Report, most: int = 3) -> Iterator[str]:
    """Yield how much was reached, and the `most` packages with most that was not. Nothing if it was not measured."""
    if not report.code:
        return
    sums = sum_code(report.code)
    yield (
        f"handwritten code: {describe_share(sums)}, {sums.reached_blocks:,} of {count(sums.blocks, 'block')}, "
        f"{sums.reached_errors:,} of {count(sums.errors, 'call')} that make an error"
    )
    packages = {name: sum_code(own) for name, own in by_package(report.code).items()}
    for name in sorted(packages, key=lambda name: -packages[name].missed)[:most]:
        if packages[name].missed:
            yield f"  not reached: {count(packages[name].missed, 'statement')} of {visible(name)}"
    missed = Counter[str]()
    for function in report.code:
        for block in function.missed:
            missed[block.sort] += block.statements
    for sort, words in _SORTS.items():
        if missed[sort]:
            yield f"  {words.format(count(missed[sort], 'statement'))}"


def code_table(functions: Sequence[FunctionEntry], unseen: bool) -> Iterator[str]:
    """Yield the packages with their functions, and the blocks that no case reached. `unseen`: only what has such."""
    for name, own in by_package(functions).items():
        if unseen and not any(function.missed for function in own):
            continue
        yield visible(f"{name}: {describe_share(sum_code(own))}")
        for function in own:
            if unseen and not function.missed:
                continue
            yield visible(f"  {name_function(function)}: {describe_share(sum_code([function]))}")
            if function.reason:
                yield visible(f"    no request reaches it: {function.reason}")
            shown = None
            for block in function.missed:
                yield visible(f"    {_describe(block)}")
                if not function.reason:
                    yield visible(f"      {'reason: ' if block.reason else ''}{describe_reason(block)}")
                if block.nearest is not None:
                    yield visible(f"      {_describe_nearest(block.nearest, shown)}")
                    shown = block.nearest.case
        yield ""


def field_table(report: Report, kinds: Sequence[str], unseen: bool) -> Iterator[str]:
    """Yield the fields of each kind, and how many of the calls that report an error there were reached.

    `kinds` are patterns such as `Pod` or `apps/*`; none means all. Where the fields of kinds are not known, they are
    those of each package, which is what a call adds to the path that its function is given.
    """
    if not report.fields:
        yield from _package_table(report.code, unseen)
        return
    for name, own in by_kind(report.fields).items():
        if kinds and not any(fnmatchcase(part.lower(), one.lower()) for one in kinds for part in _names(name)):
            continue
        shown = [field for field in own if not unseen or field.missed]
        yield from _lines_of_fields(
            name, [(field.path or _ROOT, describe_calls(field), map(describe_missed, field.missed)) for field in shown]
        )


def _names(kind: str) -> tuple[str, str]:
    return kind, kind.rpartition("/")[2]


def describe_calls(field: FieldErrors) -> str:
    """Return how many calls report at a field: `2 of 3 reached, and 1 without a counter`."""
    more = f"{field.uncounted} without a counter" if field.uncounted else ""
    return ", and ".join(filter(None, (f"{field.reached} of {field.size} reached" if field.size else "", more)))


def describe_missed(call: MissedCall) -> str:
    """Return where a call that was not reached reports which errors, and what was not reached on the way to it."""
    file, errors = call.file.rpartition("/")[2], ", ".join(one.removeprefix("FieldValue") for one in call.errors)
    behind = f"; for this field by {call.behind}, which was not reached" if call.behind else ""
    return f"{errors} at {file}:{call.line} {call.function}{behind}"


def _package_table(functions: Sequence[FunctionEntry], unseen: bool) -> Iterator[str]:
    for name, own in by_package(functions).items():
        shown = [calls for calls in by_field(own) if not unseen or calls.missed]
        yield from _lines_of_fields(name, [
            (name_field(calls.field), f"{len(calls.reached)} of {calls.size} reached", map(describe_call, calls.missed))
            for calls in shown
        ])  # fmt: skip


def _lines_of_fields(name: str, fields: Sequence[tuple[str, str, Iterable[str]]]) -> Iterator[str]:
    """Yield the lines of some fields: of each its name, how many calls were reached, and where the others are."""
    if not fields:
        return
    yield visible(f"{name}: errors by field")
    for field, calls, missed in fields:
        yield visible(f"  {field}: {calls}")
        for call in missed:
            yield visible(f"    not reached: {call}")
    yield ""


def name_function(function: FunctionEntry) -> str:
    """Return where a function begins, and its name: `validation.go:3 ValidateSpec`."""
    return f"{function.file.rpartition('/')[2]}:{function.blocks[0].start[0]} {function.name}"


def name_field(field: str) -> str:
    """Return the field of a call that makes an error; a call that adds nothing reports at the path of the caller."""
    return field or _OBJECT


def name_case(case: Case) -> str:
    """Return what a case asks: `update of apps/v1 deployments`."""
    return f"{case.operation} of {kind_name(case.group, case.version, case.resource, case.subresource)}"


def describe_call(call: ReportingCall) -> str:
    """Return where a call makes which error: `Invalid at validation.go:5 ValidateSpec`."""
    file = call.function.file.rpartition("/")[2]
    return f"{call.constructor} at {file}:{call.block.start[0]} {call.function.name}"


def describe_lines(block: BlockEntry) -> str:
    """Return the lines of a block: `5`, or `5-7`."""
    first, last = block.start[0], block.end[0]
    return f"{first}" if first == last else f"{first}-{last}"


def describe_errors(block: BlockEntry) -> list[str]:
    """Return the errors that a block makes: `Invalid at name`."""
    return [f"{constructor} at {name_field(field)}" for constructor, field in block.errors]


def describe_reason(block: BlockEntry) -> str:
    """Return why no case reached a block, or that no reason is known."""
    behind = f" (of {block.behind}, behind which it is)" if block.behind else ""
    return f"{block.reason or 'no reason is known'}{behind}"


def describe_share(sums: CodeSums) -> str:
    """Return how many statements were reached: `3 of 4 statements reached (75.0%)`."""
    share = f" ({sums.reached / sums.statements:.1%})" if sums.statements else ""
    return f"{sums.reached:,} of {count(sums.statements, 'statement')} reached{share}"


def _describe(block: BlockEntry) -> str:
    parts = [f"not reached: {describe_lines(block)}, {count(block.statements, 'statement')}"]
    parts += [block.condition] if block.condition else []
    return "; ".join([*parts, *describe_errors(block)])


def _describe_nearest(nearest: NearestObject, before: Case | None) -> str:
    """Describe the case that came nearest to a block; `before` is the one that was described last."""
    case = nearest.case
    if case == before:
        return f"nearest: the same case reached line {nearest.line}"
    shown = bounded(json.dumps(case.object, separators=(",", ":"), ensure_ascii=False), _MOST_SHOWN)
    return f"nearest: {name_case(case)} reached line {nearest.line}: {shown}"
