"""Checks a plan against its targets before any unit is computed: releases, suites, kinds and gates.

A worker opens each target once, as units do; what is wrong is told all at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from harness.campaign.contents import content_digest, names_files
from harness.campaign.plan import DEFAULT_SETTING, CampaignPlan
from harness.campaign.unitrun import check_code, go_of, run_harness
from harness.case import TargetInfo
from harness.diagnostics import Diagnostic, HarnessError, InputError, Position
from harness.engine.units import unknown_patterns

_OF_SEARCH = ("--kind", "--operation", "--example")
"""The options of a target, each with a value, that `harness kinds` does not have."""


class TargetCheck(msgspec.Struct, frozen=True):
    """A target of a plan on its way to a worker, with the settings of gates."""

    target: tuple[str, ...]
    gates: tuple[str, ...]
    folder: str
    code: str


class TargetProblem(msgspec.Struct, frozen=True):
    """What is wrong with a target of a plan."""

    message: str
    why: str = ""
    fix: str = ""


class TargetProblems(msgspec.Struct, frozen=True):
    """What comes back: all that is wrong, the version of Go that builds the target, and what its files contain."""

    problems: tuple[TargetProblem, ...] = ()
    go: str = ""
    content: str = ""


class CheckedPlan(msgspec.Struct, frozen=True):
    """A plan without mistakes: the version of Go that builds its targets, if any, and the digests of their files."""

    go: str
    contents: tuple[tuple[tuple[str, ...], str], ...]


def check_plan(client: Any, plan: CampaignPlan, folder: str, code: str, source: str) -> CheckedPlan:
    """Check a plan with a worker for each target. Raises: InputError with all problems; `source` is its file."""
    checks = [TargetCheck(target, plan.gates, folder, code) for target in plan.targets]
    futures = [client.submit(check_remotely, msgspec.json.encode(one), pure=False) for one in checks]
    found = [msgspec.json.decode(data, type=TargetProblems) for data in client.gather(futures)]
    problems = [
        Diagnostic(Position(source), "campaign-plan", f"{' '.join(check.target)}: {it.message}", it.why, it.fix)
        for check, one in zip(checks, found, strict=True)
        for it in one.problems
    ]
    if problems:
        raise InputError(problems)
    go = next((one.go for one in found if one.go), "")
    return CheckedPlan(go, tuple((check.target, one.content) for check, one in zip(checks, found, strict=True)))


def check_remotely(check: bytes) -> bytes:
    """Check a target in a worker of a scheduler: a `TargetCheck` and `TargetProblems` as JSON."""
    try:
        asked = msgspec.json.decode(check, type=TargetCheck)
        check_code(asked.code, "")
        content = content_digest(asked.target, Path(asked.folder))
        problems = tuple(_problems(asked))
        if not content and names_files(asked.target):
            problems = tuple(_of_folder(one, asked.folder) for one in problems)
        found = TargetProblems(problems, go_of([asked.target]), content)
    except (HarnessError, OSError) as error:
        found = TargetProblems((_problem_of(str(error)),))
    return msgspec.json.encode(found)


def _problems(asked: TargetCheck) -> Iterator[TargetProblem]:
    """Open a target, and yield what is wrong with its kinds and with settings of gates that it refuses."""
    words, patterns = _split(asked.target)
    code, output, said = run_harness(("kinds", *words, "--json"), asked.folder)
    if code != 0:
        yield _problem_of(said or f"harness kinds {' '.join(words)} ends with {code}")
        return
    info = msgspec.json.decode(output, type=TargetInfo)
    for pattern, near in unknown_patterns(info.kinds, patterns).items():
        yield TargetProblem(
            f"it serves nothing that matches {pattern}", fix=near or "harness kinds lists what it serves"
        )
    for gates in asked.gates:
        if gates != DEFAULT_SETTING:
            code, _, said = run_harness(("kinds", *words, "--gates", gates, "--json"), asked.folder)
            if code != 0:
                yield _problem_of(said)


def _of_folder(problem: TargetProblem, folder: str) -> TargetProblem:
    """Add how to name another folder to the fix of a problem with a target of which this folder has no file."""
    other = f"add --folder DIR if paths of the plan are relative to another folder than {folder}"
    return msgspec.structs.replace(problem, fix=f"{problem.fix}; or {other}" if problem.fix else other)


def _split(target: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words that name a target, and the patterns of its kinds."""
    words, patterns, rest = list[str](), list[str](), iter(target)
    for word in rest:
        if word not in _OF_SEARCH:
            words += [word] if word != "--branches" else []
        elif (value := next(rest)) and word == "--kind":
            patterns.append(value)
    return words, patterns


def _problem_of(said: str) -> TargetProblem:
    """Read the message with which a command of the harness ended."""
    message, *others = said.rpartition("harness: ")[2].splitlines() or [""]
    parts = dict(line.strip().split(": ", 1) for line in others if line.startswith(("  why: ", "  fix: ")))
    return TargetProblem(message, parts.get("why", ""), parts.get("fix", ""))
