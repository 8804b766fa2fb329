"""`harness replay`: the same question again, and an exit code that says whether it still differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.case import Answer
from harness.cli.publishing import kept_path
from harness.cli.trust import remember
from harness.report.formats.json import encode
from harness.report.model.assembly import build_report
from harness.report.model.document import Reach
from harness.report.model.grouping import group
from harness.report.model.reading import read_report
from tests.cli.fakes import Opened, call
from tests.report import made

FINDING = made.finding(case=msgspec.structs.replace(made.finding().case, object={"spec": {"size": 3}}))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Opened:
    """A target without a process, and a report of one finding about it."""
    monkeypatch.chdir(tmp_path)
    reaches = {"widgets_v1": Reach("command", "worker --fast", {"Wide": True}, mode="given")}
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    data = encode(build_report(made.result(FINDING), reaches=reaches))
    Path("r.json").write_bytes(data)
    remember(data)
    return Opened().install(monkeypatch)


def test_a_finding_that_still_differs_is_exit_code_1(capfd: Any, opened: Opened) -> None:
    """It is shown with the current answer of the target and the served errors."""
    told = call(capfd, "replay", "r.json", "0123")
    assert told.code == 1
    assert "graduation  no-rule  example.io/v1 widgets update  spec.size  [0123456789ab]" in told.out
    assert "served graduated accepted" in told.out
    assert told.out.endswith("still differs\n")


def test_the_target_of_the_report_is_opened(capfd: Any, opened: Opened) -> None:
    """With its gates and mode; options of the command line override it."""
    call(capfd, "replay", "r.json")
    call(capfd, "replay", "r.json", "--kubernetes", "1.37.1")
    first, second = opened.specs
    assert (first.kind, first.location, first.gates, first.mode) == (
        "command",
        "worker --fast",
        {"Wide": True},
        "given",
    )
    assert (second.kind, second.location) == ("kubernetes", "1.37.1")


def test_a_finding_that_is_gone_is_exit_code_0(capfd: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a fix both validators agree."""
    monkeypatch.setattr(opened.target, "answer", lambda case: Answer(case.id))
    told = call(capfd, "replay", "r.json", "0123456789ab")
    assert told.code == 0
    assert told.out.endswith("no longer differs\n")


def test_another_difference_is_not_this_one(capfd: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finding is gone if the mismatch has another signature."""
    other = made.error("spec.name", covered=True)
    monkeypatch.setattr(opened.target, "answer", lambda case: Answer(case.id, handwritten=(other,)))
    assert call(capfd, "replay", "r.json").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["r.json", "9999"], "no finding '9999'"),
        (["none.json"], "cannot be read"),
        ([], "nothing to replay"),
        (["--case", "{}", "--command", "x"], "case-syntax"),
        (["--case", "none.json", "--command", "x"], "cannot be read"),
        (
            ["--case", json.dumps({"object": {"apiVersion": "v1", "kind": "Gadget"}}), "--command", "x"],
            "does not serve",
        ),
    ],
)
def test_arguments_that_cannot_be_replayed_are_exit_code_2(
    arguments: list[str], said: str, capfd: Any, opened: Opened
) -> None:
    """The error has the reason."""
    told = call(capfd, "replay", *arguments)
    assert told.code == 2
    assert said in told.err


def test_a_file_with_one_finding_is_replayed(capfd: Any, opened: Opened) -> None:
    """It does not contain its target, which is named on the command line."""
    Path("f.json").write_bytes(msgspec.json.encode(FINDING))
    assert call(capfd, "replay", "f.json", "--command", "worker").code == 1
    assert call(capfd, "replay", "f.json").code == 2


def test_a_case_is_asked_unchanged(capfd: Any, opened: Opened) -> None:
    """From a file or the command line; the resource is found by the kind."""
    for size, code in ((3, 1), (2, 0), ("x", 2)):
        case = json.dumps({"object": {"apiVersion": "example.io/v1", "kind": "Widget", "spec": {"size": size}}})
        Path("case.json").write_text(case + "\n")
        assert code == call(capfd, "replay", "--command", "worker", "--case", case).code
        assert code == call(capfd, "replay", "--command", "worker", "--case", "case.json").code


def test_a_finding_about_a_rule_cannot_be_asked_again(capfd: Any, opened: Opened) -> None:
    """It has no object, which the message explains."""
    finding = made.finding(case=msgspec.structs.replace(FINDING.case, object=None), operation="update")
    Path("r.json").write_bytes(encode(build_report(made.result(finding))))
    told = call(capfd, "replay", "r.json")
    assert told.code == 2
    assert "is about a rule, not about an object" in told.err


def test_the_id_of_a_group_selects_its_findings_in_the_cached_report(
    capfd: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The newest cached report with the ID, or with an ID that begins so, is read; an unknown ID is an error."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = kept_path("").parent
    folder.mkdir(parents=True)
    (folder / "20260101T000000-1.json").write_bytes(Path("r.json").read_bytes())
    (folder / "20260102T000000-1.json").write_text("of another release")
    [one] = group(read_report("r.json").findings)
    for words in (("r.json", one.id), (one.id,), (one.id[:4],), ("0123",), ("0123456789ab",)):
        told = call(capfd, "replay", *words)
        assert (1, True) == (told.code, told.out.endswith("still differs\n")), words
    told = call(capfd, "replay", "ffff")
    assert (2, True) == (told.code, "no report kept on this machine has ffff" in told.err)


def test_a_finding_of_an_older_report_is_replayed(capfd: Any, opened: Opened) -> None:
    """The old name of its cause is recognised."""
    finding = json.loads(Path("r.json").read_bytes())["findings"][0]
    Path("finding.json").write_text(json.dumps({**finding, "cause": "no-twin", "code": "no-twin"}))
    told = call(capfd, "replay", "finding.json", "--kubernetes", "1.37.1")
    assert (1, True) == (told.code, "graduation  no-counterpart  example.io/v1 widgets" in told.out)
