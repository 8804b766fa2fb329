"""Findings: lasting names, the order people read, groups, and findings about normalization rules."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.compare.finding import CAUSES, SEVERITIES, Finding, fingerprint, grouped, ordered, rule_findings
from harness.compare.mismatch import Mismatch
from harness.errormatch.normalize import check_rules
from tests.compare.builders import answer, case, info


def finding(**more: Any) -> Finding:
    given: dict[str, Any] = {
        "fingerprint": "f", "code": "no-twin", "cause": "no-twin", "severity": "shadow", "mismatch": "extra",
        "group": "apps", "version": "v1", "kind": "Deployment", "resource": "deployments", "subresource": "",
        "operation": "create", "path": "a", "type": "", "origin": "", "side": "", "gates": {}, "detail": "", "fix": "",
        "occurrences": 1, "case": case(), "answer": answer(),
    }  # fmt: skip
    return Finding(**{**given, **more})


def test_a_fingerprint_lasts() -> None:
    """A name depends on subject, kind, operation and signature; not on the object, the index or the words."""
    one = Mismatch("extra", "l[0].a", "T", "o", "declarative", detail="x")
    name = fingerprint("kubernetes", case({"a": 1}), one)
    assert name == "48d19329412c"
    assert name == fingerprint("kubernetes", case({"b": 2}, id=9), Mismatch("extra", "l[7].a", "T", "o", "declarative"))
    assert name != fingerprint("other", case(), one)
    assert name != fingerprint("kubernetes", case({}, {}), one)
    assert name != fingerprint("kubernetes", case(), Mismatch("unmatched", "l[0].a", "T", "o", "declarative"))


FINDINGS = st.lists(
    st.builds(
        lambda severity, cause, kind, path: finding(severity=severity, cause=cause, kind=kind, path=path),
        st.sampled_from(SEVERITIES), st.sampled_from(CAUSES), st.sampled_from("AB"), st.sampled_from("xy"),
    ),
    max_size=8,
)  # fmt: skip


@given(FINDINGS, st.randoms(use_true_random=False))
def test_order_does_not_depend_on_the_run(findings: list[Finding], chance: random.Random) -> None:
    """Findings are sorted by severity, cause, kind and path, in whatever order they were found."""
    shuffled = list(findings)
    chance.shuffle(shuffled)
    assert ordered(findings) == ordered(shuffled)
    keys = [(SEVERITIES.index(f.severity), f.cause, f.kind, f.path) for f in ordered(findings)]
    assert sorted(keys) == keys


@given(FINDINGS)
def test_groups_hold_every_finding_once(findings: list[Finding]) -> None:
    """Grouping by cause and path loses nothing, and the worst groups come first."""
    groups = grouped(findings)
    assert ordered(findings) == ordered(f for group in groups for f in group.findings)
    assert all({(f.cause, f.path) for f in group.findings} == {(group.cause, group.path)} for group in groups)
    ranks = [SEVERITIES.index(group.severity) for group in groups]
    assert sorted(ranks) == ranks


def test_a_bad_normalization_rule_is_a_finding() -> None:
    """Rules that never apply or merge fields end up in the report, each under a name of its own."""
    rules = (("^(a|b)$", "c"), ("^never$", "x"))
    problems = check_rules(rules, {"v1": ["a", "b"]})
    found = rule_findings(info(normalization=rules), problems, "suite")
    assert [(f.cause, f.path, f.origin) for f in found] == [
        ("normalization", "c", "^(a|b)$"),
        ("normalization", "", "^never$"),
    ]
    assert len({f.fingerprint for f in found}) == 2
    assert "makes a and b of v1 one path, c" in found[0].detail
