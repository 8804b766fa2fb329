"""A declarative side of types compiled to Python, for a target that has another one of its own, or none."""

from __future__ import annotations

from collections.abc import Callable, Collection

from harness.compiler import Validators
from harness.diagnostics import Diagnostic, InputError
from harness.subject.api import Api, ApiPackage
from harness.subject.declarative import CompiledTypes, PythonDeclarative
from harness.subject.subject import Note
from harness.tags.custom_kubernetes import CustomFunctions
from harness.targets.target import Target


def with_types(target: Target, types: Callable[[], CompiledTypes]) -> Target:
    """Give a target another declarative side; it is closed when it refuses, or when the types cannot be compiled."""
    try:
        return PythonDeclarative(target, types())
    except BaseException:
        target.close()
        raise


def bare_package(path: str) -> ApiPackage:
    """Describe a package of which nothing but its import path is known."""
    return ApiPackage(path, "", path.rpartition("/")[2])


def compiled_types(api: Api, now: Collection[str], note: Note) -> CompiledTypes:
    """Return validators that are compiled on first use; those of `now` at once, so that what is wrong is told early."""
    packages = {package.path: package for package in api.packages}
    functions, told = CustomFunctions(), set[str]()

    def compiled(path: str) -> Validators:
        result = api.validators(packages.get(path) or bare_package(path), functions)
        for message in (*map(str, result.warnings), *functions.warnings()):
            if message not in told:
                told.add(message)
                note(message)
        return result

    # A package that orders no generation has no rules, unless somebody has just written some.
    types = CompiledTypes(api.universe, {*packages, *now}, compiled)
    problems: list[Diagnostic] = []
    for path in now:
        try:
            types.package(path)
        except InputError as error:
            problems += error.diagnostics
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    return types
