"""Opens a subject beside its own tags in OpenAPI and CEL: generated validation against schemas (KEP-4153).

The objects of a run are asked of both, and compared as those of two servers: users have generated validation, and
would move to the schemas. Handwritten errors are left out.
"""

from __future__ import annotations

import os
from typing import cast

from harness.case import TargetInfo
from harness.diagnostics import InputError, UsageError
from harness.fuzzers.shape import shape_of
from harness.openapi.crds import crd_group, plural_of
from harness.subject.api import Api
from harness.subject.decode import decoder_of
from harness.subject.openers.crd import refused
from harness.subject.schemas import compile_schemas
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject
from harness.subject.targetpair import TargetPair
from harness.targets.target import Target


def beside_schema(spec: SubjectSpec, subject: Subject, api: Api | None, note: Note) -> Subject:
    """Return a subject that compares another one with its schemas. Closes the other one if that raises.

    Raises: UsageError for a subject without types, InputError for schemas that a server would refuse, TargetError.
    """
    try:
        return _beside_schema(spec, subject, api, note)
    except BaseException:
        subject.close()
        raise


def _beside_schema(spec: SubjectSpec, subject: Subject, api: Api | None, note: Note) -> Subject:
    # Imported here: suites must open fast, and without anything that only a Go worker needs.
    from harness.targets.crd.schema import GeneratedTarget, SchemaKind, SchemaTarget
    from harness.targets.crd.target import RELEASE, CrdTarget, refusals

    if api is None or subject.is_plain:
        why = "schemas are compiled from Go types of objects with apiVersion and kind"
        raise UsageError(f"{subject.name} has no schemas\n  why: {why}\n  fix: leave --schema out")
    schemas = [one for one in compile_schemas(api, _options(subject.target.info)) if one.versions]
    kinds = {
        name: SchemaKind(
            crd_group(one.group), version, one.kind, plural_of(one.kind), decoder_of(shape_of(api.universe, name)),
            one.versions[version],
        )
        for one in schemas for version, name in one.types.items()
    }  # fmt: skip
    release = api.release if api.release.count(".") == 2 else RELEASE
    threads = max(1, (os.cpu_count() or 1) // (2 * spec.beside))
    definitions = [one.definition(subresources=False) for one in schemas]
    crds = CrdTarget(definitions, "schemas", release=release, jobs=threads, note=note)
    try:
        problems = [
            refused(None, f"{one.resource}.{one.group} {one.field}", one.reason, release) for one in refusals(crds.info)
        ]
        if problems:
            raise InputError(problems)
        inner = subject.target
        first = SchemaTarget(inner, cast(Target, crds), kinds)
        pair = TargetPair(cast(Target, first), cast(Target, GeneratedTarget(inner, kinds)), origins=True, words=False)
    except BaseException:
        crds.close()
        raise
    return Subject(
        spec, f"{subject.name} against its schemas", cast(Target, pair), subject.universe, None, subject.literals,
        allow_incomplete=subject.allow_incomplete, examples=subject.examples, comparison=pair.servers,
    )  # fmt: skip


def _options(info: TargetInfo) -> dict[str, bool]:
    """Return the validation options of all kinds, as their strategies set them; one that differs is off."""
    found: dict[str, bool] = {}
    for kind in info.kinds:
        for name, value in kind.options.items():
            found[name] = found.get(name, value) and value
    return found
