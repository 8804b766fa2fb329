"""Defines the options that name a target, which are the same for every command, and converts them to specifications."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from harness.case import Mode
from harness.cli.configuration import DEFAULT_GATES, is_typed, parse_gates, typed
from harness.cli.servers import named_server, server_options
from harness.diagnostics import UsageError
from harness.report.model.document import Reach
from harness.subject import SubjectSpec
from harness.subject.definitions import WITHOUT_CEL
from harness.subject.namedvalidator import CONFIG, CONFIG_PART, GO
from harness.subject.openers import TARGETS
from harness.subject.openers.command import COMMAND
from harness.subject.openers.crd import CRD
from harness.subject.openers.kubernetes import KUBERNETES
from harness.subject.openers.policy import POLICY
from harness.subject.openers.server import SERVER
from harness.subject.opening import kind_of
from harness.subject.spec import SCHEMA, DeclarativeSide
from harness.subject.targetkind import TargetKind
from harness.targets.live.address import ServerAddress

F = TypeVar("F", bound=Callable[..., Any])

EVERY_GATE = {"AllAlpha": True, "AllBeta": True}
"""The feature gates of the second part of a run on a release."""
SUITES = Path("suites")
"""The folder of the embedded suites in a checkout of this repository."""


@dataclass(frozen=True, slots=True)
class TargetChoice:
    """The values of the options that name a target. `named` has the location for each kind of target with an option."""

    named: Mapping[str, str] = field(default_factory=dict)
    types: str | None = None
    gates: Mapping[str, bool] = field(default_factory=dict)
    mode: Mode = "served"
    declarative: DeclarativeSide = "target"
    every_gate: bool = True
    against: str | None = None
    handwritten: str | None = None
    validator: str | None = None
    in_process: bool = False
    schema: bool = False
    server: ServerAddress | None = None
    allow_exec: bool = False

    def specs(self, suites: Sequence[str]) -> list[SubjectSpec]:
        """Return the specifications of the targets. Raises: UsageError if several kinds of targets are named."""
        if self.server is not None:
            return [self._of_server(self.server, suites)]
        if POLICY.name in self.named and not suites:
            return [self._of_policies(self.named[POLICY.name])]
        if CRD.name in self.named and not suites:  # the release is the server of CRDs, and a program stands behind them
            return [self._of_crds(self.named[CRD.name])]
        if bool(suites) + len(self.named) > 1:
            options = " or ".join(f"--{kind.name}" for kind in _kinds_with_option())
            raise UsageError(f"name one target: a suite folder, {options}\n  fix: omit the others")
        if self.named:
            return [self._spec(kind, location) for kind, location in self.named.items()]
        return [self._spec("suite", suite) for suite in suites]

    def parts(self, spec: SubjectSpec) -> list[SubjectSpec]:
        """Return the parts of a run: a release is searched with its default gates, and with all gates enabled.

        A comparison of two releases has one part with the default gates, as in an upgrade of a cluster.
        """
        compared = spec.against or spec.handwritten is not None
        if not kind_of(spec.kind).has_every_gate or spec.gates or compared or not self.every_gate:
            return [spec]
        return [spec, replace(spec, gates=EVERY_GATE)]

    def one(self, suites: Sequence[str]) -> SubjectSpec:
        """Return the specification of the only target. Raises: UsageError if none or several are named."""
        specs = self.specs(suites)
        if len(specs) != 1:
            problem = "no target is named" if not specs else "this command takes one suite at a time"
            options = ", or ".join(f"--{kind.name} {kind.metavar.partition('|')[0]}" for kind in _kinds_with_option())
            raise UsageError(f"{problem}\n  fix: name a suite folder such as suites/widgets_v1, or {options}")
        return specs[0]

    def _of_server(self, server: ServerAddress, suites: Sequence[str]) -> SubjectSpec:
        others = self.named.keys() - {KUBERNETES.name, CRD.name}
        if suites or others:
            raise UsageError(
                "a server is compared with a release or CRDs\n"
                "  fix: name them with --kubernetes or --crd, and omit the others"
            )
        spec = self._spec(SERVER.name, str(server))
        release, crds = self.named.get(KUBERNETES.name), self.named.get(CRD.name)
        return replace(spec, release=release, crds=crds, allow_exec=self.allow_exec)

    def _of_crds(self, location: str) -> SubjectSpec:
        choice = self._with_program()
        if choice.validator is not None and not self.against:
            choice = replace(choice, against=f"{WITHOUT_CEL}{location}")
        return replace(choice._spec(CRD.name, location), release=self.named.get(KUBERNETES.name))

    def _of_policies(self, location: str) -> SubjectSpec:
        spec = self._with_program()._spec(POLICY.name, location)
        return replace(spec, release=self.named.get(KUBERNETES.name), crds=self.named.get(CRD.name))

    def _with_program(self) -> TargetChoice:
        """Return the choice with a program as the validator."""
        program = self.named.get(COMMAND.name)
        if program is not None and self.validator is not None:
            raise UsageError("two validators are named\n  fix: leave out --command, or the other")
        return replace(self, validator=self.validator or program)

    def _beside_schema(self, kind: str) -> str:
        """Return what the tags are compared with under --schema. Raises: UsageError where that means nothing."""
        if self.against or self.handwritten or self.validator:
            raise UsageError("--schema is a comparison of its own\n  fix: leave out what else is compared")
        if kind in (CRD.name, POLICY.name, SERVER.name):
            raise UsageError("CRDs, policies and servers have no tags\n  fix: --before DIR compares them with others")
        if self.declarative != "target":
            raise UsageError("--schema compares generated validation\n  fix: leave --declarative out")
        return SCHEMA

    def _spec(self, kind: str, location: str) -> SubjectSpec:
        against, recording = self.against or "", self.handwritten or ""
        if self.schema:
            against = self._beside_schema(kind)
        if self.validator is not None and kind not in (CRD.name, POLICY.name):
            raise UsageError(
                "a webhook or a function stands behind CRDs or against policies\n"
                "  fix: name them with --crd or --policy, or leave it out"
            )
        spec = make_spec(kind, location, self.gates, self.types or "", self.mode, self.declarative, against, recording)
        return replace(spec, in_process=self.in_process, validator=self.validator)


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
    """Return the specification of a subject."""
    return SubjectSpec(
        kind=kind, location=location, gates=dict(gates), types=types or None, mode=cast(Mode, mode),
        declarative=cast(DeclarativeSide, declarative), against=against or None,
        handwritten=handwritten or None,
    )  # fmt: skip


def reach_of(spec: SubjectSpec) -> Reach:
    """Return the entry of the report from which a subject is opened again."""
    return Reach(
        spec.kind, str(spec.location), dict(spec.gates), str(spec.types or ""), spec.mode, declarative=spec.declarative,
        against=spec.against or "", handwritten=spec.handwritten or "", release=spec.release or "",
        validator=spec.validator or "", crds=spec.crds or "",
    )  # fmt: skip


def spec_of(reach: Reach, in_process: bool = False) -> SubjectSpec:
    """Return the specification of a subject in a report.

    Raises: UsageError if its location is a commit that this clone does not have.
    """
    # Imported here, because all commands load this module and few open commits.
    from harness.verify.building import find_location

    location, against = (
        find_location(location, Path.cwd(), lambda text: click.echo(text, err=True))
        for location in (reach.location, reach.against)
    )
    spec = make_spec(
        reach.kind, location, reach.gates, reach.types, reach.mode, reach.declarative, against, reach.handwritten
    )
    return replace(
        spec, in_process=in_process, release=reach.release or None, validator=reach.validator or None,
        crds=reach.crds or None,
    )  # fmt: skip


def arguments_of(spec: SubjectSpec) -> str:
    """Return the command-line arguments that name a subject."""
    parts = [str(spec.location)] if spec.kind == "suite" else [f"--{spec.kind}", str(spec.location)]
    if spec.kind == SERVER.name:
        parts = ServerAddress.of(spec.location).arguments
    if spec.types:
        parts += ["--types", str(spec.types)]
    if spec.gates:
        parts += ["--gates", spec.gates_text]
    if spec.mode != "served":
        parts += ["--mode", spec.mode]
    if spec.declarative != "target":
        parts += ["--declarative", spec.declarative]
    if spec.against:
        parts += ["--schema"] if spec.against == SCHEMA else ["--against", spec.against]
    if spec.handwritten:
        parts += ["--handwritten", spec.handwritten]
    if spec.release:
        parts += ["--kubernetes", spec.release]
    if spec.crds:
        parts += [f"--{CRD.name}", spec.crds]
    if spec.validator:
        parts += validator_arguments(spec.validator)
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
    @wraps(function)  # copies the options that were added before
    def wrapped(
        *args: Any, types: str | None, gates: tuple[str, ...], mode: str, declarative: str, in_process: bool,
        against: str | None = None, handwritten: str | None = None, webhook: str | None = None, ca: str | None = None,
        webhook_at: str | None = None, callee: str | None = None, validator: str | None = None, schema: bool = False,
        server: str | None = None, kubeconfig: Path | None = None, context: str | None = None, allow_exec: bool = False,
        **others: Any,
    ) -> Any:  # fmt: skip
        side = cast(DeclarativeSide, declarative)
        values = {kind.name: others.pop(_parameter(kind)) for kind in _kinds_with_option()}
        if _is_named(others):
            values = {kind.name: typed(_parameter(kind), values[kind.name]) for kind in _kinds_with_option()}
            types = typed("types", types)
            gates, side = typed("gates", gates) or (), typed("declarative", side) or "target"
        assignments = [text for text in gates if text != DEFAULT_GATES]
        locations = {name: location for name, location in values.items() if location is not None}
        choice = TargetChoice(
            locations, types, parse_gates(assignments), cast(Mode, mode), side, DEFAULT_GATES not in gates, against,
            handwritten, validator_of(webhook, webhook_at, ca, callee, validator), in_process, schema,
            named_server(server, kubeconfig, context or "", allow_exec), allow_exec,
        )  # fmt: skip
        return function(*args, target=choice, **others)

    for kind in reversed(_kinds_with_option()):
        wrapped = click.option(f"--{kind.name}", _parameter(kind), metavar=kind.metavar, help=kind.help)(wrapped)
    return cast(F, wrapped)


def _kinds_with_option() -> list[TargetKind]:
    """Return the kinds of targets that have an option; a suite is an argument."""
    return [kind for kind in TARGETS if kind.metavar]


def _parameter(kind: TargetKind) -> str:
    return f"target_{kind.name}"


def pair_options(function: F) -> F:
    """Add what targets are compared with, for commands that compare. Apply it before `target_options`."""
    against = click.option(
        "--against",
        "--before",
        "against",
        metavar="OTHER",
        help="Compare the served errors with those of another release, checkout, suite, program, CRDs or policies.",
    )
    handwritten = click.option(
        "--handwritten",
        metavar="FILE",
        help="Compare with handwritten errors recorded by `harness record`.",
    )
    schema = click.option(
        "--schema", is_flag=True, help="Compare the generated validation with its tags as OpenAPI and CEL."
    )
    where = "behind the CRDs before, or against --policy"
    return against(handwritten(validator_options(server_options(schema(function)), where)))


def validator_options(function: F, where: str = "behind the CRDs before") -> F:
    """Add the options that name a validator and say where it stands; `validator_of` reads them."""
    webhook = click.option(
        "--webhook",
        metavar="URL|FILE",
        help=f"A validating webhook {where}; or a file with a configuration of webhooks.",
    )
    place = click.option(
        "--webhook-at", metavar="URL", help="With a configuration: where services of the cluster are reached from here."
    )
    ca = click.option("--ca", metavar="FILE", help="Certificates that the webhook's is checked with, as PEM.")
    callee = click.option(
        "--function", "callee", metavar="FILE.py:NAME", help=f"A Python function that validates {where}."
    )
    validator = click.option("--validator", metavar="./path.Type", help=f"A Go validator of your module, {where}.")
    return webhook(place(ca(callee(validator(function)))))


def _webhook(webhook: str | None, at: str | None, ca: str | None) -> str | None:
    """Return the webhook, or the configuration of webhooks, that validates beside CRDs. Raises: UsageError."""
    if webhook is None and (ca is not None or at is not None):
        option, what = ("--ca", "the certificate") if ca is not None else ("--webhook-at", "the services")
        raise UsageError(f"{option} is for {what} of a webhook\n  fix: add --webhook URL")
    if webhook is None or "://" in webhook:
        if at is not None:
            raise UsageError("--webhook-at is for a configuration\n  fix: leave it out, or name a file with --webhook")
        return webhook if ca is None else f"{webhook}#{ca}"
    if not Path(webhook).is_file():
        raise UsageError(f"{webhook!r} is no URL and no file\n  fix: --webhook https://HOST:PORT/PATH, or a file")
    for option, value in (("--webhook-at", at), ("--ca", ca)):
        if CONFIG_PART in (value or ""):
            raise UsageError(f"{option} {value!r} has a {CONFIG_PART}\n  fix: name a place without one")
    return f"{CONFIG}{CONFIG_PART.join((webhook, at or '', ca or ''))}"


def validator_of(
    webhook: str | None, at: str | None, ca: str | None, function: str | None, validator: str | None
) -> str | None:
    """Return what validates beside CRDs. Raises: UsageError."""
    named = [one for one in (_webhook(webhook, at, ca), function, validator and f"{GO}{validator}") if one is not None]
    if len(named) > 1:
        raise UsageError("two validators are named\n  fix: name a webhook, a function or a Go type")
    return named[0] if named else None


def validator_arguments(validator: str) -> list[str]:
    """Return the options that name a validator."""
    if validator.startswith(GO):
        return ["--validator", validator.removeprefix(GO)]
    if validator.startswith(CONFIG):
        file, at, ca = validator.removeprefix(CONFIG).rsplit(CONFIG_PART, 2)
        return ["--webhook", file, *(["--webhook-at", at] if at else []), *(["--ca", ca] if ca else [])]
    url, _, ca = validator.partition("#")
    if "://" not in url:
        is_function = re.fullmatch(r".+\.py:\w+", validator) is not None
        return ["--function" if is_function else "--command", validator]
    return ["--webhook", url, *(["--ca", ca] if ca else [])]


def _is_named(others: Mapping[str, Any]) -> bool:
    """Whether the command line names a target, which overrides the target of the project's settings."""
    if any(is_typed(_parameter(kind)) for kind in _kinds_with_option()):
        return True
    files = others.get("files")
    return bool(others.get("suites") or others.get("arguments") or (files and is_suite(files[0])))


def is_suite(name: str) -> bool:
    """Whether an argument names a suite folder."""
    return (Path(name) / "suite.py").is_file()


def embedded_suites(root: Path = SUITES) -> list[str]:
    """Return every suite in a folder except the one for Kubernetes, sorted by name."""
    found = sorted(path.parent for path in root.glob("*/suite.py"))
    return [str(path) for path in found if path.name != "kubernetes"]
