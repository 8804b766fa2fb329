"""The options that name a target, the same for every command, and what they mean."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from harness.case import Mode
from harness.cli.configuration import DEFAULT_GATES, is_typed, parse_gates, typed
from harness.diagnostics import UsageError
from harness.reporting.document import Reach
from harness.subject import SubjectSpec
from harness.subject.openers import TARGETS
from harness.subject.opening import kind_of
from harness.subject.spec import DeclarativeSide
from harness.subject.targetkind import TargetKind

F = TypeVar("F", bound=Callable[..., Any])

EVERY_GATE = {"AllAlpha": True, "AllBeta": True}
"""What the second part of a run on a release turns on."""
SUITES = Path("suites")
"""Where the embedded suites are, from the top of a checkout."""


@dataclass(frozen=True, slots=True)
class TargetChoice:
    """What the options said of the target. `named` has what each kind of target was named by its option."""

    named: Mapping[str, str] = field(default_factory=dict)
    types: str | None = None
    gates: Mapping[str, bool] = field(default_factory=dict)
    mode: Mode = "served"
    declarative: DeclarativeSide = "target"
    every_gate: bool = True
    against: str | None = None
    handwritten: str | None = None
    in_process: bool = False

    def specs(self, suites: Sequence[str]) -> list[SubjectSpec]:
        """Return what to open. Raises UsageError unless exactly one kind of target is named."""
        if bool(suites) + len(self.named) > 1:
            options = " or ".join(f"--{kind.name}" for kind in _by_option())
            raise UsageError(f"name one target: a suite folder, {options}\n  fix: leave the others out")
        if self.named:
            return [self._spec(kind, location) for kind, location in self.named.items()]
        return [self._spec("suite", suite) for suite in suites]

    def parts(self, spec: SubjectSpec) -> list[SubjectSpec]:
        """Return the parts of a run: a release is searched with its own gates, and with all of them on.

        Two releases are compared as they are: who moves from one to the other has the gates that each sets.
        """
        compared = spec.against or spec.handwritten is not None
        if not kind_of(spec.kind).has_every_gate or spec.gates or compared or not self.every_gate:
            return [spec]
        return [spec, replace(spec, gates=EVERY_GATE)]

    def one(self, suites: Sequence[str]) -> SubjectSpec:
        """Return the only target. Raises UsageError for none or several."""
        specs = self.specs(suites)
        if len(specs) != 1:
            problem = "no target is named" if not specs else "this command takes one suite at a time"
            options = ", or ".join(f"--{kind.name} {kind.metavar.partition('|')[0]}" for kind in _by_option())
            raise UsageError(f"{problem}\n  fix: name a suite folder such as suites/widgets_v1, or {options}")
        return specs[0]

    def _spec(self, kind: str, location: str) -> SubjectSpec:
        against, recording = self.against or "", self.handwritten or ""
        spec = make_spec(kind, location, self.gates, self.types or "", self.mode, self.declarative, against, recording)
        return replace(spec, in_process=self.in_process)


def make_spec(
    kind: str,
    location: str,
    gates: Mapping[str, bool],
    types: str,
    mode: str,
    declarative: str = "target",
    against: str = "",
    handwritten: str = "",
) -> SubjectSpec:
    """Make the specification of a subject."""
    return SubjectSpec(
        kind=kind, location=location, gates=dict(gates), types=types or None, mode=cast(Mode, mode),
        declarative=cast(DeclarativeSide, declarative), against=against or None,
        handwritten=handwritten or None,
    )  # fmt: skip


def reach_of(spec: SubjectSpec) -> Reach:
    """Say in the report how to open a subject again."""
    return Reach(
        spec.kind, str(spec.location), dict(spec.gates), str(spec.types or ""), spec.mode, declarative=spec.declarative,
        against=spec.against or "", handwritten=spec.handwritten or "",
    )  # fmt: skip


def spec_of(reach: Reach, in_process: bool = False) -> SubjectSpec:
    """Open again what a report was made of. Raises: UsageError when it is a commit that this clone does not have."""
    # Imported here: every command reads the options of a target, and few open what a verification kept.
    from harness.verify.building import find_place

    location, against = (
        find_place(place, Path.cwd(), lambda text: click.echo(text, err=True))
        for place in (reach.location, reach.against)
    )
    spec = make_spec(
        reach.kind, location, reach.gates, reach.types, reach.mode, reach.declarative, against, reach.handwritten
    )
    return replace(spec, in_process=in_process)


def arguments_of(spec: SubjectSpec) -> str:
    """Write the arguments that name a subject on the command line."""
    parts = [str(spec.location)] if spec.kind == "suite" else [f"--{spec.kind}", str(spec.location)]
    if spec.types:
        parts += ["--types", str(spec.types)]
    if spec.gates:
        parts += ["--gates", spec.gates_text]
    if spec.mode != "served":
        parts += ["--mode", spec.mode]
    if spec.declarative != "target":
        parts += ["--declarative", spec.declarative]
    if spec.against:
        parts += ["--against", spec.against]
    if spec.handwritten:
        parts += ["--handwritten", spec.handwritten]
    return " ".join(shlex.quote(part) for part in parts)


def target_options(function: F) -> F:
    """Add the options that name a target; the command gets them as `target: TargetChoice`."""

    @click.option(
        "--types",
        metavar="DIR",
        help="Go types: with --command to generate objects, with --declarative python to compile.",
    )
    @click.option("--gates", metavar="A=true,B=false", multiple=True, help='Feature gates of the target, or "default".')
    @click.option(
        "--mode",
        type=click.Choice(["served", "given"]),
        default="served",
        show_default=True,
        help="Default and prepare objects like a server, or take them as given.",
    )
    @click.option(
        "--declarative",
        type=click.Choice(["target", "python"]),
        default="target",
        show_default=True,
        help="The declarative side: the target's own, or its types compiled to Python.",
    )
    @click.option(
        "--in-process",
        is_flag=True,
        help="Run suites in this process, without limits, such as for a debugger.",
    )
    @wraps(function)  # which carries the options that were added before
    def wrapped(
        *args: Any, types: str | None, gates: tuple[str, ...], mode: str, declarative: str, in_process: bool,
        against: str | None = None, handwritten: str | None = None, **others: Any,
    ) -> Any:  # fmt: skip
        side = cast(DeclarativeSide, declarative)
        said = {kind.name: others.pop(_parameter(kind)) for kind in _by_option()}
        if _is_named(others):
            said = {kind.name: typed(_parameter(kind), said[kind.name]) for kind in _by_option()}
            types = typed("types", types)
            gates, side = typed("gates", gates) or (), typed("declarative", side) or "target"
        named = [text for text in gates if text != DEFAULT_GATES]
        locations = {name: location for name, location in said.items() if location is not None}
        choice = TargetChoice(
            locations, types, parse_gates(named), cast(Mode, mode), side, DEFAULT_GATES not in gates, against,
            handwritten, in_process,
        )  # fmt: skip
        return function(*args, target=choice, **others)

    for kind in reversed(_by_option()):
        wrapped = click.option(f"--{kind.name}", _parameter(kind), metavar=kind.metavar, help=kind.help)(wrapped)
    return cast(F, wrapped)


def _by_option() -> list[TargetKind]:
    """Return the kinds of targets that an option names; a suite is an argument."""
    return [kind for kind in TARGETS if kind.metavar]


def _parameter(kind: TargetKind) -> str:
    return f"target_{kind.name}"


def pair_options(function: F) -> F:
    """Add the options that put another one in the place of a side, for commands that compare; below those above."""
    against = click.option(
        "--against",
        metavar="OTHER",
        help="Compare the served errors with those of another release, checkout, suite or program.",
    )
    handwritten = click.option(
        "--handwritten",
        metavar="FILE",
        help="Compare with handwritten errors recorded by `harness record`.",
    )
    return against(handwritten(function))


def _is_named(others: Mapping[str, Any]) -> bool:
    """Whether the command line itself names a target, so that the one of the settings is not meant."""
    if any(is_typed(_parameter(kind)) for kind in _by_option()):
        return True
    files = others.get("files")
    return bool(others.get("suites") or others.get("arguments") or (files and is_suite(files[0])))


def is_suite(name: str) -> bool:
    """Whether an argument names a suite folder."""
    return (Path(name) / "suite.py").is_file()


def embedded_suites(root: Path = SUITES) -> list[str]:
    """Return every suite under a folder except the one for Kubernetes, in order of name."""
    found = sorted(path.parent for path in root.glob("*/suite.py"))
    return [str(path) for path in found if path.name != "kubernetes"]
