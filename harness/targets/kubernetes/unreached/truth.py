"""Determines conditions of validators that have one value in a whole run, with the fact that says so.

Facts are the feature gates of the run, options that are set from them alone, what every call of a function hands over,
fields that have a default, and what an earlier condition requires. Anything else is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from tree_sitter import Node

from harness.gotypes.gonodes import text_of, walk
from harness.targets.kubernetes.mutants.gosource import ParsedFunction, parse
from harness.targets.kubernetes.unreached.defaults import Defaults, asks_nil, unset_value
from harness.targets.kubernetes.unreached.gofolders import GoFolders, parameters_of
from harness.targets.kubernetes.unreached.guards import (
    Requirement,
    is_assigned_between,
    operands,
    requirements,
    settled,
)

Sort: TypeAlias = Literal["gate", "default", "constant", "contradiction"]
_GATE = re.compile(r"(?:\w+\.)*DefaultFeatureGate\.Enabled|(?:\w+\.)*Enabled")
_DEPTH = 10


class KnownCondition(NamedTuple):
    """The value of a condition, the sort of the fact that it follows from, and the fact."""

    value: bool
    sort: Sort
    fact: str


class Truth:
    """Evaluates conditions. `gates` are the settings of the run, each gate with its value."""

    def __init__(self, folders: GoFolders, gates: Sequence[Mapping[str, bool]]) -> None:
        self._folders, self._gates = folders, gates
        self._defaults = Defaults(folders)
        self._options: dict[str, KnownCondition | None] = {}
        self._assumed: dict[str, bool] = {}
        self._locked = cache(self._read_locked)

    def of(
        self, node: Node, function: ParsedFunction, above: Sequence[Requirement] = (), depth: int = 0
    ) -> KnownCondition | None:
        """Return the value of a condition in a function, below requirements that hold; None if it is unknown."""
        if depth > _DEPTH:
            return None
        while node.type == "parenthesized_expression":
            node = node.named_children[0]
        if node.type == "unary_expression" and text_of(node).startswith("!"):
            inner = self.of(node.named_children[0], function, above, depth + 1)
            return None if inner is None else inner._replace(value=not inner.value)
        for operator, decides in (("&&", False), ("||", True)):
            parts = operands(node, operator)
            if len(parts) > 1:
                known = [self.of(one, function, above, depth + 1) for one in parts]
                sure = next((one for one in known if one is not None and one.value is decides), None)
                if sure is not None:
                    return sure
                return _all_of(known, not decides)
        return self._of_atom(node, function, above, depth)

    def _of_atom(
        self, node: Node, function: ParsedFunction, above: Sequence[Requirement], depth: int
    ) -> KnownCondition | None:
        text = text_of(node)
        if text in ("true", "false"):
            return KnownCondition(text == "true", "constant", f"the sources say {text}")
        for one in above:
            for part, value in settled(one):
                found = value if text_of(part) == text else _value_after(part, value, node)
                if found is not None and not _may_change(part, node, function):
                    required = f"{'' if value else 'not '}{_cut(text_of(part))}"
                    return KnownCondition(found, "contradiction", f"line {one.line} requires {required}")
        if node.type == "call_expression":
            return self._of_call(node, function, depth)
        if node.type == "identifier":
            return self._of_variable(node, function, depth)
        if node.type == "selector_expression" and re.match(r"\w*[oO]pt\w*\.", text):
            return self._of_option(text.rpartition(".")[2])
        compared = unset_value(node)
        if compared is not None:
            known = self._is_set(compared[0], function, asks_nil(node))
            return None if known is None else KnownCondition(not compared[1], *known)
        return None

    def _of_call(self, node: Node, function: ParsedFunction, depth: int) -> KnownCondition | None:
        called = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if called is None or arguments is None:
            return None
        name = text_of(called)
        if _GATE.fullmatch(name) and len(arguments.named_children) == 1:
            return self._of_gate(text_of(arguments.named_children[0]).rpartition(".")[2])
        folder, _, short = name.rpartition(".")
        path = self._folders.imports(function.file).get(folder, "") if folder else ""
        if folder and not path.startswith("k8s.io/kubernetes/"):
            return None
        where = path.removeprefix("k8s.io/kubernetes/") if folder else function.file.rpartition("/")[0]
        found = self._folders.functions(where).get(short)
        return self._result(found, depth + 1) if found is not None else None

    def _of_gate(self, gate: str) -> KnownCondition | None:
        values = {one[gate] for one in self._gates if gate in one}
        if len(values) != 1:
            return None
        (value,) = values
        other = (
            ", and locked" if self._locked(gate) else f" (--gates {gate}={str(not value).lower()} sets it otherwise)"
        )
        return KnownCondition(
            value, "gate", f"the gate {gate} is {'on' if value else 'off'} in every setting of the run{other}"
        )

    def _read_locked(self, gate: str) -> bool:
        """Whether the newest version of a gate is locked to its default."""
        data = self._folders.read("pkg/features/kube_features.go").decode("utf-8", "replace")
        found = re.search(rf"^\t(?:\w+\.)?{re.escape(gate)}: {{\n((?:\t\t.*\n)+)\t}}", data, re.M)
        return found is not None and "LockToDefault: true" in found[1].splitlines()[-1]

    def _result(self, function: ParsedFunction, depth: int) -> KnownCondition | None:
        """Return what a function returns, if every `return` that may run returns the same."""
        if depth > _DEPTH or any(one.type == "func_literal" for one in walk(function.body)):
            return None
        known: list[KnownCondition | None] = []
        if not self._returns(_statements(function.body), function, depth, known):
            return None
        values = {one.value for one in known if one is not None}
        return _all_of(known, values.pop()) if len(values) == 1 else None

    def _returns(
        self, statements: list[Node], function: ParsedFunction, depth: int, found: list[KnownCondition | None]
    ) -> bool:
        """Collect what statements may return. Returns: whether the last of them surely leaves the function."""
        for one in statements:
            if one.type == "return_statement":
                values = one.named_children[0].named_children if one.named_children else []
                found.append(self.of(values[0], function, (), depth + 1) if len(values) == 1 else None)
                return True
            body = one.child_by_field_name("consequence") if one.type == "if_statement" else None
            condition = one.child_by_field_name("condition")
            if body is not None and condition is not None and one.child_by_field_name("alternative") is None:
                known = self.of(condition, function, (), depth + 1)
                if known is not None and not known.value:
                    continue
                inner: list[KnownCondition | None] = []
                leaves = self._returns(_statements(body), function, depth, inner)
                if known is not None and leaves:
                    found += [one if one is None else one._replace(sort=known.sort, fact=known.fact) for one in inner]
                    return True
                found += inner
            elif any(inner.type == "return_statement" for inner in walk(one)):
                found.append(None)
        return False

    def _of_variable(self, node: Node, function: ParsedFunction, depth: int) -> KnownCondition | None:
        """Return the value of a local variable that is assigned once, or of a parameter that every call sets alike."""
        name, given = text_of(node), list[Node | None]()
        for one in walk(function.body):
            left, right = one.child_by_field_name("left"), one.child_by_field_name("right")
            if one.type in ("short_var_declaration", "assignment_statement") and left is not None and right is not None:
                names = [text_of(target) for target in left.named_children]
                if name in names:
                    is_single = len(names) == len(right.named_children)
                    given.append(right.named_children[names.index(name)] if is_single else None)
            elif one.type in ("range_clause", "var_spec", "inc_statement") and name in re.findall(r"\w+", text_of(one)):
                given.append(None)
        parameters = [parameter for parameter, _ in parameters_of(function.node)]
        if name in parameters:
            if given:
                return None
            calls = list(self.calls(function))
            handed = [(_argument(call, parameters.index(name)), caller) for call, caller in calls]
            known = [None if one is None else self.of(one, caller, (), depth + 1) for one, caller in handed]
            values = {one.value for one in known if one is not None}
            found = _all_of(known, values.pop()) if len(values) == 1 else None
            if found is not None and found.sort == "constant":
                return found._replace(fact=f"each call of {function.name} hands over {str(found.value).lower()}")
            return found
        if len(given) != 1 or given[0] is None:
            return None
        return self.of(given[0], function, (), depth + 1)

    def _is_set(self, value: Node, function: ParsedFunction, is_nil_asked: bool) -> tuple[Sort, str] | None:
        """Return why an expression is never unset, that is nil or, if that is not asked, empty; None if not known."""
        if value.type == "selector_expression":
            name = text_of(value.child_by_field_name("field"))
            owner = self._folders.type_of(value.child_by_field_name("operand"), function)
            owner = self._folders.owner_of(owner, name)
            setter = self._defaults.setter_of(owner, name) if owner is not None else ""
            return ("default", f"{setter} sets {name} before validation") if setter else None
        parameters = [parameter for parameter, _ in parameters_of(function.node)]
        if value.type == "identifier" and text_of(value) in parameters:
            if is_assigned_between(function.body, frozenset({text_of(value)}), 0, value.start_byte):
                return None
            calls = list(self.calls(function))
            handed = [(_argument(call, parameters.index(text_of(value))), caller) for call, caller in calls]
            if handed and all(one is not None and text_of(one).startswith("&") for one, _ in handed):
                return "constant", f"each call of {function.name} hands over an address"
            if handed and all(one is not None and _is_given(one, caller, is_nil_asked) for one, caller in handed):
                what = "what is not nil" if is_nil_asked else "what is not empty"
                return "constant", f"each call of {function.name} hands over {what}"
        return None

    def calls(self, function: ParsedFunction) -> Iterator[tuple[Node, ParsedFunction]]:
        """Yield the calls of a function in the files that may call it; one that is no call counts as no argument."""
        word = re.compile(rb"\b%s\b" % function.name.encode())
        folder = function.file.rpartition("/")[0]
        for file, data in self._folders.option_files.items():
            if not word.search(data) or (file.rpartition("/")[0] != folder and not function.name[0].isupper()):
                continue
            for caller in self._folders.functions_of(file):
                for one in walk(caller.body):
                    if one.type in ("identifier", "field_identifier") and text_of(one) == function.name:
                        whole = one.parent if one.type == "field_identifier" and one.parent is not None else one
                        call = whole.parent
                        is_call = (
                            call is not None
                            and call.type == "call_expression"
                            and call.child_by_field_name("function") == whole
                        )
                        yield (call if is_call and call is not None else whole), caller

    def _of_option(self, member: str) -> KnownCondition | None:
        """Return the value of a member of options, if every place that sets it sets the same."""
        if member in self._assumed:
            return KnownCondition(self._assumed[member], "constant", "")
        if member not in self._options:
            self._options[member] = None  # an option that two others need is left unknown
            given = [
                (node, function)
                for file, data in self._folders.option_files.items()
                if re.search(rb"\b%s\b" % member.encode(), data)
                for function in self._folders.functions_of(file)
                for one in walk(function.body)
                if (node := _given_to(one, member)) is not None
            ]
            for value in (False, True):
                self._assumed[member] = value  # of an option that is set from what it was
                found = _all_of([self.of(one, function, (), 1) for one, function in given], value)
                del self._assumed[member]
                if found is not None and not (value and self._is_left_out(member)):
                    fact = f"{member} is {str(value).lower()}: {found.fact}"
                    self._options[member] = found._replace(fact=fact)
        return self._options[member]

    def _is_left_out(self, member: str) -> bool:
        """Whether options may be made without a member, so that it is false: neither where they are made, nor by a
        statement of the same function that always runs.
        """
        word = re.compile(rb"\b%s\b" % member.encode())
        files = [file for file, data in self._folders.option_files.items() if word.search(data)]
        types = {
            text_of(one.child_by_field_name("name"))
            for file in files
            for one in walk(parse(self._folders.option_files[file]))
            if one.type == "type_spec" and word.search(one.text or b"")
        }
        for file, data in self._folders.option_files.items():
            if any(name.encode() in data for name in types):
                for function in self._folders.functions_of(file):
                    made = [one for one in walk(function.body) if _type_made(one) in types]
                    always = any(_given_to(one, member) for one in _statements(function.body))
                    if not always and not all(any(_given_to(one, member) for one in walk(each)) for each in made):
                        return True
        return not types


def _all_of(known: Sequence[KnownCondition | None], value: bool) -> KnownCondition | None:
    """Return the facts of conditions that all have a value; None if one is unknown or has the other."""
    sure = [one for one in known if one is not None and one.value is value]
    if not sure or len(sure) < len(known):
        return None
    facts = list(dict.fromkeys(one.fact for one in sure if one.fact))
    sort = next((one.sort for one in sure if one.sort != "constant"), sure[0].sort)
    return KnownCondition(value, sort, "; ".join(facts))


def _value_after(earlier: Node, held: bool, later: Node) -> bool | None:
    """Return the value of a condition after an earlier one about the same expression; None if that does not decide.

    What is nil is empty, and what is not empty is not nil; what is empty may be either, and so may what is not nil.
    """
    before, after = unset_value(earlier), unset_value(later)
    if before is None or after is None or text_of(before[0]) != text_of(after[0]):
        return None
    is_unset = before[1] is held
    if asks_nil(earlier) is not asks_nil(later) and is_unset is not asks_nil(earlier):
        return None
    return after[1] is is_unset


def _is_given(argument: Node, caller: ParsedFunction, is_nil_asked: bool) -> bool:
    """Whether an argument is an address, or the call stands below a condition that it is not nil, or not empty."""
    if text_of(argument).startswith("&"):
        return is_nil_asked
    for one in requirements(argument):
        for part, value in settled(one):
            compared = unset_value(part)
            if compared is not None and text_of(compared[0]) == text_of(argument) and compared[1] is not value:
                return (is_nil_asked or not asks_nil(part)) and not _may_change(part, argument, caller)
    return False


def _statements(block: Node) -> list[Node]:
    inner = [one for one in block.named_children if one.type != "comment"]
    if len(inner) == 1 and inner[0].type == "statement_list":
        inner = [one for one in inner[0].named_children if one.type != "comment"]
    return inner


def _argument(call: Node, index: int) -> Node | None:
    arguments = call.child_by_field_name("arguments") if call.type == "call_expression" else None
    values = [one for one in arguments.named_children if one.type != "comment"] if arguments is not None else []
    return values[index] if index < len(values) else None


def _given_to(node: Node, member: str) -> Node | None:
    """Return what a node gives to a member: in a literal with names, or by an assignment."""
    if node.type == "keyed_element" and len(node.named_children) == 2 and text_of(node.named_children[0]) == member:
        value = node.named_children[1]
        return value.named_children[0] if value.type == "literal_element" else value
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type == "assignment_statement" and left is not None and right is not None:
        target = left.named_children[0]
        if len(left.named_children) == 1 and text_of(target).rpartition(".")[2] == member and "." in text_of(target):
            return right.named_children[0]
    return None


def _type_made(node: Node) -> str:
    """Return the name of the type of a value that a literal or a declaration makes; empty for other code."""
    made = node.child_by_field_name("type") if node.type in ("composite_literal", "var_spec") else None
    return text_of(made).rpartition(".")[2]


def _may_change(before: Node, node: Node, function: ParsedFunction) -> bool:
    """Whether what a condition reads may be set between two places, or a call may answer otherwise."""
    names = frozenset(text_of(one) for one in walk(node) if one.type == "identifier")
    start, end = sorted((before.end_byte, node.start_byte))
    own = node.parent.parent if node.parent is not None else None  # the call that a node is an argument of
    calls = (
        one
        for one in walk(function.body)
        if one.type == "expression_statement" and start <= one.start_byte < end and one.named_children[0] != own
    )
    if any(part.type == "identifier" and text_of(part) in names for one in calls for part in walk(one)):
        return True  # such as seen.Insert(key)
    return is_assigned_between(function.body, names, start, end)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:60]}..."
