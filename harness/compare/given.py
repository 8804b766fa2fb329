"""Compares the objects that two servers validate, after decoding, defaulting and preparation (PrepareForUpdate).

A field that one server does not know, does not keep, or defaults differently explains a mismatch. The path at which the
two objects differ is searched once, for the causes schema, preparation and defaulting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import msgspec

from harness.case import Answer, Case, Json
from harness.compare.cause import Experiment, Question, Trial
from harness.jsonpath import ABSENT, JsonPath, differences, look, put, remove, write
from harness.objectmodel import REVISION, SERVER_FILLED, is_in_metadata

_MAX_PATHS = 12
"""At most this many paths at which the two objects differ are tried."""
_SERVER_SET = SERVER_FILLED | {REVISION}


class Difference(NamedTuple):
    """A path whose values make the two serve other errors.

    `before` and `after` are what the servers validated there. `is_sent` says that the object has it; `lacking` is the
    server that validates without it then, and `is_known` says that this one decoded it.
    """

    path: str
    before: Json
    after: Json
    is_sent: bool
    lacking: str = ""
    is_known: bool = False


def ask_for_given(question: Question) -> Iterable[Trial]:
    """Ask both servers for the object that they validate, with preparation and without."""
    shown = msgspec.structs.replace(question.case, validated=True)
    for case in (shown, msgspec.structs.replace(shown, mode="given")):
        yield Trial(case, question.find_once(_answers).append)


def _answers(question: Question) -> list[Answer]:
    """Return the list that collects the answers to these two cases, which prove nothing by themselves."""
    return []


def find_difference(question: Question) -> Experiment[Difference | None]:
    """Find a path at which the two validated objects differ, and prove by experiment that it causes the mismatch."""
    names, answers = question.names, question.find_once(_answers)
    if len(answers) != 2 or not set(names) <= answers[0].validated.keys():
        return None
    served, given = ({name: one.object for name, one in answer.validated.items()} for answer in answers)
    trials: list[tuple[JsonPath, Case]] = []
    for path in islice(differing(*(served[name] for name in names)), _MAX_PATHS):
        trials += [(path, changed) for changed in _without_difference(question.case, path, served, names)]
    if not trials:
        return None
    answers = yield [msgspec.structs.replace(one, id=number) for number, (_, one) in enumerate(trials)]
    for (path, changed), answer in zip(trials, answers, strict=False):
        if answer.failure is None and not question.comparator.remains(question.mismatch, changed, answer):
            return _describe(path, question.case, served, given, names)
    return None


def _describe(
    path: JsonPath, case: Case, served: dict[str, Json], given: dict[str, Json], names: tuple[str, str]
) -> Difference:
    before, after = (look(served[name], path) for name in names)
    is_sent = look(case.object, path) is not ABSENT
    lacking = next((name for name in names if is_sent and look(served[name], path) is ABSENT), "")
    is_known = look(given.get(lacking), path) is not ABSENT
    return Difference(write(path), before, after, is_sent, lacking, is_known)


def _without_difference(case: Case, path: JsonPath, served: dict[str, Json], names: Iterable[str]) -> Iterator[Case]:
    """Yield cases in which both servers should validate the same value at a path: none, or one server's default."""
    if look(case.object, path) is not ABSENT:
        new = remove(case.object, path)
        yield msgspec.structs.replace(case, object=new)
        if case.old is not None:
            yield msgspec.structs.replace(case, object=new, old=remove(case.old, path))
        return
    for name in names:
        value = look(served[name], path)
        if value is not ABSENT and _has_room(case.object, path):
            old = put(case.old, path, value) if _has_room(case.old, path) else case.old
            yield msgspec.structs.replace(case, object=put(case.object, path, value), old=old)


def _has_room(obj: Json, path: JsonPath) -> bool:
    """Whether a value can be set at a path without creating its parent."""
    return isinstance(look(obj, path[:-1]), dict) or look(obj, path) is not ABSENT


def differing(one: Json, other: Json) -> Iterator[JsonPath]:
    """Yield the outermost paths at which two objects have different values, or only one has a value."""
    return (path for path in differences(one, other) if not is_in_metadata(path) or _SERVER_SET.isdisjoint(path[1:2]))
