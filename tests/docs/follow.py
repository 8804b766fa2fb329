"""Follows a page as a reader would: writes the files that it shows, makes its edits, runs its commands in a shell.

A *line* of a console block is run in a scene, a folder that has what the pages speak of. Three things differ from what
a reader does: budgets are cut (a page says a minute, its test takes a second), fingerprints that a page makes up (they
begin with `1f`) are those of the report that the line names, and days until which something holds lie ahead
of the day of the test. What stands in `NOT_RUN` is left out, each with its reason.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path

from harness.report.model.grouping import group
from harness.report.model.reading import read_report
from tests.docs.pages import ROOT, Block, blocks, without_comment
from tests.verify.checkout import git

NOT_RUN: dict[str, str] = {
    r"python3 -m venv|pip install": "installs a package: .ci/run runs the commands of the README to the letter",
    r"^tox": "runs the tests themselves: .ci/run",
    r"^pytest": "runs suites: tox -e suites and tox -e kubernetes",
    r"python -m bench": "measures for minutes: tests/bench asks every question with little time",
    r"--kubernetes 1\.3[3-5]\.": "builds a worker of a release before 1.36, for minutes: tests marked older ask those",
    r"--webhook": "asks a webhook of the reader's: tests/subject/test_crd_opener.py has one of its own",
    r"--kubernetes .*--mutants": "builds a worker with mutants, for minutes: tests/power/test_releases.py builds one",
    r"graduate .*--branches": "needs the cases of the page to be safe: tests/graduate/test_kubernetes.py asks a rule",
    r"graduate --level beta --kubernetes": "searches every kind for minutes: tests/graduate asks one rule of a release",
    r"~/": "needs a checkout of Kubernetes: tests/verify makes one of the release's module",
}
"""Commands that no test of pages runs, and why."""

RELEASE = re.compile(r"--kubernetes|--crd|crd_conformance|--policy|k8s\.io/|\b1\.3\d\.\d\b")
"""What makes a line one that needs a real release."""

OLDER = re.compile(r"\b1\.36\.\d\b")
"""What makes a line one that needs the release before, which the test command does not build."""

EITHER: dict[str, str] = {
    r"harness verify": "what comes of a change is a matter of the change; the scene has one that changes a limit",
    r"harness power": "mutants survive the few cases that a test has for them, and not the budget of the page",
    RELEASE.pattern: "a release is asked about few cases of one kind here, without the exceptions of the project",
}
"""Commands that may end with 0 or 1, and why. All others end with 0, or with the code that their page names."""

_PATIENCE = 1200.0
"""How long a command may take: one that is the first to need a server or a worker builds it. Units: seconds."""
_MADE_UP = re.compile(r"\b(1f[0-9a-f]{10}|g[0-9a-f]{8})\b")
_SECONDS = re.compile(r"(?<=--seconds )\d+")
_CASES = re.compile(r"(?<=--cases )\d+")
_DAY = re.compile(r"(?<=--until )\d{4}-\d\d-\d\d")
_WRITES = re.compile(r"(?:--(?:json|output|report)[= ]|> ?)(\S+)")
_EXIT = re.compile(r"# exit code (\d+)")

_SHIM = """#!/bin/sh
for word in "$@"; do case "$word" in
run) case "$*" in *--handwritten*|campaign*) ;; *) set -- "$@" {few};; esac; break;;
record) set -- "$@" --max-cases 1500; break;;
bench|verify) set -- "$@" --max-cases 300; break;;
graduate) case "$*" in *--kubernetes*) set -- "$@" --max-cases 600;; *) set -- "$@" --max-cases 2000;; esac; break;;
power) set -- "$@" --max-cases 60; case "$*" in *--kubernetes*) ;; *) set -- "$@" --every 200;; esac; break;;
corpus) case "$*" in *--from-tests*) set -- "$@" --package pkg/apis/rbac/validation;; esac; break;;
explain|lint|docs|rules|kinds|compile|check|replay|render|merge|exceptions|config|upgrade) break;;
esac; done
case "$*" in *--kind*|*--handwritten*|*replay*|*check*) ;;
*--shard*) set -- "$@" --kind 'resource.k8s.io/*';; *--schema*) set -- "$@" --kind storageclasses;;
*--kubernetes*) case "$*" in
*run*|*record*|*bench*|*power*) set -- "$@" --kind resourceclaims;; esac;; esac
exec {python} -m harness "$@"
"""


class Scene:
    """A folder in which the commands of a page can be run. `cut` gives searches small budgets.

    With `holding` it has these folders of the project and the files that pages speak of; else it is empty.
    """

    def __init__(
        self, folder: Path, *, cut: bool = True, holding: Sequence[str] = ("suites", "examples", "tests/workers")
    ) -> None:
        self.folder = folder / "work"
        self._found: set[str] = set()  # files of commands that may have found something: who reads one may, too
        ignore = shutil.ignore_patterns("__pycache__", "rules.ratchet")
        for name in holding:
            shutil.copytree(ROOT / name, self.folder / name, ignore=ignore)
        if cut:
            shutil.copytree(ROOT / "tests" / "docs" / "scene", self.folder, dirs_exist_ok=True)
            shutil.copytree(ROOT / "tests" / "crds" / "before", self.folder / "config" / "crd")
        shim = self.folder / ".venv" / "bin" / "harness"  # where the README has it
        shim.parent.mkdir(parents=True)
        few = "--max-cases 1500 --jobs 1" if cut else "--jobs 1"
        shim.write_text(_SHIM.format(python=shlex.quote(sys.executable), few=few), encoding="utf-8")
        python = shim.with_name("python")  # a link would be an interpreter of its own, without our packages
        python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n', encoding="utf-8")
        for script in (shim, python):
            script.chmod(0o755)
        self._environment = {
            **os.environ,
            "PATH": f"{shim.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "COLUMNS": "160",
        }

    def commit(self) -> None:
        """Make the scene a git checkout whose work tree has changes: replicas get another limit, a CRD gets rules."""
        git(self.folder, "init", "--quiet")
        git(self.folder, "add", "suites", "config")
        git(self.folder, "commit", "--quiet", "--message", "base")
        for name in ("origin", "upstream"):
            git(self.folder, "update-ref", f"refs/remotes/{name}/master", "HEAD")
        types = self.folder / "suites" / "workload_v1" / "types.go"
        shutil.copytree(ROOT / "tests" / "crds" / "after", self.folder / "config" / "crd", dirs_exist_ok=True)
        text = types.read_text(encoding="utf-8")
        types.write_text(text.replace("k8s:maximum=5000", "k8s:maximum=4999"), encoding="utf-8")

    def run(self, line: str) -> str:
        """Run a command of a page and return what it printed. It ends with 0, or as the page says."""
        wanted = _EXIT.search(line)
        command = self._with_real_names(without_comment(line))
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=_PATIENCE, check=False,
            cwd=self.folder, env=self._environment,
        )  # fmt: skip
        may_find = any(re.search(pattern, command) for pattern in EITHER)
        if may_find:
            self._found.update(_WRITES.findall(command))
        may_find = may_find or any(name in command for name in self._found)
        allowed = {int(wanted[1])} if wanted else {0, 1} if may_find else {0}
        assert done.returncode in allowed, f"{command}\nexit code {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def write(self, block: Block) -> None:
        """Write a file that a page shows whole."""
        place = self.folder / block.file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(block.body, encoding="utf-8")

    def edit(self, block: Block) -> None:
        """Make the edit of a diff block: its first line names the file."""
        header, *lines = block.body.splitlines()
        file = self.folder / header.removeprefix("--- ")
        old = "\n".join(line[1:] for line in lines if not line.startswith("+"))
        new = "\n".join(line[1:] for line in lines if not line.startswith("-"))
        text = file.read_text(encoding="utf-8")
        assert 1 == text.count(old), f"the edit does not fit {file.name}:\n{old}"
        file.write_text(text.replace(old, new), encoding="utf-8")

    def _with_real_names(self, command: str) -> str:
        command = _CASES.sub("1000", _SECONDS.sub("1", command))
        command = _DAY.sub(str(date.today() + timedelta(days=90)), command)
        if not _MADE_UP.search(command):
            return command
        named = next(word for word in shlex.split(command) if word.endswith(".json"))
        report = read_report(self.folder / named)
        assert report.findings, f"{named} has no finding for: {command}"
        names = {"g": group(report.findings)[0].id, "1": report.findings[0].fingerprint}
        return _MADE_UP.sub(lambda match: names[match[1][0]], command)


def is_run(line: str) -> bool:
    """Whether a test runs this line of a page."""
    return not any(re.search(pattern, line) for pattern in NOT_RUN)


def needing(what: re.Pattern[str], lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Say of each line of a page whether it needs a release: by itself, or because it reads what such a line wrote."""
    here: set[str] = set()
    there: set[str] = set()
    for line in lines:
        words = set(re.split(r"[\s=]+", without_comment(line)))
        reads = any(word == place or word.startswith(f"{place}/") for word in words for place in there - here)
        needs = bool(what.search(line)) or reads
        (there if needs else here).update(_WRITES.findall(line))
        yield line, needs


def follow(page: Path, scene: Scene) -> None:
    """Follow a tutorial to the letter: files, edits, commands, and what these are said to print."""
    told = ""
    for block in blocks(page):
        if block.file:
            scene.write(block)
        elif block.language == "diff":
            scene.edit(block)
        elif block.language == "console":
            told = "\n".join(scene.run(line) for line in block.lines if is_run(line))
        elif block.language == "text":
            check_output(block.body, told)


def check_output(promised: str, told: str) -> None:
    """Hold what a page shows to what was printed: its lines in order, others left out, "..." cuts a line."""
    lines = iter([" ".join(line.split()) for line in told.splitlines()])
    for shown in promised.splitlines():
        words = " ".join(shown.split())
        start = words.removesuffix(" ...")
        if words in ("", "..."):
            continue
        if not any(line == words or (start != words and line.startswith(start)) for line in lines):
            raise AssertionError(f"the page promises\n  {shown}\nand this was printed\n{told}")
