"""Opens a program that speaks the wire protocol, with or without the Go types of its objects."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from harness.case import KindInfo
from harness.diagnostics import UsageError, near_miss
from harness.gotypes.packages import Universe
from harness.subject.api import DEFAULT_RELEASE, SHARED, Api, bare_package
from harness.subject.declarative import compiled_types, with_types
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject
from harness.subject.tagtrial import TagTrials, trials_of
from harness.subject.targetkind import TargetKind
from harness.targets.target import Target

_MAX_NAMES = 8
"""At most this many types are listed in a message."""


def _open_command(spec: SubjectSpec, note: Note) -> Subject:
    # Imported here, because opening a suite must not load code that only workers need.
    from harness.targets.command import CommandTarget

    try:
        argv = shlex.split(spec.location)
    except ValueError as error:
        fix = "close the quotation, or put a backslash before the quotation mark"
        raise UsageError(f"--command {spec.location!r} is not a valid command line: {error}\n  fix: {fix}") from None
    if not argv:
        raise UsageError("no program is named\n  fix: --command 'PROGRAM ARGUMENT ...'")
    if spec.declarative == "python" and not spec.types:
        raise UsageError("--declarative python needs types to compile\n  fix: add --types DIR")
    universe = _read_types(spec.types) if spec.types else None
    target = cast(Target, CommandTarget(argv, note=note))
    if universe is not None:
        try:
            _check_types(universe, target.info.kinds, spec, note)
        except BaseException:
            target.close()
            raise
    tags = None if universe is None else TagTrials(universe)
    if spec.declarative == "python" and universe is not None:
        packages = sorted({kind.type.rpartition(".")[0] for kind in target.info.kinds if universe.find(kind.type)})
        api = Api(str(spec.types), DEFAULT_RELEASE, universe, tuple(map(bare_package, packages)))
        target = with_types(target, lambda: compiled_types(api, packages, note))
        tags = trials_of(api)
    return Subject(spec, Path(argv[0]).stem, target, universe, None, tags=tags)


def _check_types(universe: Universe, kinds: Sequence[KindInfo], spec: SubjectSpec, note: Note) -> None:
    """Check that --types has the types of the program's kinds. Raises: UsageError if it has none of them."""
    names = list(dict.fromkeys(kind.type or kind.kind for kind in kinds))
    unknown = [name for name in names if universe.find(name) is None]
    if unknown and len(unknown) == len(names):
        raise UsageError(
            f"--types {spec.types} has none of the types of the program's kinds\n"
            f"  why: the kinds have {_list_names(unknown)}; {spec.types} has {_list_names(_structs(universe))}\n"
            f"  fix: {_suggest_types(universe, unknown, str(spec.types))}"
        )
    if unknown:
        missing = _list_names(unknown)
        note(f"--types {spec.types} has no {missing}: objects of these kinds are generated without their types")


def _structs(universe: Universe) -> list[str]:
    """Return the qualified names of all structs but the shared ones."""
    return [
        f"{path}.{name}" for path in universe.paths if path not in SHARED for name in universe.package(path).structs
    ]


def _suggest_types(universe: Universe, unknown: Sequence[str], types: str) -> str:
    """Return the fix: another import path, a type with a similar name, or another folder."""
    bare = {name.rpartition(".")[2] for name in _structs(universe)}
    for name in unknown:
        package, _, short = name.rpartition(".")
        if package and short in bare:
            return f"--types {package}={types.rpartition('=')[2]}"
    near = next(filter(None, (near_miss(name, _structs(universe)) for name in unknown)), "")
    return near or "name the folder with the types of the program, or omit --types"


def _list_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more or "none"


def _read_types(types: str) -> Universe:
    """Read the types of `DIR` or `IMPORT/PATH=DIR`.

    Without an import path, every folder of DIR with Go files is a package whose import path is its relative path.
    """
    package, _, folder = types.rpartition("=")
    root = Path(folder)
    if not root.is_dir():
        raise UsageError(f"the folder of types {folder} does not exist\n  fix: --types DIR, or --types IMPORT/PATH=DIR")
    if package:
        return Universe.from_folders({**SHARED, package: root})
    found = {path.parent for path in root.rglob("*.go")}
    folders = {(path.relative_to(root).as_posix() if path != root else root.name): path for path in found}
    return Universe.from_folders({**SHARED, **folders})


def _open_types(spec: SubjectSpec) -> Api | None:
    if not spec.types:
        return None
    universe = _read_types(spec.types)
    paths = sorted(set(universe.paths) - set(SHARED))
    return Api(spec.types, DEFAULT_RELEASE, universe, tuple(map(bare_package, paths)))


COMMAND = TargetKind(
    "command", _open_command, _open_types, metavar="PROGRAM", help="A program that speaks the wire protocol.",
)  # fmt: skip
