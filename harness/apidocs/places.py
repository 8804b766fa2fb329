"""Where things stand: files as people name them, the line of a rule's tag, the first sentence of a comment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from harness.apidocs.words import RuleSentence
from harness.diagnostics import Position
from harness.gotypes.model import Comments

_LONGEST = 160
_MORE = re.compile(r"[\s;:,.]*\bMore info(?:rmation)?:.*", re.I)
_SENTENCE = re.compile(r"(?<=[^.][.!?])\s+(?=[^a-z])")


def place_of(package: str, position: Position) -> str:
    """Name a position as `apps/v1/types.go:41`, without the folders that differ from machine to machine."""
    folder = "/".join(package.split("/")[-2:])
    name = position.file.replace("\\", "/").rpartition("/")[2]
    return f"{folder}/{name}" + (f":{position.line}" if position.line else "")


def rule_place(said: RuleSentence, package: str, comments: Comments, otherwise: Position) -> str:
    """Find the line of the tag that made a rule: the one that says most of what the rule says."""
    lines = [line for line in comments if f"+{said.tag}" in line.text]
    if not lines:
        return place_of(package, otherwise)
    level = () if said.level == "standard" else (f"+k8s:{said.level}",)
    best = max(lines, key=lambda line: sum(hint in line.text for hint in (*said.hints, *level)))
    return place_of(package, best.position)


def places_text(places: Mapping[str, str]) -> str:
    """Write the places of all versions: the first in full, others short when only version and line differ."""
    shown: list[str] = []
    first = ""
    for version, place in places.items():
        alike = first.replace(f"/{next(iter(places))}/", f"/{version}/", 1).rpartition(":")[0]
        text = f"{version}:{place.rpartition(':')[2]}" if first and alike == place.rpartition(":")[0] else place
        first = first or place
        if (text not in shown and place != first) or not shown:
            shown.append(text)
    return ", ".join(shown)


def first_sentence(comments: Comments) -> str:
    """Return the first sentence that a comment says to people, not too long."""
    text = " ".join(_paragraph(line.text.strip() for line in comments))
    sentence = _MORE.sub("", _SENTENCE.split(text, maxsplit=1)[0])
    return sentence if len(sentence) <= _LONGEST else sentence[:_LONGEST].rpartition(" ")[0] + " …"


def _paragraph(lines: Iterable[str]) -> Iterable[str]:
    started = False
    for line in lines:
        if line and not line.startswith("+"):
            started = True
            yield line
        elif started:
            return
