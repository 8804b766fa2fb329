"""Reads what the strategies of a release or checkout pass to declarative validation, from the source of each.

What a kind's strategies pass is read together: those of its subresources mostly embed that of the kind. Until 1.36 they
call declarative validation with options (`rest.WithOptions`), since then they return a configuration.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tree_sitter import Node

from harness.diagnostics import Position
from harness.gotypes.constants import unquote
from harness.gotypes.gonodes import text_of, walk
from harness.limits import read_checkout
from harness.targets.kubernetes.gomodule import TOP
from harness.targets.kubernetes.mutants.gosource import ParsedFunction, imports_of, parse, read_functions
from harness.targets.kubernetes.sources import read_resources

_ASKS = re.compile(rb"DeclarativeValidation|ValidateDeclaratively")
_ASSERTED = re.compile(r"\.\(\*(\w+)\.(\w+)\)")
_GATE = re.compile(r"(?:string\()?features\.(\w+)\)?")
_LITERAL = ("interpreted_string_literal", "raw_string_literal")


@dataclass(frozen=True, slots=True)
class PassedPathRule:
    """A normalization rule, in Go's syntax, and where its regex is."""

    pattern: str
    replacement: str
    position: Position


@dataclass(frozen=True, slots=True)
class KindStrategies:
    """What the strategies of a kind pass. `group` is the folder of its internal type.

    `options` are those that any of them passes, with where it does, `unread` is where some are that cannot be read.
    `path_rules` are the normalization rules, `short_circuits` is where they let a short-circuit account for other
    errors. `resources` are those of the group, each with its subresources.
    """

    group: str
    kind: str
    options: Mapping[str, Position]
    unread: tuple[Position, ...] = ()
    path_rules: tuple[PassedPathRule, ...] = ()
    short_circuits: Position | None = None
    resources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_strategies(root: Path) -> tuple[KindStrategies, ...]:
    """Read the strategies below `pkg/registry` of the folder of k8s.io/kubernetes, by group and kind."""
    found = (_read_folder(root, folder) for folder in sorted((root / "pkg" / "registry").glob("*/*")))
    return tuple(one for one in found if one is not None)


def _read_folder(root: Path, folder: Path) -> KindStrategies | None:
    """Read the strategies of one folder; None if none asks declarative validation, or the kind is not known."""
    kinds: Counter[tuple[str, str]] = Counter()
    passed = KindStrategies("", "", {})
    for file in sorted(folder.glob("*.go")):
        if file.name.endswith("_test.go"):
            continue
        source = read_checkout(file)
        if not _ASKS.search(source):
            continue
        imports = imports_of(source)
        for alias, kind in _ASSERTED.findall(source.decode("utf-8", "replace")):
            if imports.get(alias, "").startswith(f"{TOP}/pkg/apis/"):
                kinds[imports[alias].rpartition("/")[2], kind] += 1
        if parse(source).has_error:
            passed = _merge(passed, KindStrategies("", "", {}, (Position(str(file), 1, 1),)))
        for function in read_functions(str(file), source):
            if _ASKS.search(function.node.text or b""):
                passed = _merge(passed, _read_function(root, folder, function, imports))
    if not kinds:
        return None
    (group, kind), _ = kinds.most_common(1)[0]
    return replace(passed, group=group, kind=kind, resources=read_resources(folder.parent / "rest"))


def _merge(one: KindStrategies, other: KindStrategies) -> KindStrategies:
    return KindStrategies(
        "", "", {**other.options, **one.options}, (*one.unread, *other.unread), one.path_rules or other.path_rules,
        one.short_circuits or other.short_circuits,
    )  # fmt: skip


def _read_function(root: Path, folder: Path, function: ParsedFunction, imports: Mapping[str, str]) -> KindStrategies:
    options: dict[str, Position] = {}
    unread: list[Position] = []
    rules: tuple[PassedPathRule, ...] = ()
    short_circuits: Position | None = None
    for name, value in _settings(function):
        if name == "Options":
            for key in _keys(value):
                option = _option(key)
                if option:
                    options.setdefault(option, _place(function.file, key))
                else:
                    unread.append(_place(function.file, key))
        elif name == "NormalizationRules":
            rules = rules or _path_rules(root, folder, text_of(value), imports)
        elif name == "ShortCircuitMismatch" and text_of(value) == "true":
            short_circuits = _place(function.file, value)
    return KindStrategies("", "", options, tuple(unread), rules, short_circuits)


def _settings(function: ParsedFunction) -> Iterator[tuple[str, Node]]:
    """Yield what a function passes, with its name in the configuration of 1.37."""
    for node in walk(function.body):
        if node.type == "keyed_element" and len(node.named_children) == 2:
            name, value = node.named_children
            yield text_of(name), value
        elif node.type == "call_expression":
            called = text_of(node.child_by_field_name("function"))
            arguments = node.child_by_field_name("arguments")
            given = arguments.named_children if arguments is not None else []
            if called == "rest.WithNormalizationRules" and given:
                yield "NormalizationRules", given[0]
            elif called == "append" and len(given) == 2 and "rest.WithOptions(" in function.text:
                yield "Options", node


def _keys(value: Node) -> Iterator[Node]:
    """Yield the names of options: the keys of a map, or what is appended to a list. What is neither is itself one."""
    inner = value.named_children[0] if value.type == "literal_element" else value
    if inner.type == "call_expression" and text_of(inner.child_by_field_name("function")) == "append":
        arguments = inner.child_by_field_name("arguments")
        yield from arguments.named_children[1:] if arguments is not None else ()
    elif inner.type == "composite_literal":
        body = inner.child_by_field_name("body")
        for element in body.named_children if body is not None else ():
            if element.type == "keyed_element":
                yield element.named_children[0]
    else:
        yield inner


def _option(key: Node) -> str:
    """Return the name of an option; empty if it is neither a string nor a feature gate, whose name is its value."""
    literal = next((one for one in walk(key) if one.type in _LITERAL), None)
    if literal is not None:
        return _value(literal)
    gate = _GATE.fullmatch(text_of(key))
    return gate[1] if gate else ""


def _path_rules(root: Path, folder: Path, name: str, imports: Mapping[str, str]) -> tuple[PassedPathRule, ...]:
    """Read the variable of normalization rules that has a name, from its own package."""
    package, _, variable = name.strip().rpartition(".")
    place = root / imports[package].removeprefix(f"{TOP}/") if package in imports else folder
    for file in sorted(place.glob("*.go")):
        source = read_checkout(file)
        if not file.name.endswith("_test.go") and variable.encode() in source:
            for node in walk(parse(source)):
                if node.type == "var_spec" and text_of(node.child_by_field_name("name")) == variable:
                    return tuple(_rules_in(str(file), node))
    return ()


def _rules_in(file: str, variable: Node) -> Iterator[PassedPathRule]:
    texts: dict[str, Node] = {}
    for node in walk(variable):
        if node.type == "keyed_element" and len(node.named_children) == 2:
            name, value = node.named_children
            literal = next((one for one in walk(value) if one.type in _LITERAL), None)
            if literal is not None:
                texts[text_of(name)] = literal
            if {"Regexp", "Replacement"} <= set(texts):
                pattern, replacement = texts.pop("Regexp"), texts.pop("Replacement")
                yield PassedPathRule(_value(pattern), _value(replacement), _place(file, pattern))


def _value(literal: Node) -> str:
    """Return the string that a literal has."""
    text = text_of(literal)
    return text[1:-1] if text.startswith("`") else unquote(text) or ""


def _place(file: str, node: Node) -> Position:
    return Position(file, node.start_point[0] + 1, node.start_point[1] + 1)
