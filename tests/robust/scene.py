"""A small project for hostile files and options: a suite with a difference that shows in every run, and its reports."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

TYPES = """package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ThingSpec `json:"spec"`
}

type ThingSpec struct {
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:maxLength=8
	Name string `json:"name,omitempty"`
	// +k8s:beta(since: "1.37")=+k8s:minimum=0
	Size int32 `json:"size,omitempty"`
	// +k8s:optional
	Count *int32 `json:"count,omitempty"`
	Tags []string `json:"tags,omitempty"`
}
"""
HANDWRITTEN = """from harness.field.make import invalid
from harness.field.path import Path


def validate(new, old, context):
    size = new.get("spec", {}).get("size", 0)
    return [invalid(Path().child("spec", "size"), size, "must be odd", covered=True)] if size % 2 == 0 else []
"""
SUITE = """from harness.suite import Suite, SuiteKind

from .handwritten import validate

SUITE = Suite(
    name="thing_v1",
    group="thing.example.com",
    kinds=[SuiteKind(kind="Thing", resource="things", versions={"v1": "types.go"}, handwritten=validate)],
)
"""
MANIFEST = """apiVersion: thing.example.com/v1
kind: Thing
metadata: {name: one, namespace: default}
spec:
  name: "one"
  size: 1
  tags: [a, b]
"""
CASE = '{"object": {"apiVersion": "thing.example.com/v1", "kind": "Thing", "spec": {"size": 2}}}'
SETTINGS = "seed = 3\n\n[run]\nmax-cases = 50\n"
WORDINGS = """- handwritten: must be odd
  declarative: must be strange
  reason: says the same
"""
RATCHET = "cases: 10\nthing.example.com/v1 Thing spec.name FieldValueTooLong/maxLength: accepted since 2026-11-21\n"
SURVIVORS = "- mutant: nothing\n  equivalent: nobody can show it\n"

LITTLE = ("--max-cases", "60", "--jobs", "1")
"""A budget that meets the difference."""


def write_suite(root: Path) -> Path:
    """Write the suite alone. Returns: its folder."""
    thing = root / "thing"
    thing.mkdir()
    for name, text in (("types.go", TYPES), ("handwritten.py", HANDWRITTEN), ("suite.py", SUITE)):
        (thing / name).write_text(text)
    return thing


def build(root: Path, run: Callable[[list[str]], object]) -> None:
    """Write the project into an empty folder that is the current one; `run` runs a command line."""
    thing = write_suite(root)
    (thing / "corpus").mkdir()
    (thing / "corpus" / "one.json").write_text(
        '{"id": 1, "group": "thing.example.com", "version": "v1", "kind": "Thing", "resource": "things", '
        '"operation": "create", "object": {"spec": {"size": 3}}}'
    )
    for name, text in (
        ("new.yaml", MANIFEST), ("old.yaml", MANIFEST.replace("size: 1", "size: 3")), ("cases.ndjson", CASE + "\n"),
        ("case.json", CASE), ("other.toml", SETTINGS),
    ):  # fmt: skip
        (root / name).write_text(text)
    run(["run", "thing", *LITTLE, "--report", "out", "--corpus", "kept"])
    shutil.copy(root / "out" / "report.json", root / "report.json")
    run(["record", "thing", *LITTLE, "--output", "thing.recording"])
    run(["power", "thing", "--max-cases", "20", "--every", "20", "--jobs", "1", "--json", "power.json"])
    report = (root / "report.json").read_text()
    fingerprint = report.partition('"fingerprint": "')[2].partition('"')[0]
    run([
        "exceptions", "add", fingerprint, "--report", "report.json", "--exceptions", "exceptions.yaml",
        "--reason", "known", "--owner", "me", "--until", "2999-01-31",
    ])  # fmt: skip
    run(["exceptions", "count", "--update-ratchet", "--exceptions", "exceptions.yaml"])


def make_checkout(root: Path) -> None:
    """Make a git repository of the project, with a change that is not committed."""
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "thing"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], check=True, stdout=sys.stderr)
    types = root / "thing" / "types.go"
    types.write_text(types.read_text().replace("maxLength=8", "maxLength=9"))
