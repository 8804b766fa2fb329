"""Mutants of a release: a proved rule whose handwritten check is edited, in its limit or its operator, is not proved.

`Proofs(".")` has the mutants of all proved rules, which take minutes; the test tries a few.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.case import KindInfo
from harness.errormatch.matcher import matcher_for
from harness.graduate.conditions import KindRead, read_kinds
from harness.graduate.proof import Prover
from harness.jsonpath import canonical_path, first_items
from harness.rulecov.inventory import KnownRule, inventory_of
from harness.subject import SubjectSpec, open_subject
from harness.subject.api import open_api

RELEASE = "1.37.1"
MOST_LINES = 6
"""The condition of a check stands at most so many lines above it."""
EDITS = (
    (r" > (?=[\w.]+(?: \{|:)$)", " >= "),
    (r" > (?=[\w.]+(?: \{|:)$)", " < "),
    (r" > ([\w.]+)(?=(?: \{|:)$)", r" > \1+1"),
    (r" == (?=\S+(?: \{|:)$)", " != "),
    (r" == 0(?=(?: \{|:)$)", " == 1"),
    (r"(if |case )!(?=\w)", r"\1"),
    (r" (?=\{$)", " && false "),
)
"""Edits of the last comparison of a condition: operator, limit, negation; and a check that is never made."""


@dataclass(frozen=True)
class Mutant:
    """An edited line of a check, with the proved rules that it stands behind."""

    file: str
    line: int
    text: str
    rules: tuple[KnownRule, ...]


class Proofs:
    """What is proved of the beta rules of some kinds, and what remains of it with a file replaced."""

    def __init__(self, pattern: str) -> None:
        with open_subject(SubjectSpec("kubernetes", RELEASE)) as subject:
            self._infos = {info.type: info for info in subject.target.info.kinds}
        rules = inventory_of(open_api(kubernetes=RELEASE)).rules
        beta = [one for one in rules if one.rule.level == "beta" and re.search(pattern, one.type)]
        self._read = read_kinds(RELEASE, sorted({one.type for one in beta}), print)
        self.proved = [one for one in beta if self._is_proved(one, self._read)]

    def _is_proved(self, known: KnownRule, read: dict[str, KindRead]) -> bool:
        rule = known.rule
        found = Prover(read[known.type]).prove(self._places(known), rule.type, rule.origin, "beta")
        return found.outcome == "proved"

    def _places(self, known: KnownRule) -> list[tuple[str, str]]:
        info: KindInfo | None = self._infos.get(known.type)
        normalize = matcher_for(info.normalization if info is not None else ()).normalize
        return [(place, canonical_path(normalize(first_items(place)))) for place in known.places]

    def mutants(self) -> Iterator[Mutant]:
        """Yield the mutants of every line of the release's own code that makes the error of a proved rule."""
        lines: dict[str, list[KnownRule]] = {}
        for known in self.proved:
            inner = {path for _, path in self._places(known)}
            for one in self._read[known.type].handwritten.errors or ():
                is_own = one.path in inner and (one.type, one.origin) == (known.rule.type, known.rule.origin)
                if is_own and known not in lines.setdefault(one.at, []):
                    lines[one.at].append(known)
        for at, rules in sorted(lines.items()):
            file, _, number = at.rpartition(":")
            if (
                "/pkg/apis/" in file and "k8s.io/kubernetes@" in file
            ):  # a helper of a library may stand behind both sides
                for line, text in _edited(Path(file).read_text(encoding="utf-8").split("\n"), int(number)):
                    yield Mutant(file, line, text, tuple(rules))

    def left(self, mutant: Mutant) -> list[KnownRule]:
        """Return the rules that stay proved."""
        lines = Path(mutant.file).read_text(encoding="utf-8").split("\n")
        lines[mutant.line - 1] = mutant.text
        with tempfile.NamedTemporaryFile("w", suffix=".go", encoding="utf-8") as file:
            file.write("\n".join(lines))
            file.flush()
            kinds = sorted({one.type for one in mutant.rules})
            read = read_kinds(RELEASE, kinds, print, {mutant.file: file.name})
        return [one for one in mutant.rules if self._is_proved(one, read)]


def _edited(lines: Sequence[str], number: int) -> Iterator[tuple[int, str]]:
    """Yield the edits of the condition above a line, or in it."""
    for line in range(number, number - MOST_LINES, -1):
        text = lines[line - 1]
        if re.match(r"\s*(?:(?:\} else )?if|case) .*(?:\{|:)$", text):
            yield from ((line, new) for old, made in EDITS if (new := re.sub(old, made, text)) != text)
            return


@pytest.mark.kubernetes
def test_no_mutant_of_a_proved_rule_stays_proved() -> None:
    """Every third mutant of the checks of IngressClass, IPAddress and DeviceTaintRule."""
    proofs = Proofs(r"/v1\.(?:IngressClass|IPAddress|DeviceTaintRule)$")
    mutants = list(proofs.mutants())
    assert (7, 12) == (len(proofs.proved), len(mutants))
    for mutant in mutants[::3]:
        assert [] == proofs.left(mutant), mutant
