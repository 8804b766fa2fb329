"""Names, labels and identifiers.

Units: lengths are UTF-8 bytes. Regexes match the whole text; a trailing newline never slips through (semantics.md#A).
Source: apimachinery pkg/api/validate/content/*.go (2026-07); semantics.md#5.5.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

Messages: TypeAlias = Sequence[str]

LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN = rf"{LABEL}(\.{LABEL})*"
LETTER_FIRST = "[a-z]([-a-z0-9]*[a-z0-9])?"
KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
VALUE = f"({KEY})?"
IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"

_LABEL = re.compile(LABEL)
_SUBDOMAIN = re.compile(SUBDOMAIN)
# Go folds U+017F and U+212A into s and k, and nothing else: spelt out, because Python's folding knows two more.
_CASELESS = re.compile(SUBDOMAIN.replace("a-z", "a-zA-Z\u017f\u212a"))
_LETTER_FIRST = re.compile(LETTER_FIRST)
_KEY = re.compile(KEY)
_VALUE = re.compile(VALUE)
_IDENTIFIER = re.compile(IDENTIFIER)
_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

# What most names are: these match exactly what the functions below find nothing wrong with, in one look.
is_short_name = re.compile("[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?").fullmatch
is_long_name = re.compile("(?!.{254})" + SUBDOMAIN.replace("(", "(?:")).fullmatch
is_label_value = re.compile("(?!.{64})" + VALUE.replace("(", "(?:")).fullmatch
is_uuid = _UUID.fullmatch
_is_key = re.compile("(?!.{64})" + KEY.replace("(", "(?:")).fullmatch

_ENDS = "and must start and end with an alphanumeric character"


def _explain(message: str, regex: str, *examples: str) -> str:
    # The comma and the two spaces before "or" are upstream's.
    shown = ",  or ".join(f"'{example}'" for example in examples)
    return f"{message} (e.g. {shown}, regex used for validation is '{regex}')"


def _at_most(limit: int) -> str:
    return f"must be no more than {limit} bytes"


_SHORT = _explain(
    f"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', {_ENDS}",
    LABEL,
    "my-name",
    "123-abc",
)
_LONG = _explain(
    f"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', {_ENDS}",
    SUBDOMAIN,
    "example.com",
)
_LETTER_FIRST_TEXT = _explain(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character",
    LETTER_FIRST,
    "my-name",
    "abc-123",
)
_LONG_CASELESS = _explain(
    f"an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', {_ENDS}", SUBDOMAIN, "Example.com"
)
_KEY_TEXT = _explain(
    f"must consist of alphanumeric characters, '-', '_' or '.', {_ENDS}", KEY, "MyName", "my.name", "123-abc"
)
_VALUE_TEXT = _explain(
    f"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', {_ENDS}",
    VALUE,
    "MyValue",
    "my_value",
    "12345",
)
_IDENTIFIER_TEXT = _explain(
    "a valid C identifier must start with alphabetic character or '_', "
    "followed by a string of alphanumeric characters or '_'",
    IDENTIFIER,
    "my_name",
    "MY_NAME",
    "MyName",
)
_LABEL_KEY_PARTS = (
    f"a valid label key {_KEY_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
)


def byte_length(text: str) -> int:
    """Return the length in UTF-8 bytes. A lone surrogate, which no Go string can hold as such, counts three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _check(text: str, limit: int, regex: re.Pattern[str], message: str) -> Messages:
    messages = [_at_most(limit)] if byte_length(text) > limit else []
    if not regex.fullmatch(text):
        messages.append(message)
    return messages


def short_name(text: str) -> Messages:
    """Require an RFC 1123 label of at most 63 bytes; a name that only has dots too much is told so."""
    if is_short_name(text):
        return []
    messages = [_at_most(63)] if byte_length(text) > 63 else []
    if not messages or not _LABEL.fullmatch(text):
        messages.append("must not contain dots" if _SUBDOMAIN.fullmatch(text) else _SHORT)
    return messages


def long_name(text: str) -> Messages:
    """Require an RFC 1123 subdomain of at most 253 bytes."""
    return [] if is_long_name(text) else _check(text, 253, _SUBDOMAIN, _LONG)


def letter_first_name(text: str) -> Messages:
    """Require an RFC 1035 label, which starts with a letter, of at most 63 bytes."""
    return _check(text, 63, _LETTER_FIRST, _LETTER_FIRST_TEXT)


def long_name_caseless(text: str) -> Messages:
    """Require an RFC 1123 subdomain of at most 253 bytes, in either case."""
    return _check(text, 253, _CASELESS, _LONG_CASELESS)


def label_value(text: str) -> Messages:
    """Require a label's value of at most 63 bytes. Empty is fine."""
    return [] if is_label_value(text) else _check(text, 63, _VALUE, _VALUE_TEXT)


def label_key(text: str) -> Messages:
    """Require a label's key: a name of at most 63 bytes, and perhaps a subdomain and a slash before it."""
    prefix, slash, name = text.partition("/")
    if "/" in name:
        return [_LABEL_KEY_PARTS]
    messages: list[str] = []
    if not slash:
        name = prefix
    elif not prefix:
        messages.append("prefix part must be non-empty")
    else:
        messages += [f"prefix part {message}" for message in long_name(prefix)]
    if not name:
        messages.append("name part must be non-empty")
    if _is_key(name):
        return messages
    # An empty name gives both messages, as upstream.
    return messages + [f"name part {message}" for message in _check(name, 63, _KEY, _KEY_TEXT)]


def prefixed_label_key(text: str) -> Messages:
    """Require a label's key with a prefix."""
    messages = label_key(text)
    if not messages and "/" not in text:
        return ["must include a prefix (e.g. 'example.com/key')"]
    return messages


def path_segment_name(text: str) -> Messages:
    """Require a name that can stand as one segment of a URL's path. Empty is fine."""
    if text in (".", ".."):
        return [f"may not be '{text}'"]
    return [f"may not contain '{char}'" for char in "/%" if char in text]


def uuid(text: str) -> Messages:
    """Require a lowercase UUID."""
    return [] if _UUID.fullmatch(text) else ["must be a lowercase UUID in 8-4-4-4-12 format"]


def c_identifier(text: str) -> Messages:
    """Require an identifier as in C. Says nothing of its length."""
    return [] if _IDENTIFIER.fullmatch(text) else [_IDENTIFIER_TEXT]
