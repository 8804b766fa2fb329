"""What an author of a suite writes, and what the harness needs to know of any subject of examination.

A suite is a folder `suites/<group>_<version>/` with types.go, handwritten.py and suite.py; suite.py defines
`SUITE = Suite(...)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TypeAlias

from harness.case import Composition, Json, Operation
from harness.field import ErrorList


@dataclass(frozen=True, slots=True)
class Context:
    """What a handwritten validator is told besides the objects.

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
    None once it was deleted: then only a recording can speak for it (`harness run --handwritten FILE`);
    `conversions` bring an object of any other version to it: `{("v1beta1", "v1"): convert, ("v1", "v1beta1"): back}`.
    `normalization` are (regex, replacement) pairs applied to declarative paths when they are compared with handwritten
    ones. `defaults` per version fill in what a client left out; `prepare` resets what a request may not set.
    `operations` says what a subresource (or the root, "") answers, e.g. `{"status": (Operation.UPDATE,)}`; by default
    the root answers both operations and a subresource answers updates. `root` is false for a kind that exists only as
    a subresource of the resource, such as a Scale. An option that has the name of a gate of the suite follows the gate.
    `prepare` and `handwritten` see the object in `internal_version` (by default the last of `versions`).
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
class Suite:
    """What `suite.py` defines as SUITE. `group` is the API group; `gates` its feature gates with their defaults.

    `release` says whose tags the types are written with, and how they work: 1.34 to 1.37 of Kubernetes.
    `allow_incomplete` are patterns of kinds, as `--kind` takes them, of which no accepted object need be found.
    """

    name: str
    group: str
    kinds: Sequence[SuiteKind]
    composition: Composition = "levels"
    gates: Mapping[str, bool] = field(default_factory=dict)
    folder: FilePath = FilePath(".")
    release: str = "1.37"
    allow_incomplete: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class KubernetesSuite:
    """What `suites/kubernetes/suite.py` defines as SUITE: the real validators of a release, or of a checkout.

    `release` is a version such as `1.37.1`, or the path of a checkout. `allow_incomplete` is as in `Suite`.
    """

    release: str
    gates: Mapping[str, bool] = field(default_factory=dict)
    name: str = "kubernetes"
    allow_incomplete: Sequence[str] = ()
