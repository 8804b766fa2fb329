"""Reads a change from git, and compares types, code and generated files to find the fields and kinds that it touches.

The head is linted too: diagnostics of changed declarations are reported, and others that the base does not have.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from harness.diagnostics import Diagnostic, InputError, UsageError
from harness.git import Repository
from harness.lint.run import lint
from harness.subject.api import Api
from harness.verify.assemble import Assembler
from harness.verify.change import Change, ChangedFile, Layout, Revision
from harness.verify.collector import Member, TouchCollector
from harness.verify.declarations import compare_generator_tags, compare_packages, members_of, package_or_none
from harness.verify.gocode import compare_code
from harness.verify.layout import classify, import_path, layout_of
from harness.verify.narrow import narrow
from harness.verify.pychange import compare_suites
from harness.verify.sides import Side, empty_side, open_side
from harness.verify.stale import compare_generated, stale_code
from harness.verify.staletests import FOLDER as TESTS
from harness.verify.staletests import is_read, stale_tests
from harness.verify.view import unread_note, why_nothing

EXPORTED = ("go.mod", "pkg/apis", "pkg/api", "pkg/registry", "staging/src/k8s.io/api",
            "staging/src/k8s.io/apimachinery/pkg", "staging/src/k8s.io/apiserver/pkg/registry/rest",
            "staging/src/k8s.io/component-base/version", TESTS)  # fmt: skip
"""The files and folders of a checkout of Kubernetes that are read."""


def read_change(checkout: Path, base: str, fields: Sequence[str] = ()) -> Change:
    """Read the change from the merge base of `base` and HEAD to the work tree of a checkout.

    `fields` narrow to fields by JSON path (`spec.replicas`), Go name (`DeploymentSpec.Replicas`), or either with the
    kind in front (`Deployment:spec.replicas`).
    Raises: UsageError, InputError for an invalid revision, checkout or field, and when git fails.
    """
    repository = Repository.at(checkout)
    layout = layout_of(repository.top)
    named, head = repository.commit(base), repository.commit("HEAD")
    commit = repository.merge_base(named, head)
    files = classify(repository.differences(commit), layout, repository.uncommitted())
    with tempfile.TemporaryDirectory(prefix="harness-base-") as folder:
        root = Path(folder).resolve()
        repository.export(commit, root, EXPORTED if layout == "kubernetes" else (), _is_read)
        sides = _open(root, layout), open_side(repository.top, layout)
        _check_suites(*sides)
        return _read(
            repository.top, layout, sides, files, fields,
            Revision(base, commit, repository.subject(commit)), Revision("HEAD", head, repository.subject(head)),
        )  # fmt: skip


def _is_read(path: str) -> bool:
    return is_read(path) or (path.endswith((".go", ".mod", ".py")) and not path.endswith("_test.go"))


def _open(root: Path, layout: Layout) -> Side:
    """Open the base. An unreadable base counts as empty, so that everything in the head is new."""
    try:
        return open_side(root, layout)
    except InputError:
        return empty_side(root, layout)


def _check_suites(base: Side, head: Side) -> None:
    """Raise what is wrong with suites of the head, unless it was wrong before: what they examine is not known."""
    known = {(base.place(found.position).file, found.code) for found in base.errors}
    new = [
        replace(found, position=head.place(found.position))
        for found in head.errors
        if (head.place(found.position).file, found.code) not in known
    ]
    if new:
        raise InputError(new)


def _read(
    top: Path, layout: Layout, sides: tuple[Side, Side], files: tuple[ChangedFile, ...], fields: Sequence[str],
    base: Revision, head: Revision,
) -> Change:  # fmt: skip
    collector = TouchCollector()
    packages = sorted(_type_packages(files, layout, sides))
    compare_packages(*sides, packages, collector)
    compare_generator_tags(*sides, collector)
    declared = frozenset(collector.fields)
    for path in packages:
        if path in sides[1].packages and sides[1].packages[path][1].generates and sides[1].compiled(path) is None:
            collector.add_note(f"the tags of {path} cannot be compiled, so what they order is not known; lint says why")
    if layout == "kubernetes":
        compare_code(*sides, files, collector)
        compare_generated(*sides, files, collector)
    else:
        compare_suites(*sides, files, collector)
    not_read = _suites_without_types(sides, files)
    for folder in not_read:
        collector.add_note(f"{folder} compares two validators of Python, whose fields are not read: {_SEARCH} {folder}")
    assembler = Assembler(*sides)
    touched = assembler.fields(collector)
    kinds = assembler.kinds(collector, touched)
    ordered = {place.kind for one in touched if one.reasons_of("tags", "type") for place in one.paths}
    if not_read and not touched and not kinds:
        raise UsageError(
            f"what changed is in {', '.join(not_read)}: its fields are not known, because it has no types.go\n"
            f"  fix: {_SEARCH} {not_read[0]} compares its two validators as they are now"
        )
    stale = tuple(stale_code(*sides, files, ordered)) if layout == "kubernetes" else ()
    tests = tuple(stale_tests(*sides, files, [kind.name for kind in kinds])) if layout == "kubernetes" else ()
    if layout == "kubernetes" and (left := unread_note(files)):
        collector.add_note(left)
    notes = tuple(collector.notes)
    change = Change(
        top, layout, base, head, files, touched, kinds, not_regenerated=(*stale, *tests), notes=notes,
        diagnostics=tuple(lint_change(*sides, declared, {*packages, *_strategy_packages(files, sides)})),
        nothing_touched="" if touched or kinds or stale else why_nothing(files, base, notes),
    )  # fmt: skip
    return narrow(change, fields, sides)


_STRATEGIES = re.compile(r"pkg/registry/(\w+)/.*\.go|pkg/apis/(\w+)/validation/")
_SEARCH = "harness run"


def _suites_without_types(sides: tuple[Side, Side], files: Iterable[ChangedFile]) -> list[str]:
    """Return the folders of suites of two validators in which a file changed."""
    folders = {folder for side in sides for folder in side.without_types}
    changed = {path for one in files for path in (one.path, one.before) if path}
    return sorted(folder for folder in folders if any(path.startswith(f"{folder}/") for path in changed))


def _type_packages(files: Iterable[ChangedFile], layout: Layout, sides: tuple[Side, Side]) -> set[str]:
    """Return the packages whose types may differ."""
    known = {path for side in sides for path in side.universe.paths}
    if layout == "suites":
        return known
    changed = {path for one in files for path in (one.path, one.before) if path.endswith(".go")}
    return {path for path in map(import_path, changed) if path in known}


def _strategy_packages(files: Iterable[ChangedFile], sides: tuple[Side, Side]) -> set[str]:
    """Return the packages of the groups whose strategies may pass something else to declarative validation."""
    changed = (_STRATEGIES.match(path) for one in files for path in (one.path, one.before) if path)
    groups = {found[1] or found[2] for found in changed if found is not None}
    return {path for side in sides for path in side.packages if path.split("/")[-2:][0] in groups}


def lint_change(base: Side, head: Side, changed: Collection[Member], packages: Collection[str]) -> list[Diagnostic]:
    """Lint some packages of the head. `changed` are the declarations that differ.

    A diagnostic of another declaration is omitted when the base has one with the same code, message, file and text of
    the line.
    """
    known = {_key(one) for one in _lint(base, packages)}
    places = _places(head, changed)
    return [
        one
        for one in _lint(head, packages, base)
        if _key(one) not in known or (one.position.file, one.position.line) in places
    ]


def _lint(side: Side, packages: Collection[str], base: Side | None = None) -> Iterable[Diagnostic]:
    """Lint some packages, of a change with those of its base."""
    for api in side.apis:
        groups = {package.group for package in api.packages if package.path in packages}
        chosen = tuple(package for package in api.packages if package.group in groups)
        before = _api_with(base, {package.path for package in chosen}) if base is not None else None
        for found in lint(replace(api, packages=chosen), base=before) if chosen else ():
            yield replace(found.diagnostic, position=side.place(found.diagnostic.position))


def _api_with(side: Side, paths: Collection[str]) -> Api | None:
    """Return the API that has one of some packages, with these alone; None if there is none."""
    for api in side.apis:
        if chosen := tuple(package for package in api.packages if package.path in paths):
            return replace(api, packages=chosen)
    return None


def _key(found: Diagnostic) -> tuple[str, str, str, str]:
    return found.code, found.message, found.position.file, found.source.strip()


def _places(side: Side, changed: Collection[Member]) -> set[tuple[str, int]]:
    """Return the lines of declarations: those of their tags and comments, and that of the name."""
    found: set[tuple[str, int]] = set()
    for path in {name.rpartition(".")[0] for name, _ in changed}:
        package = package_or_none(side.universe, path)
        for member, declared in members_of(package).items() if package else ():
            if (f"{path}.{member[0]}", member[1]) in changed:
                positions = [declared.position, *(line.position for line in declared.comments)]
                found |= {(side.place(one).file, one.line) for one in positions}
    return found
