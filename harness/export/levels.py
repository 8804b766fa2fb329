"""Which level a rule has that is not there yet: a test must say it, and it is not for the test to decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from harness.case import KindInfo
from harness.compare.mismatch import canonical_path
from harness.field import FieldError
from harness.field.error import Level
from harness.rulecov.inventory import KnownRule


class Levels:
    """The levels of the rules of a kind: of the same error where it is declared, else the one that most rules have."""

    def __init__(self, rules: Iterable[KnownRule], info: KindInfo) -> None:
        own = [known for known in rules if known.type == info.type]
        self._known = {
            (place, known.rule.type, known.rule.origin): known.rule.level for known in own for place in known.places
        }
        counted = Counter(known.rule.level for known in own if not known.rule.path.startswith("metadata."))
        self._usual: Level = counted.most_common(1)[0][0] if counted else "alpha"

    def __call__(self, error: FieldError) -> Level:
        return self._known.get((canonical_path(error.field), error.type, error.origin), self._usual)
