"""Escapes untrusted text for the terminal and for Markdown, and formats objects as JSON of limited length.

Objects, error details and file names are untrusted: a control character could overwrite parts of a terminal, and a
bidirectional override could reverse a line, so both are shown as escapes. In Markdown, characters with a meaning are
escaped, so that the text is shown unchanged.
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
    """Replace characters that are not printable by escapes such as `\\x1b` and `\\n`, except those in `keep`."""
    if text.isascii() and text.isprintable():  # fast path for most of the many texts
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
    """Escape as `visible`, but keep line breaks and tabs."""
    return visible(text, keep="\n\t")


def flat(text: str) -> str:
    """Escape as `visible`, with a space instead of each line break."""
    return visible(" ".join(text.split("\n"))) if "\n" in text else visible(text)


def compact(value: Any, limit: int = 0) -> str:
    """Return an object as JSON on one line. Text in the middle is left out if it is longer than `limit` characters."""
    text = visible(_json(value, 0))
    if limit and len(text) > limit:
        half = max(1, (limit - 30) // 2)
        text = f"{text[:half]} … {len(text) - 2 * half:,} characters … {text[-half:]}"
    return text


def pretty(value: Any, limit: int = 0) -> str:
    """Return an object as indented JSON. If it is longer than `limit` characters, the rest is left out and counted."""
    text = lines(_json(value, 2))
    if limit and len(text) > limit:
        text = f"{text[:limit]}\n… {len(text) - limit:,} more characters"
    return text


def encode_json(value: Any) -> bytes:
    """Encode a value as JSON. Lone surrogates, which UTF-8 cannot encode, become escapes."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_escape_surrogates(msgspec.to_builtins(value)))


def _escape_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list | tuple):
        return [_escape_surrogates(one) for one in value]
    if isinstance(value, dict):
        return {_escape_surrogates(key): _escape_surrogates(one) for key, one in value.items()}
    return value


def _json(value: Any, indent: int) -> str:
    try:
        return msgspec.json.format(msgspec.json.encode(value), indent=indent or -1).decode("utf-8", "backslashreplace")
    except (UnicodeEncodeError, RecursionError, OverflowError, TypeError, ValueError):
        # JSON cannot encode lone surrogates or extreme depth, but the value must still be shown.
        try:
            return repr(value)
        except RecursionError:
            return reprlib.repr(value)


def cut(text: str, limit: int) -> str:
    """Shorten a text to `limit` characters, ending with `…` if it was longer."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def bounded(text: str, most: int) -> str:
    """Return at most `most` characters of a text, with a remark on how much is shown."""
    return text if len(text) <= most else f"{text[:most]} … (shown: the first {most:,} of {len(text):,} characters)"


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: `1 finding`, `1,200 findings`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


# Characters of emphasis, code, links, cells, tags, mentions, references, mathematics, emoji and URLs, and those that
# begin a list or a heading. Written as an HTML entity, a character is shown unchanged and has no meaning in Markdown.
_SPECIAL = re.compile(r"[&<>\\`*\[\]|~@#$^]|(?<!\w)_|_(?!\w)|:(?=//|[\w+-]+:)|(?<=www)\.|^[-+=\d]", re.IGNORECASE)


def plain(text: str) -> str:
    """Escape a text for a sentence, a table cell or an HTML tag in Markdown, on one line."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match.group())};", visible(text))


def fence(name: str, language: str, text: str) -> str:
    """Return a fenced code block whose fence is longer than any in the text, so that the text cannot close it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{name}:\n\n{fence}{language}\n{text}\n{fence}\n"
