"""Edits equivalence_exceptions.yaml: adds and removes entries, and keeps every other byte unchanged.

Entries are sorted by suite and scope, so that concurrent additions rarely conflict in a merge.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import yaml

from harness.blocks import begins_entry, compose, cut_blocks, join_blocks
from harness.diagnostics import Diagnostic, InputError, Position
from harness.errormatch.exceptionentry import BOTH, PLACE, SCOPE, VERSION, ExceptionSpec, GroupRule, parse_rule
from harness.errormatch.exceptionfile import ExceptionFile, load_exceptions
from harness.files import write_atomically
from harness.limits import read_bounded_text

WIDTH = 118
"""Columns of a folded text."""

HEAD = """\
# Findings that are known and tolerated for a while: docs/reference/exceptions.md says what each key means.
# `harness exceptions` adds entries, lists them, and takes out what is not needed any more.
"""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/()\[\]+@=:-]*")


@dataclass(slots=True)
class Block:
    """An entry and its lines, with the comments right above it."""

    entry: ExceptionSpec
    text: str


@dataclass(slots=True)
class ExceptionText:
    """The file while it is edited: the text before the first block, the blocks, and the text after the last one.

    `causes` are those that an entry may name.
    """

    path: Path
    causes: Sequence[str]
    head: str = HEAD
    blocks: list[Block] = field(default_factory=list)
    indent: str = ""

    def add(self, entry: ExceptionSpec) -> None:
        """Insert an entry in sorted order."""
        if self.blocks:
            self.blocks[-1].text = self.blocks[-1].text.removesuffix("\n") + "\n"
        place = next((i for i, one in enumerate(self.blocks) if one.entry.key > entry.key), len(self.blocks))
        self.blocks.insert(place, Block(entry, textwrap.indent(render(entry), self.indent)))

    def remove(self, ids: Iterable[str]) -> None:
        """Remove entries, with the comments directly above them."""
        gone = set(ids)
        self.blocks = [block for block in self.blocks if block.entry.id not in gone]

    def set_rules(self, entry_id: str, rules: Iterable[GroupRule]) -> None:
        """Replace the rules of a group; lines of rules that stay are unchanged, with the comments above them."""
        block = next(one for one in self.blocks if one.entry.id == entry_id)
        block.text = _with_rules(block.text, set(rules), self.path)
        block.entry = replace(block.entry, rules=tuple(sorted(rules)))

    def text(self) -> str:
        """Return the file."""
        return join_blocks(self.head, [block.text for block in self.blocks])

    def write(self, today: date) -> None:
        """Write the file atomically. Raises: InputError, with the file unchanged."""
        text = self.text()
        wanted = {block.entry.id: set(block.entry.rules) for block in self.blocks}
        if {one.id: set(one.rules) for one in load_exceptions(self.path, today, self.causes, text).entries} != wanted:
            raise _unusual(self.path)
        try:
            write_atomically(self.path, text.encode())
        except OSError as error:
            message = f"cannot be written: {error.strerror or error}"
            raise InputError([Diagnostic(Position(str(self.path)), "exception-file", message)]) from None


def read_text(path: Path, today: date, causes: Sequence[str]) -> tuple[ExceptionText, ExceptionFile]:
    """Read a file that will be changed; one that is not there is empty. Raises: InputError with all that is wrong."""
    if not path.exists():
        return ExceptionText(path, causes), ExceptionFile((), today)
    file = load_exceptions(path, today, causes)
    text = read_bounded_text(path, encoding="utf-8-sig")
    cut = cut_blocks(text)
    if cut is None or len(cut.blocks) != len(file.entries):
        raise _unusual(path)
    blocks = [Block(entry, piece) for entry, piece in zip(file.entries, cut.blocks, strict=True)]
    return ExceptionText(path, causes, cut.head, blocks, cut.indent), file


def _unusual(path: Path) -> InputError:
    why = "only a list with each entry, and each rule, in lines of its own is changed without touching the rest"
    message, fix = "it is written in a way that cannot be changed here", "begin each in a line of its own with `- `"
    return InputError([Diagnostic(Position(str(path)), "exception-shape", message, why, fix)])


def _with_rules(text: str, wanted: set[GroupRule], path: Path) -> str:
    """Change the lines of the rules of one block; comments stay with the rule below them."""
    root = compose(text)
    assert isinstance(root, yaml.SequenceNode), "it was read before"
    node = next(value for key, value in root.value[0].value if key.value == "rules")
    lines = text.splitlines(keepends=True)
    starts = [one.start_mark.line for one in node.value]
    if starts != sorted(set(starts)) or not all(begins_entry(lines[start]) for start in starts):
        raise _unusual(path)
    cuts = [starts[0], *(start + 1 for start in starts)]
    pieces = ["".join(lines[a:b]) for a, b in itertools.pairwise(cuts)]
    chunks = {parse_rule(one.value): piece for one, piece in zip(node.value, pieces, strict=True)}
    indent = lines[starts[0]].partition("-")[0]
    kept = [(rule, chunk) for rule, chunk in chunks.items() if rule in wanted and rule is not None]
    kept += [(rule, f"{indent}- {_scalar(str(rule))}\n") for rule in wanted - set(chunks)]
    return "".join([*lines[: starts[0]], *(chunk for _, chunk in sorted(kept)), *lines[starts[-1] + 1 :]])


def render(entry: ExceptionSpec) -> str:
    """Write one entry as a block."""
    lines = _key_lines({"suite": entry.suite})
    if entry.rules:
        for key in PLACE:
            lines += _values(key, entry.scope[PLACE[key]].split(BOTH))
        lines += ["rules:", *(f"- {_scalar(str(rule))}" for rule in sorted(entry.rules))]
    else:
        lines += _key_lines({**{key: entry.scope[key] for key in SCOPE}, "severity": entry.severity})
    if VERSION in entry.scope:
        lines += _key_lines({VERSION: entry.scope[VERSION]})
    lines += _fold("reason", entry.reason)
    lines += [*_key_lines({"owner": entry.owner}), f"until: {entry.until}"]
    if entry.link:
        lines += _key_lines({"link": entry.link})
    return textwrap.indent("\n".join(lines), "  ").replace("  ", "- ", 1) + "\n"


def _key_lines(values: Mapping[str, str]) -> list[str]:
    return [f"{key}: {_scalar(value)}" for key, value in values.items()]


def _values(key: str, values: Sequence[str]) -> list[str]:
    """Write a key that has one value or several."""
    if len(values) == 1:
        return _key_lines({key: values[0]})
    return [f"{key}:", *(f"- {_scalar(value)}" for value in values)]


def _scalar(value: str) -> str:
    """Write a string as a YAML scalar, unquoted if it has no special characters."""
    if _PLAIN.fullmatch(value) and ": " not in value and not value.endswith((" ", ":")):
        return value
    printed = yaml.safe_dump(value, default_style='"' if "'" in value else "'", width=1 << 30, allow_unicode=True)
    return str(printed).rstrip("\n")


def _fold(key: str, value: str) -> list[str]:
    """Write a long text in several lines, which YAML reads as one."""
    words = " ".join(value.split())
    if len(words) + len(key) + 4 <= WIDTH:
        return _key_lines({key: words})
    return [
        f"{key}: >-",
        *textwrap.wrap(
            words,
            WIDTH - 4,
            initial_indent="  ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        ),
    ]
