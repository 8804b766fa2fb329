"""`harness init`: create a runnable suite from templates, as the start of a suite of one's own."""

from __future__ import annotations

import re
from pathlib import Path

import click
from jinja2 import Environment, PackageLoader, StrictUndefined

from harness.diagnostics import UsageError

FILES = {
    "types.go": "types.go.jinja",
    "handwritten.py": "handwritten.py.jinja",
    "suite.py": "suite.py.jinja",
    "examples/valid.yaml": "example.yaml.jinja",
}
"""The files of a suite, with the template of each."""
FILES_OF_PYDANTIC = {
    "handwritten.py": "pydantic/handwritten.py.jinja",
    "model.py": "pydantic/model.py.jinja",
    "suite.py": "pydantic/suite.py.jinja",
    "examples/valid.yaml": "pydantic/example.yaml.jinja",
}
"""Those of a suite that compares a function with a pydantic model."""

_NAME = re.compile(r"(?P<resource>[a-z][a-z0-9]*)(?:_(?P<version>v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?))?")
_KIND = re.compile(r"[A-Z][A-Za-z0-9]*")
_GROUP = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_DEFAULT_VERSION = "v1"


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path), metavar="NAME")
@click.option("--kind", metavar="KIND", help="The kind. Default: from NAME, Widget for widgets_v1.")
@click.option("--group", metavar="GROUP", help="The API group. Default: widgets.example.com for widgets_v1.")
@click.option("--pydantic", is_flag=True, help="Compare a function with a pydantic model, without Go types.")
def command(folder: Path, kind: str | None, group: str | None, pydantic: bool) -> int:
    """Create a runnable suite: types with two rules, a handwritten validator, an example.

    NAME is a new folder, such as suites/widgets_v1: the resource and its version (default v1).
    """
    values = _values(folder, kind, group)
    if pydantic and group is not None:
        raise UsageError("objects of a pydantic model have no API group\n  fix: leave --group out")
    texts = _texts(values, FILES_OF_PYDANTIC if pydantic else FILES)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} exists and is not overwritten\n  fix: name a new folder")
        for name, text in texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}\n  fix: name another folder") from None
    click.echo(f"written: {', '.join(str(folder / name) for name in texts)}")
    click.echo(
        f"next:    harness run {folder}\n"
        f"         harness check {folder} {folder / 'examples' / 'valid.yaml'}\n"
        f"then replace {'model.py' if pydantic else 'types.go'}, handwritten.py and the objects in examples/ "
        "with your own"
    )
    return 0


def _values(folder: Path, kind: str | None, group: str | None) -> dict[str, str]:
    """Derive the variables of the templates. Raises: UsageError with every problem."""
    problems = []
    found = _NAME.fullmatch(folder.name)
    if found is None:
        problems.append(
            f"{folder.name!r} is not a resource name with an optional version\n"
            "  fix: lower case and digits, then a version if it is not v1: widgets_v1, widgets_v2beta1"
        )
    if kind is not None and not _KIND.fullmatch(kind):
        problems.append(f"{kind!r} is not a valid kind\n  fix: --kind Widget")
    if group is not None and not _GROUP.fullmatch(group):
        problems.append(f"{group!r} is not a valid API group\n  fix: --group widgets.example.com")
    if found is None or problems:
        raise UsageError("\n".join(problems))
    kind = kind or _singular(found["resource"]).capitalize()
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind).lower()
    return {
        "suite": folder.name, "resource": found["resource"], "version": found["version"] or _DEFAULT_VERSION,
        "kind": kind, "name": name, "group": group or f"{found['resource']}.example.com",
    }  # fmt: skip


def _singular(resource: str) -> str:
    """Guess the singular of a resource as its author would: policies, classes, widgets."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ss", "ss"), ("s", "")):
        if resource.endswith(ending) and len(resource) > len(ending):
            return resource.removesuffix(ending) + instead
    return resource


def _texts(values: dict[str, str], files: dict[str, str]) -> dict[str, str]:
    environment = Environment(  # source files, so without HTML escaping
        loader=PackageLoader("harness.cli"), undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
    )
    return {name: environment.get_template(template).render(values) for name, template in files.items()}
