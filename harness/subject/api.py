"""Opens an API by its Go types: finds their packages, and what doc.go declares about generating validators.

The commands that lint, document, list and compile types open them here. A folder needs no Go toolchain; for a release
number, its sources are downloaded. No worker is built. `SHARED` has the types of apimachinery that API types may use
without a copy of that module on this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from harness.compiler import Compiled, Validators, compile_types
from harness.compiler.cache import ModuleCache, key_of
from harness.compiler.validators import Module
from harness.diagnostics import UsageError
from harness.gotypes.packages import Universe
from harness.limits import read_checkout_text
from harness.tags.grammar import tag_lines
from harness.tags.rules import CheckFunction

DEFAULT_RELEASE = "1.37"
"""The release whose catalogue of tags is used for types that belong to no release."""

_MODULE = re.compile(r"^module[ \t]+(\S+)", re.M)
_REQUIRED = re.compile(r"^(?:require[ \t]+|[ \t]+)([^\s/]+\.[^\s/]+/\S+)[ \t]+(v\S+)", re.M)
_IMPORTED = re.compile(r'^(?:import[ \t]+|[ \t]+)(?:[\w.]+[ \t]+)?"([^"]+)"', re.M)
_DECLARED = re.compile(r"\n(?:type|func|const|var)\b")
_SKIPPED_FOLDERS = ("testdata", "vendor", "third_party", "node_modules")
_TYPES = re.compile(r"doc\.go|.*types.*(?<!_test)\.go")
GROUP_NAME = re.compile(r'^(?:const[ \t]+|[ \t]+)GroupName[ \t]*=[ \t]*"([^"]*)"', re.M)


@dataclass(frozen=True, slots=True)
class ApiPackage:
    """One package of an API.

    `path` is the import path of the types. `criteria` select the root types if the doc.go of another package, for which
    validators are generated, has them; empty if the package's own doc.go does. `lint` is False under
    +k8s:validation-gen-nolint, `generates` is False under +k8s:validation-gen=false.
    """

    path: str
    group: str
    version: str
    criteria: tuple[str, ...] = ()
    lint: bool = True
    generates: bool = True


@dataclass(frozen=True)
class Api:
    """Packages of types, which are parsed on first use. `release` is `1.37` or `1.37.1`; `name` is for messages.

    `minor` is the minor release that the types themselves are part of, empty if unknown; `subresources` are the paths
    of those that something serves, such as `/status`, none if unknown. `sources` is the folder of the server whose
    strategies pass options and more to declarative validation, None if unknown.
    """

    name: str
    release: str
    universe: Universe
    packages: tuple[ApiPackage, ...]
    minor: str = ""
    subresources: frozenset[str] = frozenset()
    sources: Path | None = None

    def compile(self, package: ApiPackage, custom: Mapping[str, CheckFunction] | None = None) -> Compiled:
        """Compile one package with the criteria that validation-gen would use. Raises: InputError."""
        return compile_types(
            self.universe, package.path, release=self.release, custom=custom, criteria=package.criteria
        )

    @cached_property
    def _digest(self) -> bytes:
        return self.universe.digest()

    def validators(self, package: ApiPackage, custom: Mapping[str, CheckFunction] | None = None) -> Validators:
        """Return the validators of one package, from the cache if the types are unchanged. Raises: InputError."""
        return Validators(self.module(package, custom), custom)

    def module(self, package: ApiPackage, custom: Mapping[str, CheckFunction] | None = None) -> Module:
        """Return one compiled package, from the cache if the types are unchanged. Raises: InputError."""
        key = key_of(self._digest, package.path, self.release, package.criteria)
        return ModuleCache().get(key, lambda: self.compile(package, custom).module)


def bare_package(path: str) -> ApiPackage:
    """Describe a package of which only the import path is known."""
    return ApiPackage(path, "", path.rpartition("/")[2])


def open_api(location: str | Path = "", *, kubernetes: str = "", release: str = "") -> Api:
    """Open the types of a file or of a folder and its subfolders, or those of a Kubernetes release or checkout.

    `release` overrides the release whose catalogue of tags is used. Raises: UsageError, TargetError.
    """
    if location and kubernetes:
        raise UsageError("two APIs are named: a path, and --kubernetes\n  fix: omit one of them")
    if not location and not kubernetes:
        raise UsageError("no API is named\n  fix: name a folder with types.go, or --kubernetes RELEASE")
    if kubernetes:
        return _open_kubernetes(kubernetes, release)
    path = Path(location).expanduser()
    if not path.exists():
        raise UsageError(f"there is no {location}\n  fix: name a folder with Go files, or one types.go")
    if path.is_file() and path.suffix != ".go":
        raise UsageError(f"{location} is not a Go file\n  fix: name a folder with Go files, or one types.go")
    if path.is_dir() and (path / "pkg" / "apis").is_dir() and (path / "staging").is_dir():
        return _open_kubernetes(str(path), release)
    return _open_folder(path.resolve(), release)


# A folder


def _open_folder(path: Path, release: str) -> Api:
    top, module = module_of(path)
    selected = {_import_path(path if path.is_dir() else path.parent, top, module): path}
    if path.is_dir():
        selected = {_import_path(folder, top, module): folder for folder in _package_folders(path)}
    if not selected:
        why = "\n  why: a suite of two validators in Python has no tags" if (path / "suite.py").is_file() else ""
        raise UsageError(
            f"{path} contains no Go files with types{why}\n  fix: name the folder of types.go, or one that contains it"
        )
    own = {_import_path(folder, top, module): folder for folder in _package_folders(top)} if module else {}
    folders = {**SHARED, **_find_dependencies(top, selected.values()), **own, **selected}
    files = {name: go_files(folder) for name, folder in folders.items()}
    packages = tuple(_describe_package(name, files[name]) for name in sorted(selected))
    return Api(
        module or path.name, release or _release_of(top) or DEFAULT_RELEASE, Universe.from_files(files), packages
    )


def module_of(path: Path) -> tuple[Path, str]:
    """Return the top folder of the Go module that contains a path, and the module's name.

    Without a go.mod, they are the path, or the folder of the file, and an empty name.
    """
    start = path if path.is_dir() else path.parent
    for folder in (start, *start.parents):
        if (folder / "go.mod").is_file():
            found = _MODULE.search(read_checkout_text(folder / "go.mod"))
            return folder, found[1] if found else ""
    return start, ""


def _import_path(folder: Path, top: Path, module: str) -> str:
    inside = folder.relative_to(top).as_posix() if folder.is_relative_to(top) else folder.name
    name = module or top.name
    return name if inside == "." else f"{name}/{inside}"


def _package_folders(root: Path) -> Iterable[Path]:
    """Yield the folders of a tree with types, judging by file names: types.go, widget_types.go, doc.go.

    The root is one of them if it has any Go file.
    """
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in _SKIPPED_FOLDERS and name[0] not in "._")
        is_root = Path(folder) == root and any(name.endswith(".go") for name in files)
        if is_root or any(_TYPES.fullmatch(name) for name in files):
            yield Path(folder)


def _find_dependencies(top: Path, locations: Iterable[Path]) -> dict[str, Path]:
    """Find the packages of the required modules that the types import, if the modules are on this machine."""
    go_mod = top / "go.mod"
    if not go_mod.is_file():
        return {}
    required = dict(_REQUIRED.findall(read_checkout_text(go_mod)))
    imported = {name for location in locations for file in go_files(location) for name in _imports(file)}
    found: dict[str, Path] = {}
    for module, version in required.items():
        folder = _find_module(top, module, version)
        if folder and any(name == module or name.startswith(f"{module}/") for name in imported):
            found |= {_import_path(one, folder, module): one for one in _go_folders(folder)}
    return found


def _imports(file: Path) -> list[str]:
    text = read_checkout_text(file)
    first = _DECLARED.search(text)  # imports precede declarations, and generated files are long
    return _IMPORTED.findall(text, 0, first.start() if first else len(text))


def _find_module(top: Path, module: str, version: str) -> Path | None:
    """Find the folder of a required module: a sibling folder, in the vendor folder, or in Go's module cache."""
    escaped = re.sub(r"[A-Z]", lambda letter: "!" + letter[0].lower(), module)
    cache = os.environ.get("GOMODCACHE") or os.path.join(os.environ.get("GOPATH") or Path.home() / "go", "pkg", "mod")
    last = module.rpartition("/")[2]
    siblings = [top.parent / f"{last}@{version}", top.parent / last, top / "vendor" / module]
    for folder in [*siblings, Path(cache) / f"{escaped}@{version}"]:
        if folder.is_dir():
            return folder
    return None


def _go_folders(root: Path) -> Iterable[Path]:
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in _SKIPPED_FOLDERS and name[0] not in "._")
        if any(name.endswith(".go") and not name.endswith("_test.go") for name in files):
            yield Path(folder)


def _release_of(top: Path) -> str:
    """Read the release from the folder name of a Kubernetes module in the module cache: api@v0.37.1 is of 1.37."""
    found = re.fullmatch(r".+@v[01]\.(\d+)\.(\d+)\S*", top.name)
    return f"1.{found[1]}" if found and "k8s.io" in top.parts else ""


# A release


def _open_kubernetes(location: str, release: str) -> Api:
    # Imported here, because opening a folder of types must not load code that only releases need.
    from harness.targets.kubernetes.release import code_folder, find_release, type_folders

    # The sources of a release never change; those of a checkout may between two calls.
    read = _read_kubernetes if find_release(location).folder is not None else _read_release
    return read(location, release, code_folder(location), tuple(type_folders(location).items()))


@lru_cache(maxsize=2)
def _read_release(location: str, release: str, top: Path, types: tuple[tuple[str, Path], ...]) -> Api:
    """Read the types of a release, which takes half a second, once for all settings of its gates."""
    return _read_kubernetes(location, release, top, types)


def _read_kubernetes(location: str, release: str, top: Path, types: tuple[tuple[str, Path], ...]) -> Api:
    # Imported here for the same reason.
    from harness.targets.kubernetes.release import find_release, generating_folders
    from harness.targets.kubernetes.sources import minor_release, served_subresources

    found, folders = find_release(location), dict(types)
    packages = []
    for _, generated in sorted(generating_folders(location).items()):
        tags = _doc_tags(generated / "doc.go")
        packages += [
            _describe_package(path, go_files(folders[path]), tags)
            for path in tags.get("k8s:validation-gen-input", ())
            if path in folders
        ]
    released = found.folder is None
    name = f"Kubernetes {found.name}" if released else f"the checkout {found.folder}"
    return Api(
        name, release or (found.name if released else DEFAULT_RELEASE), Universe.from_folders(folders), tuple(packages),
        minor_release(location), served_subresources(top), top,
    )  # fmt: skip


def _describe_package(path: str, files: Sequence[Path], tags: Mapping[str, list[str]] | None = None) -> ApiPackage:
    """Describe a package. `tags` are of the doc.go that has validators generated, if it is not the package's own."""
    own = next((_doc_tags(file) for file in files if file.name == "doc.go"), {})
    generating = own if tags is None else tags
    values = generating.get("k8s:validation-gen", [])
    lint = "k8s:validation-gen-nolint" not in {**generating, **own}
    criteria = () if tags is None else tuple(values)
    if tags is None and values and "nil" in own.get("k8s:validation-gen-scheme-registry", []):
        # These validators are registered with no scheme, so another package has those of the kinds generated.
        criteria = (*values, "TypesWithField=TypeMeta")
    return ApiPackage(path, _group_of(files), path.rpartition("/")[2], criteria, lint, "false" not in values)


def _doc_tags(doc: Path) -> dict[str, list[str]]:
    """Read the tags of a doc.go, by name."""
    found: dict[str, list[str]] = {}
    for line in tag_lines(Universe.from_files({"doc": [doc]}).package("doc").comments):
        found.setdefault(line.name, []).append(line.text.partition("=")[2].strip())
    return found


def _group_of(files: Iterable[Path]) -> str:
    """Read the constant GroupName, which register.go declares, without parsing the whole package."""
    for file in files:
        if file.name in ("register.go", "doc.go", "groupversion_info.go"):
            found = GROUP_NAME.search(read_checkout_text(file))
            if found:
                return found[1]
    return ""


_GO = Path(__file__).parent / "go"

SHARED: dict[str, Path] = {
    "k8s.io/apimachinery/pkg/apis/meta/v1": _GO / "meta_v1",
    "k8s.io/apimachinery/pkg/api/resource": _GO / "resource",
    "k8s.io/apimachinery/pkg/util/intstr": _GO / "intstr",
    "k8s.io/apimachinery/pkg/runtime": _GO / "runtime",
}
"""The folders of the types of apimachinery that are part of the harness, by import path."""


def go_files(location: Path) -> list[Path]:
    """Return the files of a package: the Go files of a folder, or one file and the doc.go of its folder."""
    if location.is_dir():
        return sorted(path for path in location.glob("*.go") if not path.name.endswith("_test.go"))
    doc = location.with_name("doc.go")
    return [doc, location] if doc.is_file() and doc != location else [location]
