"""What the program of a release's server is made of."""

from __future__ import annotations

import pytest

from harness.targets.kubernetes.build import generation_files
from harness.targets.live.build import SERVERS


@pytest.mark.parametrize(
    ("generation", "settings"),
    [("levels", "beta"), ("explicit", "beta"), ("helper", "takeover"), ("inline", "takeover"), ("first", "takeover")],
)
def test_each_generation_has_the_gates_of_its_releases(generation: str, settings: str) -> None:
    """One of the files that name settings, and what is common to all; a change of any of them makes another program."""
    files = SERVERS.parts(generation)
    names = [file.stem for file in files]
    assert {settings} == {"beta", "takeover"} & set(names)
    assert len(names) == len(set(names))
    assert {"cluster", "serving", "parents"} < set(names)
    assert {*generation_files(generation, "_path")} < set(files) < set(SERVERS.sources())
