"""Source positions for readers: short file names, the line of a rule's tag, the first sentence of a Go comment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from harness.apidocs.descriptions import RuleDescription
from harness.diagnostics import Position
from harness.gotypes.model import Comments

_MAX_SENTENCE = 160
_MORE_INFO = re.compile(r"[\s;:,.]*\bMore info(?:rmation)?:.*", re.I)
_SENTENCE_END = re.compile(r"(?<=[^.][.!?])\s+(?=[^a-z])")


def position_text(package: str, position: Position) -> str:
    """Write a position as `apps/v1/types.go:41`, without the folders that differ from machine to machine."""
    folder = "/".join(package.split("/")[-2:])
    name = position.file.replace("\\", "/").rpartition("/")[2]
    return f"{folder}/{name}" + (f":{position.line}" if position.line else "")


def rule_position(rule: RuleDescription, package: str, comments: Comments, otherwise: Position) -> str:
    """Find the comment line that declares a rule: of the lines with its tag, the one that contains most of its hints.

    Returns: `otherwise` if no line has the tag.
    """
    lines = [line for line in comments if f"+{rule.tag}" in line.text]
    if not lines:
        return position_text(package, otherwise)
    level = () if rule.level == "standard" else (f"+k8s:{rule.level}",)
    best = max(lines, key=lambda line: sum(hint in line.text for hint in (*rule.hints, *level)))
    return position_text(package, best.position)


def positions_text(positions: Mapping[str, str]) -> str:
    """Write the positions of all versions: the first in full, others as `v1:41` if only version and line differ."""
    texts: list[str] = []
    first = ""
    for version, position in positions.items():
        same_file = first.replace(f"/{next(iter(positions))}/", f"/{version}/", 1).rpartition(":")[0]
        is_short = first and same_file == position.rpartition(":")[0]
        text = f"{version}:{position.rpartition(':')[2]}" if is_short else position
        first = first or position
        if (text not in texts and position != first) or not texts:
            texts.append(text)
    return ", ".join(texts)


def first_sentence(comments: Comments) -> str:
    """Return the first sentence of a Go comment, cut after 160 characters; lines with tags are not part of it."""
    text = " ".join(_first_paragraph(line.text.strip() for line in comments))
    sentence = _MORE_INFO.sub("", _SENTENCE_END.split(text, maxsplit=1)[0])
    return sentence if len(sentence) <= _MAX_SENTENCE else sentence[:_MAX_SENTENCE].rpartition(" ")[0] + " …"


def _first_paragraph(lines: Iterable[str]) -> Iterable[str]:
    started = False
    for line in lines:
        if line and not line.startswith("+"):
            started = True
            yield line
        elif started:
            return
