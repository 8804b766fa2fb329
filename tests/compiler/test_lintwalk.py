"""What upstream's linter refuses of levels is refused when types are compiled, and by nobody where it stays away."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.compiler import compile_types
from harness.diagnostics import InputError
from harness.gotypes.packages import Universe
from tests.cli.fakes import call

ROOT = Path(__file__).parents[2]
TAG = '+k8s:beta(since: "1.37")=+k8s:maxLength=32'
NOLINT = "// +k8s:validation-gen-nolint\n"


def codes(folder: Path, *tags: str, doc: str = "", comment: str = "", release: str = "1.37") -> list[str]:
    """The codes with which types are refused."""
    lines = "".join(f"\t// {tag}\n" for tag in tags)
    types = f'type T struct {{\n\tS S `json:"s"`\n}}\n\n{comment}type S struct {{\n{lines}\tF string `json:"f"`\n}}\n'
    (folder / "types.go").write_text(f"package v1\n\n{types}")
    (folder / "doc.go").write_text(f"{doc}package v1\n")
    try:
        compile_types(Universe.from_files({"v1": [folder / "doc.go", folder / "types.go"]}), "v1", release=release)
    except InputError as error:
        return [one.code for one in error.diagnostics]
    return []


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("+k8s:beta=+k8s:maxLength=3", []),
        ("+k8s:beta=+k8s:beta=+k8s:maxLength=3", ["alphaBetaPrefix"]),
        ("+k8s:alpha=+k8s:beta=+k8s:maxLength=3", ["alphaBetaPrefix"]),
        ("+k8s:ifEnabled(A)=+k8s:alpha=+k8s:maxLength=3", ["alphaBetaPrefix"]),
        ("+k8s:alpha=+k8s:ifEnabled(A)=+k8s:maxLength=3", []),
        ("+k8s:alpha=+k8s:maxLength=3 # not +k8s:beta", []),
    ],
)
def test_a_level_stands_first_or_nowhere(tag: str, expected: list[str], tmp_path: Path) -> None:
    """A second level, or one behind another tag, stops upstream's generator."""
    assert expected == codes(tmp_path, tag)


def test_who_tells_the_linter_to_stay_away_may_write_what_the_generator_reads(tmp_path: Path) -> None:
    """On the package, or on the type: then the outer level holds, as upstream has it."""
    tag = "+k8s:beta=+k8s:beta=+k8s:maxLength=3"
    assert [] == codes(tmp_path, tag, doc=NOLINT)
    assert [] == codes(tmp_path, tag, comment=NOLINT)
    assert [] == codes(tmp_path, tag, release="1.35")  # which has no levels, and ignores the tag


@pytest.mark.parametrize(
    ("tag", "doc", "allowed"),
    [
        (TAG, "", True),
        (TAG.replace("=+k8s", "=+k8s:beta=+k8s"), "", False),
        (TAG.replace("=+k8s", "=+k8s:beta=+k8s"), NOLINT, True),
    ],
)
def test_lint_and_run_agree(
    tag: str, doc: str, allowed: bool, capfd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one refuses of levels the other refuses in the same words, once."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples" / "migration", "migration")
    types, package = Path("migration/types.go"), Path("migration/doc.go")
    types.write_text(types.read_text().replace(TAG, tag))
    package.write_text(doc + package.read_text())
    said = {
        name: call(capfd, *words)
        for name, words in {
            "lint": ("lint", "migration"),
            "run": ("run", "migration", "--max-cases", "20", "--jobs", "1"),
            "compile": ("compile", "migration"),
        }.items()
    }
    for name, told in said.items():
        assert (0 if allowed else 1) == (told.out + told.err).count("alphaBetaPrefix: BackupSpec.Destination"), name
    assert allowed == (said["run"].code != 2) == (said["compile"].code == 0)
