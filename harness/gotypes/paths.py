"""Checks whether a path that a validator reported exists in a type, by JSON names.

Subscripts are followed: any on a list, any text on a map, even one with dots and brackets. Behind a type whose JSON
its Go declaration does not show (RawExtension, interfaces, packages nobody handed in) every path is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from harness.gotypes.model import Field, Struct, TypeRef
from harness.gotypes.packages import Universe
from harness.jsonpath import closings, is_regular, join, parse
from harness.objectmodel import ANY_JSON, SPECIAL_TYPES

LEAVES = frozenset({"time.Time", "time.Duration"}) | {
    name for name, form in SPECIAL_TYPES.items() if form not in ANY_JSON
}
"""Structs that are encoded as a single JSON value."""

OPAQUE = frozenset(name for name, form in SPECIAL_TYPES.items() if form in ANY_JSON) | {
    "k8s.io/apimachinery/pkg/runtime.Object",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1.JSON",
}
"""Types that may contain any JSON."""

_ROOT_NAMES = frozenset({"", "<nil>"})
_MOST_REMEMBERED = 1 << 16
_MAX_PATH_LENGTH = 2000


def known_path_checker(graph: TypeGraph, qualified: str) -> Callable[[str], bool]:
    """Create the check for one type. It caches its results; checks of one graph share their types."""
    root = graph.node(TypeRef("named", qualified))
    remembered: dict[str, bool] = dict.fromkeys(_ROOT_NAMES, True)

    def is_known(path: str) -> bool:
        known = remembered.get(path)
        if known is None:
            if len(remembered) >= _MOST_REMEMBERED:
                remembered.clear()
                remembered.update(dict.fromkeys(_ROOT_NAMES, True))
            known = remembered[path] = _is_known(graph, root, path)
        return known

    return is_known


@dataclass(slots=True, eq=False)
class _TypeNode:
    """A type as a node of paths. `elem` is the type of a subscript; `members` are computed when first needed."""

    opaque: bool = False
    is_map: bool = False
    elem: _TypeNode | None = None
    fields: tuple[Field, ...] | None = None
    members: dict[str, _TypeNode] | None = None
    artifacts: dict[str, _TypeNode] = field(default_factory=dict)


class TypeGraph:
    """A graph with one node per type; recursive types are cycles."""

    def __init__(self, universe: Universe) -> None:
        self.universe = universe
        self.made: dict[TypeRef, _TypeNode] = {}

    def node(self, ref: TypeRef) -> _TypeNode:
        """Return the node of a type, after resolving pointers and typedefs."""
        found = self.made.get(ref)
        if found is None:
            found = self.made[ref] = _TypeNode()  # before what it leads to, which may lead back
            self._fill(found, self._bare(ref))
        return found

    def _bare(self, ref: TypeRef) -> TypeRef:
        for _ in range(50):
            if ref.kind == "pointer" and ref.elem is not None:
                ref = ref.elem
            elif ref.kind == "named" and ref.name not in LEAVES | OPAQUE:
                below = self.universe.resolve(TypeRef("named", ref.name))
                if below == ref:
                    break
                ref = below
            else:
                break
        return ref

    def _fill(self, node: _TypeNode, ref: TypeRef) -> None:
        if ref.kind == "named":
            self._fill_named(node, ref.name)
        elif ref.kind in ("list", "array", "map") and ref.elem is not None:
            if ref.kind == "map" or ref.elem != TypeRef("builtin", "uint8"):  # bytes are a text in JSON
                node.is_map = ref.kind == "map"
                node.elem = self.node(ref.elem)
        elif ref.kind == "struct":
            node.fields = ref.fields
        else:
            node.opaque = ref.kind != "builtin"

    def _fill_named(self, node: _TypeNode, name: str) -> None:
        if name in LEAVES:
            return
        found = None if name in OPAQUE else self.universe.find(name)
        if not isinstance(found, Struct) or name.endswith(("OrBool", "OrArray", "OrStringArray")):
            node.opaque = True  # the types of JSON schemas named so marshal themselves
        elif found.fields and all(one.json_ignored for one in found.fields):
            node.opaque = True  # it marshals itself as well
        else:
            node.fields = found.fields

    def members(self, node: _TypeNode) -> dict[str, _TypeNode]:
        """Map JSON names to nodes, including those of inline fields; an outer name hides an inner one."""
        if node.members is None:
            node.members = {}  # a struct that embeds itself finds this
            for one in node.fields or ():
                if one.json_ignored or not one.exported:
                    continue
                if one.inline:
                    self._inline(node, one)
                else:
                    node.members[one.json_name] = self.node(one.type)
        return node.members

    def _inline(self, node: _TypeNode, one: Field) -> None:
        inner = self.node(one.type)
        node.opaque |= inner.opaque or inner.is_map
        assert node.members is not None
        direct = {named.json_name for named in node.fields or () if not named.inline}
        for name, member in self.members(inner).items():
            if name not in direct:
                node.members.setdefault(name, member)

    def artifacts(self, root: _TypeNode) -> dict[str, _TypeNode]:
        """Return the names that upstream reports at the root for inline fields: their Go types (semantics.md#S22)."""
        if not root.artifacts:
            for one in root.fields or ():
                if one.inline:
                    ref = self._pointed(one.type)
                    root.artifacts[ref.name.rpartition(".")[2]] = self.node(ref)
        return root.artifacts

    @staticmethod
    def _pointed(ref: TypeRef) -> TypeRef:
        return ref.elem if ref.kind == "pointer" and ref.elem is not None else ref


def _is_known(graph: TypeGraph, root: _TypeNode, path: str) -> bool:
    quick = _follow(graph, root, path)
    if quick is not None:
        return quick
    if len(path) > _MAX_PATH_LENGTH:  # other readings occur only for handwritten keys
        return False
    if _reaches(graph, root, path, 0):
        return True
    return any(_reaches(graph, inner, path, begin) for inner, begin in _behind_artifacts(graph, root, path))


def _behind_artifacts(graph: TypeGraph, root: _TypeNode, path: str) -> Iterator[tuple[_TypeNode, int]]:
    """Yield the nodes after the name of an inline field, at the root or in a member of it."""
    before = ""
    for step in parse(path)[:2]:
        before = join(before, step.text)
        inner = None if step.is_subscript else graph.artifacts(root).get(step.text)
        if inner is not None and path.startswith(before):
            yield inner, len(before)


def _follow(graph: TypeGraph, node: _TypeNode, path: str) -> bool | None:
    """Follow the steps of a path; None when a step fails but another reading of the path may succeed."""
    if not is_regular(path):
        return None
    for text, is_subscript in parse(path):
        if is_subscript:
            following = node.elem if node.is_map or "[" not in text else None
        else:
            following = (node.members if node.members is not None else graph.members(node)).get(text)
        if following is None:
            return True if node.opaque else None
        node = following
    return True


def _reaches(graph: TypeGraph, start: _TypeNode, path: str, begin: int) -> bool:
    """Try every reading from a node on, because keys and names of members may contain dots and brackets."""
    waiting = [(start, begin)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        node, at = waiting.pop()
        if (id(node), at) in seen:
            continue
        seen.add((id(node), at))
        members = graph.members(node)
        if at == len(path) or node.opaque:
            return True
        if path[at] == "[":
            waiting += _behind_subscripts(node, path, at)
        elif (path[at] == ".") == (at > 0):
            waiting += _behind_members(members, path, at + 1 if at else 0)
    return False


def _behind_subscripts(node: _TypeNode, path: str, at: int) -> list[tuple[_TypeNode, int]]:
    """Return the nodes after a subscript; only the key of a map may contain brackets."""
    if node.elem is None:
        return []
    return [(node.elem, end) for end in closings(path, at) if node.is_map or "[" not in path[at + 1 : end]]


def _behind_members(members: dict[str, _TypeNode], path: str, begin: int) -> list[tuple[_TypeNode, int]]:
    """Return the nodes after the name of a member."""
    found = []
    for name, member in members.items():
        end = begin + len(name)
        if path.startswith(name, begin) and (end == len(path) or path[end] in ".["):
            found.append((member, end))
    return found
