"""Causes by their former names: files of users are read, and ids stay what they were."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from harness.case import Operation
from harness.errormatch.oldcauses import current_cause, first_name
from harness.errormatch.witness import Shown, Witness, WitnessCase, read_witnesses, write_witness
from tests.errormatch.test_exceptionfile import ENTRY, read, text
from tests.errormatch.test_exceptiongroups import GROUP


@pytest.mark.parametrize("cause", ["no-twin", "no-counterpart"])
def test_an_exception_keeps_its_id_under_either_name(tmp_path: Path, cause: str) -> None:
    """The entry names the cause by its present name; the id is that of the release before."""
    [entry] = read(tmp_path, text({**ENTRY, "cause": cause})).entries
    assert ("8decfb7a", "no-counterpart") == (entry.id, entry.scope["cause"])


@pytest.mark.parametrize("cause", ["no-twin", "no-counterpart"])
def test_a_group_keeps_its_id_under_either_name(tmp_path: Path, cause: str) -> None:
    """Several causes are sorted by their current names, and the id is computed from their first ones."""
    [entry] = read(tmp_path, GROUP.replace("cause: ratcheting", f"cause: [no-rule, {cause}]")).entries
    assert ("g9bada001", ("no-counterpart", "no-rule")) == (entry.id, entry.values("cause"))


def test_a_witness_is_read_by_the_present_name(tmp_path: Path) -> None:
    """What its case shows has the cause that findings have now."""
    shown = Shown("Widget", "spec.a", "extra", cause="no-twin")
    case = WitnessCase((shown,), "g", "v1", "Widget", "widgets", Operation.CREATE)
    file = tmp_path / "equivalence_exceptions.yaml"
    write_witness(file, Witness("0" * 8, "s", "1", (case,)))
    [read_again] = read_witnesses(file, ["0" * 8])["0" * 8].cases
    assert (msgspec.structs.replace(shown, cause="no-counterpart"),) == read_again.shows


def test_other_causes_are_unchanged() -> None:
    """A name that did not change is its own first name."""
    assert ("masked", "masked") == (current_cause("masked"), first_name("masked"))
