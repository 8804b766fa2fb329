"""What a change does to CRDs: each field whose constraints or rules differ, what differs, and a verdict for each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.diagnostics import UsageError
from harness.verify.change import Change
from harness.verify.crdchange import read_crd_change
from tests.verify.checkout import commit, git

CRD = Path(__file__).parents[1] / "crds" / "after" / "backups.yaml"
TEXT = CRD.read_text(encoding="utf-8")
FILE = "config/crd/backups.yaml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout with a CRD, and a validator in Go and one in Python."""
    git(tmp_path, "init", "-q", "-b", "main")
    write(tmp_path, TEXT)
    (tmp_path / "checks.py").write_text("def validate(new, old):\n    return []\n")
    commit(tmp_path, "base")
    git(tmp_path, "tag", "base")
    return tmp_path


def write(folder: Path, text: str, file: str = FILE) -> None:
    """Write the CRD."""
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(text, encoding="utf-8")


def change(
    project: Path, old: str = "", new: str = "", fields: tuple[str, ...] = (), validator: bool = False
) -> Change:
    """Replace text of the CRD, and read what that changes."""
    assert old in TEXT
    write(project, TEXT.replace(old, new, 1) if old else TEXT)
    return read_crd_change(project, "base", "config/crd", fields, has_validator=validator)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("maximum: 366", "maximum: 400", {("spec.retentionDays", "changed", "maximum 366 is now 400")}),
        ("                  minimum: 1\n", "", {("spec.retentionDays", "removed", "minimum 1")}),
        ("required: [schedule, source]", "required: [source]", {("spec.schedule", "removed", "required true")}),
        ("self.type == oldSelf.type", "true", {
            ("spec.source", "removed", "rule self.type == oldSelf.type"), ("spec.source", "added", "rule true")}),
        ("enum: [Volume, Bucket]", "enum: [Volume]",
         {("spec.source.type", "changed", 'enum ["Volume", "Bucket"] is now ["Volume"]')}),
        ("items: {type: string, minLength: 1, maxLength: 64}", "items: {type: string, minLength: 1, maxLength: 65}",
         {("spec.excludes[*]", "changed", "maxLength 64 is now 65")}),
        ("path: {type: string}", "folder: {type: string}", {
            ("spec.source.volume.path", "removed", "the field is removed"),
            ("spec.source.volume.folder", "added", "the field is added")}),
        ("path: {type: string}", "path: {type: string, description: where}", set()),
        ("path: {type: string}", "path: {type: string, x-kubernetes-validations: [self.a]}",
         {("spec.source.volume.path", "added", "rule self.a")}),
        ("path: {type: string}", "path: {type: string, x-kubernetes-validations: {rule: a}}", {
            ("spec.source.volume.path", "added", "rule a")}),
    ],
)  # fmt: skip
def test_what_differs(project: Path, old: str, new: str, expected: set[tuple[str, str, str]]) -> None:
    """Each keyword and each rule of a field is told, with the line where it stands now or stood; words are none."""
    found = change(project, old, new)
    assert expected == {(one.paths[0].path, why.event, why.sentence) for one in found.fields for why in one.reasons}
    assert bool(expected) is not bool(found.nothing_touched)
    for one in found.fields:
        assert FILE in (one.position or one.position_before).file  # type: ignore[union-attr]
        assert (one.position or one.position_before).line > 25  # type: ignore[union-attr]


def test_the_rules_of_a_field(project: Path) -> None:
    """Those of before and after, with their limits."""
    (field,) = change(project, "maximum: 366", "maximum: 400").fields
    limits = [[one.limit for one in rules if one.tag == "maximum"] for rules in (field.rules_before, field.rules_after)]
    assert ([[366], [400]], "Backup.spec.retentionDays") == (limits, field.name)


def test_a_named_field_alone(project: Path) -> None:
    """Others are left out, and one that the change does not touch is told."""
    write(project, TEXT)
    found = change(project, "maximum: 366", "maximum: 400", ("spec.retentionDays",))
    assert ["spec.retentionDays"] == [path for kind in found.kinds for path in kind.paths]
    assert (
        "does not touch spec.copies" in change(project, "maximum: 366", "maximum: 9", ("spec.copies",)).nothing_touched
    )


def test_code_of_a_validator(project: Path) -> None:
    """Where it changed every kind is touched as a whole, but only if a validator is named."""
    (project / "checks.py").write_text("def validate(new, old):\n    return ['no']\n")
    assert [] == list(change(project).kinds)
    (kind,) = change(project, validator=True).kinds
    assert (True, "handwritten") == (kind.whole, kind.reasons[0].cause)


def test_a_version_that_is_gone(project: Path) -> None:
    """It is told; a folder outside of the checkout is refused."""
    found = change(project, "    - name: v1\n", "    - name: v2\n")
    assert any("storage.example.com/v1 Backup is no longer served" in note for note in found.notes)
    assert [("v2", False)] == [(kind.name.version, kind.in_base) for kind in found.kinds]
    with pytest.raises(UsageError, match="is not in"):
        read_crd_change(project, "base", "/tmp")


def verify(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in the project."""
    command = [sys.executable, "-m", "harness", "verify", "--crd", "config/crd", "--base", "base", "--jobs", "1"]
    return subprocess.run([*command, *arguments], cwd=project, capture_output=True, text=True, check=False)


@pytest.mark.kubernetes
def test_a_verdict_for_each_field(project: Path) -> None:
    """A limit that changes what users may write is different; one beside another that says less is equivalent."""
    write(project, TEXT.replace("maximum: 366", "maximum: 367").replace("maxItems: 16,", "maxItems: 16, minItems: 0,"))
    done = verify(project, "--max-cases", "1500", "--json", "r.json")
    assert 1 == done.returncode, done.stderr
    report = json.loads((project / "r.json").read_text())["verification"]
    assert {"spec.retentionDays": "different", "spec.hooks[*].command": "equivalent"} == {
        one["paths"][0]["path"]: one["verdict"] for one in report["fields"]
    }
    assert "newly-accepted" in {one["direction"] for one in report["changes"] if one["fields"]}


@pytest.mark.kubernetes
def test_a_validator_that_forgets(project: Path) -> None:
    """With a validator, what it and the rules say is compared too, and the base was as bad; no change asks nothing."""
    done = verify(project, "--function", "checks.py:validate")
    assert (0, True) == (done.returncode, "nothing" in done.stdout.lower())
    write(project, TEXT.replace('                - rule: "self.port != 0" # raises where there is no port\n', ""))
    done = verify(project, "--function", "checks.py:validate", "--max-cases", "1000", "--json", "r.json")
    assert 1 == done.returncode, done.stderr
    report = json.loads((project / "r.json").read_text())
    assert any(one["path"] == "spec.source" for one in report["verification"]["known"])
    assert "different" == next(
        one["verdict"] for one in report["verification"]["fields"] if one["name"] == "Backup.spec"
    )
