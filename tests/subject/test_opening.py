"""Opening a subject: suites with their types and validators, and a clear word when something does not fit."""

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
    """A copy of the example to break."""
    return Path(shutil.copytree(MIGRATION, tmp_path / "migration"))


def opened(folder: Path, **changes: Any) -> Subject:
    """Open a suite folder."""
    return open_subject(SubjectSpec("suite", str(folder), **changes))


def create(value: object) -> Case:
    """A create of a backup."""
    return Case(1, "backup.example.com", "v1", "Backup", Operation.CREATE, value)


def test_a_specification_travels_between_processes() -> None:
    """What names a subject is plain data."""
    spec = SubjectSpec("suite", "suites/claim_v1", {"ClaimPriority": False}, mode="given")
    assert spec == pickle.loads(pickle.dumps(spec))


NODE = f"node {ROOT / 'tests' / 'workers' / 'node_worker.mjs'}"


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js here")
def test_types_of_no_kind_of_a_program_are_refused() -> None:
    """They would be ignored in silence, and most objects could not be decoded: both sets of names are told."""
    with pytest.raises(UsageError, match="has the type of no kind of the program") as refused:
        open_subject(SubjectSpec("command", NODE, types=str(MIGRATION)))
    assert "note.Note" in str(refused.value)
    assert "migration.Backup" in str(refused.value)


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js here")
def test_types_under_another_import_path_get_the_option_that_mends_it(tmp_path: Path) -> None:
    """The folder is right, and only its import path is not that of the program."""
    shutil.copytree(ROOT / "tests" / "workers" / "note", tmp_path / "other")
    types = str(tmp_path / "other")
    with pytest.raises(UsageError, match=f"fix: --types note={types}"):
        open_subject(SubjectSpec("command", NODE, types=types))
    open_subject(SubjectSpec("command", NODE, types=f"note={types}")).close()


@pytest.mark.parametrize(("beside", "threads"), [(1, None), (2, 4), (3, 2), (99, 1)])
def test_workers_share_the_cores(monkeypatch: pytest.MonkeyPatch, beside: int, threads: int | None) -> None:
    """A worker gets its part of the cores when others work beside it, one at least; alone it may take all."""
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    monkeypatch.setattr("harness.targets.kubernetes.release.type_folders", lambda location: {})
    wanted: list[int | None] = []

    class Started(Exception):
        """Enough was seen."""

    def start(location: str, *, jobs: int | None, **rest: object) -> None:
        wanted.append(jobs)
        raise Started

    monkeypatch.setattr("harness.targets.kubernetes.KubernetesTarget", start)
    with pytest.raises(Started):
        open_subject(SubjectSpec("kubernetes", "1.37.1", beside=beside))
    assert [threads] == wanted


def test_a_suite_is_opened_with_everything_a_run_wants() -> None:
    """Name, target, shape, known paths and the place of the corpus come from the folder."""
    with opened(MIGRATION) as subject:
        [info] = subject.target.info.kinds
        known = subject.is_known_path(info)
        assert ("migration", "suites/migration/v1.Backup", True) == (subject.name, info.type, info.rules)
        assert ["metadata", "spec"] == [member.name for member in subject.shape(info).fields]
        assert known is not None
        assert (True, False) == (known("spec.keepDays"), known("spec.keepDay"))
        assert MIGRATION / "corpus" == subject.corpus


def test_a_suite_chooses_the_release_of_its_tags(folder: Path) -> None:
    """1.35 has no levels: the example's rules would be none, and each is named with the release that brought it."""
    place = folder / "suite.py"
    text = place.read_text(encoding="utf-8")
    place.write_text(text.replace('name="migration",', 'name="migration", release="1.35",'), encoding="utf-8")
    notes: list[str] = []
    with open_subject(SubjectSpec("suite", str(folder)), notes.append) as subject:
        [answer] = subject.target.ask([create({"spec": {"schedule": "nightly"}})])
    assert () == answer.declarative
    assert any("1.36" in note and "+k8s:beta" in note for note in notes)
    place.write_text(text.replace('name="migration",', 'name="migration", release="1.101",'), encoding="utf-8")
    with pytest.raises(UsageError, match=r"1\.34"):
        opened(folder)


def test_both_sides_of_a_suite_answer() -> None:
    """The tags are compiled and the Python is called."""
    with opened(MIGRATION) as subject:
        [answer] = subject.target.ask([create({"spec": {"schedule": "nightly"}})])
    expected = required(FieldPath().child("spec", "keepDays"), covered=True)
    assert (expected,) == answer.handwritten
    assert [("spec.keepDays", "beta")] == [(error.field, error.level) for error in answer.declarative]


def test_wrong_types_never_reach_the_validators() -> None:
    """A string where a number belongs is refused when it is decoded."""
    with opened(MIGRATION) as subject:
        [answer] = subject.target.ask([create({"spec": {"keepDays": "7"}})])
    assert answer.failure is not None
    assert ("decode", "spec.keepDays: a whole number is needed, got '7'") == (
        answer.failure.stage,
        answer.failure.message,
    )


def test_gates_of_a_suite_can_be_set() -> None:
    """A gate reaches the options of the rules."""
    with opened(ROOT / "suites" / "claim_v1", gates={"ClaimPriority": False}) as subject:
        assert [{"ClaimPriority": False}] * 2 == [info.options for info in subject.target.info.kinds]


def test_an_unknown_gate_is_refused_with_the_known_ones() -> None:
    """A misspelt gate would otherwise be believed."""
    with pytest.raises(UsageError, match=r"no gate 'ClaimPriorit'[^?]*did you mean ClaimPriority\?"):
        opened(ROOT / "suites" / "claim_v1", gates={"ClaimPriorit": False})


def test_a_mistake_in_a_tag_has_its_line(folder: Path) -> None:
    """Types that do not compile stop the opening with every diagnostic."""
    types = folder / "types.go"
    types.write_text(types.read_text().replace("minimum=1", "minimum=one").replace("maxLength=32", "maxLength=-1"))
    with pytest.raises(InputError) as refused:
        opened(folder)
    text = types.read_text().splitlines()
    lines = {text[found.position.line - 1].strip().rpartition("=")[2] for found in refused.value.diagnostics}
    assert {"one", "-1"} == lines


def test_types_cut_off_in_the_middle_are_refused(folder: Path) -> None:
    """Half a file gives diagnostics, not a traceback."""
    types = folder / "types.go"
    types.write_text(types.read_text()[:700])
    with pytest.raises(InputError):
        opened(folder)


def test_an_unknown_tag_is_told_and_not_fatal(folder: Path) -> None:
    """As upstream a misspelt tag is ignored, but somebody says so."""
    types = folder / "types.go"
    types.write_text(types.read_text().replace("+k8s:optional\n", "+k8s:optionl\n", 1))
    notes: list[str] = []
    open_subject(SubjectSpec("suite", str(folder)), notes.append).close()
    assert [True] == ["optionl" in note for note in notes]


def test_a_missing_type_is_named(folder: Path) -> None:
    """A kind without a struct of its name is told the near miss."""
    suite = folder / "suite.py"
    suite.write_text(suite.read_text().replace('kind="Backup"', 'kind="Backups"'))
    with pytest.raises(InputError, match="no type Backups here") as refused:
        opened(folder)
    assert "did you mean Backup?" == refused.value.diagnostics[0].fix


def test_a_type_that_is_no_root_is_told(folder: Path) -> None:
    """A kind whose tags do not count is no silent success."""
    (folder / "doc.go").write_text("// +k8s:validation-gen=TypesWithField=Nothing\n\npackage v1\n")
    notes: list[str] = []
    with open_subject(SubjectSpec("suite", str(folder)), notes.append) as subject:
        assert not subject.target.info.kinds[0].rules
    assert ["is no root type" in note for note in notes] == [True]


def test_a_suite_takes_no_types_from_outside(folder: Path) -> None:
    """Types that would be ignored are refused."""
    with pytest.raises(UsageError, match="leave --types out"):
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
def test_what_cannot_be_opened_gets_a_message(spec: SubjectSpec) -> None:
    """Every wrong specification is an error for people."""
    with pytest.raises(HarnessError) as refused:
        open_subject(spec)
    assert "fix" in str(refused.value)


ROOT = Path(__file__).parents[2]


def test_a_suite_has_the_types_of_its_versions() -> None:
    """In packages of its group."""
    api = api_of(SubjectSpec("suite", str(ROOT / "suites" / "workload_v1")))
    assert api is not None
    assert {"fleet.example.com"} == {package.group for package in api.packages}
    assert all(api.universe.find(f"{package.path}.Workload") for package in api.packages)


def test_a_program_has_the_types_that_are_named(tmp_path: Path) -> None:
    """And none otherwise."""
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "types.go").write_text("package v1\n\ntype T struct{}\n")
    api = api_of(SubjectSpec("command", "true", types=f"example.com/v1={tmp_path / 'v1'}"))
    assert api is not None
    assert ["example.com/v1"] == [package.path for package in api.packages]
    assert api_of(SubjectSpec("command", "true")) is None


def test_what_cannot_be_opened_is_told(tmp_path: Path) -> None:
    """As opening the subject tells it."""
    with pytest.raises(HarnessError):
        api_of(SubjectSpec("suite", str(tmp_path)))
