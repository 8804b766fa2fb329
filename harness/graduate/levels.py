"""Raises lines with a level to standard, in types.go and in the generated code of its package.

Generated code is edited as validation-gen would write it: the calls of a raised tag lose their mark, and stand behind
those that keep theirs, by the names of their tags.

Source: semantics.md#3.3.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from harness.graduate.markers import Marker, without_level
from harness.tags.registry import ALL_SPECS

GENERATED = "zz_generated.validations.go"
_CALL = re.compile(r"if e := (?:(?!if e := ).)*?; len\(e\) != 0 \{", re.S)
_MARK = re.compile(r"\.Mark(?:Alpha|Beta)\(\)(?=(?:\.Mark\w+\(\))*; len)")
_STATEMENT = re.compile(r"\t+if e := [^\n]*; len\(e\) != 0 \{\n(?:\t+(?!if )[^\n}]+\n)*\t+\}\n")
_RUN = re.compile(rf"(?:{_STATEMENT.pattern}){{2,}}")
_FUNCTION = re.compile(r"= (?:\w+\.)?(\w+)")
_TAG = re.compile(r"\+(k8s:\w+)")


def raise_lines(text: str, markers: Iterable[Marker]) -> str:
    """Return a types.go with these lines at level standard."""
    lines = text.split("\n")
    for marker in markers:
        number = marker.position.line - 1
        lines[number] = without_level(lines[number])
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _MarkedCall:
    """A call of generated code whose errors have a level: the function that it calls, and where the mark stands."""

    function: str
    start: int
    end: int


def raise_calls(text: str, element: str, raised: Collection[str], kept: Collection[str]) -> str | None:
    """Return generated code in which the tags `raised` of an element are at level standard, and those `kept` are not.

    Returns: None if a tag cannot be told from the others by the function that it calls.
    """
    found = _block(text, element)
    if found is None:
        return None
    calls = list(_calls(text, *found))
    wanted = calls if not kept else _told_apart(calls, raised, kept)
    if wanted is None or not wanted:
        return None
    for call in sorted(wanted, key=lambda one: -one.start):
        text = text[: call.start] + text[call.end :]
    start, end = _block(text, element) or (0, 0)
    return text[:start] + _RUN.sub(lambda found: _ordered(found[0]), text[start:end]) + text[end:]


def _ordered(run: str) -> str:
    """Return neighbouring calls in the order of the generator: `beta` is a tag too, and sorts by its own name."""

    def key(call: str) -> tuple[bool, str]:
        return ".MarkShortCircuit()" not in call, "beta" if _MARK.search(call) else _tag_of(call)

    return "".join(sorted(_STATEMENT.findall(run), key=key))


def _tag_of(statement: str) -> str:
    """Return the name of the tag whose check a statement calls; formats have names of their own."""
    found = _FUNCTION.search(statement)
    function = found[1].lower() if found else ""
    names = [name.removeprefix("k8s:") for name in ALL_SPECS]
    return next((name for name in names if function.startswith(name.lower())), "format")


def _block(text: str, element: str) -> tuple[int, int] | None:
    """Return where the code of a type or of a field of it begins and ends."""
    type_, _, field = element.partition(".")
    start = text.find(f"func Validate_{type_}(")
    if start < 0:
        return None
    end = text.find("\n}\n", start)
    blocks = [found.start() for found in re.finditer(r"// field \S+", text[start:end])]
    if not field:
        return start, start + blocks[0] if blocks else end
    for number, begin in enumerate(blocks):
        if re.match(rf"// field \S*\.{field}\b", text[start + begin : end]):
            return start + begin, start + blocks[number + 1] if number + 1 < len(blocks) else end
    return None


def _calls(text: str, start: int, end: int) -> Iterator[_MarkedCall]:
    for found in _CALL.finditer(text, start, end):
        function = _FUNCTION.search(found[0])
        for mark in _MARK.finditer(found[0]):
            yield _MarkedCall(function[1] if function else "", found.start() + mark.start(), found.start() + mark.end())


def _told_apart(
    calls: Iterable[_MarkedCall], raised: Collection[str], kept: Collection[str]
) -> list[_MarkedCall] | None:
    """Return the calls of the raised tags; each tag must have one call that no other may have."""
    found = []
    for tag in raised:
        own = [call for call in calls if _may_call(tag, call)]
        if len(own) != 1 or any(_may_call(other, own[0]) for other in (*raised, *kept) if other != tag):
            return None
        found += own
    return found


def _may_call(tag: str, call: _MarkedCall) -> bool:
    name = (_TAG.match(tag) or [tag, tag])[1]
    spec = ALL_SPECS.get(name)
    if name == "k8s:format":  # each format has a function of its own
        return not any(_may_call(f"+{other}", call) for other in ALL_SPECS if other != name)
    known = spec.go_function if spec is not None else ""
    return call.function == known or call.function.lower().startswith(name.removeprefix("k8s:").lower())
