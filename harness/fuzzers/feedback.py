"""What a message teaches: words and numbers quoted in details, wherever they come from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from harness.field import FieldError
from harness.gotypes.literals import NO_LITERALS, Literals

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"|`([^`]+)`|(?<!\w)\'([^\']+)\'')
_NUMBER = re.compile(r"(?<![\w.])-?\d{1,18}(?![\w.]*\w)")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}")


@lru_cache(maxsize=4096)
def words_of(detail: str) -> tuple[str, ...]:
    """Return the quoted words of a detail, in order: supported values, examples, names of members."""
    found = ("".join(match) for match in _QUOTED.findall(detail))
    return tuple(dict.fromkeys(word.replace('\\"', '"') for word in found if len(word) <= 300))


@lru_cache(maxsize=4096)
def numbers_of(detail: str) -> tuple[int, ...]:
    """Return the numbers of a detail, in order."""
    return tuple(dict.fromkeys(int(number) for number in _NUMBER.findall(detail)))


@lru_cache(maxsize=4096)
def names_of(detail: str) -> frozenset[str]:
    """Return the bare words of a detail that could be names of members."""
    return frozenset(_NAME.findall(detail))


class Harvest:
    """Words and numbers out of the messages seen, most recent last; small, and the same for the same messages.

    `literals` are those of the sources of the validators, as far as these are known.
    """

    def __init__(self, limit: int = 64, literals: Literals = NO_LITERALS) -> None:
        self._limit, self.literals = limit, literals
        self._seen: set[str] = set()
        self.words: dict[str, None] = {}
        self.numbers: dict[int, None] = {}
        self.made: dict[Any, Any] = {}
        """What was made of it, for those who make it: a run must not depend on what another search has learned."""

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
