"""A program that speaks the wire protocol, with or without Go types for its objects."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from harness.case import KindInfo
from harness.diagnostics import UsageError, near_miss
from harness.gotypes.packages import Universe
from harness.subject.api import DEFAULT_RELEASE, SHARED, Api
from harness.subject.compiled import bare_package, compiled_types, with_types
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject
from harness.subject.targetkind import TargetKind
from harness.targets.target import Target


def _open_command(spec: SubjectSpec, note: Note) -> Subject:
    # Imported here: suites must open fast, and without anything that only a worker needs.
    from harness.targets.command import CommandTarget

    try:
        argv = shlex.split(spec.location)
    except ValueError as error:
        fix = "end what is quoted, or put a backslash before the mark"
        raise UsageError(f"--command {spec.location!r} cannot be taken apart: {error}\n  fix: {fix}") from None
    if not argv:
        raise UsageError("no program is named\n  fix: --command 'PROGRAM ARGUMENT ...'")
    if spec.declarative == "python" and not spec.types:
        raise UsageError("--declarative python wants types to compile\n  fix: add --types DIR")
    universe = _types_of(spec.types) if spec.types else None
    target = cast(Target, CommandTarget(argv, note=note))
    if universe is not None:
        try:
            _check_types(universe, target.info.kinds, spec, note)
        except BaseException:
            target.close()
            raise
    if spec.declarative == "python" and universe is not None:
        packages = sorted({kind.type.rpartition(".")[0] for kind in target.info.kinds if universe.find(kind.type)})
        api = Api(str(spec.types), DEFAULT_RELEASE, universe, tuple(map(bare_package, packages)))
        target = with_types(target, lambda: compiled_types(api, packages, note))
    return Subject(spec, Path(argv[0]).stem, target, universe, None)


def _check_types(universe: Universe, kinds: Sequence[KindInfo], spec: SubjectSpec, note: Note) -> None:
    """See that the types given for a program are those of its kinds. Raises: UsageError when they are of none."""
    names = list(dict.fromkeys(kind.type or kind.kind for kind in kinds))
    unknown = [name for name in names if universe.find(name) is None]
    if unknown and len(unknown) == len(names):
        raise UsageError(
            f"--types {spec.types} has the type of no kind of the program\n"
            f"  why: its kinds have the types {_some(unknown)}; there are {_some(_structs(universe))}\n"
            f"  fix: {_fix_of_types(universe, unknown, str(spec.types))}"
        )
    if unknown:
        note(f"--types {spec.types} has no {_some(unknown)}: objects of these kinds are drawn without their types")


def _structs(universe: Universe) -> list[str]:
    return [
        f"{path}.{name}" for path in universe.paths if path not in SHARED for name in universe.package(path).structs
    ]


def _fix_of_types(universe: Universe, unknown: Sequence[str], types: str) -> str:
    """Say how the types are found: under another import path, by another name, or in another folder."""
    bare = {name.rpartition(".")[2] for name in _structs(universe)}
    for name in unknown:
        package, _, short = name.rpartition(".")
        if package and short in bare:
            return f"--types {package}={types.rpartition('=')[2]}"
    near = next(filter(None, (near_miss(name, _structs(universe)) for name in unknown)), "")
    return near or "name the folder with the types of the program, or leave --types out"


def _some(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "") or "none"


def _types_of(types: str) -> Universe:
    """Read `DIR` or `IMPORT/PATH=DIR`; below a plain folder every folder with Go files is a package by its path."""
    package, _, folder = types.rpartition("=")
    root = Path(folder)
    if not root.is_dir():
        raise UsageError(f"the folder of types {folder} does not exist\n  fix: --types DIR, or --types IMPORT/PATH=DIR")
    if package:
        return Universe.from_folders({**SHARED, package: root})
    found = {path.parent for path in root.rglob("*.go")}
    folders = {(path.relative_to(root).as_posix() if path != root else root.name): path for path in found}
    return Universe.from_folders({**SHARED, **folders})


def _of_types(types: str) -> Api:
    universe = _types_of(types)
    paths = sorted(set(universe.paths) - set(SHARED))
    return Api(types, DEFAULT_RELEASE, universe, tuple(map(bare_package, paths)))


def _api(spec: SubjectSpec) -> Api | None:
    return _of_types(spec.types) if spec.types else None


COMMAND = TargetKind(
    "command", _open_command, _api, metavar="PROGRAM", help="A program that speaks the wire protocol.",
)  # fmt: skip
