"""A mutant of a Go file: one edit of one function, and the text of a file that has many of them behind a switch.

The function of each mutant is copied under another name, with the edit. The original function calls the copy if the
switch names the mutant, which costs a comparison. Probes tell which functions are entered and which of the statements
that mutants edit are reached, in a process that traces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from harness.gotypes.gonodes import walk
from harness.targets.kubernetes.mutants.gosource import (
    ParsedFunction,
    end_of_package_clause,
    read_functions,
    statement_around,
)
from harness.targets.kubernetes.mutants.operators import OPERATORS, GoOperator

SWITCH = "harnessmutants"
"""The name of the package with the switch, and of its import."""
ENVIRONMENT = "HARNESS_MUTANT"
"""The variable that names the mutant of a process: its number, 0 for none, -1 for none while all probes tell."""
_SHOWN = 120

Edit: TypeAlias = tuple[int, int, str]
"""Begin and end of bytes of a file, and the text that replaces them."""


@dataclass(frozen=True, order=True)
class GoMutant:
    """One edit of a function. `file` is the path within its module, `edit` is in bytes of it, from `line`.

    `statement` is where the statement begins that has the edit. `number` tells equal edits of a function apart.
    """

    module: str
    file: str
    edit: Edit
    operator: str
    line: int
    function: str
    before: str
    statement: int
    shown_by: str = field(compare=False)
    number: int = field(default=1, compare=False)

    @property
    def package(self) -> str:
        """The import path of its package."""
        return f"{self.module}/{self.file.rpartition('/')[0]}"

    @property
    def location(self) -> str:
        """The file and line of the edit."""
        return f"{self.file}:{self.line}"

    @property
    def change(self) -> str:
        """The edit for readers: the text before and after, on one line each."""
        return f"{_short(self.before)} → {_short(self.edit[2]) or 'nothing'}"

    @property
    def name(self) -> str:
        """A name that is stable while the function stays."""
        again = f" #{self.number}" if self.number > 1 else ""
        return f"handwritten {self.file.rpartition('/')[0]}.{self.function}: {self.operator}: {self.change}{again}"


def find_mutants(
    module: str, file: str, source: bytes, operators: Sequence[GoOperator] = OPERATORS
) -> dict[str, list[GoMutant]]:
    """Return the mutants of each function of a file, in the order of its source."""
    found: dict[str, list[GoMutant]] = {}
    for function in read_functions(file, source):
        if function.call is not None:
            found[function.name] = [*found.get(function.name, ()), *_mutants_of(module, function, operators)]
    return found


def _mutants_of(module: str, function: ParsedFunction, operators: Sequence[GoOperator]) -> Iterable[GoMutant]:
    for node in walk(function.body):
        for operator in operators:
            for part, text in operator.changes(function, node):
                before = (part.text or b"").decode("utf-8", "replace")
                yield GoMutant(
                    module, function.file, (part.start_byte, part.end_byte, text), operator.name,
                    part.start_point[0] + 1, function.name, before, statement_around(part).start_byte,
                    operator.shown_by,
                )  # fmt: skip


def write_file(source: bytes, mutants: Mapping[int, GoMutant], switch: str, probes: Mapping[str, int]) -> bytes:
    """Return a file with its mutants, by number. `switch` is the import path of the package with the switch.

    `probes` are the numbers of the probes at the entry of functions, by their names; those of statements are the
    numbers of mutants.
    """
    edits: list[Edit] = []
    copies: list[bytes] = []
    for function in read_functions("", source):
        own = {number: one for number, one in mutants.items() if _is_in(function, one)}
        if not own:
            continue
        edits.append(_insertion(function.body.start_byte + 1, _dispatch(function, own, probes[function.name])))
        for number, one in own.items():
            edits.append(_insertion(one.statement, f"{SWITCH}.Reach({number}); "))
            copies.append(_copy(function, source, number, one))
    edits.append(_insertion(end_of_package_clause(source), f'; import {SWITCH} "{switch}"'))
    return b"\n".join([apply(source, edits), *copies, b""])


def _copy(function: ParsedFunction, source: bytes, number: int, mutant: GoMutant) -> bytes:
    """Return a function under the name of a mutant, with the edit and its probe."""
    name = function.node.child_by_field_name("name")
    assert name is not None
    first, last = function.node.start_byte, function.node.end_byte
    edits = [
        mutant.edit,
        _insertion(mutant.statement, f"{SWITCH}.Reach({number}); "),
        (name.start_byte, name.end_byte, copy_name(function.name, number)),
    ]
    shifted = [(begin - first, end - first, text) for begin, end, text in edits]
    return apply(source[first:last], shifted)


def copy_name(function: str, number: int) -> str:
    """Return the name of the copy of a function."""
    return f"{function}__mutant{number}"


def _dispatch(function: ParsedFunction, own: Mapping[int, GoMutant], probe: int) -> str:
    """Return the statement at the entry of a function, on one line, so that all lines stay where they are."""
    assert function.call is not None  # see find_mutants
    calls = []
    for number in own:
        call = function.call.format(copy_name(function.name, number))
        calls.append(f"case {number}: {'return ' if function.has_result else ''}{call}")
        calls += [] if function.has_result else ["return"]
    body = "; ".join(calls)
    return f" if {SWITCH}.Selected != 0 {{ {SWITCH}.Reach({probe}); switch {SWITCH}.Selected {{ {body} }} }}; "


def apply(source: bytes, edits: Iterable[Edit]) -> bytes:
    """Return a text with all edits, which do not overlap; of insertions at one byte the first comes first."""
    parts, done = [], 0
    for begin, end, text in sorted(edits, key=lambda edit: (edit[0], edit[1])):
        parts += [source[done:begin], text.encode()]
        done = end
    return b"".join([*parts, source[done:]])


def _insertion(at: int, text: str) -> Edit:
    return at, at, text


def _is_in(function: ParsedFunction, mutant: GoMutant) -> bool:
    return function.node.start_byte <= mutant.edit[0] < function.node.end_byte


def _short(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= _SHOWN else f"{one[: _SHOWN - 1]}…"
