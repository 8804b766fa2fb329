"""What must hold for any input, one function per target. Each takes bytes and raises Broken, or whatever we failed on.

Only diagnostics come out; they have a code with a page, a message, and a position inside the text; the same input gives
the same result; and what the compiler emits is Python in which no text of the input can run.
"""

from __future__ import annotations

import ast
import builtins
import math
import tempfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from harness.case import Operation
from harness.compiler import Compiled, compile_types
from harness.diagnostics import Diagnostic, InputError, Position
from harness.explain import pages_of
from harness.fuzzers.shape import shape_of
from harness.gotypes.jsontag import json_tag, tag_value
from harness.gotypes.model import CommentLine, Package, Struct, Typedef
from harness.gotypes.packages import Universe
from harness.gotypes.scanner import source_of
from harness.subject.decode import decoder_of
from harness.tags.grammar import Scalar, Tag, TagSyntaxError, canonical_int, parse, parse_line, tag_lines
from harness.targets.endpoint import DecodeError
from tests.robust.objects import hostile_objects

PACKAGE = "example.io/api/v1"
_OTHER = 'package other\n\ntype Leaf struct {\n\t// +k8s:maxLength=3\n\tName string `json:"name"`\n}\n\nconst Max = 5\n'
_CONSTANTS = b"""package v1

import "example.io/other"

type E string

const (
	A E = %b
	B
	C = A + B
)
"""
_BUILTINS = frozenset(
    {"bool", "any", "all", "enumerate", "len", "set", "str", "isinstance", "sorted", "tuple", "list", "dict", "float"}
)


class Broken(AssertionError):
    """A promise that an input broke."""


def hold(condition: object, promise: str, *facts: object) -> None:
    """Check a promise. Raises: Broken."""
    if not condition:
        raise Broken(": ".join((promise, *(ascii(fact)[:300] for fact in facts))))


@cache
def _explained(code: str) -> bool:
    return bool(pages_of(code))


def check_diagnostics(found: Iterable[Diagnostic], text: bytes) -> None:
    """Hold diagnostics to what is promised of every one of them."""
    # As Go counts: lines end with a line feed, whatever else separates lines elsewhere.
    lines = text.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n")
    for one in found:
        hold(one.code and one.message, "a diagnostic has code and message", one)
        hold(_explained(one.code), "a code has a page", one.code)
        hold(len(str(one)) < 5000 + 2 * len(text), "a diagnostic can be read", one.code, len(str(one)))
        at = one.position
        if not at.line:
            hold(not at.column, "a column stands in a line", at)
            continue
        if at.file.startswith("("):
            continue
        hold(at.line <= len(lines), "a line is inside the file", at, one.code)
        hold(at.column <= len(lines[at.line - 1]) + 1, "a column is inside the line", at, one.code, one.message)


# Scanner and parser


def scanner(data: bytes) -> object:
    """Read a file: comment groups, declarations, constants."""
    source = source_of("types.go", data)
    lines = source.data.decode("utf-8").split("\n")
    for group in source.groups:
        hold(1 <= group.start <= group.end <= len(lines), "a comment group is inside the file", group)
        for line in group.lines:
            at = line.position
            # Carriage returns inside a comment are dropped as Go's scanner does; all else stands where we say.
            rest = lines[at.line - 1][at.column - 1 :]
            hold(rest.startswith(line.text), "a comment's text stands at its position", at, line.text, rest)
    package = _package(data)
    check_diagnostics(package.diagnostics, data)
    types: list[Struct | Typedef] = [*package.structs.values(), *package.typedefs.values()]
    for declared in types:
        at = declared.position
        hold(lines[at.line - 1][at.column - 1 :].startswith(declared.name), "a name stands at its position", at)
    if not package.diagnostics and b"type" in data:
        universe = _universe(data)
        for name in package.typedefs:
            universe.resolve(universe.package(PACKAGE).typedefs[name].underlying)
            universe.consts_of(f"{PACKAGE}.{name}")
    return package


def constants(data: bytes) -> object:
    """Compute expressions."""
    package = _package(_CONSTANTS % data)
    for const in package.consts:
        value = const.value
        if isinstance(value, int):
            hold(value.bit_length() <= 512, "integers stay as wide as in Go", const.name)
        elif isinstance(value, float):
            hold(math.isfinite(value), "numbers are finite", const.name)
        elif isinstance(value, str):
            hold(len(value) <= 1 << 20, "texts stay short", const.name)
            value.encode()  # no half of a surrogate pair
    return [(const.name, const.type, const.value) for const in package.consts]


def jsontag(data: bytes) -> object:
    """Read struct tags."""
    text = data.decode("utf-8", "replace")
    try:
        value = tag_value(text)
    except ValueError as error:
        hold(str(error) and str(error) in text, "the bad rest is part of the tag", error)
        return str(error)
    tags = [json_tag(value, "Name", embedded) for embedded in (False, True)]
    hold(all(tag.json_name or tag.inline for tag in tags), "a field has a name or is inline", value)
    return tags


# Tags


def grammar(data: bytes) -> object:
    """Parse the lines as tags."""
    seen: list[object] = []
    for number, text in enumerate(data.decode("utf-8", "replace").split("\n")[:50], 1):
        line = text.removeprefix("// ")
        comment = CommentLine(line, Position("types.go", number, 4))
        for found in tag_lines([comment]):
            try:
                tag = parse_line(found)
            except InputError as error:
                check_diagnostics(error.diagnostics, b"\n" * (number - 1) + ("// " + line).encode())
                seen.append(str(error))
                continue
            _check_tag(tag, found.text)
            seen.append(tag)
        try:
            parse(text)
        except TagSyntaxError as error:
            hold(0 <= error.offset <= len(text), "a syntax error is inside the text", error.offset, text)
    return seen


def _check_tag(tag: Tag, text: str) -> None:
    shown = str(tag)
    try:
        again = parse(shown)
    except TagSyntaxError as error:
        raise Broken(f"a tag that is shown parses: {shown!a} from {text!a}: {error.message}") from None
    hold(_meaning(tag) == _meaning(again), "a tag that is shown means the same", shown, text)
    hold(str(again) == shown, "a tag is shown the same again", shown, str(again))
    for scalar in (arg.value for arg in tag.args):
        canonical_int(scalar)
    if tag.scalar is not None:
        canonical_int(tag.scalar)


def _meaning(tag: Tag) -> object:
    value = tag.value
    shown = _meaning(value) if isinstance(value, Tag) else _scalar(value)
    return tag.name, [(arg.name, _scalar(arg.value)) for arg in tag.args], shown


def _scalar(value: Scalar | None) -> object:
    return None if value is None else (value.kind, value.text, value.value)


# Compiler


def compiler(data: bytes) -> object:
    """Compile the types of a file and validate hostile objects with what comes of it."""
    universe = _universe(data)
    vars(builtins)["canary"] = _canary  # the payloads of hostile files call it
    _ran.clear()
    try:
        compiled = compile_types(universe, PACKAGE)
    except InputError as error:
        hold(error.diagnostics, "what is refused says why")
        check_diagnostics(error.diagnostics, data)
        return str(error)
    finally:
        hold(not _ran, "nothing in types runs")
    check_diagnostics(compiled.warnings, data)
    check_source(compiled.source)
    for name in compiled.types:
        check_validator(compiled, universe, name)
    hold(not _ran, "nothing in types runs")
    return compiled.source


def check_validator(compiled: Compiled, universe: Universe, name: str) -> None:
    """Give hostile objects to a root type through the decoder; whatever it lets through is judged without a word."""
    shape = shape_of(universe, f"{PACKAGE}.{name}")
    decode = decoder_of(shape)
    old: object = None
    for value in hostile_objects(shape):
        try:
            new = decode(value)
        except (DecodeError, RecursionError):
            continue
        compiled.validate(name, Operation.CREATE, new)
        compiled.validate(name, Operation.UPDATE, new, old if old is not None else new)
        old = new


def check_source(source: str) -> None:
    """Hold an emitted module to the few forms it may have, so that no text of the input can be code in it."""
    tree = ast.parse(source)
    hold(ast.get_docstring(tree), "the module says what it is")
    names = set(_BUILTINS)
    for node in tree.body[1:]:
        match node:
            case ast.ImportFrom(module=module):
                hold(module == "__future__" or (module or "").startswith("harness."), "imports are ours", module)
                names |= {alias.asname or alias.name for alias in node.names}
            case ast.FunctionDef(name=name):
                hold(not node.decorator_list, "functions have no decorators", name)
                hold(name not in names, "a name is given once", name)
                names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
            case _:
                raise Broken(f"only imports, functions and constants stand in a module: {ast.dump(node)[:200]}")
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            _check_function(function, names)


def _check_function(function: ast.FunctionDef, names: set[str]) -> None:
    local = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    local |= {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            hold(node.id in names or node.id in local, "names are defined here", node.id, function.name)
        elif isinstance(node, ast.Attribute):
            hold(not node.attr.startswith("_"), "nothing private is touched", node.attr)
        elif isinstance(node, ast.Import | ast.ImportFrom | ast.Global | ast.JoinedStr | ast.Await | ast.Yield):
            raise Broken(f"no {type(node).__name__} stands in a function")


_ran: list[str] = []


def _canary(*_: object) -> str:
    _ran.append("ran")
    return ""


# What is read from disk


def _universe(data: bytes) -> Universe:
    with tempfile.TemporaryDirectory() as folder:
        places: dict[str, list[Path]] = {}
        for path, content in ((PACKAGE, data), ("example.io/other", _OTHER.encode())):
            file = Path(folder) / path.replace("/", "_") / "doc.go"
            file.parent.mkdir()
            file.write_bytes(content)
            places[path] = [file]
        universe = Universe.from_files(places)
        for path in places:
            universe.package(path)
    return universe


def _package(data: bytes) -> Package:
    return _universe(data).package(PACKAGE)


TARGETS: dict[str, Callable[[bytes], object]] = {
    "scanner": scanner,
    "constants": constants,
    "jsontag": jsontag,
    "grammar": grammar,
    "compiler": compiler,
}
