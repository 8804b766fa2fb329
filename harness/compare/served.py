"""What is served under one setting, with look-ups that do not go through pairs: lists of bad items are long."""

from __future__ import annotations

from harness.compare.composition import Setting
from harness.errormatch.matcher import Key, Matcher
from harness.field import FieldError


class Served:
    """What is served under one setting, in two halves; `errors` is the whole list, as the user reads it."""

    __slots__ = ("_by_key", "_matcher", "_plain", "_rules", "declarative", "errors", "handwritten", "setting")

    def __init__(
        self, setting: Setting, handwritten: list[FieldError], declarative: list[FieldError], matcher: Matcher
    ) -> None:
        self.setting, self.handwritten, self.declarative = setting, handwritten, declarative
        self.errors = handwritten + declarative
        self._matcher = matcher
        self._plain: set[Key] | None = None
        self._by_key: dict[Key, list[int]] | None = None
        self._rules: dict[Key, list[int]] | None = None

    def says_the_same(self, other: Served) -> bool:
        """Whether the very same is served under the other's setting."""
        return self.handwritten == other.handwritten and self.declarative == other.declarative

    @property
    def rules(self) -> dict[Key, list[int]]:
        """The numbers of the declarative errors by the keys of what they match."""
        if self._rules is None:
            self._rules = self._matcher.index(self.declarative)
        return self._rules

    def tells(self, error: FieldError) -> bool:
        """Whether some served error tells the user the same as this one, whichever side they come from.

        The same is: type, field and origin are equal, or one matches the other.
        """
        matcher = self._matcher
        if self._plain is None:
            self._plain = set(map(matcher.wanted, self.errors))
        if matcher.wanted(error) in self._plain:
            return True
        if self._by_key is None:
            self._by_key = matcher.index(self.errors)
        return matcher.wanted(error) in self._by_key or any(one in self._plain for one in matcher.index((error,)))
