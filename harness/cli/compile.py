"""`harness compile`: types and tags in, Python source out."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from harness.cli.options import STDOUT, api_argument
from harness.compiler.validators import Module, standalone
from harness.diagnostics import Diagnostic, InputError, Position, UsageError
from harness.files import write_atomically
from harness.reporting.text import count, lines, visible
from harness.subject.api import Api, open_api
from harness.tags.custom_kubernetes import KUBERNETES, CustomFunctions


@click.command("compile")
@api_argument
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write one file per package; - for standard output.",
)
@click.option(
    "--custom", default="", metavar="MODULE", help="Module with the Python functions of +k8s:customValidation."
)
def command(path: str, kubernetes: str, release: str, output: Path | None, custom: str) -> int:
    """Compile the tags of types.go to declarative validators, as readable Python source.

    PATH is a folder with types.go, or one above several; or name a release with --kubernetes. One package is printed,
    or written to --output DIR, which several packages require. The modules run without the types and the compiler.
    """
    api = open_api(path, kubernetes=kubernetes, release=release)
    modules = list(_modules(api))
    origins = _origins(modules, custom)
    if output is None or output == STDOUT:
        if len(modules) != 1:
            known = ", ".join(module.package for module in modules[:5]) + (", ..." if len(modules) > 5 else "")
            raise UsageError(f"{count(len(modules), 'package')} have rules ({known})\n  fix: --output DIR")
        click.echo(standalone(modules[0], origins), nl=False)
        return 0
    names = _names([module.package for module in modules])
    try:
        for module in modules:
            write_atomically(output / names[module.package], standalone(module, origins).encode())
    except OSError as error:
        raise UsageError(f"cannot write to {output}: {error.strerror or error}\n  fix: --output DIR") from None
    types = sum(bool(entry.function) for module in modules for entry in module.entries.values())
    click.echo(visible(f"written: {count(len(modules), 'module')} with {count(types, 'root type')} to {output}"))
    return 0


def _modules(api: Api) -> Iterator[Module]:
    """Compile what has rules, tell what was ignored, and raise everything that is wrong in all packages."""
    wrong: list[Diagnostic] = []
    for package in api.packages:
        try:
            module = api.module(package, CustomFunctions()) if package.generates else None
        except InputError as error:
            wrong += error.diagnostics
            continue
        for warning in module.warnings if module else ():
            click.echo(lines(str(warning)), err=True)
        if module is not None and any(entry.function for entry in module.entries.values()):
            yield module
    if wrong:
        raise InputError(dict.fromkeys(wrong))


def _origins(modules: list[Module], custom: str) -> Mapping[str, str]:
    """Say where each handwritten function comes from. Raises: InputError naming all that come from nowhere."""
    wanted = {name: module.package for module in modules for name in module.custom}
    given = _names_in(custom) if custom else frozenset()
    origins = {}
    missing = []
    for name, package in wanted.items():
        if name in given:
            origins[name] = f"from {custom} import {name}"
        elif name in KUBERNETES:
            function = KUBERNETES[name]
            origins[name] = f"from {function.__module__} import {function.__name__} as {name}"
        else:
            missing.append(_missing(name, package, custom))
    if missing:
        raise InputError(missing)
    return origins


def _missing(name: str, package: str, custom: str) -> Diagnostic:
    message = f"{name} is handwritten in Go, and {custom or 'nobody'} has no Python function of that name"
    why = "+k8s:customValidation calls it"
    fix = f"def {name}(operation, path, new, old): return []  # in a module that --custom names"
    return Diagnostic(Position(package), "custom-missing", message, why, fix)


def _names_in(module: str) -> frozenset[str]:
    """Import a module, from the current folder too, and return the names of its functions."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = importlib.import_module(module)
    except Exception as error:  # whatever an author's module raises
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(f"--custom {module} cannot be imported: {reason}\n  fix: name a module on the path") from None
    finally:
        sys.path.pop(0)
    return frozenset(name for name in vars(found) if callable(getattr(found, name)))


def _names(packages: list[str]) -> dict[str, str]:
    """Return file names: the part of the import paths that packages do not share, as an identifier."""
    parts = {package: package.split("/") for package in packages}
    shared = 0
    while len({tuple(one[: shared + 1]) for one in parts.values()}) == 1 and all(
        len(one) > shared + 1 for one in parts.values()
    ):
        shared += 1
    return {package: re.sub(r"\W", "_", "_".join(one[shared:])) + ".py" for package, one in parts.items()}
