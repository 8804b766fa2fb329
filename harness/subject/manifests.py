"""Reads the objects and cases of users: manifests in YAML (with several documents) or JSON, and cases in NDJSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import yaml

from harness.case import Case, Json
from harness.diagnostics import Diagnostic, InputError, Position
from harness.kubeyaml import Loader, NotJSONError
from harness.limits import check_yaml, decode_bounded, read_bounded, read_stream
from harness.objectmodel import KIND, TYPE_META, name_of, type_of


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object and its position in a file."""

    object: dict[str, Json]
    position: Position

    @property
    def api_version(self) -> str:
        """The object's apiVersion."""
        return type_of(self.object)[0]

    @property
    def kind(self) -> str:
        """The object's kind."""
        return type_of(self.object)[1]

    @property
    def name(self) -> tuple[str, str, str]:
        """The kind, namespace and name, by which the old object of an update is found."""
        return self.kind, *name_of(self.object)


def read_text(name: str) -> bytes:
    """Read a file, or standard input for `-`. Raises: InputError."""
    try:
        return read_stream(sys.stdin.buffer, "-") if name == "-" else read_bounded(name)
    except OSError as error:
        raise _input_error(
            name, 0, "manifest-unreadable", f"cannot be read: {error.strerror}", "name an existing file"
        ) from None


def read_manifests(name: str) -> list[Manifest]:
    """Read the objects of all documents of a file, and the items of `List` objects.

    Raises: InputError with the diagnostics of all documents.
    """
    found: list[Manifest] = []
    diagnostics: list[Diagnostic] = []
    for value, position in read_documents(name):
        try:
            found.append(manifest_of(value, position))
        except InputError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise InputError(diagnostics)
    if not found:
        raise _input_error(name, 0, "manifest-empty", "contains no object", "write a manifest with apiVersion and kind")
    return found


def read_documents(name: str) -> list[tuple[Any, Position]]:
    """Read all documents of a file and their positions; a `List` becomes its items. Raises: InputError."""
    return documents_of(read_text(name), name)


def documents_of(data: bytes, name: str) -> list[tuple[Any, Position]]:
    """Return all documents of the content of a file and their positions. Raises: InputError."""
    return [(item, Position(name, line)) for value, line in _documents(data, name) for item in _items(value)]


def manifest_of(value: Any, position: Position) -> Manifest:
    """Convert a document to a manifest. Raises: InputError if it is not an object."""
    if not isinstance(value, dict):
        message = f"a manifest is an object, and this document is {type(value).__name__}"
        raise InputError([Diagnostic(position, "manifest-syntax", message, fix="apiVersion: ...\nkind: ...")])
    return Manifest(_plain(value, position), position)


def check_types(objects: Iterable[tuple[Json, Position]]) -> None:
    """See that objects say what they are; those of a suite of validators in Python need not. Raises InputError."""
    message, fix = "the object has no apiVersion or no kind", "every manifest begins with apiVersion and kind"
    wrong = [
        Diagnostic(position, "manifest-kind", message, fix=fix)
        for obj, position in objects
        if not all(isinstance(obj.get(name), str) for name in TYPE_META)
    ]
    if wrong:
        raise InputError(wrong)


def _documents(data: bytes, name: str) -> Iterator[tuple[Any, int]]:
    if data.lstrip()[:1] == b"{":
        try:
            yield decode_bounded(data, name), 1
            return
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass  # it may be several documents, or YAML in braces; otherwise the YAML reader reports the error
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
        raise _input_error(name, 0, "manifest-syntax", f"not YAML: {str(error).splitlines()[0]}", "") from None
    except RecursionError:
        raise _input_error(name, 0, "manifest-syntax", "nested too deeply to be read", "") from None


def _items(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, dict) and value.get(KIND) == "List" and isinstance(value.get("items"), list):
        return list(value["items"])
    return [value]


def _plain(value: Any, position: Position) -> dict[str, Json]:
    """Convert a value to plain JSON. YAML has sets, bytes, keys that are not strings, and recursive anchors."""
    try:
        plain = msgspec.json.decode(msgspec.json.encode(value))
        assert isinstance(plain, dict)
        return plain
    except (TypeError, ValueError, RecursionError, UnicodeError, msgspec.MsgspecError) as error:
        message = f"the object cannot be written as JSON: {error or type(error).__name__}"
        raise InputError([Diagnostic(position, "manifest-syntax", message)]) from None


def read_case(line: bytes, number: int, name: str) -> Case:
    """Read one line of NDJSON.

    Defaults of omitted keys: the id is the number of the line, group, version and kind are those of the object, and the
    operation is update if there is an old object.
    Raises: InputError.
    """
    try:
        value = decode_bounded(line, name, number)
        if isinstance(value, dict) and "object" in value and value["object"] is None:
            raise ValueError("its object is null: the finding is about a rule of the target, not about an object")
        if not isinstance(value, dict) or not isinstance(value.get("object"), dict):
            raise ValueError('a case is an object with the key "object"')
        return msgspec.convert({**_default_keys(value, number), **value}, Case)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        fix = '{"id": 1, "group": "apps", "version": "v1", "kind": "Deployment", "operation": "create", "object": {}}'
        raise _input_error(name, number, "case-syntax", f"not a case: {error}", fix) from None


def _default_keys(value: dict[str, Any], number: int) -> dict[str, Any]:
    api_version, kind = type_of(value["object"])
    group, _, version = api_version.rpartition("/")
    return {
        "id": number,
        "group": group,
        "version": version,
        "kind": kind,
        "operation": "create" if value.get("old") is None else "update",
    }


def _input_error(name: str, line: int, code: str, message: str, fix: str) -> InputError:
    return InputError([Diagnostic(Position(name, line), code, message, fix=fix)])
