"""What a tag declares of itself.

Everything else is derived: argument checks, catalogue, declared rules, values to try, rule coverage, mutations, what
linting concludes, fixes, fixtures.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from harness.case import Json
from harness.field import ErrorType, Level
from harness.field.facts import RuleFact
from harness.gotypes.model import Comments, Field, Struct, TypeRef
from harness.tags.boundary import Boundary, RuleMutation
from harness.tags.grammar import Tag
from harness.tags.release import Release
from harness.tags.rules import Check, CheckFunction, Contribution, ListData, Rule, Selector, Store
from harness.tags.types import Types


class Scope(enum.Enum):
    """Where a tag stands; the value is the words of messages (semantics.md#1.5)."""

    TYPE = "type definitions"
    FIELD = "struct fields"
    LIST_VALUE = "list values"
    MAP_KEY = "map keys"
    MAP_VALUE = "map values"
    CONST = "constant values"


class Trait(enum.Enum):
    """How a tag works among others, for linting."""

    METADATA = "tells other tags something, and checks nothing itself"
    OF_STRUCT = "its rule is one of the struct around its field, and waits for the other members"
    LATE = "works when the other tags of its element were read"
    BARE = "generated code names its function without a call, so that a level under another wrapper is lost"


VALUE_SCOPES = frozenset(Scope) - {Scope.CONST}
EVERY_SCOPE = frozenset(Scope)
FIELD_ONLY = frozenset({Scope.FIELD})


@dataclass(frozen=True, slots=True)
class TagContext:
    """The element a tag stands on.

    `path` is its key in the store and its name in messages; `parent_path` that of the struct (or, for an item, the
    list) that encloses it. `expand` turns a nested tag into its contribution, `contributions_of` reads a member's
    comments. `opaque` says that the element or its type is opaque.
    """

    scope: Scope
    type: TypeRef
    path: str
    types: Types
    store: Store
    expand: Callable[[TagContext, Tag], Contribution]
    contributions_of: Callable[[TagContext, Comments], Contribution]
    member: Field | None = None
    parent: Struct | None = None
    parent_path: str = ""
    level: Level = ""
    selector: Selector | None = None
    inside: tuple[str, ...] = ()
    release: Release = field(default_factory=Release)
    opaque: bool = False
    list_data: ListData | None = None
    custom: Mapping[str, CheckFunction] = field(default_factory=dict)

    @property
    def is_pointer(self) -> bool:
        """Whether values are pointers."""
        return self.types.is_pointer(self.type)

    @property
    def kind(self) -> str:
        """What values are, pointers removed."""
        return self.types.kind(self.type)

    @property
    def is_plain(self) -> bool:
        """Whether values are of the builtin type itself, which errors show differently from named ones.

        Source: semantics.md#6.4.
        """
        declared = self.types.declared(self.type)
        while declared.kind == "pointer" and declared.elem is not None:
            declared = self.types.declared(declared.elem)
        return declared.kind == "builtin"


class TagError(Exception):
    """A tag that makes no sense where it stands. `message` is upstream's; `code` is the slug of the diagnostic."""

    def __init__(self, message: str, tag: Tag, code: str = "tag-misuse", why: str = "", fix: str = "") -> None:
        super().__init__(message)
        self.message, self.tag, self.code, self.why, self.fix = message, tag, code, why, fix


@dataclass(frozen=True, slots=True)
class Payload:
    """What stands after `=`. `kind` is string, int, tag, or any (any scalar)."""

    kind: str
    text: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class ArgSpec:
    """What may stand in parentheses; `name` is empty for the positional argument."""

    name: str
    text: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Emission:
    """One kind of error a tag can cause. `origin` empty means none; `declared` says that rule coverage knows it.

    `texts` are the details it can have, in the words of the error, with what differs in angle brackets. `when` says
    whether a call can cause it, where not every call can; `at` where below the element it stands, `name` what completes
    the origin. `reported` names the members at which a call reports it, where that is not where it is declared.
    """

    type: ErrorType
    origin: str = ""
    declared: bool = True
    texts: tuple[str, ...] = ()
    when: Callable[[Check], bool] | None = None
    at: Callable[[Check], str] | None = None
    name: Callable[[Check], str] | None = None
    reported: Callable[[Check], Sequence[str]] | None = None


@dataclass(frozen=True, slots=True)
class TagExample:
    """One use of a tag, and what becomes of a value.

    `tag` is what follows the tag's name; `go` the type of a field `f` (json `f`) that carries the tag, or whole
    declarations with a root `T` when it contains `type`, where `@` stands for the tag. `new` and `old` are values of
    `f`, or objects. `fails` are the paths of the errors.
    """

    go: str
    new: Any
    tag: str = ""
    old: Any = None
    update: bool = False
    fails: tuple[str, ...] = ()
    options: Mapping[str, bool] = field(default_factory=dict)

    def source(self, name: str) -> str:
        """Return the example as a Go file."""
        line = f"+{name}{self.tag}"
        if "type " in self.go:
            return f"package example\n\n{self.go.replace('@', line)}\n"
        return f'package example\n\ntype T struct {{\n\t// {line}\n\tF {self.go} `json:"f"`\n}}\n'

    def object(self, value: Any) -> Any:
        """Return the object to validate."""
        if "type " in self.go:
            return value
        return {} if value is None else {"f": value}


def accepts(go: str, new: Any, tag: str = "", **more: Any) -> TagExample:
    """Make an example that passes."""
    return TagExample(go, new, tag, update="old" in more, **more)


def rejects(go: str, new: Any, tag: str = "", *fails: str, **more: Any) -> TagExample:
    """Make an example that fails, at `f` when no paths are named."""
    return TagExample(go, new, tag, update="old" in more, fails=fails or ("f",), **more)


def refuses(go: str, tag: str = "") -> TagExample:
    """Make an example that does not compile."""
    return TagExample(go, None, tag)


@dataclass(frozen=True, slots=True)
class ReleaseChange:
    """What became different with a minor release of Kubernetes (37 for 1.37), in our words."""

    minor: int
    words: str


@dataclass(frozen=True, slots=True)
class TagSubject:
    """What a rule is about: the kind of its values, and whether it is one item or value of a list or map."""

    kind: str = ""
    is_pointer: bool = False
    is_item: bool = False


Words: TypeAlias = Callable[[Check, TagSubject], str]
"""Says in words what one call of a tag's check demands, to follow a field's name: `at most 63 characters`."""

Criterion: TypeAlias = Literal[
    "limit", "there", "absent", "unchanged", "both", "two", "one", "trigger-set", "trigger-alone"
]
"""What an accepted object must show for a rule to count as seen to accept. `limit`: a value exactly at the limit.

`there`: a value that is not empty. `absent`: a struct without the member. `unchanged`, `both`: an update of a struct in
which the member stayed as it was, is there before and after. `two`: at least two items. `one`: exactly one member of a
union. `trigger-set`: the trigger and its dependent. `trigger-alone`: the trigger without its dependent.
"""

Leads: TypeAlias = Literal["", "items", "keys", "member", "item"]
"""What the tag that a tag wraps is about: every item or value, every key, one member of a struct, one item."""


def counted(number: int, one: str) -> str:
    """Say how many, for words: `1 item`, `1,000 items`."""
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Join names, each marked as code: `a`, `b` and `c`."""
    shown = [f"`{name}`" for name in names]
    return f" {last} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


Requirement: TypeAlias = Callable[[TagContext, Tag], str | None]
"""Returns what is wrong, in upstream's words, or None."""

Apply: TypeAlias = Callable[[TagContext, Tag], Contribution]


@dataclass(frozen=True, slots=True)
class TagSpec:
    """A tag, whole.

    `since` is the minor of Kubernetes that brought the tag (33 for 1.33), `until` the last that knows it, None when it
    is still known; `history` says what changed in between, oldest first. `words` says what a call demands, and `at` of
    which member of the struct, where that is not the place of the rule; `update` says what becomes of updates, where it
    is more than that unchanged values are forgiven, and `only_updates` that nothing is checked on create; `surprises`
    are consequences that readers of types do not expect; `misuses` are examples that do not compile.

    A tag with a limit says its `boundary`: values to try, coverage, mutations, the guard in compiled code and what
    linting concludes follow from it. Of other tags, `coverage` is what shows the rule at work, and `guard` the test of
    a value and the last argument that is true where the check may have something to say. `arguments` is what a call
    says besides its limit, as plain data. `go_function` is what generated code calls, where that is not called as the
    check is (`max_length`, `MaxLength`). `fix` is how a missing rule is declared; `fits_any` says that errors of its
    type without an origin are taken for its own. `leads` is what a wrapped tag is about, `traits` how the tag works
    among others.
    """

    name: str
    summary: str
    scopes: frozenset[Scope]
    payload: Payload | None = None
    args: tuple[ArgSpec, ...] = ()
    any_args: bool = False
    requires: tuple[Requirement, ...] = ()
    check: CheckFunction | None = None
    apply: Apply | None = None
    short_circuit: bool = False
    emits: tuple[Emission, ...] = ()
    examples: tuple[TagExample, ...] = ()
    probes: Callable[[Any], Sequence[Any]] = lambda payload: ()
    stability: str = "Stable"
    supported: bool = True
    note: str = ""
    since: int = 33
    until: int | None = None
    history: tuple[ReleaseChange, ...] = ()
    words: Words | None = None
    at: Callable[[Check], str] | None = None
    update: str = ""
    only_updates: bool = False
    surprises: tuple[str, ...] = ()
    misuses: tuple[TagExample, ...] = ()
    boundary: Boundary | None = None
    coverage: Criterion = "there"
    arguments: Callable[[Check], dict[str, Json]] | None = None
    mutations: Callable[[Check], Iterator[RuleMutation]] | None = None
    guard: str = ""
    go_function: str = ""
    fix: str = ""
    fits_any: bool = False
    leads: Leads = ""
    traits: frozenset[Trait] = frozenset()

    def known_in(self, minor: int) -> bool:
        """Whether a release knows the tag."""
        return self.since <= minor and (self.until is None or minor <= self.until)

    @property
    def criterion(self) -> Criterion:
        """What an accepted object must show of the tag's rule."""
        return self.coverage if self.boundary is None else "limit"

    def probes_of(self, payload: Any) -> Sequence[Json]:
        """Return values, or sizes of lists and maps, that a payload suggests to try."""
        return self.probes(payload) if self.boundary is None else self.boundary.probes(payload)

    def guard_of(self, check: Check) -> tuple[str, Any] | None:
        """Return the test that may stand before a call, and the argument that a value is compared with.

        None when only the check knows, as those of earlier releases do.
        """
        form, number = (self.guard, -1) if self.boundary is None else (self.boundary.guard, self.boundary.argument)
        return (form, check.args[number]) if form and check.function is self.check and not check.custom else None

    def mutations_of(self, check: Check) -> Iterator[RuleMutation]:
        """Yield what a careless author could have written in place of a call; earlier releases may count otherwise."""
        if self.boundary is not None:
            yield from self.boundary.mutations(check, other_unit=check.function is self.check)
        elif self.mutations is not None:
            yield from self.mutations(check)

    @property
    def refuses_changes(self) -> bool:
        """Whether it is about changes alone, and what else is wrong with a new value is not looked at."""
        return self.only_updates and self.short_circuit

    def facts(self) -> Iterator[RuleFact]:
        """Yield what those who read errors are told of the tag's rules, one fact for each error."""
        limit = None if self.boundary is None else self.boundary.limit
        fix = self.fix or ("" if limit is None else f"+{self.name}=<limit>")
        for one in self.emits:
            fits_any = self.fits_any and one.declared
            yield RuleFact(self.name, one.type, one.origin, fix, fits_any, limit, self.refuses_changes)

    def contribution(self, context: TagContext, tag: Tag) -> Contribution:
        """Check what the tag requires of its place and return what it contributes. Raises: TagError."""
        for requirement in self.requires:
            if (message := requirement(context, tag)) is not None:
                raise TagError(message, tag, why=self.summary)
        if self.apply is not None:
            return self.apply(context, tag)
        return self.simple(self._payload(tag))

    def simple(self, args: tuple[Any, ...] = (), check: CheckFunction | None = None) -> Contribution:
        """Return one rule that calls the check with these arguments."""
        function = check or self.check
        assert function is not None, self.name
        return Contribution([Rule(Check(function, args), sc=self.short_circuit, tag=self.name)])

    def _payload(self, tag: Tag) -> tuple[Any, ...]:
        return () if tag.scalar is None else (tag.scalar.value,)


def only_on(kinds: Sequence[str], words: str, pointers: bool = True, ending: str = "") -> Requirement:
    """Require a kind of type; the message is upstream's `can only be used on <words> (<type>)`.

    Where upstream's message names the native type's kind, such as Slice, `ending` says how it ends: ` ({})`.
    """

    def requirement(context: TagContext, tag: Tag) -> str | None:
        if context.kind in kinds and (pointers or not context.is_pointer):
            return None
        if ending:
            return f"can only be used on {words}{ending.format(context.types.go_kind(context.type))}"
        return f"can only be used on {words} ({context.types.describe(context.type, not pointers)})"

    return requirement
