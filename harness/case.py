"""The records that are exchanged with a target: `Case`, `Answer`, and `TargetInfo`, its description of itself.

These records are the wire protocol, the NDJSON of `harness check --cases -`, and the in-memory form: one definition
for all three. Objects are plain JSON values (dict, list, str, int, float, bool, None) and are never changed in place.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from harness.field import FieldError
from harness.field.placeholders import fill

PROTOCOL = 1
"""Version of the wire protocol. A worker that reports another one is rejected."""

Json: TypeAlias = Any
"""A JSON value."""

Mode: TypeAlias = Literal["served", "given", "declarative"]
"""`served`: default and prepare the object as the server does. `given`: validate the object unchanged.

`declarative`: run only the declarative validators, for a kind in `TargetInfo.ruled`, served or not. The object is
validated unchanged, with exactly the options and the subresource of the case, and there is no handwritten list.
"""

Gates: TypeAlias = Mapping[str, bool]
"""Feature gates by name."""


class Operation(enum.StrEnum):
    """The operation of a request."""

    CREATE = "create"
    UPDATE = "update"


Composition: TypeAlias = Literal["levels", "explicit", "shadow", "takeover"]
"""How a strategy composes the handwritten and the declarative list (semantics.md#7.3, #7.6).

`levels`: 1.37, every tag's level decides. `explicit`: 1.36 with WithDeclarativeEnforcement. `shadow`: 1.36 without it,
users never get declarative errors. `takeover`: 1.33 to 1.35, DeclarativeValidation with DeclarativeValidationTakeover.
"""


class Measure(msgspec.Struct, frozen=True):
    """The settings of a measurement: the number of samples of each part, and the least duration of one sample.

    A target may stop earlier, so that one answer does not take long.
    """

    rounds: int = 15
    nanoseconds: int = 200_000


class Case(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request to validate: an object to create, or to update from `old`, through a version and subresource.

    `group`, `version`, `resource` and `subresource` are those of the request; `kind` is the kind of the object, which
    differs from the resource's own for scale, binding and token requests. `options` overrides validation options.
    `versions` asks for the declarative list of every version, `served` for the lists that the target itself composes,
    `repeat` to validate twice and to compare the object before and after (the check *self*). `validated` asks for the
    objects that the declarative validators received; with `brief` they may be left out when there are errors. `measure`
    asks for the cost of the answer, which takes long, `trace` for the `source` of each handwritten error. `blocks`
    asks for the blocks of code that were reached since somebody asked, without those told to whom it names before.
    `compiled` asks for the list of the target's own tags, compiled by another compiler than its own. `round_trip` asks
    what is left of the object after it was converted to each version of its kind and back; with `brief` it may be left
    out when there are errors.
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
    trace: bool = False
    blocks: str = ""
    compiled: bool = False
    round_trip: bool = False


Stage: TypeAlias = Literal[
    "decode", "default", "convert", "prepare", "handwritten", "declarative", "old", "new", "compose", "self", "worker",
    "limit",
]  # fmt: skip


STOPPED = "did not finish"
"""The message of a failure begins with this if a validator was stopped because its time was up."""


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why there is no full answer: the stage that failed and its message.

    `panic` distinguishes a crash (a finding) from an object that cannot be handled, such as one that does not decode
    (not a finding). Stage `worker` is set by the harness: the process died, hung or printed garbage on this case. Stage
    `self`: the validators gave two answers to one case, or changed the object. Stages `old` and `new`: the two
    validators of a suite in Python. Stage `limit`: the answer has more errors than are kept. `at` is the code location
    of the target that raised, such as `handwritten.py:41 in validate_spec`; it is empty when the target does not know
    it.
    """

    stage: Stage
    message: str
    panic: bool = False
    at: str = ""


class ServedList(msgspec.Struct, frozen=True, omit_defaults=True):
    """The list a user gets under one setting of the migration's gates, composed by the target itself.

    `status` is what a running server answered in place of a list, `409 Conflict: ...`; it is empty where validation
    answered.
    """

    setting: str
    gates: dict[str, bool]
    errors: tuple[FieldError, ...]
    status: str = ""


class Validated(msgspec.Struct, frozen=True, omit_defaults=True):
    """The objects that the declarative validators of one version received: decoded, defaulted, prepared and converted.

    `type` is the Go type of the versioned object, `import/path.Name`; `options` are those in force.
    """

    type: str
    object: Json
    old: Json = None
    options: dict[str, bool] = {}
    subresource: str = ""


class RoundTrip(msgspec.Struct, frozen=True, omit_defaults=True):
    """An object that was another one after it was converted to a version, written and read as JSON, and converted back.

    Both are in the version of the request, without the defaults of the other one. `error` says why there is no object
    `after`.
    """

    before: Json = None
    after: Json = None
    error: str = ""


class Spent(msgspec.Struct, frozen=True, omit_defaults=True):
    """The cost of running one part once: `nanoseconds` in each round, each measured over a number of `loops`.

    `objects` and `bytes` are the allocations of one run, None when the target cannot measure them.
    """

    nanoseconds: tuple[float, ...]
    loops: int = 1
    objects: int | None = None
    bytes: int | None = None


class Cost(msgspec.Struct, frozen=True):
    """The cost of the parts of one answer, measured in rotation inside the target.

    `clock` is `cpu` (the thread's CPU time) or `wall` (elapsed time). Parts are `read` (decode, default, convert to the
    type that the handwritten validators take), `handwritten`, `convert` (to the type that the declarative validators
    take), `declarative` (the rules alone) and `both` (all validation of a server, without reading). A part that does
    not exist is left out.
    """

    clock: Literal["cpu", "wall"]
    parts: dict[str, Spent]


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer of a target to one case: both lists before any composition, and the extras that the case asked for.

    `handwritten` is the list that goes into composition (strategy and object-meta checks), not yet deduplicated;
    `declarative` is the whole declarative list of the requested version, all levels. `nanoseconds` is the worker's time
    by stage, when it measures it. `validated` has the objects that the declarative validators received, for the
    requested version and every version in `versions`, when the case asks for them. `cost` is set when it asks to
    `measure`. `pruned` are the paths of fields that the target dropped, because its schema does not know them.
    `unreachable` says with which HTTP status, and why, a server answers the request whatever the validators say (`409,
    because ...`); it is empty where they decide. `parent` are the errors with which it rejects an object that they
    accept, under every setting: those of another object, of which this one is a part, as a scale is. `held` names rules
    that were asked about the object and that hold, by a target that knows, such as policies. `ignored` are errors that
    rules raised and users are not served, because the target was told to let them pass (`failurePolicy: Ignore`).
    `blocks` are numbers of blocks of the target's code, see `Case.blocks`. `compiled` is what the target's own tags
    report, when the case asks for it and they are known. `round_trips` has the versions, by name, through which the
    object does not come back as it was, when the case asks for a round trip.
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
    pruned: tuple[str, ...] = ()
    unreachable: str = ""
    parent: tuple[FieldError, ...] = ()
    held: tuple[str, ...] = ()
    ignored: tuple[FieldError, ...] = ()
    blocks: tuple[int, ...] = ()
    compiled: tuple[FieldError, ...] | None = None
    round_trips: dict[str, RoundTrip] = {}


def group_version(group: str, version: str) -> str:
    """Return the apiVersion of objects of a version: `apps/v1`, `v1`."""
    return f"{group}/{version}" if group else version


def kind_name(group: str, version: str, resource: str, subresource: str) -> str:
    """Return the displayed name of a kind: `apps/v1 deployments/scale`, `v1 pods`."""
    return f"{group_version(group, version)} {resource}".lstrip() + (f"/{subresource}" if subresource else "")


class KindInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """A resource or subresource of one group and version that a target can validate, and how to ask for it.

    `api_version` is the apiVersion of the object (`autoscaling/v1` for a scale of apps/v1), empty for plain objects,
    which have neither apiVersion nor kind nor metadata. `type` is the Go type of the object, `import/path.Name`.
    `rules`: declarative validation is registered for it. `storage` is false for kinds that are not stored (reviews,
    bindings). `versions` are the other versions that a case with `versions` is answered for. `options` are the
    validation options that the strategy sets, with their values. `through` is set for a version that is registered but
    not served: it is validated with the strategy of the version named here.
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
        """The displayed name: `apps/v1 deployments/scale`, `v1 pods`."""
        return kind_name(self.group, self.version, self.resource, self.subresource)

    @property
    def plural(self) -> str:
        """The resource behind a version in a sentence, for a version of a group serves some of them: `leases`."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The identity of the kind in a case: group, version, resource, subresource."""
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
        compiled: bool = False,
        round_trip: bool = False,
    ) -> Case:
        """Return a case for this kind."""
        return Case(
            id, self.group, self.version, self.kind, operation, new, old, self.resource, self.subresource, mode,
            options or {}, versions, served, repeat, compiled=compiled, brief=round_trip, round_trip=round_trip,
        )  # fmt: skip


class Excluded(msgspec.Struct, frozen=True):
    """A resource that the target has but cannot validate here, and the reason."""

    group: str
    version: str
    resource: str
    reason: str


class RuledKind(msgspec.Struct, frozen=True):
    """A kind whose type has declarative validation, served or not. `type` is as in `KindInfo`."""

    group: str
    version: str
    kind: str
    type: str


class Vocabulary(msgspec.Struct, frozen=True, omit_defaults=True):
    """What handwritten code of a target calls things, for the words of fixes.

    `mark` marks an error as covered, `origin` gives it an origin, which stands for `<origin>` in it. `calls` are the
    calls that make errors, by type of error; one that counts bytes by the type and ` in bytes`. `file` is where the
    code is, empty when it is not in one file. `stop` is what lets a rule stop earlier than the code of a kind does,
    empty where nothing does. `generate` is the command that generates the code of rules anew, if there is one.
    """

    mark: str = "the mark `covered`"
    origin: str = 'the origin "<origin>"'
    calls: dict[str, str] = {}
    file: str = ""
    stop: str = ""
    generate: str = ""

    def call(self, error_type: str, detail: str = "") -> str:
        """Return the call that makes errors of a type, as a sentence names it; `detail` may say that bytes count."""
        in_bytes = self.calls.get(f"{error_type} in bytes", "") if "byte" in detail else ""
        return in_bytes or self.calls.get(error_type, "the handwritten error")

    def with_origin(self, origin: str) -> str:
        """Return what gives an error this origin."""
        return fill(self.origin, origin=origin)


NEUTRAL = Vocabulary()
"""For programs of which nothing is known."""


class TargetInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """A target's description of itself: the first line of the wire protocol, and `Target.info`.

    `abilities` is a subset of: served, versions, modes, options, repeat, update, nanoseconds, validated, declarative,
    measure, trace, pruned, blocks, compiled, round trip, switches (the options of a case apply to the handwritten
    validators too, like their feature gates).
    `ruled` are the kinds that a case of mode `declarative` may name. `gates` are its feature gates with their current
    values. `vocabulary` lets fixes name the calls of its handwritten code.
    """

    name: str
    protocol: int = PROTOCOL
    release: str = ""
    abilities: tuple[str, ...] = ()
    kinds: tuple[KindInfo, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    ruled: tuple[RuledKind, ...] = ()
    gates: dict[str, bool] = {}
    vocabulary: Vocabulary = NEUTRAL
