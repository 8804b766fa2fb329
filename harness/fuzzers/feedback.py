"""Extract words, numbers, patterns, names and paths from the messages of errors, for values and fixes."""

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
"""Matches unquoted values after words that announce them."""
_SEPARATOR = re.compile(r"[,|/]\s+(?:or |and )?|,|\s+(?:or|and)\s+|\|")
_PUNCTUATION = " \t.,;:()[]{}<>"
_MAX_SPACES, _MAX_ANNOUNCED = 2, 12
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

    Then values that are announced without quotes: `must be one of Road, Rail or Sea`, `e.g. AB-123456`.
    """
    found = ["".join(match).replace('\\"', '"') for match in _QUOTED.findall(detail)]
    for announced in _ANNOUNCED.findall(detail):
        words = announced[1:].partition("]")[0].split() if announced[0] == "[" else _SEPARATOR.split(announced)
        found += [
            word
            for word in (one.strip(_PUNCTUATION) for one in words[:_MAX_ANNOUNCED])
            if word.count(" ") <= _MAX_SPACES
        ]
    return tuple(dict.fromkeys(word for word in found if word and len(word) <= 300))


@lru_cache(maxsize=4096)
def patterns_of(detail: str) -> tuple[str, ...]:
    """Return the regular expressions that a detail quotes."""
    quoted = (*_EXPRESSION.findall(detail), *("".join(match) for match in _QUOTED.findall(detail)))
    return tuple(dict.fromkeys(one for one in quoted if _SIGNS.search(one) and len(one) <= 300))


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


LESSON_ROOM = Room(200_000)
"""For the values computed from lessons. Units: about sixteen bytes."""
_WORDS_PER_NUMBER = 9
"""A new number counts as this many new words: it is often the limit of a rule, and words are many."""


class Lesson(NamedTuple):
    """The words and numbers known at some time, and the values computed from them."""

    words: tuple[str, ...]
    numbers: tuple[int, ...]
    literals: Literals
    computed: Memory[Any, Any]


class Harvest:
    """The words and numbers of all messages, the most recent last; a function of the messages, and bounded.

    `literals` are those of the Go source of the validators, if it is known. `examples` are the user's own objects,
    whose values are likelier to be accepted than generated ones.
    """

    def __init__(self, limit: int = 64, literals: Literals = NO_LITERALS, examples: Sequence[Json] = ()) -> None:
        self._limit, self.literals, self.examples = limit, literals, examples
        self._seen: set[str] = set()
        self.words: dict[str, None] = {}
        self.numbers: dict[int, None] = {}
        self._lesson: Lesson | None = None
        self._until = 0

    def lesson(self) -> Lesson:
        """Return the current lesson; a new one only after several new words, because its values are computed again.

        Each harvest has its own, because a search must not depend on the messages of other searches.
        """
        known = len(self.words) + _WORDS_PER_NUMBER * len(self.numbers)
        if self._lesson is None or known >= self._until:
            self._until = known + _WORDS_PER_NUMBER
            self._lesson = Lesson(tuple(self.words), tuple(self.numbers), self.literals, Memory(LESSON_ROOM))
        return self._lesson

    def learn(self, errors: Iterable[FieldError]) -> None:
        """Add the words and numbers that these errors quote."""
        for error in errors:
            if error.detail and error.detail not in self._seen and len(self._seen) < 4096:
                self._seen.add(error.detail)
                for word in words_of(error.detail):
                    if len(self.words) < self._limit:
                        self.words.setdefault(word)
                for number in numbers_of(error.detail):
                    if len(self.numbers) < self._limit:
                        self.numbers.setdefault(number)
