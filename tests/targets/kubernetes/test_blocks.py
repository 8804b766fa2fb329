"""The blocks of code of a worker: listed from the program, and told of each case, in a tiny program with counters."""

from __future__ import annotations

import json
import os
import re
import subprocess
from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest

from harness.case import Case, Operation
from harness.diagnostics import TargetError
from harness.targets.kubernetes import target
from harness.targets.kubernetes.blocks import CodeBlock, blocks_of_release, list_blocks, require_counters
from harness.targets.kubernetes.build import COVERED, VALIDATORS, WORKER, go_environment, source_hash
from harness.targets.kubernetes.release import KubernetesSource, Toolchain, find_toolchain
from tests.targets.kubernetes.places import write

_MAIN = """package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"worker/checks"
)

var reachedBlocks func(name string) []uint64

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		name, word, _ := strings.Cut(lines.Text(), " ")
		checks.Check(word)
		if name != "" {
			_ = json.NewEncoder(os.Stdout).Encode(append([]uint64{}, reachedBlocks(name)...))
		}
	}
}
"""
_CHECKS = """package checks

func Check(word string) int {
	if word == "a" {
		return 1
	}
	for range word {
		word = ""
	}
	return func() int { return 2 }()
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program with our code that reads counters, and a package that has some."""
    folder = write(
        tmp_path_factory.mktemp("tiny"),
        {"go.mod": "module worker\n\ngo 1.24\n", "main.go": _MAIN, "checks/checks.go": _CHECKS},
    )
    (folder / "blocks.go").write_bytes((WORKER / "covered" / "blocks.go").read_bytes())
    flags = [flag if not flag.startswith("-coverpkg") else "-coverpkg=./..." for flag in COVERED.flags]
    command = [str(find_toolchain().go), "build", *flags, "-o", "tiny", "."]
    done = subprocess.run(command, cwd=folder, env=go_environment(), capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    return folder / "tiny"


def ask(program: Path, *lines: str) -> list[list[str]]:
    """Ask a program, and return the lines where the blocks end that it tells of the package, for each answer.

    Go 1.27 lets a block begin at its first statement, Go 1.26 at the brace before it.
    """
    known = {block.number: f"{block.end[0]}:{block.function}" for block in list_blocks(program)}
    environment = {name: value for name, value in os.environ.items() if name != "GOCOVERDIR"}
    done = subprocess.run(
        [program], input="\n".join(lines), capture_output=True, text=True, env=environment, check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [sorted(known[number] for number in answer if number in known) for answer in answers]


@pytest.mark.kubernetes
def test_the_blocks_of_a_program_are_listed(program: Path) -> None:
    """Those of its own package are none of the release; the numbers are different."""
    blocks = list_blocks(program)
    assert {"worker/checks/checks.go"} == {block.file for block in blocks}
    assert {"worker/checks"} == {block.package for block in blocks}
    assert blocks[0].start in ((3, 29), (4, 2))
    assert CodeBlock(blocks[0].number, "worker/checks/checks.go", "Check", blocks[0].start, (4, 17), 1) == blocks[0]
    assert len(blocks) == len({block.number for block in blocks}) == 6
    assert 6 == sum(block.statements for block in blocks)


@pytest.mark.kubernetes
def test_a_case_tells_the_blocks_that_are_new_to_who_asks(program: Path) -> None:
    """With those of the cases before it that did not ask."""
    assert [["4:Check", "6:Check"], [], ["4:Check", "6:Check"]] == ask(program, "x a", "x a", "y a")
    loop = ["7:Check", "10:Check", "10:Check"]
    assert [["4:Check", "6:Check"], sorted(loop)] == ask(program, "x a", "x ")
    assert [sorted(["4:Check", "6:Check", *loop])] == ask(program, " ", "x a")
    assert [["4:Check", "6:Check"], sorted(["4:Check", *loop])] == ask(program, "x a", "y ")


@pytest.mark.kubernetes
def test_no_case_reached_what_the_worker_tried_at_its_start() -> None:
    """It asks each kind about empty objects to find out what validates it, long before the first case."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
    files = {block.number: block.package for block in blocks_of_release("1.37.1")}
    with target.KubernetesTarget("1.37.1", blocks=True) as worker:
        (answer,) = worker.ask([Case(1, "", "v1", "Pod", Operation.CREATE, pod, resource="pods", blocks="me")])
    assert {"k8s.io/kubernetes/pkg/apis/core/validation"} == {
        files[number] for number in answer.blocks if number in files
    }


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exit 1", "exit status 1"),
        ("exit 0", "not enough values"),
        ("echo cut > $GOCOVERDIR/covmeta.1", "unpack_from"),
        ("head -c 64 /dev/zero > $GOCOVERDIR/covmeta.1", "its meta-data has version 0"),
        ("printf '\\0cvm\\002' > $GOCOVERDIR/covmeta.1; head -c 64 /dev/zero >> $GOCOVERDIR/covmeta.1", "version 2"),
    ],
)
def test_a_program_that_cannot_be_read_is_a_message(tmp_path: Path, script: str, why: str) -> None:
    """What, why, and what to do."""
    program = tmp_path / "worker"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    with pytest.raises(TargetError, match="does not tell which code") as told:
        list_blocks(program)
    assert re.search(why, told.value.why), told.value.why


def test_a_worker_with_counters_is_another_one() -> None:
    """Its source is in no other worker, so that one without counters stays what it is."""
    release = KubernetesSource("1.37.1")
    assert source_hash(release, VALIDATORS) != source_hash(release, COVERED)
    assert (COVERED.name, "") == ("covered-", VALIDATORS.name)
    assert "blocks.go" not in {path.name for path in VALIDATORS.sources()}
    assert "blocks.go" in {path.name for path in COVERED.sources()}
    assert () == VALIDATORS.flags


def test_without_counters_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is told, and the plain worker answers."""
    plain, notes = Path("plain"), list[str]()

    def fake(release: KubernetesSource, note: object, program: object = VALIDATORS) -> Path:
        if program is COVERED:
            raise TargetError("the worker could not be built")
        return plain

    monkeypatch.setattr(target, "worker_for", fake)
    assert plain == target._worker_with_counters(KubernetesSource("1.37.1"), notes.append)
    assert ["the code of handwritten validators is not counted: the worker could not be built"] == notes


@pytest.mark.kubernetes
def test_a_release_tells_the_check_that_a_case_reaches() -> None:
    """The function of the handwritten validator, and the error in it only for an object that has it."""
    blocks = {block.number: block for block in blocks_of_release("1.37.1")}
    with target.KubernetesTarget("1.37.1", blocks=True) as worker:
        assert "blocks" in worker.info.abilities
        info = next(one for one in worker.info.kinds if one.name == "v1 configmaps")

        def reached(**more: object) -> set[str]:
            head = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}}
            case = info.case(Operation.CREATE, {**head, **more})
            (answer,) = worker.ask([msgspec.structs.replace(case, blocks="test")])
            return {blocks[number].function for number in answer.blocks if number in blocks}

        assert {"ValidateConfigMap", "TotalSize"} & reached(data={"a": "b"})
        assert set() == reached(data={"a": "b"})


@pytest.mark.parametrize(
    ("said", "code", "refused"),
    [("flag provided but not defined: -cover", 2, True), ("", 0, False), ("go: no space left on device", 1, False)],
)
def test_a_go_without_coverage_counters_is_refused(tmp_path: Path, said: str, code: int, refused: bool) -> None:
    """With what it says; another failure is for the build to tell."""
    command = tmp_path / "go"
    command.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit {code}\n", encoding="utf-8")
    command.chmod(0o755)
    with pytest.raises(TargetError, match=f"go build says: {said}") if refused else nullcontext():
        require_counters(Toolchain(command, "go1.19"))
