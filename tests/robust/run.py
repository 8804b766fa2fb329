"""Runs one input: within its time, twice when asked, and says what it broke."""

from __future__ import annotations

import re
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from tests.robust.oracle import TARGETS, hold

SECONDS = 5
"""How long one input may take. The inputs that are drawn have at most some ten thousand characters."""


class TooSlow(AssertionError):
    """An input took more than its time."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What an input broke. `key` is the same for the same cause, as far as the place of the error tells."""

    key: str
    error: BaseException


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer. Raises: TooSlow."""

    def stop(_: int, __: FrameType | None) -> None:
        raise TooSlow(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def check(target: str, data: bytes, repeats: bool = False) -> object:
    """Hold an input to everything that is promised. Raises: whatever it broke."""
    run = TARGETS[target]
    with limited(SECONDS):
        result = run(data)
    if repeats:
        with limited(SECONDS):
            hold(_shown(run(data)) == _shown(result), "the same input gives the same result")
    return result


def failure_of(target: str, data: bytes) -> tuple[Failure | None, str]:
    """Return what an input broke, and what kind of outcome it had."""
    try:
        result = check(target, data, repeats=len(data) % 8 == 0)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "/harness/" in frame.filename] or frames
        message = re.sub(r"[\d'\"]+|\\\S+", "", ascii(str(error)))[:50]
        where = "" if isinstance(error, TooSlow) else f"{ours[-1].filename.rpartition('/')[2]}:{ours[-1].lineno}"
        return Failure(f"{type(error).__name__} {where} {message}", error), ""
    return None, _kind(target, result)


def _shown(result: object) -> str:
    # Files have another folder each time.
    return re.sub(r"/[^ :']*/example", "", repr(result))


def _kind(target: str, result: object) -> str:
    text = _shown(result)
    if target == "compiler":
        shape = re.sub(r'"[^"]*"|\d+', "", text)
        return " ".join(sorted(set(re.findall(r"[a-z]+-[a-z]+(?=: )|harness\.\S+|: [a-z ]{8,40}", shape))))[:2000]
    return " ".join(sorted(set(re.findall(r"(?:code|kind)='[^']*'", text))))[:2000]


def smaller(target: str, data: bytes, key: str, rounds: int = 300) -> bytes:
    """Cut an input down while it fails for the same cause."""
    size = max(1, len(data) // 2)
    while size and rounds:
        at = 0
        while at < len(data) and rounds:
            rounds -= 1
            shorter = data[:at] + data[at + size :]
            failure, _ = failure_of(target, shorter)
            if failure is not None and failure.key == key:
                data = shorter
            else:
                at += size
        size //= 2
    return data
