"""Objects and pairs of a suite's kinds for tests of your own, and what both sides say of them.

    @given(pairs("suites/claim_v1", "Claim"))
    def test_both_sides_agree(pair):
        old, new = pair
        assert [] == differences("suites/claim_v1", "Claim", new, old)

A suite is opened, and objects that both sides accept are searched for, when the first example is drawn.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from hypothesis import strategies as st

from harness.case import Answer, Case, Json, KindInfo, Operation
from harness.compare.comparator import Comparator
from harness.compare.mismatch import Mismatch
from harness.diagnostics import UsageError, near_miss
from harness.fuzzers.bases import Asking, Repair, errors_of, starts
from harness.fuzzers.edits import Site, sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.grow import Growth
from harness.fuzzers.places import Place, put
from harness.fuzzers.probes import probes_of
from harness.fuzzers.strategies import objects_of, pairs_of
from harness.fuzzers.values import fits
from harness.subject import Subject, SubjectSpec, open_subject

R = TypeVar("R")

_MOST_ASKED = 900


def objects(suite: str | Path, kind: str, version: str = "", subresource: str = "") -> st.SearchStrategy[Json]:
    """Objects of a kind: near those that both sides accept, near the limits of rules, or anything its type allows.

    `version` is the suite's last one unless given. Shrinks towards: the empty object, then the smallest accepted one.
    """
    return st.deferred(lambda: _Source.of(suite, kind, version, subresource).objects)


def pairs(
    suite: str | Path, kind: str, version: str = "", subresource: str = ""
) -> st.SearchStrategy[tuple[Json, Json]]:
    """Old and new objects of a kind that differ in a few places.

    Shrinks towards: one object twice, then one edit.
    """
    return st.deferred(lambda: _Source.of(suite, kind, version, subresource).pairs)


def ask(
    suite: str | Path, kind: str, new: Json, old: Json = None, *, version: str = "", subresource: str = ""
) -> Answer:
    """Return what both sides say of a new object, or of its change from `old`."""
    source = _Source.of(suite, kind, version, subresource)
    [answer] = source.subject.target.ask([source.case(new, old)])
    return answer


def differences(
    suite: str | Path, kind: str, new: Json, old: Json = None, *, version: str = "", subresource: str = ""
) -> list[Mismatch]:
    """Return where the two sides differ about a new object, or about its change from `old`, under every gate setting.

    Both are asked twice, and about every version. Empty when they agree, or when the object cannot be decoded.
    """
    source = _Source.of(suite, kind, version, subresource)
    case = source.case(new, old)
    [answer] = source.subject.target.ask([case])
    return source.comparator.compare(case, answer)


@lru_cache(maxsize=16)
def _opened(folder: str) -> Subject:
    return open_subject(SubjectSpec("suite", folder))


@dataclass(frozen=True, eq=False)
class _Source:
    """One kind of one suite, with strategies made from what both sides accept."""

    subject: Subject
    info: KindInfo
    comparator: Comparator

    @staticmethod
    def of(suite: str | Path, kind: str, version: str, subresource: str) -> _Source:
        """Return the source of a kind, the same at every call."""
        return _source(str(Path(suite).resolve()), kind, version, subresource)

    @property
    def objects(self) -> st.SearchStrategy[Json]:
        examples, probes = _material(self)
        return objects_of(self.subject.shape(self.info), examples=examples, probes=probes, header=self.header)

    @property
    def pairs(self) -> st.SearchStrategy[tuple[Json, Json]]:
        examples, probes = _material(self)
        return pairs_of(self.subject.shape(self.info), examples=examples, probes=probes, header=self.header)

    @property
    def header(self) -> dict[str, Json]:
        """What every object of the kind says of itself."""
        return {"apiVersion": self.info.api_version, "kind": self.info.kind}

    def case(self, new: Json, old: Json) -> Case:
        """Make a case that checks everything: both versions, twice."""
        info = self.info
        operation = Operation.CREATE if old is None else Operation.UPDATE
        return Case(
            1, info.group, info.version, info.kind, operation, new, old, info.resource, info.subresource,
            versions=bool(info.versions), repeat=True,
        )  # fmt: skip

    def batch(self, objects: list[Json]) -> Asking:
        """Ask about new objects, as the search for accepted ones wants it; about updates where nothing is created."""
        creates = Operation.CREATE in self.info.operations
        return (yield [self.case(obj, None if creates else obj) for obj in objects])


@lru_cache(maxsize=256)
def _source(folder: str, kind: str, version: str, subresource: str) -> _Source:
    subject = _opened(folder)
    served = [info for info in subject.target.info.kinds if info.kind == kind]
    if not served:
        names = sorted({info.kind for info in subject.target.info.kinds})
        hint = near_miss(kind, names) or f"its kinds: {', '.join(names)}"
        raise UsageError(f"the suite {subject.name} has no kind {kind}\n  fix: {hint}")
    version = version or served[-1].version
    fitting = [info for info in served if info.version == version and info.subresource == subresource]
    if not fitting and not subresource:  # a kind that is nothing but a subresource
        fitting = [info for info in served if info.version == version]
    if not fitting:
        known = ", ".join(info.name for info in served)
        raise UsageError(f"the suite {subject.name} does not serve {kind} so\n  fix: it serves {known}")
    info = fitting[0]
    return _Source(subject, info, Comparator(info, is_known_path=subject.is_known_path(info)))


@lru_cache(maxsize=256)
def _material(source: _Source) -> tuple[tuple[Json, ...], tuple[tuple[Place, Json], ...]]:
    """Find accepted objects of a kind, and values worth putting at their places."""
    shape, harvest = source.subject.shape(source.info), Harvest()
    repaired = _drive(source, Repair(shape, source.batch, harvest, limit=_MOST_ASKED).run(starts(shape, source.header)))
    if not repaired.accepted:
        return (), ()
    growth = Growth(shape, source.batch, harvest, _MOST_ASKED, repaired.obj)
    grown = _drive(source, growth.run())
    probes = _probes(source, grown[0].obj)
    return (repaired.obj, *(base.obj for base in grown if base.obj != repaired.obj)), probes


def _probes(source: _Source, base: Json) -> tuple[tuple[Place, Json], ...]:
    """Try every value at every place once; what refuses a value teaches limits, which are probes."""
    sites = sites_of(base, source.subject.shape(source.info), skip=frozenset({("apiVersion",), ("kind",)}))
    usual = {site.place: site.values(Harvest()) for site in sites}
    tries = [(place, value) for place, values in usual.items() for value in values]
    learnt = {place: Harvest() for place in usual}
    answers = _drive(source, source.batch([put(base, *one) for one in tries]))
    for (place, _value), answer in zip(tries, answers, strict=True):
        learnt[place].learn(errors_of(answer))
    probes = (
        (site.place, one)
        for site in sites
        for one in probes_of(site.shape, site.value, site.member, learnt[site.place])
    )
    found = [(place, one) for place, one in probes if one not in usual[place]]
    return (*found, *(limit for site in sites for limit in _limits(site)))


def _limits(site: Site) -> Iterator[tuple[Place, Json]]:
    """Values beside the numbers that the rules of a place name, which are worth more than one draw in a hundred."""
    numbers = [hint for hint in (site.member.hints if site.member else ()) if isinstance(hint, int)]
    for number in (number for number in numbers if not isinstance(number, bool)):
        if site.shape.kind == "int":
            yield from ((site.place, near) for near in (number - 1, number, number + 1) if fits(near, site.shape))
        elif site.shape.kind == "string" and 0 <= number < 5000:
            yield from ((site.place, unit * length) for unit in "aé" for length in (number, number + 1))


def _drive(source: _Source, search: Generator[list[Case], list[Answer], R]) -> R:
    """Run a search against the suite until it returns."""
    try:
        cases = next(search)
        while True:
            cases = search.send(source.subject.target.ask(cases))
    except StopIteration as stop:
        result: R = stop.value
        return result
