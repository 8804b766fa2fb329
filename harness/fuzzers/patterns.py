"""Strings that match a regular expression, and strings that nearly do; the same ones for the same expression."""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from random import Random

from rstr import Rstr

_POSIX = {
    "[:alnum:]": "a-zA-Z0-9", "[:alpha:]": "a-zA-Z", "[:digit:]": "0-9", "[:lower:]": "a-z", "[:upper:]": "A-Z",
    "[:space:]": " ", "[:xdigit:]": "0-9a-f", "[:punct:]": "!-/", "[:word:]": "a-z_",
}  # fmt: skip
_HUGE = re.compile(r"\{\d*,?\d{4,}")
_LONGEST = 400
_MATCHES = 3


@lru_cache(maxsize=1024)
def matching(pattern: str) -> tuple[str, ...]:
    """Return a few strings that match an expression of Go or Python; none when it cannot be understood."""
    for name, letters in _POSIX.items():
        pattern = pattern.replace(name, letters)
    if _HUGE.search(pattern) or len(pattern) > _LONGEST:
        return ()
    drawn = Rstr(Random(1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of what another dialect may mean
            compiled = re.compile(pattern)
            found = [drawn.xeger(pattern) for _ in range(_MATCHES)]
    except (re.error, KeyError, IndexError, ValueError, OverflowError, RecursionError):
        return ()  # written for another dialect
    return tuple(dict.fromkeys(one for one in found if len(one) <= _LONGEST and compiled.search(one)))


@lru_cache(maxsize=1024)
def nearly_matching(pattern: str) -> tuple[str, ...]:
    """Return strings that are one change away from one that matches."""
    near = (
        miss
        for match in matching(pattern)[:2]
        for miss in (match + "!", match[:-1], match.swapcase(), "-" + match, match + match, match + "\n")
    )
    return tuple(dict.fromkeys(near))
