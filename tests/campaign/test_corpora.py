"""A campaign's corpus has each input once, and none that reaches nothing alone."""

from __future__ import annotations

from pathlib import Path

from harness.campaign.corpora import CampaignCorpus, merge_corpora, read_corpus, thin_cases, thin_seeds, write_corpus
from harness.case import Answer, Case, Operation
from harness.compare.finding import Finding, Severity
from harness.compare.mismatch import Mismatch
from harness.engine.retelling import ExplainedFinding, ExplainedFindings
from harness.fuzzers.corpus import KeptSeed, KeptSeeds, ReachingCase, ReachingCases


def seed(**spec: object) -> KeptSeed:
    """An accepted object."""
    return KeptSeed(Case(0, "g", "v1", "K", Operation.CREATE, {"spec": spec}))


def reaching(text: str, *things: str) -> ReachingCase:
    """A case that reaches rules or blocks."""
    return ReachingCase(seed(a=text).case, things)


def test_what_reaches_nothing_alone_is_left_out() -> None:
    """Each place stays reached, and of each object that stays one place is its own."""
    both, one, two, other = seed(a=1, b=2), seed(a=1), seed(b=2), seed(c=3)
    assert {1, 2} == {len(some) for some in (thin_seeds([both]), thin_seeds([one, two]))}
    left = [left.case.object["spec"] for left in thin_seeds([both, one, two, other, other])]
    assert sorted([{"a": 1}, {"b": 2}, {"c": 3}], key=str) == sorted(left, key=str)


def test_of_cases_that_reach_the_same_rules_and_blocks_the_small_ones_are_left() -> None:
    """Whatever place they set: a case with a rule of its own stays, one whose rule another one fires does not."""
    large, rule, block, twice = (
        reaching("much larger", "rule r", "block b", "rule s"),
        reaching("x", "rule r"),
        reaching("yy", "block b"),
        reaching("zzz", "rule r"),
    )
    assert {"much larger"} == texts(thin_cases([large, rule, block, twice]))
    assert {"x", "yy"} == texts(thin_cases([rule, block, twice]))
    assert {"x", "yy"} == texts(thin_cases([reaching("much larger", "rule r", "block b"), rule, block, twice]))


def texts(cases: tuple[ReachingCase, ...]) -> set[str]:
    """What tells the cases apart."""
    return {one.case.object["spec"]["a"] for one in cases}


def test_cases_of_units_are_merged_by_what_they_reach() -> None:
    """Of each type on its own; an equal case reaches what either unit saw."""
    one, two, other = reaching("x", "rule r"), reaching("x", "rule s"), reaching("longer", "rule r")
    units = [CampaignCorpus(reaching={"k.json": ReachingCases((some,))}) for some in (other, one, two)]
    merged = merge_corpora([*units, CampaignCorpus(reaching={"l.json": ReachingCases((other,))})], [])
    assert merged.reaching["k.json"].cases == (reaching("x", "rule r", "rule s"),)
    assert merged.reaching["l.json"].cases == (other,)
    assert merged.reaching_cases == 2


def explained(run: str, severity: Severity) -> ExplainedFinding:
    """A finding that a unit explained."""
    case = seed(a=1).case
    mismatch = Mismatch("extra", "spec.a", "FieldValueInvalid")
    one = Finding(
        fingerprint="0123456789ab", code="unknown", cause="unknown", severity=severity, mismatch="extra", group="g",
        version="v1", kind="K", resource="", subresource="", operation="create", path=mismatch.path,
        type=mismatch.type, origin="", side="", gates={}, detail="", fix="", occurrences=1, case=case, answer=Answer(0),
    )  # fmt: skip
    return ExplainedFinding.of(run, one)


def test_findings_that_units_explained_are_merged_and_read_again(tmp_path: Path) -> None:
    """Each once for what it depends on, whatever the order, and as part of what identifies the corpus."""
    severe, mild, other = explained("a", "verdict"), explained("a", "shadow"), explained("b", "shadow")
    corpora = [CampaignCorpus(explained={"k.json": ExplainedFindings((one,))}) for one in (mild, other, severe)]
    merged = merge_corpora(corpora, [])
    assert merged.explained == {"k.json": ExplainedFindings((severe, other))}
    assert merged.digest == merge_corpora(corpora[::-1], []).digest != CampaignCorpus().digest
    problems: list[str] = []
    write_corpus(merged, tmp_path / "corpus", problems.append)
    assert read_corpus(tmp_path / "corpus", problems.append) == merged
    assert problems == []


def test_a_merged_corpus_does_not_depend_on_order_and_is_read_again(tmp_path: Path) -> None:
    """Its digest is that of its content."""
    corpora = [
        CampaignCorpus(seeds={"k.json": KeptSeeds((one,))}, reaching={"k.json": ReachingCases((two,))})
        for one, two in ((seed(a=1), reaching("x", "rule r")), (seed(c=3), reaching("y", "block 1")))
    ]
    case = seed(x=1).case
    merged = merge_corpora(corpora, [case, case])
    assert 1 == len(merged.cases)
    assert 2 == merged.objects == merged.reaching_cases
    assert merged.digest == merge_corpora(corpora[::-1], [case]).digest != corpora[0].digest
    problems: list[str] = []
    write_corpus(merged, tmp_path / "corpus", problems.append)
    assert merged == read_corpus(tmp_path / "corpus", problems.append)
    assert [] == problems
