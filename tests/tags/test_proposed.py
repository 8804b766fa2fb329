"""Tags that proposals describe: read with `--release proposed`, unknown to releases, held to their examples."""

from __future__ import annotations

import pytest

from harness.apidocs.catalogue import tag_page, validate_example
from harness.case import Operation
from harness.diagnostics import InputError
from harness.tags.grammar import NOWHERE, TagLine, TagSyntaxError
from harness.tags.proposed.grammar import parse
from harness.tags.registry import PROPOSED_SPECS, specs_of
from harness.tags.release import Release, release_of
from harness.tags.spec import TagExample, TagSpec
from tests.compiler.fixtures import compiled

NEEDS_CEL = {"validationRule"}
EXAMPLES = [
    pytest.param(spec, example, id=f"{spec.name}-{index}")
    for spec in PROPOSED_SPECS.values()
    if spec.name not in NEEDS_CEL
    for index, example in enumerate(spec.examples)
]


@pytest.mark.parametrize(("spec", "example"), EXAMPLES)
def test_example(spec: TagSpec, example: TagExample) -> None:
    """An example fails at the paths it names, with errors that the tag declares, and nowhere else."""
    found = validate_example(spec.name, example)
    assert list(example.fails) == [error.field for error in found]
    declared = {(emission.type, emission.origin) for emission in spec.emits}
    for error in found if spec.payload is None or spec.payload.kind != "tag" else ():
        origin = "format=" if error.origin.startswith("format=") else error.origin
        assert (error.type, origin) in declared


def test_no_release_knows_them() -> None:
    """Not even the newest; the names that a release has are read as the release reads them."""
    for minor in range(34, 38):
        assert set() == specs_of(Release(minor)).keys() & PROPOSED_SPECS.keys()
    assert Release(proposed=True) == release_of("proposed")
    for line in ("exclusiveMaximum=3", 'ifSubresource("/status")=+k8s:immutable', "memberOf(group: a)"):
        (warning,) = compiled(field(f"+k8s:{line}", "int32")).warnings
        assert ("tag-release", True) == (warning.code, "KEP-5073 proposes it" in warning.message)
        assert "--release proposed" in warning.fix
    with pytest.raises(InputError):
        compiled(field("+k8s:maximum(constraint: g)", "int32"))
    assert () == compiled(field('+pattern="^a$"', "string")).warnings


def field(tag: str, go: str) -> str:
    """A root T with one field."""
    return f'type T struct {{\n\t// {tag}\n\tF {go} `json:"f"`\n\tG int32 `json:"g"`\n}}'


def test_a_limit_that_is_not_reached_is_met_from_both_sides() -> None:
    """Values at the boundary are those that the limit parts: the last one accepted and the limit itself."""
    for name, near in (("k8s:exclusiveMaximum", [6, 7]), ("k8s:exclusiveMinimum", [8, 7])):
        assert near == list(PROPOSED_SPECS[name].probes_of(7))


def test_a_rule_is_for_one_subresource_or_for_all_others() -> None:
    """Requests through another subresource are requests that do not come through this one."""
    go = """// +k8s:supportsSubresource="/status"
// +k8s:supportsSubresource="/scale"
""" + field('+k8s:ifSubresource("/status")=+k8s:maximum=1', "int32").replace(
        "\tG ", '\t// +k8s:ifNotSubresource("/status")=+k8s:maximum=1\n\tG '
    )
    validators = compiled(go, release="proposed")
    told = {
        through: [one.field for one in validators.validate("T", Operation.CREATE, {"f": 2, "g": 2}, None, {}, through)]
        for through in ("", "status", "scale")
    }
    assert {"": ["g"], "status": ["f"], "scale": ["g"]} == told
    assert frozenset() == validators.options("T")


def test_a_group_that_nothing_declares_does_not_compile() -> None:
    """Neither does a union without members."""
    go = 'type T struct {\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=k\n\t// @\n\tF []I `json:"f"`\n}\n'
    go += 'type I struct {\n\tK string `json:"k"`\n}'
    for tag, told in (("listMapItem(k: a)=+k8s:memberOf(group: x)", "no union"), ("union(union: x)", "no members")):
        with pytest.raises(InputError, match=told):
            compiled(go.replace("@", f"+k8s:{tag}"), release="proposed")


@pytest.mark.parametrize(
    ("text", "value", "fields"),
    [
        (
            '+validationRule="a < b",message="it\'s, \\"so\\"",reason=Invalid',
            "a < b",
            {"message": 'it\'s, "so"', "reason": "Invalid"},
        ),
        ("+nameFormat='dns1123subdomain'", "dns1123subdomain", {}),
        ("+format=dns1035label", "dns1035label", {}),
        ("+pattern=`^[a-z]\\d+$`", "^[a-z]\\d+$", {}),
    ],
)
def test_tags_of_kep_4153_are_parsed(text: str, value: str, fields: dict[str, str]) -> None:
    """A value in any quotes, then fields with commas between them."""
    name = text[1 : text.index("=")]
    tag = parse(TagLine(name, text, NOWHERE, text))
    assert tag.scalar is not None
    assert (value, fields) == (tag.scalar.text, {one.name: one.value.text for one in tag.args})


@pytest.mark.parametrize(
    "text", ['+pattern="a', "+pattern=", '+pattern="a" "b"', '+validationRule="a",b', "+pattern=a=b,c=d e"]
)
def test_what_is_no_tag_of_kep_4153_is_told_with_its_place(text: str) -> None:
    """A diagnostic, and no guess."""
    with pytest.raises(TagSyntaxError):
        parse(TagLine("pattern" if "pattern" in text else "validationRule", text, NOWHERE, text))
    with pytest.raises(InputError, match="does not parse"):
        compiled(field(text, "string"), release="proposed")


def test_their_pages_say_that_no_generator_knows_them() -> None:
    """In the first sentences, and in the history."""
    for name in PROPOSED_SPECS.keys() - NEEDS_CEL:
        page = tag_page(PROPOSED_SPECS[name])
        assert "No release has it" in page, name
        assert "--release proposed" in page.partition("##")[0], name
