"""Creates the observers of rule coverage for a run, and adds rule and branch coverage to the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path

import click
import msgspec

from harness.cli.code import can_count
from harness.diagnostics import HarnessError, UsageError
from harness.engine.observers import ObserverFactory
from harness.events import Result
from harness.field.unaccepted import UNTRIED, nearest
from harness.report.model.coverage import (
    BranchCoverage,
    BranchEntry,
    RuleEntry,
    UncoveredEntry,
    combine_rules,
    combine_uncovered,
    sum_coverage,
)
from harness.report.model.document import Report
from harness.rulecov.branches import Branches
from harness.rulecov.inventory import Inventory, KnownRule, inventory_of
from harness.rulecov.observed import (
    ACCEPTED,
    DECLARATIVE_CREATE,
    DECLARATIVE_UPDATE,
    FIRED,
    HANDWRITTEN_CREATE,
    HANDWRITTEN_UPDATE,
    NAME,
    REJECTED,
    SERVED,
    Observed,
    RuleObserverFactory,
    Sight,
)
from harness.rulecov.policyrules import KIND, PolicyObserverFactory, policy_inventory
from harness.rulecov.schemarules import VersionName, schema_inventory
from harness.rulecov.unfireable import reasons_for
from harness.subject import SubjectSpec
from harness.subject.definitions import read_definitions
from harness.subject.namedvalidator import function_file
from harness.subject.openers.crd import CRD
from harness.subject.openers.policy import POLICY
from harness.subject.opening import api_of
from harness.subject.policies import of_kind, read_policies

_UNSEEN = Sight(0)
_IDLE = "nothing of this release runs the declarative validators of this type"


def rule_observers(spec: SubjectSpec) -> dict[str, ObserverFactory]:
    """Return the observers of rule coverage. There are none without types, or if two targets are compared.

    Pairs of CRDs have them, and so have policies.
    """
    try:
        if spec.kind == CRD.name:
            return {NAME: RuleObserverFactory(inventory_of_crds(spec.location))}
        if spec.kind == POLICY.name:
            return {NAME: PolicyObserverFactory(inventory_of_policies(spec.location))}
        if spec.against or spec.validator:
            return {}
        api = api_of(spec)
    except HarnessError:
        return {}  # opening the subject raises the same error
    return {} if api is None else {NAME: RuleObserverFactory(inventory_of(api))}


def inventory_of_crds(location: str) -> Inventory:
    """Return the rules of CRDs. Raises: InputError, UsageError."""
    return schema_inventory(
        (VersionName(one.group, version, one.kind), schema)
        for one in read_definitions(location)
        for version, schema in one.schemas()
    )


def inventory_of_policies(location: str) -> Inventory:
    """Return the validations of admission policies as rules. Raises: InputError, UsageError."""
    return policy_inventory(one.document for one in of_kind(read_policies(location), KIND))


def inventory_in(observers: Mapping[str, ObserverFactory]) -> Inventory | None:
    """Return the declared rules that the observers watch, if there are observers."""
    observer = observers.get(NAME)
    return observer.inventory if isinstance(observer, RuleObserverFactory | PolicyObserverFactory) else None


def with_coverage(
    report: Report, results: Sequence[Result], inventories: Mapping[str, Inventory], narrowed: bool
) -> Report:
    """Return a report with the coverage of declared rules; if `narrowed`, only of rules of the selected kinds."""
    if not any(result.subject in inventories for result in results):
        return report
    rules: dict[tuple[str, ...], RuleEntry] = {}
    uncovered: dict[tuple[str, ...], UncoveredEntry] = {}
    for result in results:
        inventory = inventories.get(result.subject)
        if inventory is not None:
            for rule in _rules(result, inventory, narrowed):
                rules[rule.key] = combine_rules(rules[rule.key], rule) if rule.key in rules else rule
        for one in _uncovered(result):
            uncovered[one.key] = combine_uncovered(uncovered[one.key], one) if one.key in uncovered else one
    entries = tuple(rules.values())
    ordered = sorted(uncovered.values(), key=lambda one: one.key)
    return msgspec.structs.replace(report, rules=entries, uncovered=tuple(ordered), coverage=sum_coverage(entries))


def _rules(result: Result, inventory: Inventory, narrowed: bool) -> Iterator[RuleEntry]:
    """Yield an entry for each declared rule, with its coverage by one part of a run."""
    seen = _merge_units(result.observed.get(NAME, ()))
    reasons = reasons_for(result.target.release)
    names = {info.type: (info.group, info.version) for info in result.target.kinds if not info.subresource}
    kinds = result.target.kinds
    idle = {info.type for info in kinds} - {info.type for info in kinds if info.rules}
    numbers: dict[str, int] = {}
    for known in inventory.rules:
        number = numbers[known.type] = numbers.get(known.type, -1) + 1
        sights = seen.get(known.type)
        if sights is not None or not narrowed:
            entry = _entry(result, known, (sights or {}).get(number, _UNSEEN), sights is not None)
            group, version = (entry.group, entry.version)
            if not group and known.type in names:
                group, version = names[known.type]
            cannot = reasons.get((group, version, entry.kind, entry.path, entry.type, entry.origin), "")
            if not cannot and known.type in idle and not entry.declarative:
                cannot = _IDLE
            yield msgspec.structs.replace(entry, group=group, version=version, cannot=cannot)


def _merge_units(observed: Iterable[Observed]) -> dict[str, dict[int, Sight]]:
    """Merge the coverage of all units of a part, by type. Several units may have one type, such as Scale."""
    found: dict[str, dict[int, Sight]] = {}
    for one in observed:
        known = found.setdefault(one.type, {})
        for number, sight in one.rules.items():
            known[number] = reduce(_merge, (sight, *([known[number]] if number in known else [])))
    return found


def _merge(one: Sight, other: Sight) -> Sight:
    seconds = [first for first in (one.first, other.first) if first is not None]
    seen = one.seen | other.seen
    unaccepted = None if seen & ACCEPTED else nearest(one.unaccepted, other.unaccepted)
    return Sight(seen, min(seconds, default=None), unaccepted)


def _entry(result: Result, known: KnownRule, sight: Sight, asked: bool) -> RuleEntry:
    rule, seen = known.rule, sight.seen
    has_reason = known.limit is not None and asked and not seen & ACCEPTED
    return RuleEntry(
        subject=result.subject, group=rule.group, version=rule.version, kind=rule.kind, path=rule.path, type=rule.type,
        origin=rule.origin, level=rule.level, tag=rule.tag, limit=known.limit,
        declarative=_operations(seen, DECLARATIVE_CREATE, DECLARATIVE_UPDATE),
        handwritten=_operations(seen, HANDWRITTEN_CREATE, HANDWRITTEN_UPDATE),
        rejected=bool(seen & REJECTED), accepted=bool(seen & ACCEPTED),
        first=None if sight.first is None else round(sight.first, 2),
        parts=(result.part or result.subject,) if seen & FIRED else (),
        unserved=bool(seen & FIRED) and not seen & SERVED and result.mode == "served", asked=asked,
        unaccepted=sight.unaccepted or UNTRIED if has_reason else None,
    )  # fmt: skip


def _operations(seen: int, create: int, update: int) -> tuple[str, ...]:
    return tuple(name for name, mark in (("create", create), ("update", update)) if seen & mark)


def _uncovered(result: Result) -> Iterator[UncoveredEntry]:
    for observed in result.observed.get(NAME, ()):
        for one in observed.uncovered:
            fields = {name: getattr(one, name) for name in one.__struct_fields__}
            yield UncoveredEntry(result.subject, **fields)


def branch_folders(specs: Sequence[SubjectSpec]) -> list[Path]:
    """Return the folders whose branches are measured: those of suites, and of functions behind CRDs or policies.

    Raises: UsageError if nothing is measured.
    """
    folders = [Path(spec.location) for spec in specs if spec.kind == "suite"]
    files = [function_file(spec.validator) for spec in specs if spec.validator is not None]
    folders += [file.resolve().parent for file in files if file is not None]
    if not folders and not any(map(can_count, specs)):
        raise UsageError(
            "--branches measures handwritten validators of suites in Python, of --function, and of releases\n"
            "  why: the code of a webhook or a program is not at hand, and schemas have rules (`harness rules`)\n"
            "  fix: name a suite, --function FILE.py:NAME, or --kubernetes RELEASE without --against"
        )
    return folders


def with_branches(report: Report, branches: Branches | None) -> Report:
    """Return a report with the branches of handwritten validators that no case took."""
    if branches is None:
        return report
    if branches.lost:
        click.echo(
            f"harness: {branches.lost} of the processes that measure Python were killed, so that branches which they"
            " took may count as never taken", err=True,
        )  # fmt: skip
    missed = tuple(BranchEntry(_relative(one.file), one.line, one.to) for one in branches.missed)
    return msgspec.structs.replace(report, branches=BranchCoverage(branches.total, missed))


def _relative(file: str) -> str:
    """Return a path relative to the current folder, if the file is in it."""
    path = Path(file).resolve()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file
