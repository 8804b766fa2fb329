"""Turns inputs into other inputs: splices of Go and tag vocabulary, flipped bytes, deep nesting, odd Unicode.

Knows the words of types.go and of tags, and no rule of either.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from harness.tags.registry import ALL_SPECS

PAYLOADS = (
    '"); canary() #',
    "'); canary() #",
    '"""\ncanary()\n"""',
    "'''\ncanary()\n'''",
    "\ncanary()\n",
    "\rcanary()\r",
    "\\ncanary()\\n",
    "\\u000acanary()",
    "{canary()}",
    "{imports}",
    "{package}",
    "{0.__class__}",
    "%s%n",
    "\\",
    "\\\\",
    '\\"',
    "<stop>",
    "break",
    "\u2028canary()\u2028",
    "\x0ccanary()\x0c",
    "\x85canary()\x85",
    "#\ncanary()",
    "__builtins__",
    "validate_T",
    "Operation",
    "options",
    "errs",
    "op",
    "path",
    "None",
    "class",
)
"""Texts that would run `canary()` in a module that held them unescaped, or take the name of something in it."""

ODD = (
    "\0", "\ufeff", "\u202e", "\u2066", "e\u0301\u0301\u0301", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c",
    "\u00a0", "\u3000", "\u200d", "ﬁ", "K", "ſ", "Ⅷ", "ª", "ͺ", "²", "٣", "߁", "𝟘", "𝔄", "ǅ", "İ", "ı", "ß", "😀",
    "\U0010ffff", "\ufffd", "\ue000", "é", "_", "µ", "℘",
)  # fmt: skip
"""Characters on which definitions of letter, digit, space and line disagree."""

NUMBERS = (
    "0", "-0", "007", "089", "0x", "0x1F", "0b12", "0o7", "1_000", "1e9", "1e999999999", "0x1p-2", "1i", "'a'", "-1",
    "9223372036854775807", "9223372036854775808", "-9223372036854775809", "9" * 50, "9" * 5000, "1.5", "+5", ".5",
    "1<<1000000000", "1<<512", "1<<511", "iota", "iota*iota", "-1<<63", "1/0", "1%0", "1.0/0", "^0", "!true", "'\\xff'",
)  # fmt: skip

GO = (
    "type ", "struct {\n", "}\n", "{", "}", "(", ")", "[", "]", "[]", "[3]", "[...]", "map[string]", "map[int]", "*",
    "**",
    "interface{}", "any", "chan int", "func()", "const ", "const (\n", "var ", "import ", 'import "time"\n', "package ",
    "package v1\n", " = ", "iota", "\n", "\r\n", "\r", "\t", " ", ";", ",", ".", "//", "/*", "*/", "`", '"', "'", "\\",
    "#",
    "string", "int32", "uint8", "byte", "rune", "bool", "float64", "complex128", "error", "T", "T2", "E", "M", "L", "A",
    "X", "a.b", "v1.T", 'json:"', "json:", '`json:"a"`', '`json:",inline"`', '`json:"-"`', '`json:"a,omitempty"`',
    '`json:"a,inline"`', '`json:"-,"`', '`json:""`', "len(", "string(", "type T T\n", "type T = T\n", "type A B\n",
    "type B A\n", "type A = B\n", "type T struct { T }\n", "type T struct { *T }\n", "type T []T\n", "type T map[T]T\n",
    "type T *T\n", "type T[P any] struct { F P }\n", "T[int]", "//go:build ignore\n", "//line x.go:1\n", "+", "_",
    "-", "<<", ">>", "&^", "&&", "||", "==", "!=", "<", "~", "...", "func f() {\n", "struct{}", "// ", "//+", "/* +",
)  # fmt: skip

TAGS = (
    *(f"+{name}" for name in ALL_SPECS), "+k8s:validation-gen=*", "+k8s:validation-gen=true", "+k8s:requird",
    '+k8s:isSubresource="/a"', '+k8s:supportsSubresource="/b"', "+k8s:validation-gen=TypesWithField=F",
    "=+", "=", "()", "(", ")", "(a)", '("a")', "(`a`)", "(a: b)", "(a: 1, b: true)", ",", ":", "=5", "=-1", '="x"',
    "=`x`", "=true", "=set", "=map", "=atomic", "=a", "=NoSet", "=NoModify", "(since: \"1.36\")", "(union: u)",
    "(memberName: x)", "(a: \"b\")=", "(E)", "(\"A\")=", "=k8s-uuid", "=k8s-short-name", " # note", " // note", "\\",
    "+k8s:eachVal=", "+k8s:eachKey=", "+k8s:subfield(a)=", "+k8s:item(a: \"x\")=", "+k8s:ifEnabled(X)=", "+k8s:alpha=",
)  # fmt: skip

_LINES = re.compile(r"(?<=\n)")
_WORDS = re.compile(r"\s+|\w+|.", re.DOTALL)


class Mutator:
    """Draws inputs from seeds. The same seeds and random numbers give the same inputs."""

    def __init__(self, seeds: Sequence[bytes], words: Sequence[str], random_numbers: random.Random) -> None:
        self.seeds = list(seeds)
        self._words = words
        self._random = random_numbers
        self._largest = 20_000

    def draw(self) -> bytes:
        """Return the next input: a seed with a few changes."""
        rng = self._random
        text = rng.choice(self.seeds).decode("utf-8", "surrogateescape")
        for _ in range(rng.choice((1, 1, 2, 3, 5, 9))):
            text = rng.choice(_CHANGES)(self, text)
            text = text[: self._largest]
        return text.encode("utf-8", "surrogatepass" if rng.random() < 0.1 else "surrogateescape")

    def _word(self) -> str:
        rng = self._random
        kind = rng.random()
        if kind < 0.6:
            return rng.choice(self._words)
        if kind < 0.7:
            return rng.choice(PAYLOADS)
        if kind < 0.85:
            return rng.choice(NUMBERS)
        if kind < 0.97:
            return rng.choice(ODD)
        return chr(rng.choice((rng.randrange(256), rng.randrange(0xD800), rng.randrange(0xE000, 0x110000))))

    def _place(self, text: str) -> int:
        rng = self._random
        if rng.random() < 0.5 and text:
            starts = [found.start() for found in _WORDS.finditer(text[:5000])]
            return rng.choice(starts)
        return rng.randint(0, len(text))

    def _span(self, text: str) -> tuple[int, int]:
        start = self._place(text)
        return start, min(len(text), start + self._random.choice((1, 2, 5, 20, 100)))

    def _insert(self, text: str) -> str:
        at = self._place(text)
        return text[:at] + self._word() + text[at:]

    def _replace(self, text: str) -> str:
        words = _WORDS.findall(text)
        if not words:
            return self._word()
        at = self._random.randrange(len(words))
        return "".join((*words[:at], self._word(), *words[at + 1 :]))

    def _delete(self, text: str) -> str:
        start, end = self._span(text)
        return text[:start] + text[end:]

    def _double(self, text: str) -> str:
        start, end = self._span(text)
        return text[:end] + text[start:end] * self._random.choice((1, 1, 2, 10)) + text[end:]

    def _double_line(self, text: str) -> str:
        lines = _LINES.split(text)
        at, to = self._random.randrange(len(lines)), self._random.randrange(len(lines) + 1)
        return "".join((*lines[:to], lines[at], *lines[to:]))

    def _drop_line(self, text: str) -> str:
        lines = _LINES.split(text)
        del lines[self._random.randrange(len(lines))]
        return "".join(lines)

    def _flip(self, text: str) -> str:
        data = bytearray(text.encode("utf-8", "surrogateescape"))
        if data:
            data[self._random.randrange(len(data))] ^= 1 << self._random.randrange(8)
        return data.decode("utf-8", "surrogateescape")

    def _nest(self, text: str) -> str:
        opening, closing = self._random.choice(
            (("(", ")"), ("[]", ""), ("*", ""), ("struct { F ", " }"), ("map[string]", ""), ("-", ""),
             ("+k8s:eachVal=", ""),
             ("+k8s:alpha(since: \"1.36\")=", ""), ("!", ""), ("1+", ""), ("{", "}"), ("string(", ")"), ("/*", "*/"))
        )  # fmt: skip
        depth = self._random.choice((2, 5, 25, 70, 400))
        start, end = self._span(text)
        return text[:start] + opening * depth + text[start:end] + closing * depth + text[end:]

    def _lengthen(self, text: str) -> str:
        at = self._place(text)
        return text[:at] + self._word()[:20] * self._random.choice((50, 300, 2000)) + text[at:]

    def _splice(self, text: str) -> str:
        other = self._random.choice(self.seeds).decode("utf-8", "surrogateescape")
        start, _ = self._span(other)
        at = self._place(text)
        return text[:at] + other[start : start + self._random.choice((10, 80, 400))] + text[at:]

    def _cut(self, text: str) -> str:
        return text[: self._place(text)]

    def _other_ends(self, text: str) -> str:
        return text.replace("\n", self._random.choice(("\r\n", "\r", "\n\n", "\u2028")))

    def _bytes(self, text: str) -> str:
        at = self._place(text)
        raw = self._random.choice((b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x80", b"\x80"))
        return text[:at] + raw.decode("utf-8", "surrogateescape") + text[at:]

    def _rename(self, text: str) -> str:
        words = sorted({word for word in _WORDS.findall(text[:3000]) if word[0].isalpha()})
        if not words:
            return text
        return re.sub(rf"\b{re.escape(self._random.choice(words))}\b", lambda _: self._word(), text)


_CHANGES: tuple[Callable[[Mutator, str], str], ...] = (
    Mutator._insert, Mutator._insert, Mutator._insert, Mutator._replace, Mutator._replace, Mutator._replace,
    Mutator._delete, Mutator._double, Mutator._double_line, Mutator._drop_line, Mutator._flip, Mutator._nest,
    Mutator._lengthen, Mutator._splice, Mutator._cut, Mutator._other_ends, Mutator._bytes, Mutator._rename,
)  # fmt: skip
