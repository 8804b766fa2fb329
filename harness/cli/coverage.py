"""Rule coverage of a run: who looks on, and what the report says of it."""

from __future__ import annotations

from harness.diagnostics import HarnessError
from harness.engine.observe import Onlooker
from harness.rulecov.inventory import inventory_of
from harness.rulecov.observed import NAME, RuleOnlooker
from harness.subject import SubjectSpec
from harness.subject.typed import api_of


def rule_onlookers(spec: SubjectSpec) -> dict[str, Onlooker]:
    """Return who looks on at a run against a subject: nobody where no types tell its rules."""
    try:
        api = api_of(spec)
    except HarnessError:
        return {}  # opening the subject fails for the same reason, and says so
    return {} if api is None else {NAME: RuleOnlooker(inventory_of(api))}
