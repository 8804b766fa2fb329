"""Comments that belong to no field or to the wrong one, and elements that validation never meets.

Source: semantics.md#1.1, #2.1, #2.3, #S1, #S21, #S31-#S33.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.diagnostics import Position
from harness.gotypes.model import Const, Typedef, TypeRef
from harness.lint.advice.common import (
    Advice,
    Use,
    advice,
    at,
    delete,
    field_of,
    is_comment_line,
    line_of,
    path_of,
    reached_from,
    shown,
    tagged,
    tags_of,
    types_of,
    unwrapped,
    uses,
    uses_of,
)
from harness.lint.rule import LineEdit
from harness.lint.view import Element, PackageView
from harness.tags.grammar import Tag, tag_lines
from harness.tags.registry import SPECS

_TAG = re.compile(r"(?P<code>.*?)//\s?(?P<tag>\+(?P<name>k8s:[\w.:-]+).*)")


# Where comments attach


def _trailing(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S1: the comment behind one field is the comment above the next."""
    for element in tagged(view):
        for tag in (use.top for use in uses(view, element)):
            line = line_of(view, tag.position)
            code, found, _ = line.partition("//")
            if found and code.strip() and tag.position.line == _line_of(element) - 1:
                message = f"{shown(tag)} belongs to {path_of(element)}, in the next line, not to the code before it"
                yield at(tag, message, "write it above its element", _moved_up(tag, line))


def _line_of(element: Element) -> int:
    return (element.member or element.declaration).position.line


def _moved_up(tag: Tag, line: str) -> LineEdit | None:
    code, _, comment = line.partition("//")
    if comment.strip() != tag.source.strip() or "{" in code or "`" in comment:
        return None
    indent = code[: len(code) - len(code.lstrip())]
    above = f"{indent}// {comment.strip()}\n{code.rstrip()}"
    return LineEdit(tag.position.file, tag.position.line, line, above)


def _detached(view: PackageView) -> Iterator[Advice]:
    for element in view.elements:
        edit = _joined(view, element)
        for tag in tags_of(element.second_comments) if edit else ():
            if tag.name in SPECS:
                message = f"{shown(tag)} is cut off from {path_of(element)} by a blank line, so it is ignored"
                yield at(tag, message, "remove the blank line", edit)


def _joined(view: PackageView, element: Element) -> LineEdit | None:
    """Remove the blank line below the second block; None where a field stands there, to which the block belongs."""
    if not element.second_comments:
        return None
    last = element.second_comments[-1].position
    lines = view.sources.get(last.file, ())
    number = last.line + 1
    while number <= len(lines) and is_comment_line(lines[number - 1]):
        number += 1
    blank = number <= len(lines) and not lines[number - 1].strip()
    whole = is_comment_line(line_of(view, last))
    return LineEdit(last.file, number, lines[number - 1], None) if blank and whole else None


def _orphans(view: PackageView) -> Iterator[Advice]:
    """Tags in comments that belong to nothing: further up, behind the last field, inside functions."""
    known = {
        (line.position.file, line.position.line)
        for element in view.elements
        for line in (*element.comments, *(element.second_comments if _joined(view, element) else ()))
    }
    package = view.universe.package(view.path)
    known |= {(line.position.file, line.position.line) for line in package.comments}
    for file, lines in view.sources.items():
        for number, line in enumerate(lines, 1):
            found = _TAG.fullmatch(line) if "+k8s:" in line else None
            if found and found["name"] in SPECS and (file, number) not in known and '"' not in found["code"]:
                column = found.start("tag") + 1
                message = f"{found['tag'].strip()} belongs to no type, field or constant, so it is ignored"
                fix = "write it directly above its element"
                yield Advice(Position(file, number, column), len(found["name"]) + 1, message, fix)


# Elements that validation never meets


def _unseen_fields(view: PackageView) -> Iterator[Advice]:
    members = [element for element in tagged(view) if element.member is not None and element.tags]
    seen = {tag.position for element in members if element.member and element.member.exported for tag in element.tags}
    for element in members:
        if element.member is not None and not element.member.exported:
            for use in uses(view, element):
                if use.top.position not in seen:  # `A, b string` share their comment
                    message = f"{shown(use.top)} does nothing: {path_of(element)} is not exported"
                    yield at(use.top, message, "export the field, or remove the tag", delete(view, use.top))


def _ignored_json(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S21."""
    for element in tagged(view):
        if element.member is not None and element.member.json_ignored and element.member.exported:
            for use in uses(view, element):
                message = f'{shown(use.top)} on {element.name}, which is json:"-": a client can neither set nor see it'
                yield at(use.top, message, "remove the tag, or give the field a JSON name")


def _unreached(view: PackageView) -> Iterator[Advice]:
    """Types with tags that no root of the package reaches, and that other packages cannot reach either."""
    if not view.roots:
        return
    reached = reached_from(view, [f"{view.path}.{name}" for name in view.roots])
    first: dict[str, Element] = {}
    for element in tagged(view):
        if not isinstance(element.declaration, Const):
            first.setdefault(element.declaration.qualified, element)
    for name, element in sorted(first.items()):
        exported = not element.declaration.name[:1].islower()
        if name in reached or (exported and (not _generates(view) or _used_elsewhere(view, name))):
            continue
        use = uses(view, element)[0]
        message = f"{shown(use.top)} does nothing: no root type reaches {element.declaration.name}"
        fix = f"use {element.declaration.name} in a root type, or tag it +k8s:validation-gen=true"
        yield at(use.top, message, fix)


def _generates(view: PackageView) -> bool:
    """Whether the package itself says what its roots are; else it may be a library, whose users are not known.

    Code may be generated twice, here for every type and elsewhere for some: then all count as roots.
    """
    package = view.universe.package(view.path)
    blocks = [package.comments, *(block for e, _ in types_of(view) for block in (e.comments, e.second_comments))]
    said = [line for block in blocks for line in tag_lines(block) if line.name == "k8s:validation-gen"]
    return bool(said) and not any(line.text.partition("=")[2].strip() == "*" for line in said)


def _used_elsewhere(view: PackageView, qualified: str) -> bool:
    """Whether another package that is known mentions the type; its roots may reach it."""
    for path in view.universe.paths:
        package = view.universe.package(path) if path != view.path else None
        if package is not None:
            refs = [member.type for struct in package.structs.values() for member in struct.fields]
            refs += [typedef.underlying for typedef in package.typedefs.values()]
            if any(_mentions(ref, qualified) for ref in refs):
                return True
    return False


def _mentions(ref: TypeRef | None, qualified: str) -> bool:
    return ref is not None and (
        ref.name == qualified or _mentions(ref.elem, qualified) or _mentions(ref.key, qualified)
    )


# Types made of types


def _lost_by_copy(view: PackageView) -> Iterator[Advice]:
    """semantics.md#S32, #S33: `type B A` takes over nothing that stands on A itself."""
    for element, declaration in types_of(view):
        if not isinstance(declaration, Typedef) or declaration.alias or declaration.underlying.kind != "named":
            continue
        source = view.types.find(declaration.underlying.name)
        lost = [use for use in uses_of(tags_of(source.comments)) if use.checks] if source else []
        own = {(use.target, use.name) for use in uses(view, element)}
        for use in lost:
            if (use.target, use.name) not in own and source is not None:
                message = f"{declaration.name} does not inherit {shown(use.top)} from {source.name}"
                fix = f"repeat it on {declaration.name}, or make it an alias: type {declaration.name} = {source.name}"
                yield at(element, message, fix)


# Tags said twice


def _repeated(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        seen: dict[str, Use] = {}
        for use in uses(view, element):
            first = seen.setdefault(str(use.top), use)
            if first is not use:
                message = f"{shown(use.top)} is here twice; the first is in line {first.top.position.line}"
                yield at(use.top, message, "remove this line", delete(view, use.top))


def _two_levels(view: PackageView) -> Iterator[Advice]:
    for element in tagged(view):
        seen: dict[str, Use] = {}
        for use in uses(view, element):
            first = seen.setdefault(str(unwrapped(use.top)), use)
            if first.level != use.level:
                message = f"{unwrapped(use.top)} is here at two levels, {_level(first)} and {_level(use)}"
                yield at(use.top, message, "keep the intended level; both rules run, and an error is reported twice")


def _level(use: Use) -> str:
    return use.level or "standard"


_UNROOTED = """// +k8s:validation-gen=false
type S struct {
	// +k8s:required
	A string `json:"a"`
}

"""

RULES = (
    advice(
        "tag-behind-field",
        "error",
        _trailing,
        summary="A tag in a trailing comment of a field or constant, which belongs to the next one.",
        why="a comment belongs to the element in the line below its last line, also if it is a trailing comment",
        good='type T struct {\n\t// +k8s:required\n\tA string `json:"a"`\n\tB string `json:"b"`\n}\n',
        bad='type T struct {\n\tA string `json:"a"` // +k8s:required\n\tB string `json:"b"`\n}\n',
        fixes=True,
    ),
    advice(
        "tag-detached",
        "error",
        _detached,
        summary="A tag in a comment that a blank line separates from its element.",
        why="only the block directly above counts; the next one is read for subresources and roots alone",
        good='type T struct {\n\t// +k8s:required\n\t// The name.\n\tA string `json:"a"`\n}\n',
        bad='type T struct {\n\t// +k8s:required\n\n\t// The name.\n\tA string `json:"a"`\n}\n',
        fixes=True,
    ),
    advice(
        "tag-orphaned",
        "error",
        _orphans,
        summary="A tag in a comment that belongs to nothing.",
        why="only a comment that ends directly above a type, field or constant is read",
        good='type T struct {\n\t// +k8s:required\n\tA string `json:"a"`\n}\n',
        bad='type T struct {\n\tA string `json:"a"`\n\t// +k8s:required\n}\n',
    ),
    advice(
        "tag-unexported",
        "error",
        _unseen_fields,
        summary="A tag on a field that is not exported.",
        why="validation sees only fields whose name starts with an upper-case letter",
        good='type T struct {\n\t// +k8s:required\n\tA string `json:"a"`\n}\n',
        bad='type T struct {\n\t// +k8s:required\n\ta string\n}\n',
        fixes=True,
    ),
    advice(
        "tag-on-hidden-field",
        "warning",
        _ignored_json,
        summary='A tag on a field that is json:"-".',
        why="such a field is validated at its parent's path, so the error names something that no client wrote",
        good='type T struct {\n\t// +k8s:required\n\tA string `json:"a"`\n\tB string `json:"-"`\n}\n',
        bad='type T struct {\n\t// +k8s:required\n\tA string `json:"-"`\n}\n',
    ),
    advice(
        "type-not-reached",
        "warning",
        _unreached,
        summary="A type with tags that nothing validates.",
        why="code is generated for root types and the types they reach; tags of other types are not even read",
        good=field_of("+k8s:optional", "*S", _UNROOTED),
        bad=field_of("+k8s:optional", "*string", _UNROOTED),
    ),
    advice(
        "copy-loses-rules",
        "warning",
        _lost_by_copy,
        summary="A type defined by another type, whose type tags are not inherited.",
        why="`type B A` copies the fields with their tags, not the tags of A itself",
        good='// +k8s:maxLength=9\ntype A string\n\n// +k8s:maxLength=9\ntype B A\n\n' + field_of("+k8s:optional", "B"),
        bad="// +k8s:maxLength=9\ntype A string\n\ntype B A\n\n" + field_of("+k8s:optional", "B"),
    ),
    advice(
        "tag-repeated",
        "warning",
        _repeated,
        summary="The same tag twice on one element.",
        why="the rule runs twice, and a user gets the same error twice",
        good=field_of("+k8s:required", "string"),
        bad=field_of("+k8s:required\n+k8s:required", "string"),
        fixes=True,
    ),
    advice(
        "tag-at-two-levels",
        "warning",
        _two_levels,
        summary="The same rule at two levels on one element.",
        why="levels do not replace each other: both rules run",
        good=field_of("+k8s:beta=+k8s:required", "string"),
        bad=field_of("+k8s:required\n+k8s:beta=+k8s:required", "string"),
    ),
)  # fmt: skip
