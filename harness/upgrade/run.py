"""Checks an upgrade: opens both releases, asks every object, groups what differs, and explains the groups."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import cast

import msgspec

from harness import __version__
from harness.case import Gates
from harness.compare.composition import MIGRATION
from harness.diagnostics import TargetError
from harness.engine.units import matches
from harness.errormatch.trusted import all_wordings
from harness.stored.servers import read_server
from harness.stored.storedobject import Reading, StoredObject
from harness.subject import Subject, SubjectSpec, open_subject
from harness.subject.openers.server import open_own
from harness.subject.targetpair import TargetPair, name_servers
from harness.targets.live.client import ServerTarget
from harness.targets.target import Target
from harness.upgrade.asking import Kinds, Releases, Request, requests_of
from harness.upgrade.document import (
    FORMAT,
    VERDICT_EFFECTS,
    ChangeGroup,
    Effect,
    Unread,
    Upgrade,
)
from harness.upgrade.explaining import MAX_EXPLAINED, ChangeExplainer, Why
from harness.upgrade.gathering import Gathering, GroupInMaking

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class UpgradeRequest:
    """What to check: the release after, whose `against` is the one before, and which kinds.

    `server` is somebody's own server in place of the release before; what it stores is checked too.
    `allowed` are types of objects that may be left out. With `verdicts_only`, other errors do not fail the check.
    """

    spec: SubjectSpec
    sources: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    verdicts_only: bool = False
    server: SubjectSpec | None = None


def check_upgrade(
    wanted: UpgradeRequest,
    objects: Iterable[StoredObject],
    reading: Reading,
    note: Note,
    on_progress: Callable[[int, int], None] = lambda objects, changes: None,
) -> Upgrade:
    """Check the objects and return the result. Raises: TargetError, UsageError, InputError."""
    alone = replace(wanted.spec, against=None, gates=_own_gates(wanted.spec.gates))
    with (
        open_subject(alone, note) as after,
        _open_before(wanted, alone, note) as before,
    ):
        if isinstance(before, ServerTarget):
            held = read_server(before, after.target.info, lambda info: matches(info, wanted.kinds), reading)
            objects = chain(objects, held)
        begun = time.monotonic()  # building is not included
        kinds = Kinds(before.info, after.target.info, is_cluster=wanted.server is not None)
        gathering = Gathering(kinds, wanted.allowed)
        releases = Releases(before, after.target)
        asked = _requests(objects, gathering, wanted.kinds)
        ended: KeyboardInterrupt | TargetError | None = None
        try:
            for _, verdicts in groupby(releases.ask(asked), key=lambda one: one.request.number):
                gathering.take(list(verdicts))
                on_progress(reading.objects, len(gathering.groups))
        except (KeyboardInterrupt, TargetError) as error:
            if not gathering.judged:
                raise
            ended = error
        for provider, (number, first) in reading.encrypted.items():
            gathering.miss_encrypted(provider, number, first)
        groups = _explained(gathering, before, after, wanted.spec, note, MAX_EXPLAINED if ended is None else 0)
        names = name_servers(after.target.info, before.info)
        document = _document(wanted, gathering, groups, reading, names, time.monotonic() - begun)
        return document if ended is None else _ended(document, ended)


def _open_before(wanted: UpgradeRequest, alone: SubjectSpec, note: Note) -> Target:
    """Open the release before, or connect to the server that stands for it."""
    if wanted.server is not None:
        return cast(Target, open_own(wanted.server, note))
    assert wanted.spec.against is not None
    return open_subject(replace(alone, location=wanted.spec.against), note).target


def _ended(document: Upgrade, ended: KeyboardInterrupt | TargetError) -> Upgrade:
    """Say that the check ended early: what was judged by then is kept."""
    is_lost = isinstance(ended, TargetError)
    why = f"a release was lost: {ended}" if is_lost else "interrupted"
    code = (document.exit_code or 2) if is_lost else 130
    note = f"{why}; objects behind what was judged are missing"
    return msgspec.structs.replace(document, exit_code=code, notes=(*document.notes, note))


def _own_gates(gates: Gates) -> Gates:
    return {name: value for name, value in gates.items() if name not in MIGRATION}


def _requests(objects: Iterable[StoredObject], gathering: Gathering, patterns: Sequence[str]) -> Iterator[Request]:
    """Yield the requests about each object, and count those that cannot be judged."""
    kinds = gathering.kinds
    for number, observed in enumerate(objects):
        info = kinds.find(*observed.type) if observed.address is None else kinds.at(observed.address)
        if info is not None:
            if matches(info, patterns):
                yield from requests_of(number, observed, info, kinds)
        elif patterns:
            continue  # nothing is known of it that a pattern could match
        elif observed.address is None and kinds.is_removed(*observed.type):
            gathering.removed(observed)
        else:
            gathering.leave_out(observed, kinds.why_unknown(*observed.type))


def _explained(
    gathering: Gathering, before: Target, after: Subject, spec: SubjectSpec, note: Note, most: int
) -> tuple[ChangeGroup, ...]:
    """Explain the groups, the largest first."""
    ordered = sorted(gathering.groups.values(), key=lambda one: -one.count)
    if not ordered:
        return ()
    pair = TargetPair(after.target, before)
    both = Subject(spec, after.name, cast(Target, pair), after.universe, None, comparison=pair.servers)
    alone = replace(spec, against=None)
    explainer = ChangeExplainer(
        both.target,
        lambda info: both.comparator(info, all_wordings(None)),
        before,
        after.target,
        lambda gates: open_subject(replace(alone, gates={**_own_gates(spec.gates), **gates}), note).target,
    )
    try:
        return tuple(
            _group(one, explainer if number < most else None, pair.servers.names[1])
            for number, one in enumerate(ordered)
        )
    finally:
        explainer.close()


def _group(gathered: GroupInMaking, explainer: ChangeExplainer | None, after: str) -> ChangeGroup:
    kind, effect, signature = gathered.key
    if gathered.example is None:
        error = gathered.objects[0].errors[0]
        why = Why("", f"{after} does not serve this version; {error.partition('; ')[2] or error}")
    elif explainer is None:
        why = Why("unknown", "not determined: only the largest groups of a check that ends are explained")
    else:
        why = explainer.explain(gathered.example)
    return ChangeGroup(
        kind, effect, why.cause, why.sentence, why.since, gathered.objects[0].errors,
        tuple(path or "the object" for _, path in signature), tuple(gathered.requests), gathered.count,
        tuple(gathered.objects),
    )  # fmt: skip


def _document(
    wanted: UpgradeRequest,
    gathering: Gathering,
    groups: tuple[ChangeGroup, ...],
    reading: Reading,
    names: tuple[str, str],
    seconds: float,
) -> Upgrade:
    left_out, judged = gathering.left_out(), sum(gathering.judged.values())
    failing: tuple[Effect, ...] = VERDICT_EFFECTS if wanted.verdicts_only else (*VERDICT_EFFECTS, "other-errors")
    is_incomplete = not judged or reading.problem_count > 0 or any(not one.allowed for one in left_out)
    changes = any(one.effect in failing for one in groups)
    notes = [f"left out: {reason}: {number:,}" for reason, number in reading.counts.items()]
    if gathering.overflow:
        notes.append(f"{gathering.overflow:,} more changes are in further groups, which are not listed")
    return Upgrade(
        FORMAT,
        __version__,
        *names,
        wanted.spec.gates_text,
        wanted.sources,
        judged,
        gathering.requests,
        round(seconds, 2),
        1 if changes else 2 if is_incomplete else 0,
        tuple(gathering.rows()),
        groups,
        left_out,
        tuple(Unread(str(one.position), one.message) for one in reading.problems),
        reading.problem_count,
        tuple(notes),
    )
