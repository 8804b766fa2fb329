"""The generator's own test packages of a release: where they lie, what generates them, and our compilation of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from harness.compiler import Compiled, compile_types
from harness.gotypes.packages import Universe
from harness.tags.grammar import tag_lines
from harness.targets.kubernetes.release import KubernetesSource, find_toolchain, module_folder
from tests.conformance.generator.custom import CUSTOM

GENERATOR = "k8s.io/code-generator"
MACHINERY = "k8s.io/apimachinery"
TESTS = "cmd/validation-gen/output_tests"
_SHARED = ("pkg/apis/meta/v1", "pkg/api/resource", "pkg/runtime", "pkg/runtime/schema", "pkg/types", "pkg/util/intstr")
"""Packages of apimachinery that test packages use."""
_GENERATED = "zz_generated.validations.go"
_REGISTERED = re.compile(r"AddValidationFunc\(\s*\(\*?(?:\w+\.)?(\w+)\)\(nil\)")


@dataclass(frozen=True)
class TestPackage:
    """One folder with generated validators. `types` is the package that declares what is validated, often itself."""

    __test__ = False

    name: str
    folder: Path
    types: str
    criteria: tuple[str, ...]
    registers: bool

    @property
    def path(self) -> str:
        """The import path."""
        return f"{GENERATOR}/{TESTS}/{self.name}"

    @cached_property
    def generated(self) -> str:
        """The text of the generated validators."""
        return (self.folder / _GENERATED).read_text(encoding="utf-8")

    @property
    def has_registration(self) -> bool:
        """Whether there is a function that registers validators: not where no type has rules."""
        return "func RegisterValidations(" in self.generated

    @property
    def registered(self) -> frozenset[str]:
        """The types that upstream registers; those with a function, where the package registers nothing."""
        if self.registers:
            return frozenset(_REGISTERED.findall(self.generated))
        return frozenset(re.findall(r"^func Validate_(\w+)\(", self.generated, re.M))


@dataclass(frozen=True)
class TestModule:
    """All test packages of a release."""

    __test__ = False

    release: str
    version: str
    go: str
    has_option_states: bool
    universe: Universe
    packages: Mapping[str, TestPackage]

    def compile(self, package: TestPackage) -> Compiled:
        """Compile a package from its types, as the generator was asked to."""
        return compile_types(
            self.universe, package.types, release=self.release, custom=CUSTOM, criteria=package.criteria
        )


def open_module(release: str) -> TestModule:
    """Fetch the modules of a release, or find them in the module cache, and list the test packages."""
    found, toolchain = KubernetesSource(release), find_toolchain()
    root = module_folder(found, GENERATOR, toolchain)
    machinery = module_folder(found, MACHINERY, toolchain)
    top = root / TESTS
    own = {f"{GENERATOR}/{f.relative_to(root).as_posix()}": f for f in sorted({p.parent for p in top.rglob("*.go")})}
    shared = {f"{MACHINERY}/{path}": machinery / path for path in _SHARED}
    universe = Universe.from_folders({**shared, **own})
    packages = [_package(folder, top) for folder in own.values() if (folder / _GENERATED).is_file()]
    go = re.findall(r"^go (\S+)", (root / "go.mod").read_text(), re.M)[0]
    states = "options map[string]bool" in (top.parent / "testscheme" / "testscheme.go").read_text(encoding="utf-8")
    return TestModule(release, found.staging_version, go, states, universe, {one.name: one for one in packages})


def _package(folder: Path, top: Path) -> TestPackage:
    name = folder.relative_to(top).as_posix()
    said: dict[str, list[str]] = {}
    for line in tag_lines(Universe.from_files({"doc": [folder / "doc.go"]}).package("doc").comments):
        said.setdefault(line.name, []).append(line.text.partition("=")[2].strip())
    elsewhere = said.get("k8s:validation-gen-input", [])
    return TestPackage(
        name,
        folder,
        elsewhere[0] if elsewhere else f"{GENERATOR}/{TESTS}/{name}",
        tuple(said.get("k8s:validation-gen", ())) if elsewhere else (),
        ["nil"] != said.get("k8s:validation-gen-scheme-registry"),
    )
