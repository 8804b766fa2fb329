"""What goes into a target and what comes out: `Case`, `Answer`, and what a target says of itself.

These records are the wire protocol, the NDJSON of `harness check --cases -`, and the in-memory form: one definition
for all three. Objects are plain JSON values (dict, list, str, int, float, bool, None) and are never changed in place.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from harness.field import FieldError

PROTOCOL = 1
"""Version of the wire protocol. A worker that says another number is refused."""

Json: TypeAlias = Any
"""A JSON value."""

Mode: TypeAlias = Literal["served", "given", "declarative"]
"""`served`: default and prepare the object as the server does. `given`: validate it as it stands.

`declarative`: ask the declarative side alone, of a kind in `TargetInfo.ruled`, served or not: the object as it stands,
the options and the subresource of the case and no others, no handwritten list.
"""

Gates: TypeAlias = Mapping[str, bool]
"""Feature gates by name."""


class Operation(enum.StrEnum):
    """What the request does."""

    CREATE = "create"
    UPDATE = "update"


Composition: TypeAlias = Literal["levels", "explicit", "shadow", "takeover"]
"""How a strategy composes its two lists (semantics.md#7.3, #7.6).

`levels`: 1.37, every tag's level decides. `explicit`: 1.36 with WithDeclarativeEnforcement. `shadow`: 1.36 without it,
declarative errors are never shown. `takeover`: 1.33 to 1.35, DeclarativeValidation with DeclarativeValidationTakeover.
"""


class Measure(msgspec.Struct, frozen=True):
    """What is wanted of a measurement: so many samples of each part, each of so many nanoseconds at least.

    A target may stop earlier: nobody waits long for one answer.
    """

    rounds: int = 15
    nanoseconds: int = 200_000


class Case(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question: this object, created or updated from `old`, through this version and subresource.

    `group`, `version`, `resource` and `subresource` are those of the request; `kind` is the kind of the object, which
    differs from the resource's own for scale, binding and token requests. `options` overrides validation options.
    `versions` asks for the declarative list of every version, `served` for the target's own composed lists, `repeat`
    to ask twice and to compare the object before and after (the check *self*). `validated` asks for what declarative
    validation was given; with `brief` it may be left out where there are errors. `measure` asks what the answer costs,
    which takes long.
    """

    id: int
    group: str
    version: str
    kind: str
    operation: Operation
    object: Json
    old: Json = None
    resource: str = ""
    subresource: str = ""
    mode: Mode = "served"
    options: dict[str, bool] = {}
    versions: bool = False
    served: bool = False
    repeat: bool = False
    validated: bool = False
    brief: bool = False
    measure: Measure | None = None


Stage: TypeAlias = Literal[
    "decode", "default", "convert", "prepare", "handwritten", "declarative", "compose", "self", "worker"
]


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why there is no full answer: the stage that failed and its message.

    `panic` tells a crash (a finding) from an object that cannot be handled (no finding, such as a decode error).
    Stage `worker` is ours: the process died, hung or printed rubbish on this case. Stage `self`: the validators gave
    two answers to one case, or changed the object. `at` says where code of the target raised, such as
    `handwritten.py:41 in validate_spec`; empty where the target does not know.
    """

    stage: Stage
    message: str
    panic: bool = False
    at: str = ""


class ServedList(msgspec.Struct, frozen=True):
    """The list a user gets under one setting of the migration's gates, composed by the target itself."""

    setting: str
    gates: dict[str, bool]
    errors: tuple[FieldError, ...]


class Validated(msgspec.Struct, frozen=True, omit_defaults=True):
    """What declarative validation of one version was given: after decoding, defaults, preparation and conversion.

    `type` is the Go type of the versioned object, `import/path.Name`; `options` are those in force.
    """

    type: str
    object: Json
    old: Json = None
    options: dict[str, bool] = {}
    subresource: str = ""


class Spent(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one run of a part takes: `nanoseconds` in each round, measured over so many `loops` at once.

    `objects` and `bytes` are what one run allocates, None when the target cannot tell.
    """

    nanoseconds: tuple[float, ...]
    loops: int = 1
    objects: int | None = None
    bytes: int | None = None


class Cost(msgspec.Struct, frozen=True):
    """What the parts of one answer cost, measured in turns inside of the target.

    `clock` is `cpu` (what the thread computed) or `wall` (time that passed). Parts are `read` (decode, default, convert
    to what the handwritten side takes), `handwritten`, `convert` (to what the declarative side takes), `declarative`
    (the rules alone) and `both` (all that a server does to validate, reading aside). A part that does not exist is left
    out.
    """

    clock: Literal["cpu", "wall"]
    parts: dict[str, Spent]


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a target says of one case: both lists, before any composition, and what was asked for besides.

    `handwritten` is the list that goes into composition (strategy and object-meta checks), not yet deduplicated;
    `declarative` is the whole declarative list of the requested version, all levels. `nanoseconds` says where the
    worker's time went, by stage, when it measures it. `validated` is what the declarative side of the requested version
    was given, and that of every version in `versions`, when asked for. `cost` is there when the case says `measure`.
    """

    id: int
    handwritten: tuple[FieldError, ...] = ()
    declarative: tuple[FieldError, ...] = ()
    served: tuple[ServedList, ...] = ()
    versions: dict[str, tuple[FieldError, ...]] = {}
    validated: dict[str, Validated] = {}
    failure: Failure | None = None
    nanoseconds: dict[str, int] = {}
    cost: Cost | None = None


class KindInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing a target serves: a resource or subresource of one group and version, and how to ask for it.

    `api_version` is what the object itself says (`autoscaling/v1` for a scale of apps/v1). `type` is the Go type of
    the object, `import/path.Name`, for readers of types. `rules` says whether declarative validation is registered.
    `storage` is false for kinds that are answered and not kept (reviews, bindings). `versions` are the other versions
    a `versions` case is answered for. `options` are the validation options the strategy sets, with their values.
    `through` is set for a version that no user can reach: it is registered and not served, and answers with the
    strategy of the version named here.
    """

    group: str
    version: str
    kind: str
    resource: str
    api_version: str
    subresource: str = ""
    type: str = ""
    operations: tuple[Operation, ...] = (Operation.CREATE, Operation.UPDATE)
    namespaced: bool = True
    rules: bool = True
    storage: bool = True
    composition: Composition = "levels"
    normalization: tuple[tuple[str, str], ...] = ()
    short_circuit_mismatch: bool = False
    options: dict[str, bool] = {}
    versions: tuple[str, ...] = ()
    through: str = ""

    @property
    def served(self) -> bool:
        """Whether a request can reach it."""
        return not self.through

    @property
    def name(self) -> str:
        """The name people use: `apps/v1 deployments/scale`, `v1 pods`."""
        version = f"{self.group}/{self.version}" if self.group else self.version
        return f"{version} {self.resource}" + (f"/{self.subresource}" if self.subresource else "")

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What a case must name to mean this kind: group, version, resource, subresource."""
        return self.group, self.version, self.resource, self.subresource

    def case(
        self,
        operation: Operation,
        new: Json,
        old: Json = None,
        *,
        id: int = 0,
        mode: Mode = "served",
        options: dict[str, bool] | None = None,
        versions: bool = False,
        served: bool = False,
        repeat: bool = False,
    ) -> Case:
        """Make a case that means this kind."""
        return Case(
            id, self.group, self.version, self.kind, operation, new, old, self.resource, self.subresource, mode,
            options or {}, versions, served, repeat,
        )  # fmt: skip


class Excluded(msgspec.Struct, frozen=True):
    """Something the target has but cannot be asked about, and why."""

    group: str
    version: str
    resource: str
    reason: str


class RuledKind(msgspec.Struct, frozen=True):
    """A kind whose type has declarative validation, whether it is served or not. `type` is as in `KindInfo`."""

    group: str
    version: str
    kind: str
    type: str


class TargetInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """A target's word on itself: the first line of the wire protocol, and `Target.info`.

    `abilities` is a subset of: served, versions, modes, options, repeat, update, nanoseconds, validated, declarative,
    measure, switches (the options of a case hold for both sides, as if their feature gates were set so).
    `ruled` are the kinds that a case of mode `declarative` may name. `gates` are the feature gates it knows with
    their present values.
    """

    name: str
    protocol: int = PROTOCOL
    release: str = ""
    abilities: tuple[str, ...] = ()
    kinds: tuple[KindInfo, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    ruled: tuple[RuledKind, ...] = ()
    gates: dict[str, bool] = {}
