"""Records handwritten answers to a file, so that runs can compare with them after the validators were deleted."""

from harness.record.recorder import NAME, Keeper, KeptUnit, keep

__all__ = ["NAME", "Keeper", "KeptUnit", "keep"]
