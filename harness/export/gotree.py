"""Finds internal types, strategies and test folders in the source tree of a Kubernetes release.

Everything is read from the sources: the package that registers a group, the storage that creates a kind, and the names
and parameters of its strategies.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from harness.case import KindInfo
from harness.diagnostics import UsageError
from harness.export.imports import Imports
from harness.gotypes.packages import Universe
from harness.limits import read_checkout_text
from harness.targets.kubernetes.release import find_release, find_toolchain, module_folder, type_folders

TOP = "k8s.io/kubernetes"
TESTS = "test/declarative_validation"
HELPERS = f"{TOP}/pkg/api/testing"
_AUTHORIZERS = "k8s.io/apiserver/pkg/authorization/authorizerfactory"
_Functions: TypeAlias = dict[str, tuple[str, str]]
_FAKES = "k8s.io/client-go/kubernetes/fake"
_GROUP = re.compile(r'^(?:const )?\s*GroupName\s*=\s*"([^"]*)"', re.M)
_MADE = re.compile(r"NewFunc:\s+func\(\) runtime\.Object \{ return &\w+\.(\w+)\{\} \}")
_VARIABLE = re.compile(r"^(?:var )?\s*(\w*Strategy)\s*=\s", re.M)
_FUNCTION = re.compile(r"^func (New\w*Strategy)\(([^)]*)\)", re.M)
_HELPER = re.compile(
    r"^func VerifyValidationEquivalence\(t \*testing\.T, ctx context\.Context, obj runtime\.Object, strategy ", re.M
)


@dataclass(frozen=True)
class Tree:
    """The sources of a release or checkout."""

    top: Path
    location: str

    @classmethod
    def of(cls, location: str) -> Tree:
        """Find the sources of a release. Raises: TargetError when they are not found; UsageError before 1.37."""
        release = find_release(location)
        top = release.folder or module_folder(release, TOP, find_toolchain())
        helper = top / "pkg/api/testing/validation.go"
        if not helper.is_file() or not _HELPER.search(read_checkout_text(helper)):
            raise UsageError(
                f"the test helpers of Kubernetes {location} have another signature than exported tests call\n"
                "  fix: export for 1.37 or newer, or --format pytest"
            )
        return cls(top, str(location))

    @cached_property
    def groups(self) -> dict[str, str]:
        """The folders of internal types in pkg/apis, by API group."""
        found: dict[str, str] = {}
        for file in sorted((self.top / "pkg/apis").glob("*/register.go")):
            name = _GROUP.search(read_checkout_text(file))
            if name:
                found.setdefault(name[1], file.parent.name)
        return found

    @cached_property
    def universe(self) -> Universe:
        """The published and internal types."""
        internal = {f"{TOP}/pkg/apis/{name}": self.top / "pkg/apis" / name for name in self.groups.values()}
        return Universe.from_folders({**type_folders(self.location), **internal})

    def internal_type(self, info: KindInfo) -> str:
        """Return the qualified internal type of a kind. Raises: UsageError when its group has no type of this name."""
        folder = self.groups.get(info.group, "")
        name = info.type.rpartition(".")[2]
        qualified = f"{TOP}/pkg/apis/{folder}.{name}"
        if not folder or self.universe.find(qualified) is None:
            raise UsageError(
                f"{info.name} has no internal type of its own group, so its objects cannot be written down in Go\n"
                "  fix: export the kind of the group that holds it, or --format pytest"
            )
        return qualified

    def check(self, info: KindInfo) -> None:
        """Check that a Go test can be written for a kind. Raises: UsageError."""
        self.internal_type(info)
        self.strategy(info, Imports())

    def package(self, info: KindInfo) -> str:
        """Return the test folder of a kind, relative to the root of the tree."""
        return f"{TESTS}/{self.groups[info.group]}/{info.kind.lower()}"

    def registry(self, info: KindInfo) -> Path:
        """Return the folder with the strategies of a kind. Raises: UsageError when no storage creates it."""
        folder = self.top / "pkg/registry" / self.groups.get(info.group, "")
        for file in sorted(folder.glob("*/storage/*.go")):
            made = _MADE.search(read_checkout_text(file))
            if made and made[1] == info.kind:
                return file.parent.parent
        raise UsageError(
            f"no storage of this release creates a {info.kind}, so there is no strategy to call\n  fix: --format pytest"
        )

    def strategy(self, info: KindInfo, imports: Imports) -> str:
        """Return the Go expression for the strategy of a kind or subresource; parameters that are clients are nil.

        Raises: UsageError when none is found.
        """
        folder = self.registry(info)
        text = "".join(read_checkout_text(file) for file in sorted(folder.glob("*strategy*.go")))
        package = imports.name(f"{TOP}/{folder.relative_to(self.top).as_posix()}", "registry")
        wanted = f"{info.subresource.capitalize()}Strategy"
        variables = {name.lower(): name for name in _VARIABLE.findall(text)}
        functions = {name.lower(): (name, arguments) for name, arguments in _FUNCTION.findall(text)}
        if wanted.lower() in variables:
            return f"{package}.{variables[wanted.lower()]}"
        if f"new{wanted}".lower() in functions:
            name, arguments = functions[f"new{wanted}".lower()]
            return f"{package}.{name}({', '.join(self._arguments(arguments, package, functions, imports))})"
        raise UsageError(f"no strategy of {info.name} was found in {folder.name}\n  fix: --format pytest")

    def wants_user(self, info: KindInfo) -> bool:
        """Whether the strategies of a kind read the user of the request."""
        files = self.registry(info).glob("*strategy*.go")
        return any(re.search(r"\bUserFrom\(|authorizer\.", read_checkout_text(file)) for file in files)

    def _arguments(self, text: str, package: str, functions: _Functions, imports: Imports) -> list[str]:
        """Return the arguments of a constructor: a base strategy, a clock, an authorizer that allows all, else nil."""
        given = []
        for name, _, kind in (one.strip().partition(" ") for one in text.split(",") if one.strip()):
            if kind.endswith("Strategy"):
                first, wants = functions.get("newstrategy", ("NewStrategy", ""))
                given.append(f"{package}.{first}({', '.join(self._arguments(wants, package, functions, imports))})")
            elif "clock" in name.lower() + kind.lower():
                given.append(f"{imports.name('k8s.io/utils/clock')}.RealClock{{}}")
            elif kind.endswith("NamespaceInterface"):
                given.append(f"{imports.name(_FAKES)}.NewClientset().CoreV1().Namespaces()")
            elif kind.startswith("authorizer."):
                given.append(f"{imports.name(_AUTHORIZERS)}.NewAlwaysAllowAuthorizer()")
            else:
                given.append("nil")
        return given
