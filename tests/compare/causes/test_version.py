"""The cause `version` names versions that requests can name and that have rules, and tells what the others are."""

from __future__ import annotations

from harness.compare.cause import Explanation
from harness.compare.comparator import Comparator
from harness.compare.judge import find_cause
from harness.tags.registry import rule_facts
from tests.compare.builders import answer, case, drive, errors, info

OTHERS = ("v1beta1", "v1beta2")
LACKED = errors("Required@a covered")


def explain(kind: str, **lists: tuple[str, ...]) -> Explanation:
    """Explain the one mismatch of a kind; v1beta1 is not served, and v1beta2 is.

    `lists` are the declarative ones of the versions; a version that is in none has no rules.
    """
    versions = {
        version: info(version=version, rules=version in lists, through="v1" if version == "v1beta1" else "")
        for version in OTHERS
    }
    own = info(versions=OTHERS, rules="v1" in lists)
    one = Comparator(own, facts=rule_facts(), versions=versions)
    told = {version: errors(*lists.get(version, ())) for version in ("v1", *OTHERS)}
    said = answer(() if kind == "version" else LACKED, told["v1"], versions=told)
    [mismatch] = [found for found in one.compare(case(), said) if found.kind == kind]
    return drive(find_cause(case(), said, mismatch, one), lambda _: said)


def test_a_served_version_that_has_the_rule_is_named() -> None:
    """The rule is missing in one of two versions that everybody can send."""
    found = explain("unmatched", v1=(), v1beta1=("Required@a",), v1beta2=("Required@a",))
    assert ("version", "the rules of v1beta2 report it, those of v1 do not") == (found.cause, found.detail)


def test_a_version_that_nobody_can_send_is_no_reason() -> None:
    """That v1beta1 has the rule helps nobody who sends v1, nor is it told."""
    found = explain("unmatched", v1=(), v1beta1=("Required@a",), v1beta2=())
    assert "version" != found.cause
    assert "v1beta1" not in found.detail + found.fix


def test_a_version_without_rules_lacks_all_of_them() -> None:
    """One rule is not what such a version lacks: it is told that none was generated."""
    found = explain("unmatched", v1beta2=("Required@a",))
    assert "no-rule" == found.cause
    assert "v1 has no declarative validation at all" in found.detail


def test_versions_that_differ_for_nobody_need_no_fix() -> None:
    """Only a version that is not served reports less."""
    found = explain("version", v1=("Required@a",), v1beta1=(), v1beta2=("Required@a",))
    assert "no request names v1beta1 deployments, which are registered and not served" == found.detail
    assert (True, None) == (found.fix.startswith("nothing to do for requests"), found.change)


def test_a_version_that_has_no_rules_and_is_not_served_is_told_as_both() -> None:
    """It meets no other rules: it meets none."""
    found = explain("version", v1=("Required@a",), v1beta2=("Required@a",))
    unnamed = "no request names v1beta1 deployments, which are registered and not served"
    told = f"v1beta1 has no declarative validation at all; {unnamed}"
    assert (told, "nothing to do for requests") == (found.detail, found.fix)


def test_a_served_version_that_lacks_the_rule_gets_it() -> None:
    """The change is to be made in the version that is served, whatever else lacks it."""
    found = explain("version", v1=("Required@a",), v1beta1=(), v1beta2=())
    assert found.change is not None
    assert "v1beta2" == found.change.version


def test_validation_is_generated_for_a_version_without_any() -> None:
    """No tag is proposed for a version whose tags nobody reads."""
    found = explain("version", v1=("Required@a",))
    assert ("v1beta2 has no declarative validation at all", None) == (found.detail, found.change)
    assert "write an exception, or generate the declarative validation of v1beta2" == found.fix
    assert ("v1beta2",) == found.ungenerated


def test_a_rule_of_another_level_is_told_with_both() -> None:
    """No tag is proposed: which of the levels is meant, the versions do not say."""
    found = explain("version", v1=("Required@a",), v1beta1=("Required@a beta",), v1beta2=("Required@a beta",))
    assert "the same level in every version: it is standard in v1, beta in v1beta1, beta in v1beta2" in found.fix
    assert found.change is None
