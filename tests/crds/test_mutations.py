"""Planted changes of a CRD and of a validator are noticed: a sample of them; the module itself tries all."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from tests.crds.mutations import MUTATIONS, VALIDATOR, base, is_noticed

SAMPLE = ("a transition in one direction", "one day more")


@pytest.mark.kubernetes
@pytest.mark.parametrize("name", SAMPLE)
def test_a_mutation_is_noticed(tmp_path: Path, name: str) -> None:
    """A difference is found that is there because of the mutation."""
    (mutation,) = (one for one in MUTATIONS if one.name == name)
    assert is_noticed(mutation, tmp_path, 1500)


def test_every_mutation_changes_something() -> None:
    """There are 45, no two of one name, and each changes the CRD or the validator."""
    assert (45, 45) == (len(MUTATIONS), len({one.name for one in MUTATIONS}))
    for mutation in MUTATIONS:
        changed = copy.deepcopy(base())
        if isinstance(mutation.change, tuple):
            assert VALIDATOR != VALIDATOR.replace(*mutation.change[:2])
        else:
            mutation.change(changed)
            assert changed != base()
