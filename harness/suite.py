"""Defines the records with which the author of a suite describes it: `Suite`, `SuiteKind`, `KubernetesSuite`.

A suite is a folder `suites/<group>_<version>/` with types.go, handwritten.py and suite.py; suite.py defines
`SUITE = Suite(...)`. A suite of two validators of Python, `Suite(old=..., new=...)`, has no types.go and no kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, Literal, TypeAlias, get_args

from harness.case import Composition, Json, Operation
from harness.field import ErrorList


@dataclass(frozen=True, slots=True)
class Context:
    """The arguments of a handwritten validator besides the objects.

    `options` are validation options, `gates` the suite's own feature gates; `subresource` is empty for the root.
    """

    operation: Operation
    version: str
    subresource: str = ""
    options: Mapping[str, bool] = field(default_factory=dict)
    gates: Mapping[str, bool] = field(default_factory=dict)


Handwritten: TypeAlias = Callable[[Json, Json, Context], ErrorList]
"""(new, old or None, context) to errors. Must not change the objects."""

Transform: TypeAlias = Callable[[Json], Json]
Prepare: TypeAlias = Callable[[Json, Json, Context], Json]
"""(new, old or None, context) to the object as the server would validate it. Must not change its arguments."""


@dataclass(frozen=True, slots=True)
class SuiteKind:
    """One kind of a suite.

    `versions` are import-path-like package folders per version: `{"v1": "types.go"}` maps a version to the file (or
    folder) that declares its types, relative to the suite. `handwritten` validates the object in `internal_version`,
    None once it was deleted: then a recording takes its place (`harness run --handwritten FILE`);
    `conversions` convert an object of any other version to it: `{("v1beta1", "v1"): convert, ("v1", "v1beta1"): back}`.
    `normalization` are (regex, replacement) pairs applied to declarative paths when they are compared with handwritten
    ones. `defaults` per version set omitted fields; `prepare` resets fields that a request may not set.
    `operations` are those that a subresource (or the root, "") serves, e.g. `{"status": (Operation.UPDATE,)}`; by
    default the root serves both operations and a subresource serves updates. `root` is false for a kind that is
    only a subresource of the resource, such as a Scale. An option with the name of a gate of the suite follows the
    gate.
    `prepare` and `handwritten` get the object in `internal_version` (by default the last of `versions`).
    """

    kind: str
    resource: str
    versions: Mapping[str, str]
    handwritten: Handwritten | None = None
    internal_version: str = ""
    subresources: Sequence[str] = ()
    operations: Mapping[str, Sequence[Operation]] = field(default_factory=dict)
    conversions: Mapping[tuple[str, str], Transform] = field(default_factory=dict)
    defaults: Mapping[str, Transform] = field(default_factory=dict)
    prepare: Prepare | None = None
    normalization: Sequence[tuple[str, str]] = ()
    options: Mapping[str, bool] = field(default_factory=dict)
    namespaced: bool = True
    root: bool = True


@dataclass(frozen=True, slots=True)
class Webhook:
    """A function that validates what a CRD accepts, as a webhook does: `Webhook("crd.yaml", validate)`.

    `crd` is a file of the suite; `without-cel:crd.yaml` is the definition there without its CEL rules. `validate` gets
    the object with its defaults and without unknown fields, and the old object (None on a create) if it takes two.
    """

    crd: str
    validate: Callable[..., Any]


Compared: TypeAlias = Literal["verdict", "paths", "errors"]
"""What of two validators is compared: whether they accept, also where their errors are, or also what these say."""
COMPARED: tuple[Compared, ...] = get_args(Compared)


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite, defined as SUITE by `suite.py`. `group` is the API group; `gates` its feature gates with their defaults.

    `release` is the Kubernetes release, 1.33 to 1.37 or `proposed`, that determines the known tags and their behaviour.
    `allow_incomplete` are patterns of kinds, as `--kind` takes them, that may lack an accepted object.

    A suite without kinds compares `old` with `new`, each a model, a dataclass, a JSON Schema, a CRD file, a
    `Webhook` or a callable (docs/how-to/migrate-to-pydantic.md, docs/how-to/migrate-a-webhook-to-cel.md). `compare` is
    what of their answers has to be equal. `schema` is the JSON Schema of the objects, or a model that has one, where
    neither of the two has. `rejections` are the exceptions by which a callable rejects an object; any other one is a
    crash. `version` is that of CRD files, empty for the one that is stored. `stored:crd.yaml` is a CRD as a server of
    the release `proposed` reads it from its storage.
    """

    name: str = ""
    group: str = ""
    kinds: Sequence[SuiteKind] = ()
    composition: Composition = "levels"
    gates: Mapping[str, bool] = field(default_factory=dict)
    folder: FilePath = FilePath(".")
    release: str = "1.37"
    allow_incomplete: Sequence[str] = ()
    old: Any = None
    new: Any = None
    compare: Compared = "verdict"
    schema: Any = None
    rejections: tuple[type[Exception], ...] = (ValueError, AssertionError)
    version: str = ""

    @property
    def has_validators(self) -> bool:
        """Whether it compares two validators of Python, without types."""
        return self.old is not None or self.new is not None


@dataclass(frozen=True, slots=True)
class KubernetesSuite:
    """A suite of the real validators of a Kubernetes release or checkout, as in `suites/kubernetes/suite.py`.

    `release` is a version such as `1.37.1`, or the path of a checkout. `allow_incomplete` is as in `Suite`.
    """

    release: str
    gates: Mapping[str, bool] = field(default_factory=dict)
    name: str = "kubernetes"
    allow_incomplete: Sequence[str] = ()
