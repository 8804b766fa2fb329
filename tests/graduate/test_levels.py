"""Levels are raised in types.go and in generated code, for the lines that are named and for no other."""

from __future__ import annotations

import pytest

from harness.diagnostics import Position
from harness.graduate.levels import raise_calls, raise_lines
from harness.graduate.markers import Marker
from tests.verify.mini import _GENERATED

GENERATED = _GENERATED.format(version="v1")
REQUIRED, LONGEST = "+k8s:required", "+k8s:maxLength=63"


def test_a_line_loses_its_level_wherever_it_stands() -> None:
    """Before the tag, or inside of another one."""
    text = (
        '// a\n\t// +k8s:beta(since: "1.37")=+k8s:required\n\t// +k8s:eachVal=+k8s:beta(since: "1.37")=+k8s:minimum=1\n'
    )
    markers = [Marker("g", "p", Position("types.go", line, 1), "beta", "", (), "T.F") for line in (2, 3)]
    assert "// a\n\t// +k8s:required\n\t// +k8s:eachVal=+k8s:minimum=1\n" == raise_lines(text, markers)


@pytest.mark.parametrize(
    ("raised", "kept", "gone"),
    [
        ((REQUIRED, LONGEST), (), ("RequiredValue(ctx, op, fldPath, obj, oldObj).Mark", "63).Mark")),
        ((REQUIRED,), (LONGEST,), ("RequiredValue(ctx, op, fldPath, obj, oldObj).Mark",)),
        ((LONGEST,), (REQUIRED,), ("63).Mark",)),
    ],
)
def test_calls_of_raised_tags_lose_their_mark(
    raised: tuple[str, ...], kept: tuple[str, ...], gone: tuple[str, ...]
) -> None:
    """The others of the field keep it, and so do all other fields."""
    text = raise_calls(GENERATED, "ShipSpec.Port", raised, kept)
    assert text is not None
    assert GENERATED.count(".MarkBeta()") - len(gone) == text.count(".MarkBeta()")
    assert [False] * len(gone) == [f"{words}Beta()" in text for words in gone]
    assert ".MarkAlpha()" in text
    assert (REQUIRED in raised) == ("oldObj).MarkShortCircuit(); len(e) != 0 {\n\t\t\t\treturn e" in text)


@pytest.mark.parametrize(
    ("element", "raised", "kept"),
    [
        ("ShipSpec.Port", ("+k8s:subfield(x)=+k8s:required",), (REQUIRED,)),
        ("ShipSpec.Cargo", ("+k8s:maxItems=8",), ()),
        ("ShipSpec.Name", (REQUIRED,), ()),
        ("Boat", (REQUIRED,), ()),
    ],
)
def test_a_call_that_is_not_told_apart_is_not_edited(
    element: str, raised: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    """One of several that may be its own, one without a level, a field or type without code."""
    assert None is raise_calls(GENERATED, element, raised, kept)


def test_the_function_of_a_format_is_the_one_that_no_other_tag_has() -> None:
    """Each format has its own, and its name is not that of the tag."""
    text = GENERATED.replace("validate.MaxLength", "validate.ShortName")
    raised = raise_calls(text, "ShipSpec.Port", ("+k8s:format=k8s-short-name",), (REQUIRED,))
    assert raised is not None
    assert (False, True) == ("63).MarkBeta()" in raised, "oldObj).MarkBeta()" in raised)


def test_calls_stand_in_the_order_of_the_generator() -> None:
    """What stays at beta sorts by that tag, before `maxLength` and `required`; what short-circuits comes first."""
    text = GENERATED.replace("63).MarkBeta()", "63).MarkBeta().MarkShortCircuit()")
    last = raise_calls(text, "ShipSpec.Port", (REQUIRED,), (LONGEST,))
    both = raise_calls(text, "ShipSpec.Port", (REQUIRED, LONGEST), ())
    first = raise_calls(GENERATED, "ShipSpec.Port", (REQUIRED,), (LONGEST,))
    assert last is not None
    assert both is not None
    assert first is not None
    assert [True, True, False] == [one.index("MaxLength") < one.index("RequiredValue") for one in (last, both, first)]
    assert [len(text) - len(".MarkBeta()"), len(text) - 2 * len(".MarkBeta()")] == [len(last), len(both)]
