"""Reads a change: git says which files differ, and readers of types, code and generated files say what that touches.

Lint says something too: of every declaration that changed, and whatever else the base did not have.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from harness.diagnostics import Diagnostic, InputError
from harness.lint.run import lint
from harness.verify.assemble import Assembler
from harness.verify.change import Change, ChangedFile, Layout, Revision
from harness.verify.declarations import compare_orders, compare_packages, members_of, package_or_none
from harness.verify.git import Repository
from harness.verify.gochange import compare_code
from harness.verify.layout import classify, import_path, layout_of
from harness.verify.narrow import narrow
from harness.verify.pychange import compare_suites
from harness.verify.sides import Side, empty_side, open_side
from harness.verify.stale import compare_generated, stale_code
from harness.verify.touches import Member, Touches
from harness.verify.view import unread, why_nothing

EXPORTED = ("go.mod", "pkg/apis", "pkg/api", "pkg/registry", "staging/src/k8s.io/api",
            "staging/src/k8s.io/apimachinery/pkg", "staging/src/k8s.io/apiserver/pkg/registry/rest")  # fmt: skip
"""What of a checkout of Kubernetes is read."""


def read_change(checkout: Path, base: str, fields: Sequence[str] = ()) -> Change:
    """Read what the work tree of a checkout changes since the merge base of `base` and HEAD.

    `fields` narrow to fields by JSON path (`spec.replicas`), Go name (`DeploymentSpec.Replicas`), or either with the
    kind in front (`Deployment:spec.replicas`).
    Raises: UsageError, InputError when git, the revision, the checkout or a field is not what it should be.
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
    return path.endswith((".go", ".mod", ".py")) and not path.endswith("_test.go")


def _open(root: Path, layout: Layout) -> Side:
    """Open the base; one that cannot be read is as good as none: everything is new then."""
    try:
        return open_side(root, layout)
    except InputError:
        return empty_side(root, layout)


def _check_suites(base: Side, head: Side) -> None:
    """Raise what is wrong with suites of the head, unless it was wrong before: what they examine is not known."""
    known = {(base.place(found.position).file, found.code) for found in base.troubles}
    new = [
        replace(found, position=head.place(found.position))
        for found in head.troubles
        if (head.place(found.position).file, found.code) not in known
    ]
    if new:
        raise InputError(new)


def _read(
    top: Path, layout: Layout, sides: tuple[Side, Side], files: tuple[ChangedFile, ...], fields: Sequence[str],
    base: Revision, head: Revision,
) -> Change:  # fmt: skip
    touches = Touches()
    packages = sorted(_type_packages(files, layout, sides))
    compare_packages(*sides, packages, touches)
    compare_orders(*sides, touches)
    declared = frozenset(touches.fields)
    for path in packages:
        if path in sides[1].packages and sides[1].packages[path][1].generates and sides[1].compiled(path) is None:
            touches.note(f"the tags of {path} cannot be compiled, so what they order is not known; lint says why")
    if layout == "kubernetes":
        compare_code(*sides, files, touches)
        compare_generated(*sides, files, touches)
    else:
        compare_suites(*sides, files, touches)
    assembler = Assembler(*sides)
    touched = assembler.fields(touches)
    kinds = assembler.kinds(touches, touched)
    ordered = {place.kind for one in touched if one.reasons_of("tags", "type") for place in one.paths}
    stale = tuple(stale_code(*sides, files, ordered)) if layout == "kubernetes" else ()
    if layout == "kubernetes" and (left := unread(files)):
        touches.note(left)
    notes = tuple(touches.notes)
    change = Change(
        top, layout, base, head, files, touched, kinds, not_regenerated=stale, notes=notes,
        diagnostics=tuple(lint_change(*sides, declared, packages)),
        nothing_touched="" if touched or kinds or stale else why_nothing(files, base, notes),
    )  # fmt: skip
    return narrow(change, fields, sides)


def _type_packages(files: Iterable[ChangedFile], layout: Layout, sides: tuple[Side, Side]) -> set[str]:
    """Return the packages of types that may differ."""
    known = {path for side in sides for path in side.universe.paths}
    if layout == "suites":
        return known
    changed = {path for one in files for path in (one.path, one.before) if path.endswith(".go")}
    return {path for path in map(import_path, changed) if path in known}


def lint_change(base: Side, head: Side, changed: Collection[Member], packages: Collection[str]) -> list[Diagnostic]:
    """Lint some packages of the head. `changed` are the declarations that differ.

    A diagnostic counts as known when the base has one of the same code, message and line of text in the same file.
    """
    known = {_key(one) for one in _lint(base, packages)}
    places = _places(head, changed)
    return [
        one
        for one in _lint(head, packages)
        if _key(one) not in known or (one.position.file, one.position.line) in places
    ]


def _lint(side: Side, packages: Collection[str]) -> Iterable[Diagnostic]:
    for api in side.apis:
        groups = {package.group for package in api.packages if package.path in packages}
        chosen = tuple(package for package in api.packages if package.group in groups)
        for found in lint(replace(api, packages=chosen)) if chosen else ():
            yield replace(found.diagnostic, position=side.place(found.diagnostic.position))


def _key(found: Diagnostic) -> tuple[str, str, str, str]:
    return found.code, found.message, found.position.file, found.source.strip()


def _places(side: Side, changed: Collection[Member]) -> set[tuple[str, int]]:
    """Return the lines of declarations: their tags and comments, and the line of the name."""
    found: set[tuple[str, int]] = set()
    for path in {name.rpartition(".")[0] for name, _ in changed}:
        package = package_or_none(side.universe, path)
        for member, declared in members_of(package).items() if package else ():
            if (f"{path}.{member[0]}", member[1]) in changed:
                positions = [declared.position, *(line.position for line in declared.comments)]
                found |= {(side.place(one).file, one.line) for one in positions}
    return found
