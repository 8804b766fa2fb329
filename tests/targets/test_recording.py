"""A recording is read back as it was written; a damaged or forged one is rejected."""

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
    CHECKSUM_BYTES,
    FORMAT_LINE,
    Packer,
    Recording,
    RequestName,
    head_maker,
    key_of,
    read_recording,
    request_of,
    write_recording,
)
from tests.cli.fakes import FakeTarget
from tests.report import made

REQUEST: RequestName = ("example.io", "v1", "Widget", "widgets", "", "create")
ERROR = FieldError("FieldValueInvalid", "spec.size", "must be even", value="3", covered=True)


def case(size: Any = 3, operation: str = "create", old: Any = None, **more: Any) -> Case:
    return Case(1, "example.io", "v1", "Widget", Operation(operation), {"spec": {"size": size}}, old, "widgets", **more)


def write(path: Path, *cases: Case, subject: str = "widgets_v1", errors: tuple[FieldError, ...] = (ERROR,)) -> Path:
    packers: dict[RequestName, Packer] = {}
    for one in cases:
        packers.setdefault(request_of(one), Packer()).add(one, errors)
    maker = head_maker(
        subject=subject, release="1.2", recorded="now", seed=7, mode="served", gates={"A": True}, skipped=2
    )
    write_recording(path, maker, {request: packer.close() for request, packer in packers.items()})
    return path


def test_a_recording_is_read_as_it_was_written(tmp_path: Path) -> None:
    """The head, the cases of every request, and their errors."""
    cases = [case(3), case(4, options={"X": True}), case(5, "update", {"spec": {}}), case(6, mode="given")]
    found = read_recording(write(tmp_path / "r", *cases))
    assert ("widgets_v1", "1.2", 7, {"A": True}, 2, 4) == (
        found.head.subject, found.head.release, found.head.seed, found.head.gates, found.head.skipped, found.head.cases,
    )  # fmt: skip
    again = [msgspec.structs.replace(one, id=1) for request in found.head.requests for one in found.cases(request)]
    assert sorted(map(key_of, cases)) == sorted(map(key_of, again))
    assert all(one in cases for one in again)
    assert [(ERROR,)] * 4 == [found.answer(one) for one in cases]


def test_a_case_is_found_by_its_content(tmp_path: Path) -> None:
    """Its id and the extra lists that it requests do not matter; its object, options and mode do."""
    found = read_recording(write(tmp_path / "r", case({"a": 1, "b": 2})))
    assert (ERROR,) == found.answer(msgspec.structs.replace(case({"b": 2, "a": 1}), id=9, versions=True, served=True))
    assert [None] * 4 == [
        found.answer(one) for one in (case(4), case({"a": 1}), case(3, options={"X": False}), case(3, mode="given"))
    ]


def test_a_repeated_case_is_stored_once(tmp_path: Path) -> None:
    """The recording has one case after the same case was added three times."""
    assert 1 == read_recording(write(tmp_path / "r", case(), case(), case())).head.cases


def test_small_cases_come_first(tmp_path: Path) -> None:
    """The first case that shows a difference is then the smallest one."""
    found = read_recording(write(tmp_path / "r", case("xxxx"), case(""), case("xx")))
    assert ["", "xx", "xxxx"] == [one.object["spec"]["size"] for one in found.cases(REQUEST)]


def test_many_cases_are_split_into_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All cases and their errors are read from the blocks."""
    monkeypatch.setattr(module, "BLOCK_CASES", 10)
    found = read_recording(write(tmp_path / "r", *map(case, range(35))))
    assert [10, 10, 10, 5] == [block.cases for block in found.head.blocks]
    assert 35 == len(list(found.cases(REQUEST))) == sum(found.answer(case(size)) is not None for size in range(40))


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
def test_a_flipped_bit_is_detected(tmp_path: Path, good: bytes, data: st.DataObject) -> None:
    """Any bit of the file."""
    bit = data.draw(st.integers(0, len(good) * 8 - 1))
    flipped = bytearray(good)
    flipped[bit // 8] ^= 1 << bit % 8
    assert "recording-" in refused(tmp_path, bytes(flipped))


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_detected(tmp_path: Path, good: bytes, part: float) -> None:
    """So is a file with bytes behind its end."""
    assert "recording-" in refused(tmp_path, good[: int(len(good) * part)])
    assert "recording-damaged" in refused(tmp_path, good + b"x")


def test_the_diagnostic_distinguishes_other_files(tmp_path: Path, good: bytes) -> None:
    """A recording of a later version, a file in another format, a missing file, a folder."""
    assert "it is a recording of version 2" in refused(tmp_path, good.replace(b"recording 1", b"recording 2", 1))
    assert "recording-form" in refused(tmp_path, b"PK\x03\x04")
    with pytest.raises(InputError, match="recording-unreadable: cannot be read: No such file"):
        read_recording(tmp_path / "none")
    with pytest.raises(InputError, match="recording-unreadable"):
        read_recording(tmp_path)


def forged(good: bytes, change: Callable[[dict[str, Any]], None], body: bytes | None = None) -> bytes:
    """Change the head and compute its checksum again, as an attacker would."""
    front, rest = good[len(FORMAT_LINE) :].split(b"\n", 1)
    head = msgspec.json.decode(front)
    change(head)
    signed = FORMAT_LINE + msgspec.json.encode(head) + b"\n"
    return signed + (rest[:-CHECKSUM_BYTES] if body is None else body) + hashlib.sha256(signed).digest()


def one_block(plain: bytes, **more: Any) -> tuple[Callable[[dict[str, Any]], None], bytes]:
    """Make a head with one block of these bytes."""
    body = zlib.compress(plain)
    block = {"request": 0, "cases": 1, "start": 0, "size": len(body), "unpacked": len(plain),
             "checksum": hashlib.sha256(body).hexdigest(), **more}  # fmt: skip
    return lambda head: head.update(blocks=[block]), body


KEYS = b"\xc4\x10" + bytes(16)
HOSTILE = {
    "a bomb": one_block(bytes(50_000_000), unpacked=100),
    "a declared bomb": one_block(bytes(100), unpacked=1 << 40),
    "no such request": one_block(b"x", request=7),
    "a negative request": one_block(b"x", request=-1),
    "a start elsewhere": one_block(b"x", start=5),
    "more cases than keys": one_block(b"\x92" + KEYS + b"\x90", cases=2),
    "no pair": one_block(b"\x90"),
    "no MessagePack": one_block(b"\xc1"),
    "no compression": (lambda head: head.update(blocks=[{
        "lane": 0, "cases": 1, "start": 0, "size": 3, "unpacked": 3, "checksum": hashlib.sha256(b"abc").hexdigest(),
    }]), b"abc"),
    "another shape": (lambda head: head.update(blocks=3), b""),
    "an operation of its own": (lambda head: head.update(lanes=[[*REQUEST[:5], "delete"]], blocks=[]), b""),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_rejected(tmp_path: Path, good: bytes, name: str) -> None:
    """Its checksums are right and its contents are wrong; unpacking stops at the declared size."""
    change, body = HOSTILE[name]
    assert "recording-damaged" in refused(tmp_path, forged(good, change, body))


def test_a_recording_that_expands_too_far_is_rejected(
    tmp_path: Path, good: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before any block is unpacked."""
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    assert "recording-large" in refused(tmp_path, good)


@pytest.mark.parametrize("items", [b"\x91\xc1", b"\x90", b"\x91\x91\xc1", b"\x91\xa1x"])
def test_a_block_without_cases_is_damaged(tmp_path: Path, good: bytes, items: bytes) -> None:
    """A block that unpacks to something other than cases is reported when its cases are read."""
    file = tmp_path / "r"
    file.write_bytes(forged(good, *one_block(b"\x92" + KEYS + items)))
    with pytest.raises(InputError, match="recording-damaged"):
        list(read_recording(file).cases(read_recording(file).head.requests[0]))


# The target that answers from a recording


class Without(FakeTarget):
    """The target after its handwritten validators were deleted."""

    def answer(self, case: Case) -> Answer:
        return Answer(case.id, declarative=(ERROR,) if case.object["spec"]["size"] == 5 else ())


def target(tmp_path: Path, *cases: Case) -> RecordedTarget:
    return RecordedTarget(Without(), read_recording(write(tmp_path / "r", *cases)), "widgets_v1")


def test_handwritten_errors_are_read_and_declarative_ones_asked(tmp_path: Path) -> None:
    """In the order of the cases; a case that was not recorded is not asked, and its failure is not a finding."""
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


def test_only_recorded_requests_are_served(tmp_path: Path) -> None:
    """Other requests are dropped; a recorded request that the target no longer serves is listed as excluded."""
    gone = msgspec.structs.replace(case(3), kind="Gadget", resource="gadgets")
    info = target(tmp_path, case(3), gone).info
    assert [("widgets", (Operation.CREATE,))] == [(kind.resource, kind.operations) for kind in info.kinds]
    assert [("gadgets", "recorded, and no create is served")] == [(one.resource, one.reason) for one in info.excluded]
    assert "served" not in info.abilities


def test_a_recording_of_another_subject_is_rejected(tmp_path: Path) -> None:
    """By the name of the subject, or because the target serves none of its requests."""
    found: Recording = read_recording(write(tmp_path / "r", case(3)))
    with pytest.raises(InputError, match="recording-subject: it is a recording of widgets_v1, not of other_v1"):
        RecordedTarget(Without(), found, "other_v1")
    bare = msgspec.structs.replace(made.result().target, kinds=())
    with pytest.raises(InputError, match="recording-kinds: widgets_v1 serves none of the recorded requests"):
        RecordedTarget(Without(bare), found, "widgets_v1")
