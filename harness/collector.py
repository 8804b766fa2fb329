"""Pauses Python's garbage collector, or makes it run rarely, while searches run.

Searches produce few reference cycles: cases, answers and edits are trees that reference counting frees, in millions,
and the types of a release are about a million objects that stay. Scanning all of them again and again took a fifth of
a search's time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

RARE_THRESHOLDS = (50_000, 20, 20)
"""The arguments of `gc.set_threshold`: new objects before a collection of the youngest generation, and the collections
of one generation before one of the next."""


@contextmanager
def paused_collector() -> Iterator[None]:
    """Disable the collector in the block; afterwards it is enabled if it was before."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect rarely in the block, and never scan the objects that exist already. Afterwards restore the settings."""
    before, was_frozen = gc.get_threshold(), gc.get_freeze_count() > 0
    gc.freeze()
    gc.set_threshold(*RARE_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not was_frozen:  # a caller froze objects too, and unfreezing cannot be limited to ours
            gc.unfreeze()
