"""Facts about the rules behind errors, as data: for those who read errors and never the rules.

A fact goes by the type and the origin of the error that a rule reports. Tags give the facts, see
`harness.tags.registry.rule_facts`; who compares lists of errors is handed them, for the words of causes and fixes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from harness.field.error import ErrorType, FieldError
from harness.field.placeholders import fill, has_gaps

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


Place: TypeAlias = Literal["field", "type", "list", "members", "sibling"]
"""Where a tag is declared: on the field of the error or its type, on the list of the item, on members, on a sibling."""

_PLACES: Mapping[Place, str] = {"type": " on its type", "members": " on each member"}


class RuleDeclaration(NamedTuple):
    """Tags that together declare one rule, and where. `member` is the name of the sibling, if it is on one."""

    tags: tuple[str, ...]
    place: Place = "field"
    member: str = ""

    @property
    def text(self) -> str:
        """The declaration, for a sentence."""
        return " with ".join(self.tags) + _PLACES.get(self.place, "")


Declare: TypeAlias = Callable[[FieldError, Any, Any], Iterable[RuleDeclaration]]
"""Returns how one declares a rule that reports an error, given the values at its path in the new and the old object."""


class RuleFact(NamedTuple):
    """What is known of the rule that reports errors of one type and origin.

    `tag` is the name of the tag that declares it. `fix` is how one declares it, such as `+k8s:maxLength=<limit>`; in it
    `<origin>` stands for the origin of the error. `declare` fills in what an error says of the rest. An origin that
    ends in `=` is that of several checks of one tag, and begins theirs. `fits_any` says that an error of this type
    without an origin is taken for one of this rule, `of_changes` that it says of a change that it may not be, and hides
    what else is wrong with the new value. `words` are the details of its errors, as far as they are known.
    """

    tag: str
    type: str
    origin: str = ""
    fix: str = ""
    fits_any: bool = False
    limit: RuleLimit | None = None
    of_changes: bool = False
    declare: Declare | None = None
    words: tuple[str, ...] = ()

    def declarations(self, error: FieldError, new: Any, old: Any) -> Iterable[RuleDeclaration]:
        """Return how one declares the rule for an error, as far as the error says it: nothing in angle brackets."""
        if self.declare is not None:
            return self.declare(error, new, old)
        if self.limit is not None:
            limit = limit_in(error.detail, measured(self.limit.measure, new), self.limit)
            return () if limit is None else (RuleDeclaration((f"+{self.tag}={limit}",)),)
        fix = fill(self.fix, origin=error.origin)
        return () if not fix or has_gaps(fix) else (RuleDeclaration((fix,)),)


_NUMBER = re.compile(r"(?<![\w.-])-?\d+(?![\w.]*\w)")
_EXCLUSIVE = re.compile(r"must be (?:greater|less) than -?\d")


def limit_in(detail: str, size: int | None, limit: RuleLimit) -> int | None:
    """Return the limit that the detail of an error names; None if it names none that a value of this size is beyond.

    A detail may name two, as in `must be between 1 and 10`: then the one that is nearer to the value.
    """
    found = [int(number) for number in _NUMBER.findall(detail)]
    if size is None and limit.measure != "items":
        return found[0] if len(found) == 1 and limit.measure != "value" else limit_in(detail, 0, limit)
    size = size or 0
    if _EXCLUSIVE.search(detail) and limit.measure == "value":
        found = [number - limit.beyond for number in found]
    beyond = [number for number in found if (size - number) * limit.beyond > 0]
    return min(beyond, key=lambda number: abs(size - number), default=None)


_OF_TYPE: Mapping[str, RuleLimit] = {
    ErrorType.TOO_LONG: RuleLimit("characters", 1),
    ErrorType.TOO_SHORT: RuleLimit("characters", -1),
    ErrorType.TOO_MANY: RuleLimit("items", 1),
    ErrorType.TOO_FEW: RuleLimit("items", -1),
}
"""What a type of error says of its limit by itself."""


class RuleFacts:
    """Looks facts up. Of several that fit, the first one counts. `of_changes` are origins of errors about changes."""

    __slots__ = (
        "_by_limit",
        "_by_origin",
        "_by_type",
        "_change_words",
        "_counting",
        "_known",
        "_limits",
        "_starts",
        "of_changes",
    )

    def __init__(self, facts: Iterable[RuleFact] = ()) -> None:
        self._by_origin: dict[str, RuleFact] = {}
        self._starts: dict[str, RuleFact] = {}
        self._by_type: dict[str, list[RuleFact]] = {}
        self._limits: dict[tuple[str, str], RuleLimit] = {}
        self._counting: dict[tuple[str, Measure], str] = {}
        self._by_limit: dict[RuleLimit, str] = {}
        self._known = known = tuple(facts)
        self.of_changes = frozenset(fact.origin for fact in known if fact.of_changes and fact.origin)
        self._change_words = frozenset(one for fact in known if fact.of_changes for one in fact.words if one)
        for fact in known:
            self._learn(fact)

    def _learn(self, fact: RuleFact) -> None:
        if fact.fix and fact.origin:
            known = self._starts if fact.origin.endswith("=") else self._by_origin
            known.setdefault(fact.origin, fact)
        if fact.fix and fact.fits_any:
            self._by_type.setdefault(fact.type, []).append(fact)
        if fact.limit is not None:
            self._limits.setdefault((fact.type, fact.origin), fact.limit)
            self._counting.setdefault((fact.type, fact.limit.measure), fact.tag)
            self._by_limit.setdefault(fact.limit, fact.fix)

    def _fitting(self, error_type: str, origin: str) -> Sequence[RuleFact]:
        """Return the facts of the tags whose rules report such an error; none when no tag does for certain."""
        if self.is_one_of_several(origin):
            return (self._starts[_start_of(origin)],)
        if origin in self._by_origin:
            return (self._by_origin[origin],)
        return () if origin else self._by_type.get(error_type, ())

    def is_of_change(self, error: FieldError) -> bool:
        """Whether an error says of a change that it may not be, by its origin, or by its words where it has none."""
        return error.origin in self.of_changes if error.origin else error.detail in self._change_words

    def tag_for(self, error_type: str, origin: str) -> str:
        """Return the tag whose rule reports such an error, as one declares it; empty when no single tag does."""
        return " or ".join(fill(fact.fix, origin=origin) for fact in self._fitting(error_type, origin))

    def declarations(self, error: FieldError, new: Any, old: Any) -> tuple[RuleDeclaration, ...]:
        """Return how one could declare the rule that reports an error, the likeliest first.

        `new` and `old` are the values at its path, None where there is none.
        """
        fitting = self._fitting(error.type, error.origin)
        return tuple(one for fact in fitting for one in fact.declarations(error, new, old))

    def names_of(self, error_type: str, origin: str) -> tuple[str, ...]:
        """Return every tag that may report errors of this type and origin, where one removes or changes it."""
        start = _start_of(origin) if self.is_one_of_several(origin) else origin
        return tuple(dict.fromkeys(fact.tag for fact in self._known if (fact.type, fact.origin) == (error_type, start)))

    def name_of(self, error_type: str, origin: str) -> str:
        """Return the tag whose rule reports such an error without what is only known of one declaration."""
        names = dict.fromkeys(f"+{fact.tag}" for fact in self._fitting(error_type, origin))
        return " or ".join(names)

    def is_one_of_several(self, origin: str) -> bool:
        """Whether an origin names one of several checks of its tag, as `format=k8s-uuid` does."""
        return _start_of(origin) in self._starts

    def limit_of(self, error_type: str, origin: str) -> RuleLimit | None:
        """Return what the rule behind an error counts, None when it has no limit; types of sizes tell by themselves."""
        return self._limits.get((error_type, origin)) or _OF_TYPE.get(error_type)

    def with_limit(self, limit: RuleLimit, size: int) -> str:
        """Return how one declares a rule with a limit of this size; empty when no tag has such a limit."""
        return fill(self._by_limit.get(limit, ""), limit=size)

    def counting(self, error_type: str, measure: Measure) -> str:
        """Return the name of the tag that reports this type and counts in this unit; empty when there is none."""
        return self._counting.get((error_type, measure), "")


def _start_of(origin: str) -> str:
    start, sign, _ = origin.partition("=")
    return start + sign


NO_FACTS = RuleFacts()
"""For those who compare lists and explain nothing."""
