"""Reads the plan of a campaign, and cuts it into units that are functions of the plan alone.

A plan is YAML: `targets` (each names a target by the options of `harness run`), `gates` (settings of feature gates),
`pairwise` (gates, or lists of gates that go on and off together, of which every pair of values is covered by some
setting), `seeds`, `cases` (for each target, setting and seed), `shards` (units that each of these is cut into) and
`power` (the cases of mutation testing of each target and setting, one more unit).
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from harness.diagnostics import Diagnostic, InputError, Position, near_miss
from harness.limits import check_yaml, read_bounded_text

OPTIONS = (
    "kubernetes", "crd", "policy", "command", "types", "before", "against", "webhook", "function", "validator",
    "schema", "branches", "mode", "declarative", "example", "kind", "operation",
)  # fmt: skip
"""The options of `harness run` that a target may have, next to `suite`."""
_NAMING = ("suite", "kubernetes", "crd", "policy", "command")
_KEYS = ("targets", "gates", "pairwise", "seeds", "cases", "shards", "power")
_LISTS = ("example", "kind", "operation")
_CHOICES = {"operation": ("create", "update"), "mode": ("served", "given"), "declarative": ("target", "python")}
_SWITCHES = ("schema", "branches")
_NOT_OF_POWER = ("crd", "policy", "before", "against", "webhook", "function", "validator", "schema", "operation")
"""The options of a target that `harness power` does not have, or of which it has no rules to break."""
_EXAMPLE = 'a plan begins with targets, such as targets: [{kubernetes: "1.37.1"}]'
DEFAULT_SETTING = "default"
"""The setting of gates that a release has by itself."""
_LISTS_OF_GATES = {"gates": "[default, 'A=true,B=false']", "pairwise": "[A, [B, C], D]"}
"""What a plan may say of gates, for messages."""
_SETTING = re.compile(r"\w+=(true|false)(,\w+=(true|false))*")
_MOST_UNITS = 1_000_000
_MOST_GATES = 40
DEFAULT_CASES = 100_000
"""The cases of each target, setting and seed, if the plan does not say."""


class CampaignUnit(msgspec.Struct, frozen=True):
    """One run of one shard: the words that name its target, its gates, seed, number of cases, and shard `I/N`.

    A shard has kinds by how long they are expected to take, and pieces of those that would take longer than it.

    `corpus` is the digest of the corpus that it starts from, empty for none. `power`: mutants of the rules are tested,
    by `harness power`, instead of a run.
    """

    target: tuple[str, ...]
    gates: str
    seed: int
    cases: int
    shard: str
    corpus: str = ""
    power: bool = False

    @property
    def digest(self) -> str:
        """The identity of the unit, by what is asked."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:20]

    @property
    def setting(self) -> tuple[tuple[str, ...], str]:
        """What its report may be added to: the target and the gates."""
        return self.target, self.gates

    @property
    def arguments(self) -> list[str]:
        """The command of the harness that asks it, and its arguments."""
        target = [word for word in self.target if word != "--branches" or not self.power]
        words = ["power" if self.power else "run", *target, "--seed", str(self.seed), "--max-cases", str(self.cases)]
        words += ["--gates", self.gates] if self.gates else []
        return words + (["--shard", self.shard, "--cut-kinds"] if self.shard != "1/1" else [])

    def __str__(self) -> str:
        shard = f" shard {self.shard}" if self.shard != "1/1" else ""
        return f"{name_setting(self.setting)} seed {self.seed}{shard}{' mutants' if self.power else ''}"


class CampaignPlan(msgspec.Struct, frozen=True):
    """What a campaign asks. `targets` are words of `harness run`; `gates` are texts such as `A=true,B=false`.

    `corpus` is the digest of the corpus that every unit starts from: what a unit finds depends on it. `power`: the
    cases for which the mutants of each target and setting are searched; 0 for none.
    """

    targets: tuple[tuple[str, ...], ...]
    gates: tuple[str, ...] = ("default",)
    seeds: tuple[int, ...] = (1,)
    cases: int = DEFAULT_CASES
    shards: int = 1
    corpus: str = ""
    power: int = 0

    @property
    def digest(self) -> str:
        """The identity of the plan."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:20]

    def units(self) -> Iterator[CampaignUnit]:
        """Yield all units, in the order in which their reports are merged."""
        for target, gates, seed in itertools.product(self.targets, self.gates, self.seeds):
            for number in range(1, self.shards + 1):
                yield CampaignUnit(target, gates, seed, self.cases, f"{number}/{self.shards}", self.corpus)
        for target, gates in itertools.product(self.targets, self.gates) if self.power else ():
            yield CampaignUnit(target, gates, self.seeds[0], self.power, "1/1", power=True)


def name_setting(setting: tuple[Sequence[str], str]) -> str:
    """Name a target and its gates, as they were planned."""
    words, gates = setting
    return " ".join(words) + (f" --gates {gates}" if gates else "")


def read_plan(file: Path) -> CampaignPlan:
    """Read a plan. Raises: InputError with all problems."""
    try:
        text = read_bounded_text(file)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(
            [_wrong(file, f"the plan cannot be read: {reason}", fix="name a YAML file with targets")]
        ) from None
    try:
        check_yaml(text, str(file))
        document: Any = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 0
        words = " ".join(str(error).split())
        raise InputError([_wrong(file, f"the plan is not YAML: {words}", line, fix=f"mend it; {_EXAMPLE}")]) from None
    if not isinstance(document, dict):
        what = "the plan is empty" if document is None else "the plan is no map"
        raise InputError([_wrong(file, f"{what}; a map with {', '.join(_KEYS)} is needed", fix=_EXAMPLE)])
    problems = [_unknown(file, key, _KEYS, "the plan") for key in document if key not in _KEYS]
    found = {key: document[key] for key in _KEYS if document.get(key) is not None}
    targets = tuple(_targets(file, found.get("targets"), problems))
    gates = _gates(file, found, problems)
    seeds = _seeds(file, found.get("seeds", 1), problems)
    cases = _number(file, "cases", found.get("cases", DEFAULT_CASES), problems)
    shards = _number(file, "shards", found.get("shards", 1), problems)
    power = _number(file, "power", found["power"], problems) if "power" in found else 0
    problems += _without_mutants(file, targets) if power else ()
    if not problems and len(targets) * len(gates) * len(seeds) * shards > _MOST_UNITS:
        few = "fewer targets, gates, seeds or shards"
        problems.append(_wrong(file, f"it has more than {_MOST_UNITS:,} units", fix=few))
    if problems:
        raise InputError(problems)
    return CampaignPlan(targets, gates, seeds, cases, shards, power=power)


def cover_pairs(groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the fewest settings of two gates or more in which every pair of gates has each of its four values.

    The gates of a group go on and off together.

    Source: Kleitman and Spencer 1973. With n settings, each gate is off in the first one, and on in its own choice of
    half of all: two different choices meet, each has a setting that the other has not, and both are off in the first.
    """
    number = next(n for n in itertools.count(4) if math.comb(n - 1, (n + 1) // 2) >= len(groups))
    choices = itertools.combinations(range(1, number), (number + 1) // 2)
    on = {gate: frozenset(choice) for group, choice in zip(groups, choices, strict=False) for gate in group}
    return tuple(",".join(f"{gate}={str(row in on[gate]).lower()}" for gate in on) for row in range(number))


def _targets(file: Path, entries: Any, problems: list[Diagnostic]) -> Iterator[tuple[str, ...]]:
    if not isinstance(entries, list) or not entries:
        problems.append(_wrong(file, "targets: a list of targets is needed", fix='targets: [{kubernetes: "1.37.1"}]'))
        return
    for number, entry in enumerate(entries, 1):
        where = f"target {number}"
        if not isinstance(entry, dict):
            problems.append(_wrong(file, f"{where}: {entry!r} is no map", fix='{kubernetes: "1.37.1"}'))
            continue
        problems += [_unknown(file, key, ("suite", *OPTIONS), where) for key in entry if key not in ("suite", *OPTIONS)]
        if not any(entry.get(key) for key in _NAMING):
            problems.append(_wrong(file, f"{where} names no target", fix=f"one of {', '.join(_NAMING)}"))
        words = []
        for key in ("suite", *OPTIONS):
            value = entry.get(key)
            values = value if key in _LISTS and isinstance(value, list) else [value] if value is not None else []
            for one in values:
                if key in _SWITCHES and one is True:
                    words.append(f"--{key}")
                elif not isinstance(one, str) or not one or one.startswith("-"):
                    problems.append(_wrong(file, f"{where}: {key} is {one!r}", fix=f'a text, such as {key}: "..."'))
                elif key in _CHOICES and one not in _CHOICES[key]:
                    known = _CHOICES[key]
                    fix = near_miss(one, known) or " or ".join(known)
                    problems.append(_wrong(file, f"{where}: {key} is {one!r}", fix=fix))
                else:
                    words += [one] if key == "suite" else [f"--{key}", one]
        yield tuple(words)


def _without_mutants(file: Path, targets: Sequence[Sequence[str]]) -> Iterator[Diagnostic]:
    """Yield the targets that have no rules to break."""
    for number, words in enumerate(targets, 1):
        if others := [f"--{name}" for name in _NOT_OF_POWER if f"--{name}" in words]:
            message = f"target {number}: `harness power` breaks no rule of a target with {' and '.join(others)}"
            yield _wrong(file, message, fix="leave power out, or give this target a plan of its own")


def _gates(file: Path, found: Mapping[str, Any], problems: list[Diagnostic]) -> tuple[str, ...]:
    given, pairs = found.get("gates", [] if "pairwise" in found else ["default"]), found.get("pairwise", [])
    groups = [one if isinstance(one, list) else [one] for one in pairs] if isinstance(pairs, list) else [pairs]
    for name, value, lists in (("gates", given, [given]), ("pairwise", pairs, groups)):
        if not isinstance(value, list) or not all(isinstance(one, list) and _are_texts(one) for one in lists):
            words = f"{name}: a list of texts is needed, and it is {value!r}"
            problems.append(_wrong(file, words, fix=f"{name}: {_LISTS_OF_GATES[name]}"))
            return ("default",)
    gates = [gate for group in groups for gate in group]
    problems += check_settings(str(file), [*given, *(f"{gate}=true" for gate in gates)])
    if len(groups) > _MOST_GATES or len(groups) == 1 or len(set(gates)) < len(gates) or not all(groups):
        words = f"pairwise: 2 to {_MOST_GATES} different gates, or lists of gates, are needed"
        message = f"{words}, not {len(groups)} with {len(set(gates))} gates"
        problems.append(_wrong(file, message, fix=f"pairwise: {_LISTS_OF_GATES['pairwise']}"))
        return ("default",)
    return tuple(dict.fromkeys([*given, *(cover_pairs(groups) if groups else ())]))


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(one, str) and one for one in values)


def check_settings(source: str, settings: Sequence[str]) -> list[Diagnostic]:
    """Return what is wrong with settings of gates, as texts."""
    fix = f"{DEFAULT_SETTING}, or A=true,B=false"
    return [
        Diagnostic(Position(source), "campaign-plan", f"gates: {one!r} is no setting of gates", fix=fix)
        for one in settings
        if one != DEFAULT_SETTING and not _SETTING.fullmatch(one)
    ]


def _seeds(file: Path, value: Any, problems: list[Diagnostic]) -> tuple[int, ...]:
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_UNITS:
        return tuple(range(1, value + 1))
    if isinstance(value, list) and value and all(isinstance(one, int) and not isinstance(one, bool) for one in value):
        return tuple(dict.fromkeys(value))
    problems.append(_wrong(file, f"seeds is {value!r}", fix="how many, from 1 on, or a list of numbers"))
    return (1,)


def _number(file: Path, name: str, value: Any, problems: list[Diagnostic]) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    problems.append(_wrong(file, f"{name} is {value!r}", fix="a positive number"))
    return 1


def _unknown(file: Path, key: Any, known: Sequence[str], where: str) -> Diagnostic:
    return _wrong(file, f"{where} has the unknown key {key!r}", fix=near_miss(str(key), known) or ", ".join(known))


def _wrong(file: Path, message: str, line: int = 0, *, fix: str) -> Diagnostic:
    return Diagnostic(Position(str(file), line), "campaign-plan", message, fix=fix)
