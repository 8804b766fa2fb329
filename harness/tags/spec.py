"""The declaration of a tag.

Everything about a tag is derived from its `TagSpec`: argument checks, documentation, declared rules, boundary values,
rule coverage, mutants, lint conclusions, suggested fixes and test fixtures.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from harness.case import Json
from harness.field import ErrorType, Level
from harness.field.facts import Declare, RuleFact
from harness.gotypes.model import Comments, Field, Struct, TypeRef
from harness.tags.boundary import Boundary, RuleMutation
from harness.tags.grammar import Tag
from harness.tags.release import Release
from harness.tags.rules import Check, CheckFunction, Contribution, ListData, Rule, Selector, Store
from harness.tags.translation import SchemaForm
from harness.tags.types import Types


class Scope(enum.Enum):
    """The kind of element that a tag is on; the value is its name in messages (semantics.md#1.5)."""

    TYPE = "type definitions"
    FIELD = "struct fields"
    LIST_VALUE = "list values"
    MAP_KEY = "map keys"
    MAP_VALUE = "map values"
    CONST = "constant values"


class Trait(enum.Enum):
    """How a tag works together with other tags, for linting."""

    METADATA = "configures other tags, and checks nothing itself"
    STRUCT_RULE = "its rule belongs to the struct of its field, and is made when all members are read"
    DEFERRED = "its rules are made when the other tags of its element are read"
    FUNCTION_REFERENCE = (
        "generated code passes its function by reference; a level between a wrapper and the tag has no call to mark "
        "and is lost"
    )
    CHOICE = "says that of some members of a struct one is chosen: the field is one of them, or chooses"
    ITEM_IDENTITY = "says how an item of a list is found in the old list"


VALUE_SCOPES = frozenset(Scope) - {Scope.CONST}
EVERY_SCOPE = frozenset(Scope)
FIELD_ONLY = frozenset({Scope.FIELD})


@dataclass(frozen=True, slots=True)
class TagContext:
    """The element that a tag is on.

    `path` is its key in the store and its name in messages; `parent_path` that of the struct (or, for an item, the
    list) that encloses it. `expand` turns a nested tag into its contribution, `contributions_of` reads a member's
    comments. `around` is the list or map of an item or value. `inside` are the names of the enclosing tags, outermost
    first. `opaque` is true if the element or its type is opaque.
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
    around: TagContext | None = None
    custom: Mapping[str, CheckFunction] = field(default_factory=dict)

    @property
    def is_pointer(self) -> bool:
        """Whether values are pointers."""
        return self.types.is_pointer(self.type)

    @property
    def kind(self) -> str:
        """The kind of the values, without pointers: string, integer, list, ...."""
        return self.types.kind(self.type)

    @property
    def is_plain(self) -> bool:
        """Whether values are of a builtin type, which errors print differently from named types.

        Source: semantics.md#6.4.
        """
        declared = self.types.declared(self.type)
        while declared.kind == "pointer" and declared.elem is not None:
            declared = self.types.declared(declared.elem)
        return declared.kind == "builtin"


class TagError(Exception):
    """A tag that is not valid on its element. `message` is upstream's; `code` is the slug of the diagnostic."""

    def __init__(self, message: str, tag: Tag, code: str = "tag-misuse", why: str = "", fix: str = "") -> None:
        super().__init__(message)
        self.message, self.tag, self.code, self.why, self.fix = message, tag, code, why, fix


@dataclass(frozen=True, slots=True)
class Payload:
    """The value after `=`. `kind` is string, int, tag, or any (any scalar), `text` its placeholder in usage lines."""

    kind: str
    text: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class ArgSpec:
    """An argument in parentheses; `name` is empty for the positional argument."""

    name: str
    text: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Emission:
    """One kind of error that a tag's check can report; without origin if `origin` is empty.

    `texts` are its possible details, with placeholders in angle brackets. `declared` is false for errors that rule
    coverage does not require. The callables read a call of the check: `when` returns whether this call can report the
    error (None: every call), `relative_path` its path relative to the element (None: the element's own path),
    `origin_suffix` the rest of an origin that ends in `=`, and `member_paths` the members whose paths the error can
    have (None: the error has the path above).
    """

    type: ErrorType
    origin: str = ""
    declared: bool = True
    texts: tuple[str, ...] = ()
    when: Callable[[Check], bool] | None = None
    relative_path: Callable[[Check], str] | None = None
    origin_suffix: Callable[[Check], str] | None = None
    member_paths: Callable[[Check], Sequence[str]] | None = None


@dataclass(frozen=True, slots=True)
class TagExample:
    """One use of a tag, with a value and the errors of its validation.

    `tag` is the text after the tag's name. `go` is the type of a field `f` (json `f`) with the tag; if it contains
    `type`, it is whole declarations with a root `T`, in which `@` is replaced by the tag. `new` and `old` are values of
    `f`, or whole objects in the second case. `fails` are the paths of the expected errors.
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
        line = f"+{name.partition('(')[0]}{self.tag}"
        if "type " in self.go:
            return f"package example\n\n{self.go.replace('@', line)}\n"
        return f'package example\n\ntype T struct {{\n\t// {line}\n\tF {self.go} `json:"f"`\n}}\n'

    def object(self, value: Any) -> Any:
        """Return the object to validate."""
        if "type " in self.go:
            return value
        return {} if value is None else {"f": value}


def accepts(go: str, new: Any, tag: str = "", **more: Any) -> TagExample:
    """Make an example whose value is accepted."""
    return TagExample(go, new, tag, update="old" in more, **more)


def rejects(go: str, new: Any, tag: str = "", *fails: str, **more: Any) -> TagExample:
    """Make an example whose value is rejected, with one error at `f` if no paths are given."""
    return TagExample(go, new, tag, update="old" in more, fails=fails or ("f",), **more)


def invalid_usage(go: str, tag: str = "") -> TagExample:
    """Make an example of Go types that do not compile."""
    return TagExample(go, None, tag)


@dataclass(frozen=True, slots=True)
class ReleaseChange:
    """A change of a tag in a minor release of Kubernetes (37 for 1.37), as a sentence of the documentation."""

    minor: int
    words: str


@dataclass(frozen=True, slots=True)
class TagSubject:
    """The value that a rule checks: its kind, whether it is a pointer, and whether it is an item of a list or map."""

    kind: str = ""
    is_pointer: bool = False
    is_item: bool = False


Describe: TypeAlias = Callable[[Check, TagSubject], str]
"""Returns what one call of a tag's check requires, to be read after a field's name: `at most 63 characters`."""

Criterion: TypeAlias = Literal[
    "limit", "there", "absent", "unchanged", "both", "two", "one", "trigger-set", "trigger-alone"
]
"""What an accepted object must contain before rule coverage counts a rule as accepting.

- `limit`: a value exactly at the limit.
- `there`: a value that is not empty.
- `absent`: a struct without the member.
- `unchanged`: an update of a struct whose member is the same in the old and the new object.
- `both`: an update of a struct that has the member in the old and in the new object.
- `two`: a list of at least two items.
- `one`: a union with exactly one member set.
- `trigger-set`: the trigger together with its dependent.
- `trigger-alone`: the trigger without its dependent.
"""

NestedTarget: TypeAlias = Literal["", "items", "keys", "member", "item"]
"""The values that the tag nested in a tag applies to: all items or map values, all keys, one member, one item."""


def quantity(number: int, noun: str) -> str:
    """Write a number with its noun: `1 item`, `1,000 items`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def quoted_list(names: Sequence[str], conjunction: str = "and") -> str:
    """Join names, each in backquotes: `a`, `b` and `c`."""
    quoted = [f"`{name}`" for name in names]
    return f" {conjunction} ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


Requirement: TypeAlias = Callable[[TagContext, Tag], str | None]
"""Returns upstream's message if a tag is not valid on an element, else None."""

Apply: TypeAlias = Callable[[TagContext, Tag], Contribution]


@dataclass(frozen=True, slots=True)
class TagSpec:
    """The complete declaration of a tag.

    Usage: `scopes`, `args`, `payload` and `requires` decide where and how a tag may be used. `any_args` permits
    arguments of any name.

    Rules: `apply` makes the tag's contribution; without it, the contribution is one rule that calls `check` with the
    payload. `short_circuit`: if the check fails, later rules of the element are skipped. `emits` are the errors that it
    reports. `only_updates`: creates are never rejected. `nested_target` are the values that a nested tag applies to.

    Releases: `since` is the minor release of Kubernetes that introduced the tag (33 for 1.33, the oldest supported),
    `until` the last one that knows it, None if it is still known. `history` are the changes in between, oldest first.
    `proposal` is the enhancement proposal that describes a tag which no release has.

    Documentation: `describe` returns what a call of the check requires, and `constrained_member` the name of the member
    that the sentence is about, for rules of a struct. `update_note` explains updates if more happens than that
    unchanged values are ratcheted. `caveats` are consequences that readers of types do not expect. `examples` are
    validated and `invalid_usages` compiled when the page is made.

    Search, coverage and mutation testing: a tag with a limit declares its `boundary`, from which boundary values,
    coverage, mutations, the guard in compiled code and lint conclusions follow. Other tags declare them one by one:
    `probes` are values to try for a payload, `accepted_when` the criterion of rule coverage, `mutations` wrong versions
    of a call. `guard` is a condition on the value and the call's last argument; where it is false, compiled code skips
    the call because the check would accept the value. `arguments` are the arguments of a call other than its limit, as
    plain data.

    Comparison: `declaration` is the text that a fix suggests for declaring a missing rule, `declare` fills in what an
    error says of it; a tag with a limit needs neither. `matches_without_origin`:
    an error of the tag's type without an origin is taken for one of its errors. `go_function` is the function that
    generated code calls, if its name does not follow from that of the check (`max_length`, `MaxLength`).

    OpenAPI: `schema` has the form of each check function of the tag in a schema; a function without one cannot be said
    in OpenAPI and CEL.
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
    proposal: str = ""
    history: tuple[ReleaseChange, ...] = ()
    describe: Describe | None = None
    constrained_member: Callable[[Check], str] | None = None
    update_note: str = ""
    only_updates: bool = False
    caveats: tuple[str, ...] = ()
    invalid_usages: tuple[TagExample, ...] = ()
    boundary: Boundary | None = None
    accepted_when: Criterion = "there"
    arguments: Callable[[Check], dict[str, Json]] | None = None
    mutations: Callable[[Check], Iterator[RuleMutation]] | None = None
    guard: str = ""
    go_function: str = ""
    declaration: str = ""
    declare: Declare | None = None
    matches_without_origin: bool = False
    nested_target: NestedTarget = ""
    traits: frozenset[Trait] = frozenset()
    schema: Mapping[CheckFunction, SchemaForm] = field(default_factory=dict)

    def known_in(self, minor: int) -> bool:
        """Whether a release knows the tag."""
        return not self.proposal and self.since <= minor and (self.until is None or minor <= self.until)

    @property
    def criterion(self) -> Criterion:
        """What an accepted object must contain before rule coverage counts the tag's rule as accepting."""
        return self.accepted_when if self.boundary is None else "limit"

    def probes_of(self, payload: Any) -> Sequence[Json]:
        """Return the values, or the sizes of lists and maps, to try for a payload."""
        return self.probes(payload) if self.boundary is None else self.boundary.probes(payload + self.boundary.offset)

    def guard_of(self, check: Check) -> tuple[str, Any] | None:
        """Return the condition under which a call is needed, and the argument that it compares the value with.

        None if there is no such condition; checks of earlier releases and custom checks have none.
        """
        form, number = (self.guard, -1) if self.boundary is None else (self.boundary.guard, self.boundary.argument)
        return (form, check.args[number]) if form and check.function is self.check and not check.custom else None

    def mutations_of(self, check: Check) -> Iterator[RuleMutation]:
        """Yield wrong versions of a call: a limit off by one, or in current releases another unit."""
        if self.boundary is not None:
            yield from self.boundary.mutations(check, other_unit=check.function is self.check)
        elif self.mutations is not None:
            yield from self.mutations(check)

    @property
    def rejects_changes(self) -> bool:
        """Whether the tag rejects changes of a value, and a failure hides other errors of the new value."""
        return self.only_updates and self.short_circuit

    def facts(self) -> Iterator[RuleFact]:
        """Yield a fact about the tag's rules for each of its errors, for code that sees errors but no rules."""
        limit = None if self.boundary is None else self.boundary.limit
        fix = self.declaration or ("" if limit is None else f"+{self.name}=<limit>")
        for one in self.emits:
            fits_any = self.matches_without_origin and one.declared
            changes, declare, words = self.rejects_changes, self.declare, one.texts
            yield RuleFact(self.name, one.type, one.origin, fix, fits_any, limit, changes, declare, words)

    def contribution(self, context: TagContext, tag: Tag) -> Contribution:
        """Check that a tag is valid on its element and return its contribution. Raises: TagError."""
        for requirement in self.requires:
            if (message := requirement(context, tag)) is not None:
                raise TagError(message, tag, why=self.summary)
        if self.apply is not None:
            return self.apply(context, tag)
        assert self.check is not None, self.name
        payload = () if tag.scalar is None else (tag.scalar.value,)
        return contribute_call(self.name, self.check, payload, short_circuits=self.short_circuit)


def contribute_call(
    tag: str, check: CheckFunction, args: tuple[Any, ...] = (), *, short_circuits: bool = False
) -> Contribution:
    """Return a contribution of one rule, which calls a check with these arguments."""
    return Contribution([Rule(Check(check, args), short_circuits=short_circuits, tag=tag)])


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
