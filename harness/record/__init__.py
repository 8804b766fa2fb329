"""Keeps what the handwritten side says, for the time after it: an observer of a search, and the file it fills."""

from harness.record.recorder import NAME, Keeper, KeptUnit, keep

__all__ = ["NAME", "Keeper", "KeptUnit", "keep"]
