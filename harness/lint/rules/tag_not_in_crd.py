"""Finds tags that controller-gen leaves out of a CRD: those of a kubebuilder project, and those of types it embeds.

controller-gen v0.23.0 reads eight tags on fields and three on types, and none with a level or another wrapper. A rule
that is written as a marker of kubebuilder too is in the CRD. `harness compile --generator` asks controller-gen itself.
Source: sigs.k8s.io/controller-tools v0.23.0, pkg/crd/markers/validation.go and topology.go (2026-11).
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.gotypes.model import Comments, Struct, Typedef, TypeRef
from harness.lint.advice import advise
from harness.lint.elements import member_of, path_of, pointee, reachable_types, tag_lines_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import Use, find_uses, tag_text, tagged_elements, uses_on, validation_tags
from harness.lint.view import Element, PackageView
from harness.tags.grammar import tag_lines
from harness.tags.spec import Scope

READ_ON_FIELDS = frozenset(
    {"required", "optional", "immutable", "maxItems", "minimum", "maximum", "listType", "listMapKey"}
)
READ_ON_TYPES = frozenset({"enum", "listType", "listMapKey"})
_PROJECT = "kubebuilder:"
_MARKER = "kubebuilder:validation:"
_CEL = f"{_MARKER}XValidation"
_NATIVE = "k8s.io/api/"
_FIX = "write it as a marker of kubebuilder too, such as +kubebuilder:validation:{0}"
_FIX_EMBEDDED = (
    "read `harness compile --kubernetes RELEASE --generator controller-gen`, and write what has to hold in CEL"
)


def find(view: PackageView) -> Iterator[Advice]:
    # Types of Kubernetes itself may have markers for those who embed them; their own server reads the tags.
    if view.path.startswith(_NATIVE) or not any(line.name.startswith(_PROJECT) for line in tag_lines_of(view)):
        return
    for element in tagged_elements(view):
        for use in uses_on(view, element):
            if is_left_out(use, element.comments, on_field=element.scope is Scope.FIELD):
                message = (
                    f"{tag_text(use.outer)} on {path_of(element)} is not in the CRD: controller-gen does not read it"
                )
                yield advise(use.outer, message, _FIX.format(use.name[0].upper() + use.name[1:]))
    for element in view.elements:
        if element.member is not None:
            yield from _embedded(view, element)


def is_left_out(use: Use, comments: Comments, *, on_field: bool) -> bool:
    """Whether a tag rejects objects and is no part of a CRD, neither by itself nor as a marker of kubebuilder."""
    if not _rejects(use) or (not use.wrappers and use.name in (READ_ON_FIELDS if on_field else READ_ON_TYPES)):
        return False
    same = {use.name, f"{_MARKER}{use.name[0].upper()}{use.name[1:]}"}
    return not any(line.name in same or line.name.startswith(_CEL) for line in tag_lines(comments))


def _rejects(use: Use) -> bool:
    return use.can_reject and use.name != "optional"


def _embedded(view: PackageView, element: Element) -> Iterator[Advice]:
    """Report a field with a type of Kubernetes whose rules are not in the CRD, with their number."""
    for ref in _types_within(view, member_of(element).type):
        if ref.name.startswith(_NATIVE):
            every = list(_uses_below(view, ref.name))
            left = sum(is_left_out(use, comments, on_field=on_field) for use, comments, on_field in every)
            if left:
                message = (
                    f"{path_of(element)} embeds {ref.name.rpartition('/')[2]} of Kubernetes, and the CRD is "
                    f"without {left} of its {len(every)} tags"
                )
                yield advise(element, message, _FIX_EMBEDDED)


def _types_within(view: PackageView, ref: TypeRef) -> Iterator[TypeRef]:
    """Yield the named types of a value, its items and its values."""
    ref = pointee(view, ref)
    if ref.kind == "named":
        yield ref
    elif ref.kind in ("list", "map") and ref.elem is not None:
        yield from _types_within(view, ref.elem)


def _uses_below(view: PackageView, name: str) -> Iterator[tuple[Use, Comments, bool]]:
    """Yield the tags that reject, of a type and all of Kubernetes' below it, each with the comments that it is in."""
    for one in sorted(found for found in reachable_types(view, [name]) if found.startswith(_NATIVE)):
        declared: Struct | Typedef | None = view.types.find(one)
        blocks = [(declared.comments, False)] if declared is not None else []
        if isinstance(declared, Struct):
            blocks += [(member.comments, True) for member in declared.fields]
        for comments, on_field in blocks:
            for use in find_uses(validation_tags(comments)):
                if _rejects(use):
                    yield use, comments, on_field


_ROOT = "// +kubebuilder:object:root=true\n"

RULE = LintRule(
    code="tag-not-in-crd",
    severity="warning",
    summary="A tag that controller-gen leaves out of the CRD, or an embedded type of Kubernetes with such tags.",
    why="the server of a CRD checks its schema alone, and controller-gen does not read every tag into it",
    good=field_of("+k8s:optional\n+k8s:maxItems=3", "[]string", _ROOT),
    bad=field_of("+k8s:optional\n+k8s:minItems=3", "[]string", _ROOT),
    find=find,
)
