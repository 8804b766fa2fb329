"""Versions share one handwritten check: it is deleted for all of them or for none."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.graduate.document import Certificate, ChangeShown
from harness.graduate.versions import SharedChecks
from harness.rulecov.inventory import KnownRule
from tests.graduate.test_observer import INFO, KNOWN

CHANGE = ChangeShown("accepted", "beta-on", ("spec.title: Too long",), (), "toys/v2 toys", "create", {})
SECOND = msgspec.structs.replace(INFO, version="v2", type="t2.Toy", normalization=((r"spec\.title", "spec.name"),))
OTHER = msgspec.structs.replace(
    KNOWN,
    type="t2.Toy",
    places=("spec.title",),
    rule=msgspec.structs.replace(KNOWN.rule, version="v2", path="spec.title"),
)


def certificate(known: KnownRule, verdict: Any = "safe", missing: tuple[str, ...] = (), **fields: Any) -> Certificate:
    """A certificate of a rule."""
    rule = known.rule
    return Certificate(
        rule.group, rule.version, rule.kind, rule.path, rule.type, rule.origin, "beta", rule.tag, 3, verdict, missing,
        fields.get("change"), (), effects=fields.get("effects", {}),
    )  # fmt: skip


def joined(second: Certificate, rules: tuple[KnownRule, ...] = (KNOWN, OTHER)) -> Certificate:
    """The certificate of the first version, which is safe by itself, beside that of the second."""
    checks = SharedChecks((INFO, SECOND), rules)
    return checks.join((certificate(KNOWN), second), (KNOWN, OTHER))[0]


def test_a_rule_is_safe_if_it_is_in_all_versions() -> None:
    """The path of the other version is another one, and the check is the same."""
    assert "safe" == joined(certificate(OTHER)).verdict


def test_a_change_of_another_version_is_one_of_the_check() -> None:
    """The object of the other version shows it."""
    found = joined(certificate(OTHER, "changes", change=CHANGE, effects={"accepted": 2}))
    assert ("changes", CHANGE) == (found.verdict, found.change)


def test_what_is_unknown_of_another_version_is_unknown_of_the_check() -> None:
    """Unless no request reaches that version."""
    unknown = joined(certificate(OTHER, "unknown", ("fired: never",)))
    assert ("unknown", True) == (unknown.verdict, "that of v2 too, where the rule is unknown" in unknown.missing[0])
    assert "safe" == joined(certificate(OTHER, "unknown", ("version: not served",))).verdict


@pytest.mark.parametrize(
    ("rules", "words"), [((KNOWN, OTHER), "v2 too, which was not asked"), ((KNOWN,), "v2 too, which has no rule")]
)
def test_a_version_that_was_not_judged_is_missing(rules: tuple[KnownRule, ...], words: str) -> None:
    """Because it was not chosen, or because it has no such rule and would lose the check."""
    [found] = SharedChecks((INFO, SECOND), rules).join((certificate(KNOWN),), (KNOWN,))
    assert ("unknown", True) == (found.verdict, words in found.missing[0])


def test_a_version_that_is_not_served_loses_nothing() -> None:
    """It is not among the served kinds."""
    [found] = SharedChecks((INFO,), (KNOWN,)).join((certificate(KNOWN),), (KNOWN,))
    assert "safe" == found.verdict
