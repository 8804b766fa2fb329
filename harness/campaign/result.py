"""The result of a ledger: one report for each target and setting of gates, and the corpus of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from harness.campaign.corpora import CampaignCorpus, merge_corpora
from harness.campaign.ledger import CampaignLedger
from harness.campaign.mutants import MutantCount, add_counts
from harness.campaign.plan import CampaignUnit, name_setting
from harness.report.model.document import Report
from harness.report.model.merging import combine


@dataclass(frozen=True, slots=True)
class MergedSetting:
    """A target under one setting of gates: its name, its report, and the units that have none yet.

    `seconds` is the time that its units took, one after another; `mutants` what mutation testing killed.
    """

    name: str
    report: Report
    missing: tuple[CampaignUnit, ...]
    seconds: float = 0.0
    mutants: MutantCount = field(default_factory=MutantCount)


def merge_settings(ledger: CampaignLedger, only: frozenset[str] | None = None) -> Iterator[MergedSetting]:
    """Yield the merged report of each setting with a report, in the order of the plans; `only` of these units, if any.

    One seed is merged at a time, so that memory holds the reports of its shards and the result. The seed of the result
    is the first one's, its number of cases that of all. Raises: HarnessError with a report that is damaged.
    """
    done = ledger.done() if only is None else only
    settings: dict[object, dict[int, list[CampaignUnit]]] = {}
    for unit in ledger.units():
        settings.setdefault(unit.setting, {}).setdefault(unit.seed, []).append(unit)
    for seeds in settings.values():
        merged: Report | None = None
        units = [unit for several in seeds.values() for unit in several]
        seconds = 0.0
        for several in seeds.values():
            reports = [ledger.report(unit) for unit in several if unit.digest in done and not unit.power]
            if reports:
                seconds += sum(one.seconds for one in reports)
                found = combine(reports)
                merged = found if merged is None else _add(merged, found)
        if merged is not None:
            mutants = add_counts(ledger.mutants(unit) for unit in units if unit.power and unit.digest in done)
            missing = tuple(unit for unit in units if unit.digest not in done)
            yield MergedSetting(name_setting(units[0].setting), merged, missing, seconds, mutants)


def collect_corpus(ledger: CampaignLedger) -> CampaignCorpus:
    """Return the corpus of all units that are done: the case of each finding, and what else reaches something alone.

    Raises: HarnessError with a file that is damaged.
    """
    done = ledger.done()
    findings = {
        (one.subject, one.fingerprint): one.case for merged in merge_settings(ledger) for one in merged.report.findings
    }
    cases = (case for case in findings.values() if case.object is not None)
    return merge_corpora(
        (ledger.corpus(unit.digest) for unit in ledger.units() if unit.digest in done and not unit.power), cases
    )


def _add(merged: Report, other: Report) -> Report:
    """Add the report of another seed."""
    cases = (merged.budget.max_cases or 0) + (other.budget.max_cases or 0)
    return combine(
        [msgspec.structs.replace(merged, budget=msgspec.structs.replace(merged.budget, max_cases=cases)), other]
    )
