"""`harness compile`: compile the tags of types.go to declarative validators: Python source, OpenAPI or CRDs."""

from __future__ import annotations

import importlib
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from harness.cli.configuration import parse_gates
from harness.cli.options import STDOUT, api_argument
from harness.compiler.validators import Module, standalone
from harness.diagnostics import Diagnostic, InputError, Position, UsageError
from harness.files import write_atomically
from harness.openapi.keeping import FATES
from harness.openapi.losses import DIFFERS, LIMITED, LOST
from harness.report.escaping import count, lines, visible
from harness.subject.api import Api, open_api
from harness.subject.generators import GENERATORS, Generator, describe_fates, what_is_kept
from harness.subject.schemas import KindSchemas, compile_schemas
from harness.tags.custom_kubernetes import KUBERNETES, CustomFunctions
from harness.tags.release import release_of


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
@click.option(
    "--to",
    "language",
    type=click.Choice(("python", "openapi", "crd")),
    default="python",
    show_default=True,
    help="What to write: Python source, or schemas in OpenAPI v3 with rules in CEL, bare or as CRDs.",
)
@click.option(
    "--option", "options", multiple=True, metavar="NAME=true", help="A validation option of schemas; others are off."
)
@click.option(
    "--generator",
    type=click.Choice(GENERATORS),
    default=None,
    help="Write nothing; tell which tags the schemas of another generator keep, change or drop.",
)
def command(
    path: str,
    kubernetes: str,
    release: str,
    output: Path | None,
    custom: str,
    language: str,
    options: tuple[str, ...],
    generator: Generator | None,
) -> int:
    """Compile the tags of types.go to declarative validators, as readable Python source.

    PATH is a folder with types.go, or one above several; or name a release with --kubernetes. One package is printed,
    or written to --output DIR, which several packages require. The modules run without the types and the compiler.

    With --to openapi or crd, the types and tags of all root types become structural schemas with rules in CEL. What
    a schema does not say of a tag is told on standard error.

    With --generator, the CRDs that controller-gen makes of the types, or the published OpenAPI of the release, are
    compared with the tags.
    """
    api = open_api(path, kubernetes=kubernetes, release=release)
    if generator is not None:
        if output is not None or custom or options or language != "python":
            raise UsageError("--generator writes no files\n  fix: leave --output, --to, --custom and --option out")
        return _tell_what_is_kept(api, generator, kubernetes, path)
    if language != "python":
        if custom:
            raise UsageError("a schema calls no Python\n  fix: leave --custom out, or compile --to python")
        return _compile_schemas(api, language, output, parse_gates(list(options)))
    if options:
        raise UsageError("Python source reads options when it runs\n  fix: leave --option out, or --to crd")
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


def _compile_schemas(api: Api, language: str, output: Path | None, options: Mapping[str, bool]) -> int:
    """Write the schemas, and tell what they do not say."""
    # A server refuses a CRD with words that it does not know; OpenAPI documents are for clients.
    kinds = compile_schemas(api, options, extensions=language == "openapi" and release_of(api.release).proposed)
    losses = dict.fromkeys(loss for kind in kinds for loss in kind.losses)
    for loss in losses:
        click.echo(lines(str(loss)), err=True)
    texts = dict(_documents(api, kinds, language))
    if not texts:
        raise UsageError(f"{api.name} has no root types\n  fix: write +k8s:validation-gen=true at one")
    if output is None or output == STDOUT:
        click.echo("---\n".join(texts.values()), nl=False)
        return 0
    try:
        for name, text in texts.items():
            write_atomically(output / name, text.encode())
    except OSError as error:
        raise UsageError(f"cannot write to {output}: {error.strerror or error}\n  fix: --output DIR") from None
    number = Counter(loss.code for loss in losses)
    told = f"{count(number[LOST], 'tag')} left out, {number[DIFFERS]} not the same, {number[LIMITED]} limits added"
    click.echo(visible(f"written: {count(len(texts), 'file')} to {output}; {told}"))
    return 0


def _tell_what_is_kept(api: Api, generator: Generator, kubernetes: str, location: str) -> int:
    """Print a table by tag, and what is dropped or changed on standard error."""
    fates = what_is_kept(api, generator, kubernetes, location, lambda text: click.echo(lines(text), err=True))
    for told in describe_fates(fates, generator):
        click.echo(lines(str(told)), err=True)
    number = Counter((one.tag, one.fate) for one in fates)
    tags = sorted({one.tag for one in fates})
    width = max(map(len, tags), default=0) + 1
    click.echo(f"{'tag':{width}}" + "".join(f"{fate:>9}" for fate in FATES))
    for tag in tags:
        click.echo(f"{'+' + tag:{width}}" + "".join(f"{number[tag, fate]:>9,}" for fate in FATES))
    sums = (sum(one.fate == fate for one in fates) for fate in FATES)
    click.echo(f"{'all':{width}}" + "".join(f"{number:>9,}" for number in sums))
    return 0


def _documents(api: Api, kinds: Sequence[KindSchemas], language: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file: a CRD for each kind, an OpenAPI document for each group and version."""
    if language == "crd":
        for kind in kinds:
            if kind.versions:
                yield f"{kind.name}.yaml", _yaml(kind.definition())
        return
    documents: dict[tuple[str, str], dict[str, Any]] = {}
    for kind in kinds:
        for version, schema in kind.versions.items():
            named = {"group": kind.group, "version": version, "kind": kind.kind}
            document = documents.setdefault((kind.group, version), {})
            document[kind.kind] = {**schema, "x-kubernetes-group-version-kind": [named]}
    for (group, version), schemas in documents.items():
        info = {"title": api.name, "version": version}
        document = {"openapi": "3.0.0", "info": info, "paths": {}, "components": {"schemas": schemas}}
        yield f"{group or 'core'}_{version}.yaml", _yaml(document)


def _yaml(document: Mapping[str, Any]) -> str:
    import yaml  # slow to import, and most commands write none

    # Values that occur twice are written twice: a server takes no anchors.
    base = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    dumper = type("PlainDumper", (base,), {"ignore_aliases": lambda self, data: True})
    return str(yaml.dump(document, Dumper=dumper, sort_keys=False, allow_unicode=True, width=1000))


def _modules(api: Api) -> Iterator[Module]:
    """Compile the packages with rules, and print warnings. Raises: InputError with the errors of all packages."""
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
    """Return the import line of each custom validation function. Raises: InputError with every missing one."""
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
            missing.append(_report_missing(name, package, custom))
    if missing:
        raise InputError(missing)
    return origins


def _report_missing(name: str, package: str, custom: str) -> Diagnostic:
    message = f"{name} is handwritten in Go, and {custom or 'nobody'} has no Python function of that name"
    why = "+k8s:customValidation calls it"
    fix = f"def {name}(operation, path, new, old): return []  # in a module that --custom names"
    return Diagnostic(Position(package), "custom-missing", message, why, fix)


def _names_in(module: str) -> frozenset[str]:
    """Import a module, from the current folder too, and return the names of its functions."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = importlib.import_module(module)
    except Exception as error:  # importing the module may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(f"--custom {module} cannot be imported: {reason}\n  fix: name a module on the path") from None
    finally:
        sys.path.pop(0)
    return frozenset(name for name in vars(found) if callable(getattr(found, name)))


def _names(packages: list[str]) -> dict[str, str]:
    """Return a file name for each package: its import path without the common prefix, as an identifier."""
    parts = {package: package.split("/") for package in packages}
    shared = 0
    while len({tuple(one[: shared + 1]) for one in parts.values()}) == 1 and all(
        len(one) > shared + 1 for one in parts.values()
    ):
        shared += 1
    return {package: re.sub(r"\W", "_", "_".join(one[shared:])) + ".py" for package, one in parts.items()}
