"""Defines a kind of target: how the command line names it, how it is opened, and how its types are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.subject.api import Api
    from harness.subject.spec import SubjectSpec
    from harness.subject.subject import Note, Subject


@dataclass(frozen=True, slots=True)
class TargetKind:
    """A kind of target: a suite, a Kubernetes release, a program, or types alone.

    `name` is used in specifications and reports, and for the option of the command line (`--kubernetes`), which has
    `metavar` and `help`; without a metavar there is no option. `open` opens the target of a specification. `api`
    returns its types without opening it, or None if it has none.

    `title` returns the text for a location in reports; by default, the name and the location. `runs_code`: opening a
    location runs code that was chosen by the author of the location, such as a program. `is_quick`: without a budget, a
    run ends after a number of cases, not after a time. `has_every_gate`: a run has a second part with all feature
    gates enabled. `open_pair` opens one beside another in a way of its own. `in_one_process`: several processes of a
    search would ask more often than the target may be asked.
    """

    name: str
    open: Callable[[SubjectSpec, Note], Subject]
    api: Callable[[SubjectSpec], Api | None]
    metavar: str = ""
    help: str = ""
    title: Callable[[str], str] | None = None
    runs_code: Callable[[str], bool] = lambda location: True
    is_quick: bool = False
    has_every_gate: bool = False
    in_one_process: bool = False
    open_pair: Callable[[SubjectSpec, Note], Subject] | None = None

    def title_of(self, location: str) -> str:
        """Return the text for a target in reports: `kubernetes 1.37.1`."""
        return self.title(location) if self.title is not None else f"{self.name} {location}"
