"""Opens base and head of a change as APIs: packages of types, kinds and compiled rules. No worker is built."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from harness.compiler import Compiled
from harness.compiler.build import Builder
from harness.diagnostics import Diagnostic, InputError, Position
from harness.gotypes.model import Field, Struct, Typedef
from harness.gotypes.packages import Universe
from harness.limits import read_checkout_text
from harness.rulecov.inventory import KnownRule, read_inventory
from harness.subject.api import SHARED, Api, ApiPackage, go_files, open_api
from harness.subject.description import load_suite
from harness.subject.suites import package_of, suite_files
from harness.subject.validatorsuite import ValidatorSuite
from harness.suite import Suite, SuiteKind
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.release import release_of
from harness.targets.kubernetes.release import generating_folders
from harness.targets.kubernetes.sources import read_resources
from harness.verify.change import KindName, Layout
from harness.verify.layout import suite_folders

INTERNAL = "k8s.io/kubernetes/pkg/apis/"
_DOC = re.compile(r"^//[ \t]*\+k8s:(validation-gen-input|conversion-gen)=(\S+)", re.M)


@dataclass(frozen=True, slots=True)
class SideKind:
    """A kind of base or head: its Go type, the package of its rules, and its resources.

    `families` are shared by its versions, and handwritten code belongs to them: internal packages, or the suite's name.
    """

    name: KindName
    type: str
    package: str
    families: tuple[str, ...]
    resources: tuple[str, ...] = ()
    suite: SuiteKind | None = None


@dataclass(frozen=True)
class Side:
    """Base or head. `root` is the folder of its files; `generated` maps a package to the folder of its validators.

    `without_types` are the folders of suites that compare two validators of Python: no field of theirs is known.
    """

    root: Path
    layout: Layout
    apis: tuple[Api, ...]
    universe: Universe
    kinds: Mapping[KindName, SideKind]
    suites: Mapping[str, Suite] = field(default_factory=dict)
    generated: Mapping[str, Path] = field(default_factory=dict)
    errors: tuple[Diagnostic, ...] = ()
    without_types: frozenset[str] = frozenset()
    _compiled: dict[str, Compiled | None] = field(default_factory=dict, repr=False)
    _rules: dict[str, tuple[KnownRule, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def packages(self) -> dict[str, tuple[Api, ApiPackage]]:
        """The packages with declarative validation, by the import path of their types."""
        return {package.path: (api, package) for api in self.apis for package in api.packages}

    def compiled(self, path: str) -> Compiled | None:
        """Return the compiled validators of a package; None when there are none, or when its tags do not compile."""
        if path not in self._compiled:
            self._compiled[path] = None
            if path in self.packages and self.packages[path][1].generates:
                api, package = self.packages[path]
                try:
                    self._compiled[path] = api.compile(package, CustomFunctions())
                except InputError:  # lint reports the reason
                    return None
        return self._compiled[path]

    def rules(self, kind: SideKind) -> tuple[KnownRule, ...]:
        """Return the declared rules of one kind."""
        if kind.package not in self._rules:
            found: tuple[KnownRule, ...] = ()
            if kind.package in self.packages:
                api, package = self.packages[kind.package]
                found = read_inventory(replace(api, packages=(package,))).rules
            self._rules[kind.package] = found
        return tuple(rule for rule in self._rules[kind.package] if rule.type == kind.type)

    def place(self, position: Position) -> Position:
        """Make the file of a position relative to the checkout."""
        path = Path(position.file)
        if path.is_absolute() and path.is_relative_to(self.root):
            return replace(position, file=path.relative_to(self.root).as_posix())
        return position


def open_side(root: Path, layout: Layout) -> Side:
    """Open base or head. Raises: InputError, UsageError, TargetError when it cannot be read."""
    return _kubernetes(root) if layout == "kubernetes" else _suites(root)


def empty_side(root: Path, layout: Layout) -> Side:
    """Return a side without an API, for a base that predates it."""
    return Side(root, layout, (), Universe.from_files({}), {})


# Kubernetes


def _kubernetes(root: Path) -> Side:
    api = open_api(kubernetes=str(root))
    families: dict[str, tuple[str, ...]] = {}
    generated: dict[str, Path] = {}
    for folder in generating_folders(str(root)).values():
        tags = _DOC.findall(read_checkout_text(folder / "doc.go"))
        for types in (value for name, value in tags if name == "validation-gen-input"):
            generated[types] = folder
            families[types] = tuple(value for name, value in tags if name == "conversion-gen") or (types,)
    kinds = {}
    resources: dict[str, Mapping[str, tuple[str, ...]]] = {}
    for package in api.packages:
        named = families.get(package.path, ())
        for name in _root_kinds(api, package):
            kind = KindName(package.group, package.version, name)
            for family in named:
                if family not in resources:
                    resources[family] = read_resources(root / "pkg" / "registry" / family.rpartition("/")[2] / "rest")
            listed = next((found for one in named if (found := _find_resources(name, resources[one]))), ())
            kinds[kind] = SideKind(kind, f"{package.path}.{name}", package.path, named, listed)
    return Side(root, "kubernetes", (api,), api.universe, kinds, generated=generated)


def _root_kinds(api: Api, package: ApiPackage) -> Iterator[str]:
    """Yield the names of the types of a package that are kinds: those with metadata."""
    builder = Builder(api.universe, package.path, release_of(api.release), {}, package.criteria)
    for declared in builder.root_types():
        if any(one.embedded and one.type.name.endswith(".ObjectMeta") for one in _fields(declared)):
            yield declared.name


def _fields(declared: Struct | Typedef) -> tuple[Field, ...]:
    return declared.fields if isinstance(declared, Struct) else ()


def _find_resources(kind: str, resources: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    stem = kind.lower()
    plurals = (f"{stem}s", f"{stem}es", f"{stem.removesuffix('y')}ies", stem)
    return next((resources[plural] for plural in plurals if plural in resources), ())


# Suites


def _suites(root: Path) -> Side:
    suites: dict[str, Suite] = {}
    errors: list[Diagnostic] = []
    without_types: set[str] = set()
    for folder in suite_folders(root):
        try:
            suite = load_suite(folder)
        except InputError as error:
            errors += error.diagnostics
            continue
        if isinstance(suite, Suite):
            suites[folder.relative_to(root).as_posix()] = suite
        elif isinstance(suite, ValidatorSuite):
            without_types.add(folder.relative_to(root).as_posix())
    files: dict[str, list[Path]] = {}
    for suite in suites.values():
        files |= suite_files(suite)
    universe = Universe.from_files({**{name: go_files(folder) for name, folder in SHARED.items()}, **files})
    apis, kinds = [], {}
    for suite in suites.values():
        packages: dict[str, ApiPackage] = {}
        for kind in suite.kinds:
            for version, place in kind.versions.items():
                path = package_of(suite, version, place)
                packages[path] = ApiPackage(path, suite.group, version)
                name = KindName(suite.group, version, kind.kind)
                kinds[name] = SideKind(name, f"{path}.{kind.kind}", path, (suite.name,), _served_resources(kind), kind)
        apis.append(Api(suite.name, suite.release, universe, tuple(packages.values())))
    return Side(
        root,
        "suites",
        tuple(apis),
        universe,
        kinds,
        suites,
        errors=tuple(errors),
        without_types=frozenset(without_types),
    )


def _served_resources(kind: SuiteKind) -> tuple[str, ...]:
    root: Iterable[str] = (kind.resource,) if kind.root else ()
    return (*root, *(f"{kind.resource}/{one}" for one in kind.subresources))
