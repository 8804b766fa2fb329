"""What proposals describe, in use: a suite, schemas, and `+validationRule` with cel-expr-python."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.apidocs.catalogue import compile_errors, tag_page, validate_example
from harness.diagnostics import InputError
from harness.engine import RunConfig, run
from harness.events import Budget
from harness.field import FieldError
from harness.subject import SubjectSpec
from harness.subject.api import open_api
from harness.subject.schemas import compile_schemas
from harness.tags.proposed.expressions import VALIDATION_RULE
from harness.tags.spec import TagExample
from harness.tags.translation import ERRORS, STRIP_ZERO
from tests.compiler.fixtures import errors

TYPES = """type T struct {
	// @
	Spec Spec `json:"spec"`
}

type Spec struct {
	Meta `json:",inline"`
	Paused bool `json:"paused,omitempty"`
	Size *int32 `json:"size,omitempty"`
	Ports []int32 `json:"ports,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Limit resource.Quantity `json:"limit"`
	Inner *Spec `json:"inner,omitempty"`
}

type Meta struct {
	Name string `json:"name"`
}
"""


def asked(rule: str, spec: object, old: object = None) -> list[FieldError]:
    """What a rule on the spec says of it."""
    go = 'import "k8s.io/apimachinery/pkg/api/resource"\n\n' + TYPES.replace("@", f"+validationRule={rule}")
    return errors(go, {"spec": spec}, None if old is None else {"spec": old}, release="proposed")


@pytest.mark.parametrize("example", VALIDATION_RULE.examples, ids=str)
def test_example(example: TagExample) -> None:
    """An example fails at the paths it names, and its page says that no release knows the tag."""
    assert "No release has it" in tag_page(VALIDATION_RULE)
    assert list(example.fails) == [error.field for error in validate_example(VALIDATION_RULE.name, example)]


def test_what_cannot_be_asked_does_not_compile() -> None:
    """CEL that is none, and reasons that there are not."""
    assert [] == [one for one in VALIDATION_RULE.invalid_usages if not compile_errors(VALIDATION_RULE.name, one)]


@pytest.mark.parametrize(
    ("rule", "fits", "not_fits"),
    [
        ('"!has(self.paused)"', {"paused": False}, {"paused": True}),
        ('"has(self.size)"', {"size": 0}, {}),
        ('"has(self.name)"', {"name": "a"}, {"name": ""}),
        ('"!has(self.ports) || self.ports.all(p, p > 0)"', {"ports": []}, {"ports": [1, 0]}),
        ("\"!has(self.labels) || self.labels.all(k, k != 'a')\"", {"labels": {"b": ""}}, {"labels": {"a": ""}}),
        ('"!has(self.inner) || self.inner.size == 1"', {"inner": {"size": 1}}, {"inner": {"size": 2}}),
    ],
)
def test_values_are_seen_as_the_proposal_wants(rule: str, fits: object, not_fits: object) -> None:
    """Zero values of what is no pointer are absent; embedded members, lists, maps and pointers are there."""
    assert [] == asked(rule, fits)
    assert [("FieldValueInvalid", "spec", "validationRule")] == [
        (one.type, one.field, one.origin) for one in asked(rule, not_fits)
    ]


def test_message_reason_and_field_are_those_of_the_tag() -> None:
    """A message may be made by another rule."""
    (told,) = asked('"self.size < 3",message="too large",reason=Forbidden,field="size"', {"size": 3})
    assert "spec.size: Forbidden: too large" == told.text
    (told,) = asked('"self.size < 3",messageExpression="\'size is \' + string(self.size)",message="no"', {"size": 3})
    assert "size is 3" == told.detail
    (told,) = asked('"self.size < 3"', {"size": 3})
    assert "failed rule: self.size < 3" == told.detail


def test_a_rule_that_raises_is_an_error() -> None:
    """As on a server, with the rule."""
    (told,) = asked('"self.size < 3"', {})
    assert ("FieldValueInvalid", "no such key: size evaluating rule: self.size < 3") == (told.type, told.detail)


def test_a_transition_rule_is_asked_of_updates() -> None:
    """Creates have no old value."""
    rule = '"!has(oldSelf.size) || self.size >= oldSelf.size"'
    assert [] == asked(rule, {"size": 1})
    assert [] == asked(rule, {"size": 2}, {"size": 1})
    assert 1 == len(asked(rule, {"size": 1}, {"size": 2}))


SUITE = """
from harness.suite import Suite, SuiteKind

from .handwritten import validate_crate

SUITE = Suite(
    name="crates",
    group="crates.example.com",
    release="proposed",
    kinds=[
        SuiteKind(
            kind="Crate", resource="crates", versions={"v1": "types.go"}, handwritten=validate_crate,
            subresources=("status",),
        )
    ],
)
"""
CRATE = """package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +k8s:supportsSubresource="/status"
type Crate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec CrateSpec `json:"spec"`
}

type CrateSpec struct {
	// +k8s:optional
	// +k8s:alpha=+k8s:exclusiveMaximum=9
	Weight *int32 `json:"weight"`
	// +k8s:optional
	// +k8s:alpha=+k8s:ifNotSubresource("/status")=+k8s:immutable
	Label *string `json:"label"`
	// +k8s:optional
	// +k8s:alpha=+k8s:maximum(constraint: weight)
	Free *int32 `json:"free"`
	Note string `json:"note"`
}
"""
HANDWRITTEN = '''
"""A crate that may weigh nine, where its tag says less than nine."""

from harness.field import Path
from harness.field.make import invalid


def validate_crate(new, old, context):
    spec, before, path, errors = new.get("spec") or {}, (old or {}).get("spec") or {}, Path().child("spec"), []

    def add(name, text, origin):
        errors.append(invalid(path.child(name), spec.get(name), text, origin=origin, covered=True))

    weight, free = spec.get("weight"), spec.get("free")
    if weight is not None and weight > 9 and not (old and weight == before.get("weight")):
        add("weight", "must be less than 9", "exclusiveMaximum")
    if weight is not None and free is not None and free > weight:
        if not (old and (weight, free) == (before.get("weight"), before.get("free"))):
            add("free", f"must be less than or equal to weight ({weight})", "maximum")
    if old is not None and not context.subresource and spec.get("label") != before.get("label"):
        add("label", "field is immutable", "immutable")
    return errors
'''


def test_a_suite_is_read_with_proposals(tmp_path: Path) -> None:
    """The limit that is off by one is found and told by its tag; the limit by a field and the subresource agree."""
    doc = "// +k8s:validation-gen=TypesWithField=TypeMeta\n\npackage v1\n"
    for name, text in {"suite.py": SUITE, "types.go": CRATE, "doc.go": doc, "handwritten.py": HANDWRITTEN}.items():
        (tmp_path / name).write_text(text.lstrip(), encoding="utf-8")
    result = run(SubjectSpec("suite", str(tmp_path)), RunConfig(seed=1, budget=Budget(max_cases=3000)))
    assert {("spec.weight", "boundary")} == {(one.path, one.cause) for one in result.findings}
    assert all("+k8s:exclusiveMaximum" in one.fix for one in result.findings)
    assert 2000 < result.compared


def test_openapi_has_the_words_that_the_proposal_adds(tmp_path: Path) -> None:
    """Zero values to strip and messages by word; a CRD has neither, since no server knows these words."""
    (tmp_path / "types.go").write_text(CRATE.replace("type Crate ", "// +k8s:validation-gen=true\ntype Crate "))
    api = open_api(str(tmp_path), release="proposed")
    (with_them,), (without,) = (
        [next(iter(one.versions.values())) for one in compile_schemas(api, {}, extensions) if one.kind == "Crate"]
        for extensions in (True, False)
    )
    spec = with_them["properties"]["spec"]["properties"]
    assert {"maximum": "must be less than 9", "exclusiveMaximum": "must be less than 9"} == spec["weight"][ERRORS]
    assert STRIP_ZERO in str(with_them)
    assert STRIP_ZERO not in str(without)
    assert ERRORS not in str(without)


@pytest.mark.parametrize(
    ("text", "fits"), [("my-app-", True), ("1a-", False), ("1-", True), ("-", False), ("a.b-", False)]
)
def test_prefixes_are_read_as_the_server_reads_them(text: str, fits: bool) -> None:
    """The dash and the letter before it make way, in tags and in `format.dns1035LabelPrefix()` of CEL alike.

    Source: apimachinery pkg/api/validation/generic.go v0.37.1, maskTrailingDash.
    """
    meta = 'type T struct {\n\t// +nameFormat=dns1035label\n\tF Meta `json:"f"`\n}\n\n'
    meta += 'type Meta struct {\n\tGenerateName string `json:"generateName"`\n}'
    assert fits is (not errors(meta, {"f": {"generateName": text}}, release="proposed"))
    rule = '+validationRule="!format.dns1035LabelPrefix().validate(self).hasValue()"'
    go = f'type T struct {{\n\t// {rule}\n\tF string `json:"f"`\n}}'
    assert fits is (not errors(go, {"f": text}, release="proposed"))


STORED = '''"""A definition as it is stored, and as a new one."""
from harness.suite import Suite

SUITE = Suite(old="stored:crd.yaml", new="crd.yaml", release="RELEASE")
'''
CRD = """kind: CustomResourceDefinition
spec:
  group: g.example.com
  names: {kind: A}
  versions:
  - name: v1
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      name: {type: string, format: FORMAT}, size: {type: integer, minimum: 1}}}}}}
"""


@pytest.mark.parametrize(("format", "found"), [("dns1123label", {"spec.name"}), ("k8s-short-name", set())])
def test_what_a_stored_definition_means_on_a_server_that_does_not_support_its_format(
    tmp_path: Path, format: str, found: set[str]
) -> None:
    """Of two servers of the proposal, the one that stored a format rejects what a new definition there accepts."""
    (tmp_path / "suite.py").write_text(STORED.replace("RELEASE", "proposed"))
    (tmp_path / "crd.yaml").write_text(CRD.replace("FORMAT", format))
    result = run(SubjectSpec("suite", str(tmp_path)), RunConfig(seed=1, budget=Budget(max_cases=600)))
    assert found == {one.path for one in result.findings}
    assert all(kind.has_seed for kind in result.kinds)


def test_a_release_has_no_formats_of_storage(tmp_path: Path) -> None:
    """It is told where the suite is read, with what to write."""
    (tmp_path / "suite.py").write_text(STORED.replace("RELEASE", "1.37"))
    (tmp_path / "crd.yaml").write_text(CRD.replace("FORMAT", "dns1123label"))
    with pytest.raises(InputError, match='release="proposed"'):
        run(SubjectSpec("suite", str(tmp_path)), RunConfig(seed=1, budget=Budget(max_cases=10)))
