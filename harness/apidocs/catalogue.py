"""The catalogue of tags: a page for each, written from what tags declare of themselves, with examples that are run.

What an example does is never written down: it is compiled and asked when the page is made, so a page cannot be wrong
about it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from harness.case import Operation
from harness.compiler import compile_types
from harness.diagnostics import InputError
from harness.field import ErrorType, FieldError
from harness.gotypes.packages import Universe
from harness.tags import families
from harness.tags.control import CONTROL_TAGS, ControlTag
from harness.tags.registry import ALL_SPECS, OLDER_SPECS, SPECS, usage_of
from harness.tags.spec import Scope, TagExample, TagSpec

_INTRODUCTION = """# Tags

Generated from the declarations in `harness/tags/families/`: do not edit. `harness docs --tags --output DIR` writes it.

A tag is part of the comment of a type, field or constant of types.go, on a line that starts with `+`. If a tag takes
another tag, write it after `=`: `+k8s:eachVal=+k8s:maxLength=63`. A remark after a tag starts with `#`. A tag that no
release knows is ignored silently, except under another tag; `harness lint` finds it.
"""
_LONGEST = 160
_UPDATE = "Skipped if the value is unchanged: a field that is equal in the old and the new object is not validated."
_ORDER = (Scope.TYPE, Scope.FIELD, Scope.LIST_VALUE, Scope.MAP_KEY, Scope.MAP_VALUE, Scope.CONST)


def file_of(name: str) -> str:
    """Return the file of a tag's page: `maxLength.md`."""
    return f"{name.partition(':')[2]}.md"


@cache
def catalogue() -> dict[str, str]:
    """Return every page by file name: README.md, and one for each tag."""
    pages = {"README.md": index()}
    pages |= {file_of(spec.name): tag_page(spec) for spec in ALL_SPECS.values()}
    return pages | {file_of(tag.name): _control_page(tag) for tag in CONTROL_TAGS}


def page_of(name: str) -> str:
    """Return a tag's page; empty when there is no such tag. `name` may be k8s:maxLength, +k8s:maxLength, maxLength."""
    full = "k8s:" + name.removeprefix("+").removeprefix("k8s:")
    if full in ALL_SPECS:
        return tag_page(ALL_SPECS[full])
    control = next((tag for tag in CONTROL_TAGS if tag.name == full), None)
    return _control_page(control) if control else ""


def index() -> str:
    """Return the page that lists every tag by its family."""
    lines = [_INTRODUCTION]
    for family in families.FAMILIES:
        title = family.__name__.rpartition(".")[2]
        sentence = (family.__doc__ or "").split(" Source:")[0].strip().splitlines()[0]
        lines += [f"## {title.capitalize()}", "", sentence, "", "| tag | | |", "|---|---|---|"]
        lines += [_entry(spec.name, spec.summary, _short_releases(spec)) for spec in family.SPECS] + [""]
    lines += [
        "## Control",
        "",
        "Tags that steer generation instead of checking a value.",
        "",
        "| tag | | |",
        "|---|---|---|",
    ]
    lines += [_entry(tag.name, tag.summary, _short_releases(tag)) for tag in CONTROL_TAGS] + [""]
    lines += ["## Older names", "", "| tag | | |", "|---|---|---|"]
    lines += [_entry(spec.name, spec.summary, _short_releases(spec)) for spec in OLDER_SPECS.values()]
    return "\n".join(lines).rstrip() + "\n"


def _entry(name: str, summary: str, releases: str) -> str:
    return f"| [`+{name}`]({file_of(name)}) | {summary} | {releases} |"


def _short_releases(tag: TagSpec | ControlTag) -> str:
    if tag.until == tag.since:
        return f"1.{tag.since} only"
    return f"since 1.{tag.since}" + (f", until 1.{tag.until}" if tag.until is not None else "")


def tag_page(spec: TagSpec) -> str:
    """Return the page of one tag."""
    lines = [f"# `+{usage_of(spec)}`", "", spec.summary, ""]
    if spec.note:
        lines += [spec.note, ""]
    lines += [*_facts(spec), ""]
    lines += ["## Updates", "", spec.update or (_UPDATE if spec.emits else "Nothing special."), ""]
    if spec.emits:
        lines += ["## Errors", "", *_errors(spec), ""]
    if spec.examples:
        lines += ["## Examples", "", "As seen when this page was made.", ""]
        for source, examples in groupby(spec.examples, key=lambda example: _source(spec, example)):
            lines += ["```go", source, "```", "", *(line for one in examples for line in _outcome(spec, one)), ""]
    if spec.misuses:
        lines += ["## What does not compile", ""]
        for example in spec.misuses:
            lines += ["```go", _source(spec, example), "```", ""]
            lines += ["```text", *refusals(spec.name, example), "```", ""]
    if spec.surprises:
        lines += ["## Surprises", "", *(f"- {one}" for one in spec.surprises), ""]
    return "\n".join([*lines, *_history(spec)]).rstrip() + "\n"


def _facts(spec: TagSpec) -> Iterator[str]:
    yield f"- On: {', '.join(scope.value for scope in _ORDER if scope in spec.scopes)}"
    if spec.any_args:
        yield "- Arguments: any, by name; see the summary"
    for arg in spec.args:
        word = f"`{arg.name}`" if arg.name else "in parentheses"
        yield f"- Argument, {word}: `{arg.text}`{', required' if arg.required else ''}"
    if spec.payload is not None:
        kinds = {"tag": "another tag", "int": "a whole number", "string": "a word", "any": "a word, number or bool"}
        needed = "" if spec.payload.required else ", may be left out"
        yield f"- Value: `{spec.payload.text}`, {kinds[spec.payload.kind]}{needed}"
    else:
        yield "- Value: none"
    if spec.only_updates:
        yield "- Checks updates only"
    if spec.short_circuit:
        yield "- Checked first: when it fails, the other rules of its field, and those below it, do not run"
    if any(one.type != ErrorType.INTERNAL for one in spec.emits):
        yield (
            "- Levels: counts always; under [`+k8s:beta`](beta.md) while the gate is on, "
            "under [`+k8s:alpha`](alpha.md) never"
        )
    yield f"- Stability: {spec.stability}"


def _errors(spec: TagSpec) -> Iterator[str]:
    yield from ("| type | origin | text |", "|---|---|---|")
    for emission in spec.emits:
        origin = (
            f"`{emission.origin}{'<format>' if emission.origin.endswith('=') else ''}`" if emission.origin else "none"
        )
        shown = "<br>".join(f"`{one}`".replace("|", "\\|") if one else "(none)" for one in emission.texts)
        yield f"| {emission.type.value} | {origin} | {shown or 'see the examples'} |"


def _source(spec: TagSpec, example: TagExample) -> str:
    return example.source(spec.name).removeprefix("package example\n\n").replace("\t", "    ").rstrip()


def _outcome(spec: TagSpec, example: TagExample) -> Iterator[str]:
    said = _json(example.object(example.new))
    if example.update:
        said += f" over {_json(example.object(example.old))}"
    said += "".join(f", `{name}` {'on' if value else 'off'}" for name, value in example.options.items())
    errors = run(spec.name, example)
    yield f"- {said}: {'rejected' if errors else 'accepted'}"
    for error in errors:
        origin = f", origin `{error.origin}`" if error.origin else ""
        level = f", {error.level}" if error.level else ""
        yield f"  - `{error.text}` ({error.type}{origin}{level})"


def _json(value: object) -> str:
    return f"`{_short(json.dumps(value, ensure_ascii=False))}`"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:40]}…{text[-(_LONGEST - 41) :]}"


def run(name: str, example: TagExample) -> list[FieldError]:
    """Compile an example and validate its object."""
    with TemporaryDirectory() as folder:
        compiled = compile_types(_universe(folder, name, example), "example", release=_release(name), criteria=("*",))
        return compiled.validate(
            "T",
            Operation.UPDATE if example.update else Operation.CREATE,
            example.object(example.new),
            example.object(example.old) if example.update else None,
            options=example.options,
        )


def refusals(name: str, example: TagExample) -> list[str]:
    """Compile an example that cannot be, and return what is said."""
    try:
        with TemporaryDirectory() as folder:
            compile_types(_universe(folder, name, example), "example", release=_release(name), criteria=("*",))
    except InputError as error:
        return list(dict.fromkeys(diagnostic.message for diagnostic in error.diagnostics))
    return []


def _universe(folder: str, name: str, example: TagExample) -> Universe:
    Path(folder, "types.go").write_text(example.source(name), encoding="utf-8")
    universe = Universe.from_folders({"example": Path(folder)})
    universe.package("example")
    return universe


def _release(name: str) -> str:
    return f"1.{ALL_SPECS[name].until or 37}" if name not in SPECS else "1.37"


def _history(tag: TagSpec | ControlTag) -> Iterator[str]:
    yield from ("## History", "", f"- 1.{tag.since}: {'there from the start' if tag.since == 33 else 'new'}.")
    for change in tag.history:
        yield f"- 1.{change.minor}: {change.words}"
    if tag.until is not None:
        yield f"- 1.{tag.until + 1}: gone."


def _control_page(tag: ControlTag) -> str:
    usage = tag.name + (f"={tag.value}" if tag.value else "")
    lines = [f"# `+{usage}`", "", tag.summary, "", f"- On: {', '.join(tag.where)}"]
    return "\n".join([*lines, "- Checks nothing itself", "", *_history(tag)]).rstrip() + "\n"
