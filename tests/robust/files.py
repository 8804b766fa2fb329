"""Hostile files: every file that a command reads, cut off, bent, nested, blown up, and full of odd text."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.robust import scene
from tests.robust.commands import Fault
from tests.robust.mutate import ODD

EXCEPTIONS = ("--exceptions", "exceptions.yaml")
SEEDS = "kept/seeds"
"""Stands for the file of accepted objects, whose name is a hash."""
READERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "report.json": (
        ("render", "report.json", "--all"), ("render", "report.json", "--report", "o"), ("render", "report.json"),
        ("merge", "report.json", "--report", "o"), ("replay", "report.json", "--trust"),
        ("replay", "report.json", "thing"), ("exceptions", "list", *EXCEPTIONS, "--report", "report.json"),
        ("exceptions", "prune", *EXCEPTIONS, "--report", "report.json"), ("rules", "--report", "report.json"),
        ("export", "report.json", "0", "--trust"), ("export", "report.json", "a", "thing"),
    ),
    "finding.json": (("replay", "finding.json", "thing"),),
    "new.yaml": (("check", "thing", "new.yaml"), ("check", "thing", "new.yaml", "--old", "old.yaml", "--json")),
    "old.yaml": (("check", "thing", "new.yaml", "--old", "old.yaml"),),
    "cases.ndjson": (("check", "thing", "--cases", "cases.ndjson"),),
    "case.json": (("replay", "thing", "--case", "case.json"),),
    "exceptions.yaml": (
        ("exceptions", "list", *EXCEPTIONS), ("exceptions", "expire", *EXCEPTIONS, "--within", "9"),
        ("exceptions", "prune", *EXCEPTIONS, "--report", "report.json"), ("exceptions", "count", *EXCEPTIONS),
        ("merge", "report.json", *EXCEPTIONS),
    ),
    "exceptions.ratchet": (
        ("exceptions", "count", *EXCEPTIONS), ("exceptions", "count", *EXCEPTIONS, "--update-ratchet"),
    ),
    "harness.toml": (("config",), ("kinds", "thing"), ("run", "thing", *scene.LITTLE)),
    "trusted_wordings.yaml": (("run", "thing", *scene.LITTLE), ("replay", "report.json", "thing")),
    "thing.recording": (("run", "thing", "--handwritten", "thing.recording", "--jobs", "1"),),
    "thing/corpus/one.json": (("run", "thing", *scene.LITTLE),),
    SEEDS: (("run", "thing", *scene.LITTLE, "--corpus", "kept"),),
    "thing/rules.ratchet": (("run", "thing", *scene.LITTLE),),
    "thing/power.yaml": (("power", "thing", "--max-cases", "10", "--every", "40", "--jobs", "1"),),
    "thing/types.go": (
        ("compile", "thing"), ("lint", "thing"), ("rules", "thing"), ("docs", "thing", "--output", "o"),
        ("kinds", "thing"), ("run", "thing", *scene.LITTLE),
    ),
    "thing/suite.py": (("kinds", "thing"), ("run", "thing", *scene.LITTLE)),
    "thing/handwritten.py": (("kinds", "thing"),),
}  # fmt: skip
"""Commands that read a file."""
ALWAYS_DIFFERENT = frozenset({"thing/corpus/one.json", SEEDS, "trusted_wordings.yaml", "harness.toml"})
"""Files that change nothing of the difference that every case shows: a run that is green lost it."""
DEEP = (150, 250, 2000, 20_000)
TEXTS = (
    "\x1b[2J", "\x00", "\r", "\u202e", "x" * 100_000, "'", '"', "</script><script>", "]]>", "-->", "%s{0}", "\\", "",
    "(((a+)+)+)+$", "1" * 5000, "2024-13-45", "\n", "a\nb", *ODD,
)  # fmt: skip
NUMBERS = (0, -1, 1 << 31, 1 << 63, 1 << 64, 10**400, -(1 << 63) - 1, 0.5, 1e308, -0.0)


def good_files(template: Path) -> dict[str, bytes]:
    """Return what stands in each file when nobody bent it, by its name in a project."""
    report = (template / "report.json").read_bytes()
    known = {
        "finding.json": json.dumps(json.loads(report)["findings"][0]).encode(),
        "harness.toml": scene.SETTINGS.encode(),
        "trusted_wordings.yaml": scene.WORDINGS.encode(),
        "thing/rules.ratchet": scene.RATCHET.encode(),
        "thing/power.yaml": scene.SURVIVORS.encode(),
    }
    (seeds,) = (template / "kept" / "seeds").glob("*.json")
    names = {name: str(seeds.relative_to(template)) if name == SEEDS else name for name in READERS}
    return {name: known[name] if name in known else (template / place).read_bytes() for name, place in names.items()}


def faults(seed: int, template: Path) -> Iterator[Fault]:
    """Draw hostile files without an end; the same ones for the same seed."""
    drawn = random.Random(f"files {seed}")
    good = good_files(template)
    (seeds,) = (template / "kept" / "seeds").glob("*.json")
    while True:
        name = drawn.choice(list(READERS))
        argv = drawn.choice(READERS[name])
        green = frozenset({0}) if argv[0] == "run" and name in ALWAYS_DIFFERENT else frozenset()
        place = str(seeds.relative_to(template)) if name == SEEDS else name
        yield Fault(f"file {name}", argv, {place: _bent(drawn, name, good[name])}, green)


def _bent(drawn: random.Random, name: str, data: bytes) -> bytes:
    for _ in range(drawn.choice((1, 1, 1, 2, 4))):
        data = drawn.choice(BYTES + (JSON if name.endswith((".json", ".ndjson")) else TEXT))(drawn, data)
    return data


# Bytes


def _cut(drawn: random.Random, data: bytes) -> bytes:
    return data[: drawn.randrange(len(data) + 1)]


def _flip(drawn: random.Random, data: bytes) -> bytes:
    bent = bytearray(data or b"x")
    for _ in range(drawn.choice((1, 4, 20))):
        bent[drawn.randrange(len(bent))] = drawn.randrange(256)
    return bytes(bent)


def _splice(drawn: random.Random, data: bytes) -> bytes:
    start, end = sorted(drawn.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[start:]


def _insert(drawn: random.Random, data: bytes) -> bytes:
    at, depth = drawn.randrange(len(data) + 1), drawn.choice(DEEP)
    odd = (
        b"\xff\xfe", b"\xef\xbb\xbf", b"\0", b"[" * depth, b'{"a":' * depth, b"- " * depth, b"&a [*a]", b"\\ud800",
        b"(" * depth, b"\xed\xa0\x80", drawn.choice(TEXTS).encode(), b"!!python/object:os.system x", b"<<<<<<< a\n",
    )  # fmt: skip
    return data[:at] + drawn.choice(odd) + data[at:]


def _nothing(drawn: random.Random, data: bytes) -> bytes:
    return drawn.choice((b"", b"\n", b"null", b"[]", b"{}", b"1", b'""', b"\xff", b"---\n", b"a: b: c", b"# a\n"))


# JSON


def _replaced(drawn: random.Random, data: bytes) -> bytes:
    """Put another value in the place of one."""
    try:
        value = json.loads(data)
        return _with_another(drawn, value)
    except (ValueError, RecursionError):  # it was bent before
        return data


def _with_another(drawn: random.Random, value: Any) -> bytes:
    holder, key = drawn.choice(list(_places(value)) or [([value], 0)])
    if drawn.random() < 0.15:
        del holder[key]
    else:
        holder[key] = drawn.choice((
            None, True, [], {}, drawn.choice(NUMBERS), drawn.choice(TEXTS), [holder[key]] * 3, {"a": holder[key]},
            _nested(drawn.choice((150, 300, 900))), [[]] * 5000, {drawn.choice(TEXTS): 1},
        ))  # fmt: skip
    return json.dumps(value).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value} if depth % 2 else [value]
    return value


def _half_pair(drawn: random.Random, data: bytes) -> bytes:
    """Put half of a surrogate pair into a text."""
    quotes = [at for at, byte in enumerate(data) if byte == 34]
    at = drawn.choice(quotes) + 1 if quotes else 0
    return data[:at] + b"\\ud800" + data[at:]


# Text


def _line(drawn: random.Random, data: bytes) -> bytes:
    """Take a line out, repeat it, or put an odd text into it."""
    lines = data.split(b"\n")
    at = drawn.randrange(len(lines))
    odd = drawn.choice(TEXTS).encode()
    lines[at : at + 1] = drawn.choice(([], [lines[at]] * 3, [lines[at] + odd], [odd + lines[at]], [b"  " + lines[at]]))
    return b"\n".join(lines)


def _value(drawn: random.Random, data: bytes) -> bytes:
    """Put something else behind a colon or an equals sign."""
    marks = [at for at, byte in enumerate(data) if byte in b":="]
    if not marks:
        return data
    at = drawn.choice(marks) + 1
    end = data.find(b"\n", at)
    odd = (
        b" .nan", b" 0o35", b" 1:30", b" {a: b}", b" [1, 2]", b" *a", b" &a x", b" !!set {a}", b" !!binary AAAA",
        b" 2024-01-01", b" ~", b" |\n  a", b" 9" * 400, b" \x1b[2J", b' "\\ud800"', b" {? a : b}", b" yes",
    )  # fmt: skip
    return data[:at] + drawn.choice(odd) + data[end if end >= 0 else len(data) :]


def _bomb(drawn: random.Random, data: bytes) -> bytes:
    """Add a few lines that stand for gigabytes."""
    lines = [b"bomb0: &b0 [x, x]"]
    lines += [b"bomb%d: &b%d [%s]" % (n, n, b", ".join([b"*b%d" % (n - 1)] * 9)) for n in range(1, 12)]
    return data + b"\n" + b"\n".join(lines) + b"\n"


Bend = Callable[[random.Random, bytes], bytes]
BYTES: tuple[Bend, ...] = (_cut, _flip, _splice, _insert, _nothing)
JSON: tuple[Bend, ...] = (_replaced, _replaced, _replaced, _replaced, _half_pair)
TEXT: tuple[Bend, ...] = (_line, _line, _value, _value, _bomb)
