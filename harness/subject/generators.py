"""What other generators make of Go types: the CRDs of controller-gen, and the published OpenAPI of a release.

controller-gen is fetched and built by the Go command when it is asked, outside of the user's module, and what it writes
goes into a temporary folder. Types of a release are embedded, each in a custom resource of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from harness.compiler.build import Builder
from harness.compiler.plan import Plan
from harness.diagnostics import Diagnostic, TargetError, UsageError
from harness.openapi.keeping import Resolve, Schema, TagFate, TagKeeping, as_it_is
from harness.openapi.losses import DIFFERS, LOST
from harness.subject.api import Api, ApiPackage, module_of
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.release import release_of
from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.release import find_release, find_toolchain, module_folder

Generator: TypeAlias = Literal["controller-gen", "kube-openapi"]
GENERATORS: tuple[Generator, ...] = ("controller-gen", "kube-openapi")
CONTROLLER_GEN = "v0.23.0"
"""The version of controller-gen whose CRDs are compared."""
_COMMAND = f"sigs.k8s.io/controller-tools/cmd/controller-gen@{CONTROLLER_GEN}"
_OPTIONS = "crd:allowDangerousTypes=true,maxDescLen=0"
_LIBRARY = "k8s.io/api"
_WHOLE = "k8s.io/kubernetes"
_NAMED = "x-kubernetes-group-version-kind"
_GO_MOD = "module example.com/embedded\n\ngo 1.26.0\n\nrequire {module} {version}\n{more}"
_HEADER = """// +groupName=example.com
package v1

import (
\tmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
{imports}
)
"""
_KIND = """
// +kubebuilder:object:root=true
type Embeds{number} struct {{
\tmetav1.TypeMeta   `json:",inline"`
\tmetav1.ObjectMeta `json:"metadata,omitempty"`

\tValue p{package}.{name} `json:"value,omitempty"`
}}
"""
_MOST_LINES = 20

Roots: TypeAlias = Sequence[tuple[str, str]]
"""Import path and name of each root type."""


def what_is_kept(
    api: Api, generator: Generator, kubernetes: str, location: str, note: Callable[[str], None]
) -> list[TagFate]:
    """Return what became of each tag in the schemas of a generator, sorted by position.

    Raises: UsageError for types that the generator does not take, TargetError if it fails, InputError.
    """
    plans = [(package, plan_of(api, package)) for package in api.packages if package.generates or not kubernetes]
    roots = [(package.path, root.name) for package, plan in plans for root in plan.roots.values()]
    resolve: Resolve = as_it_is  # CRDs have no references
    if generator == "controller-gen":
        schemas = _embedded(roots, kubernetes, note) if kubernetes else _own(api, roots, location, note)
    elif kubernetes:
        published = Published(kubernetes)
        schemas, resolve = published.roots(api, roots), published.resolve
    else:
        raise UsageError(
            "a folder of types has no published OpenAPI\n  fix: --kubernetes RELEASE, or --generator controller-gen"
        )
    seen: set[str] = set()
    fates: list[TagFate] = []
    for _, plan in plans:
        keeping = TagKeeping(api.universe, plan, seen, resolve)
        for root in plan.roots.values():
            if (schema := schemas.get(root.type)) is not None:
                fates += keeping.read(root.type, schema)
    return sorted(fates, key=lambda fate: (fate.position, fate.tag))


def describe_fates(fates: Sequence[TagFate], generator: Generator) -> Iterator[Diagnostic]:
    """Tell of the tags that a generator drops or changes."""
    fix = "write the rule as +kubebuilder:validation:... where you embed the type, or keep checking it in a webhook"
    for one in fates:
        if one.fate != "kept":
            level = f" (level {one.level})" if one.level else ""
            words = "is dropped" if one.fate == "dropped" else "is changed"
            message = f"+{one.tag} of {one.place}{level} {words} by {generator}"
            yield Diagnostic(one.position, LOST if one.fate == "dropped" else DIFFERS, message, one.why, fix)


def plan_of(api: Api, package: ApiPackage) -> Plan:
    """Return the rules of a package, with the criteria that validation-gen would use. Raises: InputError."""
    return Builder(api.universe, package.path, release_of(api.release), CustomFunctions(), package.criteria).build()


# controller-gen


def _embedded(roots: Roots, kubernetes: str, note: Callable[[str], None]) -> dict[str, Schema]:
    """Return the schema of each root type of a release, as a CRD has it that embeds the type."""
    release = find_release(kubernetes)
    roots = [root for root in roots if root[0].startswith(f"{_LIBRARY}/")]
    with tempfile.TemporaryDirectory(prefix="harness-embedded-") as name:
        folder = Path(name)
        staging = None if release.folder is None else release.folder / "staging" / "src" / "k8s.io"
        more = "".join(
            f"replace k8s.io/{one} => {staging / one}\n" for one in ("api", "apimachinery") if staging is not None
        )
        version = release.staging_version if staging is None else "v0.0.0"
        (folder / "go.mod").write_text(_GO_MOD.format(module=_LIBRARY, version=version, more=more), encoding="utf-8")
        (folder / "v1").mkdir()
        (folder / "v1" / "types.go").write_text(embedding(roots), encoding="utf-8")
        found = _run(folder, "./v1", go_environment(), note)
    kinds = {kind: schema for (_, _, kind), schema in found.items()}
    return {
        f"{package}.{name}": kinds[f"Embeds{number}"]["properties"]["value"]
        for number, (package, name) in enumerate(roots)
        if f"Embeds{number}" in kinds
    }


def embedding(roots: Roots) -> str:
    """Return the Go source of kinds that embed each root type."""
    packages = {path: number for number, path in enumerate(dict.fromkeys(path for path, _ in roots))}
    imports = "\n".join(f'\tp{number} "{path}"' for path, number in packages.items())
    kinds = [
        _KIND.format(number=number, package=packages[path], name=name) for number, (path, name) in enumerate(roots)
    ]
    return _HEADER.format(imports=imports) + "".join(kinds)


def _own(api: Api, roots: Roots, location: str, note: Callable[[str], None]) -> dict[str, Schema]:
    """Return the schema of each root type of a folder, from the CRD that controller-gen makes of it."""
    path = Path(location).expanduser().resolve()
    top, module = module_of(path)
    if not module:
        why = "controller-gen type-checks Go, so it needs the module that the types belong to"
        raise UsageError(f"{location} is in no Go module\n  why: {why}\n  fix: add a go.mod above it")
    folder = path if path.is_dir() else path.parent
    found = _run(top, f"./{folder.relative_to(top).as_posix()}/...", {**os.environ}, note)
    versions = {package.path: (package.group, package.version) for package in api.packages}
    return {
        f"{package}.{name}": found[(*versions[package], name)]
        for package, name in roots
        if (*versions[package], name) in found
    }


def _run(
    folder: Path, paths: str, environment: Mapping[str, str], note: Callable[[str], None]
) -> dict[tuple[str, str, str], Schema]:
    """Run controller-gen in a module, and return the schemas of its CRDs by group, version and kind."""
    note(f"running controller-gen {CONTROLLER_GEN}; the first time, Go fetches and builds it")
    with tempfile.TemporaryDirectory(prefix="harness-crds-") as output:
        command = [str(find_toolchain().go), "run", _COMMAND, _OPTIONS, f"paths={paths}", f"output:dir={output}"]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", check=False
        )
        if not any(Path(output).iterdir()):
            said = "\n".join((done.stderr or done.stdout).strip().splitlines()[:_MOST_LINES])
            raise TargetError(
                f"controller-gen {CONTROLLER_GEN} made no CRD of {paths}",
                why=said or "no type is a root: a kind with metadata, in a package with +groupName",
                fix="see that `controller-gen crd` runs in your module",
            )
        if done.returncode:
            note(f"controller-gen {CONTROLLER_GEN}: {_last(done.stderr)}")
        return {
            (crd["group"], version["name"], crd["names"]["kind"]): version["schema"]["openAPIV3Schema"]
            for crd in (_read(file)["spec"] for file in sorted(Path(output).glob("*.yaml")))
            for version in crd["versions"]
        }


def _read(file: Path) -> dict[str, Any]:
    import yaml  # slow to import, and most commands read none

    with file.open("rb") as stream:
        return dict(yaml.load(stream, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


def _last(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if not line.startswith("run `")]
    return "; ".join(lines[-3:])


# kube-openapi


class Published:
    """The OpenAPI v3 that a release publishes, as its module has it."""

    def __init__(self, kubernetes: str) -> None:
        folder = module_folder(find_release(kubernetes), _WHOLE, find_toolchain()) / "api" / "openapi-spec" / "v3"
        self._schemas: dict[str, Schema] = {}
        for file in sorted(folder.glob("*.json")):
            document = json.loads(file.read_text(encoding="utf-8"))
            self._schemas |= document.get("components", {}).get("schemas", {})
        if not self._schemas:
            raise TargetError(
                f"{kubernetes} has no published OpenAPI",
                why=f"there is none in {folder}",
                fix="name a release, or run hack/update-openapi-spec.sh in the checkout",
            )

    def roots(self, api: Api, roots: Roots) -> dict[str, Schema]:
        """Return the schema of each root type, by group, version and kind."""
        kinds = {
            (one["group"], one["version"], one["kind"]): schema
            for schema in self._schemas.values()
            for one in schema.get(_NAMED, ())
        }
        versions = {package.path: (package.group, package.version) for package in api.packages}
        return {
            f"{package}.{name}": kinds[(*versions[package], name)]
            for package, name in roots
            if (*versions[package], name) in kinds
        }

    def resolve(self, schema: Schema) -> Schema:
        """Return the schema that one refers to, as published: `$ref`, alone or in an `allOf`."""
        parts = [schema, *schema.get("allOf", ())]
        for part in parts:
            if isinstance(reference := part.get("$ref"), str):
                return {**self._schemas.get(reference.rpartition("/")[2], {}), **_without_references(schema)}
        return schema


def _without_references(schema: Schema) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name not in ("$ref", "allOf")}
