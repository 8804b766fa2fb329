"""Renders the tag catalogue: an index, and a page for each tag from its `TagSpec`.

The outcome of an example is not part of the declaration: each example is compiled and validated when its page is
rendered, so that pages cannot disagree with the code.
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
from harness.tags.registry import ALL_SPECS, OLDER_SPECS, PROPOSED_SPECS, SPECS, usage_of
from harness.tags.release import PROPOSED
from harness.tags.spec import Scope, TagExample, TagSpec

_INTRODUCTION = """# Tags

Generated from the declarations in `harness/tags/families/`: do not edit. `harness docs --tags --output DIR` writes it.

A tag is part of the comment of a type, field or constant of types.go, on a line that starts with `+`. If a tag takes
another tag, write it after `=`: `+k8s:eachVal=+k8s:maxLength=63`. A remark after a tag starts with `#`. A tag that no
release knows is ignored silently, except under another tag; `harness lint` finds it.
"""
_MAX_JSON = 160
"""At most this many characters of an example's object."""
_DEFAULT_UPDATE_NOTE = (
    "Skipped if the value is unchanged: a field that is equal in the old and the new object is not validated."
)
_SCOPE_ORDER = (Scope.TYPE, Scope.FIELD, Scope.LIST_VALUE, Scope.MAP_KEY, Scope.MAP_VALUE, Scope.CONST)


def file_of(name: str) -> str:
    """Return the file of a tag's page: `maxLength.md`, `minimum-constraint.md`, `kep-4153-pattern.md`."""
    bare = name.partition(":")[2] or f"kep-4153-{name}"
    return bare.replace("(", "-").replace(")", "") + ".md"


@cache
def catalogue() -> dict[str, str]:
    """Return every page by file name: the index README.md, and a page for each tag."""
    pages = {"README.md": index()}
    pages |= {file_of(spec.name): tag_page(spec) for spec in ALL_SPECS.values()}
    return pages | {file_of(tag.name): _control_page(tag) for tag in CONTROL_TAGS}


def page_of(name: str) -> str:
    """Return the page of a tag, or "" for an unknown tag. `name` may be k8s:maxLength, +k8s:maxLength or maxLength."""
    bare = name.removeprefix("+").removeprefix("k8s:")
    full = f"k8s:{bare}"
    if full in ALL_SPECS or bare in ALL_SPECS:
        return tag_page(ALL_SPECS.get(full) or ALL_SPECS[bare])
    control = next((tag for tag in CONTROL_TAGS if tag.name == full), None)
    return _control_page(control) if control else ""


def index() -> str:
    """Return the page that lists every tag, by family."""
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
    sentence = f"What enhancement proposals describe and no release has: `--release {PROPOSED}` reads them."
    lines += ["", "## Proposed", "", sentence, "", "| tag | | |", "|---|---|---|"]
    lines += [_entry(spec.name, spec.summary, _short_releases(spec)) for spec in PROPOSED_SPECS.values()]
    return "\n".join(lines).rstrip() + "\n"


def _entry(name: str, summary: str, releases: str) -> str:
    return f"| [`+{name}`]({file_of(name)}) | {summary} | {releases} |"


def _short_releases(tag: TagSpec | ControlTag) -> str:
    if isinstance(tag, TagSpec) and tag.proposal:
        return f"proposed by {tag.proposal}"
    if tag.until == tag.since:
        return f"1.{tag.since} only"
    return f"since 1.{tag.since}" + (f", until 1.{tag.until}" if tag.until is not None else "")


def tag_page(spec: TagSpec) -> str:
    """Return the page of one tag."""
    lines = [f"# `+{usage_of(spec)}`", "", spec.summary, ""]
    if spec.proposal:
        lines += [
            f"{spec.proposal} proposes it. No release has it, and no generator of Kubernetes knows it: types with it "
            f"are read with `--release {PROPOSED}` alone.",
            "",
        ]
    if spec.note:
        lines += [spec.note, ""]
    lines += [*_facts(spec), ""]
    lines += ["## Updates", "", spec.update_note or (_DEFAULT_UPDATE_NOTE if spec.emits else "Nothing special."), ""]
    if spec.emits:
        lines += ["## Errors", "", *_errors(spec), ""]
    if spec.examples:
        lines += ["## Examples", "", "As seen when this page was made.", ""]
        for source, examples in groupby(spec.examples, key=lambda example: _source(spec, example)):
            lines += ["```go", source, "```", "", *(line for one in examples for line in _outcome(spec, one)), ""]
    if spec.invalid_usages:
        lines += ["## What does not compile", ""]
        for example in spec.invalid_usages:
            lines += ["```go", _source(spec, example), "```", ""]
            lines += ["```text", *compile_errors(spec.name, example), "```", ""]
    if spec.caveats:
        lines += ["## Caveats", "", *(f"- {one}" for one in spec.caveats), ""]
    return "\n".join([*lines, *_history(spec)]).rstrip() + "\n"


def _facts(spec: TagSpec) -> Iterator[str]:
    yield f"- On: {', '.join(scope.value for scope in _SCOPE_ORDER if scope in spec.scopes)}"
    if spec.any_args:
        yield "- Arguments: any, by name; see the summary"
    for arg in spec.args:
        name = f"`{arg.name}`" if arg.name else "in parentheses"
        yield f"- Argument, {name}: `{arg.text}`{', required' if arg.required else ''}"
    if spec.payload is not None:
        kind_names = {
            "tag": "another tag",
            "int": "a whole number",
            "string": "a word",
            "any": "a word, number or bool",
        }
        optional = "" if spec.payload.required else ", may be left out"
        yield f"- Value: `{spec.payload.text}`, {kind_names[spec.payload.kind]}{optional}"
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
        texts = "<br>".join(f"`{one}`".replace("|", "\\|") if one else "(none)" for one in emission.texts)
        yield f"| {emission.type.value} | {origin} | {texts or 'see the examples'} |"


def _source(spec: TagSpec, example: TagExample) -> str:
    return example.source(spec.name).removeprefix("package example\n\n").replace("\t", "    ").rstrip()


def _outcome(spec: TagSpec, example: TagExample) -> Iterator[str]:
    outcome = _json(example.object(example.new))
    if example.update:
        outcome += f" over {_json(example.object(example.old))}"
    outcome += "".join(f", `{name}` {'on' if value else 'off'}" for name, value in example.options.items())
    errors = validate_example(spec.name, example)
    yield f"- {outcome}: {'rejected' if errors else 'accepted'}"
    for error in errors:
        origin = f", origin `{error.origin}`" if error.origin else ""
        level = f", {error.level}" if error.level else ""
        yield f"  - `{error.text}` ({error.type}{origin}{level})"


def _json(value: object) -> str:
    return f"`{_shorten(json.dumps(value, ensure_ascii=False))}`"


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_JSON else f"{text[:40]}…{text[-(_MAX_JSON - 41) :]}"


def validate_example(name: str, example: TagExample) -> list[FieldError]:
    """Compile an example, validate its object and return the errors."""
    with TemporaryDirectory() as folder:
        compiled = compile_types(
            _example_universe(folder, name, example), "example", release=_example_release(name), criteria=("*",)
        )
        return compiled.validate(
            "T",
            Operation.UPDATE if example.update else Operation.CREATE,
            example.object(example.new),
            example.object(example.old) if example.update else None,
            options=example.options,
        )


def compile_errors(name: str, example: TagExample) -> list[str]:
    """Compile an example and return the messages of its errors; none if it compiles."""
    try:
        with TemporaryDirectory() as folder:
            compile_types(
                _example_universe(folder, name, example), "example", release=_example_release(name), criteria=("*",)
            )
    except InputError as error:
        return list(dict.fromkeys(diagnostic.message for diagnostic in error.diagnostics))
    return []


def _example_universe(folder: str, name: str, example: TagExample) -> Universe:
    Path(folder, "types.go").write_text(example.source(name), encoding="utf-8")
    universe = Universe.from_folders({"example": Path(folder)})
    universe.package("example")
    return universe


def _example_release(name: str) -> str:
    """Return the release that an example is compiled for: the last one that knows the tag."""
    if name in PROPOSED_SPECS:
        return PROPOSED
    return f"1.{ALL_SPECS[name].until or 37}" if name not in SPECS else "1.37"


def _history(tag: TagSpec | ControlTag) -> Iterator[str]:
    if isinstance(tag, TagSpec) and tag.proposal:
        yield from ("## History", "", f"- No release has it: {tag.proposal} proposes it.")
        return
    yield from ("## History", "", f"- 1.{tag.since}: {'there from the start' if tag.since == 33 else 'new'}.")
    for change in tag.history:
        yield f"- 1.{change.minor}: {change.words}"
    if tag.until is not None:
        yield f"- 1.{tag.until + 1}: gone."


def _control_page(tag: ControlTag) -> str:
    usage = tag.name + (f"={tag.value}" if tag.value else "")
    lines = [f"# `+{usage}`", "", tag.summary, "", f"- On: {', '.join(tag.where)}"]
    return "\n".join([*lines, "- Checks nothing itself", "", *_history(tag)]).rstrip() + "\n"
