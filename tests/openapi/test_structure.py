"""Types and tags become structural schemas with rules in CEL, and nothing is left out in silence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from harness.compiler.build import Builder
from harness.openapi.crds import definition, plural_of
from harness.openapi.structure import SchemaWriter, StructuralSchema
from harness.tags.release import release_of
from tests.compiler.fixtures import universe_of


def written(go: str, options: Mapping[str, bool] | None = None) -> StructuralSchema:
    """The schema of T."""
    universe = universe_of(go.replace("type T struct", "// +k8s:validation-gen=true\ntype T struct"))
    plan = Builder(universe, "example", release_of("1.37"), {}).build()
    return SchemaWriter(universe, plan, options).write(plan.roots["T"])


def member(tag: str, go: str = "string", **more: Any) -> StructuralSchema:
    """The schema of T with one member f."""
    return written(f'type T struct {{\n\t// {tag}\n\tF {go} `json:"f"`\n}}', **more)


def rules(schema: Mapping[str, Any]) -> list[str]:
    """The CEL of a schema."""
    return [one["rule"] for one in schema.get("x-kubernetes-validations", ())]


@pytest.mark.parametrize(
    ("tag", "go", "word", "value"),
    [
        ("+k8s:maxLength=3", "string", "maxLength", 3),
        ("+k8s:maximum=3", "*int32", "maximum", 3),
        ("+k8s:maxItems=3", "[]string", "maxItems", 3),
        ("+k8s:maxProperties=3", "map[string]string", "maxProperties", 3),
        ("+k8s:listType=set", "[]string", "x-kubernetes-list-type", "set"),
    ],
)
def test_a_tag_with_a_word_of_openapi_is_that_word(tag: str, go: str, word: str, value: object) -> None:
    """And needs no rule in CEL."""
    schema = member(tag, go).schema
    assert (value, []) == (schema["properties"]["f"][word], rules(schema) + rules(schema["properties"]["f"]))


def test_a_required_member_may_stay_absent() -> None:
    """An update that leaves it absent passes, as Go lets what is unchanged pass; so it is no `required`."""
    schema = member("+k8s:required").schema
    (rule,) = schema["x-kubernetes-validations"]
    assert "(has(self.f)) || (oldSelf.hasValue() && (!has(oldSelf.value().f)))" == rule["rule"]
    assert ("FieldValueRequired", ".f", True) == (rule["reason"], rule["fieldPath"], rule["optionalOldSelf"])


def test_a_required_member_of_an_item_is_required() -> None:
    """Items of a list without keys have no old value that a rule could read."""
    go = 'type T struct {\n\tF []I `json:"f"`\n}\n\ntype I struct {\n\t// +k8s:required\n\tA string `json:"a"`\n}'
    assert ["a"] == written(go).schema["properties"]["f"]["items"]["required"]


def test_a_value_that_may_not_be_zero_must_be_there() -> None:
    """Objects have no zero values: a minimum of 1 rejects an absent number, unless it is optional."""
    assert ["(has(self.f)) || (oldSelf.hasValue() && (!has(oldSelf.value().f)))"] == rules(
        member("+k8s:minimum=1", "int32").schema
    )
    assert [] == rules(member("+k8s:optional\n\t// +k8s:minimum=1", "int32").schema)


def test_a_struct_is_there_where_an_empty_one_is_accepted() -> None:
    """Go always has a struct without pointer; one with a required member must be there."""
    inner = 'type T struct {\n\tF S `json:"f"`\n}\n\ntype S struct {\n\t// %s\n\tA string `json:"a"`\n}'
    assert {} == written(inner % "+k8s:maxLength=3").schema["properties"]["f"]["default"]
    needy = written(inner % "+k8s:required").schema
    assert "default" not in needy["properties"]["f"]
    assert [".f.a"] == [one["fieldPath"] for one in needy["x-kubernetes-validations"]]


KEYED = """type T struct {
	// +k8s:listType=map
	// +k8s:listMapKey=k
	F []I `json:"f"`
}

type I struct {
	// %s
	K string `json:"k"`
	// +k8s:immutable
	V string `json:"v"`
}
"""


def test_items_with_keys_have_an_old_value() -> None:
    """So that their transition rules stand; a key that may be absent has the zero value as its default."""
    schema = written(KEYED % "any").schema["properties"]["f"]
    assert ("map", ["k"]) == (schema["x-kubernetes-list-type"], schema["x-kubernetes-list-map-keys"])
    assert "" == schema["items"]["properties"]["k"]["default"]
    assert 1 == len(rules(schema["items"]))


def test_a_key_that_must_be_there_is_required() -> None:
    """A list map takes no items without keys: an absent key is the zero value, which its rule takes for absent."""
    items = written(KEYED % "+k8s:required").schema["properties"]["f"]["items"]
    assert ("", False) == (items["properties"]["k"]["default"], "required" in items)
    assert '((self.k != "")) || (oldSelf.hasValue() && (!(oldSelf.value().k != "")))' == rules(items)[0]
    pointer = written((KEYED % "+k8s:required").replace("K string", "K *string")).schema["properties"]["f"]["items"]
    assert ["k"] == pointer["required"]


def test_a_key_within_a_list_without_keys_is_required_too() -> None:
    """Where there is no old value, and `required` would be the word, which a default makes void."""
    outer = KEYED.replace("type T struct {", 'type T struct {\n\tO []O `json:"o"`\n}\n\ntype O struct {')
    items = written(outer % "+k8s:required").schema["properties"]["o"]["items"]["properties"]["f"]["items"]
    assert ['self.k != ""'] == [rule for rule in rules(items) if "self.k" in rule]
    assert "required" not in items


def test_a_key_that_may_be_absent_makes_no_list_map() -> None:
    """A pointer that is absent is another key than each value: uniqueness is a rule, and items have no old value."""
    found = written((KEYED % "+k8s:optional").replace("K string", "K *string"))
    schema = found.schema["properties"]["f"]
    assert "x-kubernetes-list-type" not in schema
    assert ["FieldValueDuplicate"] == [one["reason"] for one in schema["x-kubernetes-validations"]]
    assert "schema-lost" in [loss.code for loss in found.losses]


def test_items_without_keys_lose_their_transition_rules() -> None:
    """With the line of the tag, the reason and what to do."""
    found = written(KEYED.replace("// +k8s:listType=map\n", "//\n").replace("// +k8s:listMapKey=k\n", "//\n") % "any")
    lost = [one for one in found.losses if one.code == "schema-lost"]
    assert [("+k8s:immutable of T.f[*].v is left out", 13)] == [(one.message, one.position.line) for one in lost]
    assert "reads the old value" in lost[0].why
    assert "keys of its items" in lost[0].fix


def test_an_option_is_on_or_off() -> None:
    """There is one schema for each gate setting, and the tag says which one it is."""
    on = member("+k8s:ifEnabled(Feature)=+k8s:maxLength=3", options={"Feature": True})
    off = member("+k8s:ifEnabled(Feature)=+k8s:maxLength=3")
    assert (3, None) == tuple(one.schema["properties"]["f"].get("maxLength") for one in (on, off))
    assert [["schema-differs"], ["schema-differs"]] == [[loss.code for loss in one.losses] for one in (on, off)]
    assert "--option Feature=true" in off.losses[0].fix


def test_a_level_is_told() -> None:
    """A schema has no levels: it enforces what Kubernetes only counts."""
    (loss,) = member("+k8s:alpha=+k8s:maxLength=3").losses
    assert "its level is alpha, and a schema enforces every rule" == loss.why


def test_a_check_in_go_is_left_out() -> None:
    """And told with the function that is not called."""
    universe = universe_of(
        '// +k8s:validation-gen=true\ntype T struct {\n\t// +k8s:validateFalse="no"\n\tF string `json:"f"`\n}'
    )
    plan = Builder(universe, "example", release_of("1.37"), {}).build()
    (loss,) = SchemaWriter(universe, plan).write(plan.roots["T"]).losses
    assert ("schema-lost", "OpenAPI and CEL have no form of validate_false") == (loss.code, loss.why)


def test_a_list_above_rules_gets_a_limit() -> None:
    """Without one, a server would refuse the rules; the limit is told."""
    found = member("+k8s:eachVal=+k8s:format=k8s-short-name", "[]string")
    assert 2000 == found.schema["properties"]["f"]["maxItems"]
    assert ["gets maxItems: 2000, which no tag says"] == [
        one.message for one in found.losses if one.code == "schema-limit"
    ]


def test_a_type_in_itself_ends() -> None:
    """Structural schemas have no references: what is nested deeper is accepted, which is told."""
    go = 'type T struct {\n\t// +k8s:maxLength=3\n\tA string `json:"a"`\n\tF *T `json:"f"`\n}'
    found = written(go)
    assert found.schema["properties"]["f"]["x-kubernetes-preserve-unknown-fields"]
    assert ["T.f ends at T"] == [one.message for one in found.losses]


def test_a_rule_of_the_name_stands_at_the_root() -> None:
    """A schema says of the metadata only what concerns name and generateName."""
    meta = "k8s.io/apimachinery/pkg/apis/meta/v1"
    go = f'import metav1 "{meta}"\n\ntype T struct {{\n\t// %s\n\tmetav1.ObjectMeta `json:"metadata"`\n}}'
    schema = written(go % "+k8s:subfield(name)=+k8s:format=k8s-short-name").schema
    assert [".metadata.name"] == [one["fieldPath"] for one in schema["x-kubernetes-validations"]]
    lost = written(go % "+k8s:subfield(namespace)=+k8s:format=k8s-short-name").losses
    assert ["+k8s:format of T.metadata.namespace is left out"] == [one.message for one in lost]


def test_a_name_that_cel_reserves_is_escaped() -> None:
    """`in` and `a-b` are selected by their escaped names."""
    schema = written(
        'type T struct {\n\t// +k8s:required\n\tF string `json:"in"`\n\t// +k8s:required\n\tG string `json:"a-b"`\n}'
    ).schema
    assert ["has(self.__in__)", "has(self.a__dash__b)"] == [
        rule[1:].partition(")) ")[0] + ")" for rule in rules(schema)
    ]


def test_a_name_that_cel_cannot_select_loses_its_rules() -> None:
    """`$ref` has no escaped form: its tag is told, as is a union with such a member."""
    alone = written('type T struct {\n\t// +k8s:maxLength=3\n\tF string `json:"$ref"`\n\tG string `json:"$x"`\n}')
    assert ["+k8s:maxLength of T.$ref is left out"] == [one.message for one in alone.losses]
    tagged = '\t// +k8s:unionMember\n\t%s *string `json:"%s"`\n'
    union = "type T struct {\n" + tagged % ("F", "$ref") + tagged % ("G", "g") + "}"
    assert "CEL cannot select a member with the name $ref" in [one.why for one in written(union).losses]


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("Policy", "policies"),
        ("Gateway", "gateways"),
        ("Class", "classes"),
        ("Endpoints", "endpoints"),
        ("Pod", "pods"),
    ],
)
def test_plurals_are_those_of_kubernetes(kind: str, plural: str) -> None:
    """As its own resources are named."""
    assert plural == plural_of(kind)


def test_a_group_of_kubernetes_is_approved() -> None:
    """A server refuses a CRD of *.k8s.io without the annotation, and any group without a dot."""
    crd = definition("apps", "Thing", {"v1": {"type": "object"}, "v1beta1": {"type": "object"}})
    assert ("things.apps.k8s.io", ["api-approved.kubernetes.io"]) == (
        crd["metadata"]["name"], list(crd["metadata"]["annotations"]),
    )  # fmt: skip
    assert [True, False] == [version["storage"] for version in crd["spec"]["versions"]]
