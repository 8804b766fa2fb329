"""Prepares the packages of an API for lint rules: one view per package, with the tags of its comments parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from harness.compiler.build import Builder
from harness.diagnostics import Diagnostic, InputError
from harness.gotypes.model import Comments, Package, Struct, Typedef, TypeRef
from harness.lint.view import Element, PackageView, lines_of
from harness.subject.api import Api, ApiPackage
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.grammar import Tag, TagLine, TagSyntaxError, parse, tag_lines
from harness.tags.release import Release, release_of
from harness.tags.spec import Scope
from harness.tags.types import Types
from harness.targets.kubernetes.strategies import KindStrategies, read_strategies


@dataclass(frozen=True, slots=True)
class PreparedPackage:
    """A package with the compiler's diagnostics: upstream's generator fails on `errors` and ignores `warnings`."""

    view: PackageView
    errors: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]


def prepare(api: Api, base: Api | None = None) -> list[PreparedPackage]:
    """Read every package of an API. Invalid input is not raised, but recorded as diagnostics of its package.

    `base` is the API before a change: the view of each package gets the one that it has there.
    """
    before = {one.view.path: one.view for one in prepare(base)} if base is not None else {}
    release, types = release_of(api.release), Types(api.universe)
    strategies = read_strategies(api.sources) if api.sources is not None else ()
    shared: dict[str, Any] = {}
    siblings: dict[str, dict[str, PackageView]] = {package.path: {} for package in api.packages}
    prepared = [
        _prepare(api, package, release, types, siblings[package.path], shared, before.get(package.path), strategies)
        for package in api.packages
    ]
    groups: dict[str, list[PackageView]] = {}
    for one in prepared:
        groups.setdefault(one.view.group or one.view.path.rpartition("/")[0], []).append(one.view)
    for group in groups.values():
        for view in group:  # after all views exist, because a view refers to the views of all other versions
            siblings[view.path].update({other.version: other for other in group if other is not view})
    return prepared


def _prepare(
    api: Api,
    package: ApiPackage,
    release: Release,
    types: Types,
    siblings: dict[str, PackageView],
    shared: dict[str, Any],
    base: PackageView | None,
    strategies: Iterable[KindStrategies],
) -> PreparedPackage:
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
    group = package.path.split("/")[-2:][0]
    view = PackageView(
        package.path, package.group, package.version, api.universe, types, elements, roots,
        _sources(declared, elements), siblings, release, package.generates, package.lint,
        int(api.minor.partition(".")[2]) if api.minor else None, api.subresources,
        {one.kind: one for one in strategies if one.group == group and one.kind in roots}, base, shared=shared,
    )  # fmt: skip
    return PreparedPackage(view, errors, builder.reader.warnings)


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
    """Return the tags of a comment block in source order, without those that do not parse."""
    return tuple(tag for line in tag_lines(comments) if (tag := _parse(line)) is not None)


def _parse(line: TagLine) -> Tag | None:
    try:
        return parse(line.text, line.position)
    except TagSyntaxError:
        return None


def _sources(package: Package, elements: tuple[Element, ...]) -> dict[str, tuple[str, ...]]:
    """Read the files that declare elements, and doc.go."""
    files = {element.declaration.position.file for element in elements}
    files |= {line.position.file for line in package.comments}
    return {file: lines_of(file) for file in sorted(files)}
