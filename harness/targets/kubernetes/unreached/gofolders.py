"""Reads folders of a release's Go files: their functions, the structs of types.go, and the types of expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tree_sitter import Node

from harness.diagnostics import InputError
from harness.gotypes.gonodes import text_of, walk
from harness.limits import read_checkout
from harness.targets.kubernetes.mutants.gosource import ParsedFunction, imports_of, parse, read_functions  # fmt: skip

_TOP = "k8s.io/kubernetes/"
_API = re.compile(r"k8s\.io/api/(\w+)/v\w+")
_OPTION_FOLDERS = ("pkg/api", "pkg/apis", "pkg/registry", "plugin")
_DEPTH = 12
_INLINE = " (embedded)"


@dataclass(frozen=True, slots=True)
class GoType:
    """A struct by its group's folder and its name; `lists` is how many lists or maps of it a value is."""

    folder: str
    name: str
    lists: int = 0


@dataclass
class GoFolders:
    """The Go files below the root of a release, read once and without tests. A file that cannot be read is empty."""

    root: Path
    _parsed: dict[str, list[ParsedFunction]] = field(default_factory=dict)
    _functions: dict[str, dict[str, ParsedFunction]] = field(default_factory=dict)
    _structs: dict[str, dict[str, dict[str, Node]]] = field(default_factory=dict)
    _imports: dict[str, dict[str, str]] = field(default_factory=dict)

    def read(self, file: str) -> bytes:
        """Return the bytes of a file by its path below the root."""
        try:
            return read_checkout(self.root / file)
        except (OSError, InputError):
            return b""

    def files(self, folder: str) -> list[str]:
        """Return the Go files of a folder by their paths."""
        found = sorted((self.root / folder).glob("*.go"))
        return [f"{folder}/{path.name}" for path in found if not path.name.endswith("_test.go")]

    def functions(self, folder: str) -> dict[str, ParsedFunction]:
        """Return the functions of a folder by name; of methods of one name the last."""
        if folder not in self._functions:
            every = [one for file in self.files(folder) for one in self.functions_of(file)]
            self._functions[folder] = {one.name: one for one in every}
        return self._functions[folder]

    def functions_of(self, file: str) -> list[ParsedFunction]:
        """Return the functions and methods of a file."""
        if file not in self._parsed:
            self._parsed[file] = read_functions(file, self.read(file))
        return self._parsed[file]

    def imports(self, file: str) -> dict[str, str]:
        """Return the import paths of a file by name."""
        if file not in self._imports:
            self._imports[file] = imports_of(self.read(file))
        return self._imports[file]

    def structs(self, folder: str) -> dict[str, dict[str, Node]]:
        """Return the types of the fields of each struct of a folder's types.go, by the names of both."""
        if folder not in self._structs:
            root = parse(self.read(f"{folder}/types.go"))
            self._structs[folder] = {
                text_of(one.child_by_field_name("name")): dict(_fields(struct))
                for one in walk(root)
                if one.type == "type_spec"
                and (struct := one.child_by_field_name("type")) is not None
                and struct.type == "struct_type"
            }
        return self._structs[folder]

    @cached_property
    def option_files(self) -> dict[str, bytes]:
        """The files that options of validators may be set in."""
        paths = sorted(path for folder in _OPTION_FOLDERS for path in (self.root / folder).rglob("*.go"))
        names = [path.relative_to(self.root).as_posix() for path in paths]
        skipped = ("_test.go", "zz_generated.deepcopy.go", "zz_generated.conversion.go")
        return {name: self.read(name) for name in names if not name.endswith(skipped)}

    def type_of(self, node: Node | None, function: ParsedFunction, depth: int = 0) -> GoType | None:
        """Return the type of an expression in a function; None where the sources do not show it."""
        if node is None or depth > _DEPTH:
            return None
        match node.type:
            case "parenthesized_expression" | "unary_expression":
                inner = node.child_by_field_name("operand") or next(iter(node.named_children), None)
                return self.type_of(inner, function, depth + 1)
            case "selector_expression":
                owner = self.type_of(node.child_by_field_name("operand"), function, depth + 1)
                return self.member(owner, text_of(node.child_by_field_name("field")))
            case "index_expression":
                of = self.type_of(node.child_by_field_name("operand"), function, depth + 1)
                return GoType(of.folder, of.name, of.lists - 1) if of is not None and of.lists else None
            case "identifier":
                return self._type_of_name(node, function, depth)
        return None

    def member(self, owner: GoType | None, name: str) -> GoType | None:
        """Return the type of a field of a struct, also of one that it embeds."""
        owner = self.owner_of(owner, name)
        if owner is None:
            return None
        return self._named(self.structs(owner.folder)[owner.name][name], f"{owner.folder}/types.go")

    def owner_of(self, owner: GoType | None, name: str) -> GoType | None:
        """Return the struct that declares a field: the given one, or one that it embeds."""
        fields = self.structs(owner.folder).get(owner.name, {}) if owner is not None and not owner.lists else {}
        if owner is None or name in fields:
            return owner
        below = [self._named(kind, f"{owner.folder}/types.go") for key, kind in fields.items() if key.endswith(_INLINE)]
        return next(filter(None, (self.owner_of(one, name) for one in below)), None)

    def _type_of_name(self, node: Node, function: ParsedFunction, depth: int) -> GoType | None:
        """Return the type of a parameter, of a loop's item, or of a variable, the last before it."""
        name, found = text_of(node), None
        for parameter in parameters_of(function.node):
            if name == parameter[0]:
                found = self._named(parameter[1], function.file)
        for one in walk(function.body):
            if one.start_byte >= node.start_byte:
                break
            left, right = one.child_by_field_name("left"), one.child_by_field_name("right")
            if one.type not in ("range_clause", "short_var_declaration") or left is None or right is None:
                continue
            names = [text_of(target) for target in left.named_children]
            if name not in names:
                continue
            if one.type == "range_clause":
                of = self.type_of(right, function, depth + 1) if names.index(name) == 1 else None
                found = GoType(of.folder, of.name, of.lists - 1) if of is not None and of.lists else None
            elif len(names) == len(right.named_children):
                found = self.type_of(right.named_children[names.index(name)], function, depth + 1)
            else:
                found = None
        return found

    def _named(self, node: Node, file: str) -> GoType | None:
        """Return the struct that a type expression of a file names, behind pointers, lists and maps."""
        lists = 0
        while node.type in ("pointer_type", "slice_type", "map_type", "array_type", "parenthesized_type"):
            lists += node.type in ("slice_type", "map_type", "array_type")
            inner = node.child_by_field_name("value") or node.child_by_field_name("element")
            node = inner if inner is not None else node.named_children[-1]
        if node.type == "type_identifier":
            return GoType(file.rpartition("/")[0], text_of(node), lists)
        if node.type != "qualified_type":
            return None
        path = self.imports(file).get(text_of(node.child_by_field_name("package")), "")
        group = _API.fullmatch(path)
        folder = f"pkg/apis/{group[1]}" if group else path.removeprefix(_TOP) if path.startswith(_TOP) else ""
        return GoType(folder, text_of(node.child_by_field_name("name")), lists) if folder else None


def parameters_of(function: Node) -> list[tuple[str, Node]]:
    """Return the parameters of a function: name and type, in order."""
    declared = function.child_by_field_name("parameters")
    found = []
    for one in declared.named_children if declared is not None else ():
        kind = one.child_by_field_name("type")
        if kind is not None:
            found += [(text_of(name), kind) for name in one.children_by_field_name("name")] or [("", kind)]
    return found


def _fields(struct: Node) -> Iterator[tuple[str, Node]]:
    for one in walk(struct):
        kind = one.child_by_field_name("type") if one.type == "field_declaration" else None
        if kind is None or one.parent is None or one.parent.parent != struct:
            continue
        names = [text_of(name) for name in one.children_by_field_name("name")]
        if not names:
            yield text_of(kind) + _INLINE, kind
        yield from ((name, kind) for name in names)
