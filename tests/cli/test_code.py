"""Code coverage of a run: what the report says of each block, and what is told when nothing was counted."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.cli import code
from harness.cli.code import block_observers, can_count, counting, functions_of, with_code, with_reasons
from harness.cli.ratchets import Ratchets
from harness.diagnostics import TargetError
from harness.report.formats.json import encode
from harness.report.model.assembly import build_report
from harness.report.model.code import BlockEntry, FunctionEntry
from harness.report.model.coverage import BranchCoverage, BranchEntry, RatchetEntry
from harness.report.model.document import Report
from harness.report.model.fields import FieldErrors
from harness.report.model.reading import decode
from harness.rulecov.blocks import NAME, Reached
from harness.subject import SubjectSpec
from harness.targets.kubernetes.blocks import CodeBlock
from harness.targets.kubernetes.release import Toolchain
from harness.targets.kubernetes.unreached.reasons import BlockReason, BlockReasons
from tests.cli.fakes import call
from tests.report import made
from tests.report.covered import FIRST, PACKAGE, WHOLE, covered

_FILE = "k8s.io/kubernetes/pkg/apis/x/validation/v.go"
_SOURCE = """package validation

import "k8s.io/apimachinery/pkg/util/validation/field"

func Check(size int, path *field.Path) (errs field.ErrorList) {
	if size > 9 {
		errs = append(errs, field.Invalid(path.Child("size"), size, ""))
	}
	return errs
}
"""
BLOCKS = (
    CodeBlock(0, _FILE, "Check", (5, 64), (6, 14), 1),
    CodeBlock(1, _FILE, "Check", (9, 2), (9, 13), 1),
    CodeBlock(2, _FILE, "Check", (6, 14), (8, 3), 1),
    CodeBlock(1 << 20, _FILE, "init.0", (12, 1), (12, 9), 1),
)
COUNTING = SubjectSpec("kubernetes", "1.37.1", counts_blocks=True)
FIELD = FieldErrors("kubernetes", "x/Thing", "size", 1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with the source of the blocks."""
    path = tmp_path / _FILE.removeprefix("k8s.io/kubernetes/")
    path.parent.mkdir(parents=True)
    path.write_text(_SOURCE)
    return tmp_path


def test_the_blocks_of_a_function_are_described(root: Path) -> None:
    """In the order of the source, those that were not reached with their condition, all with their errors."""
    first, second = functions_of("kubernetes", BLOCKS, [0, 1], root)
    assert ("Check", "init.0", f"{PACKAGE.rpartition('/apps')[0]}/x/validation") == (
        first.name, second.name, first.package,
    )  # fmt: skip
    assert (
        BlockEntry((5, 64), (6, 14), 1, reached=True),
        BlockEntry((6, 14), (8, 3), 1, condition="if size > 9", errors=(("Invalid", "size"),)),
        BlockEntry((9, 2), (9, 13), 1, reached=True),
    ) == first.blocks


def test_a_source_that_is_gone_leaves_the_numbers(tmp_path: Path, capfd: Any) -> None:
    """Told once for the file."""
    first, _ = functions_of("kubernetes", BLOCKS, [0], tmp_path)
    assert [True, False, False] == [block.reached for block in first.blocks]
    assert 1 == capfd.readouterr().err.count("v.go: conditions are not told")


def test_a_function_that_nothing_calls_has_a_reason(root: Path) -> None:
    """Only if no case reached it: what was reached can be."""
    silent, reached = (list(functions_of("kubernetes", BLOCKS, seen, root)) for seen in ([], [0]))
    assert ["no code of the release calls it", ""] == [one.reason for one in with_reasons(silent, root, [])]
    assert ["", ""] == [one.reason for one in with_reasons(reached, root, [])]


def test_blocks_have_reasons_if_half_of_the_code_was_reached(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else there are thousands that nobody asked for."""
    monkeypatch.setattr(BlockReasons, "of", lambda *given: BlockReason("gate", "the gate A is on", "line 3"))
    few, half = (list(with_reasons(list(functions_of("k", BLOCKS, seen, root)), root, [])) for seen in ([0], [0, 1]))
    assert {("", "", "")} == {(one.sort, one.reason, one.behind) for function in few for one in function.blocks}
    told = {(one.sort, one.reason, one.behind) for function in half for one in function.missed}
    assert {("gate", "the gate A is on", "line 3")} == told


def run_of(*units: Reached) -> Any:
    """Return the result of a run with such outcomes."""
    return made.result(observed={NAME: units})


def test_what_all_kinds_reached_is_in_the_report(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The searches of all units together."""
    monkeypatch.setattr(code, "blocks_of_release", lambda location: BLOCKS)
    monkeypatch.setattr(code, "code_folder", lambda location: root)
    monkeypatch.setattr(code, "field_entries", lambda *given: iter([FIELD]))
    result = run_of(Reached("v1 a", frozenset({0}), True), Reached("v1 b", frozenset({2}), True))
    report = with_code(build_report(result), [result], {"kubernetes": COUNTING})
    assert ([1, 1], (FIELD,)) == ([len(one.missed) for one in report.code], report.fields)


def test_fields_that_cannot_be_read_are_a_message(root: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """And the report has the code without them."""

    def refuse(*given: Any) -> Any:
        raise TargetError("the sources of the release could not be read")

    monkeypatch.setattr(code, "blocks_of_release", lambda location: BLOCKS)
    monkeypatch.setattr(code, "code_folder", lambda location: root)
    monkeypatch.setattr(code, "field_entries", refuse)
    result = run_of(Reached("v1 a", frozenset({0}), True))
    report = with_code(build_report(result), [result], {"kubernetes": COUNTING})
    assert (2, ()) == (len(report.code), report.fields)
    assert "the sources of the release could not be read" in capfd.readouterr().err


@pytest.mark.parametrize("can_count", [True, False])
def test_what_cannot_be_counted_is_a_message(monkeypatch: pytest.MonkeyPatch, capfd: Any, can_count: bool) -> None:
    """And the report is as it would be without."""

    def refuse(location: str) -> Any:
        raise TargetError("the worker does not tell which code it has counters for")

    monkeypatch.setattr(code, "blocks_of_release", refuse)
    result = run_of(Reached("v1 a", frozenset(), can_count))
    report = build_report(result)
    assert report == with_code(report, [result], {"kubernetes": COUNTING})
    told = capfd.readouterr().err
    assert ("does not tell which code" if can_count else "no counters that can be read") in told
    assert can_count or ("  why: " in told and "  fix: " in told)


def test_a_go_without_counters_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """Before each search, which goes on without them; a Go that has them says nothing."""
    validator = SubjectSpec("crd", "crds", against="crds", validator="go:./v1.Thing")
    for version, text in (("go1.19", "#!/bin/sh\necho 'flag provided but not defined: -cover' >&2\nexit 2\n"),
                          ("go1.26", "#!/bin/sh\nexit 0\n")):  # fmt: skip
        command = tmp_path / version
        command.write_text(text, encoding="utf-8")
        command.chmod(0o755)
        monkeypatch.setattr(code, "find_toolchain", partial(Toolchain, tmp_path / version, version))
        for spec in (SubjectSpec("kubernetes", "1.37.1"), validator):
            assert (version == "go1.26") == counting(spec).counts_blocks
    told = capfd.readouterr().err
    assert 2 == told.count("go1.19 builds no programs that count their code")
    assert "why: go build says: flag provided but not defined: -cover" in told
    assert "fix: install Go 1.20 or newer" in told
    suite = SubjectSpec("suite", "suites/x_v1")
    assert suite == counting(suite)


def test_releases_and_validators_in_go_have_counters() -> None:
    """Releases that are compared with nothing else, validators behind CRDs; others are searched as always."""
    assert can_count(SubjectSpec("crd", "a", against="b", validator="go:./v1.Thing"))
    assert not can_count(SubjectSpec("crd", "a", against="b", validator="http://localhost"))
    assert not can_count(SubjectSpec("crd", "a", against="b"))
    assert not can_count(SubjectSpec("policy", "a", validator="go:./v1.Thing"))
    assert can_count(SubjectSpec("kubernetes", "1.37.1"))
    assert not can_count(SubjectSpec("kubernetes", "1.37.1", against="1.36.3"))
    assert not can_count(SubjectSpec("suite", "suites/x_v1"))
    assert ({NAME}, set()) == (
        set(block_observers(COUNTING)),
        set(block_observers(SubjectSpec("kubernetes", "1.37.1"))),
    )


CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, listKind: ThingList, plural: things, singular: thing}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer, minimum: 0}
"""
VALIDATOR = """\
package v1

import (
	"errors"

	"example.com/project/limits"
)

type Thing struct {
	Spec struct {
		Size int `json:"size"`
	} `json:"spec"`
}

func (t *Thing) ValidateCreate() error {
	if limits.Most(t.Spec.Size) > 0 {
		return errors.New("must be empty")
	}
	if t.Spec.Size < 0 {
		return errors.New("the schema rejects it before")
	}
	return nil
}
"""
LIMITS = """\
package limits

func Most(n int) int { return n }

func Least(n int) int { return n }
"""


@pytest.mark.kubernetes
def test_a_run_counts_the_code_of_a_validator(tmp_path: Path, capfd: Any) -> None:
    """In the packages of its module: what was reached, and of the rest the condition and a case that came near it."""
    files = {
        "crds/things.yaml": CRD, "go.mod": "module example.com/project\n\ngo 1.18\n", "api/v1/things.go": VALIDATOR,
        "limits/limits.go": LIMITS,
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    told = call(
        capfd, "run", "--crd", str(tmp_path / "crds"), "--validator", f"{tmp_path}/api/v1.Thing", "--branches",
        "--max-cases", "300", "--jobs", "1", "--json", str(tmp_path / "r.json"),
    )  # fmt: skip
    assert 1 == told.code, told.err  # what the validator rejects has no rule
    report = decode((tmp_path / "r.json").read_bytes(), "r.json")
    api, limits = "example.com/project/api/v1/things.go", "example.com/project/limits/limits.go"
    assert {
        (api, "*Thing.ValidateCreate"): {16: True, 18: True, 19: True, 21: False, 22: True},
        (limits, "Most"): {3: True}, (limits, "Least"): {5: False},
    } == {(one.file, one.name): lines_reached(one) for one in report.code}  # fmt: skip
    [missed] = next(one for one in report.code if one.file == api).missed
    assert ("if t.Spec.Size < 0", "", "") == (missed.condition, missed.sort, missed.reason)
    assert missed.nearest is not None
    assert 19 == missed.nearest.line


def lines_reached(function: FunctionEntry) -> dict[int, bool]:
    """Return whether each block of a function was reached, by the line at which it ends."""
    return {block.end[0]: block.reached for block in function.blocks}


@pytest.mark.parametrize(("option", "words"), [("--code", "if spec.Size > 9"), ("--errors", "errors by field")])
def test_the_code_of_a_report_is_listed(tmp_path: Path, capfd: Any, option: str, words: str) -> None:
    """By function or by field, with the sums; a report without says how to get it."""
    file = tmp_path / "r.json"
    file.write_bytes(encode(covered()))
    told = call(capfd, "rules", "--report", str(file), option)
    assert (0, True, True) == (told.code, words in told.out, "handwritten code: 7 of 8" in told.out)
    told = call(capfd, "rules", "--report", str(file), option, "--json")
    assert (FIRST, WHOLE) == msgspec.json.decode(told.out, type=tuple[FunctionEntry, ...])
    file.write_bytes(encode(msgspec.structs.replace(covered(), fields=(FIELD,))))
    told = call(capfd, "rules", "--report", str(file), option, "--kind", "Thing")
    assert (0, option == "--errors") == (told.code, "size: 1 of 1 reached" in told.out)
    file.write_bytes(encode(build_report(made.result())))
    told = call(capfd, "rules", "--report", str(file), option)
    assert (2, True) == (told.code, "run with --kubernetes RELEASE --branches" in told.err)
    told = call(capfd, "rules", option)
    assert (2, True) == (told.code, "require a report" in told.err)


def held(report: Report, file: Path, update: bool = False) -> RatchetEntry:
    """Hold a report to a ratchet of code."""
    coverage = Ratchets(None, update, file).compare_code(report).coverage
    assert coverage is not None
    return coverage.ratchets[-1]


def test_a_run_that_reaches_less_fails(tmp_path: Path) -> None:
    """By package, or by file of Python; as much as before is enough."""
    file = tmp_path / "coverage.ratchet"
    file.write_text(f"{PACKAGE}: 0 since 2026-01-02\nk8s.io/x/validation: 0\nw.py: 1\n")
    python = BranchCoverage(9, (BranchEntry("w.py", 1, 2), BranchEntry("w.py", 1, 3), BranchEntry("w.py", 4, 5)))
    report = msgspec.structs.replace(covered(), branches=python)
    entry = held(report, file)
    assert [
        (PACKAGE, ("reached in 1 statement",), "2026-01-02"), ("w.py", ("reached in 2 branches",), ""),
    ] == [(one.rule, one.marks, one.since) for one in entry.lost]  # fmt: skip
    judged = Ratchets(None, False, file).compare_code(report)
    assert (1, "package") == (judged.exit_code, judged.coverage.lost_of if judged.coverage else "")
    file.write_text(f"{PACKAGE}: 1\n")
    assert () == held(covered(), file).lost
    assert 0 == Ratchets(None, False, file).compare_code(covered()).exit_code


def test_a_ratchet_is_lowered_and_not_compared_with_less(tmp_path: Path, capfd: Any) -> None:
    """A run of fewer cases reaches less by its nature; one that counted nothing is told."""
    file = tmp_path / "coverage.ratchet"
    assert held(covered(), file, update=True).updated
    assert f"{PACKAGE}: 1 since" in file.read_text()
    file.write_text(f"cases: 99999999\n{PACKAGE}: 0\n")
    assert "it holds for 99,999,999 cases" in held(covered(), file).skipped
    assert "no code was counted" == held(build_report(made.result()), file).skipped
    told = call(capfd, "run", "suites/claim_v1", "--code-ratchet", str(file))
    assert (2, True) == (told.code, "fix: add --branches" in told.err)


def test_a_ratchet_holds_the_run_that_it_was_written_by(tmp_path: Path) -> None:
    """A kind alone can be held, by a file that says so: it fails if less is reached of the packages that it reaches."""
    file = tmp_path / "pods.ratchet"
    blocks = tuple(msgspec.structs.replace(block, reached=False) for block in FIRST.blocks)
    unasked = FunctionEntry("kubernetes", "k8s.io/unasked/validation/v.go", "Check", blocks)
    narrow = msgspec.structs.replace(
        covered(), narrowed=("--operation create", "--kind pods"), code=(FIRST, WHOLE, unasked)
    )
    assert held(narrow, file, update=True).updated
    asked = f"{narrow.target.name} {narrow.target.release}".strip() + " --kind pods --operation create"
    assert f"asked: {asked}\n" in file.read_text()
    assert ("", ()) == (held(narrow, file).skipped, held(narrow, file).lost)
    less = msgspec.structs.replace(narrow, code=(msgspec.structs.replace(FIRST, blocks=blocks), WHOLE, unasked))
    assert [PACKAGE] == [one.rule for one in held(less, file).lost]
    before = file.read_text()
    held(less, file, update=True)
    assert before == file.read_text(), "what is reached no more is still held"
    assert "k8s.io/unasked" not in before


@pytest.mark.parametrize("update", [False, True])
def test_a_run_of_another_selection_is_not_compared_and_writes_nothing(tmp_path: Path, update: bool) -> None:
    """Of other kinds, of all kinds, of another release; it says what the file holds, and what the run is of."""
    file = tmp_path / "pods.ratchet"
    narrow = msgspec.structs.replace(covered(), narrowed=("--kind pods",))
    held(narrow, file, update=True)
    before = file.read_text()
    newer = msgspec.structs.replace(narrow, target=msgspec.structs.replace(narrow.target, release="1.99.0"))
    for run in (covered(), msgspec.structs.replace(narrow, narrowed=("--kind nodes",)), newer):
        entry = held(run, file, update)
        assert ((), False, True) == (entry.lost, entry.updated, " --kind pods, and this is one of " in entry.skipped)
    assert before == file.read_text()
    file.write_text(f"{PACKAGE}: 0\n")  # as files were written before they said what was asked
    assert "it holds a run of all kinds, and this is one of " in held(narrow, file, update).skipped
    assert "" == held(covered(), file).skipped
