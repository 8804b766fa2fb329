"""What a message teaches: words and numbers quoted in details, wherever they come from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from harness.case import Json
from harness.field import FieldError
from harness.gotypes.literals import NO_LITERALS, Literals
from harness.memory import Memory, Room

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"|`([^`]+)`|(?<!\w)\'([^\']+)\'')
_ANNOUNCED = re.compile(
    r"\b(?:one of|any of|(?:supported|allowed|valid|accepted|possible) values?(?: are)?|for example|such as|expected"
    r"|e\.g\.|like)[:,]? +(?:the following:? +)?([^;:)\n\"'`]{1,300})",
    re.IGNORECASE,
)
"""What stands where values are announced without quotation marks."""
_BETWEEN = re.compile(r"[,|/]\s+(?:or |and )?|,|\s+(?:or|and)\s+|\|")
_AROUND = " \t.,;:()[]{}<>"
_MOST_WORDS, _LISTED = 2, 12
_EXPRESSION = re.compile(
    r"(?:match(?:es|ing)?|pattern|regex|regexp|expression)[: ]+[\"'`]?(\^?[\[(\\\w][^\s\"'`]*)", re.IGNORECASE
)
_SIGNS = re.compile(r"[\[\\*+{$^]")
_NUMBER = re.compile(r"(?<![\w.])-?\d{1,18}(?![\w.]*\w)")
_PATH = re.compile(r"(?<![\w./])[a-z]\w*(?:\[[^\]\s]*\])?(?:\.[A-Za-z]\w*(?:\[[^\]\s]*\])?)+(?![\w/]|\.\w)")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}")


@lru_cache(maxsize=4096)
def words_of(detail: str) -> tuple[str, ...]:
    """Return the quoted words of a detail, in order: supported values, examples, names of members.

    Where values are announced and not quoted, these: `must be one of Road, Rail or Sea`, `e.g. AB-123456`.
    """
    found = ["".join(match).replace('\\"', '"') for match in _QUOTED.findall(detail)]
    for announced in _ANNOUNCED.findall(detail):
        words = announced[1:].partition("]")[0].split() if announced[0] == "[" else _BETWEEN.split(announced)
        found += [word for word in (one.strip(_AROUND) for one in words[:_LISTED]) if word.count(" ") <= _MOST_WORDS]
    return tuple(dict.fromkeys(word for word in found if word and len(word) <= 300))


@lru_cache(maxsize=4096)
def patterns_of(detail: str) -> tuple[str, ...]:
    """Return the regular expressions that a detail says a value has to match."""
    told = (*_EXPRESSION.findall(detail), *("".join(match) for match in _QUOTED.findall(detail)))
    return tuple(dict.fromkeys(one for one in told if _SIGNS.search(one) and len(one) <= 300))


@lru_cache(maxsize=4096)
def numbers_of(detail: str) -> tuple[int, ...]:
    """Return the numbers of a detail, in order."""
    return tuple(dict.fromkeys(int(number) for number in _NUMBER.findall(detail)))


@lru_cache(maxsize=4096)
def names_of(detail: str) -> frozenset[str]:
    """Return the bare words of a detail that could be names of members."""
    return frozenset(_NAME.findall(detail))


@lru_cache(maxsize=4096)
def paths_of(detail: str) -> tuple[str, ...]:
    """Return what could be field paths of a detail, in order: `must match metadata.namespace`."""
    return tuple(dict.fromkeys(_PATH.findall(detail)))


MADE = Room(200_000)
"""For what is made of lessons, in some sixteen bytes."""
_DOZEN = 9
"""A new number is the limit of some rule as likely as not; words come by the dozen."""


class Lesson(NamedTuple):
    """What was known at some time, and what was made of it."""

    words: tuple[str, ...]
    numbers: tuple[int, ...]
    literals: Literals
    made: Memory[Any, Any]


class Harvest:
    """Words and numbers out of the messages seen, most recent last; small, and the same for the same messages.

    `literals` are those of the sources of the validators, as far as these are known. `examples` are objects of the
    user's own: what stands in them is likelier than anything that can be made up.
    """

    def __init__(self, limit: int = 64, literals: Literals = NO_LITERALS, examples: Sequence[Json] = ()) -> None:
        self._limit, self.literals, self.examples = limit, literals, examples
        self._seen: set[str] = set()
        self.words: dict[str, None] = {}
        self.numbers: dict[int, None] = {}
        self._lesson: Lesson | None = None
        self._until = 0

    def lesson(self) -> Lesson:
        """Return what is known, or was until a good deal more came: not every word is worth making all of it again.

        One for each harvest: a run must not depend on what another search has learned.
        """
        known = len(self.words) + _DOZEN * len(self.numbers)
        if self._lesson is None or known >= self._until:
            self._until = known + _DOZEN
            self._lesson = Lesson(tuple(self.words), tuple(self.numbers), self.literals, Memory(MADE))
        return self._lesson

    def learn(self, errors: Iterable[FieldError]) -> None:
        """Remember what these errors quote."""
        for error in errors:
            if error.detail and error.detail not in self._seen and len(self._seen) < 4096:
                self._seen.add(error.detail)
                for word in words_of(error.detail):
                    if len(self.words) < self._limit:
                        self.words.setdefault(word)
                for number in numbers_of(error.detail):
                    if len(self.numbers) < self._limit:
                        self.numbers.setdefault(number)
