"""Proofs: what is proved is true of the code itself, and no mutant that an object shows is ever proved."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import msgspec
import pytest

from harness.diagnostics import UsageError
from harness.graduate.proof import Prover, Solved, load_solver
from tests.graduate.toyrelease import GENERATED, HANDWRITTEN, ToyRelease, Variant, build_program

RULES = (
    ("spec.name", "FieldValueRequired", ""),
    ("spec.name", "FieldValueTooLong", "maxLength"),
    ("spec.size", "FieldValueInvalid", "minimum"),
    ("spec.count", "FieldValueInvalid", "minimum"),
    ("spec.mode", "FieldValueNotSupported", ""),
    ("spec.class", "FieldValueForbidden", ""),
    ("spec.items", "FieldValueTooMany", "maxItems"),
    ("spec.items[*].key", "FieldValueInvalid", "format=short"),
)
RENAMED = (
    ("len(spec.Name) == 0", 'spec.Name == ""'),
    ("len(spec.Name) == 0", "len(spec.Name) < 1"),
    ("!(spec.Size > 0)", "spec.Size <= 0"),
    ("!(spec.Size > 0)", "0 >= spec.Size"),
    ("len(spec.Items) > 3", "!(len(spec.Items) <= 3)"),
    ("if value < 0 {{", "if value <= -1 {{"),
    ('spec.Class != ""', "len(spec.Class) > 0"),
)
"""Edits of the check that change nothing."""
MUTANTS = (
    ("longest = 10", "longest = 9"),
    ("longest = 10", "longest = 11"),
    ("> longest", ">= longest"),
    ("> longest", "== longest"),
    ("utf8.RuneCountInString(spec.Name) >", "len(spec.Name) > longest || utf8.RuneCountInString(spec.Name) >"),
    ("utf8.RuneCountInString(spec.Name) >", "utf8.RuneCountInString(spec.Class) >"),
    ("len(spec.Name) == 0", "len(spec.Name) != 0"),
    ("len(spec.Name) == 0", "len(spec.Name) == 1"),
    ("len(spec.Name) == 0", "len(spec.Class) == 0"),
    ("len(spec.Name) == 0", 'spec.Name == "" && spec.Size > 0'),
    ("!(spec.Size > 0)", "spec.Size > 0"),
    ("!(spec.Size > 0)", "!(spec.Size > 1)"),
    ("!(spec.Size > 0)", "!(spec.Size >= 0)"),
    ("!(spec.Size > 0)", "!(spec.Width > 0)"),
    ("!(spec.Size > 0)", "!(spec.Size > 0) && spec.Width == 0"),
    ("spec.Count != nil", "spec.Count != nil && spec.Size > 0"),
    ("*spec.Count, at", "*spec.Count+1, at"),
    ("*spec.Count, at", "spec.Size, at"),
    ("if value < 0 {{", "if value <= 0 {{"),
    ("if value < 0 {{", "if value < -1 {{"),
    ("if value < 0 {{", "if value > 0 {{"),
    ('case "Closed":', 'case "Closed", "Other":'),
    ('case "Open":', 'case "open":'),
    ('case "Open":', 'case "Open", "":'),
    ("switch spec.Mode {{", "switch spec.Class {{"),
    ('spec.Class != ""', 'spec.Class == ""'),
    ('spec.Class != ""', 'spec.Name != ""'),
    ('spec.Class != ""', 'spec.Class != "x"'),
    ("len(spec.Items) > 3", "len(spec.Items) > 2"),
    ("len(spec.Items) > 3", "len(spec.Items) > 4"),
    ("len(spec.Items) > 3", "len(spec.Items) < 3"),
    ('"^[a-z]+$"', '"^[a-z]*$"'),
    ('"^[a-z]+$"', '"^[a-zA-Z]+$"'),
    ("if keys.MatchString(item.Key)", "if !keys.MatchString(item.Key)"),
    ("if keys.MatchString(item.Key)", "if item.Weight == 0 && keys.MatchString(spec.Name)"),
    ("if keys.MatchString(item.Key)", "if i > 0 || keys.MatchString(item.Key)"),
    ("			continue", "			break"),
    ("			continue", "			return all"),
    ('Child("size")', 'Child("width")'),
    ('Index(i).Child("key")', 'Index(i).Child("weight")'),
    ('field.Required(at.Child("name"), "").MarkCovered', 'field.Forbidden(at.Child("name"), "").MarkCovered'),
    ('WithOrigin("minimum"))', 'WithOrigin("maximum"))'),
    ('field.NotSupported(at.Child("mode"), "", nil).MarkCoveredByDeclarative()',
     'field.NotSupported(at.Child("mode"), "", nil)'),
    ("	var all field.ErrorList\n",
     '	var all field.ErrorList\n	if spec.Class == "x" {{\n		return all\n	}}\n'),
    ("	var all field.ErrorList\n",
     "	var all field.ErrorList\n	defer func() {{ all = nil }}()\n	spec.Size = 5\n"),
    ("	return all\n}}\n\nfunc nonnegative", "	return all[:0]\n}}\n\nfunc nonnegative"),
)  # fmt: skip
"""Edits of the check, each of which some object shows."""
OF_RULES = (
    ("> 10", "> 11"),
    ("spec.Size < 1", "spec.Size <= 1"),
    ("*spec.Count < 0", "*spec.Count > 0"),
    ("spec.Count != nil && ", "spec.Count != nil && spec.Class == spec.Mode && "),
    ('"Open", "Closed"', '"Open"'),
    ('"Open", "Closed"', '"Open", "Closed", "Other"'),
    ('spec.Mode == "Closed"', 'spec.Mode != "Closed"'),
    ("len(spec.Items) > 3", "len(spec.Items) >= 3"),
    ('"^[a-z]+$"', '"^[a-z]?$"'),
    ("		return errs\n	}}\n	for", "	}}\n	for"),
)
"""Edits of the generated rule, each of which some object shows."""


def objects() -> list[dict[str, object]]:
    """Return a grid: every pair of values that stand together in a condition."""
    names = ["", "a", "a" * 9, "a" * 10, "a" * 11, "é" * 10, "é" * 11]
    plain = {"Name": "a", "Class": "", "Size": 1, "Width": 1, "Mode": "Open"}
    found: list[dict[str, object]] = []
    for name, class_, size in product(names, ("", "x", "y" * 11), (0, 1)):
        found.append({**plain, "Name": name, "Class": class_, "Size": size})
    for size, width, count in product((-1, 0, 1, 2), (0, 1), (None, -2, -1, 0, 1)):
        found.append({**plain, "Size": size, "Width": width, "Count": count})
    for mode, class_, count in product(("", "Open", "Closed", "open", "Other", "x"), ("", "x", "Open"), (None, -1)):
        found.append({**plain, "Mode": mode, "Class": class_, "Count": count})
    for number, name in product(range(6), names):
        for keys in (["a"] * number, ["A"] * number, ["ab", "", "A", "a", "b"][:number], ["A", "a", "B"][:number]):
            found.append({**plain, "Name": name, "Items": [{"Key": key} for key in keys]})
    return [{"Spec": spec} for spec in found]


def edited(text: str, edit: tuple[str, str]) -> str:
    """Return the text with one edit; a fixture that lacks it is a mistake of this test."""
    assert edit[0] in text, edit
    return text.replace(*edit)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that reads sources."""
    return build_program(tmp_path_factory.mktemp("lowering"))


def outcomes(release: ToyRelease, program: Path) -> dict[str, dict[tuple[str, str, str], Solved]]:
    """Return what is proved of each rule of each variant."""
    read = release.read(program)
    provers = {name: Prover(read[name]) for name in release.names}
    return {
        name: {
            (path, type_, origin): prover.prove([(path, path)], type_, origin, "beta") for path, type_, origin in RULES
        }
        for name, prover in provers.items()
    }


@pytest.mark.kubernetes
def test_equal_code_is_proved_however_it_is_written(program: Path, tmp_path: Path) -> None:
    """Every rule of every variant that changes nothing is proved, and the code itself agrees."""
    variants = [Variant(), *(Variant(edited(HANDWRITTEN, edit)) for edit in RENAMED)]
    release = ToyRelease(tmp_path, variants)
    assert {name: set() for name in release.names} == release.judge(objects())
    for name, found in outcomes(release, program).items():
        assert dict.fromkeys(RULES, "proved") == {rule: one.outcome for rule, one in found.items()}, (name, found)


@pytest.mark.kubernetes
def test_no_mutant_that_an_object_shows_is_proved(program: Path, tmp_path: Path) -> None:
    """The code itself says of which errors the sides of a mutant differ; of those nothing is proved."""
    edits = [(edit, Variant(edited(HANDWRITTEN, edit))) for edit in MUTANTS]
    edits += [(edit, Variant(generated=edited(GENERATED, edit))) for edit in OF_RULES]
    release = ToyRelease(tmp_path, [variant for _, variant in edits])
    shown, proofs = release.judge(objects()), outcomes(release, program)
    kept = 0
    for name, (edit, _) in zip(release.names, edits, strict=True):
        assert shown[name], f"no object shows {edit}"
        wrong = [rule for rule in shown[name] & set(RULES) if proofs[name][rule].outcome == "proved"]
        assert not wrong, (edit, wrong)
        kept += sum(one.outcome == "proved" for one in proofs[name].values())
    assert kept > 4 * len(edits), "the rules beside a mutant stay proved, or nothing would be said"


@pytest.mark.kubernetes
def test_what_differs_and_what_is_not_read_are_told_apart(program: Path, tmp_path: Path) -> None:
    """A limit is a difference with values; a call of something unknown is named with its line."""
    direct = edited(
        HANDWRITTEN, ("	if len(all) > 0 {{\n		return all\n	}}\n	return nil\n", "	return all\n")
    )
    limit = edited(direct, ("!(spec.Size > 0)", "!(spec.Size > 1)"))
    call = edited(HANDWRITTEN, ("!(spec.Size > 0)", '!(spec.Size > 0) && os.Getenv("X") == ""'))
    call = call.replace('"regexp"\n', '"os"\n	"regexp"\n')
    release = ToyRelease(tmp_path, [Variant(limit), Variant(call)])
    found = outcomes(release, program)
    size = RULES[2]
    assert ("differs", "int32:$.Spec.Size = 1") == (found["toy0"][size].outcome, found["toy0"][size].why)
    assert "unread" == found["toy1"][size].outcome
    assert "validation.go:35: a comparison" == found["toy1"][size].why


@pytest.mark.kubernetes
def test_a_solver_that_finds_no_answer_proves_nothing(program: Path, tmp_path: Path) -> None:
    """It may do so much work, whatever time that takes, so that a busy machine proves no less."""
    read = ToyRelease(tmp_path, [Variant()]).read(program)["toy0"]
    found = [Prover(read, *work).prove([("spec.size", "spec.size")], *RULES[2][1:], "beta") for work in ((), (1,))]
    assert "proved" == found[0].outcome
    assert Solved("unread", "the solver found no answer within 1 units of its work") == found[1]


@pytest.mark.kubernetes
def test_a_side_that_was_not_read_proves_nothing(program: Path, tmp_path: Path) -> None:
    """A kind without a strategy, and a rule of another level or path."""
    read = ToyRelease(tmp_path, [Variant()]).read(program)["toy0"]
    missing = msgspec.structs.replace(
        read, handwritten=msgspec.structs.replace(read.handwritten, problem="no strategy")
    )
    places = [("spec.size", "spec.size")]
    assert "the handwritten validation: no strategy" == Prover(missing).prove(places, *RULES[2][1:], "beta").why
    assert (
        "the generated validation of creates reports no such error, as it was read"
        == Prover(read).prove(places, *RULES[2][1:], "alpha").why
    )
    elsewhere = [("spec.size", "spec.width")]
    assert (
        "the handwritten validation of creates reports no such error, as it was read"
        == Prover(read).prove(elsewhere, *RULES[2][1:], "beta").why
    )


def test_without_z3_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of use, and so exit code 2."""
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(UsageError, match=r"equivalence-harness\[prove\]"):
        load_solver()
