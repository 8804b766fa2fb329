"""Finds the mutants of a release: of its handwritten validators and of what they call, and draws some by seed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

from harness.limits import read_checkout
from harness.targets.kubernetes.gomodule import TOP
from harness.targets.kubernetes.madeerrors import MODULE as APIMACHINERY
from harness.targets.kubernetes.mutants.gomutant import GoMutant, find_mutants
from harness.targets.kubernetes.mutants.gosource import ParsedFunction, imports_of, read_functions
from harness.targets.kubernetes.mutants.operators import OPERATORS

VALIDATION = "pkg/apis/*/validation"
_CALLED = (f"{TOP}/pkg/", f"{APIMACHINERY}/pkg/api/validation", f"{APIMACHINERY}/pkg/apis/meta/v1/valid")
"""Where the packages begin whose functions count as validators if these call them.

What the declarative side shares with the handwritten one is left out: an edit there changes both.
"""
_NOT_CALLED = re.compile(r"/pkg/(features|capabilities)$|/v\d\w*$|/install$")
_CALL = re.compile(r"\b(\w+)\.([A-Z]\w*)\(")


def all_mutants(folders: Mapping[str, Path]) -> list[GoMutant]:
    """Return every mutant of the handwritten validators, and of functions that they call in other packages.

    `folders` are the folders of modules, by their paths.
    """
    top = folders[TOP]
    found: list[GoMutant] = []
    called: dict[str, set[str]] = {}
    for folder in sorted(top.glob(VALIDATION)):
        for file in _files(folder):
            source = read_checkout(file)
            name = file.relative_to(top).as_posix()
            found += [one for own in find_mutants(TOP, name, source).values() for one in own]
            for path, functions in _calls(source, source.decode("utf-8", "replace")).items():
                called.setdefault(path, set()).update(functions)
    for path, functions in sorted(called.items()):
        found += _called_mutants(path, functions, folders)
    met: Counter[str] = Counter()
    for index, one in enumerate(found):
        met[one.name] += 1
        found[index] = replace(one, number=met[one.name])
    return found


def _called_mutants(path: str, called: set[str], folders: Mapping[str, Path]) -> Iterator[GoMutant]:
    """Yield the mutants of functions of another package that validators call, and of those that these call there."""
    module = next((one for one in folders if path.startswith(f"{one}/")), None)
    if module is None or not path.startswith(_CALLED) or _NOT_CALLED.search(path) or _is_validation(path):
        return
    files = [(file, read_checkout(file)) for file in _files(folders[module] / path.removeprefix(f"{module}/"))]
    functions = [one for file, source in files for one in read_functions(str(file), source)]
    wanted = _closure(functions, called)
    for file, source in files:
        name = file.relative_to(folders[module]).as_posix()
        for function, own in find_mutants(module, name, source).items():
            yield from own if function in wanted else ()


def _is_validation(path: str) -> bool:
    return re.fullmatch(rf"{TOP}/pkg/apis/\w+/validation", path) is not None


def _closure(functions: Iterable[ParsedFunction], called: set[str]) -> set[str]:
    """Return the names of functions with those that they call in their own package."""
    bodies: dict[str, str] = {}
    for one in functions:
        bodies[one.name] = bodies.get(one.name, "") + one.text
    wanted, todo = set(), [name for name in called if name in bodies]
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo += [other for other in re.findall(r"(?<![.\w])(\w+)\(", bodies[name]) if other in bodies]
    return wanted


def _calls(source: bytes, text: str) -> dict[str, set[str]]:
    """Return the functions of other packages that a file calls, by import path."""
    imports = imports_of(source)
    found: dict[str, set[str]] = {}
    for name, function in _CALL.findall(text):
        if name in imports:
            found.setdefault(imports[name], set()).add(function)
    return found


def _files(folder: Path) -> list[Path]:
    """Return the handwritten files of a package."""
    named = sorted(folder.glob("*.go"))
    return [file for file in named if not file.name.endswith("_test.go") and not file.name.startswith("zz_generated")]


def draw(mutants: Iterable[GoMutant], count: int, seed: int) -> list[GoMutant]:
    """Draw mutants: of all operators in turn, and for each of all packages in turn. Every function of one has a turn.

    The draw depends on the seed and the sources. A smaller draw is the beginning of a larger one.
    """
    random = Random(seed)
    queues = [_in_turn(_by_package(mutants, operator.name, random)) for operator in OPERATORS]
    return list(_take(_in_turn(queues), count))


def _by_package(mutants: Iterable[GoMutant], operator: str, random: Random) -> list[Iterator[GoMutant]]:
    groups: dict[str, dict[tuple[str, str], list[GoMutant]]] = {}
    for one in mutants:
        if one.operator == operator:
            groups.setdefault(one.package, {}).setdefault((one.file, one.function), []).append(one)
    packages = [groups[name] for name in sorted(groups)]
    random.shuffle(packages)
    queues = []
    for functions in packages:
        own = [functions[name] for name in sorted(functions)]
        random.shuffle(own)
        for edits in own:
            random.shuffle(edits)
        queues.append(_in_turn([iter(edits) for edits in own]))
    return queues


def _in_turn(queues: Iterable[Iterator[GoMutant]]) -> Iterator[GoMutant]:
    """Yield one of each queue in turn, until all are empty."""
    left = list(queues)
    while left:
        for queue in list(left):
            one = next(queue, None)
            if one is None:
                left.remove(queue)
            else:
                yield one


def _take(mutants: Iterator[GoMutant], count: int) -> Iterator[GoMutant]:
    for _, one in zip(range(count), mutants, strict=False):
        yield one
