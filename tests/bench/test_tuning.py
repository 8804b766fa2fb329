"""Each constant of the search is tried: halved, doubled, and put back."""

from __future__ import annotations

from contextlib import nullcontext
from importlib import import_module
from unittest.mock import patch

import pytest

from bench import tuning as bench
from harness import tuning
from harness.subject import SubjectSpec


def test_every_constant_is_tried_or_left_out_by_name() -> None:
    """Twice each, with what it becomes; nothing is left out that is not there."""
    names = [one.name.partition(" = ")[0] for one in bench.variants()]
    every = {name for name in vars(tuning) if name.isupper()}
    assert set() == bench.OF_TIME - every
    assert [] == [name for name in every - bench.OF_TIME if names.count(name) != 2]
    assert every - bench.OF_TIME <= set(names)


def test_a_variant_changes_the_search_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search without aims at the limits sees less of the rules; the next one is as it was."""
    before = dict(vars(tuning))
    plain = bench.Variant("as it is", nullcontext)
    less = bench.Variant("less", lambda: patch.multiple(tuning, AIM_SEEDED=(), AIM_UNSEEDED=(), AIM_LIMITS=()))
    monkeypatch.setattr(bench, "variants", lambda: iter((plain, less, plain)))
    monkeypatch.setattr(bench, "CASES", 300)
    first, second, third = bench.measure(SubjectSpec("suite", "suites/claim_v1"), None, 1).lines
    assert first.more == third.more
    assert int(second.more["rules fired"]) < int(first.more["rules fired"])
    assert before == dict(vars(tuning))


@pytest.mark.parametrize("helper", bench.HELPERS, ids=".".join)
def test_each_helper_is_called_as_the_bench_names_it(helper: tuple[str, str]) -> None:
    """A renamed helper is switched off under its new name, or the bench ends after a quarter of an hour."""
    module, name = helper
    assert callable(getattr(import_module(module), name, None))
