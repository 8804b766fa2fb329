"""Parses the declarations of one Go file, with error recovery: of an invalid file, those that can be parsed.

Every complaint is a diagnostic with its position; nothing raises. Function bodies are not looked into.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from sys import intern

import tree_sitter_go
from tree_sitter import Language, Node, Parser

from harness.diagnostics import Diagnostic, Position, near_miss
from harness.gotypes.constants import unquote
from harness.gotypes.jsontag import JsonTag, json_tag, tag_value
from harness.gotypes.model import Comments, Field, Struct, Typedef, TypeRef
from harness.gotypes.scanner import SourceText, ended

PackageNameOf = Callable[[str], "str | None"]
"""Maps an import path to the name in its package clause; None when its folder is unknown."""

_GO = Language(tree_sitter_go.language())
_MAX_DEPTH = 60
_MOST_SYNTAX_ERRORS = 50
_MOST_HINTS = 20  # each look for a near miss reads all names
NUMBERS = ("int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr")
BUILTINS = frozenset({"bool", "string", "float32", "float64", "complex64", "complex128", *NUMBERS})
_PREDECLARED = {"byte": "uint8", "rune": "int32"} | {name: name for name in BUILTINS}
_INTERFACES = frozenset({"any", "error", "comparable"})
_GENERATED = re.compile(r"(?:^|[/\\])(?:zz_generated[^/\\]*|[^/\\]*\.pb|types_swagger_doc_generated)\.go$")
_DECLARES_TYPES = re.compile(rb"\ntype\b")  # below the package clause


@dataclass(frozen=True, slots=True)
class ConstSpec:
    """One name of a constant declaration, before evaluation. A line without a value repeats type and value."""

    name: str
    position: Position
    comments: Comments
    type: TypeRef | None
    value: Node | None
    iota: int


@dataclass(slots=True)
class FileDeclarations:
    """The declarations of one file. `imports` maps the names used in the file to import paths."""

    source: SourceText
    package: str
    package_name: str = ""
    structs: list[Struct] = field(default_factory=list)
    typedefs: list[Typedef] = field(default_factory=list)
    consts: list[ConstSpec] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)
    unnamed_imports: list[str] = field(default_factory=list)
    dot_imports: list[str] = field(default_factory=list)
    uses: list[tuple[str, int]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def types(self) -> list[Struct | Typedef]:
        """All declared types."""
        return [*self.structs, *self.typedefs]


def declares_nothing(source: SourceText) -> bool:
    """Whether the file is generated code without types, which is not parsed."""
    return bool(_GENERATED.search(source.file)) and not _DECLARES_TYPES.search(source.data)


def parse_file(source: SourceText, package: str, package_name_of: PackageNameOf = lambda _: None) -> FileDeclarations:
    """Parse the declarations of a file of the package with an import path."""
    result = FileDeclarations(source, package, diagnostics=list(source.diagnostics))
    if not source.data:
        return result
    root = Parser(_GO).parse(ended(source)).root_node  # repairing what is inside an open comment takes for ever
    reader = _DeclarationReader(result, package_name_of)
    if root.has_error and not source.diagnostics:
        result.diagnostics += list(_syntax_errors(root, source))
    reader.read(root)
    return result


def resolve_import(name: str, declarations: FileDeclarations, package_name_of: PackageNameOf) -> str:
    """Return the import path of a package name in the file; empty when nothing is imported by that name."""
    if name in declarations.imports:
        return declarations.imports[name]
    known = {path: package_name_of(path) for path in declarations.unnamed_imports}
    for path, clause in known.items():
        if clause == name:
            return path
    for path, clause in known.items():
        if clause is None and name in _likely_names(path):
            return path
    return ""


@lru_cache(maxsize=10_000)
def _likely_names(path: str) -> frozenset[str]:
    """Return the possible names of a package with an unknown import path."""
    parts = path.split("/")
    last = parts[-1]
    names = {last, last.split(".")[0], last.removeprefix("go-"), last.removesuffix("-go"), last.rpartition("-")[2]}
    if len(parts) > 1 and re.fullmatch(r"v\d+", last):
        names |= {parts[-2], parts[-2].removeprefix("go-"), parts[-2].rpartition("-")[2]}
    return frozenset(names)


def _text(node: Node) -> str:
    return intern((node.text or b"").decode("utf-8", "replace"))  # versions of an API say the same again and again


def _syntax_errors(root: Node, source: SourceText) -> Iterator[Diagnostic]:
    """Every place where the parser had to skip or to invent text, at most fifty."""
    count = 0
    waiting = [root]
    while waiting and count < _MOST_SYNTAX_ERRORS:
        node = waiting.pop()
        if node.is_missing:
            yield _missing(node, source)
        elif node.is_error:
            yield _unexpected(node, source)
        else:
            waiting += [child for child in reversed(node.children) if child.has_error or child.is_missing]
            continue
        count += 1


def _missing(node: Node, source: SourceText) -> Diagnostic:
    what = node.type if not node.is_named else node.type.replace("_", " ")
    why = "the text before this place is not complete Go"
    return source.diagnose(node.start_byte, "go-syntax", f"{what} is missing", why, f"add {what} here")


def _unexpected(node: Node, source: SourceText) -> Diagnostic:
    cut_off = source.data[node.end_byte :].strip() == b"" and node.child_count > 1
    text = _text(node)
    first = text.split("\n", 1)[0].strip()
    shown = first if len(first) <= 40 else first[:37] + "..."
    if cut_off:
        message = f"the file ends inside the declaration that begins with {shown!r}"
        fix = "complete the declaration; a brace or parenthesis is probably open"
    else:
        message = f"unexpected {shown!r}"
        fix = "correct or remove this text; gofmt -l shows what Go itself says"
    return source.diagnose(
        node.start_byte, "go-syntax", message, "this is not Go as its grammar has it", fix, len(shown)
    )


class _DeclarationReader:
    """Collects the declarations from the top level of a syntax tree."""

    def __init__(self, result: FileDeclarations, package_name_of: PackageNameOf) -> None:
        self.result = result
        self.source = result.source
        self.package_name_of = package_name_of
        self.selectors: dict[str, str] = {}

    def read(self, root: Node) -> None:
        """Read clause and imports, then types and constants, in source order."""
        declarations = list(_top_level(root))
        for node in declarations:
            if node.type == "package_clause":
                self.result.package_name = _text(node.named_children[0]) if node.named_child_count else ""
            elif node.type == "import_declaration":
                self._imports(node)
        if not self.result.package_name and not self.result.diagnostics:
            self._complain(root.start_byte, "go-package", "there is no package clause", "begin with: package v1")
        for node in declarations:
            if node.type == "type_declaration":
                self._types(node)
            elif node.type == "const_declaration":
                self._consts(node)

    def _complain(self, offset: int, code: str, message: str, fix: str, why: str = "", width: int = 1) -> None:
        self.result.diagnostics.append(self.source.diagnose(offset, code, message, why, fix, width))

    def _imports(self, declaration: Node) -> None:
        for spec in _descend(declaration, "import_spec", "import_spec_list"):
            path_node, name_node = spec.child_by_field_name("path"), spec.child_by_field_name("name")
            if path_node is None:
                continue
            path = _text(path_node)[1:-1]
            name = _text(name_node) if name_node is not None else ""
            if name == ".":
                self.result.dot_imports.append(path)
            elif name and name != "_":
                self.result.imports[name] = path
            elif not name:
                self.result.unnamed_imports.append(path)

    def _types(self, declaration: Node) -> None:
        for spec in declaration.named_children:
            if spec.type in ("type_spec", "type_alias"):
                self._type(spec)

    def _type(self, spec: Node) -> None:
        name_node, type_node = spec.child_by_field_name("name"), spec.child_by_field_name("type")
        if name_node is None or type_node is None:
            return
        name, position = _text(name_node), self.source.position(name_node.start_byte)
        closest, second = self.source.comments_above(position.line)
        parameters = spec.child_by_field_name("type_parameters")
        if parameters is not None:
            other = TypeRef("other", _text(spec)[:200])
            typedef = Typedef(name, self.result.package, other, position, False, closest, second)
            self.result.typedefs.append(typedef)
        elif type_node.type == "struct_type" and spec.type == "type_spec":
            fields = self._fields(type_node, 0)
            self.result.structs.append(Struct(name, self.result.package, fields, position, closest, second))
        else:
            ref, alias = self._ref(type_node, 0), spec.type == "type_alias"
            self.result.typedefs.append(Typedef(name, self.result.package, ref, position, alias, closest, second))

    def _fields(self, struct: Node, depth: int) -> tuple[Field, ...]:
        found: list[Field] = []
        for node in _descend(struct, "field_declaration", "field_declaration_list"):
            found += self._field(node, depth)
        self._repeated(found)
        return tuple(found)

    def _repeated(self, fields: list[Field]) -> None:
        seen: dict[str, Field] = {}
        for one in fields:
            if one.name in seen and one.name != "_":
                message = f"field {one.name} is declared twice"
                why = f"the first one stands in line {seen[one.name].position.line}"
                text = self.source.line_text(one.position.line)
                made = Diagnostic(one.position, "go-duplicate", message, why, "rename one", text, len(one.name))
                self.result.diagnostics.append(made)
            seen.setdefault(one.name, one)
        self._same_in_json([one for one in fields if one.exported and not one.inline and seen[one.name] is one])

    def _same_in_json(self, fields: list[Field]) -> None:
        """Report two fields with the same JSON name: Go encodes neither, so nothing would be compared."""
        seen: dict[str, Field] = {}
        for one in fields:
            first = seen.setdefault(one.json_name, one)
            if first is not one:
                message = f"fields {first.name} and {one.name} have one name in JSON, {one.json_name}"
                why = f"Go reads and writes neither of them; the first stands in line {first.position.line}"
                text = self.source.line_text(one.position.line)
                fix = "give each a name of its own, or leave one out"
                made = Diagnostic(one.position, "go-json-name", message, why, fix, text, len(one.name))
                self.result.diagnostics.append(made)

    def _field(self, node: Node, depth: int) -> Iterator[Field]:
        type_node, names = node.child_by_field_name("type"), node.children_by_field_name("name")
        if type_node is None:
            return
        embedded = not names
        ref = self._ref(type_node, depth)
        if embedded and node.children[0].type == "*":
            ref = TypeRef("pointer", elem=ref)
        value = self._tag(node.child_by_field_name("tag"))
        for name_node in names or [_last_name(type_node)]:
            position = self.source.position(name_node.start_byte)
            yield self._made(_text(name_node), ref, position, embedded, value)

    def _made(self, name: str, ref: TypeRef, position: Position, embedded: bool, value: str | None) -> Field:
        tag: JsonTag = json_tag(value, name, embedded)
        closest, second = self.source.comments_above(position.line)
        return Field(
            name=name,
            json_name=tag.json_name,
            type=ref,
            position=position,
            embedded=embedded,
            inline=tag.inline,
            json_ignored=tag.ignored,
            omitempty="omitempty" in tag.options,
            options=tag.options,
            comments=closest,
            second_comments=second,
        )

    def _tag(self, node: Node | None) -> str | None:
        if node is None:
            return None
        raw = _text(node)
        text = raw[1:-1] if node.type == "raw_string_literal" else unquote(raw) or ""
        try:
            return tag_value(text)
        except ValueError as error:
            message = f"the field's tag cannot be read from {str(error)[:40]!r} on"
            why = 'a tag is a row of key:"value" pairs; Go ignores what stands behind the first bad one'
            self._complain(node.start_byte, "go-json-tag", message, 'write `json:"name,omitempty"`', why, len(raw))
            return None

    def _ref(self, node: Node, depth: int) -> TypeRef:
        if depth > _MAX_DEPTH:
            why = f"types nested more than {_MAX_DEPTH} deep are not read"
            self._complain(node.start_byte, "go-nesting", "the type is nested too deep", "name the inner type", why)
            return TypeRef("other", "...")
        kind = node.type
        if kind == "type_identifier":
            return self._named(node)
        if kind == "qualified_type":
            return self._qualified(node)
        if kind == "pointer_type":
            return TypeRef("pointer", elem=self._inner(node, depth))
        if kind == "slice_type":
            return TypeRef("list", elem=self._inner(node, depth, "element"))
        if kind in ("array_type", "implicit_length_array_type"):
            return TypeRef("array", elem=self._inner(node, depth, "element"))
        if kind == "map_type":
            return TypeRef("map", elem=self._inner(node, depth, "value"), key=self._inner(node, depth, "key"))
        if kind == "parenthesized_type":
            return self._inner(node, depth)
        if kind == "interface_type":
            return TypeRef("interface")
        if kind == "struct_type":
            return TypeRef("struct", fields=self._fields(node, depth + 1))
        return TypeRef("other", _text(node)[:200])

    def _inner(self, node: Node, depth: int, field_name: str = "") -> TypeRef:
        inner = node.child_by_field_name(field_name) if field_name else None
        if inner is None and not field_name:
            inner = next((child for child in node.named_children if child.type != "comment"), None)
        return self._ref(inner, depth + 1) if inner is not None else TypeRef("other", _text(node)[:200])

    def _named(self, node: Node) -> TypeRef:
        name = _text(node)
        if name in _PREDECLARED:
            return TypeRef("builtin", _PREDECLARED[name])
        if name in _INTERFACES:
            return TypeRef("interface", name)
        self.result.uses.append((name, node.start_byte))
        return TypeRef("named", intern(f"{self.result.package}.{name}"))

    def _qualified(self, node: Node) -> TypeRef:
        package, name = node.child_by_field_name("package"), node.child_by_field_name("name")
        if package is None or name is None:
            return TypeRef("other", _text(node)[:200])
        selector = _text(package)
        if selector not in self.selectors:
            self.selectors[selector] = resolve_import(selector, self.result, self.package_name_of)
            if not self.selectors[selector]:
                self._not_imported(package, selector)
        return TypeRef("named", intern(f"{self.selectors[selector] or selector}.{_text(name)}"))

    def _not_imported(self, node: Node, selector: str) -> None:
        known = [*self.result.imports, *(path.rpartition("/")[2] for path in self.result.unnamed_imports)]
        hint = near_miss(selector, known) if len(self.selectors) <= _MOST_HINTS else ""
        fix = hint or f"import the package that {selector} stands for"
        message = f"no package is imported as {selector}"
        self._complain(node.start_byte, "go-import", message, fix, "the type behind it is unknown", len(selector))

    def _consts(self, declaration: Node) -> None:
        last_type: TypeRef | None = None
        last_values: list[Node] = []
        for iota, spec in enumerate(_descend(declaration, "const_spec", "const_spec_list")):
            type_node, value_node = spec.child_by_field_name("type"), spec.child_by_field_name("value")
            if value_node is not None:
                last_type = self._ref(type_node, 0) if type_node is not None else None
                last_values = [child for child in value_node.named_children if child.type != "comment"]
            names = [child for child in spec.children_by_field_name("name") if child.type == "identifier"]
            for index, name_node in enumerate(names):
                value = last_values[index] if index < len(last_values) else None
                self._const(name_node, last_type, value, iota)

    def _const(self, node: Node, ref: TypeRef | None, value: Node | None, iota: int) -> None:
        name, position = _text(node), self.source.position(node.start_byte)
        if name != "_":
            closest, _ = self.source.comments_above(position.line)
            self.result.consts.append(ConstSpec(name, position, closest, ref, value, iota))


def _top_level(root: Node) -> Iterator[Node]:
    """The declarations of a file, and those that error recovery put under an error."""
    for node in root.children:
        if node.is_error:
            yield from (child for child in node.children if child.is_named)
        else:
            yield node


def _descend(node: Node, wanted: str, through: str) -> Iterator[Node]:
    """The wanted children, also inside a list or an error."""
    for child in node.children:
        if child.type == wanted:
            yield child
        elif child.type == through or child.is_error:
            yield from (
                _descend(child, wanted, through)
                if child.type == through
                else (inner for inner in child.children if inner.type == wanted)
            )


def _last_name(node: Node) -> Node:
    """The identifier that names an embedded field."""
    for _ in range(_MAX_DEPTH):
        inner = node.child_by_field_name("name") or node.child_by_field_name("type")
        if inner is None:
            named = [child for child in node.named_children if child.type not in ("comment", "type_arguments")]
            if node.type == "type_identifier" or not named:
                return node
            inner = named[-1]
        node = inner
    return node


def name_table(files: list[FileDeclarations]) -> Mapping[str, Position]:
    """Every type name of a package and where it was declared first."""
    table: dict[str, Position] = {}
    for one in files:
        for declared in one.types:
            table.setdefault(declared.name, declared.position)
    return table
