"""Objects and pairs of a kind for tests of your own, and what both sides say of them.

    @given(pairs("suites/claim_v1", "Claim"))
    def test_both_sides_agree(pair):
        old, new = pair
        assert [] == differences("suites/claim_v1", "Claim", new, old)

A subject is a suite folder, a folder of Go types (nothing is handwritten then, and the tags alone decide), a Kubernetes
release such as `1.37.1` or a checkout of it, or a `SubjectSpec`. It is opened, and objects that both sides accept are
searched for, when the first example is drawn; both are kept until the process ends.
"""

from __future__ import annotations

import atexit
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from textwrap import shorten
from typing import Any

from hypothesis import strategies as st

from harness.case import Answer, Case, Json, KindInfo, Operation
from harness.compare.comparator import Comparator
from harness.compare.mismatch import Mismatch
from harness.diagnostics import UsageError, near_miss
from harness.errormatch.trusted import all_wordings, own_wordings
from harness.fuzzers.bases import Asking, Repair, accepted, errors_of, starts
from harness.fuzzers.edits import Site, sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.grow import Growth
from harness.fuzzers.probes import probes_of
from harness.fuzzers.strategies import Lean, objects_of, pairs_of
from harness.fuzzers.values import fits, suggested, suggested_alone
from harness.jsonpath import Edit
from harness.objectmodel import HEADER, header_of, stored
from harness.subject import Subject, SubjectSpec, open_subject
from harness.targets.target import drive

_MOST_ASKED = 900
_MOST_TRIED = 2000
_RELEASE = re.compile(r"v?\d+\.\d+(?:\.\d+)?")
_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")
_OLDER: Mapping[str, Lean] = {"edges": "boundary"}
"""Values of `lean` that had another name, which tests may still hold."""


def objects(
    subject: str | Path | SubjectSpec, kind: str, version: str = "", subresource: str = "", *, lean: Lean = "any"
) -> st.SearchStrategy[Json]:
    """Objects of a kind: near those that both sides accept, near the limits of rules, or anything its type allows.

    `kind` may name its group, `apps/Deployment`; `version` is the most stable one unless given. `lean="valid"` makes
    changes that both sides accept, each by itself, and nothing else: most of its objects are accepted.
    `lean="boundary"` changes every object, mostly to boundary values of rules.
    Shrinks towards: the empty object, then the smallest accepted one; with `lean="valid"` the smallest accepted one.
    Raises: when drawn, UsageError for a kind that the subject does not have (with the near miss), or for `lean="valid"`
    where no accepted object was found; InputError and TargetError for a subject that cannot be opened.
    """
    return st.deferred(lambda: _KindSource.of(subject, kind, version, subresource).objects(_OLDER.get(lean, lean)))


def pairs(
    subject: str | Path | SubjectSpec, kind: str, version: str = "", subresource: str = "", *, lean: Lean = "any"
) -> st.SearchStrategy[tuple[Json, Json]]:
    """Old and new objects of a kind that have one in common, from which each is a few edits away, or none.

    So an accepted object is edited, a wrong one stays or is changed elsewhere, becomes wrong in another way, or right.
    The arguments, and what is raised, as for `objects`.
    Shrinks towards: one object twice, then one edit of the new one.
    """
    return st.deferred(lambda: _KindSource.of(subject, kind, version, subresource).pairs(_OLDER.get(lean, lean)))


def ask(
    subject: str | Path | SubjectSpec,
    kind: str,
    new: Json,
    old: Json = None,
    *,
    version: str = "",
    subresource: str = "",
) -> Answer:
    """Return what both sides say of a new object, or of its change from `old`. Raises: as `objects` does."""
    source = _KindSource.of(subject, kind, version, subresource)
    [answer] = source.subject.target.ask([source.case(new, old)])
    return answer


def differences(
    subject: str | Path | SubjectSpec,
    kind: str,
    new: Json,
    old: Json = None,
    *,
    version: str = "",
    subresource: str = "",
) -> list[Mismatch]:
    """Return where the two sides differ about a new object, or about its change from `old`, under every gate setting.

    Both are asked twice, and about every version. Empty when they agree, or when the object cannot be decoded. Words
    that are trusted to mean the same are no difference, as in a run: those that are shipped, and those of the file
    `trusted_wordings.yaml` of the current folder. Raises: as `objects` does; InputError for that file.
    """
    source = _KindSource.of(subject, kind, version, subresource)
    case = source.case(new, old)
    [answer] = source.subject.target.ask([case])
    return source.comparator.compare(case, answer)


def _spec_of(subject: str | Path | SubjectSpec) -> SubjectSpec:
    """Say what a person's words name."""
    if isinstance(subject, SubjectSpec):
        return subject
    if _RELEASE.fullmatch(str(subject)):
        return SubjectSpec("kubernetes", str(subject).removeprefix("v"))
    folder = Path(subject).expanduser().resolve()
    if (folder / "suite.py").is_file():
        return SubjectSpec("suite", str(folder))
    if (folder / "pkg" / "apis").is_dir() and (folder / "staging").is_dir():
        return SubjectSpec("kubernetes", str(folder))
    if next(folder.rglob("*.go"), None) is None:
        why = "is no folder" if not folder.is_dir() else "has neither a suite.py nor Go types"
        raise UsageError(f"{subject} {why}\n  fix: name a suite, a folder with types.go, or a release such as 1.37.1")
    return SubjectSpec("types", str(folder))


_OPENED: dict[str, Subject] = {}


def _opened(spec: SubjectSpec) -> Subject:
    """Open a subject once; it is closed when the process ends."""
    key = repr(spec)
    if key not in _OPENED:
        _OPENED[key] = open_subject(spec)
        atexit.register(_OPENED[key].close)
    return _OPENED[key]


_SOURCES: dict[tuple[str, str, str, str], _KindSource] = {}


@dataclass(frozen=True, eq=False)
class _KindSource:
    """One kind of one subject, with strategies made from what both sides accept."""

    subject: Subject
    info: KindInfo
    comparator: Comparator

    @staticmethod
    def of(subject: str | Path | SubjectSpec, kind: str, version: str, subresource: str) -> _KindSource:
        """Return the source of a kind, the same at every call."""
        spec = _spec_of(subject)
        key = (repr(spec), kind, version, subresource)
        if key not in _SOURCES:
            _SOURCES[key] = _source(_opened(spec), kind, version, subresource)
        return _SOURCES[key]

    def objects(self, lean: Lean) -> st.SearchStrategy[Json]:
        """Objects that lean to one side."""
        material = _material(self)
        return objects_of(
            self.subject.shape(self.info), **material.arguments(self, lean, material.examples, material.accepted)
        )

    def pairs(self, lean: Lean) -> st.SearchStrategy[tuple[Json, Json]]:
        """Pairs that lean to one side."""
        material = _material(self)
        return pairs_of(
            self.subject.shape(self.info), **material.arguments(self, lean, material.stable, material.steps)
        )

    @property
    def header(self) -> dict[str, Json]:
        """What every object of the kind says of itself."""
        return header_of(self.info.api_version, self.info.kind)

    def case(self, new: Json, old: Json) -> Case:
        """Make a case that checks everything: both versions, twice."""
        operation = Operation.CREATE if old is None else Operation.UPDATE
        mode, versions = self.subject.spec.mode, bool(self.info.versions)
        return self.info.case(operation, new, old, id=1, mode=mode, versions=versions, repeat=True)

    def batch(self, objects: list[Json]) -> Asking:
        """Ask about new objects, as the search for accepted ones wants it; about updates where nothing is created."""
        creates = Operation.CREATE in self.info.operations
        return (yield [self.case(obj, None if creates else obj) for obj in objects])


def _source(subject: Subject, kind: str, version: str, subresource: str) -> _KindSource:
    """Find the resource that a person means."""
    group, _, name = kind.rpartition("/")
    kinds = subject.target.info.kinds
    served = [info for info in kinds if info.kind == name and ("/" not in kind or info.group == group)]
    if not served:
        names = sorted({info.kind for info in kinds} if "/" not in kind else {f"{i.group}/{i.kind}" for i in kinds})
        hint = near_miss(kind, names) or f"its kinds: {shorten(', '.join(names), 300, placeholder='...')}"
        raise UsageError(f"the subject {subject.name} has no kind {kind}\n  fix: {hint}")
    groups = list(dict.fromkeys(info.group for info in served))
    if len(groups) > 1:
        raise UsageError(f"several groups have a kind {kind}\n  fix: say {' or '.join(f'{g}/{name}' for g in groups)}")
    version = version or max((info.version for info in served), key=_stability)
    fitting = [info for info in served if info.version == version and info.subresource == subresource]
    if not fitting and not subresource:  # a kind that is nothing but a subresource
        fitting = [info for info in served if info.version == version]
    if not fitting:
        known = ", ".join(info.name for info in served)
        raise UsageError(f"the subject {subject.name} does not serve {kind} so\n  fix: it serves {known}")
    info = fitting[0]
    comparator = Comparator(
        info, is_known_path=subject.is_known_path(info), trusted=all_wordings(own_wordings()), ends=subject.ends
    )
    return _KindSource(subject, info, comparator)


def _stability(version: str) -> tuple[int, int, int]:
    """Order versions as Kubernetes does: stable ones over betas over alphas, later ones over earlier ones."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return -1, 0, 0
    return {None: 2, "beta": 1, "alpha": 0}[found[2]], int(found[1]), int(found[3] or 0)


@dataclass(frozen=True)
class _Material:
    """What objects of a kind are made from.

    `stable` are the accepted objects that an update may leave as they are, stored ones where it takes that;
    `accepted` are changes of a new object, `steps` those of a stored one. `remaining` says why there is no accepted
    object, where there is none.
    """

    examples: tuple[Json, ...] = ()
    stable: tuple[Json, ...] = ()
    probes: tuple[Edit, ...] = ()
    accepted: tuple[Edit, ...] = ()
    steps: tuple[Edit, ...] = ()
    remaining: tuple[str, ...] = ()

    def arguments(
        self, source: _KindSource, lean: Lean, examples: tuple[Json, ...], accepted: tuple[Edit, ...]
    ) -> dict[str, Any]:
        """The arguments of `objects_of` and `pairs_of`. Raises: UsageError when there is nothing valid to lean to."""
        if lean == "valid" and not self.examples:
            why = "; ".join(self.remaining)
            raise UsageError(f"no {source.info.kind} was found that both sides accept: {why}\n  fix: lean='any'")
        return {
            "examples": examples, "probes": self.probes, "accepted": accepted, "header": source.header,
            "lean": lean,
        }  # fmt: skip


@lru_cache(maxsize=256)
def _material(source: _KindSource) -> _Material:
    """Find accepted objects of a kind, and values worth putting at their places."""
    shape, harvest, ask = source.subject.shape(source.info), Harvest(), source.subject.target.ask
    repair = Repair(shape, source.batch, harvest, limit=_MOST_ASKED)
    repaired = drive(repair.run(starts(shape, source.header)), ask)
    if not repaired.accepted:
        return _Material(remaining=repaired.remaining)
    growth = Growth(shape, source.batch, harvest, _MOST_ASKED, repaired.obj)
    grown = drive(growth.run(), ask)
    examples = (repaired.obj, *(base.obj for base in grown if base.obj != repaired.obj))
    stable = tuple(form for obj in examples for form in (obj, stored(obj)) if _is_updated(source, form))
    fullest = (grown[0].obj, stored(grown[0].obj))
    base = next((form for form in fullest if form in stable), (stable or examples)[0])
    return _Material(examples, stable or examples, *_probes(source, base))


def _is_updated(source: _KindSource, obj: Json) -> bool:
    """Whether an update of an object to itself is accepted; of some only once they are stored."""
    [answer] = source.subject.target.ask([source.case(obj, obj)])
    return accepted(answer)


def _probes(source: _KindSource, base: Json) -> tuple[tuple[Edit, ...], tuple[Edit, ...], tuple[Edit, ...]]:
    """Try values at every place once: what refuses one teaches limits, which are probes.

    Returns: the probes, the changes that were accepted, and those of them that are accepted of a stored object too.
    """
    sites = sites_of(base, source.subject.shape(source.info), skip=HEADER)
    usual = {site.place: site.values(Harvest()) for site in sites}
    most = max(map(len, usual.values()), default=0)
    turns = (Edit(place, values[turn]) for turn in range(most) for place, values in usual.items() if turn < len(values))
    tries = list(islice(turns, _MOST_TRIED))
    learnt = {place: Harvest() for place in usual}
    answers = drive(source.batch([one.apply(base) for one in tries]), source.subject.target.ask)
    fine: list[Edit] = []
    for one, answer in zip(tries, answers, strict=True):
        learnt[one.path].learn(errors_of(answer))
        if accepted(answer):
            fine.append(one)
    probes = (
        Edit(site.place, one)
        for site in sites
        for one in probes_of(site.shape, site.value, site.member, learnt[site.place])
    )
    found = [edit for edit in probes if edit.value not in usual[edit.path]]
    updates = source.subject.target.ask([source.case(one.apply(base), base) for one in fine])
    steps = tuple(one for one, answer in zip(fine, updates, strict=True) if accepted(answer))
    limits = [limit for site in sites for limit in _limits(site)]
    return tuple({repr(one): one for one in (*found, *limits)}.values()), tuple(fine), steps


def _limits(site: Site) -> Iterator[Edit]:
    """Values at and beside the limits that the tags of a place name: worth more than one draw in a hundred."""
    if site.member is None:
        return
    yield from (Edit(site.place, value) for value in (*suggested(site.member), *suggested_alone(site.member)))
    for number in site.member.hints:
        if isinstance(number, int) and site.shape.kind == "int":
            yield from (Edit(site.place, near) for near in (number - 1, number, number + 1) if fits(near, site.shape))
