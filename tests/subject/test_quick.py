"""The quick way to decode gives what the slow way gives, or says that it does not know."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from harness.fuzzers.edits import random_edit, sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.shape import Shape, shape_of
from harness.fuzzers.values import full_value
from harness.gotypes.packages import Universe
from harness.subject import decode as slowly
from harness.subject.decode import decoder_of
from harness.subject.quick import NeedsFullDecoder, quick_decoder, quick_reader
from harness.targets.endpoint import DecodeError, Decoder
from tests.subject.thing import go_of

GO = go_of(
    """	Wide    int64            `json:"wide"`
	Natural *uint32          `json:"natural"`
	Things  []Other          `json:"things"`
	Maps    map[string]Other `json:"maps"`
	Lists   [][]Other        `json:"lists"`
	Other   Other            `json:"$other"`
	Span    metav1.Duration  `json:"span"`
""",
    """
type Other struct {
	Inner Inner  `json:"inner"`
	Name  string `json:"name"`
}

type Looping struct {
	metav1.TypeMeta `json:",inline"`
	Loops []Looping `json:"loops"`
}

type Bytes struct {
	metav1.TypeMeta `json:",inline"`
	Data []byte `json:"data"`
}
""",
)


@pytest.fixture(scope="module")
def universe(tmp_path_factory: pytest.TempPathFactory) -> Universe:
    """The types of the tests."""
    file = tmp_path_factory.mktemp("go") / "types.go"
    file.write_text(GO)
    return Universe.from_files({"example.com/v1": [Path(file)]})


@pytest.fixture(scope="module")
def thing(universe: Universe) -> Shape:
    """A type with members of every sort that has a quick way."""
    return shape_of(universe, "example.com/v1.Thing")


@pytest.fixture
def slow(thing: Shape, monkeypatch: pytest.MonkeyPatch) -> Decoder:
    """The decoder of Thing without its quick way."""
    monkeypatch.setattr(slowly, "quick_decoder", lambda shape: None)
    return decoder_of(thing)


SPECIAL: list[Any] = [
    {"apiVersion": None, "kind": 3},
    {"text": "", "small": 0, "flag": False, "texts": [], "map": {}, "inner": {}, "$other": {"inner": {"deep": 0}}},
    {"pointer": "", "natural": 0, "outer": {}, "either": 0, "any": {"what": ["ever", None, {}]}},
    {"things": [{}, {"inner": {}}], "maps": {"a": {"inner": {}}}, "lists": [[{"inner": {"deep": 1}}, {"inner": {}}]]},
    {"time": "0001-01-01T00:00:00Z"}, {"time": "0001-01-01T00:00:01Z"}, {"time": "2026-01-31t12:00:00+01:00"},
    {"time": "2026-01-31T12:00:00Z\n"}, {"time": None, "texts": [None], "maps": {"a": None}},
    {"size": 3}, {"size": "3Gi", "span": "1h"}, {"small": 128}, {"small": 1.0}, {"small": True}, {"wide": 2**63},
    {"wide": 2**63 - 1, "natural": 2**32 - 1}, {"natural": -1}, {"either": 2**31}, {"text": "\ud800", "pointer": "é"},
    {"map": {"\ud800": 1}}, {"unknown": 1}, {"any": {"a": "\ud800"}}, {1: 2}, [], None, "text",
]  # fmt: skip


def both(quick: Decoder, slow: Decoder, value: Any) -> bool:
    """Compare the two ways. Returns: whether there was a quick one."""
    try:
        found = quick(value)
    except NeedsFullDecoder:
        return False
    assert slow(value) == found
    return True


def test_both_ways_give_the_same(thing: Shape, slow: Decoder) -> None:
    """Thousands of objects, usual ones and edited ones, decode alike, nearly all of them the quick way."""
    quick, random, harvest = quick_decoder(thing), Random(1), Harvest()
    assert quick is not None
    for value in SPECIAL:
        both(quick, slow, value)
    start = full_value(thing, 3)
    sites, done = sites_of(start, thing), 0
    for _ in range(3000):
        value = start
        for _ in range(random.randrange(4)):
            value = random_edit(random, sites, harvest, value).apply(value)
        done += both(quick, slow, value)
    assert done > 2000


def test_the_text_of_an_object_gives_the_same(thing: Shape, slow: Decoder) -> None:
    """What a worker reads straight from text is what it would have made of the object, or nothing."""
    read, random, harvest = quick_reader(thing), Random(2), Harvest()
    assert read is not None
    start = full_value(thing, 3)
    sites, values, done = sites_of(start, thing), [*SPECIAL], 0
    for _ in range(1500):
        value = start
        for _ in range(random.randrange(4)):
            value = random_edit(random, sites, harvest, value).apply(value)
        values.append(value)
    for value in values:
        try:
            text = msgspec.json.encode(value)
        except (UnicodeEncodeError, msgspec.MsgspecError):  # half a surrogate pair never gets on the wire
            continue
        found = read(msgspec.Raw(text))
        if found is not None:
            assert slow(msgspec.json.decode(text)) == found
            done += 1
    assert done > 1000


@pytest.mark.parametrize("value", [one for one in SPECIAL if not isinstance(one, dict) or "small" in one])
def test_both_decoders_have_the_same_messages(thing: Shape, slow: Decoder, value: Any) -> None:
    """The message for an object that does not fit does not depend on the quick reader."""
    said = []
    for decode in (decoder_of(thing), slow):
        try:
            said.append(str(decode(value)))
        except DecodeError as error:
            said.append(str(error))
    assert said[0] == said[1]


def test_a_copy_shares_nothing_that_can_change(thing: Shape) -> None:
    """A validator that changes its object changes no other object."""
    quick = quick_decoder(thing)
    assert quick is not None
    value = {"any": {"a": [1]}, "texts": ["a"], "map": {"a": 1}, "inner": {"deep": 1}}
    decoded = quick(value)
    decoded["any"]["a"].append(2)
    for name in ("texts", "map", "inner"):
        assert decoded[name] == value[name]
        assert decoded[name] is not value[name]
    assert value["any"] == {"a": [1]}


@pytest.mark.parametrize("name", ["Looping", "Bytes"])
def test_some_types_have_no_quick_way(universe: Universe, name: str) -> None:
    """A type that holds itself, or bytes, is decoded the slow way."""
    shape = shape_of(universe, f"example.com/v1.{name}")
    assert (None, None) == (quick_decoder(shape), quick_reader(shape))
