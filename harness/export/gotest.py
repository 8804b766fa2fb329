"""Renders a table of rows as a Go table test, in the layout of upstream's test/declarative_validation."""

from __future__ import annotations

import re
import subprocess
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from harness.case import Json, KindInfo, Operation
from harness.diagnostics import TargetError, UsageError
from harness.errormatch.normalize import normalizer
from harness.export.expected import LevelOf, VersionExpectation, expected_of, group_versions
from harness.export.golang import Writer
from harness.export.gotree import HELPERS, Tree
from harness.export.gowords import write_error
from harness.export.imports import Imports
from harness.export.rendering import template
from harness.export.rows import VALID, Missing, Table, TableRow
from harness.export.series import Inexpressible
from harness.field.error import quote
from harness.objectmodel import FIRST_REVISION, METADATA, REVISION, metadata_of, name_of, with_metadata
from harness.report.escaping import visible
from harness.targets.kubernetes.release import find_toolchain

_WORD = re.compile(r"[A-Za-z0-9]+")
STANDARD_IMPORTS = {
    "k8s.io/apimachinery/pkg/util/validation/field": "field",
    "k8s.io/apiserver/pkg/endpoints/request": "genericapirequest",
    HELPERS: "apitesting",
    "k8s.io/apiserver/pkg/authentication/user": "user",
    "k8s.io/apiserver/pkg/util/feature": "utilfeature",
    "k8s.io/component-base/featuregate/testing": "featuregatetesting",
    "errors": "errors",
    "regexp": "regexp",
    "slices": "slices",
    "testing": "testing",
}

IMPORTS_PLACEHOLDER = "\x00"
"""Replaced by the import block, which is known only when the rest of the file is written."""
NO_GATES: Mapping[str, bool] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class GoTest:
    """A rendered file and its path from the root of the checkout.

    `rows` counts its rows, `differing` those on which the handwritten and the declarative validators differ today.
    `missing` are rules and rows that are not in the file. `note` is a step to do by hand, empty when there is none.
    """

    path: str
    text: str
    rows: int
    differing: int
    missing: tuple[Missing, ...]
    note: str = ""


def render_go(
    tree: Tree,
    table: Table,
    notes: Sequence[str],
    name: str,
    *,
    level_of: LevelOf,
    skips: bool = True,
    gates: Mapping[str, bool] = NO_GATES,
) -> GoTest:
    """Render a table. `name` is the suffix of the test functions; `skips` adds t.Skip to rows that differ today.

    `level_of` returns the level of missing rules. `gates` are the feature gates that the answers were given under.

    Raises: UsageError for a kind that no Go test can be written for; TargetError when gofmt rejects the file.
    """
    builder = _TestBuilder(tree, table, name, skips, gates, level_of)
    body = builder.build()
    comment = [*notes, *(f"Not shown: {entry}" for entry in builder.missing)]
    comment_lines = [visible(line) for text in comment for line in _wrap(text)]
    text = template("table_test.go.j2").render(**body, notes=comment_lines, imports=IMPORTS_PLACEHOLDER)
    imports = "import (\n" + "".join(f"\t{line}\n" for line in builder.imports.lines(text)) + ")"
    formatted, note = _format(text.replace(IMPORTS_PLACEHOLDER, imports))
    path = f"{tree.package(table.info)}/exported{''.join('_' + word.lower() for word in _WORD.findall(name))}_test.go"
    return GoTest(path, formatted, builder.rows, builder.differing, tuple(builder.missing), note)


@dataclass(slots=True)
class _TestBuilder:
    """Builds the variables of the template, and collects imports and missing rows on the way."""

    tree: Tree
    table: Table
    name: str
    skips: bool
    gates: Mapping[str, bool]
    level_of: LevelOf
    imports: Imports = field(default_factory=Imports)
    missing: list[Missing] = field(default_factory=list)
    rows: int = 0
    differing: int = 0

    def build(self) -> dict[str, Any]:
        info = self.table.info
        for path, alias in STANDARD_IMPORTS.items():
            self.imports.name(path, alias)
        internal = self.tree.internal_type(info)
        package, _, kind = internal.rpartition(".")
        type_name = f"*{self.imports.name(package)}.{kind}"
        self.missing += self.table.missing
        return {
            "package": info.kind.lower(),
            "type": type_name,
            "maker": self._maker,
            "base": self._base(internal),
            "context": "NewDefaultContext" if info.namespaced else "NewContext",
            "tests": list(self._tests(type_name)),
            "gates": [(quote(name), str(value).lower()) for name, value in sorted(self.gates.items())],
            "wants_user": self.tree.wants_user(info),
            "rules_name": f"normalization{self._suffix}",
            "rules": [(_raw(pattern), quote(replacement)) for pattern, replacement in info.normalization],
        }

    def _base(self, internal: str) -> str:
        try:
            return self._writer.object(self.table.base, self.table.info.type, internal)
        except Inexpressible as problem:
            raise UsageError(
                f"the valid object cannot be written down in Go: it has {problem}\n  fix: --format pytest"
            ) from None

    @property
    def _suffix(self) -> str:
        words = _WORD.findall(self.name)
        return "".join(word[:1].upper() + word[1:] for word in words) or "EveryRule"

    @property
    def _maker(self) -> str:
        return f"mk{'Valid' if self.skips else ''}{self.table.info.kind}For{self._suffix}"

    @property
    def _writer(self) -> Writer:
        return Writer(self.tree.universe, self.imports)

    def _tests(self, type_name: str) -> Iterator[dict[str, Any]]:
        """Yield a test for each subresource and operation, creates before updates."""
        doors = dict.fromkeys((row.info.subresource, row.operation) for row in self.table.rows)
        for subresource, operation in sorted(doors, key=lambda door: (door[0], door[1] is Operation.UPDATE)):
            rows = [row for row in self.table.rows if (row.info.subresource, row.operation) == (subresource, operation)]
            info, update = rows[0].info, operation is Operation.UPDATE
            stored = update and all(_version(row.old) == _version(row.new) == FIRST_REVISION for row in rows)
            written = _deduplicate([one for row in rows for one in self._rows(row, update, stored, type_name)])
            if not written:
                continue
            name = f"DeclarativeValidate{'Update' if update else ''}{subresource.capitalize()}{self._suffix}"
            self.rows += len(written)
            self.differing += sum(1 for one in written if one["is_different"])
            yield {
                "name": f"Test{name}",
                "inner": f"test{name}",
                "versions": _strings(self.table.versions),
                "request": list(self._request(info, operation)),
                "strategy": self.tree.strategy(info, self.imports),
                "is_update": update,
                "stored": stored,
                "rows": written,
                "some_versions": any(one["versions"] for one in written),
                "some_differ": any(one["differs"] for one in written),
                "config": self._config(info),
            }

    def _request(self, info: KindInfo, operation: Operation) -> Iterator[tuple[str, str]]:
        yield "APIPrefix", quote("apis" if info.group else "api")
        yield "APIGroup", quote(info.group)
        yield "APIVersion", "apiVersion"
        yield "Resource", quote(info.resource)
        if info.subresource:
            yield "Subresource", quote(info.subresource)
        if operation is Operation.UPDATE:
            yield "Name", quote(name_of(self.table.base)[1])
        yield "IsResourceRequest", "true"
        yield "Verb", quote(operation)

    def _config(self, info: KindInfo) -> str:
        config = f", apitesting.WithSubResources({quote(info.subresource)})" if info.subresource else ""
        if info.normalization:
            config += f", apitesting.WithNormalizationRules(normalization{self._suffix}...)"
        return config

    def _rows(self, row: TableRow, update: bool, stored: bool, type_name: str) -> Iterator[dict[str, Any]]:
        """Yield the Go rows of a row: several when the expected errors differ between versions."""
        normalize = normalizer(row.info.normalization)
        expected = {
            version: expected_of(msgspec.structs.replace(row.info, version=version), answer, self.level_of)
            for version, answer in row.answers.items()
        }
        try:
            new, old = self._maker_call(row.new, stored, type_name), self._maker_call(row.old, stored, type_name)
        except Inexpressible as problem:
            self.missing.append(Missing(row.name, f"{problem} cannot be written as a literal"))
            return
        objects = [("oldObj", old), ("newObj", new)] if update else [("input", new)]
        groups = group_versions(expected, normalize)
        partial = len(groups) > 1 or set(expected) != set(self.table.versions)
        for versions, one in groups:
            suffix = f" ({', '.join(versions)})" if len(groups) > 1 else ""
            yield {
                "name": quote(visible(row.name) + suffix),
                "objects": objects,
                "errors": sorted(write_error(mark, normalize) for mark in one.marks),
                "versions": _strings(versions) if partial else "",
                "is_different": bool(one.differs),
                "differs": quote(_difference(one)) if one.differs and self.skips else "",
                "comment": [visible(text) for text in one.differs],
            }

    def _maker_call(self, obj: Json, stored: bool, type_name: str) -> str:
        """Write an object as a call of the function that makes the valid object, with the edits of it."""
        if obj is None:
            return ""
        base, info = self.table.base, self.table.info
        if stored:
            obj = with_metadata(obj, {k: v for k, v in obj[METADATA].items() if k != REVISION})
        statements = self._writer.changes("obj", base, obj, info.type, self.tree.internal_type(info))
        if not statements:
            return f"{self._maker}()"
        return f"{self._maker}(func(obj {type_name}) {{\n" + "".join(f"{one}\n" for one in statements) + "})"


def _difference(expected: VersionExpectation) -> str:
    return visible("the validators differ today: " + "; ".join(expected.differs))


def _version(obj: Json) -> Json:
    return (metadata_of(obj) or {}).get(REVISION)


def _deduplicate(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drop rows with the same Go objects as an earlier row, and number rows that would have the same name.

    Objects that differ in JSON may be equal in Go, such as an absent and an empty string.
    """
    first: dict[object, dict[str, Any]] = {}
    for row in rows:
        first.setdefault((tuple(row["objects"]), row["versions"], row["name"] == quote(VALID)), row)
    uses: dict[str, int] = {}
    for row in first.values():
        number = uses[row["name"]] = uses.get(row["name"], 0) + 1
        if number > 1:
            row["name"] = f'{row["name"][:-1]}, {number}"'
    return list(first.values())


def _strings(texts: Sequence[str]) -> str:
    return ", ".join(map(quote, texts))


def _raw(pattern: str) -> str:
    """Write a regular expression as a raw string literal where possible, because that is easier to read."""
    return f"`{pattern}`" if "`" not in pattern and pattern.isprintable() else quote(pattern)


def _wrap(text: str, width: int = 116) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def _format(text: str) -> tuple[str, str]:
    """Format a file with the toolchain's gofmt. Returns: the file, and a note when gofmt was not found.

    Raises: TargetError when gofmt rejects the file.
    """
    try:
        done = subprocess.run([_gofmt(), "-s"], input=text, capture_output=True, text=True, timeout=60)
    except OSError:
        return text, "no gofmt was found: run `gofmt -s -w` on the file"
    if done.returncode:
        raise TargetError(
            "gofmt rejects the exported test, which is a bug in the harness", why=done.stderr.strip(), fix="report it"
        )
    return done.stdout, ""


def _gofmt() -> str:
    """Return the path of the toolchain's own gofmt, in GOROOT because the `go` on PATH may be a wrapper script."""
    try:
        toolchain = find_toolchain()
        asked = subprocess.run([toolchain.go, "env", "GOROOT"], capture_output=True, text=True, timeout=60)
    except (TargetError, OSError):
        return "gofmt"
    return str(Path(asked.stdout.strip()) / "bin" / "gofmt")
