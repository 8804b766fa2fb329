"""Says in a sentence why a change touches nothing that is validated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from harness.verify.change import ChangedFile, FileClass, Revision

_NAMES: dict[FileClass, str] = {
    "types": "types", "doc": "doc.go", "handwritten": "handwritten validation", "generated": "generated validation",
    "normalization": "normalization", "strategy": "strategies", "conversion": "conversions", "defaults": "defaults",
    "suite": "suite.py", "tests": "tests", "other": "files that validate nothing",
}  # fmt: skip
_IDLE = ("tests", "other")


def count_classes(files: Sequence[ChangedFile]) -> str:
    """Return how many files of each class changed: `2 types, 1 tests`."""
    counts = Counter(one.file_class for one in files)
    return ", ".join(f"{counts[name]} {_NAMES[name]}" for name in _NAMES if counts[name])


def unread(files: Sequence[ChangedFile], most: int = 3) -> str:
    """Say which Go files changed that no reader knows: they may matter to validation all the same. Empty without."""
    found = [
        one.path for one in files if one.file_class == "other" and one.path.endswith(".go") and "zz_gen" not in one.path
    ]
    rest = f" and {len(found) - most} more" if len(found) > most else ""
    shown = ", ".join(found[:most])
    return f"not read, since it lies outside of validation: {shown}{rest}" if found else ""


def why_nothing(files: Sequence[ChangedFile], base: Revision, notes: Sequence[str]) -> str:
    """Return the sentence."""
    if not files:
        return f"the work tree is what {base.asked} and HEAD have in common: no file differs"
    if all(one.file_class in _IDLE for one in files):
        return "; ".join([f"no file that validates differs: {count_classes(files)}", *notes])
    where = count_classes([one for one in files if one.file_class not in _IDLE])
    because = f": {'; '.join(notes)}" if notes else ": comments, formatting or order"
    return f"what differs ({where}) changes no check{because}"
