"""Documents of manifests in a file, a folder or a git revision, each with the line of every field in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from harness.case import Json
from harness.diagnostics import Position, UsageError
from harness.git import Repository
from harness.jsonpath import path_of
from harness.kubeyaml import Loader
from harness.limits import read_bounded
from harness.objectmodel import KIND, METADATA

_ENDINGS = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class FileObject:
    """An object and its file. `document` is as a client sends it; `begin` is where it begins in the file."""

    document: Mapping[str, Json]
    file: str
    text: bytes
    begin: int = 1

    @property
    def name(self) -> str:
        """The name of the object."""
        return str(member(self.document, METADATA, "name") or "")

    def position(self, field: str) -> Position:
        """Return where a field stands in the file, or the innermost one around it that does."""
        node = self._node()
        if node is None:
            return Position(self.file)
        mark = node.start_mark
        for step in path_of(field):
            node, key = _below(node, step)
            if node is None:
                break
            mark = key.start_mark
        return Position(self.file, mark.line + 1, mark.column + 1)

    def line(self, number: int) -> str:
        """Return a line of the file."""
        lines = self.text.decode("utf-8", "replace").splitlines()
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def _node(self) -> Any:
        """Return the node of the document in its file."""
        for top in yaml.compose_all(self.text, Loader=Loader):
            items, _ = _below(top, "items")
            for node in items.value if isinstance(items, yaml.SequenceNode) else [top]:
                name = _below(_below(node, METADATA)[0], "name")[0]
                kind = _below(node, KIND)[0]
                said = getattr(name, "value", None), getattr(kind, "value", None)
                if said == (self.name, self.document.get(KIND)):
                    return node
        return None


def member(value: Any, *path: str) -> Any:
    """Return a member of an object, None where there is none."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _below(node: Any, step: str | int) -> tuple[Any, Any]:
    """Return the node of a member or an item, and the node of its key; None and the node itself without one."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(step):
                return value, key
    if isinstance(node, yaml.SequenceNode) and str(step).isdigit() and int(step) < len(node.value):
        return node.value[int(step)], node.value[int(step)]
    return None, node


def files_of(place: str, what: str, repository: Repository | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file that may hold objects. `what` names them.

    A revision is one of `repository`, else of the one around the current folder. Raises: UsageError.
    """
    path = Path(place).expanduser()
    if path.is_file() or path.is_dir():
        files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.suffix in _ENDINGS)
        for file in files:
            if file.is_file():
                yield str(file), _read(file, what)
        return
    revision, colon, folder = place.partition(":")
    if not colon or not revision:
        raise UsageError(
            f"there is no {place}\n  fix: name a file or a folder with {what}, or a git revision and a folder: REV:DIR"
        )
    named = [folder.strip("/")]
    if repository is None:
        repository = Repository.at(Path.cwd())
        named.append((Path.cwd().resolve().relative_to(repository.top.resolve()) / folder).as_posix())
    commit = repository.commit(revision)
    wanted = [name for name in named if name not in ("", ".")]
    paths = next(filter(None, (repository.paths(commit, [name]) for name in wanted)), [])
    if not paths and wanted:
        raise UsageError(
            f"revision {revision} has no {folder}\n  why: paths of a revision begin at the top of the repository\n"
            f"  fix: git ls-tree -r --name-only {revision} shows what it has"
        )
    for name in paths if wanted else repository.paths(commit):
        if name.endswith(_ENDINGS) and (data := repository.read(commit, name)) is not None:
            yield f"{revision}:{name}", data


def _read(file: Path, what: str) -> bytes:
    try:
        return read_bounded(file, is_regular=True)
    except OSError as error:
        problem = f"{file} cannot be read: {error.strerror or error}"
        raise UsageError(f"{problem}\n  fix: name a folder with {what} that you may read") from None
