"""Hostile options, settings and files: a few hundred fixed ones here, thousands with `python -m tests.robust`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from tests.robust import files, options
from tests.robust.commands import Fault, Said, Stage, check
from tests.robust.oracle import Broken


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A project that every fault gets a copy of."""
    return Stage(tmp_path_factory.mktemp("stage"))


@pytest.mark.parametrize("seed", range(4))
def test_no_option_breaks_a_promise(seed: int, stage: Stage) -> None:
    """Whatever an option or a setting says, a command ends with a known code and a message."""
    for fault in islice(options.faults(seed), 12):
        stage.play(fault)


@pytest.mark.parametrize("seed", range(4))
def test_no_file_breaks_a_promise(seed: int, stage: Stage) -> None:
    """Whatever stands in a file, a command ends with a known code and a message, and no difference is lost by it."""
    for fault in islice(files.faults(seed, stage.template), 8):
        stage.play(fault)


def test_the_promises_can_be_broken() -> None:
    """What is checked is seen to fail."""
    fault = Fault("a", ("run",), never=frozenset({0}))
    check(fault, Said(1, b"", ""))
    for said in (
        Said(0, b"", ""),
        Said(3, b"", "said"),
        Said("raised", b"", "said"),
        Said(2, b"", " "),
        Said(2, b"", "sorry, this is a bug in the harness: KeyError: 1"),
        Said(1, b"", "ended by: a bug of the harness, please report it: KeyError: 1"),
        Said(1, b"\x1b[2J", ""),
        Said(1, b"", "Traceback (most recent call last):\n"),
    ):
        with pytest.raises(Broken):
            check(fault, said)


def test_the_scene_shows_its_difference(stage: Stage) -> None:
    """A run of the project is red, and its report has the finding: so a green one has lost it."""
    assert {1} == {stage.play(Fault("good", ("run", "thing", "--max-cases", "60", "--jobs", "1"))).code}
    assert b"spec.size" in (stage.template / "report.json").read_bytes()


def test_every_file_is_read_when_nobody_bent_it(stage: Stage) -> None:
    """A file that is refused as it is would hide what is wrong with the bent ones."""
    good = files.good_files(stage.template)
    for name, commands in files.READERS.items():
        place = name if name != files.SEEDS else f"{name}/{Path(name).name}.json"
        said = stage.play(Fault(name, commands[0], {place: good[name]}))
        assert said.code in (0, 1), (name, said)


def test_every_command_is_tried() -> None:
    """A new command is part of it by itself."""
    drawn = {fault.argv[0] for fault in islice(options.faults(1), 2000)}
    assert {name.split()[0] for name, _ in options.leaves()} <= drawn
