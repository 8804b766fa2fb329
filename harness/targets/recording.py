"""Recorded answers of the handwritten side: a file that outlives the code it was made with.

    equivalence-harness recording 1        the form of the file, in a line of its own
    {...}                                  the head: JSON, in a line of its own
    ...                                    blocks, one after the other: compressed MessagePack, at most 4,096 cases each

The head says who was asked, when, by which harness, and of every block where it stands, what it holds and its checksum;
the last 32 bytes of the file are the checksum of form and head. Nothing in a file is ever run. Sizes are declared and
held to, so that a small file cannot fill the memory.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, TypeAlias

import msgspec

import harness
from harness.case import Case, Json, Mode, Operation
from harness.diagnostics import Diagnostic, InputError, Position
from harness.field import FieldError
from harness.files import write_atomically
from harness.limits import MOST_REPORT, read_bounded

FORM = b"equivalence-harness recording 1\n"
OF_ANY_FORM = b"equivalence-harness recording "
BLOCK_CASES = 4096
BLOCK_BYTES = 16 << 20
"""A block is closed when it holds so much before compression; one case may go beyond."""
MOST_HEAD = 16 << 20
MOST_BLOCK = 256 << 20
MOST_BYTES = 4 << 30
"""What a head, a block, and all blocks may have before compression. Units: bytes."""
CHECKSUM = 32
KEY = 16

LaneName: TypeAlias = tuple[str, str, str, str, str, str]
"""Group, version, kind, resource, subresource and operation."""


class Recorded(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """A question and what the handwritten side said. What its lane says is left out."""

    object: Json
    old: Json = None
    mode: Mode = "served"
    options: dict[str, bool] = {}
    errors: tuple[FieldError, ...] = ()


class BlockHead(msgspec.Struct, frozen=True):
    """Where a block stands behind the head, what it holds, and its checksum. Units: bytes."""

    lane: int
    cases: int
    start: int
    size: int
    unpacked: int
    checksum: str


class Head(msgspec.Struct, frozen=True):
    """Who was asked. `lanes` are named by the blocks; `skipped` counts answers that could not be kept."""

    subject: str
    release: str
    harness: str
    recorded: str
    seed: int
    mode: str
    gates: dict[str, bool]
    lanes: tuple[LaneName, ...]
    blocks: tuple[BlockHead, ...]
    skipped: int = 0

    @property
    def cases(self) -> int:
        """How many cases it has."""
        return sum(block.cases for block in self.blocks)


class _PackedCase(msgspec.Struct, frozen=True, array_like=True):
    """The same while it waits in memory: its objects are unpacked when they are asked for."""

    object: msgspec.Raw
    old: msgspec.Raw = msgspec.Raw(b"\xc0")
    mode: Mode = "served"
    options: dict[str, bool] = {}
    errors: tuple[FieldError, ...] = ()

    @property
    def cost(self) -> tuple[int, int]:
        """How much a reader has to take in: errors first, then bytes."""
        return len(self.errors), len(bytes(self.object)) + len(bytes(self.old))


_ITEMS = msgspec.msgpack.Decoder(list[_PackedCase])
_OBJECT: msgspec.msgpack.Decoder[Json] = msgspec.msgpack.Decoder()
_KEYS = msgspec.msgpack.Decoder(tuple[bytes, msgspec.Raw])
_HEAD = msgspec.json.Decoder(Head)


def lane_of(case: Case) -> LaneName:
    """Name the lane of a case."""
    return case.group, case.version, case.kind, case.resource, case.subresource, str(case.operation)


def key_of(case: Case) -> bytes:
    """Name a question by its content, whatever else is asked besides. Two questions of one name are one."""
    question = (lane_of(case), case.mode, case.options, case.object, case.old)
    return hashlib.blake2b(msgspec.msgpack.encode(question, order="deterministic"), digest_size=KEY).digest()


@dataclass(slots=True)
class Packer:
    """Packs the cases of one lane into blocks. Each question is kept once."""

    blocks: list[tuple[int, int, bytes]] = field(default_factory=list)
    _keys: list[bytes] = field(default_factory=list)
    _items: list[bytes] = field(default_factory=list)
    _seen: set[bytes] = field(default_factory=set)
    _bytes: int = 0

    def add(self, case: Case, errors: Sequence[FieldError]) -> None:
        """Keep a question and its answer."""
        key = key_of(case)
        if key in self._seen:
            return
        self._seen.add(key)
        item = msgspec.msgpack.encode(Recorded(case.object, case.old, case.mode, case.options, tuple(errors)))
        self._keys.append(key)
        self._items.append(item)
        self._bytes += len(item)
        if len(self._items) >= BLOCK_CASES or self._bytes >= BLOCK_BYTES:
            self.close()

    def close(self) -> tuple[tuple[int, int, bytes], ...]:
        """Close the block that is open. Returns all: cases, bytes before compression, and the block itself."""
        if self._items:
            items = msgspec.msgpack.encode([msgspec.Raw(item) for item in self._items])
            plain = msgspec.msgpack.encode((b"".join(self._keys), msgspec.Raw(items)))
            self.blocks.append((len(self._items), len(plain), zlib.compress(plain, 6)))
            self._keys, self._items, self._bytes = [], [], 0
        return tuple(self.blocks)


Packed: TypeAlias = Mapping[LaneName, Sequence[tuple[int, int, bytes]]]


def write_recording(
    path: Path, head: Callable[[tuple[LaneName, ...], tuple[BlockHead, ...]], Head], packed: Packed
) -> Head:
    """Write a file in one step; `head` makes its head of lanes and blocks. Raises: OSError."""
    lanes, heads, bodies, start = tuple(sorted(packed)), list[BlockHead](), list[bytes](), 0
    for number, lane in enumerate(lanes):
        for cases, unpacked, body in packed[lane]:
            digest = hashlib.sha256(body).hexdigest()
            heads.append(BlockHead(number, cases, start, len(body), unpacked, digest))
            bodies.append(body)
            start += len(body)
    made = head(lanes, tuple(heads))
    front = FORM + msgspec.json.encode(made) + b"\n"
    write_atomically(path, b"".join((front, *bodies, hashlib.sha256(front).digest())))
    return made


@dataclass(slots=True)
class Recording:
    """A file that was read whole and checked. Cases are unpacked lane by lane, when they are wanted."""

    path: Path
    head: Head
    _data: memoryview
    _answers: dict[bytes, tuple[int, int]] = field(default_factory=dict)
    _unpacked: dict[int, list[_PackedCase]] = field(default_factory=dict)

    def answer(self, case: Case) -> tuple[FieldError, ...] | None:
        """Return what the handwritten side said; None for a question that was not recorded. Raises: InputError."""
        place = self._answers.get(key_of(case))
        return None if place is None else self._items(place[0])[place[1]].errors

    def cases(self, lane: LaneName) -> Iterator[Case]:
        """Yield the cases of a lane, those with few errors and small objects first. Raises: InputError."""
        group, version, kind, resource, subresource, operation = lane
        numbers = [n for n, block in enumerate(self.head.blocks) if self.head.lanes[block.lane] == lane]
        kept = [item for number in numbers for item in self._items(number)]
        for item in sorted(kept, key=lambda one: one.cost):
            try:
                new, old = _OBJECT.decode(item.object), _OBJECT.decode(item.old)
            except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
                _damaged(self.path, f"an object of {lanes_of([lane])} cannot be read: {error}")
            yield Case(
                0, group, version, kind, Operation(operation), new, old, resource, subresource, item.mode, item.options
            )

    def index(self) -> None:
        """Unpack every block, hold it to what the head says of it, and remember where each question stands."""
        for number, block in enumerate(self.head.blocks):
            keys, _ = self._plain(number)
            for place in range(block.cases):
                self._answers[keys[place * KEY : place * KEY + KEY]] = (number, place)

    def _items(self, number: int) -> list[_PackedCase]:
        if number not in self._unpacked:
            _, items = self._plain(number)
            try:
                self._unpacked[number] = _ITEMS.decode(items)
            except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
                _damaged(self.path, f"block {number + 1} holds something else: {error}")
            if len(self._unpacked[number]) != self.head.blocks[number].cases:
                _damaged(self.path, f"block {number + 1} holds another number of cases than the head says")
        return self._unpacked[number]

    def _plain(self, number: int) -> tuple[bytes, msgspec.Raw]:
        block = self.head.blocks[number]
        body = self._data[block.start : block.start + block.size]
        if hashlib.sha256(body).hexdigest() != block.checksum:
            _damaged(self.path, f"block {number + 1} of {len(self.head.blocks)} is not what was written")
        unpack = zlib.decompressobj()
        try:
            plain = unpack.decompress(body, block.unpacked + 1)
            keys, items = _KEYS.decode(plain)
        except (zlib.error, msgspec.MsgspecError) as error:
            _damaged(self.path, f"block {number + 1} cannot be unpacked: {error}")
        if len(plain) != block.unpacked or len(keys) != block.cases * KEY:
            _damaged(self.path, f"block {number + 1} holds another number of bytes than the head says")
        return keys, items


def read_recording(path: Path) -> Recording:
    """Read a file and check all of it. Raises: InputError for damage, another version, or a file that is none."""
    try:
        data = read_bounded(path, MOST_REPORT)
    except OSError as error:
        _refuse(
            path,
            "recording-unreadable",
            f"cannot be read: {error.strerror or error}",
            "",
            "name a file that harness record wrote",
        )
    if not data.startswith(FORM):
        if data.startswith(OF_ANY_FORM):
            said = data[len(OF_ANY_FORM) : 60].split(b"\n")[0].decode("ascii", "replace")
            why = f"this harness reads version {FORM.split()[-1].decode()}"
            _refuse(
                path,
                "recording-version",
                f"it is a recording of version {said[:20]}",
                why,
                "read it with the harness that wrote it",
            )
        _refuse(
            path,
            "recording-form",
            "it is no recording",
            "a recording begins with a line that says so",
            "name a file that harness record wrote",
        )
    end = data.find(b"\n", len(FORM), len(FORM) + MOST_HEAD)
    if end < 0 or len(data) < end + 1 + CHECKSUM:
        _damaged(path, "it was cut off")
    # A file that was cut off lacks its end, so the checksum of what is there cannot be right.
    if hashlib.sha256(data[: end + 1]).digest() != data[-CHECKSUM:]:
        _damaged(path, "its head is not what was written, or it was cut off")
    try:
        head = _HEAD.decode(data[len(FORM) : end])
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        _damaged(path, f"its head cannot be read: {error}")
    _check(path, head, len(data) - CHECKSUM - end - 1)
    recording = Recording(path, head, memoryview(data)[end + 1 : len(data) - CHECKSUM])
    recording.index()
    return recording


def _check(path: Path, head: Head, size: int) -> None:
    """Hold the head to itself and to the size of what follows it, before anything is unpacked."""
    start = 0
    for block in head.blocks:
        fits = 0 <= block.lane < len(head.lanes) and block.start == start and 0 < block.cases and block.size > 0
        if not fits or not 0 < block.unpacked <= MOST_BLOCK:
            _damaged(path, "its head does not add up")
        start += block.size
    if start != size or any(lane[5] not in tuple(Operation) for lane in head.lanes):
        _damaged(path, "its head does not add up")
    total = sum(block.unpacked for block in head.blocks)
    if total > MOST_BYTES:
        fix = "record with fewer cases, or narrow it with --kind"
        _refuse(
            path,
            "recording-large",
            f"it unpacks to {total >> 20:,} MiB",
            f"at most {MOST_BYTES >> 20:,} MiB are read",
            fix,
        )


def _damaged(path: Path, message: str) -> NoReturn:
    why = "answers that may have changed prove nothing"
    _refuse(
        path,
        "recording-damaged",
        f"the recording is damaged: {message}",
        why,
        "take the file from where it is kept, or record again",
    )


def _refuse(path: Path, code: str, message: str, why: str, fix: str) -> NoReturn:
    raise InputError([Diagnostic(Position(str(path)), code, message, why, fix)])


def head_maker(
    *, subject: str, release: str, recorded: str, seed: int, mode: str, gates: Mapping[str, bool], skipped: int
) -> Callable[[tuple[LaneName, ...], tuple[BlockHead, ...]], Head]:
    """Return what makes the head of a new recording."""
    return lambda lanes, blocks: Head(
        subject, release, harness.__version__, recorded, seed, mode, dict(gates), lanes, blocks, skipped
    )


def lanes_of(names: Iterable[LaneName]) -> str:
    """Write lanes for people, a few of them."""
    texts = [
        f"{group}/{version} {resource}{'/' if sub else ''}{sub} {operation}"
        if group
        else f"{version} {resource} {operation}"
        for group, version, _, resource, sub, operation in names
    ]
    more = f" and {len(texts) - 5} more" if len(texts) > 5 else ""
    return ", ".join(texts[:5]) + more
