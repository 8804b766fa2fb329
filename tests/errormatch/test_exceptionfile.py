"""The exceptions file: which findings entries tolerate, and the diagnostics of invalid entries."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from harness.compare.finding import CAUSE_CODES
from harness.compare.finding import SEVERITIES as ALL_SEVERITIES
from harness.compare.mismatch import MismatchKind
from harness.diagnostics import InputError
from harness.errormatch.exceptionentry import SEVERITIES
from harness.errormatch.exceptionfile import NO_EXCEPTIONS, ExceptionFile, ExceptionOutcome, load_exceptions
from harness.errormatch.exceptionform import MISMATCHES

TODAY = date(2026, 11, 21)

ENTRY = {
    "suite": "example_v1",
    "kind": "Workload",
    "path": "spec.ports[*]",
    "type": "FieldValueDuplicate",
    "origin": '""',
    "mismatch": "extra",
    "cause": "no-counterpart",
    "severity": "graduation",
    "reason": "the handwritten check compares names per protocol; it goes away with v2",
    "owner": "sig-example",
    "until": "2027-01-31",
}


class Found(msgspec.Struct, frozen=True):
    """The attributes of a finding that exceptions read."""

    kind: str = "Workload"
    path: str = "spec.ports[*]"
    type: str = "FieldValueDuplicate"
    origin: str = ""
    mismatch: str = "extra"
    cause: str = "no-counterpart"
    severity: str = "graduation"
    exception: str | None = None
    version: str = "v1beta1"


def text(*entries: dict[str, str]) -> str:
    return "".join("- " + "\n  ".join(f"{key}: {value}" for key, value in entry.items()) + "\n" for entry in entries)


def read(tmp_path: Path, content: str) -> ExceptionFile:
    file = tmp_path / "equivalence_exceptions.yaml"
    file.write_text(content)
    return load_exceptions(file, TODAY, CAUSE_CODES)


def complaints(tmp_path: Path, content: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(tmp_path, content)
    return [f"{d.position.line}: {d.code}: {d.message} | {d.why} | {d.fix}" for d in caught.value.diagnostics]


def apply(tmp_path: Path, *findings: Found, subject: str = "example_v1", **changes: str) -> ExceptionOutcome[Found]:
    return read(tmp_path, text({**ENTRY, **changes})).apply(findings, subject)


def test_the_example_of_the_style_guide(tmp_path: Path) -> None:
    """The tolerated finding is marked, the entry is used, and the run does not fail."""
    outcome = apply(tmp_path, Found())
    (entry,) = outcome.used
    assert [entry.id] == [finding.exception for finding in outcome.findings]
    assert (entry.owner, entry.until) == ("sig-example", date(2027, 1, 31))
    assert (outcome.beyond, outcome.diagnostics, outcome.failed) == ((), (), False)


OTHERS = [
    Found(kind="Pod"),
    Found(path="spec.ports[*].name"),
    Found(type="FieldValueInvalid"),
    Found(origin="unique"),
    Found(mismatch="unmatched"),
    Found(cause="masked"),
    Found(severity="verdict"),
]


@pytest.mark.parametrize("finding", OTHERS, ids=lambda f: f"{f}")
def test_any_other_finding_is_not_tolerated(tmp_path: Path, finding: Found) -> None:
    """Each key of the scope is compared, and a worse severity is not tolerated."""
    outcome = apply(tmp_path, finding)
    assert (finding,) == outcome.beyond
    assert ((), True) == (outcome.used, outcome.failed)


@pytest.mark.parametrize("severity", ["graduation", "visible", "shadow", "unreachable"])
def test_a_milder_finding_is_tolerated(tmp_path: Path, severity: str) -> None:
    """The severity of an entry is the worst that it tolerates."""
    assert not apply(tmp_path, Found(severity=severity)).failed


def test_stars_are_explicit(tmp_path: Path) -> None:
    """A star as a value matches any value of its key."""
    outcome = apply(tmp_path, Found(kind="Pod", origin="x"), kind='"*"', origin='"*"')
    assert not outcome.failed
    assert apply(tmp_path, Found(kind="Pod", path="spec.x"), kind='"*"').failed


def test_entries_of_other_subjects_are_ignored(tmp_path: Path) -> None:
    """An entry of another suite tolerates no finding of this one; an entry for all suites does."""
    other = apply(tmp_path, subject="kubernetes")
    assert (other.used, other.diagnostics) == ((), ())
    assert (Found(),) == apply(tmp_path, Found(), subject="kubernetes").beyond
    everywhere = apply(tmp_path, Found(), subject="kubernetes", suite='"*"')
    assert () == everywhere.beyond


@pytest.mark.parametrize(("until", "expired"), [("2026-11-20", True), ("2026-11-21", False)])
def test_an_expired_entry_fails_the_run(tmp_path: Path, until: str, expired: bool) -> None:
    """An entry is valid on its last day. Then it tolerates no finding, and fails the runs of its suite only."""
    outcome = apply(tmp_path, Found(), until=until)
    assert expired == outcome.failed
    assert ([Found()] if expired else []) == list(outcome.beyond)
    assert (["exception-expired"] if expired else []) == [d.code for d in outcome.diagnostics]
    assert () == apply(tmp_path, subject="kubernetes", until=until).expired


def test_an_id_outlives_editing(tmp_path: Path) -> None:
    """The id depends on the scope, not on the position or the reason."""
    first = read(tmp_path, text(ENTRY)).entries[0]
    moved = read(tmp_path, text({**ENTRY, "kind": "Pod"}, {**ENTRY, "reason": "better", "owner": "me"})).entries
    assert first.id == moved[1].id != moved[0].id


MISTAKES = [
    ({"pth": "x"}, ["did you mean path?"]),
    ({"until": "soon"}, ["11: exception-value: until must be a day, got 'soon'"]),
    ({"until": "20270131"}, ["until must be a day"]),
    ({"severity": "shadows"}, ["8: exception-value: unknown severity 'shadows'", "did you mean shadow?"]),
    ({"severity": '"*"'}, ["must name one"]),
    ({"mismatch": "extras"}, ["did you mean extra?"]),
    ({"cause": "nocounterpart"}, ["did you mean no-counterpart?"]),
    ({"type": "FieldValueDuplicat"}, ["did you mean FieldValueDuplicate?"]),
    ({"path": "spec.*"}, ["3: exception-value: path contains a single *"]),
    ({"kind": "Work*"}, ["kind contains a single *"]),
    ({"kind": "*x"}, ["exception-yaml", 'write "*" with its quotation marks']),
    ({"suite": '"*"', "path": '"*"'}, ["1: exception-wide: suite and path are both open"]),
    ({"kind": '"*"', "path": '"*"', "type": '"*"', "origin": '"*"'}, ["4 keys are open: kind, path, type, origin"]),
    ({"owner": ""}, ["10: exception-value: owner is empty"]),
    ({"origin": ""}, ['origin: ""']),
    ({"owner": "[a, b]"}, ["owner must be a text"]),
]


@pytest.mark.parametrize(("changes", "expected"), MISTAKES)
def test_mistakes_in_an_entry(tmp_path: Path, changes: dict[str, str], expected: list[str]) -> None:
    """Every mistake is a diagnostic with its line, the reason and a fix."""
    said = "\n".join(complaints(tmp_path, text({**ENTRY, **changes})))
    assert all(part in said for part in expected)


@pytest.mark.parametrize("key", list(ENTRY))
def test_every_key_is_mandatory(tmp_path: Path, key: str) -> None:
    """A missing key is a diagnostic."""
    (said,) = complaints(tmp_path, text({name: value for name, value in ENTRY.items() if name != key}))
    assert f"1: exception-missing: missing {key}" in said


def test_a_link_is_optional(tmp_path: Path) -> None:
    """An entry without a link is valid."""
    assert read(tmp_path, text({**ENTRY, "link": "https://x"})).entries[0].link == "https://x"


def test_a_foreign_type_is_allowed(tmp_path: Path) -> None:
    """Workers in other languages may have types of their own."""
    assert read(tmp_path, text({**ENTRY, "type": "max_digits"})).entries[0].scope["type"] == "max_digits"


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    """The diagnostics are in the order of the file."""
    content = text({**ENTRY, "severity": "bad"}, ENTRY, ENTRY, {**ENTRY, "kind": "A", "until": "x"}) + "- 3\n"
    lines = [said.split(":")[0] for said in complaints(tmp_path, content)]
    assert lines == ["8", "23", "44", "45"]


SHAPES = [
    ("a: b\n", "1: exception-shape: the file must be a list"),
    ("- [x]\n", "1: exception-shape: an entry must have keys"),
    ("- suite: [\n", "exception-yaml"),
    ("- {suite: a, suite: b}\n", "the entry has the key 'suite' twice"),
    ("- {? [a] : b}\n", "unknown key ''"),
    ("\x00", "exception-yaml"),
    ("- a\n---\n- b\n", "exception-yaml"),
    ("[" * 1100, "input-limit"),
]


@pytest.mark.parametrize(("content", "expected"), SHAPES, ids=range(len(SHAPES)))
def test_files_of_another_shape(tmp_path: Path, content: str, expected: str) -> None:
    """A file with any other content is a diagnostic and not a traceback."""
    assert expected in "\n".join(complaints(tmp_path, content))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a folder, and bytes that are not text have different diagnostics."""
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\xff")
    for file in (tmp_path / "missing.yaml", tmp_path, binary):
        with pytest.raises(InputError, match="exception-file: cannot be read"):
            load_exceptions(file, TODAY, CAUSE_CODES)


@pytest.mark.parametrize("content", ["", "# nothing\n", "[]\n", "null\n"])
def test_an_empty_file_tolerates_nothing(tmp_path: Path, content: str) -> None:
    """It has no entries and no diagnostics."""
    assert read(tmp_path, content).entries == ()
    assert not NO_EXCEPTIONS.apply([], "s").failed
    assert NO_EXCEPTIONS.apply([Found()], "s").failed


def test_severities_and_kinds_are_those_of_the_judge() -> None:
    """They are declared in both layers, because this layer may not import the judge."""
    assert (ALL_SEVERITIES, get_args(MismatchKind)) == (SEVERITIES, MISMATCHES)


def test_an_entry_may_be_for_one_version(tmp_path: Path) -> None:
    """It has an id of its own, is named with it, and tolerates nothing in other versions, where it is unused."""
    outcome = apply(tmp_path, Found(), Found(version="v1"), version="v1beta1")
    (entry,) = outcome.used
    assert ([entry.id, None], "Workload of v1beta1 spec.ports[*] FieldValueDuplicate") == (
        [one.exception for one in outcome.findings], entry.about,
    )  # fmt: skip
    assert entry.id != apply(tmp_path, Found()).used[0].id
    assert [None] == [one.exception for one in apply(tmp_path, Found(version="v1"), version="v1beta1").findings]


def test_a_version_is_one_of_the_group(tmp_path: Path) -> None:
    """Any is said by leaving the key out, and the group is not part of it."""
    for wrong in ('"*"', "apps/v1"):
        (told,) = complaints(tmp_path, text({**ENTRY, "version": wrong}))
        assert "exception-value: unknown version" in told
