"""`harness verify` on a small project: each change that a reviewer must not miss, and those that are harmless."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli.main import run as harness
from harness.report.model.document import Report
from harness.report.model.reading import read_report
from harness.report.model.verification import FieldEntry, Verification
from tests.verify import project
from tests.verify.checkout import commit, git
from tests.verify.project import BOTH, GRADUATED, LIMIT, RAISED, REMOVED, RENAMED, UNMARKED, apply, make_project

CASES = ("--max-cases", "3000")


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a folder and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(make_project(tmp_path / "cups"))


def verify(*arguments: str, cases: tuple[str, ...] = CASES) -> tuple[int, Report]:
    """Verify the work tree against the base, and read the report."""
    code = harness(["verify", "--base", "base", *cases, "--jobs", "1", "--json", "report.json", *arguments])
    return code, read_report("report.json")


def told(report: Report) -> Verification:
    """Return the section of the report."""
    assert report.verification is not None
    return report.verification


def field(report: Report, name: str) -> FieldEntry:
    """Return the verdict of one field."""
    (found,) = [one for one in told(report).fields if one.name == f"CupSpec.{name}"]
    return found


def finding(report: Report, name: str) -> str:
    """Return cause and fix of the first finding of a field."""
    names = field(report, name).findings
    (first, *_) = [one for one in report.findings if one.fingerprint in names]
    return f"{first.cause}: {first.fix}"


def test_a_limit_that_is_off_by_one_in_a_tag() -> None:
    """The verdict names the cause, both limits and the fix, and says what was tried at the limit."""
    apply(Path(), LIMIT)
    code, report = verify()
    size = field(report, "Size")
    assert (1, "different") == (code, size.verdict)
    assert "boundary: give +k8s:maximum on spec.size the limit of the handwritten check, 500" in finding(report, "Size")
    assert min(size.effort.creates, size.effort.changed, size.effort.kept, size.effort.compared) > 100
    assert [("create", "update")] == [rule.declarative for rule in size.rules if rule.tag == "k8s:maximum"]


def test_a_handwritten_check_that_is_removed_too_early() -> None:
    """With the beta gate off an object is accepted that was rejected: it changes sides, and the verdict says so."""
    apply(Path(), REMOVED)
    code, report = verify()
    label = field(report, "Label")
    changes = {one.direction for one in told(report).changes if one.fingerprint in label.changes}
    settings = {one.settings for one in told(report).changes if one.direction == "newly-accepted"}
    assert (1, "different", {"newly-accepted"}) == (code, label.verdict, changes)
    assert {("DeclarativeValidationBeta=false",)} == settings
    assert "put the check back" in label.why
    assert finding(report, "Label").startswith("no-counterpart: ")


def test_a_tag_whose_handwritten_error_is_not_marked() -> None:
    """The fix is to mark it."""
    apply(Path(), UNMARKED)
    code, report = verify()
    assert (1, "different") == (code, field(report, "Handles").verdict)
    assert "unmarked: add covered=True to invalid(...) for spec.handles in handwritten.py" in finding(report, "Handles")


def test_a_level_that_is_raised_over_a_ratcheting_difference() -> None:
    """The base has the difference too, but raising the level says that there is none."""
    apply(Path(), RAISED)
    code, report = verify()
    spoons = field(report, "Spoons")
    assert (1, "different", ()) == (code, spoons.verdict, spoons.known)
    assert finding(report, "Spoons").startswith(
        "ratcheting: let the check of invalid(...) for spec.spoons in handwritten.py skip what did not change"
    )
    assert "the base has" in spoons.why


def test_what_the_base_has_is_no_finding_of_another_change() -> None:
    """A change of the size, on both sides alike, does not answer for the spoons of the base, but for its users."""
    apply(Path(), LIMIT, BOTH)
    code, report = verify()
    assert {"ratcheting"} == {one.cause for one in told(report).known}
    assert set() == {one.cause for one in report.findings}
    assert (1, {"newly-accepted"}) == (code, {one.direction for one in told(report).changes if one.is_verdict})


def test_a_renamed_helper_touches_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is opened or searched, and the reason is said."""
    apply(Path(), RENAMED)
    code, report = verify()
    assert (0, 0, ()) == (code, report.cases, report.parts)
    assert told(report).nothing_touched
    assert "Nothing touched" in capsys.readouterr().out


def test_a_finished_migration_is_held_to_the_handwritten_answers_of_the_base() -> None:
    """The rule is standard and the check is gone: what is served is what the base's check said."""
    apply(Path(), GRADUATED, REMOVED)
    code, report = verify()
    label = field(report, "Label")
    assert (0, "equivalent") == (code, label.verdict)
    assert "compared with the handwritten answers of the base" in label.why
    assert label.effort.compared > 100


def test_a_finished_migration_with_another_limit_is_seen() -> None:
    """The handwritten check said twelve, the standard rule says thirteen: users are served something else."""
    apply(Path(), REMOVED, GRADUATED, ("types.go", "maxLength=12", "maxLength=13"))
    code, report = verify()
    changes = [one for one in told(report).changes if one.is_verdict]
    assert (1, "different") == (code, field(report, "Label").verdict)
    assert {13} == {len(one.finding.case.object["spec"]["label"]) for one in changes}


def test_a_field_can_be_singled_out() -> None:
    """--field leaves the other touched fields out."""
    apply(Path(), LIMIT, UNMARKED)
    _, report = verify("--field", "spec.size")
    assert ["CupSpec.Size"] == [one.name for one in told(report).fields]


def test_a_verification_is_told_while_it_goes_on() -> None:
    """Head and base are parts of their own, and the last line says what the command returns."""
    apply(Path(), LIMIT)
    code, report = verify("--events", "events.ndjson")
    told = [json.loads(line) for line in Path("events.ndjson").read_text().splitlines()]
    assert [part.subject for part in report.parts] == [row["part"] for row in told if row["event"] == "part"]
    assert {"started", "met", "finding", "kind", "note"} <= {row["event"] for row in told}
    assert ("finished", code, report.verdict) == (told[-1]["event"], told[-1]["exit_code"], told[-1]["verdict"])


def test_what_cannot_be_opened_is_told_in_the_events(capsys: pytest.CaptureFixture[str]) -> None:
    """With the message that a person reads; without a report there is no last line."""
    apply(Path(), ("types.go", "k8s:maximum=500", "k8s:maximum=much"))
    assert 2 == harness(["verify", "--base", "base", *CASES, "--events", "-"])
    read = capsys.readouterr()
    told = [json.loads(line) for line in read.out.splitlines()]
    assert ["failed"] == [row["event"] for row in told if row["event"] != "note"]
    assert told[-1]["message"].splitlines()[0] in read.err


def test_a_dry_run_says_what_is_touched_and_asks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """No case is drawn, nothing is written, and the exit code is 0."""
    apply(Path(), LIMIT)
    assert 0 == harness(["verify", "--base", "base", "--dry-run"])
    assert "CupSpec.Size" in capsys.readouterr().out


def test_a_commit_can_be_verified_in_place_of_the_work_tree() -> None:
    """--head looks at the commit, whatever the work tree has; the checkout and its index stay as they are."""
    apply(Path(), LIMIT)
    head = commit(Path(), "Raise the limit")
    apply(Path(), ("types.go", "maximum=501", "maximum=500"))
    before = git(Path(), "status", "--porcelain")
    code, report = verify("--head", head)
    assert (1, "different") == (code, field(report, "Size").verdict)
    after = git(Path(), "status", "--porcelain").splitlines()
    assert before.splitlines() == [line for line in after if "report" not in line]


def test_a_suite_that_is_new_has_nobody_to_surprise() -> None:
    """It is searched, and that there is no base to compare it with is said and no reason to fail."""
    shutil.copytree("suites/cups", "suites/mugs")
    suite = Path("suites/mugs/suite.py")
    suite.write_text(suite.read_text().replace('"cups"', '"mugs"').replace("kitchen.", "office."))
    _, report = verify()
    assert any("suites/mugs is new" in note for note in told(report).notes)
    assert {"CupSpec.Size", "CupSpec.Spoons"} <= {one.name for one in told(report).fields}
    assert ((), {"ratcheting"}) == (told(report).unsearched, {one.cause for one in report.findings})


def test_a_change_for_users_is_replayed_from_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    """The replay command of a change for users opens base and head again."""
    apply(Path(), REMOVED)
    _, report = verify()
    change = next(one for one in told(report).changes if one.is_verdict)
    capsys.readouterr()
    assert 1 == harness(change.replay.split()[1:])
    assert "still differs" in capsys.readouterr().out


def test_an_exception_tolerates_a_change_for_users() -> None:
    """Whoever means the change writes down why, and the verdict on users is no reason to fail any more."""
    apply(Path(), LIMIT, BOTH)
    _, report = verify()
    entries = [one.finding for one in told(report).changes if one.is_verdict]
    text = "".join(dict.fromkeys(project.exception_of(one, "cups against cups") for one in entries))
    Path("equivalence_exceptions.yaml").write_text(text)
    code, report = verify()
    assert (0, []) == (code, [one for one in told(report).changes if one.is_verdict])


def test_without_a_branch_to_merge_into_the_base_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A repository without remotes cannot say what the change is for."""
    assert 2 == harness(["verify"])
    assert "fix: name it: --base BRANCH" in capsys.readouterr().err


def test_an_interrupt_keeps_what_was_found() -> None:
    """Ctrl-C during the search: the report is written, and says that base and head were not compared."""
    apply(Path(), LIMIT)
    command = [
        sys.executable,
        "-m",
        "harness",
        "verify",
        "--base",
        "base",
        "--max-cases",
        "100000000",  # with a limit of time it ends when it shows nothing new
        "--json",
        "report.json",
    ]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A CI server may have told us to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "seed 1" in line:
                break
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=120)
        finally:
            process.kill()
    report = read_report("report.json")
    assert (130, "interrupted") == (process.returncode, report.stopped)
    assert "interrupted" in out
    assert any("were not compared" in one for one in told(report).unsearched)
