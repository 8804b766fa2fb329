"""`harness init`: write a suite that runs, to be filled with types and validators of one's own."""

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
"""What is written, and from which template."""

_NAME = re.compile(r"(?P<resource>[a-z][a-z0-9]*)(?:_(?P<version>v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?))?")
_KIND = re.compile(r"[A-Z][A-Za-z0-9]*")
_GROUP = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_DEFAULT_VERSION = "v1"


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path), metavar="NAME")
@click.option("--kind", metavar="KIND", help="The kind. Default: from NAME, Widget for widgets_v1.")
@click.option("--group", metavar="GROUP", help="The API group. Default: widgets.example.com for widgets_v1.")
def command(folder: Path, kind: str | None, group: str | None) -> int:
    """Create a runnable suite: types with two rules, a handwritten validator, an example.

    NAME is a new folder, such as suites/widgets_v1: the resource and its version (default v1).
    """
    values = _values(folder, kind, group)
    texts = _texts(values)
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
        "then replace types.go, handwritten.py and the objects in examples/ with your own"
    )
    return 0


def _values(folder: Path, kind: str | None, group: str | None) -> dict[str, str]:
    """Derive what the templates want. Raises: UsageError with everything that is wrong."""
    problems = []
    found = _NAME.fullmatch(folder.name)
    if found is None:
        problems.append(
            f"{folder.name!r} names no resource and version\n"
            "  fix: lower case and digits, then a version if it is not v1: widgets_v1, widgets_v2beta1"
        )
    if kind is not None and not _KIND.fullmatch(kind):
        problems.append(f"{kind!r} is no kind\n  fix: --kind Widget")
    if group is not None and not _GROUP.fullmatch(group):
        problems.append(f"{group!r} is no API group\n  fix: --group widgets.example.com")
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


def _texts(values: dict[str, str]) -> dict[str, str]:
    environment = Environment(  # files, no HTML
        loader=PackageLoader("harness.cli"), undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
    )
    return {name: environment.get_template(template).render(values) for name, template in FILES.items()}
