"""Find the sentences of a report that its own observations contradict: `python -m tests.explanations.contradictions`.

Every sentence with a word such as never, only, both or none is held against the report. What no claim knows is listed
too, so that a new sentence with such a word gets a check.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.compare.finding import Finding
from harness.report.model.reading import read_report
from tests.explanations.claims import CLAIMS, Observations

_UNIVERSAL = re.compile(
    r"\b(?:never|only|both|always|none|neither|alone|not even"
    r"|no (?:rule|field|other|declarative validation|(?:covered )?\w+ counterpart))\b"
)
_ADVICE = re.compile(
    r"^(?:to mend it all the same, )?"
    r"(?:let|give|take|declare|add|remove|write|keep|generate|mark|make|look|expect|or|move|mend|report|rename)\b"
)
"""What is told to do, not what is."""
_TEXTS = ("detail", "fix", "experiment", "severity_note", "fix_tried")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\{[^{}]*\}')


class Told(NamedTuple):
    """A sentence of a finding, and what contradicts it; `claim` is empty where no claim knows the sentence."""

    fingerprint: str
    text: str
    sentence: str
    claim: str = ""
    contradiction: str = ""

    def __str__(self) -> str:
        return f"{self.text}: {self.sentence} - {self.contradiction or 'no claim knows this sentence'}"


def hold(findings: Sequence[Finding]) -> list[Told]:
    """Return every sentence with a universal word, held against the findings of one run."""
    seen = Observations(findings)
    return [told for finding in findings for told in _of_finding(seen, finding)]


def _of_finding(seen: Observations, finding: Finding) -> Iterator[Told]:
    for name in _TEXTS:
        for sentence in _sentences(finding, getattr(finding, name)):
            if _UNIVERSAL.search(sentence) is None or (name == "fix" and _ADVICE.search(sentence)):
                continue
            known = False
            for claim in CLAIMS:
                found = claim.pattern.search(sentence)
                if found is None:
                    continue
                known = True
                wrong = claim.contradicted(seen, finding, found) if claim.contradicted is not None else ""
                yield Told(finding.fingerprint, name, sentence, claim.name, wrong)
                break
            if not known:
                yield Told(finding.fingerprint, name, sentence)


def _sentences(finding: Finding, text: str) -> Iterator[str]:
    """Yield the sentences of a text without the errors and the values that it quotes."""
    errors = (*finding.answer.handwritten, *finding.answer.declarative)
    others = (one for known in finding.answer.versions.values() for one in known)
    for error in sorted({one.text for one in (*errors, *others)}, key=len, reverse=True):
        text = text.replace(error, "ERROR")
    for sentence in re.split(r"; |(?<=[a-z])\. ", _QUOTED.sub("VALUE", text)):
        yield sentence.strip()


def main() -> int:
    """Print what is contradicted in each report, what no claim knows, and how many sentences were held."""
    parser = argparse.ArgumentParser(prog="python -m tests.explanations.contradictions", description=__doc__)
    parser.add_argument("report", nargs="+", type=Path)
    wrong = 0
    for file in parser.parse_args().report:
        told = hold(read_report(file).findings)
        bad = [one for one in told if one.contradiction]
        unknown = [one for one in told if not one.claim]
        wrong += len(bad)
        for one in bad:
            sys.stdout.write(f"{one.fingerprint} {one.text}: {one.sentence}\n    contradicted: {one.contradiction}\n")
        for one in unknown:
            sys.stdout.write(f"{one.fingerprint} {one.text}: {one.sentence}\n    no claim knows this sentence\n")
        held = len(told) - len(unknown)
        sys.stdout.write(f"{file.name}: {held} sentences held, {len(bad)} contradicted, {len(unknown)} not known\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
