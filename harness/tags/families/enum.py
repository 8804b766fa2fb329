"""Closed sets of strings. Source: apimachinery pkg/api/validate/enum.go (2026-07); semantics.md#5.4."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from harness.case import Operation
from harness.field import ErrorType, FieldError, Path, quote
from harness.field.facts import RuleDeclaration
from harness.field.make import internal
from harness.gotypes.model import Comments
from harness.tags.boundary import RuleMutation
from harness.tags.families.limits import a_string
from harness.tags.grammar import Tag, TagSyntaxError, parse, tag_lines
from harness.tags.rules import Check, Contribution, Options, Show
from harness.tags.spec import (
    Emission,
    ReleaseChange,
    Scope,
    TagContext,
    TagError,
    TagSpec,
    Trait,
    accepts,
    contribute_call,
    invalid_usage,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm, cel_literal

_NOT_SUPPORTED = ErrorType.NOT_SUPPORTED
Exclusion = tuple[str, bool]
"""An option and the state in which it removes a value; an empty name removes it always."""


def enum(
    op: Operation,
    path: Path,
    new: str | None,
    old: str | None,
    show: Callable[[Any], str],
    values: tuple[str, ...],
) -> list[FieldError]:
    """Reject a string that is not one of `values`, which are sorted. None is accepted.

    Returns: at most one NotSupported error that lists the values, no origin.
    """
    if new is None or new in values:
        return []
    return [_not_supported(path, show(new), values)]


def enum_with_exclusions(
    op: Operation,
    path: Path,
    new: str | None,
    old: str | None,
    show: Callable[[Any], str],
    values: tuple[str, ...],
    exclusions: tuple[tuple[str, tuple[Exclusion, ...]], ...],
    options: Mapping[str, bool],
) -> list[FieldError]:
    """Reject a string that is not one of `values`, or that an option excludes.

    Returns: a NotSupported error, or an Internal error for an undefined option.
    """
    if new is None:
        return []
    excluded = _is_excluded(new, exclusions, options)
    if new in values and excluded is False:
        return []
    states = [excluded, *(_is_excluded(value, exclusions, options) for value in values)]
    if undefined := next((state for state in states if isinstance(state, str)), ""):
        return [internal(path, f"undefined validation option {quote(undefined)}")]
    kept = [value for value, state in zip(values, states[1:], strict=True) if not state]
    return [_not_supported(path, show(new), kept)]


def _is_excluded(
    value: str, exclusions: tuple[tuple[str, tuple[Exclusion, ...]], ...], options: Mapping[str, bool]
) -> bool | str:
    """Return whether a value is excluded; the name of the option if an undefined one is met first."""
    for one, conditions in exclusions:
        for name, state in conditions:
            if name not in options:
                return name
            if one == value and options[name] is state:
                return True
    return False


def _not_supported(path: Path, shown: str, values: Sequence[str]) -> FieldError:
    return FieldError(_NOT_SUPPORTED, str(path), _supported(tuple(values)), value=shown)


@lru_cache(1024)
def _supported(values: tuple[str, ...]) -> str:
    return "supported values: " + ", ".join(quote(value) for value in values) if values else ""


def _apply(context: TagContext, tag: Tag) -> Contribution:
    values: dict[str, list[Exclusion]] = {}
    for const in sorted(context.types.consts_of(context.type.name), key=lambda const: const.name):
        if const.value is None:
            raise TagError(f"the value of constant {const.name} cannot be computed", tag, "tag-not-supported")
        conditions = _conditions(const.comments) if context.release.excludes_values else []
        # Of several constants with the same value, the first that is not excluded counts.
        if ("", True) not in conditions:
            values.setdefault(str(const.value), conditions)
    kept = tuple(sorted(values))
    exclusions = tuple((v, tuple(sorted(c, key=lambda x: (x[1], x[0])))) for v, c in values.items() if c)
    show = Show(context.type)
    if not exclusions:
        return contribute_call(tag.name, enum, (show, kept))
    return contribute_call(tag.name, enum_with_exclusions, (show, kept, exclusions, Options()))


def _conditions(comments: Comments) -> list[Exclusion]:
    names = ("k8s:enumExclude", "k8s:ifEnabled", "k8s:ifDisabled")
    return [one for line in tag_lines(comments) if line.name in names for one in _condition(line.text)]


def _condition(text: str) -> list[Exclusion]:
    try:
        tag = parse(text)
    except TagSyntaxError:
        return []  # reported where the constant's own tags are checked
    if tag.name == "k8s:enumExclude":
        return [("", True)]
    option = tag.arg()
    if option is None or tag.payload is None or tag.payload.name != "k8s:enumExclude":
        return []
    return [(option.text, tag.name == "k8s:ifEnabled")]


_ENUM = """// @
type E string

const (
    A E = "a"
    B E = "b"
)

type T struct {
    F E `json:"f"`
    P *E `json:"p"`
}
"""
_EXCLUDED = """// +k8s:enum
type E string

const (
    A E = "a"
    // @
    B E = "b"
)

type T struct {
    F E `json:"f"`
}
"""


def _describe(check: Check) -> str:
    exclusions = dict(check.args[2]) if len(check.args) > 2 else {}
    return "one of: " + ", ".join(_describe_value(value, exclusions.get(value, ())) for value in check.args[1])


def _describe_value(value: str, conditions: Sequence[Exclusion]) -> str:
    when = [f"`{name}` is {'off' if state else 'on'}" for name, state in conditions]
    return f"`{value}`" + (f" (only while {' and '.join(when)})" if when else "") if value else '`""`'


def _mutations(check: Check) -> Iterator[RuleMutation]:
    show, values, *more = check.args
    for value in values:
        kept = tuple(other for other in values if other != value)
        yield RuleMutation(f"drop {value!r}", f"the value {value!r}", (show, kept, *more))
    added = values[0].lower() if values and values[0].lower() != values[0] else f"{(values or ('',))[0]}s"
    yield RuleMutation(f"add {added!r}", f"the value {added!r}", (show, tuple(sorted((*values, added))), *more))


def _enum_rule(check: Check, at: Operand) -> list[CelRule]:
    values = check.args[1]
    return [CelRule(f"{at.new} in {cel_literal(values)}", "supported values: " + ", ".join(map(quote, values)))]


_ENUM_FORM = SchemaForm(_enum_rule, lambda check: {"enum": list(check.args[1])})
_EXCLUDING = "values that an option excludes are accepted: there is one schema, and an option for each gate setting"

ENUM = TagSpec(
    name="k8s:enum",
    summary="Allows only the values of the constants that are declared with exactly this type.",
    describe=lambda check, subject: _describe(check),
    invalid_usages=(
        invalid_usage("string"),
        invalid_usage('// @\ntype E int32\n\ntype T struct {\n\tF E `json:"f"`\n}'),
    ),
    caveats=(
        "Without +k8s:optional in front, the empty string is checked too, and usually rejected.",
        "A type that is declared from the enum's type (`type F E`) is no enum: its constants and rules are its own.",
        "A blank line between the tag and the type detaches the tag, and nothing is checked.",
    ),
    scopes=frozenset({Scope.TYPE}),
    requires=(a_string,),
    check=enum,
    apply=_apply,
    schema={enum: _ENUM_FORM, enum_with_exclusions: replace(_ENUM_FORM, differs=_EXCLUDING)},
    emits=(
        Emission(ErrorType.NOT_SUPPORTED, texts=("supported values: <list>",)),
        Emission(ErrorType.INTERNAL, declared=False, texts=('undefined validation option "<name>"',)),
    ),
    examples=(
        accepts(_ENUM, {"f": "a"}),
        rejects(_ENUM, {"f": "c"}, "", "f"),
        rejects(_ENUM, {"p": "c"}, "", "f", "p"),
    ),
    probes=lambda _: ("", "zz"),
    declaration="+k8s:enum on its type",
    declare=lambda error, new, old: (RuleDeclaration(("+k8s:enum",), "type"),),
    matches_without_origin=True,
    guard="{} not in {}",
    arguments=lambda check: {"values": list(check.args[1])},
    mutations=_mutations,
    since=34,
    history=(
        ReleaseChange(35, "Constants can be taken out with +k8s:enumExclude."),
        ReleaseChange(37, "An undefined option is an internal error; before, it was off."),
    ),
)
ENUM_EXCLUDE = TagSpec(
    name="k8s:enumExclude",
    traits=frozenset({Trait.METADATA}),
    summary="Excludes a constant from the enum of its type, always or under +k8s:ifEnabled and +k8s:ifDisabled.",
    caveats=("A trailing comment counts for the next line: behind one constant, the tag excludes the one below.",),
    scopes=frozenset({Scope.CONST}),
    apply=lambda context, tag: Contribution(),
    emits=(Emission(ErrorType.NOT_SUPPORTED, declared=False, texts=("supported values: <list>",)),),
    examples=(accepts(_EXCLUDED, {"f": "a"}), rejects(_EXCLUDED, {"f": "b"})),
    stability="Alpha",
    since=35,
)

SPECS = (ENUM, ENUM_EXCLUDE)
