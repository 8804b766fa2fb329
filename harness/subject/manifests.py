"""Reading what a user hands in: manifests in YAML (several documents) or JSON, and cases as NDJSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import yaml

from harness.case import Case, Json
from harness.diagnostics import Diagnostic, InputError, Position
from harness.kubeyaml import Loader, NotJSONError
from harness.limits import check_yaml, decode_bounded, drained, read_bounded
from harness.objectmodel import KIND, TYPE_META, name_of, type_of


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object and where it stands."""

    object: dict[str, Json]
    position: Position

    @property
    def api_version(self) -> str:
        """What the object says of its group and version."""
        return type_of(self.object)[0]

    @property
    def kind(self) -> str:
        """What the object says of its kind."""
        return type_of(self.object)[1]

    @property
    def name(self) -> tuple[str, str, str]:
        """What finds its old self: kind, namespace and name."""
        return self.kind, *name_of(self.object)


def read_text(name: str) -> bytes:
    """Read a file, or standard input for `-`. Raises InputError."""
    try:
        return drained(sys.stdin.buffer, "-") if name == "-" else read_bounded(name)
    except OSError as error:
        raise _bad(
            name, 0, "manifest-unreadable", f"cannot be read: {error.strerror}", "name an existing file"
        ) from None


def read_manifests(name: str) -> list[Manifest]:
    """Read every document of a file; the items of a `List` count one by one. Raises InputError with all complaints."""
    found: list[Manifest] = []
    problems: list[Diagnostic] = []
    for value, position in documents(name):
        try:
            found.append(manifest_of(value, position))
        except InputError as error:
            problems += error.diagnostics
    if problems:
        raise InputError(problems)
    if not found:
        raise _bad(name, 0, "manifest-empty", "holds no object", "write a manifest with apiVersion and kind")
    return found


def documents(name: str) -> list[tuple[Any, Position]]:
    """Read every document of a file, and where it begins; those of a `List` one by one. Raises InputError."""
    return [(item, Position(name, line)) for value, line in _documents(read_text(name), name) for item in _items(value)]


def manifest_of(value: Any, position: Position) -> Manifest:
    """Take a document for an object that says what it is. Raises InputError."""
    if not isinstance(value, dict):
        message = f"a manifest is an object, this is {type(value).__name__}"
        raise InputError([Diagnostic(position, "manifest-syntax", message, fix="apiVersion: ...\nkind: ...")])
    if not all(isinstance(value.get(name), str) for name in TYPE_META):
        message = "the object has no apiVersion or no kind"
        fix = "every manifest begins with apiVersion and kind"
        raise InputError([Diagnostic(position, "manifest-kind", message, fix=fix)])
    return Manifest(_plain(value, position), position)


def _documents(data: bytes, name: str) -> Iterator[tuple[Any, int]]:
    if data.lstrip()[:1] == b"{":
        try:
            yield decode_bounded(data, name), 1
            return
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass  # several documents, or YAML in braces: the other reader says what is wrong
    check_yaml(data, name)
    try:
        loader = Loader(data)
        while loader.check_node():
            node = loader.get_node()
            yield loader.construct_document(node), node.start_mark.line + 1
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        what = "cannot be written as JSON" if isinstance(error, NotJSONError) else "not YAML"
        diagnostic = Diagnostic(Position(name, line, column), "manifest-syntax", f"{what}: {error.problem}")
        raise InputError([diagnostic]) from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise _bad(name, 0, "manifest-syntax", f"not YAML: {str(error).splitlines()[0]}", "") from None
    except RecursionError:
        raise _bad(name, 0, "manifest-syntax", "nested too deeply to be read", "") from None


def _items(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, dict) and value.get(KIND) == "List" and isinstance(value.get("items"), list):
        return list(value["items"])
    return [value]


def _plain(value: Any, position: Position) -> dict[str, Json]:
    """Make sure it is JSON: YAML can say more (sets, bytes, keys that are no strings, anchors that loop)."""
    try:
        plain = msgspec.json.decode(msgspec.json.encode(value))
        assert isinstance(plain, dict)
        return plain
    except (TypeError, ValueError, RecursionError, UnicodeError, msgspec.MsgspecError) as error:
        message = f"the object cannot be written as JSON: {error or type(error).__name__}"
        raise InputError([Diagnostic(position, "manifest-syntax", message)]) from None


def read_case(line: bytes, number: int, name: str) -> Case:
    """Read one line of NDJSON.

    What a line leaves out is taken from the object: the id is the line's number, group and version are those of its
    apiVersion, the operation is update when there is an old object.
    Raises: InputError.
    """
    try:
        value = decode_bounded(line, name, number)
        if isinstance(value, dict) and "object" in value and value["object"] is None:
            raise ValueError("its object is null: it is of a finding about the target's rules, not about an object")
        if not isinstance(value, dict) or not isinstance(value.get("object"), dict):
            raise ValueError('a case is an object with the key "object"')
        return msgspec.convert({**_taken(value, number), **value}, Case)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        fix = '{"id": 1, "group": "apps", "version": "v1", "kind": "Deployment", "operation": "create", "object": {}}'
        raise _bad(name, number, "case-syntax", f"no case: {error}", fix) from None


def _taken(value: dict[str, Any], number: int) -> dict[str, Any]:
    api_version, kind = type_of(value["object"])
    group, _, version = api_version.rpartition("/")
    return {
        "id": number,
        "group": group,
        "version": version,
        "kind": kind,
        "operation": "create" if value.get("old") is None else "update",
    }


def _bad(name: str, line: int, code: str, message: str, fix: str) -> InputError:
    return InputError([Diagnostic(Position(name, line), code, message, fix=fix)])
