"""Describes for readers how much of the handwritten code a run reached: the sums, and every block that it did not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

from harness.case import Case, kind_name
from harness.report.escaping import bounded, count, visible
from harness.report.model.code import BlockEntry, CodeSums, FunctionEntry, NearestObject, by_package, sum_code
from harness.report.model.document import Report

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
_MOST_SHOWN = 200
"""So many characters of an object are shown; the document has all of it."""


def code_rows(report: Report, most: int = 3) -> Iterator[str]:
    """Yield how much was reached, and the `most` packages with most that was not. Nothing if it was not measured."""
    if not report.code:
        return
    sums = sum_code(report.code)
    yield (
        f"handwritten code: {_share(sums)}, {sums.reached_blocks:,} of {count(sums.blocks, 'block')}, "
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
        yield visible(f"{name}: {_share(sum_code(own))}")
        for function in own:
            if unseen and not function.missed:
                continue
            line = function.blocks[0].start[0]
            label = f"{function.file.rpartition('/')[2]}:{line} {function.name}"
            yield visible(f"  {label}: {_share(sum_code([function]))}")
            if function.reason:
                yield visible(f"    no request reaches it: {function.reason}")
            shown = None
            for block in function.missed:
                yield visible(f"    {_describe(block)}")
                if not function.reason:
                    yield visible(f"      {_reason_of(block)}")
                if block.nearest is not None:
                    yield visible(f"      {_describe_nearest(block.nearest, shown)}")
                    shown = block.nearest.case
        yield ""


def field_table(functions: Sequence[FunctionEntry], unseen: bool) -> Iterator[str]:
    """Yield the fields of each package, and how many of the calls that report an error there were reached.

    A field is what a call adds to the path that its function is given.
    """
    for name, own in by_package(functions).items():
        every, reached, missed = Counter[str](), Counter[str](), dict[str, list[str]]()
        for function in own:
            for block in function.blocks:
                for constructor, field in block.errors:
                    every[field] += 1
                    reached[field] += block.reached
                    if not block.reached:
                        place = f"{constructor} at {function.file.rpartition('/')[2]}:{block.start[0]} {function.name}"
                        missed.setdefault(field, []).append(place)
        shown = [field for field in sorted(every) if not unseen or field in missed]
        if shown:
            yield visible(f"{name}: errors by field")
        for field in shown:
            yield visible(f"  {field or _OBJECT}: {reached[field]} of {every[field]} reached")
            for place in missed.get(field, ()):
                yield visible(f"    not reached: {place}")
        if shown:
            yield ""


def _describe(block: BlockEntry) -> str:
    first, last = block.start[0], block.end[0]
    lines = f"{first}" if first == last else f"{first}-{last}"
    parts = [f"not reached: {lines}, {count(block.statements, 'statement')}"]
    parts += [block.condition] if block.condition else []
    parts += [f"{constructor} at {field or _OBJECT}" for constructor, field in block.errors]
    return "; ".join(parts)


def _reason_of(block: BlockEntry) -> str:
    behind = f" (of {block.behind}, behind which it is)" if block.behind else ""
    return f"reason: {block.reason}{behind}" if block.reason else f"no reason is known{behind}"


def _describe_nearest(nearest: NearestObject, before: Case | None) -> str:
    """Describe the case that came nearest to a block; `before` is the one that was described last."""
    case = nearest.case
    if case == before:
        return f"nearest: the same case reached line {nearest.line}"
    shown = bounded(json.dumps(case.object, separators=(",", ":"), ensure_ascii=False), _MOST_SHOWN)
    name = kind_name(case.group, case.version, case.resource, case.subresource)
    return f"nearest: {case.operation} of {name} reached line {nearest.line}: {shown}"


def _share(sums: CodeSums) -> str:
    share = f" ({sums.reached / sums.statements:.1%})" if sums.statements else ""
    return f"{sums.reached:,} of {count(sums.statements, 'statement')} reached{share}"
