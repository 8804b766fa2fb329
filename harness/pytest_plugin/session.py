"""State shared by the items of a session: open subjects, and the exceptions and trusted wordings of the root folder."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import pytest

from harness.compare.finding import CAUSE_CODES
from harness.errormatch.exceptionfile import NO_EXCEPTIONS, ExceptionFile, load_exceptions
from harness.pytest_plugin import EXCEPTIONS_FILE
from harness.report.escaping import visible
from harness.subject import Subject, SubjectSpec, open_subject


class Subjects:
    """The open subjects of a session: each is opened once, and closed at the end."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Subject] = {}

    def open(self, spec: SubjectSpec, config: pytest.Config) -> Subject:
        """Return the subject of a specification, opened on first use."""
        key = (spec.kind, spec.location)
        if key not in self._open:
            self._open[key] = open_subject(spec, lambda text: note(config, text))
        return self._open[key]

    def close(self) -> None:
        """Close every subject."""
        while self._open:
            self._open.popitem()[1].close()


SUBJECTS = pytest.StashKey[Subjects]()
EXCEPTIONS = pytest.StashKey[ExceptionFile]()


def note(config: pytest.Config, text: str) -> None:
    """Print a line on the terminal."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.write_line(visible(text))


def in_process(config: pytest.Config) -> bool:
    """Whether the code of suites runs in this process: on request, with --pdb, or under coverage."""
    asked = config.getoption("--harness-in-process") or config.getoption("usepdb", False)
    measured = sys.modules.get("coverage")
    return bool(asked or (measured is not None and measured.Coverage.current() is not None))


def subjects_of(config: pytest.Config) -> Subjects:
    """Return the open subjects of the session."""
    if SUBJECTS not in config.stash:
        config.stash[SUBJECTS] = Subjects()
        config.add_cleanup(config.stash[SUBJECTS].close)
    return config.stash[SUBJECTS]


def exceptions_of(config: pytest.Config) -> ExceptionFile:
    """Return the tolerated findings of the root folder, read once in a session. Raises: InputError."""
    if EXCEPTIONS not in config.stash:
        file = config.rootpath / EXCEPTIONS_FILE
        config.stash[EXCEPTIONS] = load_exceptions(file, date.today(), CAUSE_CODES) if file.is_file() else NO_EXCEPTIONS
    return config.stash[EXCEPTIONS]


def wordings_of(config: pytest.Config) -> Path | None:
    """Return the file of trusted wordings in the root folder, None when there is none."""
    file = config.rootpath / "trusted_wordings.yaml"
    return file if file.is_file() else None
