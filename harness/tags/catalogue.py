"""Writes the catalogue of tags, docs/reference/tags.md, from what the tags declare of themselves."""

from __future__ import annotations

import json

from harness.tags.families import FAMILIES
from harness.tags.registry import usage_of
from harness.tags.spec import Example, TagSpec

_INTRODUCTION = """# Tags

Generated from the declarations in `harness/tags/families/`: do not edit. `python -m harness.tags.catalogue` prints it.

A tag stands in the comment of a type, field or constant of types.go, on a line that starts with `+`. Where a tag takes
another tag, write it after `=`: `+k8s:eachVal=+k8s:maxLength=63`. A remark after a tag starts with `#`.
"""


def catalogue() -> str:
    """Return the whole page."""
    parts = [_INTRODUCTION]
    for family in FAMILIES:
        title = family.__name__.rpartition(".")[2]
        sentence = (family.__doc__ or "").split(" Source:")[0].strip().splitlines()[0]
        parts.append(f"## {title.capitalize()}\n\n{sentence}\n")
        parts += [_tag(spec) for spec in family.SPECS]
    return "\n".join(parts)


def _tag(spec: TagSpec) -> str:
    lines = [f"### `+{usage_of(spec)}`", "", spec.summary, ""]
    if spec.note:
        lines += [spec.note, ""]
    lines.append(f"- On: {', '.join(sorted(scope.value for scope in spec.scopes))}")
    for arg in spec.args:
        word = f"`{arg.name}`" if arg.name else "positional"
        lines.append(f"- Argument, {word}: {arg.text}{', required' if arg.required else ''}")
    if spec.short_circuit:
        lines.append("- Stops the other rules of its field when it fails")
    for emission in spec.emits:
        origin = f", origin `{emission.origin}`" if emission.origin else ", no origin"
        lines.append(f"- Error: {emission.type.value}{origin}")
    lines.append(f"- Stability: {spec.stability}")
    lines.append("")
    return "\n".join([*lines, *(_example(spec, example) for example in spec.examples[:3])])


def _example(spec: TagSpec, example: Example) -> str:
    code = example.source(spec.name).removeprefix("package example\n\n").replace("\t", "    ").rstrip()
    shown = json.dumps(example.object(example.new), ensure_ascii=False)
    if example.update:
        shown += f" over {json.dumps(example.object(example.old), ensure_ascii=False)}"
    if example.options:
        shown += f" with {', '.join(f'{name}={value}' for name, value in example.options.items())}"
    verdict = f"rejected at {', '.join(f'`{path}`' for path in example.fails)}" if example.fails else "accepted"
    return f"```go\n{code}\n```\n\n`{shown}`: {verdict}.\n"


if __name__ == "__main__":
    print(catalogue(), end="")  # noqa: T201  -- the page is this module's only output
