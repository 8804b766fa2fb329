"""Making any text safe to show, and any object short enough to read.

What we show was written by others: objects, error details, file names. A control character in one of them could
repaint a terminal, and a bidirectional override could make a line read backwards, so both are shown as escapes.
In Markdown such texts are shown as they are, and read as nothing else.
"""

from __future__ import annotations

import re
import reprlib
import unicodedata
from typing import Any

import msgspec

_SUSPECT = re.compile(r"[^ -~]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str, keep: str = "") -> str:
    """Replace characters that do not print by escapes such as `\\x1b` and `\\n`; those in `keep` stay."""
    if text.isascii() and text.isprintable():  # most texts, and there are many
        return text

    def escape(match: re.Match[str]) -> str:
        char = match.group()
        if char in keep or unicodedata.category(char) not in _HIDDEN:
            return char
        if char in _SHORT:
            return _SHORT[char]
        code = ord(char)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    return _SUSPECT.sub(escape, text)


def lines(text: str) -> str:
    """As `visible`, but line breaks and tabs of a longer text stay."""
    return visible(text, keep="\n\t")


def flat(text: str) -> str:
    """As `visible`, for one line: where a text of several lines ends a line, there is a space."""
    return visible(" ".join(text.split("\n"))) if "\n" in text else visible(text)


def compact(value: Any, limit: int = 0) -> str:
    """Write an object as JSON on one line, cut in the middle when it is longer than `limit` characters."""
    text = visible(_json(value, 0))
    if limit and len(text) > limit:
        half = max(1, (limit - 30) // 2)
        text = f"{text[:half]} … {len(text) - 2 * half:,} characters … {text[-half:]}"
    return text


def pretty(value: Any, limit: int = 0) -> str:
    """Write an object as indented JSON; a longer one than `limit` characters says how much is left out."""
    text = lines(_json(value, 2))
    if limit and len(text) > limit:
        text = f"{text[:limit]}\n… {len(text) - limit:,} more characters"
    return text


def encode_json(value: Any) -> bytes:
    """Write JSON whatever texts there are: half a surrogate pair, which UTF-8 has no bytes for, becomes an escape."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_sendable(msgspec.to_builtins(value)))


def _sendable(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list | tuple):
        return [_sendable(one) for one in value]
    return {_sendable(key): _sendable(one) for key, one in value.items()} if isinstance(value, dict) else value


def _json(value: Any, indent: int) -> str:
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=indent or -1).decode("utf-8", "backslashreplace")
    except (UnicodeEncodeError, RecursionError, OverflowError, TypeError, ValueError):
        # Lone surrogates and absurd depth: a picture of the value is better than none.
        try:
            return repr(value)
        except RecursionError:
            return reprlib.repr(value)


def cut(text: str, limit: int) -> str:
    """Shorten a text, and show that it was."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def bounded(text: str, most: int) -> str:
    """Show the beginning of a long text, and say how much of it."""
    return text if len(text) <= most else f"{text[:most]} … (shown: the first {most:,} of {len(text):,} characters)"


def count(number: int, one: str, many: str = "") -> str:
    """Say how many: `1 finding`, `1,200 findings`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


# Emphasis, code, links, cells, tags, mentions, references, mathematics; emoji and bare addresses; what begins a list or
# a heading. As an entity each is shown as what it is and read as nothing else.
_SPECIAL = re.compile(r"[&<>\\`*\[\]|~@#$^]|(?<!\w)_|_(?!\w)|:(?=//|[\w+-]+:)|(?<=www)\.|^[-+=\d]", re.IGNORECASE)


def plain(text: str) -> str:
    """Escape a text for a sentence, a cell or a tag: it is shown as it is, on one line."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match.group())};", visible(text))


def fenced(name: str, language: str, text: str) -> str:
    """Put a text in a fence that it cannot close."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{name}:\n\n{fence}{language}\n{text}\n{fence}\n"
