"""A campaign's corpus has each accepted object once, and none that reaches nothing alone."""

from __future__ import annotations

from pathlib import Path

from harness.campaign.corpora import CampaignCorpus, merge_corpora, read_corpus, thin, write_corpus
from harness.case import Case, Operation
from harness.fuzzers.corpus import KeptSeed, KeptSeeds


def seed(**spec: object) -> KeptSeed:
    """An accepted object."""
    return KeptSeed(Case(0, "g", "v1", "K", Operation.CREATE, {"spec": spec}))


def test_what_reaches_nothing_alone_is_left_out() -> None:
    """Each place stays reached, and of each object that stays one place is its own."""
    both, one, two, other = seed(a=1, b=2), seed(a=1), seed(b=2), seed(c=3)
    assert {1, 2} == {len(some) for some in (thin([both]), thin([one, two]))}
    left = [left.case.object["spec"] for left in thin([both, one, two, other, other])]
    assert sorted([{"a": 1}, {"b": 2}, {"c": 3}], key=str) == sorted(left, key=str)


def test_a_merged_corpus_does_not_depend_on_order_and_is_read_again(tmp_path: Path) -> None:
    """Its digest is that of its content."""
    corpora = [CampaignCorpus(seeds={"k.json": KeptSeeds((one,))}) for one in (seed(a=1), seed(c=3))]
    case = seed(x=1).case
    merged = merge_corpora(corpora, [case, case])
    assert 1 == len(merged.cases)
    assert 2 == merged.objects
    assert merged.digest == merge_corpora(corpora[::-1], [case]).digest != corpora[0].digest
    problems: list[str] = []
    write_corpus(merged, tmp_path / "corpus", problems.append)
    assert merged == read_corpus(tmp_path / "corpus", problems.append)
    assert [] == problems
