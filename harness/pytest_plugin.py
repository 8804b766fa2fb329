"""Collects the kinds of suites as pytest items: `pytest suites/` asks of each whether both sides agree.

One item per kind, version, subresource and operation, named like `widgets-v1-create`. Nothing heavy is imported before
the plugin meets a suite: it is loaded in every pytest run of whoever has the harness installed.
"""

from __future__ import annotations

import fnmatch
import shlex
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from harness.case import KindInfo, Operation, TargetInfo
    from harness.compare.finding import Finding
    from harness.errormatch.exceptionfile import ExceptionFile
    from harness.reporting.document import Policy, Report
    from harness.subject import Subject, SubjectSpec

SUITE_FILE = "suite.py"
EXCEPTIONS_FILE = "equivalence_exceptions.yaml"
RATCHET_FILE = "rules.ratchet"
INLINE = 1500
"""Characters of a case that stand in the replay line itself; a longer one is put into a file."""


class Subjects:
    """The open subjects of a session: each is opened once, and closed at the end."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Subject] = {}

    def open(self, spec: SubjectSpec, config: pytest.Config) -> Subject:
        """Return the subject of a specification."""
        from harness.subject import open_subject

        key = (spec.kind, spec.location)
        if key not in self._open:
            self._open[key] = open_subject(spec, lambda text: _note(config, text))
        return self._open[key]

    def close(self) -> None:
        """Close every subject."""
        while self._open:
            self._open.popitem()[1].close()


SUBJECTS = pytest.StashKey[Subjects]()
EXCEPTIONS = pytest.StashKey["ExceptionFile"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the harness."""
    group = parser.getgroup("harness", "equivalence of validators")
    group.addoption("--harness-seed", type=int, default=1, metavar="N", help="seed of the search (default: 1)")
    group.addoption(
        "--harness-max-cases", type=int, default=2000, metavar="N", help="cases for each item (default: 2000)"
    )
    group.addoption(
        "--harness-in-process",
        action="store_true",
        help="run the code of suites in this process, without limits; --pdb and coverage do",
    )
    group.addoption(
        "--harness-fail-on",
        choices=("verdict", "graduation", "visible", "shadow", "unreachable"),
        default="unreachable",
        help="the mildest severity that fails an item (default: unreachable, so all of them)",
    )
    group.addoption(
        "--harness-allow-incomplete",
        action="append",
        default=[],
        metavar="PATTERN",
        help='kinds such as "widgets" or "apps/*" of which no object need be accepted by both sides; may be repeated',
    )
    # pytest-html has an option of that name: where it is installed, ours has the long name alone.
    names = ("--harness-html",) if find_spec("pytest_html") else ("--html", "--harness-html")
    group.addoption(
        *names, dest="harness_html", metavar="FILE", help="write what all items found as the page of harness run --html"
    )
    group.addoption(
        "--kubernetes",
        metavar="RELEASE",
        default=None,
        help="release or checkout that a suite of Kubernetes asks; without it such a suite is skipped",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a suite.py that defines SUITE. A file named on the command line comes through the hook below."""
    if not _is_suite(file_path) or parent.session.isinitpath(file_path):
        return None
    if any(fnmatch.fnmatch(file_path.name, pattern) for pattern in parent.config.getini("python_files")):
        return None
    return SuiteFile.from_parent(parent, path=file_path)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> Any:
    """Take a suite.py that pytest would import as a test module."""
    return SuiteFile.from_parent(parent, path=module_path) if _is_suite(module_path) else None


def pytest_configure(config: pytest.Config) -> None:
    """Collect the reports of items where a page is wanted: in the process that hears of all of them."""
    file = config.getoption("harness_html", None)
    if file and not hasattr(config, "workerinput"):
        from harness.pytest_page import Page

        config.pluginmanager.register(Page(Path(file).absolute(), config.rootpath / EXCEPTIONS_FILE), "harness-page")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Hand over what an item found, with pytest's own report of it."""
    report = yield
    if report.when == "call" and isinstance(item, SuiteItem) and item.config.getoption("harness_html", None):
        item.hand_over(report)
    return report


def pytest_unconfigure(config: pytest.Config) -> None:
    """Close what the session opened."""
    subjects = config.stash.get(SUBJECTS, None)
    if subjects is not None:
        subjects.close()


def _is_suite(path: Path) -> bool:
    if path.name != SUITE_FILE:
        return False
    with suppress(OSError, UnicodeDecodeError):
        text = path.read_text(encoding="utf-8")
        return "SUITE" in text and "harness" in text
    return False


def _note(config: pytest.Config, text: str) -> None:
    from harness.reporting.text import visible

    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.write_line(visible(text))


class SuiteFile(pytest.File):
    """A suite: a folder with suite.py, its types and its handwritten validators."""

    def collect(self) -> Iterable[pytest.Item]:
        """Yield an item per kind, version, subresource and operation; one that skips where nobody can be asked."""
        from harness.diagnostics import HarnessError, TargetError

        try:
            spec = self._spec()
            if self._is_kubernetes and not self.config.getoption("--kubernetes"):
                return [SkippedItem.from_parent(self, name=f"kubernetes-{spec.location}", reason=_why_not(spec))]
            items = list(self._items(spec, self._info(spec)))
        except TargetError as error:
            if not self._is_kubernetes:
                raise self.CollectError(str(error)) from None
            name = f"kubernetes-{self._spec().location}"
            return [SkippedItem.from_parent(self, name=name, reason=_why_skipped(str(error), self._spec().location))]
        except HarnessError as error:
            raise self.CollectError(str(error)) from None
        return items

    _is_kubernetes = False
    allow_incomplete: tuple[str, ...] = ()

    def _spec(self) -> SubjectSpec:
        from harness.subject import SubjectSpec, load_suite
        from harness.subject.suitefile import import_suite
        from harness.suite import KubernetesSuite

        here = in_process(self.config)
        suite = import_suite(self.path.parent) if here else load_suite(self.path.parent)
        self.allow_incomplete = tuple(suite.allow_incomplete)
        if isinstance(suite, KubernetesSuite):
            self._is_kubernetes = True
            release = self.config.getoption("--kubernetes") or suite.release
            return SubjectSpec("kubernetes", str(release), dict(suite.gates))
        return SubjectSpec("suite", str(self.path.parent), in_process=here)

    def _info(self, spec: SubjectSpec) -> TargetInfo:
        if spec.kind == "kubernetes":
            return kubernetes_info(spec, self.config)
        return subjects_of(self.config).open(spec, self.config).target.info

    def _items(self, spec: SubjectSpec, info: TargetInfo) -> Iterator[pytest.Item]:
        seen: dict[str, int] = {}
        for kind in info.kinds:
            for operation in kind.operations:
                name = item_name(kind, operation, with_group=False)
                seen[name] = seen.get(name, 0) + 1
        for kind in info.kinds:
            for operation in kind.operations:
                name = item_name(kind, operation, with_group=False)
                if seen[name] > 1:
                    name = item_name(kind, operation, with_group=True)
                yield KindItem.from_parent(self, name=name, spec=spec, kind=kind, operation=operation)
        subject = "kubernetes" if self._is_kubernetes else info.name
        if any(entry.of(subject) for entry in exceptions_of(self.config).entries):
            yield ExceptionsItem.from_parent(self, name="exceptions", spec=spec)
        if spec.kind == "suite" and (self.path.parent / RATCHET_FILE).is_file():
            yield RulesItem.from_parent(self, name="rules", spec=spec)


def item_name(kind: KindInfo, operation: Operation, *, with_group: bool) -> str:
    """Name an item: resource, subresource, version, operation; with the group where two groups share a resource."""
    resource = f"{kind.resource}.{kind.group or 'core'}" if with_group else kind.resource
    own = kind.api_version.rpartition("/")[2]
    # A scale may be sent in several versions of its own; the name tells them apart.
    foreign = "" if not kind.subresource or own == kind.version or not with_group else own
    return "-".join(part for part in (resource, kind.subresource, foreign, kind.version, str(operation)) if part)


def in_process(config: pytest.Config) -> bool:
    """Whether the code of suites runs in this process: where somebody asks for it, debugs or measures it."""
    asked = config.getoption("--harness-in-process") or config.getoption("usepdb", False)
    measured = sys.modules.get("coverage")
    return bool(asked or (measured is not None and measured.Coverage.current() is not None))


def subjects_of(config: pytest.Config) -> Subjects:
    """Return the open subjects of the session."""
    return config.stash.setdefault(SUBJECTS, Subjects())


def exceptions_of(config: pytest.Config) -> ExceptionFile:
    """Return the exceptions of the root folder, which are read once in a session. Raises: InputError."""
    if EXCEPTIONS not in config.stash:
        from datetime import date

        from harness.errormatch.exceptionfile import NO_EXCEPTIONS, load_exceptions

        file = config.rootpath / EXCEPTIONS_FILE
        config.stash[EXCEPTIONS] = load_exceptions(file, date.today()) if file.is_file() else NO_EXCEPTIONS
    return config.stash[EXCEPTIONS]


def wordings_of(config: pytest.Config) -> Path | None:
    """Return the trusted wordings of the root folder, where there are some."""
    file = config.rootpath / "trusted_wordings.yaml"
    return file if file.is_file() else None


def kubernetes_info(spec: SubjectSpec, config: pytest.Config) -> TargetInfo:
    """Return what a release serves: as written down next to its built worker, else by asking the worker.

    Raises: TargetError when there is neither a worker nor a toolchain to build it.
    """
    import hashlib

    import msgspec

    from harness.case import TargetInfo
    from harness.files import write_atomically
    from harness.targets.kubernetes.build import worker_for
    from harness.targets.kubernetes.release import find_release

    worker = worker_for(find_release(spec.location), lambda text: _note(config, text))
    gates = hashlib.sha256(repr(sorted(spec.gates.items())).encode()).hexdigest()[:8]
    kept = worker.with_name(f"info-{gates}.json")
    with suppress(OSError, msgspec.MsgspecError):
        if kept.stat().st_mtime >= worker.stat().st_mtime:
            return msgspec.json.decode(kept.read_bytes(), type=TargetInfo)
    info = subjects_of(config).open(spec, config).target.info
    with suppress(OSError):
        write_atomically(kept, msgspec.json.encode(info))
    return info


def _why_skipped(reason: str, release: str) -> str:
    return (
        f"{reason}\n  to run it: pip install 'equivalence-harness[kubernetes]' brings a Go toolchain, "
        f"then harness kinds --kubernetes {shlex.quote(release)} builds the worker once"
    )


def _why_not(spec: SubjectSpec) -> str:
    return (
        "a real release takes minutes and gigabytes, so it is asked only when the command line says so\n"
        f"  to run it: add --kubernetes {shlex.quote(str(spec.location))}"
    )


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
        from harness.pytest_page import ATTRIBUTE
        from harness.reporting.document import encode

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
        from harness import engine
        from harness.cli.coverage import inventory_in, rule_onlookers, with_coverage
        from harness.cli.ratchets import Ratchets
        from harness.cli.targets import reach_of
        from harness.diagnostics import HarnessError
        from harness.events import Budget
        from harness.ratchets.rules import read_ratchet
        from harness.reporting.assembly import build_report
        from harness.reporting.ruletext import lost_rows

        try:
            cases = read_ratchet(self.path.parent / RATCHET_FILE).cases
            onlookers = rule_onlookers(self.spec)
            result = engine.run(
                self.spec, seed=int(self.config.getoption("--harness-seed")), budget=Budget(None, cases or 1),
                onlookers=onlookers, trusted=wordings_of(self.config), opener=self._opened,
            )  # fmt: skip
            inventory = inventory_in(onlookers)
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
        from harness.reporting.text import lines

        if isinstance(excinfo.value, NotComparedError | LostCoverError):
            return lines(str(excinfo.value))
        return super().repr_failure(excinfo, *args, **kwargs)


class ExceptionsItem(SuiteItem):
    """The exceptions of a suite: their witnesses are asked again, and each must still show what is tolerated."""

    def runtest(self) -> None:
        """Ask the witnesses alone: how much is searched elsewhere does not matter."""
        from harness import engine
        from harness.diagnostics import HarnessError
        from harness.events import Budget
        from harness.reporting.assembly import build_report
        from harness.reporting.tolerance import must_go, tolerate

        entries = exceptions_of(self.config)
        try:
            result = engine.run(
                self.spec, seed=1, budget=Budget(None, 0), trusted=wordings_of(self.config), opener=self._opened,
                witnesses=tuple(entries.witnesses.values()),
            )  # fmt: skip
        except HarnessError as error:
            raise NotComparedError(str(error)) from None
        self.document = build_report(result)
        failing = tolerate(self.document, entries, EXCEPTIONS_FILE).exceptions.failing
        if failing:
            raise NotNeededError("\n".join(must_go(word, entry) for word, entry in failing))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        """Tell what must go, and why."""
        from harness.reporting.text import lines

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

    def __init__(self, *, kind: KindInfo, operation: Operation, **others: Any) -> None:
        super().__init__(**others)
        self.kind, self.operation = kind, operation
        self.seed = int(self.config.getoption("--harness-seed"))
        self.cases = int(self.config.getoption("--harness-max-cases"))

    def runtest(self) -> None:
        """Search this kind and operation alone."""
        from harness import engine
        from harness.diagnostics import HarnessError
        from harness.events import LOST, Budget
        from harness.reporting.assembly import build_report
        from harness.reporting.document import fails
        from harness.reporting.gaps import open_gaps

        try:
            result = engine.run(
                self.spec,
                seed=self.seed,
                budget=Budget(None, self.cases),
                kinds=[self.kind.name],
                operations=[str(self.operation)],
                trusted=wordings_of(self.config),
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
            f"fix: put an object that is accepted into {_near(self.path.parent / 'examples')}, look at the check that "
            "reports it, ask more (--harness-max-cases), or accept it by name with --harness-allow-incomplete "
            f"{shlex.quote(self.kind.name)}"
        )

    def _policy(self) -> Policy:
        from harness.reporting.document import Policy

        options = self.config.getoption
        own = self.parent.allow_incomplete if isinstance(self.parent, SuiteFile) else ()
        return Policy(options("--harness-fail-on"), (*options("--harness-allow-incomplete"), *own))

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
        import msgspec

        from harness.reporting.grouping import group
        from harness.reporting.terminal import AT_LENGTH, SHORT, at_length, render
        from harness.reporting.text import count

        reported = [self._reported(finding, error.subject) for finding in error.findings]
        groups = group(reported)
        lines = f"{count(len(reported), 'finding')} in {count(len(groups), 'group')}, worst first\n"
        told = []
        for one in groups[:AT_LENGTH]:
            first = msgspec.structs.replace(one.first, replay=self._replay(one.first))
            told.append(replace(one, findings=(first, *one.findings[1:])))
        lines += render(at_length(told, SHORT, ids=False))
        more = len(groups) - len(told)
        lines += f"\n… and {count(more, 'more group')}\n" if more else ""
        return f"{lines}\nagain: {self._again()}"

    def _reported(self, finding: Finding, subject: str) -> Any:
        from harness.compare.finding import Finding as Record
        from harness.reporting.document import ReportedFinding

        return ReportedFinding(**{name: getattr(finding, name) for name in Record.__struct_fields__}, subject=subject)

    def _replay(self, finding: Finding) -> str:
        """Write the line that asks the same again; a large case is put into pytest's cache."""

        from harness.reporting.text import encode_json, visible

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
            case = shlex.quote(_near(file))
        target = f"--kubernetes {shlex.quote(self.spec.location)}"
        if self.spec.kind == "suite":
            target = shlex.quote(_near(Path(self.spec.location)))
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


def _near(path: Path) -> str:
    """Name a path from where the user stands, when it is below."""
    with suppress(ValueError, OSError):
        return str(path.resolve().relative_to(Path.cwd()))
    return str(path)
