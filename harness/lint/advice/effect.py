"""Tags that have no effect where they stand.

Source: semantics.md#3.5, #3.8, #5.4, #5.6, #5.9, #5.10, #S8, #S9, #S18, #S19.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice.common import (
    Advice,
    Use,
    advice,
    at,
    delete,
    field_of,
    leads,
    path_of,
    rewrite,
    shown,
    struct_elements,
    tagged,
    tags_of,
    uses,
    uses_of,
)
from harness.lint.view import PackageView
from harness.tags.families.levels import LEVELS
from harness.tags.grammar import Tag
from harness.tags.registry import ALL_SPECS
from harness.tags.spec import Scope, Trait

_DROPPED = frozenset({Trait.LATE, Trait.OF_STRUCT})
"""What works later is not done under +k8s:ifMode."""


def _opaque_list(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        declared = view.types.declared(element.type)
        for use in uses(view, element) if element.member is not None else ():
            if use.name != "opaqueType":
                continue
            if not use.target and declared.kind in ("list", "map"):
                message = f"+k8s:opaqueType does nothing on {path_of(element)}, a {declared.kind} without a name"
                yield at(use, message, "+k8s:eachVal=+k8s:opaqueType leaves out the rules of its items")
            elif use.target == ("eachVal",) and declared.kind == "named":
                message = f"+k8s:eachVal=+k8s:opaqueType does nothing on {path_of(element)}, whose list type has a name"
                yield at(use.top, message, f"put it on {declared.name.rpartition('.')[2]}, or use +k8s:opaqueType here")


def _conditional_opaque(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        for use in uses(view, element):
            lost = [tag for tag in use.around if not leads(tag)]
            if use.name == "opaqueType" and lost:
                kept = "=".join(str(tag).partition("=")[0] for tag in (*use.around, use.tag) if tag not in lost)
                message = f"+{lost[0].name} around +k8s:opaqueType has no effect: the type's rules are left out always"
                edit = rewrite(view, use.top.position, len(shown(use.top)), kept)
                yield at(lost[0], message, f"write {kept}", edit)


def _lone_list_tag(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        found = uses(view, element)
        for use in found:
            semantics = {o.text for o in found if o.name in ("listType", "unique") and o.target == use.target}
            if use.name == "listMapKey" and not semantics:
                message = f"{shown(use.tag)} does nothing on {path_of(element)} without +k8s:listType"
                yield at(use, message, "add +k8s:listType=map")
            elif use.name == "customUnique" and not semantics & {"set", "map"}:
                message = f"+k8s:customUnique does nothing on {path_of(element)}: no items are compared there"
                yield at(use, message, "remove it, or add +k8s:unique", delete(view, use.tag))


def _lone_discriminator(view: PackageView) -> Iterator[Advice]:
    for fields in struct_elements(view).values():
        found = [use for element in fields for use in uses(view, element)]
        for use in found:
            wanted = {"unionDiscriminator": "unionMember", "modeDiscriminator": "ifMode"}.get(use.name)
            if wanted and not use.target and _group(use.tag) not in _groups(found, wanted):
                name = _group(use.tag)
                message = f"+k8s:{use.name} does nothing: no field has +k8s:{wanted}" + (f" for {name}" if name else "")
                yield at(use, message, f"add +k8s:{wanted} to the fields that depend on it, or remove it")


def _group(tag: Tag) -> str:
    found = tag.arg("union") or tag.arg("modality")
    return found.text if found else ""


def _groups(found: list[Use], name: str) -> set[str]:
    if name == "ifMode":
        return {_group(tag) for use in found for tag in use.around if tag.name == "k8s:ifMode"}
    return {_group(use.tag) for use in found if use.name == name}


def _is_dropped(tag: Tag) -> bool:
    return tag.name in ALL_SPECS and not _DROPPED.isdisjoint(ALL_SPECS[tag.name].traits)


def _mode_drops(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        for tag, _ in element.tagged("k8s:ifMode"):
            inner = tag.payload
            while inner is not None and not _is_dropped(inner) and inner.payload is not None:
                inner = inner.payload
            if inner is not None and _is_dropped(inner):
                message = f"+{inner.name} under +k8s:ifMode is dropped: it only forbids the field in other modes"
                yield at(inner, message, "put the rule on the type of the field, or check it by hand")


def _lost_level(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        for use in uses(view, element):
            for before, tag in zip(use.around, use.around[1:], strict=False):
                lost = tag.name in LEVELS and before.name not in LEVELS and use.has(Trait.BARE)
                if lost and before.name != "k8s:ifMode":
                    message = f"the level is lost: under +{before.name}, {shown(use.tag)} counts as standard"
                    yield at(tag, message, f"start the line with +{tag.name}")


def _exclusions(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        if element.scope is not Scope.CONST:
            continue
        for use in uses(view, element):
            if use.name != "enumExclude":
                continue
            declaration = view.types.find(element.type.name)
            tags = [] if declaration is None else list(tags_of(declaration.comments))
            if not any(one.name == "enum" for one in uses_of(tags)):
                name = element.type.name.rpartition(".")[2]
                message = f"+k8s:enumExclude does nothing on {element.name}: "
                message += f"{name} is no +k8s:enum" if name else "the constant has no type"
                yield at(use, message, f"put +k8s:enum on {name}" if name else "give the constant its type")
            elif len(use.around) > 1:
                yield at(use, "+k8s:enumExclude under more than one condition is ignored", "use one option")


_S = 'type S struct {\n\t// +k8s:required\n\tN string `json:"n"`\n}\n\n'
_UNION = """type T struct {
	// +k8s:unionDiscriminator
	// +k8s:required
	D string `json:"d"`
	// +k8s:optional
	// +k8s:unionMember
	A *string `json:"a"`
	// +k8s:optional
	// +k8s:unionMember
	B *string `json:"b"`
}
"""
_MODE = """type T struct {
	// +k8s:required
	// +k8s:modeDiscriminator
	D string `json:"d"`
	// +k8s:ifMode("A")=@
	F []string `json:"f"`
}
"""
_ENUM = """@type E string

const (
	A E = "a"
	// +k8s:enumExclude
	B E = "b"
)

type T struct {
	// +k8s:optional
	F E `json:"f"`
}
"""

RULES = (
    advice(
        "opaque-list",
        "error",
        _opaque_list,
        summary="+k8s:opaqueType where it has no effect.",
        why="on a list or map without a name the items are what has rules, and for a list type with a name its "
        "own declaration decides",
        good=field_of("+k8s:optional\n+k8s:eachVal=+k8s:opaqueType", "[]S", _S),
        bad=field_of("+k8s:optional\n+k8s:opaqueType", "[]S", _S),
    ),
    advice(
        "opaque-always",
        "note",
        _conditional_opaque,
        summary="+k8s:opaqueType under a level or an option.",
        why="what a type's rules are is decided when code is generated, so no gate can change it",
        good=field_of("+k8s:required\n+k8s:opaqueType", "*S", _S),
        bad=field_of("+k8s:required\n+k8s:alpha=+k8s:opaqueType", "*S", _S),
        fixes=True,
    ),
    advice(
        "lone-list-tag",
        "error",
        _lone_list_tag,
        summary="+k8s:listMapKey or +k8s:customUnique without +k8s:listType or +k8s:unique.",
        why="these only refine a list whose items another tag distinguishes; by themselves they are accepted "
        "and do nothing",
        good=field_of("+k8s:optional\n+k8s:listType=map\n+k8s:listMapKey=n\n+k8s:customUnique", "[]S", _S),
        bad=field_of("+k8s:optional\n+k8s:listMapKey=n\n+k8s:customUnique", "[]S", _S),
        fixes=True,
    ),
    advice(
        "lone-discriminator",
        "warning",
        _lone_discriminator,
        summary="A discriminator on which no field depends.",
        why="a discriminator checks nothing by itself",
        good=_UNION,
        bad=_UNION.replace("\t// +k8s:unionMember\n", ""),
    ),
    advice(
        "mode-drops-rule",
        "error",
        _mode_drops,
        summary="A rule under +k8s:ifMode that is dropped silently.",
        why="only rules that are made at once survive there; those of items, members, lists and updates come later",
        good=_MODE.replace("@", "+k8s:maxItems=1"),
        bad=_MODE.replace("@", "+k8s:eachVal=+k8s:minLength=1"),
    ),
    advice(
        "lost-level",
        "error",
        _lost_level,
        summary="A level below another wrapper, where it is lost.",
        why="upstream calls rules without arguments by name there, and a name carries no level: the rule is enforced",
        good=field_of("+k8s:optional\n+k8s:alpha=+k8s:eachVal=+k8s:format=k8s-uuid", "[]string"),
        bad=field_of("+k8s:optional\n+k8s:eachVal=+k8s:alpha=+k8s:format=k8s-uuid", "[]string"),
    ),
    advice(
        "exclusion-outside-enum",
        "warning",
        _exclusions,
        summary="+k8s:enumExclude on a constant of no enum, or nested too deeply.",
        why="only constants that are declared with exactly the type of an enum belong to it",
        good=_ENUM.replace("@", "// +k8s:enum\n"),
        bad=_ENUM.replace("@", ""),
    ),
)
