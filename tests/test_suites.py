"""The embedded suites: their examples say what both sides think, and the engine finds nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.case import Answer, Case, KindInfo, Operation
from harness.compare.comparator import Comparator
from harness.compare.composition import settings
from harness.errormatch.matcher import matcher_for
from harness.events import Budget, Result
from harness.subject import Subject, SubjectSpec, open_subject

ROOT = Path(__file__).parent.parent
SUITES = ("workload_v1", "claim_v1", "certificate_v1", "policy_v1")
EXAMPLES = sorted(path for name in SUITES for path in (ROOT / "suites" / name / "examples").glob("*.yaml"))

_EXPECTED = re.compile(r"^# expect: (\S+) (\S+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def subjects() -> Iterator[dict[str, Subject]]:
    """Every suite, opened once."""
    opened = {name: open_subject(SubjectSpec("suite", str(ROOT / "suites" / name))) for name in SUITES}
    yield opened
    for subject in opened.values():
        subject.close()


_FORGIVING = """    errors = []
    if old_spec is None or spec.get("destination") != old_spec.get("destination"):
        errors = validate_destination(spec.get("destination", ""), path.child("destination"))
"""


def kind_of(subject: Subject, value: dict[str, Any]) -> KindInfo:
    """What an example is an object of."""
    info = subject.target.info
    return next(
        kind
        for kind in info.kinds
        if (kind.api_version, kind.kind, kind.subresource) == (value["apiVersion"], value["kind"], "")
    )


def answer_of(subject: Subject, value: dict[str, Any]) -> tuple[KindInfo, Case, Answer]:
    """Ask for the creation of an example, all versions, twice."""
    info = kind_of(subject, value)
    case = info.case(Operation.CREATE, value, id=1, versions=bool(info.versions), repeat=True)
    [answer] = subject.target.ask([case])
    return info, case, answer


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_examples_get_the_errors_they_note(subjects: dict[str, Subject], path: Path) -> None:
    """A valid example is accepted under every setting; an invalid one gets exactly the errors noted at its top."""
    text = path.read_text()
    expected = {(kind, field) for kind, field in _EXPECTED.findall(text)}
    assert path.name.startswith("invalid") == bool(expected)
    subject = subjects[path.parent.parent.name]
    info, case, answer = answer_of(subject, yaml.safe_load(text))
    assert answer.failure is None
    comparator = Comparator(info, is_known_path=subject.is_known_path(info))
    assert comparator.compare(case, answer) == []
    normalize = matcher_for(info.normalization).normalize
    for served in comparator.served(answer):
        assert expected == {(error.type, normalize(error.field)) for error in served.errors}, served.setting


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_shows_good_and_bad_objects(name: str) -> None:
    """Each suite has examples of both sorts, so that a reader sees what it is about."""
    sorts = {path.name.partition("-")[0] for path in EXAMPLES if path.parent.parent.name == name}
    assert {"valid", "invalid"} == sorts


def test_the_suites_use_every_tag_together() -> None:
    """Each tag that the embedded suites are to show is used in one of them."""
    text = "\n".join(path.read_text() for path in (ROOT / "suites").rglob("*.go"))
    used = set(re.findall(r"\+k8s:(\w+)", text))
    wanted = """required optional forbidden minimum maximum minLength maxLength maxBytes minItems maxItems enum format
        immutable update listType listMapKey unique eachKey eachVal item subfield unionMember unionDiscriminator
        zeroOrOneOfMember alpha beta ifEnabled ifDisabled isSubresource supportsSubresource"""
    assert set() == set(wanted.split()) - used


def run(folder: str, cases: int, **gates: bool) -> Result:
    """Let the engine search a suite."""
    from harness.engine import RunConfig
    from harness.engine import run as run_engine

    spec = SubjectSpec("suite", str(ROOT / folder), gates=gates)
    return run_engine(spec, RunConfig(seed=1, budget=Budget(max_cases=cases)))


@pytest.mark.parametrize("name", SUITES)
def test_the_engine_finds_no_difference(name: str) -> None:
    """Both sides of an embedded suite agree on thousands of cases, and every kind and operation was really compared."""
    result = run(f"suites/{name}", 4000)
    assert [(one.cause, one.path, one.type, one.detail) for one in result.findings] == []
    assert [(kind.kind.name, kind.operation) for kind in result.kinds if not kind.has_seed] == []
    assert result.compared > 3500


def test_the_first_command_of_the_readme_finds_no_difference(tmp_path: Path) -> None:
    """`harness run` as a new user types it, with its own budget and seed, searches every suite and is green."""
    command = [sys.executable, "-m", "harness", "run", "--report", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert 0 == done.returncode, done.stdout + done.stderr
    assert "19 of 19 kinds and operations searched, 19 with an accepted object" in done.stdout


def test_the_engine_finds_no_difference_without_the_feature() -> None:
    """The claim agrees with its gate off, too."""
    result = run("suites/claim_v1", 3000, ClaimPriority=False)
    assert [(one.cause, one.path, one.type, one.detail) for one in result.findings] == []


def test_the_example_has_exactly_its_three_mistakes() -> None:
    """The migration of the README differs in three places, and each is explained by its cause."""
    result = run("examples/migration", 3000)
    assert sorted((one.cause, one.severity, one.operation, one.path) for one in result.findings) == [
        ("boundary", "verdict", "create", "spec.keepDays"),
        ("ratcheting", "graduation", "update", "spec.destination"),
        ("unmarked", "visible", "create", "spec.schedule"),
    ]


def test_the_example_is_equivalent_once_it_is_mended(tmp_path: Path) -> None:
    """The three remedies of the example's page are enough."""
    folder = Path(shutil.copytree(ROOT / "examples" / "migration", tmp_path / "migration"))
    remedies = {
        "types.go": [("maximum=28", "maximum=29")],
        "handwritten.py": [
            ("or equal to 28", "or equal to 29"),
            ('    errors = validate_destination(spec.get("destination", ""), path.child("destination"))\n', _FORGIVING),
            ('origin="format=k8s-short-name")', 'origin="format=k8s-short-name", covered=True)'),
        ],
    }
    for name, changes in remedies.items():
        text = (folder / name).read_text()
        for old, new in changes:
            assert 1 == text.count(old)
            text = text.replace(old, new)
        (folder / name).write_text(text)
    assert () == run(str(folder), 3000).findings


def test_compositions_have_settings() -> None:
    """The suites compose as the newest release does: beta on, beta off, and the end of the migration."""
    assert [setting.name for setting in settings("levels")] == ["beta-on", "beta-off", "graduated"]
