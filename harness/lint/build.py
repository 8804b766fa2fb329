"""From an API to what rules see of it: one view for each package, with every comment's tags parsed once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.compiler.build import Builder
from harness.diagnostics import Diagnostic, InputError
from harness.gotypes.model import Comments, Package, Struct, Typedef, TypeRef
from harness.lint.view import Element, PackageView
from harness.subject.api import Api, ApiPackage
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.grammar import Tag, TagLine, TagSyntaxError, parse, tag_lines
from harness.tags.release import Release, release_of
from harness.tags.spec import Scope
from harness.tags.types import Types


@dataclass(frozen=True, slots=True)
class Prepared:
    """One package and what the compiler says of it: `errors` make upstream's generator stop, `warnings` do not."""

    view: PackageView
    errors: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]


def prepare(api: Api) -> list[Prepared]:
    """Read every package of an API. What is wrong with one is in its record; nothing is raised for it."""
    release, types = release_of(api.release), Types(api.universe)
    shared: dict[str, Any] = {}
    siblings: dict[str, dict[str, PackageView]] = {package.path: {} for package in api.packages}
    made = [_prepare(api, package, release, types, siblings[package.path], shared) for package in api.packages]
    families: dict[str, list[PackageView]] = {}
    for one in made:
        families.setdefault(one.view.group or one.view.path.rpartition("/")[0], []).append(one.view)
    for family in families.values():
        for view in family:  # filled only now: a view knows the views of versions that are read after it
            siblings[view.path].update({other.version: other for other in family if other is not view})
    return made


def _prepare(
    api: Api,
    package: ApiPackage,
    release: Release,
    types: Types,
    siblings: dict[str, PackageView],
    shared: dict[str, Any],
) -> Prepared:
    builder = Builder(api.universe, package.path, release, CustomFunctions(), package.criteria)
    declared = api.universe.package(package.path)
    errors: tuple[Diagnostic, ...] = declared.diagnostics
    if package.generates:
        try:
            builder.build()
        except InputError as error:
            errors = error.diagnostics
    roots = frozenset(root.name for root in builder.root_types()) if package.generates else frozenset()
    elements = tuple(_elements(declared))
    view = PackageView(
        package.path, package.group, package.version, api.universe, types, elements, roots,
        _sources(declared, elements), siblings, release, package.generates, package.lint,
        shared=shared,
    )  # fmt: skip
    return Prepared(view, errors, builder.reader.warnings)


def _elements(package: Package) -> Iterator[Element]:
    types: list[Struct | Typedef] = [*package.structs.values(), *package.typedefs.values()]
    for declared in types:
        ref = TypeRef("named", declared.qualified)
        yield Element(
            Scope.TYPE, declared.name, declared, None, ref,
            tags_of(declared.comments), declared.comments, declared.second_comments,
        )  # fmt: skip
        for one in declared.fields if isinstance(declared, Struct) else ():
            yield Element(
                Scope.FIELD, one.name, declared, one, one.type, tags_of(one.comments), one.comments, one.second_comments
            )
    for const in package.consts:
        ref = TypeRef("named" if "." in const.type else "builtin", const.type)
        yield Element(Scope.CONST, const.name, const, None, ref, tags_of(const.comments), const.comments)


def tags_of(comments: Comments) -> tuple[Tag, ...]:
    """The tags of a block that parse, in source order."""
    return tuple(tag for line in tag_lines(comments) if (tag := _parsed(line)) is not None)


def _parsed(line: TagLine) -> Tag | None:
    try:
        return parse(line.text, line.position)
    except TagSyntaxError:
        return None


def _sources(package: Package, elements: tuple[Element, ...]) -> dict[str, tuple[str, ...]]:
    """Read the files in which something is declared, and doc.go."""
    files = {element.declaration.position.file for element in elements}
    files |= {line.position.file for line in package.comments}
    return {file: lines_of(file) for file in sorted(files)}


def lines_of(file: str) -> tuple[str, ...]:
    """The lines of a file, as they stand; none when it cannot be read."""
    try:
        with Path(file).open(encoding="utf-8", errors="replace", newline="") as stream:
            return tuple(stream.read().split("\n"))
    except OSError:
        return ()
