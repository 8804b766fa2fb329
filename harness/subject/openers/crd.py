"""CRDs, before against after: what users of an API server are served with either.

The server before has the CRDs of `against`, and may have a validator behind them, such as a webhook; the server after
has those of the location alone. Objects have the members of both.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from itertools import chain
from pathlib import Path
from typing import cast

from harness.case import KindInfo
from harness.diagnostics import Diagnostic, InputError, Position, UsageError
from harness.gotypes.literals import NO_LITERALS, Literals
from harness.gotypes.packages import Universe
from harness.objectmodel import SCALE
from harness.openapi.declarations import Schema, declare
from harness.openapi.values import literals_of
from harness.subject.api import SHARED
from harness.subject.definitions import WITHOUT_CEL, Definition, read_definitions
from harness.subject.namedvalidator import open_validator, validator_literals, validator_name
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject
from harness.subject.targetkind import TargetKind
from harness.subject.targetpair import TargetPair
from harness.targets.target import Target


def _open(spec: SubjectSpec, note: Note) -> Subject:
    _check(spec)
    definitions = read_definitions(spec.location)
    target = open_crds(spec, definitions, spec.location, note)
    universe, literals = describe([definitions])
    return Subject(spec, Path(spec.location).name, target, universe, None, literals)


def _open_pair(spec: SubjectSpec, note: Note) -> Subject:
    assert spec.against is not None
    _check(spec)
    after, before = read_definitions(spec.location), read_definitions(spec.against)
    names = distinct_names(spec.location, spec.against)
    title = " against ".join(names)
    with ExitStack() as opened:
        first = open_crds(spec, after, names[0], note)
        opened.callback(first.close)
        name = names[1] if spec.validator is None else f"{names[1]} with {validator_name(spec.validator)}"
        second = open_crds(spec, before, name, note)
        opened.callback(second.close)
        if spec.validator is not None:
            second = _behind(second, spec.validator, note, spec)
            opened.callback(second.close)
        pair = TargetPair(first, second, origins=True, words=spec.validator is None, traces=True)
        universe, of_rules = describe([after, before])
        said = NO_LITERALS if spec.validator is None else validator_literals(spec.validator)

        def literals(info: KindInfo) -> Literals:
            return of_rules(info).beside(said)

        opened.pop_all()
    return Subject(spec, title, cast(Target, pair), universe, None, literals, comparison=pair.servers)


def _check(spec: SubjectSpec) -> None:
    """Refuse what means nothing to CRDs. Raises: UsageError."""
    if spec.declarative != "target" or spec.types:
        raise UsageError("CRDs are judged by their own schemas\n  fix: leave --declarative and --types out")
    if spec.gates:
        raise UsageError("CRDs are judged under the gates of the release\n  fix: leave --gates out")


def open_crds(spec: SubjectSpec, definitions: Sequence[Definition], name: str, note: Note) -> Target:
    """Start a server with definitions. Raises: InputError with each reason why it refuses one."""
    # Imported here: suites must open fast, and without anything that only a Go worker needs.
    from harness.targets.crd.target import RELEASE, CrdTarget, refusals

    threads = max(1, (os.cpu_count() or 1) // (2 * spec.beside)) if spec.beside > 1 else None
    documents = [one.document for one in definitions]
    release = spec.release or RELEASE
    target = CrdTarget(documents, name, release=release, jobs=threads, note=note)
    by_name = {(one.group, one.resource): one for one in definitions}
    problems = [
        refused(by_name.get((one.group, one.resource)), one.field, one.reason, release) for one in refusals(target.info)
    ]
    if problems:
        target.close()
        raise InputError(problems)
    return cast(Target, target)


def _behind(crds: Target, validator: str, note: Note, spec: SubjectSpec) -> Target:
    """Put a validator behind CRDs. Raises: TargetError, UsageError."""
    # Imported here: commands that only read CRDs need none of it.
    from harness.targets.crd.behind import ValidatorBehind

    # A scale is shown to webhooks as an object of its own kind, which is not at hand here.
    kinds = [kind for kind in crds.info.kinds if kind.subresource != SCALE]
    opened = open_validator(validator, kinds, note, spec.branches, spec.counts_blocks)
    return cast(Target, ValidatorBehind(crds, opened))


def refused(definition: Definition | None, field: str, reason: str, release: str) -> Diagnostic:
    """Say where a definition is refused and why."""
    field = _of_version(field)
    message = f"Kubernetes {release} refuses the CRD: {': '.join(part for part in (field, reason) if part)}"
    fix = next((fix for words, fix in _FIXES if words in f"{field}: {reason}"), _OTHER_FIX)
    if definition is None:
        return Diagnostic(Position("-"), "crd-refused", message, "what is refused defines nothing", fix)
    position = definition.position(field)
    why = f"the server that refuses {definition.name} goes on with the one it has, or serves none"
    line = definition.line(position.line).rstrip()
    return Diagnostic(position, "crd-refused", message, why, fix, line if len(line) <= _LONGEST_LINE else "")


def _of_version(field: str) -> str:
    """Return a path as it is published: the server hoists what all versions have in common."""
    hoisted = field.replace("spec.validation.", "spec.versions[0].schema.", 1)
    return re.sub(r"^spec\.(subresources|additionalPrinterColumns|selectableFields)", r"spec.versions[0].\1", hoisted)


_LONGEST_LINE = 200
_OTHER_FIX = "change it as the message says; kubectl apply says the same"
_FIXES = (
    ("estimated rule cost", "bound the lists, maps and texts that the rule reads: maxItems, maxProperties, maxLength"),
    ("compilation failed", "correct the expression; the caret in the message shows where it stops making sense"),
    ("unknown field", "remove it, or correct its spelling: the server would drop it without a word"),
    ("cannot unmarshal", "write a value of the type that the message names; quotes make a text of a number"),
    ("api-approved.kubernetes.io", "annotate it, or use a group of your own instead of *.k8s.io"),
    ("must be spec.names.plural", "name the object PLURAL.GROUP"),
    ("to be structural", "say it in the schema around, and leave anyOf, oneOf, allOf and not to limits of values"),
    ("must not be empty for specified", "give every field a type"),
    ("x-kubernetes-list-map-keys", "make the key required, or give it a default"),
    ("valid regular expression", "correct the pattern; the server reads it as RE2, without look-around"),
    ("marked as storage", "set storage: true in one version, and false in the others"),
    ("preserveUnknownFields", "set x-kubernetes-preserve-unknown-fields where a schema needs it"),
    (".default", "give the default every field that its schema requires, or take it out"),
)
"""By words of a reason, the first that fit. Source: k8s.io/apiextensions-apiserver v0.37.1 (2026-11)."""


def describe(variants: Sequence[Sequence[Definition]]) -> tuple[Universe, Callable[[KindInfo], Literals]]:
    """Return the types of the definitions, each of the schemas of all variants, and the literals of their rules."""
    packages: dict[str, dict[str, list[Schema]]] = {}
    for definition in chain.from_iterable(variants):
        for version, schema in definition.schemas():
            packages.setdefault(f"{definition.group}/{version}", {}).setdefault(definition.kind, []).append(schema)

    @cache
    def of_kind(api_version: str, kind: str) -> Literals:
        return literals_of(packages.get(api_version, {}).get(kind, []))

    def literals(info: KindInfo) -> Literals:
        return of_kind(info.api_version, info.kind)

    declared = [declare(path, roots) for path, roots in packages.items()]
    return Universe.of_packages(declared, SHARED), literals


def distinct_names(after: str, before: str) -> tuple[str, str]:
    """Return what two locations are called: what they share at their beginnings is left out where both are absolute."""
    bare = before.removeprefix(WITHOUT_CEL)
    if bare != before:
        one, other = distinct_names(after, bare)
        return one, f"{other} without CEL"
    parts = [Path(one).parts for one in (after, before)]
    if not all(Path(one).is_absolute() for one in (after, before)) or parts[0] == parts[1]:
        return after, before
    shared = next((at for at, both in enumerate(zip(*parts, strict=False)) if both[0] != both[1]), min(map(len, parts)))
    names = [str(Path(*own[shared:])) if own[shared:] else str(Path(*own)) for own in parts]
    return names[0], names[1]


CRD = TargetKind(
    "crd", _open, lambda spec: None, metavar="DIR|FILE|REV:DIR", help="CRDs, judged by the code of the API server.",
    runs_code=lambda location: False, open_pair=_open_pair,
)  # fmt: skip
