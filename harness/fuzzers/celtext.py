"""Reads what a CEL expression names, without understanding it: members, texts and whole numbers."""

from __future__ import annotations

import re

_TEXTS = re.compile(r"(?<![A-Za-z0-9_])r?(\"\"\".*?\"\"\"|'''.*?'''|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")", re.S)
_NUMBERS = re.compile(r"(?<![\w.\"'])-?\d{1,15}(?![\w.\"'])")
_NAMES = re.compile(r"[A-Za-z_]\w*")
_ESCAPED = re.compile(r"__(\w+)__")


def texts_of(rule: str) -> list[str]:
    """Return the text literals of a CEL expression."""
    found = []
    for quoted in _TEXTS.findall(rule):
        size = 3 if quoted[:3] in ("'''", '"""') else 1
        found.append(re.sub(r"\\([\\'\"])", r"\1", quoted[size:-size]))
    return list(dict.fromkeys(found))


def numbers_of(rule: str) -> list[int]:
    """Return the whole numbers of a CEL expression, those inside of texts left out."""
    return list(dict.fromkeys(int(found) for found in _NUMBERS.findall(without_texts(rule))))


def names_of(rule: str) -> list[str]:
    """Return the names of a CEL expression, reserved words as schemas write them: `namespace` for `__namespace__`."""
    return [_ESCAPED.sub(r"\1", name) for name in _NAMES.findall(without_texts(rule))]


def without_texts(rule: str) -> str:
    """Return a CEL expression with all its text literals empty."""
    return _TEXTS.sub("''", rule)
