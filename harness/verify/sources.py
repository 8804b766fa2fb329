"""Models the source code of Go and Python as declarations: lines of tokens, without comments and layout.

Names are not resolved: a declaration is identified by its package and name, and refers to others by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from harness.diagnostics import Position

Name = tuple[str, str]
"""A package or module, and a name in it; methods are named `Receiver.name`."""

_QUOTES = "\"'`"


@dataclass(frozen=True, slots=True)
class SourceLine:
    """The tokens of one line, and the line as written; `number` is from 1, `indent` the column of the first token."""

    number: int
    indent: int
    tokens: tuple[str, ...]
    written: str = ""

    @property
    def text(self) -> str:
        """The tokens as one text."""
        return " ".join(self.tokens)

    @property
    def quoted(self) -> Iterator[str]:
        """The quoted texts, but of a path only the last: of `Child("spec", "port").Key(...)` the `port`."""
        is_path = False
        for number, token in enumerate(self.tokens):
            behind = self.tokens[number + 1 : number + 4]
            if token[0] not in _QUOTES:
                is_path = token in ("Child", "child", "NewPath") or (is_path and token in ("(", ","))
            elif not is_path or (behind[:1] != (",",) and behind[2:] not in (("Child",), ("child",))):
                yield token.strip(_QUOTES)

    @property
    def selected(self) -> Iterator[tuple[str, str]]:
        """The last selector of each chain with its qualifier: (`Spec`, `Port`) of `claim.Spec.Port`."""
        for number, token in enumerate(self.tokens[2:], 2):
            if self.tokens[number - 1] == "." and self.tokens[number + 1 : number + 2] != (".",):
                yield self.tokens[number - 2], token


@dataclass(frozen=True, eq=False)
class Declaration:
    """A function, a type, a constant or a variable. `path` is its path in the checkout.

    `imports` are by the name used in the file: packages in Go, names of other modules in Python.
    """

    name: Name
    path: str
    lines: tuple[SourceLine, ...]
    imports: Mapping[str, str]

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """All tokens, with its own name replaced, and without trailing commas."""
        found = ["@" if token == self.bare else token for line in self.lines for token in line.tokens]
        closed = zip(found, [*found[1:], ""], strict=True)
        return tuple(token for token, behind in closed if token != "," or behind not in (")", "}", "]"))

    @cached_property
    def words(self) -> frozenset[str]:
        """The distinct tokens."""
        return frozenset(token for line in self.lines for token in line.tokens)

    @property
    def bare(self) -> str:
        """The name without its receiver and the suffix that makes it unique."""
        return self.name[1].partition("#")[0].rpartition(".")[2]

    @property
    def short(self) -> str:
        """The name as people write it: `ValidateSpec`, `(strategy).Validate`."""
        receiver, _, name = self.name[1].partition("#")[0].rpartition(".")
        return f"({receiver}).{name}" if receiver else name or self.name[1].strip("#")

    def place(self, line: SourceLine | None = None) -> Position:
        """Return the position of a line, by default the first."""
        line = line or self.lines[0]
        return Position(self.path, line.number, line.indent + 1)

    def enclosing_lines(self, lines: Iterable[SourceLine]) -> tuple[SourceLine, ...]:
        """Return the first lines of the blocks that enclose some lines, innermost first, without the declaration."""
        found: dict[SourceLine, None] = {}
        for line in lines:
            indent = line.indent
            for opener in reversed([one for one in self.lines[1:] if one.number < line.number]):
                if opener.indent < indent and opener.text not in (")", "}", "} )"):
                    found[opener] = None
                    indent = opener.indent
        return tuple(found)


def lines_of(tokens: Iterable[tuple[int, int, str]], written: Sequence[str]) -> tuple[SourceLine, ...]:
    """Group (line, column, token) by line; `written` are the lines of the file."""
    found: dict[int, tuple[int, list[str]]] = {}
    for number, column, token in tokens:
        found.setdefault(number, (column, []))[1].append(token)
    listed = sorted(found.items())
    return tuple(SourceLine(number, at, tuple(tokens), written[number - 1].strip()) for number, (at, tokens) in listed)
