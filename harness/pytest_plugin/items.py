"""The pytest items of a suite: a kind and operation, the exceptions, the coverage ratchet, and a skipped suite."""

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
from harness.files import relative_to_cwd
from harness.pytest_plugin import EXCEPTIONS_FILE
from harness.pytest_plugin.page import ATTRIBUTE
from harness.pytest_plugin.session import exceptions_of, subjects_of, wordings_of
from harness.ratchets.rules import read_ratchet
from harness.report.escaping import count, encode_json, lines, visible
from harness.report.formats.json import encode
from harness.report.model.assembly import build_report
from harness.report.model.document import Policy, Report, ReportedFinding, fails
from harness.report.model.gaps import find_open_gaps
from harness.report.model.grouping import group
from harness.report.model.tolerance import describe_failing_exception, tolerate
from harness.report.text.finding import MAX_DETAIL, MAX_DETAILED_GROUPS, describe_groups, to_plain_text
from harness.report.text.rules import lost_rows
from harness.subject import Subject, SubjectSpec

RATCHET_FILE = "rules.ratchet"
INLINE = 1500
"""At most so many characters of a case are part of the replay command; a longer case is written to a file."""


class SkippedItem(pytest.Item):
    """A suite that is skipped because its target was not requested or is unavailable, with the fix."""

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
    """An item that runs a search on a suite. `document` is the report, once it ran."""

    def __init__(self, *, spec: SubjectSpec, **others: Any) -> None:
        super().__init__(**others)
        self.spec = spec
        self.document: Report | None = None

    def attach_document(self, report: pytest.TestReport) -> None:
        """Attach the document to pytest's report, as text, which xdist can send to another process."""
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
            report = Ratchets().compare(with_coverage(report, [result], inventories, narrowed=False))
        except HarnessError as error:
            raise NotComparedError(str(error)) from None
        held = report.coverage.ratchets if report.coverage is not None else ()
        skipped = [one.skipped for one in held if one.skipped]
        if skipped or not held:
            raise NotComparedError(
                skipped[0] if skipped else "the Go types of the suite, which declare its rules, are unknown"
            )
        lost = [row for one in held for row in lost_rows(one)]
        if lost:
            raise LostCoverError("\n".join(lost))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        """List the rules that lost coverage."""
        if isinstance(excinfo.value, NotComparedError | LostCoverError):
            return lines(str(excinfo.value))
        return super().repr_failure(excinfo, *args, **kwargs)


class ExceptionsItem(SuiteItem):
    """The tolerated findings of a suite: replays their witnesses, each of which must still differ."""

    def runtest(self) -> None:
        """Replay the witnesses, without a search."""
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
            raise NotNeededError("\n".join(describe_failing_exception(word, entry) for word, entry in failing))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        """List the exceptions to remove or update, with the reason."""
        if isinstance(excinfo.value, NotComparedError | NotNeededError):
            return lines(str(excinfo.value))
        return super().repr_failure(excinfo, *args, **kwargs)


class NotEquivalentError(Exception):
    """The handwritten and the declarative validators of an item differ."""

    def __init__(self, findings: list[Finding], subject: str) -> None:
        super().__init__(f"{len(findings)} finding(s)")
        self.findings, self.subject = findings, subject


class NotComparedError(Exception):
    """An item compared nothing, so it can neither pass nor report findings."""


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
        """Search this kind and operation only."""
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
            raise NotComparedError("nothing was compared: no case was answered by both validators")
        missed = [line for gap in find_open_gaps(report) for line in (gap.sentence, *gap.blocking(6))]
        if missed:
            raise NotComparedError("\n  ".join([*missed, self._fix()]))

    def _fix(self) -> str:
        return (
            f"fix: add an accepted object to {relative_to_cwd(self.path.parent / 'examples')}, correct the check "
            "that rejects every object, search more cases (--harness-max-cases), or allow it with "
            "--harness-allow-incomplete "
            f"{shlex.quote(self.kind.name)}"
        )

    def _policy(self) -> Policy:

        options = self.config.getoption
        return Policy(options("--harness-fail-on"), (*options("--harness-allow-incomplete"), *self._allowed))

    def _untolerated(self, findings: list[Finding], subject: str) -> list[Finding]:
        return list(exceptions_of(self.config).apply(findings, subject).beyond) if findings else []

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        """Describe the findings, worst first, with the commands that replay them."""
        if isinstance(excinfo.value, NotComparedError):
            return f"{self.kind.name} {self.operation}: {excinfo.value}\nagain: {self._again()}"
        if not isinstance(excinfo.value, NotEquivalentError):
            return super().repr_failure(excinfo, *args, **kwargs)
        return self._describe(excinfo.value)

    def _describe(self, error: NotEquivalentError) -> str:
        reported = [self._reported(finding, error.subject) for finding in error.findings]
        groups = group(reported)
        text = f"{count(len(reported), 'finding')} in {count(len(groups), 'group')}, worst first\n"
        shown = []
        for one in groups[:MAX_DETAILED_GROUPS]:
            first = msgspec.structs.replace(one.first, replay=self._replay(one.first))
            shown.append(replace(one, findings=(first, *one.findings[1:])))
        text += to_plain_text(describe_groups(shown, MAX_DETAIL, ids=False))
        more = len(groups) - len(shown)
        text += f"\n… and {count(more, 'more group')}\n" if more else ""
        return f"{text}\nagain: {self._again()}"

    def _reported(self, finding: Finding, subject: str) -> Any:

        return ReportedFinding(**{name: getattr(finding, name) for name in Finding.__struct_fields__}, subject=subject)

    def _replay(self, finding: Finding) -> str:
        """Write the replay command of a finding; a large case is written to a file in pytest's cache."""
        if finding.case.object is None:
            return ""
        text = encode_json(finding.case).decode()
        case = shlex.quote(text)
        if len(case) > INLINE or visible(text) != text:
            cache = getattr(self.config, "cache", None)  # a plugin, which may be disabled
            folder = cache.mkdir("harness") if cache else Path(tempfile.gettempdir())
            file = folder / f"{finding.fingerprint}.json"
            with suppress(OSError):
                file.write_text(text + "\n", encoding="utf-8")
            case = shlex.quote(relative_to_cwd(file))
        target = f"--kubernetes {shlex.quote(self.spec.location)}"
        if self.spec.kind == "suite":
            target = shlex.quote(relative_to_cwd(Path(self.spec.location)))
        return f"harness replay {target} --case {case}"

    def _again(self) -> str:
        options = f"--harness-seed {self.seed} --harness-max-cases {self.cases}"
        if self.spec.kind == "kubernetes":
            options += f" --kubernetes {shlex.quote(self.spec.location)}"
        return f"pytest {shlex.quote(self.nodeid)} {options}"


class _Borrowed:
    """A subject that the session closes: `close` does nothing."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def __getattr__(self, name: str) -> Any:
        return getattr(self._subject, name)

    def close(self) -> None:
        """Do nothing."""
