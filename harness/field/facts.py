"""Facts about the rules behind errors, as data: for those who read errors and never the rules.

A fact goes by the type and the origin of the error that a rule reports. Tags give the facts, see
`harness.tags.registry.rule_facts`; who compares lists of errors is handed them, for the words of causes and fixes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from harness.field.error import ErrorType

Measure: TypeAlias = Literal["value", "characters", "bytes", "items"]
"""What of a value a limit counts; `items` are those of a list or the keys of a map."""


def measured(measure: Measure | Literal[""], value: Any) -> int | None:
    """Return what a limit counts of a value, None when it has no such thing."""
    kind: type = value.__class__
    if measure == "value":
        return value if kind is int else None
    if measure == "items":
        return len(value) if kind is list or kind is dict else None
    if kind is not str:
        return None
    return len(value) if measure == "characters" else len(value.encode("utf-8", "surrogatepass"))


class RuleLimit(NamedTuple):
    """What a rule with a limit counts, and which way the limit is crossed: `beyond` is 1 upwards, -1 downwards."""

    measure: Measure
    beyond: int


class RuleFact(NamedTuple):
    """What is known of the rule that reports errors of one type and origin.

    `tag` is the name of the tag that declares it. `fix` is how one declares it, such as `+k8s:maxLength=<limit>`; in it
    `<origin>` stands for the origin of the error. An origin that ends in `=` is that of several checks of one tag, and
    begins theirs. `fits_any` says that an error of this type without an origin is taken for one of this rule,
    `of_changes` that it says of a change that it may not be, and hides what else is wrong with the new value.
    """

    tag: str
    type: str
    origin: str = ""
    fix: str = ""
    fits_any: bool = False
    limit: RuleLimit | None = None
    of_changes: bool = False


_OF_TYPE: Mapping[str, RuleLimit] = {
    ErrorType.TOO_LONG: RuleLimit("characters", 1),
    ErrorType.TOO_SHORT: RuleLimit("characters", -1),
    ErrorType.TOO_MANY: RuleLimit("items", 1),
    ErrorType.TOO_FEW: RuleLimit("items", -1),
}
"""What a type of error says of its limit by itself."""


class RuleFacts:
    """Looks facts up. Of several that fit, the first one counts. `of_changes` are origins of errors about changes."""

    __slots__ = ("_by_origin", "_by_type", "_counting", "_limits", "_starts", "of_changes")

    def __init__(self, facts: Iterable[RuleFact] = ()) -> None:
        self._by_origin: dict[str, str] = {}
        self._starts: dict[str, str] = {}
        self._by_type: dict[str, str] = {}
        self._limits: dict[tuple[str, str], RuleLimit] = {}
        self._counting: dict[tuple[str, Measure], str] = {}
        known = tuple(facts)
        self.of_changes = frozenset(fact.origin for fact in known if fact.of_changes and fact.origin)
        for fact in known:
            self._learn(fact)

    def _learn(self, fact: RuleFact) -> None:
        if fact.fix and fact.origin:
            known = self._starts if fact.origin.endswith("=") else self._by_origin
            known.setdefault(fact.origin, fact.fix)
        if fact.fix and fact.fits_any:
            before = self._by_type.get(fact.type)
            self._by_type[fact.type] = f"{before} or {fact.fix}" if before else fact.fix
        if fact.limit is not None:
            self._limits.setdefault((fact.type, fact.origin), fact.limit)
            self._counting.setdefault((fact.type, fact.limit.measure), fact.tag)

    def tag_for(self, error_type: str, origin: str) -> str:
        """Return the tag whose rule reports such an error, as one declares it; empty when no single tag does."""
        if self.is_one_of_several(origin):
            return self._starts[_start_of(origin)].replace("<origin>", origin)
        return self._by_origin.get(origin) or ("" if origin else self._by_type.get(error_type, ""))

    def is_one_of_several(self, origin: str) -> bool:
        """Whether an origin names one of several checks of its tag, as `format=k8s-uuid` does."""
        return _start_of(origin) in self._starts

    def limit_of(self, error_type: str, origin: str) -> RuleLimit | None:
        """Return what the rule behind an error counts, None when it has no limit; types of sizes tell by themselves."""
        return self._limits.get((error_type, origin)) or _OF_TYPE.get(error_type)

    def counting(self, error_type: str, measure: Measure) -> str:
        """Return the name of the tag that reports this type and counts in this unit; empty when there is none."""
        return self._counting.get((error_type, measure), "")


def _start_of(origin: str) -> str:
    start, sign, _ = origin.partition("=")
    return start + sign


NO_FACTS = RuleFacts()
"""For those who compare lists and explain nothing."""
