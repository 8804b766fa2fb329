"""Parses the tags of KEP-4153, which have no `k8s:`: `+validationRule="self.a < self.b",message="...",field="a"`.

Source: KEP-4153, "CEL Validation" and "IDL tags" (2026-11).
"""

from __future__ import annotations

import re

from harness.tags.grammar import Arg, Scalar, Tag, TagLine, TagSyntaxError

NAMES = frozenset({"pattern", "format", "nameFormat", "validationRule"})
"""The names of these tags. `minimum`, `maxLength` and the like mean what they do with `k8s:`, and are not read."""

_PART = re.compile(r"""\s*(?:([A-Za-z]+)\s*=\s*)?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[^\s,"'`]+)\s*(,|$)""")
_ESCAPED = re.compile(r"\\(.)")


def parse(line: TagLine) -> Tag:
    """Parse a tag of KEP-4153: a value, then named fields, each in quotes or bare. Raises: TagSyntaxError."""
    start = 1 + len(line.name)
    if line.text[start : start + 1] != "=":
        return Tag(line.name, (), None, line.position, line.source)
    at, found = start + 1, []
    while at < len(line.text):
        part = _PART.match(line.text, at)
        if part is None or (not part[3] and part.end() < len(line.text)):
            raise TagSyntaxError("expected a value in quotes, or name=value pairs with commas between them", at)
        found.append(Arg(part[1] or "", Scalar("string", _text_of(part[2]), _text_of(part[2]), part.start(2))))
        at = part.end()
    if not found or found[0].name or any(not arg.name for arg in found[1:]):
        raise TagSyntaxError("the value comes first, and fields behind it have names", start + 1)
    return Tag(line.name, tuple(found[1:]), found[0].value, line.position, line.source)


def _text_of(written: str) -> str:
    if written[0] == "`":
        return written[1:-1]
    return _ESCAPED.sub(r"\1", written[1:-1]) if written[0] in "\"'" else written
