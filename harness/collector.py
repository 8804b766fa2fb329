"""The garbage collector of Python, out of the way for a while.

While searches run it looks for cycles seldom, because what they make has none: cases, answers and edits are trees that
go away by themselves, in millions; the types of a release are some million objects that stay. Looking through all of
them again and again took a fifth of a search's time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = (50_000, 20, 20)
"""New objects before a look at the young ones, and how many of these before a look at the older ones."""


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Look for no garbage meanwhile; afterwards as before."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Look for cycles seldom, and never among what is there already. Afterwards all is as it was."""
    before, was_frozen = gc.get_threshold(), gc.get_freeze_count() > 0
    gc.freeze()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not was_frozen:  # else some of it is somebody else's, and nobody can tell which
            gc.unfreeze()
