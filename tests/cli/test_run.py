"""`harness run`: what it asks the engine for, what it writes, and that nothing found is ever lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

import harness.engine
from harness.cli import publishing
from harness.cli.publishing import name_kept_report
from harness.cli.run import title_of
from harness.diagnostics import TargetError, UsageError
from harness.events import Budget, Replayed
from harness.report.model.document import Policy
from harness.report.model.grouping import group
from harness.report.model.reading import read_report
from harness.report.saving import Saved
from harness.subject import SubjectSpec
from tests.blind import write_suite
from tests.cli.fakes import EXCEPTION, FakeEngine, call
from tests.report import made

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a folder and a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def suite(name: str) -> str:
    """Make a folder that looks like a suite."""
    folder = Path("suites") / name
    folder.mkdir(parents=True)
    (folder / "suite.py").write_text("SUITE = None\n")
    return str(folder)


def test_without_findings_the_exit_code_is_0(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """And how hard was tried is said."""
    FakeEngine().install(monkeypatch)
    told = call(capfd, "run", suite("widgets_v1"))
    assert told.code == 0
    assert "Equivalent as far as we looked" in told.out
    assert "100 cases in 2.0 s" in told.out


def test_every_suite_is_searched_but_kubernetes(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a name, in the order of their names."""
    engine = FakeEngine().install(monkeypatch)
    for name in ("b_v1", "kubernetes", "a_v1"):
        suite(name)
    call(capfd, "run")
    assert [one.spec.location for one in engine.calls] == ["suites/a_v1", "suites/b_v1"]


def test_options_reach_the_engine(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed, budget, jobs, patterns, gates and mode."""
    engine = FakeEngine().install(monkeypatch)
    call(
        capfd, "run", "--kubernetes", "1.37.1", "--seed", "7", "--max-time", "60", "--max-cases", "5", "--jobs", "3",
        "--kind", "apps/*", "--kind", "pods", "--operation", "update", "--gates", "A=true,B=False", "--mode", "given",
        "--corpus", "kept",
    )  # fmt: skip
    (asked,) = engine.calls
    spec, config = asked
    assert (
        spec.kind, spec.location, spec.gates, spec.mode,
    ) == ("kubernetes", "1.37.1", {"A": True, "B": False}, "given")  # fmt: skip
    assert (7, Budget(60, 5), 3) == (config.seed, config.budget, config.jobs)
    assert (("apps/*", "pods"), ("update",), Path("kept")) == (config.kinds, config.operations, config.corpus)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--kubernetes", "1.37.1", "--command", "x"], "name one target"),
        (["--gates", "A=yes,B", "--command", "x"], "'A=yes' is not a feature gate setting"),
        (["--seed", "x", "--command", "x"], "--seed must be a number"),
        (["--max-time", "0", "--command", "x"], "--max-time"),
        (["--exceptions", "none.yaml", "--command", "x"], "none.yaml"),
        ([], "./suites has no suite"),
    ],
)
def test_a_call_that_makes_no_sense_is_exit_code_2(
    arguments: list[str], said: str, capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the words that help, and nothing is asked."""
    engine = FakeEngine().install(monkeypatch)
    told = call(capfd, "run", *arguments)
    assert told.code == 2
    assert said in told.err
    assert engine.calls == []


def test_findings_are_exit_code_1_and_in_every_file(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document can be read back, the replay command names it, JUnit fails, the page shows it."""
    FakeEngine([made.finding()]).install(monkeypatch)
    told = call(capfd, "run", "--command", "x", "--report", "out", "--json", "r.json")
    assert told.code == 1
    assert [f.fingerprint for f in read_report("r.json").findings] == ["0123456789ab"]
    assert "harness replay r.json 0123456789ab" in told.out
    assert len(list(ElementTree.parse("out/junit.xml").iter("failure"))) == 1
    assert "0123456789ab" in Path("out/report.html").read_text()
    for name in ("r.json", "out/junit.xml", "out/report.html"):
        assert f"written: {name}" in told.out


def test_standard_output_may_take_a_form(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The screen for people goes to standard error then, and the document is kept all the same."""
    FakeEngine([made.finding()]).install(monkeypatch)
    told = call(capfd, "run", "--command", "x", "--json", "-")
    assert told.code == 1
    place = told.err.partition("written: ")[2].split()[0]
    assert Path(place).read_text(encoding="utf-8") == told.out
    assert "::error" in call(capfd, "run", "--command", "x", "--annotations", "-").out.splitlines()[0]


def test_findings_are_kept_when_no_file_was_asked_for(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the command that is printed works: it need not name the report, and names nothing of the machine."""
    FakeEngine([made.finding()]).install(monkeypatch)
    told = call(capfd, "run", "--command", "x")
    assert ["0123456789ab"] == told.out.partition("replay       harness replay ")[2].splitlines()[0].split()
    place = told.out.partition("written: ")[2].strip()
    assert len(read_report(place).findings) == 1
    for name in ("0123456789ab", "0123", group(read_report(place).findings)[0].id):
        assert [place, name] == name_kept_report([name])
    with pytest.raises(UsageError, match="no report kept on this machine has ffffffffffff"):
        name_kept_report(["ffffffffffff"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which only Linux has")
def test_a_full_disk_is_exit_code_2_and_loses_nothing(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report is somewhere else, and both the message and the replay command say where."""
    FakeEngine([made.finding()]).install(monkeypatch)
    told = call(capfd, "run", "--command", "x", "--json", "/dev/full")
    assert told.code == 2
    assert "No space left on device" in told.err
    place = told.err.partition("it is in ")[2].strip()
    assert len(read_report(place).findings) == 1
    assert f"harness replay {place} 0123456789ab" in told.out


def test_with_nowhere_to_write_the_report_is_printed(
    capfd: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The document stands on standard output, whole."""
    FakeEngine([made.finding()]).install(monkeypatch)
    monkeypatch.setattr(publishing, "save", lambda path, data: Saved(path, None, f"{path} could not be written"))
    told = call(capfd, "run", "--command", "x", "--json", "r.json")
    assert told.code == 2
    document = json.loads(told.out[told.out.index("{\n") :])
    assert [f["fingerprint"] for f in document["findings"]] == ["0123456789ab"]


def test_an_interrupt_writes_the_report(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the engine returns what it has or is torn out of its work."""
    FakeEngine([made.finding()], {"stopped": "interrupted"}).install(monkeypatch)
    assert call(capfd, "run", "--command", "x", "--json", "a.json").code == 130
    FakeEngine([made.finding()], error=KeyboardInterrupt()).install(monkeypatch)
    assert call(capfd, "run", "--command", "x", "--json", "b.json").code == 130
    assert [len(read_report(name).findings) for name in ("a.json", "b.json")] == [1, 1]


def test_a_lost_target_keeps_what_was_found(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is told, the findings are in the report."""
    FakeEngine([made.finding()], error=TargetError("the worker is gone")).install(monkeypatch)
    told = call(capfd, "run", "--command", "x", "--json", "r.json")
    assert told.code == 1
    assert "the worker is gone" in told.err
    assert len(read_report("r.json").findings) == 1


def test_a_bug_of_ours_keeps_what_was_found(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected exception is an internal error, reported after the report was written."""
    FakeEngine([made.finding()], error=ZeroDivisionError("deep")).install(monkeypatch)
    told = call(capfd, "run", "--command", "x", "--json", "r.json")
    assert told.code == 2
    assert "sorry, this is a bug" in told.err
    assert "Traceback" not in told.err
    assert len(read_report("r.json").findings) == 1
    Path(told.err.partition("saved in ")[2].split("\n")[0]).unlink()


def test_nothing_compared_is_never_0(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence is not agreement."""
    FakeEngine(changes={"compared": 0}).install(monkeypatch)
    told = call(capfd, "run", "--command", "x")
    assert told.code == 2
    assert told.out.startswith("Nothing was compared")


def test_a_suite_of_which_nothing_is_accepted_is_incomplete(capfd: Any, tmp_path: Path) -> None:
    """An opaque check blocks every object: the screen names it and its side, and accepting it by name is green."""
    folder = str(write_suite(tmp_path / "parcels"))
    run = ("run", folder, "--max-cases", "300", "--jobs", "1")
    told = call(capfd, *run)
    assert 2 == told.code
    assert told.out.startswith("Incomplete: no difference found, but no object of 1 kind and operation was accepted")
    assert "handwritten: spec.reference: Invalid value: " in told.out
    assert "is not a reference number" in told.out
    assert f"{folder}/examples" in told.out
    assert 0 == call(capfd, *run, "--allow-incomplete", "parcels").code
    Path("harness.toml").write_text("[run]\nallow-incomplete = 'parcels'\nfail-on = 'verdict'\n")
    assert 0 == call(capfd, *run, "--json", "r.json").code
    assert Policy("verdict", ("parcels",)) == read_report("r.json").policy


def test_a_suite_may_accept_that_itself(capfd: Any, tmp_path: Path) -> None:
    """With a key, whatever the number of processes."""
    folder = str(write_suite(tmp_path / "parcels", allow_incomplete=["parcels"]))
    told = call(capfd, "run", folder, "--max-cases", "300", "--jobs", "2")
    assert 0 == told.code
    assert "--allow-incomplete 'parcels' accepts that" in told.out


def test_one_unusable_suite_does_not_keep_the_others(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are searched, and the exit code still says that something could not run."""
    good = FakeEngine()

    def engine(specs: Any, *more: Any) -> Any:
        if specs[0].location.endswith("bad_v1"):
            raise TargetError("bad_v1 cannot be opened")
        return good(specs, *more)

    monkeypatch.setattr(harness.engine, "run_parts", engine)
    told = call(capfd, "run", suite("bad_v1"), suite("good_v1"))
    assert told.code == 2
    assert "bad_v1 cannot be opened" in told.err
    assert len(good.calls) == 1


def test_a_pattern_need_not_match_in_every_suite(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite that has no such kind has not failed, unless no suite has one."""
    good = FakeEngine()

    def engine(specs: Any, *more: Any) -> Any:
        if specs[0].location.endswith("other_v1"):
            raise UsageError("other_v1 serves nothing that matches widgets")
        return good(specs, *more)

    monkeypatch.setattr(harness.engine, "run_parts", engine)
    assert call(capfd, "run", suite("other_v1"), suite("widgets_v1"), "--kind", "widgets").code == 0
    assert call(capfd, "run", "suites/other_v1", "--kind", "widgets").code == 2


def test_an_exception_makes_the_run_pass_until_it_is_not_needed(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Used it tolerates, unused it fails; a search that asked no witness cannot say that it is unused."""
    Path("equivalence_exceptions.yaml").write_text(EXCEPTION)
    engine = FakeEngine([made.finding()]).install(monkeypatch)
    told = call(capfd, "run", "--command", "x", "--json", "r.json")
    assert (1, True) == (told.code, "unwitnessed exception" in told.out)
    assert 0 == call(capfd, "exceptions", "witness", "--report", "r.json").code
    assert call(capfd, "run", "--command", "x", "--json", "r.json").code == 0
    [used] = read_report("r.json").exceptions.used
    assert [used.id] == [one.exception for one in engine.calls[-1].config.witnesses]
    FakeEngine(changes={"replayed": (Replayed(used.id, 0),)}).install(monkeypatch)
    told = call(capfd, "run", "--command", "x")
    assert told.code == 1
    assert "unused exception" in told.out
    FakeEngine().install(monkeypatch)
    assert call(capfd, "run", "--command", "x", "--kind", "widgets").code == 0


def test_a_broken_exceptions_file_stops_the_run_before_it_starts(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A typo is told with its line."""
    Path("equivalence_exceptions.yaml").write_text(EXCEPTION.replace("owner:", "ownr:"))
    engine = FakeEngine([made.finding()]).install(monkeypatch)
    told = call(capfd, "run", "--command", "x")
    assert told.code == 2
    assert "equivalence_exceptions.yaml:" in told.err
    assert engine.calls == []


def test_a_signal_in_a_real_run_writes_the_report(tmp_path: Path) -> None:
    """Ctrl-C and a CI server's SIGTERM end a search of a real suite with exit code 130 and a report."""
    for number in (signal.SIGINT, signal.SIGTERM):
        place = tmp_path / f"{int(number)}.json"
        process = subprocess.Popen(
            [
                sys.executable, "-uc", "from harness.cli.main import main; main()", "run",
                str(ROOT / "suites/workload_v1"), "--max-time", "60", "--jobs", "1", "--json", str(place),
            ],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            # Whoever runs the tests in the background has Ctrl-C ignored, and so would we.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        assert process.stderr is not None
        process.stderr.readline()  # the search has started
        time.sleep(0.5)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, err) == (130, b""), err
        assert b"(interrupted)" in out
        assert read_report(place).stopped == "interrupted"


def test_a_quiet_run_tells_the_verdict_and_a_line_for_each_mistake(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No progress, no effort; a verbose one tells every mistake at length, and where the time went."""
    many = [made.finding(f"{n:012}", path=f"spec.f{n}.x", case=_large(n)) for n in range(5)]
    FakeEngine(many).install(monkeypatch)
    quiet = call(capfd, "run", "--command", "x", "-q")
    assert (1, "") == (quiet.code, quiet.err)
    rows = quiet.out.splitlines()
    assert (6, "Not equivalent") == (len(rows), rows[0].partition(":")[0])
    assert [f"spec.f{n}.x" for n in range(5)] == [row.split()[3] for row in rows[1:]]
    normal, verbose = call(capfd, "run", "--command", "x"), call(capfd, "run", "--command", "x", "-v")
    assert (3, 5) == (normal.out.count("   replay  "), verbose.out.count("   replay  "))
    assert "timings: " in verbose.out
    assert "timings: " not in normal.out
    assert "-q and -v are mutually exclusive" in call(capfd, "run", "--command", "x", "-q", "-v").err


def _large(number: int) -> Any:
    return msgspec.structs.replace(made.finding().case, object={"spec": "x" * (number + 1)})


@pytest.mark.parametrize(
    ("spec", "title"),
    [
        (SubjectSpec("crd", "config/crd", against="v1:config/crd"), "crd config/crd against v1:config/crd"),
        (SubjectSpec("crd", "/r/a/crd", against="/r/b/bases"), "crd a/crd against b/bases"),
        (
            SubjectSpec("crd", "crd", against="without-cel:crd", validator="https://localhost/"),
            "crd crd against crd without CEL with its webhook",
        ),
        (SubjectSpec("policy", "new", validator="a.py:check"), "policy new against the function check"),
        (SubjectSpec("kubernetes", "1.37.1", against="1.36.3"), "kubernetes 1.37.1 against 1.36.3"),
        (SubjectSpec("suite", "suites/a", against="suites/b"), "a against b"),
    ],
)  # fmt: skip
def test_what_is_compared_is_named(spec: SubjectSpec, title: str) -> None:
    """A run shows what it compares with what, in the words of the command."""
    assert title == title_of(spec)
