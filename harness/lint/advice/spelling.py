"""Tags that are not written as tags are: misspelt, with another prefix, with commas.

Source: semantics.md#1.2, #1.3, #S34.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache

from harness.diagnostics import InputError, Position
from harness.gotypes.model import CommentLine
from harness.lint.advice.common import Advice, advice, field_of, is_comment_line, line_of, rewrite
from harness.lint.rule import LineEdit
from harness.lint.view import PackageView
from harness.tags.grammar import Tag, TagLine, TagSyntaxError, name_of, parse, parse_line, tag_lines
from harness.tags.registry import ALL_SPECS, OLDER_NAMES, SPECS, is_foreign, specs_of, suggestion

_SHARED = frozenset({"optional", "required", "enum", "listType", "listMapKey", "immutable", "unionDiscriminator",
                     "unionMember", "unique", "format", "minimum", "maximum", "item", "alpha", "beta", "update",
                     "forbidden"})  # fmt: skip
"""Names that mean something to other generators, or to people, without the prefix."""
_OPENAPI = "k8s:validation:"
_MIDDLE = re.compile(r"""(?P<before>.*[^\s("'`].*?[\s*-]\s*)(?P<tag>\+(?P<name>k8s:\w+)\S*(?:[ ]"[^"]*"\S*)*)\s*""")
_LIST = re.compile(r"(?P<head>.*=)(?P<values>\w+(?:,\w+)+)\s*")


def _lines(view: PackageView) -> tuple[CommentLine, ...]:
    """Every line with a + of the comments that belong to an element, once."""
    found: tuple[CommentLine, ...] | None = view.memo.get(("lines", 0))
    if found is None:
        by_position = {
            line.position: line for element in view.elements for line in element.comments if "+" in line.text
        }
        found = view.memo["lines", 0] = tuple(by_position.values())
    return found


def _tag_lines(view: PackageView) -> tuple[TagLine, ...]:
    found: tuple[TagLine, ...] | None = view.memo.get(("tag lines", 0))
    if found is None:
        found = view.memo["tag lines", 0] = tuple(tag_lines(_lines(view)))
    return found


@lru_cache(maxsize=1024)
def close_to(name: str) -> str:
    """The one tag that a name is surely meant to be; empty when that is not clear."""
    if name in OLDER_NAMES:
        return OLDER_NAMES[name]
    same = [known for known in SPECS if known.lower() == name.lower()]
    near = sorted(((SequenceMatcher(None, name, known).ratio(), known) for known in SPECS), reverse=True)
    clear = near[0][0] >= 0.85 and near[0][0] - near[1][0] > 0.02
    return same[0] if same else near[0][1] if clear else ""


def _unknown(view: PackageView) -> Iterator[Advice]:
    known = specs_of(view.release)
    cut_off = (line for e in view.elements for line in e.second_comments if "+k8s:" in line.text)
    for line in (*_tag_lines(view), *tag_lines(cut_off)):
        if line.name not in known and not is_foreign(line.name) and not line.name.startswith(_OPENAPI):
            yield _misspelt(view, line.name, line.position, "nothing is checked")
        if line.name in known:
            try:
                tag: Tag | None = parse_line(line).payload
            except InputError:
                continue
            while tag is not None:
                if tag.name not in known:
                    yield _misspelt(view, tag.name, tag.position, "upstream's generator crashes")
                tag = tag.payload


def _misspelt(view: PackageView, name: str, position: Position, result: str) -> Advice:
    if name in ALL_SPECS and name not in OLDER_NAMES:
        message = f"release {view.release} does not know +{name}, so {result}"
        return Advice(position, len(name) + 1, message, f"it came with 1.{ALL_SPECS[name].since}")
    meant = close_to(name) or close_to(f"k8s:{name}")
    edit = rewrite(view, position, len(name) + 1, f"+{meant}") if meant else None
    fix = f"did you mean +{meant}?" if meant else suggestion(name) or "remove it, or correct the name"
    return Advice(position, len(name) + 1, f"there is no tag +{name}, so {result}", fix, edit)


def _other_prefix(view: PackageView) -> Iterator[Advice]:
    for line in _tag_lines(view):
        bare = line.name.removeprefix(_OPENAPI) if line.name.startswith(_OPENAPI) else ""
        if f"k8s:{bare}" in SPECS:
            message = f"+{line.name} goes into the OpenAPI schema and is not checked by declarative validation"
            yield Advice(line.position, len(line.name) + 1, message, f"add +k8s:{bare} if requests should be checked")


def _no_prefix(view: PackageView) -> Iterator[Advice]:
    for line in _tag_lines(view):
        if ":" not in line.name and line.name not in _SHARED and f"k8s:{line.name}" in SPECS:
            message = f"+{line.name} has no prefix, so nothing is checked"
            edit = rewrite(view, line.position, 1, "+k8s:") if _parses(f"+k8s:{line.text[1:]}") else None
            yield Advice(line.position, len(line.name) + 1, message, f"write +k8s:{line.text[1:]}", edit)


def _parses(text: str) -> bool:
    try:
        parse(text)
    except TagSyntaxError:
        return False
    return True


def _in_the_middle(view: PackageView) -> Iterator[Advice]:
    for line in _lines(view):
        before, found, rest = line.text.partition("+k8s:")
        tag = found + rest.rstrip()
        if not before.strip() or name_of(tag) not in SPECS or not _parses(tag):
            continue
        example = before.startswith(("\t", "    ", "+")) or "//" in before
        if not example and before[-1] in " \t*-" and not _prose(before):
            position = replace(line.position, column=line.position.column + len(before))
            message = f"{tag} follows other text, so it is not a tag"
            yield Advice(position, len(name_of(tag)) + 1, message, "give it a line of its own")


def _prose(before: str) -> bool:
    """Whether the text goes on about the tag instead of using it: `marked with +k8s:required`."""
    words = before.split()
    ends = before.rstrip()[-1:] in tuple(".:;,!*-")
    return words[-1].lower() in _TALKING or not (ends or len(words) <= 3)


_TALKING = frozenset(("a", "an", "and", "as", "by", "has", "have", "is", "like", "no", "not", "of", "or", "per", "see",
                      "tag", "tags", "than", "the", "to", "use", "uses", "via", "when", "where", "with",
                      "without"))  # fmt: skip


def _not_parsed(view: PackageView) -> Iterator[Advice]:
    for line in _tag_lines(view):
        if line.name not in SPECS:
            continue
        try:
            parse_line(line)
        except InputError as error:
            for diagnostic in error.diagnostics:
                edit = _remark(view, line) or _commas(view, line)
                yield Advice(diagnostic.position, 1, diagnostic.message, diagnostic.fix, edit)


def _remark(view: PackageView, line: TagLine) -> LineEdit | None:
    tag, slashes, remark = line.text.partition("//")
    if not slashes or not _parses(tag):
        return None
    return rewrite(view, line.position, len(line.text), f"{tag.rstrip()} # {remark.strip()}")


def _commas(view: PackageView, line: TagLine) -> LineEdit | None:
    found = _LIST.fullmatch(line.text)
    whole = line_of(view, line.position)
    if not found or not is_comment_line(whole):
        return None
    start = whole[: line.position.column - 1]
    tags = [found["head"] + value for value in found["values"].split(",")]
    if not all(map(_parses, tags)):
        return None
    return LineEdit(line.position.file, line.position.line, whole, "\n".join(start + tag for tag in tags))


RULES = (
    advice(
        "unknown-tag",
        "error",
        _unknown,
        summary="A +k8s: tag that does not exist.",
        why="upstream ignores unknown names silently, which turns a typing mistake into a missing rule; "
        "under another tag they crash its generator",
        good=field_of("+k8s:optional\n+k8s:maxLength=3", "string"),
        bad=field_of("+k8s:optional\n+k8s:maxLenght=3", "string"),
        fixes=True,
    ),
    advice(
        "tag-for-openapi",
        "note",
        _other_prefix,
        summary="A +k8s:validation: tag, which documents a limit that nothing enforces.",
        why="these tags are read by openapi-gen alone",
        good=field_of("+k8s:optional\n+k8s:maxLength=3", "string"),
        bad=field_of("+k8s:optional\n+k8s:validation:maxLength=3", "string"),
    ),
    advice(
        "tag-without-prefix",
        "warning",
        _no_prefix,
        summary="The name of a tag without k8s: before it.",
        why="+maxLength is a tag of another generator or of none; validation reads only names that start with k8s:",
        good=field_of("+optional\n+k8s:optional\n+k8s:maxLength=3", "string"),
        bad=field_of("+k8s:optional\n+maxLength=3", "string"),
        fixes=True,
    ),
    advice(
        "tag-in-text",
        "note",
        _in_the_middle,
        summary="A tag at the end of a line of text.",
        why="a line is a tag only if it starts with +",
        good=field_of("The name.\n+k8s:required", "string"),
        bad=field_of("The name. +k8s:required", "string"),
    ),
    advice(
        "tag-not-parsed",
        "error",
        _not_parsed,
        summary="A tag whose text does not parse.",
        why="upstream generates nothing; a tag is +name, +name(argument) or +name(name: value, ...), "
        "each perhaps with =value or =+another-tag",
        good=field_of("+k8s:update=NoSet # set once\n+k8s:update=NoModify\n+k8s:optional", "*string"),
        bad=field_of("+k8s:update=NoSet,NoModify\n+k8s:optional", "*string"),
        fixes=True,
    ),
)
