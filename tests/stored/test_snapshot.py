"""Snapshots of etcd: the newest version of every object, decoded with the types of a release.

The program is built on first use, which takes minutes on a fresh machine.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from harness.stored.snapshot import read_snapshots
from harness.stored.storedobject import Reading, StoredObject
from harness.targets.live.access import Access
from harness.targets.live.target import LiveTarget
from tests.stored.boltfile import binary, field, snapshot

pytestmark = pytest.mark.kubernetes

RELEASE = "1.37.1"


def meta(name: str) -> bytes:
    """Metadata of an object."""
    return field(1, name.encode()) + field(3, b"shop")


def config_map(name: str, value: str) -> bytes:
    """A ConfigMap as a server writes it."""
    entry = field(1, b"key") + field(2, value.encode())
    return binary("v1", "ConfigMap", field(1, meta(name)) + field(2, entry))


def read(file: Path, data: bytes) -> tuple[dict[str, StoredObject], Reading]:
    """The objects of a snapshot by name."""
    file.write_bytes(data)
    reading = Reading()
    return {one.name: one for one in read_snapshots([file], RELEASE, reading, lambda text: None)}, reading


def test_the_newest_version_of_each_object_is_read(tmp_path: Path) -> None:
    """Protobuf and JSON; deleted objects and keys of the server are no objects, and secrets are replaced."""
    gadget = {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "g"}}
    secret = binary("v1", "Secret", field(1, meta("s")) + field(2, field(1, b"p") + field(2, b"hunter2")))
    found, reading = read(
        tmp_path / "snapshot.db",
        snapshot([
            ("/registry/configmaps/shop/a", config_map("a", "old")),
            ("/registry/configmaps/shop/b", config_map("b", "b")),
            ("/registry/configmaps/shop/a", config_map("a", "newer")), ("/registry/configmaps/shop/b", None),
            ("/registry/example.com/gadgets/g", json.dumps(gadget).encode()), ("compact_rev_key", b"17"),
            ("/registry/secrets/shop/s", secret),
        ]),
    )  # fmt: skip
    assert ([], {"shop/a", "g", "shop/s"}) == (reading.problems, set(found))
    newest = found["shop/a"].object
    assert ("v1", "ConfigMap", {"key": "x" * 5}) == (newest["apiVersion"], newest["kind"], newest["data"])
    assert "4" == newest["metadata"]["resourceVersion"]
    assert {"p": base64.b64encode(b"x" * 7).decode()} == found["shop/s"].object["data"]
    assert found["shop/a"].source.endswith("snapshot.db:/registry/configmaps/shop/a")


def test_what_cannot_be_decoded_is_told(tmp_path: Path) -> None:
    """Encrypted objects are counted by their provider; types that the release lacks, and garbage, are named."""
    found, reading = read(
        tmp_path / "snapshot.db",
        snapshot([
            ("/registry/secrets/shop/s", b"k8s:enc:aescbc:v1:key1:garbage"),
            ("/registry/old/a", binary("old.example.com/v1", "Old", b"")),
            ("/registry/garbage", b"\x01\x02"), ("/registry/configmaps/shop/a", config_map("a", "a")),
            ("/registry/pods/shop/broken", binary("v1", "Pod", b"\xff\xff")),
        ], with_hash=False),
    )  # fmt: skip
    assert {"shop/a"} == set(found)
    assert {"aescbc": 1} == {name: number for name, (number, _) in reading.encrypted.items()}
    assert {
        "this release has no old.example.com/v1 Old", "neither protobuf of Kubernetes nor JSON",
        "its protobuf cannot be decoded",
    } == {one.message for one in reading.problems}  # fmt: skip


@pytest.mark.parametrize("damage", ["cut", "changed", "text", "empty"])
def test_a_damaged_snapshot_is_told(damage: str, tmp_path: Path) -> None:
    """Whether it is cut, changed, or something else."""
    whole = snapshot([("/registry/configmaps/shop/a", config_map("a", "x" * 40_000))])
    data = {"cut": whole[: 5 * 4096], "changed": whole[:-9] + b"damaged!!", "text": b"no snapshot", "empty": b""}[
        damage
    ]
    found, reading = read(tmp_path / "snapshot.db", data)
    assert {} == found
    assert ["snapshot-damaged"] == [one.code for one in reading.problems]


def send(access: Access, method: str, path: str, value: dict[str, object] | None = None) -> int:
    """Send a request as a client does, and return the status of the answer."""
    parts = urlsplit(access.url)
    connection = http.client.HTTPSConnection(str(parts.hostname), parts.port, context=access.context(), timeout=60)
    headers = {"Authorization": f"Bearer {access.token}", "Content-Type": "application/json"}
    connection.request(method, path, None if value is None else json.dumps(value), headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status


def saved(folder: Path) -> bytes:
    """What `etcdctl snapshot save` writes: the file in which etcd keeps everything, and its hash."""
    (file,) = folder.glob("*/etcd/member/snap/db")
    data = file.read_bytes()
    while True:  # etcd commits in batches, ten a second
        time.sleep(0.5)
        before, data = data, file.read_bytes()
        if before == data:
            return data + hashlib.sha256(data).digest()


def test_a_snapshot_of_etcd_itself_is_read(tmp_path: Path) -> None:
    """What a server stored when it started, in its own encoding, and what a client created."""
    space = "/api/v1/namespaces/default"
    with LiveTarget(RELEASE) as server:
        config: dict[str, object] = {"metadata": {"name": "a"}, "data": {"key": "é"}}
        secret: dict[str, object] = {"metadata": {"name": "s"}, "stringData": {"p": "hunter2"}}
        assert 201 == send(server.access, "POST", f"{space}/configmaps", config)
        assert 201 == send(server.access, "POST", f"{space}/secrets", secret)
        data = saved(server.folder)
    found, reading = read(tmp_path / "snapshot.db", data)
    assert [] == reading.problems
    assert {"default/a", "default/s"} < set(found)  # and what the server has made by then, which differs
    assert {"key": "xx"} == found["default/a"].object["data"]
    assert found["default/a"].object["metadata"]["resourceVersion"].isdigit()
    assert not [word for word in ("hunter2", base64.b64encode(b"hunter2").decode()) if word in str(found)]
    assert {"p": base64.b64encode(b"x" * 7).decode()} == found["default/s"].object["data"]
