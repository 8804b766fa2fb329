"""Applies safe edits: all of a file's at once, none where a line is not what it was when it was read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from harness.diagnostics import UsageError
from harness.files import write_atomically
from harness.lint.rule import LineEdit


@dataclass(frozen=True, slots=True)
class FileFix:
    """What becomes of one file. `left` are edits that were not made: their line changed, or another edit took it."""

    file: str
    before: str
    after: str
    made: int
    left: tuple[LineEdit, ...] = ()

    def diff(self, name: str) -> str:
        """The change as a unified diff, with the name that the file is shown by."""
        lines = self.before.splitlines(keepends=True), self.after.splitlines(keepends=True)
        shown = [line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in
                 unified_diff(*lines, f"a/{name}", f"b/{name}")]  # fmt: skip
        return "".join(shown)

    def write(self) -> bool:
        """Replace the file and say so; leave it alone when somebody changed it meanwhile. Raises: UsageError."""
        path = Path(self.file)
        try:
            if not self.made or _read(path) != self.before:
                return False
            mode = path.stat().st_mode
            write_atomically(path, self.after.encode("utf-8"))
            path.chmod(mode)
            return True
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror or error}\n  fix: --diff shows the edits") from None


def plan(edits: Iterable[LineEdit]) -> list[FileFix]:
    """Work out what edits make of their files. Two edits of one line: the first is made, the other waits its turn."""
    by_file: dict[str, list[LineEdit]] = {}
    for edit in dict.fromkeys(edits):
        by_file.setdefault(edit.file, []).append(edit)
    changes = [_change(file, listed) for file, listed in sorted(by_file.items())]
    return [change for change in changes if change.made or change.left]


def _change(file: str, edits: list[LineEdit]) -> FileFix:
    try:
        before = _read(Path(file))
    except (OSError, UnicodeDecodeError):
        return FileFix(file, "", "", 0, tuple(edits))
    lines: list[str | None] = list(before.split("\n"))
    taken: set[int] = set()
    left = []
    for edit in edits:
        if edit.line in taken or not 0 < edit.line <= len(lines) or lines[edit.line - 1] != edit.old:
            left.append(edit)
            continue
        taken.add(edit.line)
        lines[edit.line - 1] = _with_ending(edit)
    after = "\n".join(line for line in lines if line is not None)
    return FileFix(file, before, after, len(taken), tuple(left))


def _with_ending(edit: LineEdit) -> str | None:
    """Give every line of the replacement the line ending of the line it replaces."""
    if edit.new is None or not edit.old.endswith("\r"):
        return edit.new
    return "\n".join(line.rstrip("\r") + "\r" for line in edit.new.split("\n"))


def _read(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as stream:
        return stream.read()
