"""The corpus of a campaign: what its units kept, merged, and thinned to what reaches something that nothing else does.

That is a finding, a rule, a block of handwritten code, or a place of the type. Which rules and blocks a case reaches
was told by the search that asked it; the places that an accepted object sets are seen in it. A corpus is a folder that
`harness run --corpus` reads and writes, or one file of a ledger.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from harness.case import Case, Json
from harness.engine.retelling import ExplainedFinding, ExplainedFindings, merge_explained, read_explained
from harness.fuzzers.corpus import (
    EXPLAINED,
    REACHING,
    SEEDS,
    KeptSeed,
    KeptSeeds,
    ReachingCase,
    ReachingCases,
    content_name,
    keep,
    keep_file,
    load,
    load_reaching,
    load_seeds,
)  # fmt: skip


class CampaignCorpus(msgspec.Struct, frozen=True):
    """Cases to replay, ordered by content; by the names of files the seed objects of each type, its cases that reach a
    rule or a block, and what was found out about its findings.
    """

    cases: tuple[Case, ...] = ()
    seeds: dict[str, KeptSeeds] = {}
    reaching: dict[str, ReachingCases] = {}
    explained: dict[str, ExplainedFindings] = {}

    @property
    def encoded(self) -> bytes:
        """The corpus as JSON; equal for equal ones."""
        return msgspec.json.encode(self, order="deterministic")

    @property
    def digest(self) -> str:
        """The identity of its content."""
        return hashlib.sha256(self.encoded).hexdigest()[:20]

    @property
    def objects(self) -> int:
        """The number of seed objects."""
        return sum(len(kept.seeds) for kept in self.seeds.values())

    @property
    def reaching_cases(self) -> int:
        """The number of cases that reach a rule or a block."""
        return sum(len(kept.cases) for kept in self.reaching.values())


def read_corpus(folder: Path, note: Callable[[str], None]) -> CampaignCorpus:
    """Read a folder. What cannot be read is told to `note`, as in a run, and left out."""
    seeds, reaching, explained = (sorted((folder / name).glob("*.json")) for name in (SEEDS, REACHING, EXPLAINED))
    cases = {content_name(case): case for case in load(folder, note)}
    return CampaignCorpus(
        tuple(case for _, case in sorted(cases.items())),
        {path.name: kept for path in seeds if (kept := load_seeds(path, note)) is not None},
        {path.name: found for path in reaching if (found := load_reaching(path, note)) is not None},
        {path.name: one for path in explained if (one := read_explained(path, note)) is not None},
    )


def write_corpus(corpus: CampaignCorpus, folder: Path, note: Callable[[str], None]) -> None:
    """Write a corpus into a folder. A file that cannot be written is told to `note`."""
    for case in corpus.cases:
        keep(folder, case, note)
    for name, kept in corpus.seeds.items():
        keep_file(folder / SEEDS / name, kept, note)
    for name, found in corpus.reaching.items():
        keep_file(folder / REACHING / name, found, note)
    for name, explained in corpus.explained.items():
        keep_file(folder / EXPLAINED / name, explained, note)


def merge_corpora(corpora: Iterable[CampaignCorpus], cases: Iterable[Case]) -> CampaignCorpus:
    """Merge corpora by content, and leave out what reaches nothing alone; `cases` show a finding each, and are kept."""
    seeds: dict[str, KeptSeeds] = {}
    reaching: dict[str, dict[str, ReachingCase]] = {}
    explained: dict[str, list[ExplainedFinding]] = {}
    for corpus in corpora:
        for name, kept in corpus.seeds.items():
            seeds[name] = _add(seeds[name], kept) if name in seeds else kept
        for name, found in corpus.reaching.items():
            known = reaching.setdefault(name, {})
            for one in found.cases:
                _add_case(known, one)
        for name, told in corpus.explained.items():
            explained.setdefault(name, []).extend(told.findings)
    named = {content_name(case): msgspec.structs.replace(case, id=0) for case in cases}
    return CampaignCorpus(
        tuple(case for _, case in sorted(named.items())),
        {name: msgspec.structs.replace(kept, seeds=thin_seeds(kept.seeds)) for name, kept in sorted(seeds.items())},
        {name: ReachingCases(thin_cases(found.values())) for name, found in sorted(reaching.items())},
        {name: merge_explained(findings) for name, findings in sorted(explained.items())},
    )


def thin_seeds(seeds: Iterable[KeptSeed]) -> tuple[KeptSeed, ...]:
    """Return as many of the seed objects as reach all places: each reaches a place alone."""
    named = {content_name(seed.case): seed for seed in seeds}
    return tuple(named[name] for name in _thin({name: (one.case, places_of(one.case)) for name, one in named.items()}))


def thin_cases(cases: Iterable[ReachingCase]) -> tuple[ReachingCase, ...]:
    """Return as many of the cases as reach all rules and blocks: each reaches one alone."""
    named = {content_name(one.case): one for one in cases}
    return tuple(named[name] for name in _thin({name: (one.case, one.reaches) for name, one in named.items()}))


def _thin(inputs: Mapping[str, tuple[Case, Iterable[object]]]) -> list[str]:
    """Return the names of inputs without those, the large ones first, whose every reached thing another one reaches."""
    reached = {name: frozenset(things) for name, (_, things) in inputs.items()}
    times = Counter(thing for things in reached.values() for thing in things)
    left = set(inputs)
    for name in sorted(inputs, key=lambda name: (-len(msgspec.json.encode(inputs[name][0])), name)):
        if all(times[thing] > 1 for thing in reached[name]):
            times.subtract(reached[name])
            left.remove(name)
    return sorted(left)


def places_of(case: Case) -> Iterator[tuple[str, ...]]:
    """Yield the paths that an object has, for its request; of an update those alone that it changes, if any."""
    request = (case.group, case.version, case.resource, case.subresource, str(case.operation))
    before = set() if case.old is None else set(_leaves(case.old, ""))
    yield request  # an update that changes nothing is worth keeping, if it is the only one
    for path, value in _leaves(case.object, ""):
        if (path, value) not in before:
            yield *request, path


def _leaves(value: Json, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, below in value.items():
            yield from _leaves(below, f"{path}.{key}")
    elif isinstance(value, list) and value:
        for below in value:
            yield from _leaves(below, f"{path}[*]")
    else:
        yield path, msgspec.json.encode(value).decode("utf-8", "replace")


def _add_case(known: dict[str, ReachingCase], one: ReachingCase) -> None:
    """Add a case; an equal one reaches what both units saw it reach."""
    name = content_name(one.case)
    others = known[name].reaches if name in known else ()
    known[name] = ReachingCase(one.case, tuple(sorted({*others, *one.reaches})))


def _add(one: KeptSeeds, other: KeptSeeds) -> KeptSeeds:
    return KeptSeeds(
        (*one.seeds, *other.seeds),
        {**other.rejected, **one.rejected},
        tuple(sorted({*one.tried, *other.tried})),
        one.done or other.done,
    )
