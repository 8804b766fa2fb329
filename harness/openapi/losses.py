"""What a schema cannot say of the tags that it is made from: one diagnostic for each tag, and never silence."""

from __future__ import annotations

from collections.abc import Iterator

from harness.diagnostics import Diagnostic, Position
from harness.tags.rules import Rule

LOST = "schema-lost"
"""The code of a tag that is left out: the schema accepts what it rejects."""
DIFFERS = "schema-differs"
"""The code of a tag of which the schema says a part, or something else."""
LIMITED = "schema-limit"
"""The code of a limit that no tag has, without which a server would refuse the schema."""


class Losses:
    """The tags of an API that a schema says otherwise, or not at all, each told once with every reason."""

    def __init__(self) -> None:
        self._found: dict[tuple[Position, str, str], tuple[str, dict[str, str]]] = {}

    def __iter__(self) -> Iterator[Diagnostic]:
        for (position, code, _), (message, reasons) in sorted(self._found.items()):
            yield Diagnostic(position, code, message, "; ".join(reasons), "; ".join(dict.fromkeys(reasons.values())))

    def lose(self, rule: Rule, where: str, why: str, fix: str) -> None:
        """Tell of a tag that is left out."""
        self.add(rule.position, LOST, f"+{rule.tag} of {where} is left out", why, fix, rule.tag)

    def differ(self, rule: Rule, where: str, why: str, fix: str) -> None:
        """Tell of a tag that the schema says otherwise."""
        self.add(rule.position, DIFFERS, f"+{rule.tag} of {where} is not the same in a schema", why, fix, rule.tag)

    def add(self, position: Position, code: str, message: str, why: str, fix: str, subject: str = "") -> None:
        """Tell of anything else. `subject` tells apart what is at one position."""
        _, reasons = self._found.setdefault((position, code, subject), (message, {}))
        reasons.setdefault(why, fix)
