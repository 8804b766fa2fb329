"""Decoding as a server does it: types are checked, and objects that mean the same become equal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.fuzzers.shape import shape_of
from harness.gotypes.packages import Universe
from harness.subject.decode import decoder_of
from harness.targets.endpoint import DecodeError, Decoder
from tests.subject.thing import go_of

GO = go_of("""	Natural uint32           `json:"natural"`
	Half    float64          `json:"half"`
	Raw     []byte           `json:"raw"`
	Things  []Thing          `json:"things"`
	Maps    map[string]Thing `json:"maps"`
	Span    *metav1.Duration `json:"span"`
""")


@pytest.fixture(scope="module")
def decode(tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    """The decoder of Thing."""
    file = tmp_path_factory.mktemp("go") / "types.go"
    file.write_text(GO)
    universe = Universe.from_files({"example.com/v1": [Path(file)]})
    return decoder_of(shape_of(universe, "example.com/v1.Thing"))


@pytest.mark.parametrize(
    "value",
    [
        {"apiVersion": "example.com/v1", "kind": "Thing", "text": "x"},
        {"pointer": ""},
        {"small": -128, "natural": 4294967295, "half": 1.5, "flag": True},
        {"raw": "aGk=", "texts": ["", "a"], "map": {"a": 0}, "things": [{"text": "y"}, {}]},
        {"inner": {"deep": 1}, "outer": {}},
        {"time": "2026-01-31T12:00:00Z", "micro": "2026-01-31T12:00:00.123456+01:00", "span": "1h30m"},
        {"size": "10Gi", "either": 0, "any": {"what": ["ever", None]}},
        {"size": 3, "either": "50%"},
    ],
)
def test_a_well_typed_object_is_unchanged(decode: Decoder, value: Any) -> None:
    """A well-typed object comes back equal, as a copy."""
    decoded = decode(value)
    assert value == decoded
    assert decoded is not value


@pytest.mark.parametrize(
    ("value", "decoded"),
    [
        ({"text": "", "small": 0, "flag": False, "half": 0, "texts": [], "map": {}, "inner": {"deep": 0}}, {}),
        ({"text": None, "pointer": None, "outer": None, "texts": None}, {}),
        ({"unknown": 1, "inner": {"unknown": 1, "deep": 2}}, {"inner": {"deep": 2}}),
        ({"texts": [None], "things": [None], "map": {"a": None}}, {"texts": [""], "things": [{}], "map": {"a": 0}}),
        ({"text": "\ud800"}, {"text": "\ufffd"}),
        ({"outer": {"deep": 0}}, {"outer": {}}),
        ({"things": [], "maps": None}, {}),
        ({"time": "0001-01-01T00:00:00+00:00", "micro": "0001-01-01T00:00:00Z"}, {"micro": "0001-01-01T00:00:00Z"}),
    ],
)
def test_values_that_are_equal_in_go_become_equal(decode: Decoder, value: Any, decoded: Any) -> None:
    """Zero values without a pointer, null and unknown members are dropped; a null item is a zero value."""
    assert decoded == decode(value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"text": 1}, "text: a string is needed, got 1"),
        ({"small": "1"}, "small: a whole number is needed, got '1'"),
        ({"small": True}, "small: a whole number is needed, got a boolean"),
        ({"small": 1.0}, "small: a whole number is needed, got 1.0"),
        ({"small": 128}, "small: 128 does not fit in int8"),
        ({"natural": -1}, "natural: -1 does not fit in uint32"),
        ({"half": "x"}, "half: a number is needed, got 'x'"),
        ({"half": float("inf")}, "half: a number of 64 bits is needed, got inf"),
        ({"half": 10**400}, "half: a number of 64 bits is needed, got a number"),
        ({"flag": 0}, "flag: true or false is needed, got 0"),
        ({"raw": "?"}, "raw: not base64"),
        ({"texts": "x"}, "texts: a list is needed, got 'x'"),
        ({"things": [{}, {"things": [{"text": []}]}]}, "things[1].things[0].text: a string is needed, got a list"),
        ({"map": {"a": {}}}, "map[a]: a whole number is needed, got an object"),
        ({"map": {3: 1}}, "map[3]: a string is needed, got 3"),
        ({"maps": []}, "maps: an object is needed, got a list"),
        ({"inner": "x"}, "inner: an object is needed, got 'x'"),
        ({"time": "yesterday"}, "time: a time such as 2026-01-31T12:00:00Z is needed, got 'yesterday'"),
        ({"span": "soon"}, "span: a duration such as 1h30m is needed, got 'soon'"),
        ({"size": "huge"}, "size: a quantity such as 10Gi is needed, got 'huge'"),
        ({"either": 1 << 40}, "either: 1099511627776 does not fit in int32"),
        ({"any": 3}, "any: an object is needed, got 3"),
        ({"text": 10**50}, "text: a string is needed, got a number"),
    ],
)
def test_a_type_mismatch_is_an_error_with_its_path(decode: Decoder, value: Any, message: str) -> None:
    """The first value of another type is named by its path."""
    with pytest.raises(DecodeError) as refused:
        decode(value)
    assert message == str(refused.value)


def test_an_empty_list_from_go_is_shown_as_one(tmp_path: Path) -> None:
    """Go wrote it, so a list was there; what a person writes means the same as none."""
    go = (
        'package v1\n\ntype T struct {\n\tThings []string `json:"things"`\n\tMore []string `json:"more,omitempty"`\n}\n'
    )
    (tmp_path / "types.go").write_text(go, encoding="utf-8")
    shape = shape_of(Universe.from_folders({"v1": tmp_path}), "v1.T")
    empty: dict[str, list[str]] = {"things": [], "more": []}
    assert {} == decoder_of(shape)(empty)
    assert {"things": []} == decoder_of(shape, from_go=True)(empty) == decoder_of(shape, keeps_empty=True)(empty)


def test_null_from_go_may_be_the_zero_time(tmp_path: Path) -> None:
    """A pointer that is not set is left out, so null can only be a pointer to the zero time."""
    file = tmp_path / "types.go"
    file.write_text(GO.replace('json:"micro"', 'json:"micro,omitempty"'))
    shape = shape_of(Universe.from_files({"example.com/v1": [file]}), "example.com/v1.Thing")
    assert {} == decoder_of(shape)({"micro": None, "text": None})
    assert {"micro": "0001-01-01T00:00:00Z"} == decoder_of(shape, from_go=True)({"micro": None, "text": None})
