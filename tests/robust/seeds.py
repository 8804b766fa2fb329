"""What fuzzing starts from: the kept corpus, the examples of every tag, and files that are extreme by design."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.tags.registry import ALL_SPECS, usage_of
from tests.robust.mutate import GO, NUMBERS, TAGS

CORPUS = Path(__file__).parent / "corpus"


def corpus(target: str) -> list[Path]:
    """Return the files that are kept for a target."""
    return sorted(path for path in (CORPUS / target).iterdir() if path.is_file())


def words(target: str) -> Sequence[str]:
    """Return the vocabulary of a target."""
    if target == "grammar":
        return TAGS
    if target == "jsontag":
        return ('json:"', '"', ":", ",", "omitempty", "inline", "-", "\\", '\\"', " ", "\t", 'protobuf:"', "yaml:", "a")
    if target == "constants":
        return (*NUMBERS, *GO)
    return (*GO, *TAGS, *(f"\n\t// {tag}" for tag in TAGS))


def seeds(target: str) -> list[bytes]:
    """Return everything to start from."""
    return [path.read_bytes() for path in corpus(target)] + [one.encode() for one in _made(target)]


def _made(target: str) -> Iterator[str]:
    if target == "grammar":
        for spec in ALL_SPECS.values():
            yield "+" + usage_of(spec)
            yield from {f"+{spec.name}{example.tag}" for example in spec.examples}
    elif target == "constants":
        yield from NUMBERS
        yield from ('"a" + "b"', 'E("x")', "len(`é`)", "other.Max << 3", "1.5 * 2", "(1 + 2) * 3 &^ 1", '"a" == "b"')
    elif target == "jsontag":
        yield from ('json:"a,omitempty" protobuf:"bytes,1,opt,name=a"', 'json:"-"', 'json:"-,"', 'json:",inline"', "")
    else:
        for spec in ALL_SPECS.values():
            for example in (*spec.examples, *spec.invalid_usages):
                yield example.source(spec.name)
