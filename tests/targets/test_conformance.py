"""The conformance check passes an honest worker and names what a dishonest one does."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from harness.case import Case, Operation
from harness.targets.command import CommandTarget
from harness.targets.conformance import check_worker

WORKERS = Path(__file__).parent.parent / "workers"
NODE = pytest.mark.skipif(shutil.which("node") is None, reason="no node on PATH: install Node.js")


def failed(argv: list[str], timeout: float = 20.0) -> set[str]:
    """The names of the checks that failed."""
    return {result.name for result in check_worker(argv, timeout) if not result.ok}


@pytest.mark.node
@NODE
def test_an_honest_worker_in_another_language_passes_every_check() -> None:
    """The small worker in JavaScript keeps the whole protocol."""
    assert set() == failed(["node", str(WORKERS / "node_worker.mjs")])


@pytest.mark.node
@NODE
def test_a_worker_in_another_language_is_a_target() -> None:
    """Its two sides come back as they were printed, in order, under the caller's ids."""
    body = {"apiVersion": "example.dev/v1", "kind": "Note", "spec": {"title": "x" * 11}}
    case = Case(9, "example.dev", "v1", "Note", Operation.CREATE, body, resource="notes")
    with CommandTarget(["node", str(WORKERS / "node_worker.mjs")]) as target:
        assert target.info.name == "node-example"
        (answer,) = target.ask([case])
    assert (answer.id, [e.type for e in answer.handwritten], answer.declarative) == (9, ["FieldValueTooLong"], ())


@pytest.mark.parametrize("mode", ["dies", "rubbish"])
def test_a_worker_that_does_not_greet_fails_at_once(mode: str) -> None:
    """Without a greeting there are no other checks, and the result has a fix."""
    results = check_worker([sys.executable, str(WORKERS / "odd_worker.py"), mode])
    assert [(result.name, result.ok) for result in results] == [("greets", False)]
    assert "TargetInfo" in results[0].fix
    assert ("out of luck" in results[0].detail) == (mode == "dies")


def test_a_careless_worker_fails_the_checks_that_it_violates() -> None:
    """The worker answers for any kind and dies on odd objects, and passes the other checks."""
    wrong = failed([sys.executable, str(WORKERS / "odd_worker.py"), "honest"])
    assert wrong == {"survives an unknown kind", "survives an undecodable object", "survives deep nesting"}


def test_an_ability_without_an_implementation_fails(tmp_path: Path) -> None:
    """A worker that names an ability and does not have it fails the check of that ability."""
    script = tmp_path / "boasts.py"
    text = (WORKERS / "odd_worker.py").read_text()
    kind = '{"group": "g", "version": "v1", "kind": "K", "type": "x.K"}'
    boast = f'"kinds": [KIND], "abilities": ["validated", "declarative", "measure"], "ruled": [{kind}]'
    script.write_text(text.replace('"kinds": [KIND]', boast))
    wrong = failed([sys.executable, str(script), "honest"])
    assert {"shows what it validated", "answers for ruled kinds", "tells what it costs"} <= wrong


def test_a_worker_that_does_not_end_with_its_input_fails(tmp_path: Path) -> None:
    """It would keep running after the harness was killed."""
    script = tmp_path / "stays.py"
    script.write_text(f"import time\nexec(open({str(WORKERS / 'odd_worker.py')!r}).read())\ntime.sleep(60)")
    results = check_worker([sys.executable, str(script), "honest"], timeout=1.5)
    (last,) = [result for result in results if result.name == "ends with its input"]
    assert not last.ok
    assert "end when standard input ends" in last.fix


def test_a_worker_that_prints_more_than_answers_fails() -> None:
    """A further line after the last answer violates the protocol."""
    wrong = failed([sys.executable, str(WORKERS / "odd_worker.py"), "talkative"], timeout=5.0)
    assert "prints nothing else" in wrong
    assert "has many cases in flight" not in wrong


def test_another_protocol_fails_the_greeting() -> None:
    """A greeting of a later protocol does not fit the schema."""
    (result,) = check_worker([sys.executable, str(WORKERS / "odd_worker.py"), "protocol"])
    assert (result.name, result.ok) == ("greets", False)
    assert "protocol" in result.detail


def test_a_missing_program_fails_the_greeting() -> None:
    """A program that does not exist is a failed check, not a traceback."""
    assert {"greets"} == failed(["no-such-program"])
