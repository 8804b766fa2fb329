"""Compiles the types of an API to structural schemas, and these to CRDs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.compiler.build import Builder
from harness.diagnostics import Diagnostic, InputError
from harness.openapi.crds import crd_group, definition, plural_of
from harness.openapi.losses import LOST
from harness.openapi.structure import SchemaWriter
from harness.subject.api import Api, ApiPackage
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.grammar import tag_lines
from harness.tags.release import release_of

_OWN_PATH = "/"
_STATUS = "/status"
_CLUSTER = "+genclient:nonNamespaced"


@dataclass(slots=True)
class KindSchemas:
    """The schemas of a kind by version, in the order of the packages, and what they do not say of the tags."""

    group: str
    kind: str
    namespaced: bool = True
    status: bool = False
    versions: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    losses: list[Diagnostic] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of its definition."""
        return f"{plural_of(self.kind)}.{crd_group(self.group)}"

    def definition(self, subresources: bool = True) -> dict[str, Any]:
        """Return the CRD. Without `subresources`, the status is a member as any other."""
        status = ("status",) if self.status and subresources else ()
        return definition(self.group, self.kind, self.versions, namespaced=self.namespaced, subresources=status)


def compile_schemas(api: Api, options: Mapping[str, bool] | None = None, extensions: bool = False) -> list[KindSchemas]:
    """Compile every root type. `options` are the validation options that are on; all others are off.

    `extensions`: with the words that KEP-4153 proposes and no server knows.
    Raises: InputError with everything wrong in any package.
    """
    wrong: list[Diagnostic] = []
    found: dict[tuple[str, str], KindSchemas] = {}
    for package in api.packages:
        try:
            for one, version, written, losses in _roots(api, package, options or {}, extensions):
                kind = found.setdefault((one.group, one.kind), one)
                kind.losses += losses
                if written:
                    kind.versions[version], kind.types[version] = written, f"{package.path}.{kind.kind}"
        except InputError as error:
            wrong += error.diagnostics
    if wrong:
        raise InputError(dict.fromkeys(wrong))
    return list(found.values())


def _roots(
    api: Api, package: ApiPackage, options: Mapping[str, bool], extensions: bool
) -> Iterator[tuple[KindSchemas, str, Mapping[str, Any], list[Diagnostic]]]:
    if not package.generates:
        return
    builder = Builder(api.universe, package.path, release_of(api.release), CustomFunctions(), package.criteria)
    plan = builder.build()
    writer = SchemaWriter(api.universe, plan, options, extensions)
    for root in plan.roots.values():
        declared = api.universe.find(root.type)
        assert declared is not None
        comments = (*declared.second_comments, *declared.comments)
        kind = KindSchemas(
            package.group, root.name, not any(line.text.strip() == _CLUSTER for line in comments),
            _STATUS in root.paths,
        )  # fmt: skip
        losses = [*builder.reader.warnings]
        if _OWN_PATH not in root.paths:
            line = next(line for line in tag_lines(comments) if line.name == "k8s:isSubresource")
            message = f"+{line.name} of {root.name} is left out, with all rules of {root.name}"
            why = "a CRD has the subresources status and scale, and no schema for them"
            fix = "keep the handwritten checks of the subresource"
            losses.append(Diagnostic(line.position, LOST, message, why, fix))
            yield kind, package.version, {}, losses
            continue
        written = writer.write(root)
        yield kind, package.version, written.schema, [*losses, *written.losses]
