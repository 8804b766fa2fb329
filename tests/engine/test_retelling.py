"""What an earlier run explained is told again, if the same build gives the same answer to its case."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.compare.finding import Finding
from harness.engine import RunConfig, run
from harness.engine.retelling import ExplainedFinding, ExplainedFindings, merge_explained, read_explained, run_digest
from harness.engine.shrinkphase import ShrinkPhase
from harness.events import Budget, Noted
from harness.field import FieldError
from harness.fuzzers.corpus import keep_file
from tests.engine.toys import ToySpec, ToySubject, open_toys

Change = Callable[[Finding], Finding]
DETAIL = "planted words"


@pytest.fixture
def explained(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the differences that are reduced and explained."""
    found: list[str] = []
    explain: Any = ShrinkPhase._explain

    def counted(self: ShrinkPhase, entry: Any) -> Any:
        found.append(entry.sighting.mismatch.path)
        return explain(self, entry)

    monkeypatch.setattr(ShrinkPhase, "_explain", counted)
    return found


def search(corpus: Path, cases: int = 400, seed: int = 2, notes: list[str] | None = None) -> dict[str, Finding]:
    """Search the toy subject, and return its findings."""
    spec: Any = ToySpec()
    config = RunConfig(seed=seed, budget=Budget(max_cases=cases), kinds=("widgets",), corpus=corpus)

    def on_event(event: Any) -> None:
        if isinstance(event, Noted) and notes is not None:
            notes.append(event.text)

    return {one.fingerprint: one for one in run(spec, config, opener=open_toys, on_event=on_event).findings}


def known(corpus: Path) -> tuple[Path, ExplainedFindings]:
    """The file of explained findings, and what it has."""
    (file,) = (corpus / "explained").iterdir()
    kept = read_explained(file, print)
    assert kept is not None
    return file, kept


def change(corpus: Path, how: Change) -> None:
    """Change all findings of a corpus, with a checksum that hides it."""
    file, kept = known(corpus)
    keep_file(
        file, ExplainedFindings(tuple(ExplainedFinding.of(one.run, how(one.finding)) for one in kept.findings)), print
    )


def told(one: Finding) -> Finding:
    """A finding without what depends on the run that tells it."""
    return msgspec.structs.replace(one, occurrences=0, phase="")


def test_what_is_known_is_neither_reduced_nor_explained_again(tmp_path: Path, explained: list[str]) -> None:
    """The second run tells the same, word for word, and the corpus keeps it for the third."""
    first = search(tmp_path, 4000, 1)
    _, kept = known(tmp_path)
    fingerprints = {one.finding.fingerprint for one in kept.findings}
    assert fingerprints
    explained.clear()
    second = search(tmp_path)
    assert fingerprints <= set(second)
    assert {name: told(first[name]) for name in fingerprints} == {name: told(second[name]) for name in fingerprints}
    assert not {first[name].path for name in fingerprints} & {*explained}
    assert known(tmp_path)[1] == kept


def test_a_run_without_what_is_known_explains_all_of_it(tmp_path: Path, explained: list[str]) -> None:
    """The check that the one above can fail."""
    search(tmp_path, 4000, 1)
    file, kept = known(tmp_path)
    file.unlink()
    explained.clear()
    search(tmp_path)
    assert {one.finding.path for one in kept.findings} <= set(explained)


def _other_errors(one: Finding) -> Finding:
    more = FieldError("FieldValueInvalid", "spec.invented", "")
    return msgspec.structs.replace(
        one, detail=DETAIL, answer=msgspec.structs.replace(one.answer, handwritten=(*one.answer.handwritten, more))
    )


def _accepted_object(one: Finding) -> Finding:
    spec = {"mode": "Fast", "ports": [{"number": 1}], "labels": {"a": "b"}, "selector": {"matchLabels": {"a": "b"}}}
    old = one.case.old and {"spec": spec}
    return msgspec.structs.replace(
        one, detail=DETAIL, case=msgspec.structs.replace(one.case, object={"spec": spec}, old=old)
    )


def _other_mode(one: Finding) -> Finding:
    return msgspec.structs.replace(one, detail=DETAIL, case=msgspec.structs.replace(one.case, mode="given"))


def _milder(one: Finding) -> Finding:
    return msgspec.structs.replace(one, detail=DETAIL, severity="shadow" if one.severity != "shadow" else "visible")


def _of_another(one: Finding) -> Finding:
    return msgspec.structs.replace(one, detail=DETAIL, fingerprint=one.fingerprint[::-1])


def _unreachable(one: Finding) -> Finding:
    return msgspec.structs.replace(one, detail=DETAIL, cause="unreachable", severity="unreachable")


@pytest.mark.parametrize(
    "how", [_other_errors, _accepted_object, _other_mode, _milder, _of_another, _unreachable]
)  # fmt: skip
def test_what_the_answer_does_not_confirm_is_explained_anew(tmp_path: Path, how: Change) -> None:
    """With other errors, object, mode, severity or fingerprint the run tells what it finds, not what was planted."""
    first = search(tmp_path, 4000, 1)
    names = {one.finding.fingerprint for one in known(tmp_path)[1].findings}
    change(tmp_path, how)
    second = search(tmp_path)
    assert names <= set(second)
    assert not [one for one in second.values() if DETAIL in one.detail]
    severities = {name: (first[name].severity, first[name].path) for name in names}
    assert severities == {name: (second[name].severity, second[name].path) for name in names}


def test_facts_are_those_of_the_answer_whatever_was_written(tmp_path: Path) -> None:
    """Of a finding from the corpus only the words of its explanation are taken."""
    first = search(tmp_path, 4000, 1)
    change(
        tmp_path,
        lambda one: msgspec.structs.replace(one, detail=DETAIL, path="spec.other", type="Other", occurrences=9_999_999),
    )
    second = search(tmp_path)
    planted = {name: one for name, one in second.items() if one.detail == DETAIL}
    assert planted
    assert {(one.path, one.type) for one in planted.values()} == {
        (first[name].path, first[name].type) for name in planted
    }
    assert all(one.occurrences < 9_999_999 for one in planted.values())


def test_a_damaged_finding_is_told_and_explained_anew(tmp_path: Path, explained: list[str]) -> None:
    """The checksum tells it, and the others of the file are used."""
    search(tmp_path, 4000, 1)
    file, kept = known(tmp_path)
    first = kept.findings[0].finding
    damaged = msgspec.structs.replace(kept.findings[0], finding=msgspec.structs.replace(first, detail=DETAIL))
    keep_file(file, ExplainedFindings((damaged, *kept.findings[1:])), print)
    explained.clear()
    notes: list[str] = []
    second = search(tmp_path, notes=notes)
    assert any("corpus-file: 1 damaged finding left out" in note for note in notes)
    assert DETAIL not in second[first.fingerprint].detail
    assert first.path in explained


def test_a_file_that_cannot_be_read_is_told_and_left_out(tmp_path: Path) -> None:
    """The search explains all anew."""
    search(tmp_path, 4000, 1)
    file, kept = known(tmp_path)
    file.write_text("{")
    notes: list[str] = []
    assert {one.finding.fingerprint for one in kept.findings} <= set(search(tmp_path, notes=notes))
    assert any("corpus-file: no findings, left out" in note for note in notes)


def test_another_build_tells_nothing_again(tmp_path: Path, explained: list[str], monkeypatch: Any) -> None:
    """Words of other sources may be wrong, whatever the answer; and what answers must be known."""
    search(tmp_path, 4000, 1)
    paths = {one.finding.path for one in known(tmp_path)[1].findings}
    for build in ("others", ""):
        monkeypatch.setattr(ToySubject, "build", build)
        explained.clear()
        search(tmp_path)
        assert paths <= set(explained)


def test_a_digest_is_that_of_everything_that_explanations_depend_on(tmp_path: Path) -> None:
    """The gates and the trusted wordings; not how many processes share the work."""
    wordings = tmp_path / "wordings.yaml"
    wordings.write_text("wordings: []")
    config = RunConfig(seed=1)
    subjects: list[Any] = [ToySubject(ToySpec()), ToySubject(ToySpec(gates=("A",))), ToySubject(ToySpec(beside=2))]
    plain, gated, beside = (run_digest(subject, config) for subject in subjects)
    trusting = run_digest(subjects[0], RunConfig(seed=1, trusted=wordings))
    assert plain == beside == run_digest(subjects[0], RunConfig(seed=2, jobs=3))
    assert len({plain, gated, trusting}) == 3


def test_of_a_finding_that_two_units_explained_the_most_severe_stays(tmp_path: Path) -> None:
    """In whichever order; each build has its own."""
    search(tmp_path, 4000, 1)
    finding = known(tmp_path)[1].findings[0].finding
    severe, mild = (msgspec.structs.replace(finding, severity=severity) for severity in ("verdict", "shadow"))
    one, two, other = (ExplainedFinding.of(*parts) for parts in (("a", severe), ("a", mild), ("b", mild)))
    assert merge_explained([one, two, other]).findings == (one, other) == merge_explained([other, two, one]).findings
