"""Writes what differs from release to release in the sources of a worker: its go.mod, and the file of its imports.

Both are read from the release's own sources: its go.mod, and the packages that its server links.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from harness.diagnostics import TargetError
from harness.limits import read_checkout_text
from harness.targets.kubernetes.release import KubernetesSource, staging_modules

TOP = "k8s.io/kubernetes"
"""The module of a release's own code."""
MODULE = "worker"
"""The module of the worker's own code."""
_VALIDATE = "pkg/registry/rest/validate.go"
_GENERATIONS = {
    "levels": re.compile(r"^type DeclarativeValidationStrategy interface \{", re.M),
    "explicit": re.compile(r"^func WithDeclarativeEnforcement\(\) ValidationConfig", re.M),
    "helper": re.compile(
        r"^func ValidateDeclarativelyWithMigrationChecks\(.*configOpts \.\.\.ValidationConfig\)", re.M
    ),
    "inline": re.compile(r"^func ValidateDeclaratively\(.*configOpts \.\.\.ValidationConfig\)", re.M),
    "first": re.compile(r"^func ValidateDeclaratively\(.*options sets\.Set\[string\]", re.M),
}
"""Patterns in a release's validate.go that show how its strategies call declarative validation, newest first."""

_NORMALIZING = ("explicit", "helper")
"""Generations in which strategies hand over rules for paths in a call, where only their source shows them."""


def find_generation(apiserver: Path) -> str:
    """Return how the strategies of a release call declarative validation.

    Raises: TargetError if its source has no call that the worker supports.
    """
    validate = apiserver / _VALIDATE
    source = read_checkout_text(validate) if validate.is_file() else ""
    for generation, sign in _GENERATIONS.items():
        if sign.search(source):
            return generation
    raise TargetError(
        "the worker does not support how this release calls declarative validation",
        why=f"{_VALIDATE} of k8s.io/apiserver has none of the supported functions",
        fix="name a release from 1.33 on, or update the harness",
    )


def go_mod(
    release: KubernetesSource,
    upstream: str,
    links: Mapping[str, str] = MappingProxyType({}),
    modules: tuple[str, ...] = (),
) -> str:
    """Write the worker's go.mod: the release, and its staging modules by version or by folder.

    All are required at one version and replaced. With -trimpath, the key of Go's build cache contains that version and
    not the folder, so that packages that are equal in a checkout and a release are not built again. `links`: of a
    release, the modules of which a file is replaced are looked at through these links. `modules` are others, in the
    version that the release requires.
    """
    staging = staging_modules(upstream)
    kept = [line for line in upstream.splitlines() if re.match(r"(go|godebug|toolchain) ", line)]
    used = [m for m in staging if re.search(rf"^\s+{re.escape(m)} v", upstream, re.M)]  # others are never imported
    require = [f"\t{module} v0.0.0" for module in (TOP, *used)]
    require += [f"\t{m} {v}" for m in modules for v in re.findall(rf"^\s+{re.escape(m)} (v\S+)", upstream, re.M)]
    if release.folder is None:
        versions = {TOP: release.version} | dict.fromkeys(staging, release.staging_version)
        replace = [f"\t{m} => {links.get(m) or f'{m} {version}'}" for m, version in versions.items()]
    else:
        replace = [f"\t{TOP} => {release.folder}"]
        replace += [f"\t{m} => {release.folder / 'staging' / 'src' / m}" for m in staging]
    head = [f"module {MODULE}", "", *kept, ""]
    return "\n".join([*head, "require (", *require, ")", "", "replace (", *replace, ")", ""])


def generated(top: Path, generation: str) -> str:
    """Return the Go file that differs between releases: it imports the packages that the release's own server links."""
    apis = installed_apis(top)
    instance = top / "pkg/controlplane/instance.go"
    groups = [g for g in _imported_names(instance, "pkg/registry", "rest", top) if g != "core"]
    providers = [(group, _provider_name(top / "pkg/registry" / group / "rest")) for group in groups]
    rules = _normalization(top) if generation in _NORMALIZING else {}
    packages = {package: f"rules{number}" for number, package in enumerate(sorted({p for p, _ in rules.values()}))}
    lines = ["package main", "", "import ("]
    lines += ['\t"k8s.io/apimachinery/pkg/util/validation/field"'] if generation in _NORMALIZING else []
    lines += [f'\t_ "{TOP}/pkg/apis/{api}/install"' for api in apis]
    lines += [f'\t{group}rest "{TOP}/pkg/registry/{group}/rest"' for group, name in providers if name]
    lines += [f'\t{alias} "{package}"' for package, alias in packages.items()]
    lines += [")", "", "var providers = []provider{"]
    lines += [f"\t&{group}rest.{name}{{}}," for group, name in providers if name]
    lines += ["}"]
    if generation in _NORMALIZING:
        lines += ["", "var normalization = map[string][]field.NormalizationRule{"]
        lines += [f'\t"{strategy}": {packages[package]}.{name},' for strategy, (package, name) in rules.items()]
        lines += ["}"]
    return "\n".join([*lines, ""])


def installed_apis(top: Path) -> list[str]:
    """Return the folders of pkg/apis whose types the release's own server knows. Raises: TargetError."""
    return _imported_names(top / "pkg/controlplane/import_known_versions.go", "pkg/apis", "install", top)


def _normalization(top: Path) -> dict[str, tuple[str, str]]:
    """Find the normalization rules that strategies of 1.35 and 1.36 use.

    Returns: the package and the name of the rules, by the package of the strategy.
    """
    rules = {}
    for path in sorted((top / "pkg/registry").glob("*/*/strategy.go")):
        text = read_checkout_text(path)
        used = re.search(r"WithNormalizationRules\((\w+)\.(\w+)\)", text)
        package = used and re.search(rf'^\s+(?:{used[1]} "([^"]+)"|"([^"]+/{used[1]})")$', text, re.M)
        if used and package:
            strategy = f"{TOP}/{path.parent.relative_to(top).as_posix()}"
            rules[strategy] = (package[1] or package[2], used[2])
    return rules


def _imported_names(server: Path, parent: str, leaf: str, top: Path) -> list[str]:
    """Return the NAME of each package parent/NAME/leaf that a file of the server imports. Raises: TargetError."""
    text = read_checkout_text(server) if server.is_file() else ""
    imported = set(re.findall(rf'"{TOP}/{parent}/(\w+)/{leaf}"', text))
    existing = {folder.parent.name for folder in (top / parent).glob(f"*/{leaf}") if folder.is_dir()}
    if not imported & existing:
        raise TargetError(
            f"{server.name} imports no {parent}/*/{leaf}",
            why="the list of groups is read from the release's own server",
            fix="check that the sources are complete",
        )
    return sorted(imported & existing)


def _provider_name(folder: Path) -> str:
    """Return the name of the storage provider type of a rest package."""
    for path in sorted(folder.glob("*.go")):
        found = re.search(r"^func \(\w+ \*?(\w+)\) NewRESTStorage\(", read_checkout_text(path), re.M)
        if found:
            return found[1]
    return ""
