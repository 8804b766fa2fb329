"""The items of a suite: a kind and operation, its exceptions, its ratchet of rules, and what is skipped."""

from __future__ import annotations

import shlex
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness import engine
from harness.case import KindInfo, Operation
from harness.cli.coverage import inventory_in, rule_observers, with_coverage
from harness.cli.ratchets import Ratchets
from harness.cli.targets import reach_of
from harness.compare.finding import Finding
from harness.diagnostics import HarnessError
from harness.engine import RunConfig
from harness.events import LOST, Budget
from harness.files import from_here
from harness.pytest_plugin import EXCEPTIONS_FILE
from harness.pytest_plugin.page import ATTRIBUTE
from harness.pytest_plugin.session import exceptions_of, subjects_of, wordings_of
from harness.ratchets.rules import read_ratchet
from harness.reporting.assembly import build_report
from harness.reporting.document import Policy, Report, ReportedFinding, encode, fails
from harness.reporting.gaps import open_gaps
from harness.reporting.grouping import group
from harness.reporting.ruletext import lost_rows
from harness.reporting.terminal import AT_LENGTH, SHORT, at_length, render
from harness.reporting.text import count, encode_json, lines, visible
from harness.reporting.tolerance import must_go, tolerate
from harness.subject import Subject, SubjectSpec

RATCHET_FILE = "rules.ratchet"
INLINE = 1500
"""Characters of a case that stand in the replay line itself; a longer one is put into a file."""


class SkippedItem(pytest.Item):
    """Stands for a suite whose target is not asked, or cannot be, and says what would help."""

    def __init__(self, *, reason: str, **others: Any) -> None:
        super().__init__(**others)
        self.reason = reason

    def runtest(self) -> None:
        """Skip with the reason."""
        pytest.skip(self.reason)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Say where it stands."""
        return self.path, 0, self.name


class SuiteItem(pytest.Item):
    """An item that asks a suite. `document` is the report of what it found, once it has."""

    def __init__(self, *, spec: SubjectSpec, **others: Any) -> None:
        super().__init__(**others)
        self.spec = spec
        self.document: Report | None = None

    def hand_over(self, report: pytest.TestReport) -> None:
        """Put what was found into pytest's report, as text that a process may send."""

        if self.document is not None:
            setattr(report, ATTRIBUTE, encode(self.document).decode("utf-8", "backslashreplace"))

    def _opened(self, spec: SubjectSpec, _note: object) -> Any:
        return _Borrowed(subjects_of(self.config).open(spec, self.config))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Say where it stands, and its name."""
        return self.path, 0, self.name


class NotNeededError(Exception):
    """Exceptions of a suite must go, or have no witness."""


class LostCoverError(Exception):
    """Rules that a search saw at work before, and this one did not."""


class RulesItem(SuiteItem):
    """The ratchet of a suite: a search of as many cases as it says sees every rule at work that it names."""

    def runtest(self) -> None:
        """Search the whole suite once, as `harness run` does."""

        try:
            cases = read_ratchet(self.path.parent / RATCHET_FILE).cases
            observers = rule_observers(self.spec)
            result = engine.run(
                self.spec,
                RunConfig(
                    seed=int(self.config.getoption("--harness-seed")),
                    budget=Budget(None, cases or 1),
                    observers=observers,
                    trusted=wordings_of(self.config),
                ),
                opener=self._opened,
            )
            inventory = inventory_in(observers)
            inventories = {} if inventory is None else {result.subject: inventory}
            report = build_report(result, reaches={result.part or result.subject: reach_of(self.spec)})
            report = Ratchets().hold(with_coverage(report, [result], inventories, narrowed=False))
        except HarnessError as error:
            raise NotComparedError(str(error)) from None
        held = report.coverage.ratchets if report.coverage is not None else ()
        skipped = [one.skipped for one in held if one.skipped]
        if skipped or not held:
            raise NotComparedError(skipped[0] if skipped else "no types tell which rules there are")
        lost = [row for one in held for row in lost_rows(one)]
        if lost:
            raise LostCoverError("\n".join(lost))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        """Tell which rules were seen before and are not any more."""

        if isinstance(excinfo.value, NotComparedError | LostCoverError):
            return lines(str(excinfo.value))
        return super().repr_failure(excinfo, *args, **kwargs)


class ExceptionsItem(SuiteItem):
    """The exceptions of a suite: their witnesses are asked again, and each must still show what is tolerated."""

    def runtest(self) -> None:
        """Ask the witnesses alone: how much is searched elsewhere does not matter."""

        entries = exceptions_of(self.config)
        try:
            result = engine.run(
                self.spec,
                RunConfig(
                    seed=1,
                    budget=Budget(None, 0),
                    trusted=wordings_of(self.config),
                    witnesses=tuple(entries.witnesses.values()),
                ),
                opener=self._opened,
            )
        except HarnessError as error:
            raise NotComparedError(str(error)) from None
        self.document = build_report(result)
        failing = tolerate(self.document, entries, EXCEPTIONS_FILE).exceptions.failing
        if failing:
            raise NotNeededError("\n".join(must_go(word, entry) for word, entry in failing))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        """Tell what must go, and why."""

        if isinstance(excinfo.value, NotComparedError | NotNeededError):
            return lines(str(excinfo.value))
        return super().repr_failure(excinfo, *args, **kwargs)


class NotEquivalentError(Exception):
    """The two sides of an item differ."""

    def __init__(self, findings: list[Finding], subject: str) -> None:
        super().__init__(f"{len(findings)} finding(s)")
        self.findings, self.subject = findings, subject


class NotComparedError(Exception):
    """An item proves nothing, and says why."""


class KindItem(SuiteItem):
    """One kind, version, subresource and operation of a suite."""

    def __init__(
        self, *, kind: KindInfo, operation: Operation, allow_incomplete: tuple[str, ...], **others: Any
    ) -> None:
        super().__init__(**others)
        self.kind, self.operation, self._allowed = kind, operation, allow_incomplete
        self.seed = int(self.config.getoption("--harness-seed"))
        self.cases = int(self.config.getoption("--harness-max-cases"))

    def runtest(self) -> None:
        """Search this kind and operation alone."""

        try:
            result = engine.run(
                self.spec,
                RunConfig(
                    seed=self.seed,
                    budget=Budget(None, self.cases),
                    kinds=[self.kind.name],
                    operations=[str(self.operation)],
                    trusted=wordings_of(self.config),
                ),
                opener=self._opened,
            )
            findings = self._untolerated(list(result.findings), result.subject)
        except HarnessError as error:
            raise NotComparedError(str(error)) from None
        self.add_report_section(
            "call", "harness", f"{result.cases} cases, {result.compared} compared, seed {self.seed}"
        )
        self.document = build_report(result, replay=self._replay, policy=self._policy())
        report = build_report(result, findings, policy=self._policy())
        failing = [finding for finding in findings if fails(finding, report.policy)]
        if failing:
            raise NotEquivalentError(failing, result.subject)
        problems = [report.error for report in result.kinds if report.error]
        if result.stopped == "interrupted":
            raise KeyboardInterrupt
        if problems or result.stopped in LOST:
            raise NotComparedError("; ".join([*problems, result.stopped_detail]).strip("; "))
        if not result.compared:
            raise NotComparedError("nothing was compared: no case gave two lists of errors")
        missed = [line for gap in open_gaps(report) for line in (gap.sentence, *gap.blocking(6))]
        if missed:
            raise NotComparedError("\n  ".join([*missed, self._fix()]))

    def _fix(self) -> str:
        return (
            f"fix: put an object that is accepted into {from_here(self.path.parent / 'examples')}, look at the check "
            "that reports it, ask more (--harness-max-cases), or accept it by name with --harness-allow-incomplete "
            f"{shlex.quote(self.kind.name)}"
        )

    def _policy(self) -> Policy:

        options = self.config.getoption
        return Policy(options("--harness-fail-on"), (*options("--harness-allow-incomplete"), *self._allowed))

    def _untolerated(self, findings: list[Finding], subject: str) -> list[Finding]:
        return list(exceptions_of(self.config).apply(findings, subject).beyond) if findings else []

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        """Tell the findings, smallest object first, and the lines that show them again."""
        if isinstance(excinfo.value, NotComparedError):
            return f"{self.kind.name} {self.operation}: {excinfo.value}\nagain: {self._again()}"
        if not isinstance(excinfo.value, NotEquivalentError):
            return super().repr_failure(excinfo, *args, **kwargs)
        return self._told(excinfo.value)

    def _told(self, error: NotEquivalentError) -> str:

        reported = [self._reported(finding, error.subject) for finding in error.findings]
        groups = group(reported)
        text = f"{count(len(reported), 'finding')} in {count(len(groups), 'group')}, worst first\n"
        told = []
        for one in groups[:AT_LENGTH]:
            first = msgspec.structs.replace(one.first, replay=self._replay(one.first))
            told.append(replace(one, findings=(first, *one.findings[1:])))
        text += render(at_length(told, SHORT, ids=False))
        more = len(groups) - len(told)
        text += f"\n… and {count(more, 'more group')}\n" if more else ""
        return f"{text}\nagain: {self._again()}"

    def _reported(self, finding: Finding, subject: str) -> Any:

        return ReportedFinding(**{name: getattr(finding, name) for name in Finding.__struct_fields__}, subject=subject)

    def _replay(self, finding: Finding) -> str:
        """Write the line that asks the same again; a large case is put into pytest's cache."""

        if finding.case.object is None:
            return ""
        text = encode_json(finding.case).decode()
        case = shlex.quote(text)
        if len(case) > INLINE or visible(text) != text:
            cache = getattr(self.config, "cache", None)  # it is a plugin's, and may be off
            folder = cache.mkdir("harness") if cache else Path(tempfile.gettempdir())
            file = folder / f"{finding.fingerprint}.json"
            with suppress(OSError):
                file.write_text(text + "\n", encoding="utf-8")
            case = shlex.quote(from_here(file))
        target = f"--kubernetes {shlex.quote(self.spec.location)}"
        if self.spec.kind == "suite":
            target = shlex.quote(from_here(Path(self.spec.location)))
        return f"harness replay {target} --case {case}"

    def _again(self) -> str:
        options = f"--harness-seed {self.seed} --harness-max-cases {self.cases}"
        if self.spec.kind == "kubernetes":
            options += f" --kubernetes {shlex.quote(self.spec.location)}"
        return f"pytest {shlex.quote(self.nodeid)} {options}"


class _Borrowed:
    """A subject that the session keeps open: closing it does nothing."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def __getattr__(self, name: str) -> Any:
        return getattr(self._subject, name)

    def close(self) -> None:
        """Leave it open."""
