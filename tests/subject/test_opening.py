"""Opening a subject: suites, releases and programs with their types, and the errors if that fails."""

from __future__ import annotations

import pickle
import shutil
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from harness.case import Case, Operation
from harness.diagnostics import HarnessError, InputError, UsageError
from harness.field.make import required
from harness.field.path import Path as FieldPath
from harness.subject import Subject, SubjectSpec, open_subject
from harness.subject.opening import api_of

ROOT = Path(__file__).parent.parent.parent
MIGRATION = ROOT / "examples" / "migration"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example, which the test edits."""
    return Path(shutil.copytree(MIGRATION, tmp_path / "migration"))


def opened(folder: Path, **changes: Any) -> Subject:
    """Open a suite folder."""
    return open_subject(SubjectSpec("suite", str(folder), **changes))


def create(value: object) -> Case:
    """A create of a backup."""
    return Case(1, "backup.example.com", "v1", "Backup", Operation.CREATE, value)


def test_a_specification_travels_between_processes() -> None:
    """A specification is plain data."""
    spec = SubjectSpec("suite", "suites/claim_v1", {"ClaimPriority": False}, mode="given")
    assert spec == pickle.loads(pickle.dumps(spec))


NODE = f"node {ROOT / 'tests' / 'workers' / 'node_worker.mjs'}"


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js here")
def test_types_of_no_kind_of_a_program_are_rejected() -> None:
    """They would be ignored silently, so the error has the types of the kinds and those that were given."""
    with pytest.raises(UsageError, match="has none of the types of the program's kinds") as refused:
        open_subject(SubjectSpec("command", NODE, types=str(MIGRATION)))
    assert "note.Note" in str(refused.value)
    assert "migration.Backup" in str(refused.value)


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js here")
def test_types_under_another_import_path_are_an_error_with_the_right_option(tmp_path: Path) -> None:
    """The folder is right, and only its import path differs from that of the program."""
    shutil.copytree(ROOT / "tests" / "workers" / "note", tmp_path / "other")
    types = str(tmp_path / "other")
    with pytest.raises(UsageError, match=f"fix: --types note={types}"):
        open_subject(SubjectSpec("command", NODE, types=types))
    open_subject(SubjectSpec("command", NODE, types=f"note={types}")).close()


@pytest.mark.parametrize(("beside", "threads"), [(1, None), (2, 4), (3, 2), (99, 1)])
def test_workers_share_the_cores(monkeypatch: pytest.MonkeyPatch, beside: int, threads: int | None) -> None:
    """Each of several workers gets an equal number of cores, at least one; a single worker may use all."""
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr("harness.targets.kubernetes.release.type_folders", lambda location: {})
    wanted: list[int | None] = []

    class Started(Exception):
        """Stops the test after the arguments were recorded."""

    def start(location: str, *, jobs: int | None, **rest: object) -> None:
        wanted.append(jobs)
        raise Started

    monkeypatch.setattr("harness.targets.kubernetes.KubernetesTarget", start)
    with pytest.raises(Started):
        open_subject(SubjectSpec("kubernetes", "1.37.1", beside=beside))
    assert [threads] == wanted


def test_a_suite_is_opened_with_everything_a_run_needs() -> None:
    """Name, target, shape, known paths and the folder of the corpus are read from the suite."""
    with opened(MIGRATION) as subject:
        [info] = subject.target.info.kinds
        known = subject.is_known_path(info)
        assert ("migration", "suites/migration/v1.Backup", True) == (subject.name, info.type, info.rules)
        assert ["metadata", "spec"] == [member.name for member in subject.shape(info).fields]
        assert known is not None
        assert (True, False) == (known("spec.keepDays"), known("spec.keepDay"))
        assert MIGRATION / "corpus" == subject.corpus


def test_a_suite_chooses_the_release_of_its_tags(folder: Path) -> None:
    """1.35 has no lifecycle levels: the tags of the example are ignored, and notes name the release that added them."""
    place = folder / "suite.py"
    text = place.read_text(encoding="utf-8")
    place.write_text(text.replace('name="migration",', 'name="migration", release="1.35",'), encoding="utf-8")
    notes: list[str] = []
    with open_subject(SubjectSpec("suite", str(folder)), notes.append) as subject:
        [answer] = subject.target.ask([create({"spec": {"schedule": "nightly"}})])
    assert () == answer.declarative
    assert any("1.36" in note and "+k8s:beta" in note for note in notes)
    place.write_text(text.replace('name="migration",', 'name="migration", release="1.101",'), encoding="utf-8")
    with pytest.raises(UsageError, match=r"1\.33"):
        opened(folder)


def test_both_sides_of_a_suite_answer() -> None:
    """The declarative errors come from the compiled tags, the handwritten ones from the Python code."""
    with opened(MIGRATION) as subject:
        [answer] = subject.target.ask([create({"spec": {"schedule": "nightly"}})])
    expected = required(FieldPath().child("spec", "keepDays"), covered=True)
    assert (expected,) == answer.handwritten
    assert [("spec.keepDays", "beta")] == [(error.field, error.level) for error in answer.declarative]


def test_wrong_types_never_reach_the_validators() -> None:
    """A string instead of a number is a decode error."""
    with opened(MIGRATION) as subject:
        [answer] = subject.target.ask([create({"spec": {"keepDays": "7"}})])
    assert answer.failure is not None
    assert ("decode", "spec.keepDays: a whole number is needed, got '7'") == (
        answer.failure.stage,
        answer.failure.message,
    )


def test_gates_of_a_suite_can_be_set() -> None:
    """A gate sets the validation option that rules read."""
    with opened(ROOT / "suites" / "claim_v1", gates={"ClaimPriority": False}) as subject:
        assert [{"ClaimPriority": False}] * 2 == [info.options for info in subject.target.info.kinds]


def test_an_unknown_gate_is_an_error_with_the_known_ones() -> None:
    """A misspelt gate must not be ignored."""
    with pytest.raises(UsageError, match=r"no gate 'ClaimPriorit'[^?]*did you mean ClaimPriority\?"):
        opened(ROOT / "suites" / "claim_v1", gates={"ClaimPriorit": False})


def test_a_mistake_in_a_tag_has_its_line(folder: Path) -> None:
    """Types that do not compile are an error with all diagnostics."""
    types = folder / "types.go"
    types.write_text(types.read_text().replace("minimum=1", "minimum=one").replace("maxLength=32", "maxLength=-1"))
    with pytest.raises(InputError) as refused:
        opened(folder)
    text = types.read_text().splitlines()
    lines = {text[found.position.line - 1].strip().rpartition("=")[2] for found in refused.value.diagnostics}
    assert {"one", "-1"} == lines


def test_truncated_types_are_rejected(folder: Path) -> None:
    """Half a file is an error with diagnostics, not a traceback."""
    types = folder / "types.go"
    types.write_text(types.read_text()[:700])
    with pytest.raises(InputError):
        opened(folder)


def test_an_unknown_tag_is_a_note(folder: Path) -> None:
    """A misspelt tag is ignored like upstream, but reported."""
    types = folder / "types.go"
    types.write_text(types.read_text().replace("+k8s:optional\n", "+k8s:optionl\n", 1))
    notes: list[str] = []
    open_subject(SubjectSpec("suite", str(folder)), notes.append).close()
    assert [True] == ["optionl" in note for note in notes]


def test_a_missing_type_is_named(folder: Path) -> None:
    """A kind without a struct of its name is an error with the most similar name."""
    suite = folder / "suite.py"
    suite.write_text(suite.read_text().replace('kind="Backup"', 'kind="Backups"'))
    with pytest.raises(InputError, match="the type Backups is not declared") as refused:
        opened(folder)
    assert "did you mean Backup?" == refused.value.diagnostics[0].fix


def test_a_kind_that_is_not_a_root_type_is_a_note(folder: Path) -> None:
    """A kind whose tags are ignored is reported."""
    (folder / "doc.go").write_text("// +k8s:validation-gen=TypesWithField=Nothing\n\npackage v1\n")
    notes: list[str] = []
    with open_subject(SubjectSpec("suite", str(folder)), notes.append) as subject:
        assert not subject.target.info.kinds[0].rules
    assert ["is not a root type" in note for note in notes] == [True]


def test_a_suite_rejects_the_option_for_types(folder: Path) -> None:
    """They would be ignored otherwise."""
    with pytest.raises(UsageError, match="omit --types"):
        opened(folder, types="elsewhere")


def test_types_may_be_a_folder(folder: Path) -> None:
    """A version may name a folder with several files."""
    (folder / "api").mkdir()
    for name in ("doc.go", "types.go"):
        (folder / name).rename(folder / "api" / name)
    (folder / "api" / "types_test.go").write_text("this is not read\n")
    suite = folder / "suite.py"
    suite.write_text(suite.read_text().replace('"types.go"', '"api"'))
    with opened(folder) as subject:
        assert "suites/migration/api/v1.Backup" == subject.target.info.kinds[0].type


@pytest.mark.parametrize(
    "spec",
    [
        SubjectSpec("suite", "/nowhere/at/all"),
        SubjectSpec("command", ""),
        SubjectSpec("command", "/no/such/program"),
        SubjectSpec(cast(Any, "nothing"), "x"),
        SubjectSpec("command", sys.executable, types="/nowhere/at/all"),
        SubjectSpec("command", sys.executable, declarative="python"),
        SubjectSpec("kubernetes", "1.37.1", types="."),
    ],
)
def test_an_invalid_specification_is_an_error(spec: SubjectSpec) -> None:
    """It is raised as an error of the harness, which the command line prints without a traceback."""
    with pytest.raises(HarnessError) as refused:
        open_subject(spec)
    assert "fix" in str(refused.value)


ROOT = Path(__file__).parents[2]


def test_a_suite_has_the_types_of_its_versions() -> None:
    """The API has a package for each version, in the group of the suite."""
    api = api_of(SubjectSpec("suite", str(ROOT / "suites" / "workload_v1")))
    assert api is not None
    assert {"fleet.example.com"} == {package.group for package in api.packages}
    assert all(api.universe.find(f"{package.path}.Workload") for package in api.packages)


def test_a_program_has_the_types_of_the_option(tmp_path: Path) -> None:
    """Without --types, a program has no API."""
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "types.go").write_text("package v1\n\ntype T struct{}\n")
    api = api_of(SubjectSpec("command", "true", types=f"example.com/v1={tmp_path / 'v1'}"))
    assert api is not None
    assert ["example.com/v1"] == [package.path for package in api.packages]
    assert api_of(SubjectSpec("command", "true")) is None


def test_an_api_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    """The same error as when the subject is opened."""
    with pytest.raises(HarnessError):
        api_of(SubjectSpec("suite", str(tmp_path)))
