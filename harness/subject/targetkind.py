"""What a kind of target is: how one is named, opened, and read without opening it."""

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
    """A kind of target.

    `name` stands in specifications and reports, and is the option that names one on the command line (`--kubernetes`),
    with `metavar` and `help`; without a metavar there is no such option. `open` opens what a specification names, `api`
    returns what its types declare without opening it, None where no types are known.

    `title` writes a location for people, None writes it behind the name. `runs_code` says whether opening a location
    runs code that is chosen by whoever wrote the location down. Of one that `is_quick` to open and ask, a run without a
    budget asks some thousand cases; of others it takes its time. `has_every_gate` says that a run has a second part in
    which all feature gates are on.
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

    def titled(self, location: str) -> str:
        """Write a target for people: `kubernetes 1.37.1`."""
        return self.title(location) if self.title is not None else f"{self.name} {location}"
