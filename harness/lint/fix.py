"""Applies the safe edits of lint rules to files. A line that changed since it was read is not edited."""

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
    """The text of one file before and after its edits.

    `made` is the number of edits. `left` are those that were not made, because the line changed or has another edit.
    """

    file: str
    before: str
    after: str
    made: int
    left: tuple[LineEdit, ...] = ()

    def diff(self, name: str) -> str:
        """Return the change as a unified diff that calls the file `name`."""
        lines = self.before.splitlines(keepends=True), self.after.splitlines(keepends=True)
        diff = [line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in
                 unified_diff(*lines, f"a/{name}", f"b/{name}")]  # fmt: skip
        return "".join(diff)

    def write(self) -> bool:
        """Write the file, unless it has no edit or has changed since it was read.

        Returns: whether it was written. Raises: UsageError when it cannot be.
        """
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
    """Return the change of each file. Of two edits of one line, only the first is made."""
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
    edited: set[int] = set()
    left = []
    for edit in edits:
        if edit.line in edited or not 0 < edit.line <= len(lines) or lines[edit.line - 1] != edit.old:
            left.append(edit)
            continue
        edited.add(edit.line)
        lines[edit.line - 1] = _copy_line_ending(edit)
    after = "\n".join(line for line in lines if line is not None)
    return FileFix(file, before, after, len(edited), tuple(left))


def _copy_line_ending(edit: LineEdit) -> str | None:
    """Return the replacement with the line ending of the line that it replaces."""
    if edit.new is None or not edit.old.endswith("\r"):
        return edit.new
    return "\n".join(line.rstrip("\r") + "\r" for line in edit.new.split("\n"))


def _read(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as stream:
        return stream.read()
