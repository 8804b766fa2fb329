"""Writes and reads recordings: cases with their handwritten errors, to compare with after that code is deleted.

    equivalence-harness recording 1        a line with the format and its version
    {...}                                  a line with the head, in JSON
    ...                                    blocks of at most 4,096 cases each, in compressed MessagePack
    ...                                    32 bytes: the SHA-256 of the first two lines

The head describes the target, the harness and the time of the recording, and the offset, size, number of cases and
checksum of every block. Reading runs no code from the file. It rejects a block whose size differs from the declared
one, so that a small file cannot expand until memory is full.
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
from harness.limits import MAX_REPORT, read_bounded

FORMAT_LINE = b"equivalence-harness recording 1\n"
FORMAT_PREFIX = b"equivalence-harness recording "
BLOCK_CASES = 4096
BLOCK_BYTES = 16 << 20
"""A block is closed after this many bytes before compression; its last case may exceed them."""
MAX_HEAD = 16 << 20
MAX_BLOCK = 256 << 20
MAX_BYTES = 4 << 30
"""At most this many bytes before compression of a head, of a block, and of all blocks together."""
CHECKSUM_BYTES = 32
KEY_BYTES = 16
MAX_LISTED = 5
"""At most this many requests are listed in a message."""

RequestName: TypeAlias = tuple[str, str, str, str, str, str]
"""Group, version, kind, resource, subresource and operation."""


class RecordedCase(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """A case and its handwritten errors. The request is omitted, because its block names it."""

    object: Json
    old: Json = None
    mode: Mode = "served"
    options: dict[str, bool] = {}
    errors: tuple[FieldError, ...] = ()


class BlockHead(msgspec.Struct, frozen=True):
    """The description of a block. `request` is an index into the requests of the head, `start` an offset behind it.

    `size` is the size in the file, `unpacked` the size before compression. Units: bytes.
    """

    request: int = msgspec.field(name="lane")
    cases: int
    start: int
    size: int
    unpacked: int
    checksum: str


class Head(msgspec.Struct, frozen=True):
    """The description of a recording. Blocks refer to `requests` by index; `skipped` counts answers with a panic."""

    subject: str
    release: str
    harness: str
    recorded: str
    seed: int
    mode: str
    gates: dict[str, bool]
    requests: tuple[RequestName, ...] = msgspec.field(name="lanes")
    blocks: tuple[BlockHead, ...]
    skipped: int = 0

    @property
    def cases(self) -> int:
        """The number of recorded cases."""
        return sum(block.cases for block in self.blocks)


class _PackedCase(msgspec.Struct, frozen=True, array_like=True):
    """A `RecordedCase` that was read from a block. Its objects stay encoded until the case is used."""

    object: msgspec.Raw
    old: msgspec.Raw = msgspec.Raw(b"\xc0")
    mode: Mode = "served"
    options: dict[str, bool] = {}
    errors: tuple[FieldError, ...] = ()

    @property
    def cost(self) -> tuple[int, int]:
        """The cost of reading the case for a person: the number of errors, then of bytes."""
        return len(self.errors), len(bytes(self.object)) + len(bytes(self.old))


_ITEMS = msgspec.msgpack.Decoder(list[_PackedCase])
_OBJECT: msgspec.msgpack.Decoder[Json] = msgspec.msgpack.Decoder()
_KEYS = msgspec.msgpack.Decoder(tuple[bytes, msgspec.Raw])
_HEAD = msgspec.json.Decoder(Head)


def request_of(case: Case) -> RequestName:
    """Return the name of the request of a case."""
    return case.group, case.version, case.kind, case.resource, case.subresource, str(case.operation)


def key_of(case: Case) -> bytes:
    """Return a hash of what decides the handwritten errors of a case: its request, mode, options and objects."""
    content = (request_of(case), case.mode, case.options, case.object, case.old)
    return hashlib.blake2b(msgspec.msgpack.encode(content, order="deterministic"), digest_size=KEY_BYTES).digest()


@dataclass(slots=True)
class Packer:
    """Packs the cases of one request into blocks. Cases with an equal key are stored once."""

    blocks: list[tuple[int, int, bytes]] = field(default_factory=list)
    _keys: list[bytes] = field(default_factory=list)
    _items: list[bytes] = field(default_factory=list)
    _seen: set[bytes] = field(default_factory=set)
    _bytes: int = 0

    def add(self, case: Case, errors: Sequence[FieldError]) -> None:
        """Store a case and its handwritten errors, unless it is stored already."""
        key = key_of(case)
        if key in self._seen:
            return
        self._seen.add(key)
        item = msgspec.msgpack.encode(RecordedCase(case.object, case.old, case.mode, case.options, tuple(errors)))
        self._keys.append(key)
        self._items.append(item)
        self._bytes += len(item)
        if len(self._items) >= BLOCK_CASES or self._bytes >= BLOCK_BYTES:
            self.close()

    def close(self) -> tuple[tuple[int, int, bytes], ...]:
        """Close the open block. Returns every block: its number of cases, bytes before compression, and its bytes."""
        if self._items:
            items = msgspec.msgpack.encode([msgspec.Raw(item) for item in self._items])
            plain = msgspec.msgpack.encode((b"".join(self._keys), msgspec.Raw(items)))
            self.blocks.append((len(self._items), len(plain), zlib.compress(plain, 6)))
            self._keys, self._items, self._bytes = [], [], 0
        return tuple(self.blocks)


Packed: TypeAlias = Mapping[RequestName, Sequence[tuple[int, int, bytes]]]


def write_recording(
    path: Path, head: Callable[[tuple[RequestName, ...], tuple[BlockHead, ...]], Head], packed: Packed
) -> Head:
    """Write a recording atomically; `head` creates its head from requests and blocks. Raises: OSError."""
    requests, heads, bodies, start = tuple(sorted(packed)), list[BlockHead](), list[bytes](), 0
    for number, request in enumerate(requests):
        for cases, unpacked, body in packed[request]:
            digest = hashlib.sha256(body).hexdigest()
            heads.append(BlockHead(number, cases, start, len(body), unpacked, digest))
            bodies.append(body)
            start += len(body)
    written = head(requests, tuple(heads))
    front = FORMAT_LINE + msgspec.json.encode(written) + b"\n"
    write_atomically(path, b"".join((front, *bodies, hashlib.sha256(front).digest())))
    return written


@dataclass(slots=True)
class Recording:
    """A recording whose checksums were verified. Blocks are decoded on first use.

    `_answers` maps the key of a case to the number of its block and its index there.
    """

    path: Path
    head: Head
    _data: memoryview
    _answers: dict[bytes, tuple[int, int]] = field(default_factory=dict)
    _unpacked: dict[int, list[_PackedCase]] = field(default_factory=dict)

    def answer(self, case: Case) -> tuple[FieldError, ...] | None:
        """Return the handwritten errors of a case, or None if it was not recorded. Raises: InputError."""
        found = self._answers.get(key_of(case))
        return None if found is None else self._items(found[0])[found[1]].errors

    def cases(self, request: RequestName) -> Iterator[Case]:
        """Yield the cases of a request, fewest errors and smallest objects first. Raises: InputError."""
        group, version, kind, resource, subresource, operation = request
        numbers = [n for n, block in enumerate(self.head.blocks) if self.head.requests[block.request] == request]
        items = [item for number in numbers for item in self._items(number)]
        for item in sorted(items, key=lambda one: one.cost):
            try:
                new, old = _OBJECT.decode(item.object), _OBJECT.decode(item.old)
            except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
                _raise_damaged(self.path, f"an object of {request_names([request])} cannot be read: {error}")
            yield Case(
                0, group, version, kind, Operation(operation), new, old, resource, subresource, item.mode, item.options
            )

    def index(self) -> None:
        """Check every block against its description in the head, and index its cases by key."""
        for number, block in enumerate(self.head.blocks):
            keys, _ = self._unpack(number)
            for index in range(block.cases):
                self._answers[keys[index * KEY_BYTES : (index + 1) * KEY_BYTES]] = (number, index)

    def _items(self, number: int) -> list[_PackedCase]:
        if number not in self._unpacked:
            _, items = self._unpack(number)
            try:
                self._unpacked[number] = _ITEMS.decode(items)
            except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
                _raise_damaged(self.path, f"block {number + 1} does not contain cases: {error}")
            if len(self._unpacked[number]) != self.head.blocks[number].cases:
                _raise_damaged(self.path, f"block {number + 1} has not the number of cases that the head declares")
        return self._unpacked[number]

    def _unpack(self, number: int) -> tuple[bytes, msgspec.Raw]:
        """Verify and decompress a block. Returns the keys of its cases, and the encoded cases."""
        block = self.head.blocks[number]
        body = self._data[block.start : block.start + block.size]
        if hashlib.sha256(body).hexdigest() != block.checksum:
            _raise_damaged(self.path, f"the checksum of block {number + 1} of {len(self.head.blocks)} is wrong")
        decompressor = zlib.decompressobj()
        try:
            plain = decompressor.decompress(body, block.unpacked + 1)
            keys, items = _KEYS.decode(plain)
        except (zlib.error, msgspec.MsgspecError) as error:
            _raise_damaged(self.path, f"block {number + 1} cannot be unpacked: {error}")
        if len(plain) != block.unpacked or len(keys) != block.cases * KEY_BYTES:
            _raise_damaged(self.path, f"block {number + 1} has not the number of bytes that the head declares")
        return keys, items


def read_recording(path: Path) -> Recording:
    """Read a recording and verify its checksums.

    Raises: InputError for a damaged file, another version of the format, or a file that is not a recording.
    """
    try:
        data = read_bounded(path, MAX_REPORT)
    except OSError as error:
        _raise_diagnostic(
            path,
            "recording-unreadable",
            f"cannot be read: {error.strerror or error}",
            "",
            "name a file that harness record wrote",
        )
    if not data.startswith(FORMAT_LINE):
        if data.startswith(FORMAT_PREFIX):
            version = data[len(FORMAT_PREFIX) : 60].split(b"\n")[0].decode("ascii", "replace")
            why = f"this harness reads version {FORMAT_LINE.split()[-1].decode()}"
            _raise_diagnostic(
                path,
                "recording-version",
                f"it is a recording of version {version[:20]}",
                why,
                "read it with the harness that wrote it",
            )
        _raise_diagnostic(
            path,
            "recording-form",
            "it is not a recording",
            f"the first line of a recording is {FORMAT_LINE.decode().strip()!r}",
            "name a file that harness record wrote",
        )
    end = data.find(b"\n", len(FORMAT_LINE), len(FORMAT_LINE) + MAX_HEAD)
    if end < 0 or len(data) < end + 1 + CHECKSUM_BYTES:
        _raise_damaged(path, "it is truncated")
    # A truncated file lacks the checksum at its end, so its last bytes do not match.
    if hashlib.sha256(data[: end + 1]).digest() != data[-CHECKSUM_BYTES:]:
        _raise_damaged(path, "the checksum of its head is wrong, or it is truncated")
    try:
        head = _HEAD.decode(data[len(FORMAT_LINE) : end])
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        _raise_damaged(path, f"its head cannot be read: {error}")
    _check_head(path, head, len(data) - CHECKSUM_BYTES - end - 1)
    recording = Recording(path, head, memoryview(data)[end + 1 : len(data) - CHECKSUM_BYTES])
    recording.index()
    return recording


def _check_head(path: Path, head: Head, size: int) -> None:
    """Check that the head is consistent and declares blocks of `size` bytes, before any block is unpacked."""
    start = 0
    for block in head.blocks:
        fits = 0 <= block.request < len(head.requests) and block.start == start and 0 < block.cases and block.size > 0
        if not fits or not 0 < block.unpacked <= MAX_BLOCK:
            _raise_damaged(path, "its head is inconsistent")
        start += block.size
    if start != size or any(request[5] not in tuple(Operation) for request in head.requests):
        _raise_damaged(path, "its head is inconsistent")
    total = sum(block.unpacked for block in head.blocks)
    if total > MAX_BYTES:
        fix = "record with fewer cases, or narrow it with --kind"
        _raise_diagnostic(
            path,
            "recording-large",
            f"it unpacks to {total >> 20:,} MiB",
            f"at most {MAX_BYTES >> 20:,} MiB are read",
            fix,
        )


def _raise_damaged(path: Path, message: str) -> NoReturn:
    _raise_diagnostic(
        path,
        "recording-damaged",
        f"the recording is damaged: {message}",
        "a comparison with answers that may have changed proves nothing",
        "restore the file from a backup or from version control, or record again",
    )


def _raise_diagnostic(path: Path, code: str, message: str, why: str, fix: str) -> NoReturn:
    raise InputError([Diagnostic(Position(str(path)), code, message, why, fix)])


def head_maker(
    *, subject: str, release: str, recorded: str, seed: int, mode: str, gates: Mapping[str, bool], skipped: int
) -> Callable[[tuple[RequestName, ...], tuple[BlockHead, ...]], Head]:
    """Return the function that creates the head of a new recording from its requests and blocks."""
    return lambda requests, blocks: Head(
        subject, release, harness.__version__, recorded, seed, mode, dict(gates), requests, blocks, skipped
    )


def request_names(names: Iterable[RequestName]) -> str:
    """Return the first requests and the number of the others, for a message."""
    texts = [
        f"{group}/{version} {resource}{'/' if sub else ''}{sub} {operation}"
        if group
        else f"{version} {resource} {operation}"
        for group, version, _, resource, sub, operation in names
    ]
    more = f" and {len(texts) - MAX_LISTED} more" if len(texts) > MAX_LISTED else ""
    return ", ".join(texts[:MAX_LISTED]) + more
