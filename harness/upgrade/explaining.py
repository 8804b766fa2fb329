"""Determines why a group changes: its cause, by the experiments of a comparison of two servers, and the gate behind it.

The gate is found by trial: the request is asked of the release after with gates as the release before has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import msgspec

from harness.case import Answer, Case, Gates, KindInfo
from harness.compare.comparator import Comparator
from harness.compare.composition import BETA, MIGRATION, settings
from harness.compare.judge import find_cause
from harness.diagnostics import HarnessError, TargetError
from harness.subject.targetpair import ServedErrors
from harness.targets.target import Target
from harness.upgrade.asking import Verdicts

MAX_EXPLAINED: Final = 100
"""At most this many groups are explained by experiments, the largest first."""
MAX_STARTS: Final = 24
"""At most this many configurations of gates are tried, each in a process of its own."""

OpenWithGates = Callable[[Gates], Target]


class Why(NamedTuple):
    """The cause of a change, a sentence about it, and the gate or setting that brings it."""

    cause: str = "unknown"
    sentence: str = ""
    since: str = ""


@dataclass(slots=True)
class ChangeExplainer:
    """Explains changes. `pair` answers cases for both releases, `open_with` opens the release after with other gates.

    Closing it closes the releases that it opened.
    """

    pair: Target
    comparator: Callable[[KindInfo], Comparator]
    before: Target
    after: Target
    open_with: OpenWithGates
    _tried: dict[tuple[str, ...], Target | None] = field(default_factory=dict)
    _locked: set[str] = field(default_factory=set)

    def explain(self, verdicts: Verdicts) -> Why:
        """Return why the answers to a request differ. Raises: TargetError."""
        cause, sentence = self._cause(verdicts)
        return Why(cause, sentence, self._since(verdicts))

    def close(self) -> None:
        """Close what was opened for trials."""
        for target in self._tried.values():
            if target is not None:
                target.close()

    def _cause(self, verdicts: Verdicts) -> tuple[str, str]:
        request = verdicts.request
        info = next(one for one in self.pair.info.kinds if one.key == _key(request.case))
        comparator = self.comparator(info)
        case = msgspec.structs.replace(request.case, id=0)
        [answer] = self.pair.ask([case])
        mismatches = comparator.compare(case, answer)
        if not mismatches:
            return "unknown", ""
        steps = find_cause(case, answer, mismatches[0], comparator)
        answers: list[Answer] | None = None
        while True:
            try:
                cases = next(steps) if answers is None else steps.send(answers)
            except StopIteration as end:
                return end.value.cause, end.value.detail or mismatches[0].detail
            answers = self.pair.ask(cases)

    def _since(self, verdicts: Verdicts) -> str:
        """Name the gate that brings the change, empty where none of them alone or together does."""
        case = verdicts.request.case
        info = next(one for one in self.after.info.kinds if one.key == _key(case))
        before = sorted(error.text for error in verdicts.before)
        if self._without_beta(info, verdicts, before):
            return f"{BETA}=true, which is the default: the rule is at level beta, {BETA}=false turns it off"
        changed = self._changed_gates()
        if not changed or not self._is_as_before(case, changed, before):
            return ""
        found = self._narrow(case, changed, before)
        listed = ", ".join(f"{name}={str(not value).lower()}" for name, value in sorted(found.items()))
        back = ",".join(f"{name}={str(value).lower()}" for name, value in sorted(found.items()))
        release = self.after.info.release or self.after.info.name
        return f"{listed}, the default of {release}: {back} brings back the old verdict"

    def _without_beta(self, info: KindInfo, verdicts: Verdicts, before: list[str]) -> bool:
        """Whether the release after serves the same as the one before once rules at level beta are off."""
        gates = self.after.info.gates
        if info.composition not in ("levels", "explicit") or not gates.get(BETA, True):
            return False
        off = next(one for one in settings(info.composition) if one.gates.get(BETA) is False)
        served = ServedErrors(self.after.info, off.gates, False).served(verdicts.request.case, verdicts.answers[1])
        return before == sorted(error.text for error in served)

    def _changed_gates(self) -> dict[str, bool]:
        """Return the gates whose default changed, with the values that they had before; new ones were off."""
        old, new = self.before.info.gates, self.after.info.gates
        return {
            name: old.get(name, False)
            for name, value in new.items()
            if value != old.get(name, False) and name not in MIGRATION and name not in self._locked
        }

    def _narrow(self, case: Case, gates: dict[str, bool], before: list[str]) -> dict[str, bool]:
        """Return as few of these gates as the trials leave, without which the old answer does not come back."""
        parts = 2
        while len(gates) > 1 and parts <= 2 * len(gates):
            names = sorted(gates)
            size = max(1, -(-len(names) // parts))
            for begin in range(0, len(names), size):
                kept = {name: gates[name] for name in names[begin : begin + size]}
                rest = {name: gates[name] for name in names if name not in kept}
                smaller = (one for one in (kept, rest) if one and len(one) < len(gates))
                found = next((one for one in smaller if self._is_as_before(case, one, before)), None)
                if found is not None:
                    gates, parts = found, 2
                    break
            else:
                if size == 1:
                    break
                parts *= 2
        return gates

    def _is_as_before(self, case: Case, gates: Mapping[str, bool], before: list[str]) -> bool:
        target = self._opened(gates)
        if target is None:
            return False
        [answer] = target.ask([msgspec.structs.replace(case, id=0)])
        if answer.failure is not None and answer.failure.stage == "worker":
            return False
        served = ServedErrors(target.info, {}, False).served(case, answer)
        return before == sorted(error.text for error in served)

    def _opened(self, gates: Mapping[str, bool]) -> Target | None:
        """Open the release after with these gates, without those that it locks. None if it rejects them, or enough."""
        wanted = {name: value for name, value in gates.items() if name not in self._locked}
        key = tuple(sorted(f"{name}={value}" for name, value in wanted.items()))
        if key in self._tried or not wanted or len(self._tried) >= MAX_STARTS:
            return self._tried.get(key)
        try:
            self._tried[key] = self.open_with(wanted)
        except TargetError as error:
            named = {name for name in wanted if re.search(rf"\b{re.escape(name)}\b", f"{error.message} {error.why}")}
            if not named:
                self._tried[key] = None
                return None
            self._locked |= named
            return self._opened(gates)
        except HarnessError:
            self._tried[key] = None
        return self._tried[key]


def _key(case: Case) -> tuple[str, str, str, str]:
    return case.group, case.version, case.resource, case.subresource
