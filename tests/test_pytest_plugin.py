"""The plugin: an item per kind and operation, with every comfort of pytest, and nothing heavy for anybody else."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from harness import engine
from harness.case import KindInfo, Operation
from harness.cli.main import run as harness
from harness.diagnostics import TargetError
from harness.pytest_plugin import collection, session
from harness.pytest_plugin.collection import item_name
from tests.blind import write_suite
from tests.report import made

ROOT = Path(__file__).parent.parent
WORKLOAD = ROOT / "suites" / "workload_v1"
MIGRATION = ROOT / "examples" / "migration"
LEFT_OUT = ("test_*", "corpus", "__pycache__", "rules.ratchet")
FEW = ("-p", "no:cacheprovider", "--harness-max-cases", "60")

pytest_plugins = ["pytester"]


def outcomes(result: pytest.RunResult) -> dict[str, int]:
    """How many items ended how."""
    return result.parseoutcomes()


@pytest.fixture
def suites(pytester: pytest.Pytester) -> Path:
    """A folder with one suite that is equivalent and one with planted mistakes."""
    folder = pytester.path / "suites"
    folder.mkdir()
    for source in (WORKLOAD, MIGRATION):
        shutil.copytree(source, folder / source.name, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return folder


def test_the_plugin_is_light() -> None:
    """Loading it costs other people's test runs nothing: no engine, no reader of types, no Hypothesis."""
    code = (
        "import sys, harness.pytest_plugin; print([m for m in sys.modules if m.split('.')[0] in "
        "('hypothesis', 'tree_sitter', 'msgspec', 'rich', 'click') or m.startswith('harness.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "['harness.pytest_plugin']\n" == done.stdout


def test_one_item_per_kind_and_operation(pytester: pytest.Pytester, suites: Path) -> None:
    """Subresources included, by names that people can type."""
    result = pytester.runpytest_inprocess("suites/workload_v1", "--collect-only", "-q", *FEW)
    names = [line.rpartition("::")[2] for line in result.outlines if "::" in line]
    assert [
        "workloads-v1-create", "workloads-v1-update", "workloads-status-v1-update", "workloads-pause-v1-update",
        "workloads-scale-v1-update",
    ] == names  # fmt: skip


@pytest.mark.parametrize("argument", ["suites/workload_v1", "suites/workload_v1/suite.py"])
def test_a_suite_is_collected_by_folder_and_by_file(pytester: pytest.Pytester, suites: Path, argument: str) -> None:
    """Once, in both cases."""
    assert {"passed": 5} == outcomes(pytester.runpytest_inprocess(argument, *FEW))


def test_an_item_is_chosen_by_its_id_and_by_k(pytester: pytest.Pytester, suites: Path) -> None:
    """As with any other test."""
    one = "suites/workload_v1/suite.py::workloads-scale-v1-update"
    assert {"passed": 1} == outcomes(pytester.runpytest_inprocess(one, *FEW))
    chosen = pytester.runpytest_inprocess("suites/workload_v1", "-k", "status or scale", *FEW)
    assert {"passed": 2, "deselected": 3} == outcomes(chosen)


def test_a_difference_fails_and_its_line_replays_it(
    pytester: pytest.Pytester, suites: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    """The text has the smallest object and both lists; the line that is printed shows the finding again."""
    result = pytester.runpytest_inprocess("suites/migration", "-k", "create", "-p", "no:cacheprovider")
    assert {"failed": 1, "deselected": 1} == outcomes(result)
    text = result.stdout.str()
    assert "Traceback" not in text
    assert "handwritten  no errors" in text
    assert "again: pytest suites/migration/suite.py::backups-v1-create --harness-seed 1" in text
    lines = [line.partition("replay ")[2].strip() for line in result.outlines if "harness replay" in line]
    assert lines
    for line in lines:
        assert 1 == harness(shlex.split(line)[1:])


def test_x_lf_and_junit_work(pytester: pytest.Pytester, suites: Path) -> None:
    """-x stops at the first failure, --lf asks it again, the XML has it."""
    first = pytester.runpytest_inprocess("suites", "-x", "--junitxml", "junit.xml", "--harness-max-cases", "600")
    assert 1 == outcomes(first)["failed"]
    again = pytester.runpytest_inprocess("suites", "--lf", "--harness-max-cases", "600")
    assert 1 == outcomes(again)["failed"]
    assert "passed" not in outcomes(again)
    failed = [
        case
        for case in ElementTree.parse(pytester.path / "junit.xml").iter("testcase")
        if case.find("failure") is not None
    ]
    assert ["backups-v1-create"] == [case.get("name") for case in failed]


def test_items_are_spread_over_processes(pytester: pytest.Pytester, suites: Path) -> None:
    """xdist finds the same items in every process."""
    result = pytester.runpytest_subprocess("suites/workload_v1", "-n", "2", *FEW)
    assert {"passed": 5} == outcomes(result)


def test_a_tolerated_difference_passes(pytester: pytest.Pytester, suites: Path) -> None:
    """Exceptions of the root folder count here too, and an item of their own says whether they are needed."""
    entry = (
        "- {suite: migration, kind: '*', path: '%s', type: '*', origin: '*', mismatch: extra, cause: %s, "
        "severity: verdict, reason: planted, owner: sig-example, until: 2999-01-31}\n"
    )
    entries = entry % ("spec.keepDays", "boundary") + entry % ("spec.schedule", "unmarked")
    (pytester.path / "equivalence_exceptions.yaml").write_text(entries)
    pytester.makeini("[pytest]")
    result = pytester.runpytest_inprocess("suites/migration", "-k", "create", "-p", "no:cacheprovider")
    assert {"passed": 1, "deselected": 2} == outcomes(result)
    result = pytester.runpytest_inprocess("suites/migration", "-k", "exceptions", "-p", "no:cacheprovider")
    assert {"failed": 1, "deselected": 2} == outcomes(result)
    assert "unwitnessed exception" in result.stdout.str()
    report = str(pytester.path / "r.json")
    harness(["run", "suites/migration", "--max-cases", "2000", "--jobs", "1", "--json", report])
    assert 0 == harness(["exceptions", "witness", "--report", report])
    result = pytester.runpytest_inprocess("suites/migration", "-k", "exceptions", "-p", "no:cacheprovider")
    assert {"passed": 1, "deselected": 2} == outcomes(result)
    (pytester.path / "equivalence_exceptions.yaml").write_text(entries.replace("2999", "2020"))
    result = pytester.runpytest_inprocess("suites/migration", "-k", "exceptions", "-p", "no:cacheprovider")
    assert "expired exception" in result.stdout.str()


def test_an_item_of_which_nothing_is_accepted_is_no_pass(pytester: pytest.Pytester) -> None:
    """It names the check that blocks every object, and passes where it is accepted by name."""
    write_suite(pytester.path / "suites" / "parcels")
    result = pytester.runpytest_inprocess("suites", "-k", "create", *FEW)
    assert {"failed": 1, "deselected": 1} == outcomes(result)
    text = result.stdout.str()
    assert "no object that both sides accept was found" in text
    assert "handwritten: spec.reference: Invalid value: " in text
    assert "--harness-allow-incomplete" in text
    allowed = pytester.runpytest_inprocess("suites", *FEW, "--harness-allow-incomplete", "parcels")
    assert {"passed": 2} == outcomes(allowed)


def test_findings_that_are_too_mild_do_not_fail_an_item(pytester: pytest.Pytester, suites: Path) -> None:
    """The planted mistakes of the create change a verdict; none is milder than that."""
    create = ("suites/migration", "-k", "create", "-p", "no:cacheprovider")
    failed = pytester.runpytest_inprocess(*create).stdout.str()
    assert "verdict  " in failed
    assert "visible  " in failed
    strict = pytester.runpytest_inprocess(*create, "--harness-fail-on", "verdict").stdout.str()
    assert "verdict  " in strict
    assert "visible  " not in strict


def test_a_broken_suite_is_a_diagnostic(pytester: pytest.Pytester) -> None:
    """In the suite's own file and line, without a traceback of ours."""
    pytester.mkdir("bad_v1").joinpath("suite.py").write_text("from harness.suite import Suite\nSUITE = Suite(\n")
    result = pytester.runpytest_inprocess("bad_v1", *FEW)
    assert {"errors": 1} == outcomes(result)
    assert "suite.py:2:14: suite-syntax: not Python" in result.stdout.str()
    assert "Traceback" not in result.stdout.str()


def test_a_foreign_suite_file_is_left_alone(pytester: pytest.Pytester) -> None:
    """Other people have files called suite.py, too."""
    pytester.makepyfile(suite="def test_theirs():\n    pass\n")
    assert {"passed": 1} == outcomes(pytester.runpytest_inprocess("suite.py", "-p", "no:cacheprovider"))


def test_nothing_compared_is_a_failure(
    pytester: pytest.Pytester, suites: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An item that proves nothing does not pass; nor does one whose target is lost."""
    monkeypatch.setattr(engine, "run", lambda *args, **options: made.result(compared=0))
    result = pytester.runpytest_inprocess("suites/migration", "-k", "create", *FEW)
    assert {"failed": 1, "deselected": 1} == outcomes(result)
    assert "nothing was compared" in result.stdout.str()
    monkeypatch.setattr(
        engine, "run", lambda *args, **options: made.result(stopped="target-lost", stopped_detail="gone")
    )
    assert "gone" in pytester.runpytest_inprocess("suites/migration", "-k", "create", *FEW).stdout.str()


def test_a_large_case_is_replayed_from_a_file(
    pytester: pytest.Pytester, suites: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line stays short enough to be copied."""
    case = msgspec.structs.replace(made.finding().case, object={"a": "x" * 5000})
    found = made.result(made.finding(case=case))
    monkeypatch.setattr(engine, "run", lambda *args, **options: found)
    result = pytester.runpytest_inprocess("suites/migration", "-k", "create", "--harness-max-cases", "60")
    line = next(line for line in result.outlines if "harness replay" in line)
    file = shlex.split(line)[-1]
    assert len(line) < 300
    assert case == msgspec.json.decode((pytester.path / file).read_bytes(), type=type(case))


KUBERNETES = 'from harness.suite import KubernetesSuite\n\nSUITE = KubernetesSuite(release="1.37.1")\n'


def test_without_a_worker_and_a_toolchain_a_release_is_skipped(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the reason and what would help; the release may be another than the suite's."""

    def no_go(release: object, note: object) -> Path:
        raise TargetError("no Go toolchain was found")

    monkeypatch.setattr(collection, "worker_for", no_go)
    pytester.mkdir("kubernetes").joinpath("suite.py").write_text(KUBERNETES)
    result = pytester.runpytest_inprocess("kubernetes", "-rs", "--kubernetes", "1.36.3", *FEW)
    assert {"skipped": 1} == outcomes(result)
    text = " ".join(result.stdout.str().split())
    assert "no Go toolchain was found" in text
    assert "harness kinds --kubernetes 1.36.3" in text


def test_a_release_is_asked_only_when_it_is_named(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who types `pytest suites/` does not wait for a build; the skip says what would ask it."""

    def no_build(release: object, note: object) -> Path:
        raise AssertionError("nobody asked for a build")

    monkeypatch.setattr(collection, "worker_for", no_build)
    pytester.mkdir("kubernetes").joinpath("suite.py").write_text(KUBERNETES)
    result = pytester.runpytest_inprocess("kubernetes", "-rs", *FEW)
    assert {"skipped": 1} == outcomes(result)
    assert "add --kubernetes 1.37.1" in " ".join(result.stdout.str().split())


def test_the_kinds_of_a_release_come_from_the_file_next_to_its_worker(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Collecting starts no worker once its word was written down."""
    worker = tmp_path / "worker"
    worker.touch()
    info = made.result().target
    monkeypatch.setattr(collection, "worker_for", lambda release, note: worker)
    opened: list[object] = []

    class Subject:
        """A subject that says what it serves."""

        def __init__(self, *args: object) -> None:
            opened.append(args)
            self.target = type("Target", (), {"info": info})()

        def close(self) -> None:
            """Nothing to close."""

    monkeypatch.setattr(session, "open_subject", Subject)
    pytester.mkdir("kubernetes").joinpath("suite.py").write_text(KUBERNETES)
    for _ in range(2):
        result = pytester.runpytest_inprocess("kubernetes", "--kubernetes", "1.37.1", "--collect-only", "-q", *FEW)
        assert "kubernetes/suite.py::widgets-status-v1-update" in result.outlines
    assert 1 == len(opened)


@pytest.mark.parametrize(
    ("group", "subresource", "own", "with_group", "name"),
    [
        ("apps", "", "apps/v1", False, "widgets-v1-update"),
        ("apps", "scale", "autoscaling/v1", False, "widgets-scale-v1-update"),
        ("", "", "v1", True, "widgets.core-v1-update"),
        ("apps", "scale", "extensions/v1beta1", True, "widgets.apps-scale-v1beta1-v1-update"),
    ],
)
def test_names_of_items(group: str, subresource: str, own: str, with_group: bool, name: str) -> None:
    """Short where they may be, with the group where two groups share a resource."""
    kind = KindInfo(group, "v1", "Widget", "widgets", own, subresource=subresource)
    assert name == item_name(kind, Operation.UPDATE, with_group=with_group)


def test_the_page_has_what_all_items_found(pytester: pytest.Pytester, suites: Path) -> None:
    """One page for all suites of a session, from every process. The long name is there beside pytest-html too."""
    result = pytester.runpytest_subprocess("suites", "-n", "2", "--harness-html", "out/page.html", *FEW)
    assert "written:" in result.stdout.str()
    page = (pytester.path / "out" / "page.html").read_text(encoding="utf-8")
    for name in ("workload_v1", "migration", "spec.schedule", "backups"):
        assert name in page


def test_a_page_of_nothing_is_told(pytester: pytest.Pytester) -> None:
    """Nobody takes the page of an earlier session for this one's."""
    pytester.makepyfile("def test_mine():\n    pass\n")
    result = pytester.runpytest_inprocess("--harness-html", "page.html", *FEW)
    assert "no page was written" in result.stdout.str()
    assert not (pytester.path / "page.html").exists()


@pytest.mark.parametrize(("line", "outcome"), [("", {"passed": 1}), ("spec.nothing Invalid/maximum", {"failed": 1})])
def test_a_ratchet_is_held_as_a_run_holds_it(
    pytester: pytest.Pytester, suites: Path, line: str, outcome: dict[str, int]
) -> None:
    """Its own number of cases is asked, whatever each item asks; a rule that lost its cover fails, and is named."""
    ratchet = suites / "workload_v1" / "rules.ratchet"
    text = f"fleet.example.com/v1 Workload {line}: rejected since 2026-01-31\n" if line else ""
    ratchet.write_text(f"cases: 1500\n{text}", encoding="utf-8")
    result = pytester.runpytest_inprocess("suites/workload_v1/suite.py::rules", *FEW)
    assert outcome == outcomes(result)
    assert bool(line) == ("no longer declared" in result.stdout.str())
