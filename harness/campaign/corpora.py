"""The corpus of a campaign: a case for each finding, and accepted objects that reach a place that no other reaches.

It is a folder that `harness run --corpus` reads and writes, or one file of a ledger. Which rules an object fires is not
known here: an accepted object fires none, and what is close to it is asked again by every run.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from harness.case import Case, Json
from harness.fuzzers.corpus import SEEDS, KeptSeed, KeptSeeds, content_name, keep, keep_seeds, load, load_seeds


class CampaignCorpus(msgspec.Struct, frozen=True):
    """Cases to replay, ordered by content, and the seed objects of each type by the name of their file."""

    cases: tuple[Case, ...] = ()
    seeds: dict[str, KeptSeeds] = {}

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


def read_corpus(folder: Path, note: Callable[[str], None]) -> CampaignCorpus:
    """Read a folder. What cannot be read is told to `note`, as in a run, and left out."""
    files = sorted((folder / SEEDS).glob("*.json"))
    seeds = {path.name: kept for path in files if (kept := load_seeds(path, note)) is not None}
    cases = {content_name(case): case for case in load(folder, note)}
    return CampaignCorpus(tuple(case for _, case in sorted(cases.items())), seeds)


def write_corpus(corpus: CampaignCorpus, folder: Path, note: Callable[[str], None]) -> None:
    """Write a corpus into a folder. A file that cannot be written is told to `note`."""
    for case in corpus.cases:
        keep(folder, case, note)
    for name, kept in corpus.seeds.items():
        keep_seeds(folder / SEEDS / name, kept, note)


def merge_corpora(corpora: Iterable[CampaignCorpus], cases: Iterable[Case]) -> CampaignCorpus:
    """Merge the seed objects of corpora by content, and leave out those that reach nothing alone; `cases` are kept."""
    merged: dict[str, KeptSeeds] = {}
    for corpus in corpora:
        for name, kept in corpus.seeds.items():
            merged[name] = _add(merged[name], kept) if name in merged else kept
    named = {content_name(case): msgspec.structs.replace(case, id=0) for case in cases}
    return CampaignCorpus(
        tuple(case for _, case in sorted(named.items())),
        {name: msgspec.structs.replace(kept, seeds=thin(kept.seeds)) for name, kept in sorted(merged.items())},
    )


def thin(seeds: Iterable[KeptSeed]) -> tuple[KeptSeed, ...]:
    """Return as many of the seed objects as reach all places, the small ones rather: each reaches a place alone."""
    named = {content_name(seed.case): seed for seed in seeds}
    places = {name: frozenset(places_of(seed.case)) for name, seed in named.items()}
    reached = Counter(place for found in places.values() for place in found)
    left = dict(named)
    for name in sorted(named, key=lambda name: (-len(msgspec.json.encode(named[name].case)), name)):
        if all(reached[place] > 1 for place in places[name]):
            reached.subtract(places[name])
            del left[name]
    return tuple(seed for _, seed in sorted(left.items()))


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


def _add(one: KeptSeeds, other: KeptSeeds) -> KeptSeeds:
    return KeptSeeds(
        (*one.seeds, *other.seeds),
        {**other.rejected, **one.rejected},
        tuple(sorted({*one.tried, *other.tried})),
        one.done or other.done,
    )
