"""Hypothesis strategies for objects and updates of a kind, and the answers of its validators, for the user's own tests.

    @given(pairs("suites/claim_v1", "Claim"))
    def test_both_sides_agree(pair):
        old, new = pair
        assert [] == differences("suites/claim_v1", "Claim", new, old)

A subject is a suite folder, a folder of Go types (it has no handwritten validator, and the tags alone decide), a
Kubernetes release such as `1.37.1` or a checkout of it, or a `SubjectSpec`. "Both sides" are the handwritten and the
declarative validator of a kind; an object is accepted when both accept it. The subject is opened, and accepted objects
are searched for, when the first example is drawn. Both are kept until the process ends.
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
from harness.fuzzers.edits import Site, sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.growth import Growth
from harness.fuzzers.probes import probes_of
from harness.fuzzers.repair import CaseGenerator, Repair, errors_of, first_candidates, is_accepted
from harness.fuzzers.strategies import Bias, objects_of, pairs_of
from harness.fuzzers.values import fits, suggested_items, suggested_values
from harness.jsonpath import Edit, JsonPath
from harness.objectmodel import HEADER, header_of, stored
from harness.subject import Subject, SubjectSpec, open_subject
from harness.targets.target import drive

_MAX_SEARCH_CASES = 900
"""At most this many cases are spent on finding an accepted object, and as many on growing it."""
_MAX_EDITS = 2000
"""At most this many edits of an accepted object are tried, to learn which are accepted and where limits are."""
_RELEASE = re.compile(r"v?\d+\.\d+(?:\.\d+)?")
_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")
_FORMER: Mapping[str, Bias] = {"edges": "boundary"}
"""Values of `lean` under their former names, which tests of users may still have."""


def objects(
    subject: str | Path | SubjectSpec, kind: str, version: str = "", subresource: str = "", *, lean: Bias = "any"
) -> st.SearchStrategy[Json]:
    """Draw objects of a kind: accepted ones with a few edits, boundary values of rules, or anything the type allows.

    `kind` may name its group, `apps/Deployment`; `version` is the most stable one unless given. `lean` sets the bias:
    with `"valid"` an accepted object gets only edits that both sides accept, each by itself, so that most objects are
    accepted; with `"boundary"` every object is edited, mostly to boundary values of rules.
    Shrinks towards: the empty object, then the smallest accepted one; with `lean="valid"` the smallest accepted one.
    Raises: when drawn, UsageError for a kind that the subject does not have (with the near miss), or for `lean="valid"`
    where no accepted object was found; InputError and TargetError for a subject that cannot be opened.
    """
    return st.deferred(lambda: _KindSource.of(subject, kind, version, subresource).objects(_FORMER.get(lean, lean)))


def pairs(
    subject: str | Path | SubjectSpec, kind: str, version: str = "", subresource: str = "", *, lean: Bias = "any"
) -> st.SearchStrategy[tuple[Json, Json]]:
    """Draw updates (old, new) of a kind: two copies of one object, each with a few edits or none.

    The edits cover the transitions that ratcheting distinguishes: an accepted object becomes invalid, an invalid one
    stays, is edited at another path, becomes invalid in another way, or becomes valid. Arguments and errors as for
    `objects`.
    Shrinks towards: one object twice, then one edit of the new one.
    """
    return st.deferred(lambda: _KindSource.of(subject, kind, version, subresource).pairs(_FORMER.get(lean, lean)))


def ask(
    subject: str | Path | SubjectSpec,
    kind: str,
    new: Json,
    old: Json = None,
    *,
    version: str = "",
    subresource: str = "",
) -> Answer:
    """Return the errors of both sides for a new object, or for its update from `old`. Raises: as `objects`."""
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
    """Return the mismatches of the two sides for a new object, or for its update from `old`, at every gate setting.

    Each side validates the case twice, to find answers that vary, and at every version of the kind. Returns an empty
    list when the sides agree or the object cannot be decoded. As in a run, trusted wordings are not mismatches: those
    that are shipped, and those of the file `trusted_wordings.yaml` of the current folder. Raises: as `objects`;
    InputError for that file.
    """
    source = _KindSource.of(subject, kind, version, subresource)
    case = source.case(new, old)
    [answer] = source.subject.target.ask([case])
    return source.comparator.compare(case, answer)


def _spec_of(subject: str | Path | SubjectSpec) -> SubjectSpec:
    """Return the spec of a suite folder, a folder of types, a checkout or a release."""
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
        why = "is not a folder" if not folder.is_dir() else "has neither a suite.py nor Go types"
        raise UsageError(f"{subject} {why}\n  fix: name a suite, a folder with types.go, or a release such as 1.37.1")
    return SubjectSpec("types", str(folder))


_OPENED: dict[str, Subject] = {}


def _open_once(spec: SubjectSpec) -> Subject:
    """Return the opened subject, the same at every call; it is closed when the process ends."""
    key = repr(spec)
    if key not in _OPENED:
        _OPENED[key] = open_subject(spec)
        atexit.register(_OPENED[key].close)
    return _OPENED[key]


_SOURCES: dict[tuple[str, str, str, str], _KindSource] = {}


@dataclass(frozen=True, eq=False)
class _KindSource:
    """One kind of one subject, with strategies based on accepted objects."""

    subject: Subject
    info: KindInfo
    comparator: Comparator

    @staticmethod
    def of(subject: str | Path | SubjectSpec, kind: str, version: str, subresource: str) -> _KindSource:
        """Return the source of a kind, the same at every call."""
        spec = _spec_of(subject)
        key = (repr(spec), kind, version, subresource)
        if key not in _SOURCES:
            _SOURCES[key] = _find_source(_open_once(spec), kind, version, subresource)
        return _SOURCES[key]

    def objects(self, bias: Bias) -> st.SearchStrategy[Json]:
        """Return the strategy for objects."""
        corpus = _find_corpus(self)
        return objects_of(
            self.subject.shape(self.info), **corpus.arguments(self, bias, corpus.examples, corpus.create_edits)
        )

    def pairs(self, bias: Bias) -> st.SearchStrategy[tuple[Json, Json]]:
        """Return the strategy for updates."""
        corpus = _find_corpus(self)
        return pairs_of(
            self.subject.shape(self.info), **corpus.arguments(self, bias, corpus.updatable, corpus.update_edits)
        )

    @property
    def header(self) -> dict[str, Json]:
        """The apiVersion and kind of every object."""
        return header_of(self.info.api_version, self.info.kind)

    def case(self, new: Json, old: Json) -> Case:
        """Return a case that both sides validate twice, and at every version."""
        operation = Operation.CREATE if old is None else Operation.UPDATE
        mode, versions = self.subject.spec.mode, bool(self.info.versions)
        return self.info.case(operation, new, old, id=1, mode=mode, versions=versions, repeat=True)

    def batch(self, objects: list[Json]) -> CaseGenerator:
        """Ask about creating objects, as `Repair` and `Growth` do; about updates of kinds that are never created."""
        creates = Operation.CREATE in self.info.operations
        return (yield [self.case(obj, None if creates else obj) for obj in objects])


def _find_source(subject: Subject, kind: str, version: str, subresource: str) -> _KindSource:
    """Find a kind of a subject by its name, version and subresource."""
    group, _, name = kind.rpartition("/")
    kinds = subject.target.info.kinds
    served = [info for info in kinds if info.kind == name and ("/" not in kind or info.group == group)]
    if not served:
        names = sorted({info.kind for info in kinds} if "/" not in kind else {f"{i.group}/{i.kind}" for i in kinds})
        hint = near_miss(kind, names) or f"its kinds: {shorten(', '.join(names), 300, placeholder='...')}"
        raise UsageError(f"the subject {subject.name} has no kind {kind}\n  fix: {hint}")
    groups = list(dict.fromkeys(info.group for info in served))
    if len(groups) > 1:
        raise UsageError(f"several groups have a kind {kind}\n  fix: name {' or '.join(f'{g}/{name}' for g in groups)}")
    version = version or max((info.version for info in served), key=_stability)
    fitting = [info for info in served if info.version == version and info.subresource == subresource]
    if not fitting and not subresource:  # a kind that exists as a subresource only
        fitting = [info for info in served if info.version == version]
    if not fitting:
        known = ", ".join(info.name for info in served)
        wanted = f"{kind} at version {version}" + (f" with subresource {subresource}" if subresource else "")
        raise UsageError(f"the subject {subject.name} does not serve {wanted}\n  fix: it serves {known}")
    info = fitting[0]
    return _KindSource(subject, info, subject.comparator(info, all_wordings(own_wordings())))


def _stability(version: str) -> tuple[int, int, int]:
    """Order versions as Kubernetes does: stable ones over betas over alphas, later ones over earlier ones."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return -1, 0, 0
    return {None: 2, "beta": 1, "alpha": 0}[found[2]], int(found[1]), int(found[3] or 0)


@dataclass(frozen=True)
class _Corpus:
    """The objects and edits from which strategies draw.

    `examples` are accepted objects, `updatable` those that an update accepts unchanged, as sent or as stored. `probes`
    are edits to boundary values. `create_edits` leave a new object accepted, `update_edits` a stored one. `remaining`
    are the errors of the best candidate when no accepted object was found.
    """

    examples: tuple[Json, ...] = ()
    updatable: tuple[Json, ...] = ()
    probes: tuple[Edit, ...] = ()
    create_edits: tuple[Edit, ...] = ()
    update_edits: tuple[Edit, ...] = ()
    remaining: tuple[str, ...] = ()

    def arguments(
        self, source: _KindSource, bias: Bias, examples: tuple[Json, ...], accepted_edits: tuple[Edit, ...]
    ) -> dict[str, Any]:
        """Return the arguments of `objects_of` and `pairs_of`. Raises: UsageError for bias `valid` without examples."""
        if bias == "valid" and not self.examples:
            why = "; ".join(self.remaining)
            raise UsageError(
                f"no {source.info.kind} was found that both sides accept: {why}\n  fix: draw with lean='any'"
            )
        return {
            "examples": examples, "probes": self.probes, "accepted_edits": accepted_edits,
            "header": source.header, "bias": bias,
        }  # fmt: skip


@lru_cache(maxsize=256)
def _find_corpus(source: _KindSource) -> _Corpus:
    """Find accepted objects of a kind, and edits of them."""
    shape, harvest, ask = source.subject.shape(source.info), Harvest(), source.subject.target.ask
    repair = Repair(shape, source.batch, harvest, limit=_MAX_SEARCH_CASES)
    repaired = drive(repair.run(first_candidates(shape, source.header)), ask)
    if not repaired.accepted:
        return _Corpus(remaining=repaired.remaining)
    growth = Growth(shape, source.batch, harvest, _MAX_SEARCH_CASES, repaired.obj)
    grown = drive(growth.run(), ask)
    examples = (repaired.obj, *(base.obj for base in grown if base.obj != repaired.obj))
    updatable = tuple(form for obj in examples for form in (obj, stored(obj)) if _can_be_updated(source, form))
    fullest = (grown[0].obj, stored(grown[0].obj))
    base = next((form for form in fullest if form in updatable), (updatable or examples)[0])
    return _Corpus(examples, updatable or examples, *_probes(source, base))


def _can_be_updated(source: _KindSource, obj: Json) -> bool:
    """Whether both sides accept an update that changes nothing; some objects have to be in stored form for that."""
    [answer] = source.subject.target.ask([source.case(obj, obj)])
    return is_accepted(answer)


def _probes(source: _KindSource, base: Json) -> tuple[tuple[Edit, ...], tuple[Edit, ...], tuple[Edit, ...]]:
    """Try values at every path of an accepted object; errors name limits, from which probes are made.

    Returns: the probes, the edits that were accepted on create, and those of them that were accepted on update too.
    """
    skipped = frozenset[JsonPath]() if source.subject.is_plain else HEADER
    sites = sites_of(base, source.subject.shape(source.info), skip=skipped)
    usual = {site.path: site.values(Harvest()) for site in sites}
    most = max(map(len, usual.values()), default=0)
    # The first value of every path, then the second of every path: a cut-off list covers all paths alike.
    edits = list(
        islice(
            (Edit(path, values[turn]) for turn in range(most) for path, values in usual.items() if turn < len(values)),
            _MAX_EDITS,
        )
    )
    harvests = {path: Harvest() for path in usual}
    answers = drive(source.batch([edit.apply(base) for edit in edits]), source.subject.target.ask)
    create_edits: list[Edit] = []
    for edit, answer in zip(edits, answers, strict=True):
        harvests[edit.path].learn(errors_of(answer))
        if is_accepted(answer):
            create_edits.append(edit)
    probes = (
        Edit(site.path, value)
        for site in sites
        for value in probes_of(site.shape, site.value, site.member, harvests[site.path])
    )
    new_probes = [edit for edit in probes if edit.value not in usual[edit.path]]
    updates = source.subject.target.ask([source.case(edit.apply(base), base) for edit in create_edits])
    update_edits = tuple(edit for edit, answer in zip(create_edits, updates, strict=True) if is_accepted(answer))
    limits = [limit for site in sites for limit in _limits(site)]
    return tuple({repr(edit): edit for edit in (*new_probes, *limits)}.values()), tuple(create_edits), update_edits


def _limits(site: Site) -> Iterator[Edit]:
    """Yield edits to the limits in the tags of a path and to their neighbours, so that they are drawn often."""
    if site.member is None:
        return
    yield from (Edit(site.path, value) for value in (*suggested_values(site.member), *suggested_items(site.member)))
    for number in site.member.hints:
        if isinstance(number, int) and site.shape.kind == "int":
            yield from (Edit(site.path, near) for near in (number - 1, number, number + 1) if fits(near, site.shape))
