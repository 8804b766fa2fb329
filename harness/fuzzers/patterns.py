"""Generate strings that match a regular expression, and strings that nearly match; deterministic.

An expression is parsed into a small tree, which is walked once for each string, with limits on repeats, length and
steps: expressions come from source code, and none may take long. Supports the syntax that Go and Python share and some
of the differences; for all other expressions there are no strings.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import TypeAlias

_POSIX = {
    "[:alnum:]": "a-zA-Z0-9", "[:alpha:]": "a-zA-Z", "[:digit:]": "0-9", "[:lower:]": "a-z", "[:upper:]": "A-Z",
    "[:space:]": " ", "[:xdigit:]": "0-9a-f", "[:punct:]": "!-/", "[:word:]": "a-z_",
}  # fmt: skip
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ALPHABET = f"{_LETTERS}{_LETTERS.upper()}0123456789-_./:,;@#+*=~!?%&$^|<>()[]{{}}'\"`\\ \t\néßλж中"
"""The letters that strings are made of, the likeliest first."""
_QUANTIFIER = re.compile(r"([*+?]|\{(\d*)(,?)(\d*)\})[?+]?")
_GROUP = re.compile(r"\(\?(?:(P?<\w+>|:)|([aiLmsux]+(?:-[imsx]+)?)([:)])|(<?[=!]))")
_NOTHING = frozenset("^$AZzbBG")
_SETS = frozenset("dDwWsS")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}
_MAX_LENGTH = 400
_MAX_MATCHES = 3
_MAX_NEAR_MATCHES = 16
_MAX_STEPS = 2_000
_MAX_DEPTH = 40
_MAX_MORE_REPEATS = 2
"""At most this many more repeats than the minimum, where there is no maximum."""


@dataclass(frozen=True, slots=True)
class _Letters:
    """One of these letters."""

    known: str


@dataclass(frozen=True, slots=True)
class _Sequence:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    alternatives: tuple[_Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Repeat:
    """A repeated part. Compared by identity, so that a walk can set the count of one repeat."""

    part: _Node
    least: int
    most: int | None


_Node: TypeAlias = _Letters | _Sequence | _Choice | _Repeat
_NONE = _Sequence(())


@dataclass(slots=True)
class _PatternReader:
    """Parser of an expression. Raises: ValueError for unsupported syntax."""

    text: str
    at: int = 0
    is_verbose: bool = False
    is_loose: bool = False
    """Whether a part was skipped, so that a generated string may not match."""
    repeats: list[_Repeat] = field(default_factory=list)
    depth: int = 0

    def choice(self) -> _Node:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise ValueError("nested too deeply")
        alternatives = [self._sequence()]
        while self._skip_if("|"):
            alternatives.append(self._sequence())
        self.depth -= 1
        return alternatives[0] if len(alternatives) == 1 else _Choice(tuple(alternatives))

    def _sequence(self) -> _Node:
        parts: list[_Node] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            part = self._part()
            found = _QUANTIFIER.match(self.text, self.at)
            if found is not None and (found[1][0] != "{" or found[2] or found[4]):
                self.at = found.end()
                part = self._repeat(part, found)
            parts.append(part)
        return _Sequence(tuple(part for part in parts if part is not _NONE))

    def _repeat(self, part: _Node, found: re.Match[str]) -> _Node:
        sign = found[1][0]
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(sign, (int(found[2] or 0), None))
        if sign == "{":
            most = int(found[4]) if found[4] else None if found[3] else least
        if least > _MAX_LENGTH:
            raise ValueError("too long")
        if part is _NONE:
            return part
        repeat = _Repeat(part, least, most)
        self.repeats.append(repeat)
        return repeat

    def _part(self) -> _Node:
        sign = self.text[self.at]
        if sign == "(":
            return self._group()
        if sign == "[":
            return self._set()
        if sign == "\\":
            return self._escaped()
        self.at += 1
        if sign in "^$" or (self.is_verbose and sign.isspace()):
            return _NONE
        if self.is_verbose and sign == "#":
            self.at = (self.text.find("\n", self.at) + 1) or len(self.text)
            return _NONE
        if sign in "*+?":
            raise ValueError("nothing to repeat")
        return _Letters(_ALPHABET) if sign == "." else _Letters(sign)

    def _group(self) -> _Node:
        self.at += 1
        found = _GROUP.match(self.text, self.at - 1)
        if found is not None:
            self.at = found.end()
            self.is_verbose |= "x" in (found[2] or "").partition("-")[0]
            if found[3] == ")":
                return _NONE
        elif self._skip_if("?"):
            raise ValueError("another kind of group")
        inner = self.choice()
        if not self._skip_if(")"):
            raise ValueError("not closed")
        if found is not None and found[4]:
            self.is_loose = True
            return _NONE
        return inner

    def _set(self) -> _Node:
        start = self.at
        self.at += 2 if self.text[start + 1 : start + 2] == "^" else 1
        self.at += self.text[self.at : self.at + 1] == "]"
        while self.text[self.at : self.at + 1] != "]":
            self.at += 2 if self.text[self.at : self.at + 1] == "\\" else 1
            if self.at >= len(self.text):
                raise ValueError("not closed")
        self.at += 1
        return _letters_of_set(self.text[start : self.at])

    def _escaped(self) -> _Node:
        sign = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if not sign or sign in "123456789pPkgxuNQ":
            raise ValueError("another kind of escape")
        if sign in _NOTHING - {"^", "$"}:
            self.is_loose |= sign in "bB"
            return _NONE
        if sign in _SETS:
            return _letters_of_set(f"\\{sign}")
        return _Letters(_CONTROLS.get(sign, sign))

    def _skip_if(self, sign: str) -> bool:
        found = self.text.startswith(sign, self.at)
        self.at += found
        return found


def _letters_of_set(text: str) -> _Letters:
    """Return the letters of a set; also letters outside of the alphabet that its text contains."""
    compiled = re.compile(text)
    known = "".join(letter for letter in dict.fromkeys(_ALPHABET + text) if compiled.fullmatch(letter))
    if not known:
        raise ValueError("no letter that is known")
    return _Letters(known)


@dataclass(slots=True)
class _PatternWalk:
    """One walk through an expression, which generates a string. `counts` sets the counts of some repeats.

    Without `random` it uses first alternatives, fewest repeats and first letters. Raises: ValueError when the walk
    takes too many steps.
    """

    random: Random | None = None
    counts: Mapping[_Repeat, int] = field(default_factory=dict)
    steps: int = 0

    def text(self, node: _Node, depth: int = 0) -> str:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            raise ValueError("too many steps")
        match node:
            case _Letters(known):
                return known[self.random.randrange(len(known)) if self.random and len(known) > 1 else 0]
            case _Sequence(parts):
                return "".join(self.text(part, depth) for part in parts)
            case _Choice(alternatives):
                return self.text(self.random.choice(alternatives) if self.random else alternatives[0], depth)
            case _Repeat(part, least, _):
                # Fewer in nested repeats, because their counts multiply.
                most = (
                    least + (_MAX_MORE_REPEATS if depth < 2 else 0)
                    if node.most is None
                    else min(node.most, least + _MAX_MORE_REPEATS)
                )
                count = self.counts.get(node, self.random.randint(least, most) if self.random else least)
                return "".join(self.text(part, depth + 1) for _ in range(count))


@dataclass(frozen=True, slots=True)
class _Expression:
    node: _Node
    repeats: tuple[_Repeat, ...]
    compiled: re.Pattern[str]
    is_loose: bool

    def has(self, text: str) -> bool:
        """Whether a generated string matches; it always does, unless a part was skipped."""
        return not self.is_loose or self.compiled.search(text) is not None


@lru_cache(maxsize=1024)
def _parse_pattern(pattern: str) -> _Expression | None:
    for name, letters in _POSIX.items():
        pattern = pattern.replace(name, letters)
    if len(pattern) > _MAX_LENGTH:
        return None
    reader = _PatternReader(pattern)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings about syntax of other dialects
            compiled = re.compile(_to_python(pattern))
            node = reader.choice()
    except (re.error, ValueError, OverflowError, RecursionError):
        return None  # syntax of another dialect
    if reader.at < len(pattern):
        return None
    nested = any(_repeats_in(repeat.part) for repeat in reader.repeats if repeat.most is None)
    if reader.is_loose and nested:
        return None  # matching may take exponential time
    return _Expression(node, tuple(reader.repeats), compiled, reader.is_loose)


def _to_python(pattern: str) -> str:
    """Translate Go syntax into Python syntax."""
    return re.sub(r"\(\?<(?=\w)", "(?P<", pattern).replace("\\z", "\\Z")


def _repeats_in(node: _Node) -> bool:
    match node:
        case _Repeat(_, _, most):
            return most is None or most > 1
        case _Sequence(parts):
            return any(map(_repeats_in, parts))
        case _Choice(alternatives):
            return any(map(_repeats_in, alternatives))
    return False


def _matches(expression: _Expression) -> Iterator[str]:
    """Yield matches: the plainest, some random ones, then each repeat at its maximum or one more than its minimum."""
    node, random = expression.node, Random(1)
    walks = [_PatternWalk(), *(_PatternWalk(random) for _ in range(2 * _MAX_MATCHES))]
    walks += [_PatternWalk(counts={one: one.most}) for one in expression.repeats if one.most and one.most > one.least]
    walks += [_PatternWalk(counts={one: one.least + 1}) for one in expression.repeats if one.most is None]
    for walk in walks:
        try:
            found = walk.text(node)
        except ValueError:
            continue
        if len(found) <= _MAX_LENGTH and expression.has(found):
            yield found


@lru_cache(maxsize=1024)
def matching_strings(pattern: str) -> tuple[str, ...]:
    """Return strings that match an expression of Go or Python, the plainest first; none for unsupported syntax."""
    expression = _parse_pattern(pattern)
    if expression is None:
        return ()
    return tuple(dict.fromkeys(_matches(expression)))[: _MAX_MATCHES + _MAX_NEAR_MATCHES]


@lru_cache(maxsize=1024)
def near_misses(pattern: str) -> tuple[str, ...]:
    """Return strings that differ from a match in one change: at its ends, in one repeat, or in one letter."""
    expression, matches = _parse_pattern(pattern), matching_strings(pattern)
    if expression is None or not matches:
        return ()
    first = [
        miss
        for match in matches[:2]
        for miss in (match + "!", match[:-1], match.swapcase(), "-" + match, match + match, match + "\n")
    ]
    return tuple(dict.fromkeys((*first, *_misses(expression, matches[0]))))[: 2 * _MAX_NEAR_MATCHES]


def _misses(expression: _Expression, match: str) -> Iterator[str]:
    for repeat in expression.repeats:
        for count in (repeat.least - 1, (repeat.most or 0) + 1 if repeat.most is not None else -1):
            if 0 <= count <= _MAX_LENGTH:
                try:
                    yield _PatternWalk(counts={repeat: count}).text(expression.node)
                except ValueError:
                    continue
    for index, letter in enumerate(match[:_MAX_NEAR_MATCHES]):
        other = letter.swapcase() if letter.isalpha() else "a" if letter.isdigit() else "0"
        yield match[:index] + other + match[index + 1 :]
