"""The file of recorded answers: small, quick, and never believed when it is not what was written."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.case import Answer, Case, Operation
from harness.diagnostics import InputError
from harness.field import FieldError
from harness.targets import recording as module
from harness.targets.recorded import NOT_RECORDED, RecordedTarget
from harness.targets.recording import (
    CHECKSUM,
    FORM,
    LaneName,
    Packer,
    Recording,
    head_maker,
    key_of,
    lane_of,
    read_recording,
    write_recording,
)
from tests.cli.fakes import FakeTarget
from tests.reporting import made

LANE: LaneName = ("example.io", "v1", "Widget", "widgets", "", "create")
ERROR = FieldError("FieldValueInvalid", "spec.size", "must be even", value="3", covered=True)


def case(size: Any = 3, operation: str = "create", old: Any = None, **more: Any) -> Case:
    return Case(1, "example.io", "v1", "Widget", Operation(operation), {"spec": {"size": size}}, old, "widgets", **more)


def write(path: Path, *cases: Case, subject: str = "widgets_v1", errors: tuple[FieldError, ...] = (ERROR,)) -> Path:
    packers: dict[LaneName, Packer] = {}
    for one in cases:
        packers.setdefault(lane_of(one), Packer()).add(one, errors)
    maker = head_maker(
        subject=subject, release="1.2", recorded="now", seed=7, mode="served", gates={"A": True}, skipped=2
    )
    write_recording(path, maker, {lane: packer.close() for lane, packer in packers.items()})
    return path


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """Cases of every lane with their answers, and who was asked."""
    cases = [case(3), case(4, options={"X": True}), case(5, "update", {"spec": {}}), case(6, mode="given")]
    found = read_recording(write(tmp_path / "r", *cases))
    assert ("widgets_v1", "1.2", 7, {"A": True}, 2, 4) == (
        found.head.subject, found.head.release, found.head.seed, found.head.gates, found.head.skipped, found.head.cases,
    )  # fmt: skip
    again = [msgspec.structs.replace(one, id=1) for lane in found.head.lanes for one in found.cases(lane)]
    assert sorted(map(key_of, cases)) == sorted(map(key_of, again))
    assert all(one in cases for one in again)
    assert [(ERROR,)] * 4 == [found.answer(one) for one in cases]


def test_what_else_is_asked_makes_no_other_question(tmp_path: Path) -> None:
    """A case is found whatever its id and its wishes are; another object, option or mode is another question."""
    found = read_recording(write(tmp_path / "r", case({"a": 1, "b": 2})))
    assert (ERROR,) == found.answer(msgspec.structs.replace(case({"b": 2, "a": 1}), id=9, versions=True, served=True))
    assert [None] * 4 == [
        found.answer(one) for one in (case(4), case({"a": 1}), case(3, options={"X": False}), case(3, mode="given"))
    ]


def test_a_question_is_kept_once(tmp_path: Path) -> None:
    """However often it is asked."""
    assert 1 == read_recording(write(tmp_path / "r", case(), case(), case())).head.cases


def test_small_cases_come_first(tmp_path: Path) -> None:
    """So that the smallest that shows a difference stands for it."""
    found = read_recording(write(tmp_path / "r", case("xxxx"), case(""), case("xx")))
    assert ["", "xx", "xxxx"] == [one.object["spec"]["size"] for one in found.cases(LANE)]


def test_many_cases_are_cut_into_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with its own checksum; the lists are as without."""
    monkeypatch.setattr(module, "BLOCK_CASES", 10)
    found = read_recording(write(tmp_path / "r", *map(case, range(35))))
    assert [10, 10, 10, 5] == [block.cases for block in found.head.blocks]
    assert 35 == len(list(found.cases(LANE))) == sum(found.answer(case(size)) is not None for size in range(40))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write(tmp_path_factory.mktemp("r") / "r", *map(case, range(30)), case(1, "update", {})).read_bytes()


def refused(tmp_path: Path, data: bytes) -> str:
    file = tmp_path / "damaged"
    file.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_recording(file)
    return str(caught.value)


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_any_bit_that_flips_is_noticed(tmp_path: Path, good: bytes, data: st.DataObject) -> None:
    """Wherever it is."""
    place = data.draw(st.integers(0, len(good) * 8 - 1))
    flipped = bytearray(good)
    flipped[place // 8] ^= 1 << place % 8
    assert "recording-" in refused(tmp_path, bytes(flipped))


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off_is_noticed(tmp_path: Path, good: bytes, part: float) -> None:
    """At any place, and so is one that goes on."""
    assert "recording-" in refused(tmp_path, good[: int(len(good) * part)])
    assert "recording-damaged" in refused(tmp_path, good + b"x")


def test_another_form_is_told(tmp_path: Path, good: bytes) -> None:
    """A later version, a file of another sort, none at all."""
    assert "it is a recording of version 2" in refused(tmp_path, good.replace(b"recording 1", b"recording 2", 1))
    assert "recording-form" in refused(tmp_path, b"PK\x03\x04")
    with pytest.raises(InputError, match="recording-unreadable: cannot be read: No such file"):
        read_recording(tmp_path / "none")
    with pytest.raises(InputError, match="recording-unreadable"):
        read_recording(tmp_path)


def forged(good: bytes, change: Callable[[dict[str, Any]], None], body: bytes | None = None) -> bytes:
    """Change the head and sign it again, as somebody would who means harm."""
    front, rest = good[len(FORM) :].split(b"\n", 1)
    head = msgspec.json.decode(front)
    change(head)
    signed = FORM + msgspec.json.encode(head) + b"\n"
    return signed + (rest[:-CHECKSUM] if body is None else body) + hashlib.sha256(signed).digest()


def one_block(plain: bytes, **more: Any) -> tuple[Callable[[dict[str, Any]], None], bytes]:
    """Make a head with one block of these bytes."""
    body = zlib.compress(plain)
    block = {"lane": 0, "cases": 1, "start": 0, "size": len(body), "unpacked": len(plain),
             "checksum": hashlib.sha256(body).hexdigest(), **more}  # fmt: skip
    return lambda head: head.update(blocks=[block]), body


KEYS = b"\xc4\x10" + bytes(16)
HOSTILE = {
    "a bomb": one_block(bytes(50_000_000), unpacked=100),
    "a declared bomb": one_block(bytes(100), unpacked=1 << 40),
    "no such lane": one_block(b"x", lane=7),
    "a negative lane": one_block(b"x", lane=-1),
    "a start elsewhere": one_block(b"x", start=5),
    "more cases than keys": one_block(b"\x92" + KEYS + b"\x90", cases=2),
    "no pair": one_block(b"\x90"),
    "no MessagePack": one_block(b"\xc1"),
    "no compression": (lambda head: head.update(blocks=[{
        "lane": 0, "cases": 1, "start": 0, "size": 3, "unpacked": 3, "checksum": hashlib.sha256(b"abc").hexdigest(),
    }]), b"abc"),
    "another shape": (lambda head: head.update(blocks=3), b""),
    "an operation of its own": (lambda head: head.update(lanes=[[*LANE[:5], "delete"]], blocks=[]), b""),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused(tmp_path: Path, good: bytes, name: str) -> None:
    """Its checksums are right and its contents are not; nothing is unpacked beyond what is declared."""
    change, body = HOSTILE[name]
    assert "recording-damaged" in refused(tmp_path, forged(good, change, body))


def test_too_much_in_all_is_refused(tmp_path: Path, good: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is unpacked."""
    monkeypatch.setattr(module, "MOST_BYTES", 10)
    assert "recording-large" in refused(tmp_path, good)


@pytest.mark.parametrize("items", [b"\x91\xc1", b"\x90", b"\x91\x91\xc1", b"\x91\xa1x"])
def test_contents_that_are_no_cases_are_told_when_they_are_wanted(tmp_path: Path, good: bytes, items: bytes) -> None:
    """A block may hold anything that unpacks: what is no case is damage."""
    file = tmp_path / "r"
    file.write_bytes(forged(good, *one_block(b"\x92" + KEYS + items)))
    with pytest.raises(InputError, match="recording-damaged"):
        list(read_recording(file).cases(read_recording(file).head.lanes[0]))


# The target that answers from it


class Without(FakeTarget):
    """The target after its handwritten side was deleted."""

    def answer(self, case: Case) -> Answer:
        return Answer(case.id, declarative=(ERROR,) if case.object["spec"]["size"] == 5 else ())


def target(tmp_path: Path, *cases: Case) -> RecordedTarget:
    return RecordedTarget(Without(), read_recording(write(tmp_path / "r", *cases)), "widgets_v1")


def test_the_handwritten_side_is_read_and_the_other_one_asked(tmp_path: Path) -> None:
    """In the order of the cases; what was not recorded has a failure that is no finding, and is not asked."""
    recorded = target(tmp_path, case(3), case(5))
    answers = recorded.ask([case(3), case(4), case(5)])
    assert [((ERROR,), ()), ((), ()), ((ERROR,), (ERROR,))] == [(one.handwritten, one.declarative) for one in answers]
    failure = answers[1].failure
    assert failure is not None
    assert ("handwritten", NOT_RECORDED, False) == (failure.stage, failure.message, failure.panic)
    inner = recorded._inner
    assert isinstance(inner, Without)
    assert 2 == len(inner.asked)
    assert recorded.ask([case(9)])[0].failure is not None
    assert 2 == len(inner.asked)


def test_only_recorded_lanes_are_served(tmp_path: Path) -> None:
    """The others are not there; a lane that the target lost is excluded and said."""
    gone = msgspec.structs.replace(case(3), kind="Gadget", resource="gadgets")
    info = target(tmp_path, case(3), gone).info
    assert [("widgets", (Operation.CREATE,))] == [(kind.resource, kind.operations) for kind in info.kinds]
    assert [("gadgets", "recorded, and no create is served")] == [(one.resource, one.reason) for one in info.excluded]
    assert "served" not in info.abilities


def test_a_recording_of_something_else_is_refused(tmp_path: Path) -> None:
    """Another subject, or nothing that is served."""
    found: Recording = read_recording(write(tmp_path / "r", case(3)))
    with pytest.raises(InputError, match="recording-subject: it is of widgets_v1, and asked is other_v1"):
        RecordedTarget(Without(), found, "other_v1")
    bare = msgspec.structs.replace(made.result().target, kinds=())
    with pytest.raises(InputError, match="recording-kinds: widgets_v1 serves none of what it holds"):
        RecordedTarget(Without(bare), found, "widgets_v1")
