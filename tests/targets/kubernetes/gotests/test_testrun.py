"""The tests of a release are run once, bounded, and what they give to validators is read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from harness.diagnostics import TargetError
from harness.targets.kubernetes.gotests import testrun
from harness.targets.kubernetes.gotests.testrun import GoTestRecord, RecordedPackage, run_go_tests
from harness.targets.kubernetes.release import Toolchain, find_release

PACKAGE = "pkg/apis/apps/validation"
TOP = "k8s.io/kubernetes"


def test_a_package_that_does_not_compile_is_told_with_the_first_line_of_the_compiler() -> None:
    """And only that one: a test that fails recorded what it asked before."""
    output = (
        f"# {TOP}/{PACKAGE} [{TOP}/{PACKAGE}.test]\nvalidation.go:3:1: undefined: x\nmore\n"
        f"FAIL\t{TOP}/{PACKAGE} [build failed]\n--- FAIL: TestX\nFAIL\t{TOP}/pkg/apis/batch/validation\t0.1s\n"
    )
    assert "does not compile: validation.go:3:1: undefined: x" == testrun._problem_of(PACKAGE, output)
    assert "" == testrun._problem_of("pkg/apis/batch/validation", output)


def test_records_of_a_killed_test_are_read_up_to_the_broken_line(tmp_path: Path) -> None:
    """Its file may end anywhere."""
    (tmp_path / "records").mkdir()
    lines = (
        b'{"function":"x.V","group":"g","version":"v1","kind":"K","object":{"a":1},"given":1}\n{"function":"x.W","gr'
    )
    (tmp_path / "records" / "pkg-apis-apps-validation.ndjson").write_bytes(lines)
    read = testrun._read(tmp_path, PACKAGE, ("V", "W"), "stopped after 1 s")
    assert (("x.V",), "stopped after 1 s") == (tuple(record.function for record in read.records), read.problem)


def test_a_package_whose_tests_did_not_run_is_told(tmp_path: Path) -> None:
    """Silence would look like a package without objects."""
    assert "its tests did not run" == testrun._read(tmp_path, PACKAGE, (), "").problem


def test_objects_are_counted_once_for_all_versions() -> None:
    """And a validator is left out only if no call of it gave an object."""
    records = [GoTestRecord("x.V", "g", version, "K", {}, given=1) for version in ("v1", "v1beta1")]
    left = [GoTestRecord("x.V", left="no kind has it"), GoTestRecord("x.W", left="no kind has it")]
    package = RecordedPackage(PACKAGE, ("V", "W"), (*records, *left))
    assert (1, frozenset({"x.V"}), {"x.W": "no kind has it"}) == (package.objects, package.asked, package.left)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for go is a shell script")
def test_the_time_limit_stops_the_command_and_what_it_started(tmp_path: Path) -> None:
    """A test that hangs does not hang the harness, and its output so far is kept."""
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho started\nsleep 600 &\nwait\n")
    go.chmod(0o755)
    (tmp_path / "records").mkdir()
    assert ("started\n", False) == testrun._run(tmp_path, Toolchain(go, "go1.26.0"), [PACKAGE], 2.0)


def test_a_release_without_tests_of_validators_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    """With what was looked for."""
    monkeypatch.setattr(testrun, "find_toolchain", lambda wanted=(): Toolchain(Path("go"), "go1.99.0"))
    folder = tmp_path / "pkg" / "controlplane"
    folder.mkdir(parents=True)
    (tmp_path / "go.mod").write_text("module k8s.io/kubernetes\n\ngo 1.26.0\n")
    (folder / "import_known_versions.go").write_text('import _ "k8s.io/kubernetes/pkg/apis/apps/install"\n')
    (tmp_path / "pkg/apis/apps/install").mkdir(parents=True)
    with pytest.raises(TargetError, match="has no tests of validators in pkg/none"):
        run_go_tests(find_release(tmp_path), 9.0, print, "pkg/none")


def test_tests_of_strategies_run_with_the_validators_of_other_packages(tmp_path: Path) -> None:
    """Also if only they are wanted; the starter has the name of the package, which need not be that of its folder."""
    top, folder = tmp_path / "top", tmp_path / "module"
    for name, text in {
        "go.mod": "module k8s.io/kubernetes\n\ngo 1.26.0\n",
        "pkg/controlplane/import_known_versions.go": 'import _ "k8s.io/kubernetes/pkg/apis/apps/install"\n',
        "pkg/apis/apps/install/install.go": "package install\n",
        f"{PACKAGE}/validation.go": "package validation\n\nfunc V(a *A) field.ErrorList { return nil }\n",
        "pkg/registry/apps/thing/strategy.go": "package things\n",
        "pkg/registry/apps/thing/strategy_test.go": "package things\n",
        "pkg/registry/apps/untested/strategy.go": "package untested\n",
    }.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    folder.mkdir()
    assert {"pkg/registry/apps/thing": ()} == testrun._write(folder, find_release(top), top, "pkg/registry/*")
    copies = {path.read_text() for path in (folder / "copies").iterdir()}
    assert any(copy.startswith("package things_test\n") for copy in copies)
    assert any(f'.Call("{TOP}/{PACKAGE}.V"' in copy for copy in copies)


@pytest.mark.kubernetes
def test_tests_of_a_release_give_their_objects() -> None:
    """Objects of every version, pairs, and parts of objects, by validators that are found in the sources."""
    notes: list[str] = []
    (package,) = run_go_tests(find_release("1.37.1"), 1200.0, notes.append, "pkg/apis/policy/validation")
    assert ("pkg/apis/policy/validation", "") == (package.folder, package.problem)
    given = {record.function.rpartition(".")[2]: record for record in package.records}
    spec = given["ValidatePodDisruptionBudgetSpec"]
    assert ("policy", "PodDisruptionBudget", "recorded") == (spec.group, spec.kind, spec.object["metadata"]["name"])
    assert {"v1", "v1beta1"} <= {record.version for record in package.records}
    assert package.objects > 20
