"""How much of the handwritten code was reached, in sentences."""

from __future__ import annotations

import msgspec

from harness.case import Case, Operation
from harness.report.model.assembly import build_report
from harness.report.model.code import BlockEntry, NearestObject
from harness.report.model.fields import FieldErrors, MissedCall
from harness.report.text.code import code_rows, code_table, field_table
from harness.report.text.rules import rule_rows
from tests.report import made
from tests.report.covered import FIRST, PACKAGE, WHOLE, covered, function


def test_the_sums_are_told() -> None:
    """Statements, blocks and calls that make errors; the packages with most left; nothing if nothing was counted."""
    rows = list(code_rows(covered()))
    assert rows == rule_rows(covered())
    assert [
        "handwritten code: 7 of 8 statements reached (87.5%), 2 of 3 blocks, 1 of 3 calls that make an error",
        f"  not reached: 1 statement of {PACKAGE}",
        "  no reason is known for 1 statement: the search did not find a case, or there is none",
    ] == rows
    assert [] == list(code_rows(build_report(made.result())))


def test_every_block_that_was_not_reached_is_told() -> None:
    """With its lines, its condition and its errors; what was reached whole can be left out."""
    table = list(code_table((FIRST, WHOLE), unseen=True))
    assert [
        f"{PACKAGE}: 3 of 4 statements reached (75.0%)",
        "  validation.go:3 ValidateSpec: 3 of 4 statements reached (75.0%)",
        "    not reached: 5-7, 1 statement; if spec.Size > 9; Invalid at name; Invalid at (path of the caller)",
        "      no reason is known",
        "",
    ] == table
    assert len(table) + 3 == len(list(code_table((FIRST, WHOLE), unseen=False)))


def test_the_nearest_case_is_told_once() -> None:
    """With the line that it reached, and the beginning of its object."""
    case = Case(0, "apps", "v1", "Deployment", Operation.UPDATE, {"spec": "x" * 300}, resource="deployments")
    blocks = [BlockEntry((at, 1), (at, 9), 1, nearest=NearestObject("p", at - 1, case)) for at in (5, 7)]
    table = list(code_table([function("Validate", *blocks)], unseen=True))
    first, second = (line for line in table if "nearest" in line)
    assert first.startswith('      nearest: update of apps/v1 deployments reached line 4: {"spec":"xxx')
    assert "the first 200 of" in first
    assert "      nearest: the same case reached line 6" == second


def test_errors_are_told_by_field() -> None:
    """Of each field how many calls were reached, and where the others are."""
    assert [
        f"{PACKAGE}: errors by field",
        "  (path of the caller): 0 of 1 reached",
        "    not reached: Invalid at validation.go:5 ValidateSpec",
        "  name: 1 of 2 reached",
        "    not reached: Invalid at validation.go:5 ValidateSpec",
        "",
    ] == list(field_table(covered(FIRST, WHOLE), (), unseen=False))


def test_errors_are_told_by_the_fields_of_kinds() -> None:
    """Where they are known: of each field how many calls were reached, where the others are and behind what."""
    behind = MissedCall(f"{PACKAGE}/validation.go", 5, "ValidateSpec", ("FieldValueInvalid",), "validation.go:9")
    own = MissedCall(f"{PACKAGE}/validation.go", 7, "ValidateSpec", ("FieldValueInvalid", "FieldValueTooMany"))
    report = msgspec.structs.replace(
        covered(),
        fields=(
            FieldErrors("kubernetes", "apps/Deployment", "spec.size", 1, (behind, own), 1),
            FieldErrors("kubernetes", "Pod", "spec", 2),
            FieldErrors("kubernetes", "Pod", "", 0, (), 3),
        ),
    )
    deployment = [
        "apps/Deployment: errors by field",
        "  spec.size: 1 of 3 reached, and 1 without a counter",
        "    not reached: Invalid at validation.go:5 ValidateSpec; for this field by validation.go:9, which was not "
        "reached",
        "    not reached: Invalid, TooMany at validation.go:7 ValidateSpec",
        "",
    ]
    pod = ["Pod: errors by field", "  (the object): 3 without a counter", "  spec: 2 of 2 reached", ""]
    assert [*pod, *deployment] == list(field_table(report, (), unseen=False))
    assert deployment == list(field_table(report, (), unseen=True))
    assert deployment == list(field_table(report, ("apps/*",), unseen=False))
    assert pod == list(field_table(report, ("pod",), unseen=False))


def test_a_function_that_no_request_reaches_is_told_with_the_reason() -> None:
    """In the list, and in the sums how many statements such functions have."""
    reason = "no code of the release calls it"
    silent = function("ValidateOld", BlockEntry((8, 2), (9, 9), 2, sort="uncalled", reason=reason), reason=reason)
    assert f"    no request reaches it: {reason}" in list(code_table((FIRST, silent), unseen=True))
    told = "  no request reaches 2 statements: nothing that serves one calls the function"
    assert told in list(code_rows(covered(FIRST, silent)))


def test_a_block_is_told_with_its_reason() -> None:
    """And with the line that decides, also where no reason of that is known."""
    fact = "the gate A is on in every setting of the run, and locked"
    first = BlockEntry((8, 2), (9, 9), 2, sort="gate", reason=fact, behind="line 7")
    table = list(
        code_table([function("Validate", first, BlockEntry((9, 9), (9, 20), 1, behind="line 8"))], unseen=True)
    )
    assert f"      reason: {fact} (of line 7, behind which it is)" in table
    assert "      no reason is known (of line 8, behind which it is)" in table
