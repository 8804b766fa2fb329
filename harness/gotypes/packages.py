"""Resolves names across packages, parsing each package once, when it is first needed.

universe = Universe.from_folders({"k8s.io/api/core/v1": Path(...), ...})
universe.find("k8s.io/api/core/v1.PodSpec")
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

from harness.diagnostics import Diagnostic, InputError, Position, UsageError, near_miss
from harness.gotypes.constants import NOTHING, Found, Names, convert, evaluate
from harness.gotypes.model import Comments, Const, Package, Struct, Typedef, TypeRef
from harness.gotypes.parser import (
    BUILTINS,
    ConstSpec,
    FileDeclarations,
    declares_nothing,
    name_table,
    parse_file,
    resolve_import,
)
from harness.gotypes.scanner import is_left_out, read_source
from harness.limits import read_checkout

_CLAUSE = re.compile(rb"^package[ \t]+(\w+)", re.MULTILINE)
_PREDECLARED = {"byte": "uint8", "rune": "int32"} | {name: name for name in BUILTINS}

_MOST_HINTS = 20

_Declared = TypeVar("_Declared", Struct, Typedef)


class Universe:
    """All known packages and their declarations."""

    def __init__(self, places: Mapping[str, Path | tuple[Path, ...]]) -> None:
        self._places = dict(places)
        self._packages: dict[str, Package] = {}
        self._names: dict[str, str | None] = {}
        self._consts: dict[str, dict[str, tuple[Const, ...]]] = {}
        self._loading: set[str] = set()

    @classmethod
    def from_folders(cls, folders: Mapping[str, Path]) -> Universe:
        """Create a universe from folders by import path. Files are read when they are first needed."""
        return cls({path: Path(folder) for path, folder in folders.items()})

    @classmethod
    def from_files(cls, files: Mapping[str, Sequence[Path]]) -> Universe:
        """Create a universe from lists of files by import path."""
        return cls({path: tuple(Path(one) for one in listed) for path, listed in files.items()})

    @classmethod
    def of_packages(cls, packages: Iterable[Package], folders: Mapping[str, Path]) -> Universe:
        """Create a universe from declarations that are not written in Go, beside folders by import path."""
        universe = cls.from_folders(folders)
        for package in packages:
            universe._places[package.path] = ()
            universe._packages[package.path] = package
        return universe

    def with_package(self, package: Package) -> Universe:
        """Return a universe with another package in the place of one; what is parsed already is shared."""
        other = Universe(self._places)
        other._packages = {**self._packages, package.path: package}
        other._names = dict(self._names)
        return other

    @property
    def paths(self) -> tuple[str, ...]:
        """The known import paths, sorted."""
        return tuple(sorted(self._places))

    def digest(self) -> bytes:
        """Return a hash of the paths and contents of all known files."""
        total = hashlib.sha256()
        for import_path in self.paths:
            for file in self._files(import_path):
                with contextlib.suppress(OSError, InputError):  # who reads it says so
                    content = hashlib.sha256(read_checkout(file)).digest()
                    total.update(f"{import_path}\0{file}\0".encode("utf-8", "surrogateescape") + content)
        return total.digest()

    def package(self, import_path: str) -> Package:
        """Return the declarations of a package. Raises: UsageError for an unknown import path."""
        if import_path not in self._packages:
            if import_path not in self._places:
                raise UsageError(
                    f"no package {import_path} is known; {near_miss(import_path, self.paths)}".rstrip("; ")
                )
            if import_path in self._loading:  # an import cycle, which Go forbids
                return Package(import_path, "")
            self._loading.add(import_path)
            try:
                self._packages[import_path] = self._load(import_path)
            finally:
                self._loading.discard(import_path)
        return self._packages[import_path]

    def find(self, qualified: str) -> Struct | Typedef | None:
        """Return the type with a qualified name; None when its package or the name is unknown."""
        import_path, _, name = qualified.rpartition(".")
        if import_path not in self._places:
            return None
        package = self.package(import_path)
        return package.structs.get(name) or package.typedefs.get(name)

    def resolve(self, ref: TypeRef) -> TypeRef:
        """Resolve typedefs and aliases to the name of a struct or to an unnamed type. Safe on cycles.

        A name that is not known is returned as it is.
        """
        seen: set[str] = set()
        while ref.kind == "named" and ref.name not in seen:
            seen.add(ref.name)
            found = self.find(ref.name)
            if not isinstance(found, Typedef):
                break
            ref = found.underlying
        return ref

    def consts_of(self, qualified: str) -> tuple[Const, ...]:
        """Return the constants of a type in its own package, in source order; for an alias, those of its type."""
        found = self.find(qualified)
        if isinstance(found, Typedef) and found.alias and found.underlying.kind == "named":
            target = self.resolve_alias(found)
            return () if target == qualified else self.consts_of(target)
        import_path = qualified.rpartition(".")[0]
        if import_path not in self._places:
            return ()
        if import_path not in self._consts:
            self._consts[import_path] = _by_type(self.package(import_path).consts)
        return self._consts[import_path].get(qualified, ())

    def resolve_alias(self, alias: Typedef) -> str:
        """Return the qualified name that an alias resolves to."""
        seen: set[str] = set()
        current: Struct | Typedef | None = alias
        name = alias.qualified
        while isinstance(current, Typedef) and current.alias and current.underlying.kind == "named":
            name = current.underlying.name
            if name in seen:
                return alias.qualified
            seen.add(name)
            current = self.find(name)
        return name

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return the diagnostics of all files. Parses all packages."""
        return tuple(chain.from_iterable(self.package(path).diagnostics for path in self.paths))

    def package_name(self, import_path: str) -> str | None:
        """Return the name in the package clause; None when the package is unknown or has no clause."""
        if import_path not in self._names:
            self._names[import_path] = self._clause(import_path)
        return self._names[import_path]

    def _clause(self, import_path: str) -> str | None:
        if import_path not in self._places:
            return None
        if import_path in self._packages:
            return self._packages[import_path].name or None
        for file in self._files(import_path):
            source = read_source(file)
            found = None if is_left_out(source) else _CLAUSE.search(source.data)
            if found:
                return found[1].decode()
        return None

    def _files(self, import_path: str) -> list[Path]:
        place = self._places[import_path]
        if not isinstance(place, Path):
            return list(place)
        try:
            found = sorted(place.iterdir())
        except OSError:
            return []
        return [one for one in found if one.name.endswith(".go") and not one.name.endswith("_test.go")]

    def _load(self, import_path: str) -> Package:
        files = self._files(import_path)
        sources = [source for source in map(read_source, files) if not is_left_out(source)]
        parsed = [parse_file(one, import_path, self.package_name) for one in sources if not declares_nothing(one)]
        if not sources:
            return Package(import_path, "", diagnostics=(_nothing_to_read(import_path, self._places[import_path]),))
        return _assemble(import_path, parsed, self)


def _by_type(consts: Iterable[Const]) -> dict[str, tuple[Const, ...]]:
    grouped: dict[str, list[Const]] = {}
    for one in consts:
        grouped.setdefault(one.type, []).append(one)
    return {name: tuple(listed) for name, listed in grouped.items()}


def _nothing_to_read(import_path: str, place: Path | tuple[Path, ...]) -> Diagnostic:
    where = str(place) if isinstance(place, Path) else import_path
    why = f"package {import_path} was looked for there; tests and files for other systems do not count"
    return Diagnostic(Position(where), "go-no-files", "there are no Go files", why, "check the path")


def _assemble(import_path: str, files: list[FileDeclarations], universe: Universe) -> Package:
    """Merge the declarations of the files of a package."""
    structs: dict[str, Struct] = {}
    typedefs: dict[str, Typedef] = {}
    for one in files:
        structs |= {declared.name: declared for declared in reversed(one.structs)} | structs
        typedefs |= {declared.name: declared for declared in reversed(one.typedefs)} | typedefs
    diagnostics = list(chain.from_iterable(one.diagnostics for one in files))
    if not any(found.code in BROKEN for found in diagnostics):
        diagnostics += _undefined(files)
    diagnostics += [*_declared_twice(files), *_mixed_names(files)]
    consts = _Constants(files, {**structs, **typedefs}, universe).all()
    name = next((one.package_name for one in files if one.package_name), "")
    ordered = tuple(sorted(diagnostics, key=lambda found: found.position))
    return Package(import_path, name, _sorted(structs), _sorted(typedefs), consts, _doc(files), ordered)


BROKEN = frozenset({"go-syntax", "go-unterminated", "go-encoding", "go-unreadable", "go-too-large", "go-empty"})
"""Codes of diagnostics for files that could only be read in part."""


def _sorted(declared: dict[str, _Declared]) -> dict[str, _Declared]:
    return dict(sorted(declared.items(), key=lambda item: item[1].position))


def _doc(files: list[FileDeclarations]) -> Comments:
    for one in files:
        if Path(one.source.file).name == "doc.go":
            return tuple(chain.from_iterable(group.lines for group in one.source.groups))
    return ()


def _undefined(files: list[FileDeclarations]) -> list[Diagnostic]:
    """Return diagnostics for names of this package's types that no file declares."""
    table = name_table(files)
    found: list[Diagnostic] = []
    for one in files:
        if one.dot_imports:
            continue
        for name, offset in one.uses:
            if name not in table:
                # Each look for a near miss reads the whole table: a file of nothing but mistakes gets a few.
                hint = near_miss(name, [*table, *BUILTINS]) if len(found) < _MOST_HINTS else ""
                fix = hint or "declare it, or import the package that does"
                why = "no file of the package declares a type of that name"
                found.append(one.source.diagnose(offset, "go-undefined", f"undefined: {name}", why, fix, len(name)))
    return found


def _declared_twice(files: list[FileDeclarations]) -> list[Diagnostic]:
    table = name_table(files)
    found = []
    for one in files:
        for declared in one.types:
            first = table[declared.name]
            if first != declared.position and declared.name != "_":
                message, why = f"{declared.name} is declared twice", f"the first one stands at {first}"
                text = one.source.line_text(declared.position.line)
                found.append(Diagnostic(declared.position, "go-duplicate", message, why, "rename one", text))
    return found


def _mixed_names(files: list[FileDeclarations]) -> list[Diagnostic]:
    named = [one for one in files if one.package_name]
    found = []
    for one in named[1:]:
        if one.package_name != named[0].package_name:
            message = f"package {one.package_name}, but {Path(named[0].source.file).name} says {named[0].package_name}"
            why = "the files of one folder form one package"
            position = one.source.position(0)
            found.append(Diagnostic(position, "go-package", message, why, f"package {named[0].package_name}"))
    return found


class _Constants:
    """Computes the constants of one package; they may refer to each other in any order."""

    def __init__(
        self, files: list[FileDeclarations], declared: Mapping[str, Struct | Typedef], universe: Universe
    ) -> None:
        self.universe = universe
        self.declared = declared
        self.specs: dict[str, tuple[ConstSpec, FileDeclarations]] = {}
        for one in files:
            for spec in one.consts:
                self.specs.setdefault(spec.name, (spec, one))
        self.known: dict[str, Found] = {}
        self.open: list[str] = []

    def all(self) -> tuple[Const, ...]:
        """Return every constant, sorted by file and position."""
        made = []
        for name, (spec, one) in self.specs.items():
            value, type_name = self.value(name)
            made.append(Const(name, one.package, type_name, value, spec.position, spec.comments))
        return tuple(made)

    def value(self, name: str) -> Found:
        if name not in self.known:
            if name not in self.specs or name in self.open or len(self.open) > 20:
                return NOTHING
            self.open.append(name)
            self.known[name] = self._compute(*self.specs[name])
            self.open.pop()
        return self.known[name]

    def _compute(self, spec: ConstSpec, one: FileDeclarations) -> Found:
        names = Names(lambda text: self._constant(text, one), lambda text: self._type(text, one))
        found = evaluate(spec.value, spec.iota, names) if spec.value is not None else NOTHING
        if spec.type is None:
            return found
        qualified = spec.type.name
        return convert(found, qualified, self._builtin(spec.type))

    def _constant(self, text: str, one: FileDeclarations) -> Found:
        package, _, name = text.rpartition(".")
        if not package:
            return self.value(name)
        path = resolve_import(package, one, self.universe.package_name)
        if path not in self.universe.paths:
            return NOTHING
        found = next((const for const in self.universe.package(path).consts if const.name == name), None)
        return (found.value, found.type) if found else NOTHING

    def _type(self, text: str, one: FileDeclarations) -> tuple[str, str]:
        package, _, name = text.rpartition(".")
        if not package and name in _PREDECLARED:
            return _PREDECLARED[name], _PREDECLARED[name]
        if not package:
            ref = TypeRef("named", f"{one.package}.{name}")
            return (ref.name, self._builtin(ref)) if name in self.declared else ("", "")
        path = resolve_import(package, one, self.universe.package_name)
        ref = TypeRef("named", f"{path}.{name}")
        return (ref.name, self._builtin(ref)) if self.universe.find(ref.name) else ("", "")

    def _builtin(self, ref: TypeRef) -> str:
        """Return the underlying builtin of a type. The types of this package are not in the universe yet."""
        for _ in range(20):
            if ref.kind != "named":
                return ref.name if ref.kind == "builtin" else ""
            path, _, name = ref.name.rpartition(".")
            own = self.declared.get(name)
            found = own if own is not None and own.package == path else self.universe.find(ref.name)
            if not isinstance(found, Typedef):
                return ""
            ref = found.underlying
        return ""
