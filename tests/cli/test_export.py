"""`harness export`: where it writes, and its errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.fakes import call

ROOT = Path(__file__).parent.parent.parent
CLAIM = str(ROOT / "suites" / "claim_v1")


def test_to_the_terminal(capfd: Any) -> None:
    """Without --output the module is printed, and what is not in it is told beside."""
    told = call(capfd, "export", CLAIM, "--kind", "Claim", "--field", "spec.priority")
    assert 0 == told.code
    assert told.out.startswith('"""What both sides say of spec.priority of Claim.')
    compile(told.out, "module", "exec")
    assert "not shown: spec.priority: forbidden: rejected: the rule holds only with ClaimPriority=false" in told.err


def test_gates_are_said_again(capfd: Any) -> None:
    """A target under other gates is named with them, and then the rule is shown."""
    told = call(capfd, "export", CLAIM, "--gates", "ClaimPriority=false", "--kind", "Claim", "--field", "spec.priority")
    assert 0 == told.code
    assert 'gates={"ClaimPriority": False})' in told.out
    assert "spec.priority: forbidden: rejected" in told.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([CLAIM], "no kind of"),
        ([], "nothing to export"),
        (["--field", "spec.x"], "--field requires --kind"),
        (["--kubernetes", "1.37.1"], "fix: add --kind KIND"),
        ([CLAIM, "--kind", "Claim", "--format", "go"], "Go tests can only be written for a Kubernetes release"),
        ([CLAIM, "--kind", "Clain"], "serves no Clain"),
        ([CLAIM, "--kind", "Claim", "--field", "spec.nothing"], "has no field spec.nothing"),
        (["nothing.json", "abc"], "nothing.json"),
    ],
)
def test_refusals(capfd: Any, words: list[str], message: str) -> None:
    """What cannot be exported is refused with what is missing, and exit code 2."""
    told = call(capfd, "export", *words)
    assert (2, True) == (told.code, message in told.err), told.err
    assert "Traceback" not in told.err


def test_a_place_that_cannot_be_written(capfd: Any, tmp_path: Path) -> None:
    """A folder that is a file is a message."""
    (tmp_path / "file").write_text("")
    told = call(
        capfd, "export", CLAIM, "--kind", "Claim", "--field", "spec.priority", "--output", str(tmp_path / "file" / "x")
    )
    assert (2, True) == (told.code, "cannot be written" in told.err)
