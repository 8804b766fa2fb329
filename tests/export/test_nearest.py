"""Pairs brought nearer to the accepted object: what is beside the point goes, what shows the point stays."""

from __future__ import annotations

from harness.case import Answer, Json
from harness.export.nearest import nearest
from harness.fuzzers.pairs import Pair

BASE: Json = {"kind": "X", "spec": {"a": 1, "items": [{"name": "x"}], "b": "kept"}}
ANSWER = Answer(0)


def shows(pair: Pair, answer: Answer) -> int | None:
    """What is wanted is nine at `a`; every member that the base does not have is wrong besides."""
    spec = pair[0]["spec"]
    return len(set(spec) - set(BASE["spec"])) if spec.get("a") == 9 else None


def ask(pairs: list[Pair]) -> list[tuple[Pair, Answer]]:
    """Answer all, but not what has lost its items: that cannot be decoded."""
    return [(pair, ANSWER) for pair in pairs if pair[0]["spec"].get("items")]


def test_only_the_point_is_left() -> None:
    """Changed, added and missing paths are as in the base again, but for the one that is wanted."""
    start: Json = {"kind": "X", "spec": {"a": 9, "items": [{"name": "y", "more": [1]}], "c": {"d": 1}, "e": ""}}
    new, old = nearest((start, None), 2, (BASE, None), shows, ask)
    assert ({"kind": "X", "spec": {**BASE["spec"], "a": 9}}, None) == (new, old)


def test_old_and_new_go_together() -> None:
    """What both objects of an update have besides goes from both."""
    new: Json = {"kind": "X", "spec": {**BASE["spec"], "a": 9, "c": 1}}
    old: Json = {"kind": "X", "spec": {**BASE["spec"], "c": 1}}

    def judge(pair: Pair, answer: Answer) -> int | None:
        """A member `c` may neither come nor go."""
        return shows(pair, answer) if pair[0]["spec"].get("c") == pair[1]["spec"].get("c") else None

    assert ({**BASE["spec"], "a": 9}, BASE["spec"]) == tuple(
        one["spec"] for one in nearest((new, old), 1, (BASE, BASE), judge, ask)
    )


def test_what_is_near_stays() -> None:
    """A pair that nothing can be taken from is returned as it is."""
    start: Json = {"kind": "X", "spec": {**BASE["spec"], "a": 9}}
    assert (start, None) == nearest((start, None), 0, (BASE, None), shows, ask)
