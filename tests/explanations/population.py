"""Mistakes planted in the embedded suites, and what their explanations say of them.

The mutants are those of `harness power`, and more of the tags of types.go, since those can be mended there. Each is met
with cases that a search of the unmutated suite kept. What a mutant did is what the two suites say differently of one
case: a fix names it if it names the path of such an error, and the tag or the call that makes it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec

from harness.case import Answer, Case
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compare.mismatch import Mismatch
from harness.diagnostics import InputError
from harness.engine.explain import Explainer
from harness.engine.plan import key_of
from harness.errormatch.matcher import matcher_for
from harness.errormatch.trusted import all_wordings
from harness.field import FieldError
from harness.fuzzers.reduce import Reducer
from harness.jsonpath import canonical_path
from harness.power.judge import SuiteTrial, _folder, _opener, mutants_of, run_original
from harness.power.mutant import Mutant, number_mutants
from harness.subject import Subject, SubjectSpec
from harness.subject.openers.suite import open_suite
from harness.subject.subject import silent
from harness.subject.suitefile import forget_suite
from harness.tags.registry import ALL_SPECS, rule_facts
from harness.targets.target import drive
from tests.explanations.contradictions import hold
from tests.explanations.follow import OF_TAGS, NotMechanicalError, follow

SUITES = Path(__file__).parents[2] / "suites"
NAMES = ("certificate_v1", "claim_v1", "policy_v1", "workload_v1")
SEARCHED = 2500
"""Cases of the search of an unmutated suite."""
EXPLAINED = 2
"""Differences of one mutant that are explained."""
_LEVEL = re.compile(r"\+k8s:(?:alpha|beta)\([^)]*\)=(?=\+)")
_RULE = re.compile(r"\+k8s:(\w+)(?:\([^)]*\))?(?:=([^+\s]+))?$")
_RULES = {spec.name.removeprefix("k8s:") for spec in ALL_SPECS.values() if spec.emits}


class Outcome(NamedTuple):
    """What the explanation of one difference of one mutant is worth.

    `named`: the fix names the field and the rule. `sort` is that of a mechanical fix, empty for others; `made` is what
    came of following it to the letter: `gone`, or what differs. `tried` is what the harness says of trying it.
    `contradicted` are its sentences that the findings of the mutant contradict, with what does.
    """

    suite: str
    mutant: str
    side: str
    operator: str
    cause: str
    fix: str
    named: bool
    sort: str = ""
    made: str = ""
    tried: str = ""
    contradicted: tuple[str, ...] = ()


def tag_mutants_of(folder: Path) -> Iterator[Mutant]:
    """Yield mutants of the tags in the files of a suite: without one, with another limit, unit or level."""
    for file in sorted(folder.rglob("types.go")):
        lines = file.read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(lines):
            tag = line.strip().removeprefix("//").strip()
            rule = _RULE.search(tag)
            if not tag.startswith("+k8s:") or rule is None or rule[1] not in _RULES:
                continue
            for operator, text in _changes(tag, rule):
                changed = [*lines[:number], *([] if text is None else [line.replace(tag, text)]), *lines[number + 1 :]]
                place = file.relative_to(folder).as_posix()
                yield Mutant(
                    "declarative", operator, f"{place}:{number + 1}", tag, "",
                    files={place: partial("\n".join, changed)},
                )  # fmt: skip


def _changes(tag: str, rule: re.Match[str]) -> Iterator[tuple[str, str | None]]:
    yield "drop the tag", None
    if _LEVEL.search(tag):
        yield "drop the level", _LEVEL.sub("", tag)
    if rule[2] and rule[2].lstrip("-").isdecimal():
        for step in (1, -1):
            yield f"tag {step:+d}", f"{tag[: rule.start(2)]}{int(rule[2]) + step}"
    other = {"maxLength": "maxBytes", "maxBytes": "maxLength"}.get(rule[1])
    if other:
        yield "tag of the other unit", tag.replace(f"+k8s:{rule[1]}=", f"+k8s:{other}=")


def all_mutants(name: str) -> list[Mutant]:
    """Return every mutant of a suite, always in the same order."""
    folder = SUITES / name
    own = mutants_of(SubjectSpec("suite", str(folder)))
    return list(number_mutants([*own, *tag_mutants_of(folder)]))


def trial_of(name: str, seed: int = 1, cases: int = SEARCHED) -> SuiteTrial:
    """Search a suite as it is, and return what every mutant of it is met with."""
    spec = SubjectSpec("suite", str(SUITES / name), in_process=True)
    return run_original(SuiteTrial(spec, seed, cases))


@dataclass
class Explained:
    """The explanations of one mutant. `original` answers as the unmutated suite."""

    trial: SuiteTrial
    original: Subject

    def outcomes(self, mutant: Mutant) -> list[Outcome]:
        """Explain what a mutant does, and follow every mechanical fix. A mutant that cannot be loaded has none."""
        with _folder(self.trial.spec, mutant) as spec:
            try:
                subject = _opener(mutant.rework)(spec, silent)
            except InputError:
                return []
            with subject:
                findings = list(self._findings(subject))
                wrong = [one for one in hold(findings) if one.contradiction or not one.claim]
                return [
                    self._outcome(mutant, Path(spec.location), finding, subject)._replace(
                        contradicted=tuple(map(str, (one for one in wrong if one.fingerprint == finding.fingerprint)))
                    )
                    for finding in findings
                ]

    def _findings(self, subject: Subject) -> Iterator[Finding]:
        comparators = _comparators(subject)
        samples = self.trial.samples
        answers = subject.target.ask(samples)
        seen = list(zip(samples, answers, strict=True))
        known = set(self.trial.original)
        for case, answer in sorted(zip(samples, answers, strict=True), key=lambda pair: _size(pair[0])):
            comparator = comparators.get(key_of(case))
            for mismatch in comparator.compare(case, answer) if comparator is not None and _counts(answer) else ():
                signature = key_of(case), case.operation, mismatch.signature
                if signature in known:
                    continue
                known.add(signature)
                yield _explained(subject, comparators, case, answer, mismatch, seen)
                if len(known) - len(self.trial.original) >= EXPLAINED:
                    return

    def _outcome(self, mutant: Mutant, folder: Path, finding: Finding, subject: Subject) -> Outcome:
        info = next(one for one in subject.target.info.kinds if one.key == key_of(finding.case))
        case = msgspec.structs.replace(finding.case, versions=bool(info.versions))
        known, now = (one.target.ask([case])[0] for one in (self.original, subject))
        changed = [*_changed(known.handwritten, now.handwritten), *_changed(known.declarative, now.declarative)]
        for version, errors in known.versions.items():
            changed += _changed(errors, now.versions.get(version, ()))
        normalize = matcher_for(info.normalization).normalize
        changed += [msgspec.structs.replace(one, field=normalize(one.field)) for one in changed]
        sort, made = _made(folder, mutant, finding, _compared(subject, finding))
        return Outcome(
            folder.name, mutant.name, mutant.side, mutant.operator, finding.cause, finding.fix,
            _names(finding, changed, self.original), sort, made, getattr(finding, "fix_tried", ""),
        )  # fmt: skip


def _comparators(subject: Subject) -> dict[Any, Comparator]:
    wordings = all_wordings(None)
    return {info.key: subject.comparator(info, wordings, rule_facts()) for info in subject.target.info.kinds}


def _counts(answer: Answer) -> bool:
    return answer.failure is None or answer.failure.panic


def _size(case: Case) -> int:
    return len(msgspec.json.encode((case.object, case.old)))


def _explained(
    subject: Subject,
    comparators: dict[Any, Comparator],
    case: Case,
    answer: Answer,
    mismatch: Mismatch,
    seen: Sequence[tuple[Case, Answer]],
) -> Finding:
    """Reduce a case and explain its mismatch as a run does, which knows what it has seen."""
    signature, comparator = mismatch.signature, comparators[key_of(case)]

    def others(asked: Case, said: Answer) -> frozenset[str] | None:
        found = comparator.signatures(asked, said)
        return frozenset(map(repr, (one for one in found if one != signature))) if signature in found else None

    info = comparator.info
    reducer = Reducer(msgspec.structs.replace(case, id=0), others)
    small = drive(reducer.run(), subject.target.ask)
    trials = _fix_trials(subject, comparators)
    explainer = Explainer(subject.shape(info), subject.name, subject.literals(info), **trials)
    explainer.reported = partial(_reported, comparator, seen)
    said = reducer.answer if reducer.answer is not None else answer
    return drive(explainer.explain(small, said, mismatch, comparator, False, 1), subject.target.ask)


def _reported(
    comparator: Comparator, seen: Sequence[tuple[Case, Answer]], case: Case, side: str, mismatch: Mismatch
) -> bool:
    """Whether a side reports the error of a mismatch in any answer of the same kind."""
    same = (answer for asked, answer in seen if key_of(asked) == key_of(case) and answer.failure is None)
    lists = (answer.handwritten if side == "handwritten" else answer.declarative for answer in same)
    key = mismatch.type, mismatch.origin, canonical_path(comparator.matcher.normalize(mismatch.path))
    normalize = comparator.matcher.normalize
    return any(key == (e.type, e.origin, canonical_path(normalize(e.field))) for errors in lists for e in errors)


def _fix_trials(subject: Subject, comparators: dict[Any, Comparator]) -> dict[str, Any]:
    from harness.engine.fixtrial import FixTrials

    return {"fixes": FixTrials(subject, lambda info: comparators[info.key])}


def _changed(before: Sequence[FieldError], after: Sequence[FieldError]) -> list[FieldError]:
    """Return what only one of two lists has, marks and levels included."""
    return [one for one in (*before, *after) if before.count(one) != after.count(one)]


def _names(finding: Finding, changed: Sequence[FieldError], original: Subject) -> bool:
    """Whether a fix names the field and the rule of an error that a mutant changed; of a crash, the place."""
    failure = finding.answer.failure
    if failure is not None:
        return bool(failure.at) and failure.at in finding.fix
    facts, words = rule_facts(), original.target.info.vocabulary
    for one in changed:
        names = [*facts.names_of(one.type, one.origin), words.call(one.type, one.detail)]
        path = canonical_path(one.field)
        if path in finding.fix and any(name and name in finding.fix for name in names):
            return True
    return False


def _made(folder: Path, mutant: Mutant, finding: Finding, known: list[Mismatch]) -> tuple[str, str]:
    """Follow a fix in a copy of the mutated suite, and ask the case of the finding again."""
    with TemporaryDirectory(prefix="harness-fixes-") as place:
        copy = Path(place) / folder.name
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
        try:
            sort = follow(copy, finding)
        except NotMechanicalError:
            return "", ""
        except (AssertionError, StopIteration) as error:
            return "lost", f"{type(error).__name__}: {error}"
        if mutant.rework is not None and sort in OF_TAGS:
            return "", ""  # the tag that differs from its rule is not in a file
        spec = replace(SubjectSpec("suite", str(copy)), in_process=True)
        try:
            with _opener(mutant.rework)(spec, silent) as subject:
                found = _compared(subject, finding)
        except InputError as error:
            return sort, f"cannot be loaded: {error.diagnostics[0].message}"
        finally:
            forget_suite(copy)
        before = {one.signature for one in known}
        own = finding.mismatch, finding.path, finding.type, finding.origin, finding.side
        still = [one for one in found if own == one.signature or one.signature not in before]
        if sort == "declare":  # a new rule may have words of its own
            still = [one for one in still if (one.kind, one.side) != ("served", "both")]
        return sort, "gone" if not still else f"{still[0].kind}: {still[0].detail}"


def _compared(subject: Subject, finding: Finding) -> list[Mismatch]:
    """Return what differs in the case of a finding, in every version."""
    info = next(one for one in subject.target.info.kinds if one.key == key_of(finding.case))
    case = msgspec.structs.replace(finding.case, versions=bool(info.versions))
    return subject.comparator(info, all_wordings(None)).compare(case, subject.target.ask([case])[0])


def explain_suite(name: str, every: int, seed: int) -> list[Outcome]:
    """Explain every nth mutant of a suite, from the one that the seed names."""
    trial = trial_of(name, seed)
    with open_suite(trial.spec) as original:
        explained = Explained(trial, original)
        chosen = all_mutants(name)[seed % every :: every]
        return [outcome for mutant in chosen for outcome in explained.outcomes(mutant)]
