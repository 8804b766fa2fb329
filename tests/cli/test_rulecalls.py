"""What a run reached of the calls behind rules, as certificates tell it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.case import KindInfo
from harness.cli import rulecalls
from harness.cli.rulecalls import RuleCalls
from harness.diagnostics import TargetError
from harness.graduate.document import CallsReached, MissedLine
from harness.report.model.code import FunctionEntry
from harness.rulecov.blocks import NAME, Reached
from harness.rulecov.declared import DeclaredRule
from harness.rulecov.inventory import KnownRule
from harness.subject import SubjectSpec
from harness.targets.kubernetes.blocks import CountedCode
from tests.cli.test_fieldcalls import FUNCTIONS, THING
from tests.report import made

_PARTS = [SubjectSpec("kubernetes", "1.37.1", counts_blocks=True)]
_INFO = KindInfo("x.k8s.io", "v1", "Thing", "things", "x.k8s.io/v1", type=THING.kind)


def _rule(path: str, type_: str, origin: str = "") -> KnownRule:
    rule = DeclaredRule("x.k8s.io", "v1", "Thing", path, type_, origin, "beta", "k8s:x")
    return KnownRule(rule, THING.kind, (path,), (), "there")


def _reach(monkeypatch: pytest.MonkeyPatch, *rules: KnownRule, can_count: bool = True) -> list[CallsReached]:
    monkeypatch.setattr(rulecalls, "list_code", lambda spec: CountedCode((), Path(), "k8s.io/kubernetes"))
    monkeypatch.setattr(rulecalls, "functions_of", lambda *given: iter(FUNCTIONS))
    monkeypatch.setattr(rulecalls, "follow_errors", lambda *given: [THING])
    monkeypatch.setattr(rulecalls, "with_reasons", _explain)
    monkeypatch.setattr(rulecalls, "nearest_objects", lambda *given: {})
    result = made.result(observed={NAME: (Reached("v1 things", frozenset({0}), can_count),)})
    return RuleCalls(_PARTS, print).reach([result], rules, [_INFO])


def _explain(functions: Any, root: Any, gates: Any, only: Any) -> list[FunctionEntry]:
    assert {(8, 2)} == {start for _, start in only}  # no other block is looked at
    return list(functions)


def test_calls_are_those_with_the_error_of_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """At its path, with its type and its origin; the line on the way to them that was not reached is named."""
    missed = (MissedLine("validation.go:9 Validate", leads=True),)
    assert [
        CallsReached(1, 1),
        CallsReached(1, 0, missed),
        CallsReached(1, 0, missed),
        CallsReached(),
        CallsReached(uncounted=1),
    ] == _reach(
        monkeypatch,
        _rule("spec.size", "FieldValueRequired"),
        _rule("spec.name", "FieldValueRequired"),
        _rule("spec.name", "FieldValueInvalid", "format=x"),
        _rule("spec.name", "FieldValueInvalid", "format=y"),
        _rule("metadata.name", "FieldValueInvalid"),
    )


def test_a_call_counts_for_each_path_of_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reached only if it was for all of them."""
    rule = _rule("spec.size", "FieldValueRequired")
    (found,) = _reach(monkeypatch, msgspec.structs.replace(rule, places=("spec.name", "spec.size")))
    assert (1, 0, 1) == (found.size, found.reached, len(found.missed))


def test_what_cannot_be_read_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each rule: no rule is safe for want of counters or of sources."""
    rule = _rule("spec.size", "FieldValueRequired")
    assert ["the worker has no counters that can be read"] == [
        one.problem for one in _reach(monkeypatch, rule, can_count=False)
    ]

    uncounted = [SubjectSpec("kubernetes", "1.37.1")]  # its Go builds no counters, which a message said
    found = RuleCalls(uncounted, print).reach([made.result()], [rule], [_INFO])
    assert ["the worker has no counters that can be read"] == [one.problem for one in found]

    def refuse(spec: SubjectSpec) -> CountedCode:
        raise TargetError("the sources are gone", why="nobody knows", fix="look for them")

    monkeypatch.setattr(rulecalls, "list_code", refuse)
    result = made.result(observed={NAME: (Reached("v1 things", frozenset({0}), True),)})
    found = RuleCalls(_PARTS, print).reach([result], [rule], [_INFO])
    assert ["the sources are gone"] == [one.problem for one in found]
