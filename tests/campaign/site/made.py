"""Campaigns for tests of the site."""

from __future__ import annotations

import msgspec

from harness.campaign.result import MergedSetting
from harness.campaign.site.history import CampaignState
from harness.compare.finding import Finding
from harness.report.model.assembly import build_report
from harness.report.model.code import BlockEntry, FunctionEntry
from harness.report.model.coverage import sum_coverage
from harness.report.model.document import Report, TargetSummary
from tests.report import made
from tests.report.ruled import rule


def report(*findings: Finding, release: str = "1.37.1", fired: int = 1, reached: int = 1) -> Report:
    """A report on a release with four rules and two blocks, of which so many fired and were reached.

    A third block, which was not reached, is in code that groups share.
    """
    rules = tuple(rule(path=f"spec.f{n}", declarative=("create",) if n < fired else ()) for n in range(4))
    top, shared = "k8s.io/kubernetes/pkg", (BlockEntry((1, 1), (1, 9), 1),)
    blocks = tuple(BlockEntry((n, 1), (n, 9), 1, n < reached) for n in range(2))
    code = (
        FunctionEntry("widgets_v1", f"{top}/apis/example/validation.go", "ValidateWidget", blocks),
        FunctionEntry("widgets_v1", f"{top}/api/shared.go", "ValidateName", shared),
    )
    return msgspec.structs.replace(
        build_report(made.result(*findings)), target=TargetSummary("kubernetes", release, {}), rules=rules,
        coverage=sum_coverage(rules), code=code,
    )  # fmt: skip


def state(name: str, *reports: Report, day: str = "2026-11-21", missing: int = 0) -> CampaignState:
    """A campaign with a setting for each report."""
    settings = tuple(MergedSetting(f"target {number}", one, ()) for number, one in enumerate(reports, 1))
    return CampaignState(name, day, settings, missing)
