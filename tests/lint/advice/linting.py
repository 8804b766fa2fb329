"""Runs one rule on Go text: a package `v1`, and further versions after lines `package v2`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from harness.compiler.build import Builder
from harness.diagnostics import InputError
from harness.gotypes.model import Comments, Struct, Typedef, TypeRef
from harness.gotypes.packages import Universe
from harness.lint.advice import RULES
from harness.lint.rule import Finding
from harness.lint.view import Element, PackageView
from harness.tags.grammar import Tag, parse_line, tag_lines
from harness.tags.release import release_of
from harness.tags.spec import Scope
from harness.tags.types import Types

_VERSION = re.compile(r"^package (\w+)$", re.MULTILINE)


def findings(code: str, go: str, folder: Path, release: str = "1.37") -> list[Finding]:
    """What the rule with this code says of the first version of the package."""
    view = view_of(go, folder, release)
    rule = next(rule for rule in RULES if rule.code == code)
    return sorted(rule.check(view), key=lambda finding: finding.diagnostic.position)


def view_of(go: str, folder: Path, release: str = "1.37") -> PackageView:
    """The first version of a package, beside the others."""
    head, *rest = _VERSION.split(go)
    versions = {"v1": head, **dict(zip(rest[::2], rest[1::2], strict=True))}
    for name, text in versions.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "types.go").write_text(f"package {name}\n\n{text}", encoding="utf-8")
    universe = Universe.from_folders({f"example.com/{name}": folder / name for name in versions})
    views = {name: _view(name, universe, folder / name / "types.go", release) for name in versions}
    return replace(views["v1"], siblings={name: view for name, view in views.items() if name != "v1"})


def _view(version: str, universe: Universe, file: Path, release: str) -> PackageView:
    package = universe.package(f"example.com/{version}")
    assert not package.diagnostics, package.diagnostics
    elements = []
    types: list[Struct | Typedef] = [*package.structs.values(), *package.typedefs.values()]
    for declared in types:
        blocks = declared.comments, declared.second_comments
        ref = TypeRef("named", declared.qualified)
        elements.append(Element(Scope.TYPE, declared.name, declared, None, ref, _tags(blocks[0]), *blocks))
        for one in declared.fields if isinstance(declared, Struct) else ():
            found = _tags(one.comments)
            elements.append(
                Element(Scope.FIELD, one.name, declared, one, one.type, found, one.comments, one.second_comments)
            )
    for const in package.consts:
        ref = TypeRef("named" if "." in const.type else "builtin", const.type)
        elements.append(Element(Scope.CONST, const.name, const, None, ref, _tags(const.comments), const.comments))
    roots = frozenset(declared.name for declared in Builder(universe, package.path).root_types())
    lines = tuple(file.read_text(encoding="utf-8").split("\n"))
    return PackageView(
        package.path, "example", version, universe, Types(universe), tuple(elements), roots, {str(file): lines},
        release=release_of(release),
    )  # fmt: skip


def _tags(comments: Comments) -> tuple[Tag, ...]:
    return tuple(_parsed(comments))


def _parsed(comments: Comments) -> Iterator[Tag]:
    for line in tag_lines(comments):
        try:
            yield parse_line(line)
        except InputError:
            continue


def struct(*fields: str, before: str = "", name: str = "T") -> str:
    """A struct: each field is its tags, one a line, and at last its Go type; the first field is `a`."""
    made = []
    for letter, field in zip("abcdefgh", fields, strict=False):
        *tags, go = field.split("\n")
        made += [f"\t// {tag}" for tag in tags]
        made.append(f'\t{letter.upper()} {go} `json:"{letter}"`')
    return before + f"type {name} struct {{\n" + "\n".join(made) + "\n}\n"


def repaired(finding: Finding, go: str) -> str:
    """The text after the finding's edit, without the package clause."""
    assert finding.edit is not None
    lines = f"package v1\n\n{go}".split("\n")
    assert finding.edit.old == lines[finding.edit.line - 1]
    lines[finding.edit.line - 1 : finding.edit.line] = [] if finding.edit.new is None else finding.edit.new.split("\n")
    return "\n".join(lines).removeprefix("package v1\n\n")
