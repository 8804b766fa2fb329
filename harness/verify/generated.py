"""Reads zz_generated.validations.go: for each type and field (element) the calls of check functions.

Generated code has one function for each type, and in it one block for each field. A call is identified by its name
without the part that depends only on the Go type of the value (`OptionalSlice` is `optional`), its constants, and the
level that its errors are marked with. Calls that iterate over values are ignored; the calls inside them count for the
element.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tree_sitter import Node

from harness.compiler.plan import TypePlan, rules_in
from harness.field import Level
from harness.gotypes.constants import unquote
from harness.gotypes.gonodes import text_of
from harness.gotypes.packages import Universe
from harness.tags.families import enum, unionchecks
from harness.tags.registry import ALL_SPECS
from harness.tags.rules import Check, CheckFunction, EachKey, EachVal, Item, Mode, Option, Rule, Subfield
from harness.verify.collector import Member
from harness.verify.gosource import GoFile, parse_file, walk

FILE = "zz_generated.validations.go"
VALIDATE = "k8s.io/apimachinery/pkg/api/validate"
"""The package of the check functions that generated code calls."""
_LEVELS: dict[str, Level] = {"MarkAlpha": "alpha", "MarkBeta": "beta"}
_SHAPES = re.compile(
    r"(Optional|Required|Forbidden)(?:Pointer|Slice|Map|Value)|(?:Val|Ptr)?(?:Slice|Map)(Unique|Update)\w*"
    r"|(Update)(?:Pointer|Value|Slice|Map|Struct)\w*|(Union|ZeroOrOneOf)(?:Union)?|(Discriminated)Union"
)
_OUR_NAMES = re.compile(r"(optional|required|forbidden|update)_(?:old_|new_)?(?:pointer|value|slice|list|map|struct)"
                   r"|format_(\w+)|(?:older_)?(discriminated)_union|(?:older|unnamed)_(\w+)")  # fmt: skip
_ALIASES = {
    "ptrslicenonils": "nonilitems",
    "immutablebycompare": "immutablebycomparing",
    "immutablebyreflect": "immutablebycomparing",
}
"""Plain names of Kubernetes' check functions with the names of ours, where these differ."""
_FIELD = re.compile(r"// field \S*\.(\w+)")
_DECLARATIONS = ("function_declaration", "var_declaration", "const_declaration")
_NOT_CHECKS = frozenset({
    "EachValSliceVal", "EachSliceVal", "EachPtrSliceVal", "EachMapVal", "EachMapKey", "SemanticDeepEqual",
    "DirectEqual", "DirectEqualPtr", "NewUnionMember", "NewUnionMembership", "NewDiscriminatedUnionMember",
    "NewDiscriminatedUnionMembership", "DiscriminatedRule", "Subfield", "SliceItem", "ValSliceItem", "PtrSliceItem",
    "MatchItemFn",
})  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Call:
    """One call of a check function: its name in lower case, its constants as text, the level of its errors."""

    name: str
    constants: tuple[str, ...]
    level: str

    def __str__(self) -> str:
        text = f"{self.name}({', '.join(self.constants)})"
        return f"{text} at level {self.level}" if self.level else text


@dataclass(frozen=True, slots=True)
class GeneratedElement:
    """The calls of generated code for a type or field, their line (from 1), and the code as one text."""

    calls: Counter[Call]
    line: int
    text: str = ""


@dataclass(frozen=True)
class Generated:
    """One generated file. `path` is its path in the checkout; `elements` include those without a call.

    `registered` is the text of all other declarations: the registration of validators, and their variables.
    """

    path: str
    elements: Mapping[Member, GeneratedElement] = field(default_factory=dict)
    registered: str = ""


def read_generated(file: Path, shown: str, package: str, universe: Universe) -> Generated:
    """Read one file; a missing file has no elements. The universe resolves the values of constants."""
    if not file.is_file():
        return Generated(shown)
    parsed = parse_file(file, shown, package)
    specs = [spec for top in parsed.root.children if top.type == "var_declaration" for spec in walk(top)]
    variables = {
        text_of(spec.child_by_field_name("name")): tuple(_variable_constants(spec, parsed, universe))
        for spec in specs
        if spec.type == "var_spec"
    }
    elements: dict[Member, GeneratedElement] = {}
    rest: list[str] = []
    for function in parsed.root.children:
        name = text_of(function.child_by_field_name("name"))
        if function.type == "function_declaration" and name.startswith("Validate_"):
            type_name = _validated_type(function, parsed)
            for go_field, nodes in _blocks(function):
                calls = Counter(call for node in nodes for call in _calls(node, parsed, variables, ""))
                line = nodes[0].start_point.row + 1 if nodes else function.start_point.row + 1
                elements[type_name, go_field] = GeneratedElement(calls, line, " ".join(map(_text, nodes)))
        elif function.type in _DECLARATIONS:
            rest.append(_text(function))
    return Generated(shown, elements, " ".join(rest))


def _text(node: Node) -> str:
    """Join the tokens of a node, without comments."""
    return " ".join(text_of(one) for one in walk(node) if not one.children and one.type != "comment")


def _validated_type(function: Node, file: GoFile) -> str:
    """Return the type that a function validates: that of its parameter `obj`."""
    parameters = function.child_by_field_name("parameters")
    for one in parameters.named_children if parameters is not None else ():
        if "obj" in {text_of(name) for name in one.children_by_field_name("name")}:
            for node in walk(one):
                if node.type == "qualified_type":
                    return f"{file.imports.get(text_of(node.children[0]), '')}.{text_of(node.children[-1])}"
    bare = text_of(function.child_by_field_name("name")).removeprefix("Validate_")
    return f"{file.package}.{bare}"


def _blocks(function: Node) -> Iterator[tuple[str, list[Node]]]:
    """Yield the statements of each element, those of the type itself under the empty name.

    The comment that names a field is inside its block, or, in older releases, before its statement.
    """
    body = function.child_by_field_name("body")
    own: list[Node] = []
    next_field = ""
    for one in (part for child in (body.named_children if body else ()) for part in _flat(child)):
        if one.type == "comment":
            next_field = _field_in_comment(one) or next_field
            continue
        inside = next((inner for inner in walk(one) if inner.type == "comment"), None) if one.type == "block" else None
        name = next_field or (_field_in_comment(inside) if inside is not None else "")
        next_field = ""
        if name:
            yield name, [one]
        else:
            own.append(one)
    yield "", own


def _field_in_comment(comment: Node) -> str:
    """Return the field that a comment names; empty when the comment is that the field has no validation."""
    found = _FIELD.fullmatch(text_of(comment).strip())
    return found[1] if found else ""


def _flat(node: Node) -> list[Node]:
    return node.named_children if node.type == "statement_list" else [node]


def _calls(node: Node, file: GoFile, variables: Mapping[str, tuple[str, ...]], level: str) -> Iterator[Call]:
    """Yield the calls of check functions below a node. `level` is that of the enclosing calls."""
    if node.type == "call_expression":
        inner, marked = _strip_marks(node)
        level = marked or level
        function, arguments = inner.child_by_field_name("function"), inner.child_by_field_name("arguments")
        name = _check_name(function, file) if function is not None else ""
        given = arguments.named_children if arguments is not None else []
        if name and name not in _NOT_CHECKS:
            yield _call(plain_name(name), _constants(given, file, variables), level)
        elif function is not None and not name:
            yield from _calls(function, file, variables, level)
        for one in given:
            yield from _calls(one, file, variables, level)
        return
    if node.type in ("selector_expression", "identifier"):
        name = _check_name(node, file)
        if name and name not in _NOT_CHECKS and not name.startswith("No"):
            yield Call(plain_name(name), (), level)
        return
    for child in node.named_children:
        yield from _calls(child, file, variables, level)


def _call(name: str, constants: Iterable[str], level: str) -> Call:
    """Make a call. Values of an enumeration are sorted, because they are a set."""
    return Call(name, tuple(sorted(constants) if name == "enum" else constants), level)


def _strip_marks(node: Node) -> tuple[Node, str]:
    """Remove level marks from a chain of calls. Returns: the innermost call and the level."""
    level = ""
    while True:
        function = node.child_by_field_name("function")
        if function is None or function.type != "selector_expression" or function.children[0].type != "call_expression":
            return node, level
        method = text_of(function.children[-1])
        if not method.startswith("Mark"):
            return node, level
        level = level or _LEVELS.get(method, "")
        node = function.children[0]


def _check_name(node: Node, file: GoFile) -> str:
    """Return the name of the check function that an expression denotes, else an empty one."""
    if node.type == "selector_expression" and node.children[0].type == "identifier":
        path, name = file.imports.get(text_of(node.children[0]), ""), text_of(node.children[-1])
        return name if path == VALIDATE or name.startswith("ValidateCustom_") else ""
    if node.type == "identifier" and text_of(node).startswith("ValidateCustom_"):
        return text_of(node)
    return _check_name(node.named_children[0], file) if node.type == "type_instantiation_expression" else ""


def _constants(given: list[Node], file: GoFile, variables: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    for one in given:
        text = text_of(one)
        if one.type in ("int_literal", "true", "false", "float_literal", "unary_expression"):
            if not text.startswith("&"):
                yield text
        elif one.type.endswith("string_literal"):
            yield unquote(text) or ""
        elif one.type == "selector_expression" and _check_name(one, file).startswith("No"):
            yield _check_name(one, file)
        elif one.type == "identifier" and text in variables:
            yield from variables[text]


def _variable_constants(spec: Node, file: GoFile, universe: Universe) -> Iterator[str]:
    """Yield the constants of a variable: members of a union, values of an enumeration, or their exclusions."""
    value = spec.child_by_field_name("value")
    if value is None:
        return
    exclusions = [members for one in walk(value) if {"Value", "Option"} <= (members := _members(one)).keys()]
    for members in exclusions:
        option = unquote(text_of(members["Option"])) or ""
        state = text_of(members.get("ExcludeWhen")) or "false"  # what Go leaves out is false
        yield _exclusion_text(_named_value(members["Value"], file, universe), option, state == "true")
    plain_union = "NewUnionMembership" in text_of(value)
    for one in walk(value) if not exclusions else ():
        if one.type.endswith("string_literal"):
            if not (plain_union and _is_second(one)):
                yield unquote(text_of(one)) or ""
        elif one.type in ("selector_expression", "identifier") and _is_argument(one):
            yield _named_value(one, file, universe)


def _is_argument(node: Node) -> bool:
    """Whether an expression is an argument of a call; the parser reads `f[T](x)` as a conversion of `x`."""
    parent = node.parent
    if parent is None or parent.type != "type_conversion_expression":
        return parent is not None and parent.type == "argument_list"
    return parent.child_by_field_name("operand") == node


def _is_second(node: Node) -> bool:
    """Whether a text is the second of a pair: 1.34 writes a discriminator value after the members of every union."""
    element = node.parent
    pair = element.parent if element is not None and element.type == "literal_element" else None
    return pair is not None and pair.named_children[0] != element


def _members(node: Node) -> dict[str, Node]:
    """Return the values of a struct literal by member name."""
    pairs = [one for one in node.named_children if one.type == "keyed_element"] if node.type == "literal_value" else []
    return {text_of(one.named_children[0]): one.named_children[1].named_children[0] for one in pairs}


def _exclusion_text(value: str, option: str, state: bool) -> str:
    """Format as one constant that a value is excluded from its enumeration under a state of an option."""
    return f"without {value} while {option} is {'on' if state else 'off'}"


def _named_value(node: Node, file: GoFile, universe: Universe) -> str:
    """Return the value of a literal, or of the constant that an expression names."""
    if node.type == "selector_expression":
        return _value(universe, file.imports.get(text_of(node.children[0]), ""), text_of(node.children[-1]))
    if node.type.endswith("string_literal"):
        return unquote(text_of(node)) or ""
    return _value(universe, file.package, text_of(node))


def _value(universe: Universe, package: str, name: str) -> str:
    """Return the value of a constant as text; its name when it is not known."""
    known = universe.package(package).consts if package in universe.paths else ()
    return next((str(one.value) for one in known if one.name == name and one.value is not None), name)


def plain_name(name: str) -> str:
    """Return the name of a check function without the part that depends only on the Go type of the value."""
    found = _SHAPES.fullmatch(name)
    plain = (next(filter(None, found.groups())) if found else name).lower()
    return _ALIASES.get(plain, plain)


# The calls expected from the types


def expected_calls(plan: TypePlan) -> dict[str, Counter[Call]]:
    """Return the calls that the tags of a type require, by Go field; those of the type itself under ""."""
    found = {"": Counter(_calls_of_rules(rules_in(plan.cohorts)))}
    for one in plan.fields:
        found[one.field.name] = Counter(_calls_of_rules(rules_in(one.cohorts)))
    return found


def _calls_of_rules(rules: Iterator[Rule]) -> Iterator[Call]:
    for rule in rules:
        yield from _calls_of_rule(rule, "")


def _calls_of_rule(rule: Rule, level: str) -> Iterator[Call]:
    level = rule.level or level
    match rule.body:
        case Check(function=enum.enum_with_exclusions, args=(_, values, exclusions, _)):
            parts = [_exclusion_text(value, name, state) for value, states in exclusions for name, state in states]
            yield _call("enum", [*_our_constants(values), *parts], level)
        case Check(function=function, args=(names, _, values, discriminator, _)) if (
            function in unionchecks.DISCRIMINATED
        ):
            pairs = [one for pair in zip(names, values, strict=True) for one in pair]
            yield _call("discriminated", [discriminator, *pairs], level)
        case Check(function=unionchecks.no_members, args=(discriminator,)):
            yield _call("discriminated", [discriminator], level)
        case Check(function=function, args=args, custom=custom):
            name = custom.lower() if custom else _our_name(rule.tag, function)
            yield _call(name, _our_constants(args), level)
        case EachVal(inner) | EachKey(inner) | Subfield(inner, _) | Item(inner, _):
            yield from _calls_of_rule(inner, level)
        case Option(inner, name, wanted):
            yield Call("ifoption", (name, str(wanted).lower()), level)
            yield from _calls_of_rule(inner, level)
        case Mode(member=member, rules=modes, otherwise=otherwise):
            yield Call("discriminated", (member.json_name,), level)
            for _, rules in modes:
                for inner in rules:
                    yield from _calls_of_rule(inner, level)
            yield from _calls_of_rule(otherwise, level)


def _our_name(tag: str, function: CheckFunction) -> str:
    """Return the function that generated code calls for a tag: that of its record, else the name of ours."""
    spec = ALL_SPECS.get(tag)
    if spec is not None and spec.go_function and function is spec.check:
        return plain_name(spec.go_function)
    name = function.__name__
    found = _OUR_NAMES.fullmatch(name)
    return (next(filter(None, found.groups())) if found else name).replace("_", "")


def _our_constants(args: tuple[object, ...]) -> Iterator[str]:
    for one in args:
        if isinstance(one, bool):
            yield str(one).lower()
        elif isinstance(one, int | float | str):
            yield str(one)
        elif isinstance(one, tuple):
            yield from _our_constants(one)
