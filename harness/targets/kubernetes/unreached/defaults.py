"""Reads which fields the defaulting functions of a release set before anything is validated."""

from __future__ import annotations

import re
from functools import cache

from tree_sitter import Node

from harness.gotypes.gonodes import text_of, walk
from harness.targets.kubernetes.mutants.gosource import ParsedFunction
from harness.targets.kubernetes.unreached.gofolders import GoFolders, GoType
from harness.targets.kubernetes.unreached.guards import operands, requirements

_SETTERS = re.compile(
    r"SetDefaults_\w+"
)  # a SetObjectDefaults_ sets fields of its own kind, and a struct may be in others
_CONVERTED = re.compile(rb"func (?:autoC|C)onvert_\w+?_(\w+)_To_\w+?_(\w+)\(")


class Defaults:
    """The defaults of a release. A field has one if each version with its struct sets it wherever it is unset."""

    def __init__(self, folders: GoFolders) -> None:
        self._folders = folders
        self._of_group = cache(self._read_group)

    def setter_of(self, owner: GoType, field: str) -> str:
        """Return the function that sets a field of a struct where it is unset; empty if not every version does."""
        versions = self._of_group(owner.folder)
        having = [defaults for converted, defaults in versions.values() if owner.name in converted]
        found = [defaults.get((owner, field)) for defaults in having]
        return found[0] or "" if found and all(found) else ""

    def _read_group(self, folder: str) -> dict[str, tuple[frozenset[str], dict[tuple[GoType, str], str]]]:
        """Return the converted types and the defaults of each version of a group."""
        found = {}
        for path in sorted((self._folders.root / folder).glob("v*")):
            version = f"{folder}/{path.name}"
            code = self._folders.read(f"{version}/zz_generated.conversion.go")
            code += self._folders.read(f"{version}/conversion.go")
            converted = frozenset(match[1].decode() for match in _CONVERTED.finditer(code))
            found[version] = converted, self._read_version(version)
        return found

    def _read_version(self, folder: str) -> dict[tuple[GoType, str], str]:
        found: dict[tuple[GoType, str], str] = {}
        for name, function in self._folders.functions(folder).items():
            if _SETTERS.fullmatch(name) and function.file.endswith("/defaults.go"):
                for one in walk(function.body):
                    left = one.child_by_field_name("left") if one.type == "assignment_statement" else None
                    target = left.named_children[0] if left is not None and left.named_children else None
                    if target is not None and target.type == "selector_expression":
                        key = self._field(target, function)
                        if key is not None and _is_always_set(one, target):
                            found.setdefault(key, name)
        return found

    def _field(self, target: Node, function: ParsedFunction) -> tuple[GoType, str] | None:
        name = text_of(target.child_by_field_name("field"))
        owner = self._folders.owner_of(self._folders.type_of(target.child_by_field_name("operand"), function), name)
        return None if owner is None else (owner, name)


def unset_value(node: Node) -> tuple[Node, bool] | None:
    """Return the expression that a condition compares with its unset value, and whether it has to be unset.

    None if the condition is another one: only nil, an empty string or list, and no item are unset.
    """
    while node.type == "parenthesized_expression":
        node = node.named_children[0]
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type != "binary_expression" or left is None or right is None:
        return None
    operator, text = text_of(node.child_by_field_name("operator")), text_of(right)
    if left.type == "call_expression" and text_of(left.child_by_field_name("function")) == "len":
        arguments = left.child_by_field_name("arguments")
        values = arguments.named_children if arguments is not None else []
        found = {("==", "0"): True, ("<", "1"): True, ("!=", "0"): False, (">", "0"): False}.get((operator, text))
        return (values[0], found) if found is not None and len(values) == 1 else None
    if text in ("nil", '""') and operator in ("==", "!="):
        return left, operator == "=="
    return None


def asks_nil(node: Node) -> bool:
    """Whether a condition compares with nil, and not with what is empty."""
    while node.type == "parenthesized_expression":
        node = node.named_children[0]
    return text_of(node.child_by_field_name("right")) == "nil"


def _is_always_set(assignment: Node, target: Node) -> bool:
    """Whether an assignment runs wherever its field is unset, and all that it is part of is there."""
    for one in requirements(assignment):
        if one.condition is None:
            if one.statement.type == "for_statement":  # of each item
                continue
            return False
        for part in operands(one.condition, "&&" if one.wanted else "||"):
            compared = unset_value(part)
            if compared is None:
                return False
            expression, is_unset = compared[0], compared[1] == one.wanted
            text = text_of(expression)
            if is_unset and text != text_of(target):
                return False
            if not is_unset and not text_of(target).startswith(f"{text}."):
                return False
    return True
