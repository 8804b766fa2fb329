"""Findings: lasting names, and findings about normalization rules."""

from __future__ import annotations

from harness.compare.finding import fingerprint, rule_findings
from harness.compare.mismatch import Mismatch
from harness.errormatch.normalize import check_rules
from tests.compare.builders import case, info


def test_a_fingerprint_lasts() -> None:
    """A name depends on subject, kind, operation and signature; not on the object, the index or the words."""
    one = Mismatch("extra", "l[0].a", "T", "o", "declarative", detail="x")
    name = fingerprint("kubernetes", case({"a": 1}), one)
    assert name == "48d19329412c"
    assert name == fingerprint("kubernetes", case({"b": 2}, id=9), Mismatch("extra", "l[7].a", "T", "o", "declarative"))
    assert name != fingerprint("other", case(), one)
    assert name != fingerprint("kubernetes", case({}, {}), one)
    assert name != fingerprint("kubernetes", case(), Mismatch("unmatched", "l[0].a", "T", "o", "declarative"))


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
