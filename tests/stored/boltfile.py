"""Writes a database of etcd by hand: a bbolt file with one bucket, and values as etcd and an API server write them.

Source: go.etcd.io/bbolt internal/common (page.go, meta.go, bucket.go), mvccpb kv.proto (2026-11).
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

PAGE = 4096
_META, _LEAF, _FREELIST = 0x04, 0x02, 0x10
_MAGIC, _VERSION = 0xED0CDAED, 2
_BUCKET = 1


def _page(number: int, flags: int, count: int, content: bytes, overflow: int = 0) -> bytes:
    data = struct.pack("<QHHI", number, flags, count, overflow) + content
    return data.ljust(PAGE * (overflow + 1), b"\0")


def _leaf(number: int, items: Sequence[tuple[int, bytes, bytes]]) -> bytes:
    """A page of keys and values; each element points from its own place to its key."""
    head, body = b"", b""
    for index, (flags, key, value) in enumerate(items):
        at = 16 * (len(items) - index) + len(body)
        head += struct.pack("<IIII", flags, at, len(key), len(value))
        body += key + value
    overflow = (16 + len(head) + len(body) - 1) // PAGE
    return _page(number, _LEAF, len(items), head + body, overflow)


def _meta(number: int, pages: int) -> bytes:
    fields = struct.pack("<IIIIQQQQQ", _MAGIC, _VERSION, PAGE, 0, 3, 0, 2, pages, number)
    sum64 = 0xCBF29CE484222325  # FNV-1a
    for byte in fields:
        sum64 = (sum64 ^ byte) * 0x100000001B3 % 2**64
    return _page(number, _META, 0, fields + struct.pack("<Q", sum64))


def varint(number: int) -> bytes:
    """A number of protobuf."""
    parts = b""
    while number > 0x7F:
        parts, number = parts + bytes([number & 0x7F | 0x80]), number >> 7
    return parts + bytes([number])


def field(number: int, content: bytes | int) -> bytes:
    """A field of protobuf."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def binary(api_version: str, kind: str, raw: bytes) -> bytes:
    """An object as a server writes it: a magic number, its type, and its own message."""
    return b"k8s\0" + field(1, field(1, api_version.encode()) + field(2, kind.encode())) + field(2, raw)


def snapshot(values: Sequence[tuple[str, bytes | None]], *, with_hash: bool = True) -> bytes:
    """A snapshot in which these keys were set one after the other; None deletes a key."""
    items = []
    for revision, (key, value) in enumerate(values, 2):
        mark = struct.pack(">Q", revision) + b"_" + struct.pack(">Q", 0) + (b"t" if value is None else b"")
        kv = field(1, key.encode())
        kv += field(2, revision) + field(3, revision) + field(4, 1) + field(5, value) if value is not None else b""
        items.append((0, mark, kv))
    leaf = _leaf(4, items)
    pages = 4 + len(leaf) // PAGE
    root = _leaf(3, [(_BUCKET, b"key", struct.pack("<QQ", 4, 0))])
    data = _meta(0, pages) + _meta(1, pages) + _page(2, _FREELIST, 0, b"") + root + leaf
    return data + hashlib.sha256(data).digest() if with_hash else data
