"""The action and the pre-commit hook are thin: what they wrap exists, and their own scripts do what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from harness.report import FORMATS
from harness.report.model.reading import read_report

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".github" / "actions" / "harness"
ACTION: dict[str, Any] = yaml.safe_load((FOLDER / "action.yml").read_text(encoding="utf-8"))
INSTALL, SEARCH = ACTION["runs"]["steps"]
STUB = f"""#!/usr/bin/env bash
# Stands for a Python that makes environments and installs nothing, but remembers what it was told.
set -eu
echo "$*" >> "$CALLS"
if [ "$1 $2" = "-m pip" ]; then exit 0; fi
if [ "$1 $2" != "-m venv" ]; then exec "{sys.executable}" "$@"; fi
mkdir -p "$3/bin"
cp "$0" "$3/bin/python"
printf '#!/usr/bin/env bash\\nexec "{sys.executable}" -m harness "$@"\\n' > "$3/bin/harness"
chmod +x "$3/bin/harness"
"""


class Job:
    """A job of GitHub's on this machine: its folders, and steps run as its runner runs them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.python = folder, folder / "python"
        self.python.write_text(STUB)
        self.python.chmod(0o755)
        self.inputs = {name: str(told["default"]) for name, told in ACTION["inputs"].items()}
        self.inputs |= {"python": str(self.python), "report": "out"}

    def run(self, step: dict[str, Any], **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run a step; every input comes as the variable that the step names for it."""
        given = self.inputs | inputs
        variables = {name: given[value.split("inputs.")[1].split()[0]] for name, value in step["env"].items()}
        places = {
            "RUNNER_TEMP": self.folder / "temp", "GITHUB_ACTION_PATH": FOLDER, "CALLS": self.folder / "calls",
            "GITHUB_OUTPUT": self.folder / "output", "GITHUB_STEP_SUMMARY": self.folder / "summary.md",
            "XDG_CACHE_HOME": self.folder / "cache", "PYTHONPATH": ROOT,
        }  # fmt: skip
        script = self.folder / "step.sh"
        script.write_text(step["run"])
        environment = {**os.environ, **{name: str(value) for name, value in places.items()}, **variables}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)], cwd=self.folder, capture_output=True,
            text=True, timeout=300, check=False, env=environment,
        )  # fmt: skip

    def outputs(self) -> dict[str, str]:
        """What the last step left for those after it."""
        rows = (self.folder / "output").read_text().splitlines()
        return dict(row.split("=", 1) for row in rows)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job whose first step is done."""
    made = Job(tmp_path)
    done = made.run(INSTALL)
    assert done.returncode == 0, done.stderr
    return made


def test_the_public_schema_accepts_the_action() -> None:
    """That of schemastore, which the package check-jsonschema carries."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions"]
    done = subprocess.run([*command, str(FOLDER / "action.yml")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_input_is_ever_a_piece_of_a_script() -> None:
    """Text of a pull request that is put into a script would be run."""
    assert all("${{" not in step["run"] for step in (INSTALL, SEARCH))
    asked = {
        name
        for step in (INSTALL, SEARCH)
        for value in step["env"].values()
        for name in ACTION["inputs"]
        if name in value
    }
    assert set(ACTION["inputs"]) == asked


def test_what_is_installed_is_this_repository(job: Job) -> None:
    """With the extras that were asked for."""
    job.run(INSTALL, extras="kubernetes")
    plain, extra = [row for row in (job.folder / "calls").read_text().splitlines() if row.startswith("-m pip install")]
    assert plain.endswith(f" {ROOT}")
    assert extra.endswith(f" {ROOT}[kubernetes]")


def test_findings_fail_the_step_and_are_shown(job: Job) -> None:
    """Annotations in the log, a summary on the page, every form in the folder, and outputs for later steps."""
    done = job.run(SEARCH, arguments=f"{ROOT / 'examples/migration'}\n--max-cases=3000\n--jobs=1\n")
    assert done.returncode == 1, done.stderr
    assert 3 == sum(row.startswith(("::error ", "::warning ")) for row in done.stdout.splitlines())
    assert (job.folder / "summary.md").read_text().startswith("## Not equivalent")
    assert 3 == len(read_report(job.folder / "out" / "report.json").findings)
    assert (job.folder / "out" / "report.sarif").exists()
    assert {"exit-code": "1", "verdict": "different", "findings": "3"} == job.outputs()


def test_findings_may_pass(job: Job) -> None:
    """For a job that only wants to know; the code is still there."""
    arguments = f"{ROOT / 'examples/migration'}\n--max-cases=3000\n--jobs=1"
    assert 0 == job.run(SEARCH, arguments=arguments, fail="false").returncode
    assert "1" == job.outputs()["exit-code"]


def test_what_could_not_run_always_fails(job: Job) -> None:
    """And an old report is not taken for its result; nor is an argument for a command of the shell."""
    (job.folder / "out").mkdir()
    (job.folder / "out" / "report.json").write_bytes(msgspec.json.encode({"verdict": "equivalent"}))
    done = job.run(SEARCH, arguments="no such suite; $(touch pwned) `touch pwned`", fail="false")
    assert 2 == done.returncode
    assert {"exit-code": "2"} == job.outputs()
    assert not (job.folder / "pwned").exists()


@pytest.mark.packages
def test_the_hook_runs_in_real_pre_commit(tmp_path: Path) -> None:
    """It installs this repository, lints the package of a changed file, and fails on a wrong tag."""
    (tmp_path / "api").mkdir()
    for name in ("doc.go", "types.go"):
        text = (ROOT / "examples" / "migration" / name).read_text(encoding="utf-8")
        (tmp_path / "api" / name).write_text(text.replace("+k8s:maximum=28", "+k8s:maximum=ten"), encoding="utf-8")
    assert "+k8s:maximum=ten" in (tmp_path / "api" / "types.go").read_text(encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHON"))}
    environment |= {"PRE_COMMIT_HOME": str(tmp_path / "home")}
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True, env=environment)
    subprocess.run(["git", "add", "api"], cwd=tmp_path, check=True, env=environment)
    command = [sys.executable, "-m", "pre_commit", "try-repo", str(ROOT), "harness-lint", "--files"]

    def lint(file: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, file], cwd=tmp_path, capture_output=True, text=True, timeout=580, check=False, env=environment
        )

    done = lint("api/types.go")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "tag-payload" in done.stdout
    assert "no files to check" in lint("api/doc.go").stdout


def test_the_hook_names_a_command_that_exists() -> None:
    """Its entry lints, and takes the names of files."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, *words = hook["entry"].split()
    assert "harness" == program
    done = subprocess.run(
        [sys.executable, "-m", "harness", *words, str(ROOT / "examples/migration/types.go")], capture_output=True,
        text=True, timeout=120, check=False, cwd=ROOT,
    )  # fmt: skip
    assert (0, "") == (done.returncode, done.stderr), done.stdout


def test_the_page_about_ci_names_what_exists() -> None:
    """The inputs and outputs of the action, the folder it lies in, the hook, and the files of a report."""
    page = (ROOT / "docs" / "how-to" / "run-in-ci.md").read_text(encoding="utf-8")
    blocks = [yaml.safe_load(body) for body in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    steps = next(block for block in blocks if "jobs" in block)["jobs"]["equivalence"]["steps"]
    (used,) = [step for step in steps if "equivalence-harness" in step["uses"]]
    assert FOLDER == ROOT / used["uses"].partition("equivalence-harness/")[2].partition("@")[0]
    assert set(used["with"]) <= set(ACTION["inputs"])
    assert set(re.findall(r"equivalence\.outputs\.([\w-]+)", page)) <= set(ACTION["outputs"])
    hooks = [
        hook["id"] for block in blocks if isinstance(block, list) for one in block for hook in one.get("hooks", ())
    ]
    assert ["harness-lint"] == hooks
    files = re.findall(r"^\| `([\w.]+)` \|", page, re.MULTILINE)
    assert {form.file for form in FORMATS} == set(files)
