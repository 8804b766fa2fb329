"""The API server's own code evaluates policies: what they are about, bindings, params, and what a denial says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from harness.case import Case, KindInfo, Operation
from harness.targets.crd.target import refusals
from harness.targets.policy.target import PolicyTarget

pytestmark = pytest.mark.kubernetes
KINDS = [
    KindInfo("", "v1", "Pod", "pods", "v1"), KindInfo("", "v1", "ConfigMap", "configmaps", "v1"),
    KindInfo("", "v1", "Node", "nodes", "v1", namespaced=False),
    KindInfo("apps", "v1", "Deployment", "deployments", "apps/v1"),
]  # fmt: skip
POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: {name}}}
spec:
  matchConstraints:
    resourceRules: [{{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}}]
    {match}
  {rest}
"""
BINDING = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: {name}-{number}}}
spec: {{policyName: {name}, validationActions: [{actions}], {rest}}}
"""


def policy(name: str, rest: str, match: str = "") -> str:
    """A policy about pods."""
    return POLICY.format(name=name, rest=rest, match=match)


def binding(name: str, rest: str = "", actions: str = "Deny", number: int = 1) -> str:
    """A binding of a policy."""
    return BINDING.format(name=name, rest=rest, actions=actions, number=number)


def when(label: str) -> str:
    """What lets a policy be asked about objects with one label only, so that one cluster has policies for all tests."""
    return f"objectSelector: {{matchLabels: {{ask: {label}}}}}"


DENY = 'validations: [{expression: "false", message: denied}]'
DOCUMENTS = [
    policy("words", """validations:
    - {expression: "!has(object.spec.hostNetwork)", message: "spec.hostNetwork: not so", reason: Forbidden}
    - {expression: "!has(object.spec.hostPID)", messageExpression: "'pod ' + object.metadata.name"}
    - {expression: "!has(object.spec.hostIPC)", message: "beware: no", reason: Invalid}
    - {expression: "size(object.spec.containers) < 2", reason: RequestEntityTooLarge}""", when("words")),
    policy("raising", """failurePolicy: Fail
  validations: [{expression: "object.spec.priority < 10"}, {expression: "true"}]""", when("raising")),
    policy("ignoring", """failurePolicy: Ignore
  validations: [{expression: "object.spec.priority < 10"}, {expression: "false", message: second}]""", when("raising")),
    policy("conditional", f"""matchConditions: [{{name: named, expression: "object.spec.nodeName == 'a'"}}]
  {DENY}""", when("conditional")),
    policy("lenient", f"""failurePolicy: Ignore
  matchConditions: [{{name: named, expression: "object.spec.nodeName == 'a'"}}]
  {DENY}""", when("lenient")),
    policy("costly", """validations:
    - {expression: "object.spec.containers.all(a, object.spec.containers.all(b, object.spec.containers.all(c,
        object.spec.containers.all(d, a.name + b.name + c.name + d.name != 'x'))))"}
    - {expression: "true"}""", when("costly")),
    policy("annotated", 'auditAnnotations: [{key: a, valueExpression: "string(object.spec.nodeName)"}]',
        when("annotated")),
    policy("changing", """validations:
    - {expression: "oldObject == null || object.spec.nodeName == oldObject.spec.nodeName", message: moved}
    - {expression: "request.operation != 'UPDATE' || request.userInfo.username == 'harness'", message: who}""",
        when("changing")),
    policy("spaces", DENY, when("spaces") + "\n    namespaceSelector: {matchLabels: {tier: front}}"),
    policy("defaults", DENY,
        when("spaces") + "\n    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: b}}"),
    policy("excluded", DENY, when("excluded") + """
    excludeResourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods], resourceNames: [free]}"""),
    policy("warned", DENY, when("bound")), binding("warned", actions="Warn, Audit"),
    policy("bound", DENY, when("bound")),
    binding("bound", 'matchResources: {namespaceSelector: {matchLabels: {tier: front}}}'),
    binding("bound", 'matchResources: {namespaceSelector: {matchLabels: {tier: back}}}', number=2),
    policy("limited", """paramKind: {apiVersion: v1, kind: ConfigMap}
  validations: [{expression: "params == null || object.spec.nodeName != params.data.node", message: not there}]""",
        when("limited")),
    binding("limited", "paramRef: {name: limits, namespace: policies, parameterNotFoundAction: Allow}"),
    binding("limited", "paramRef: {selector: {matchLabels: {of: pods}}, parameterNotFoundAction: Allow}", number=2),
    policy("wanting", """paramKind: {apiVersion: v1, kind: ConfigMap}
  validations: [{expression: "true"}]""", when("wanting")),
    binding("wanting", "paramRef: {name: none, parameterNotFoundAction: Deny}"),
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: front, labels: {tier: front}}",
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: back, labels: {tier: back}}",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits, namespace: policies}\ndata: {node: x}",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: y, namespace: front, labels: {of: pods}}\ndata: {node: y}",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: z, labels: {of: pods}}\ndata: {node: z}",
]  # fmt: skip


def loaded(*texts: str) -> list[dict[str, Any]]:
    """Documents as a client sends them."""
    return [yaml.safe_load(text) for text in texts]


@pytest.fixture(scope="module")
def target() -> Iterator[PolicyTarget]:
    """All policies in one cluster."""
    with PolicyTarget(loaded(*DOCUMENTS), KINDS, "the policies", jobs=1) as opened:
        yield opened


def pod(label: str, space: str = "default", name: str = "a", size: int = 1, **spec: Any) -> dict[str, Any]:
    """A pod that some policies are about."""
    containers = [{"name": f"c{number}", "image": "a"} for number in range(size)]
    metadata = {"name": name, "namespace": space, "labels": {"ask": label}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **spec}}


def told(target: PolicyTarget, new: Any, old: Any = None) -> list[tuple[str, str, str, str]]:
    """What is denied: type, path, words and origin."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    [said] = target.ask([Case(1, "", "v1", "Pod", operation, new, old, "pods")])
    assert (None, ()) == (said.failure, said.handwritten)
    return [(one.type.removeprefix("FieldValue"), one.field, one.detail, one.origin) for one in said.declarative]


def test_what_is_asked_about(target: PolicyTarget) -> None:
    """Of the kinds of a server, those that some policy is about; nothing is refused."""
    assert [("pods", ("create", "update"))] == [(one.resource, one.operations) for one in target.info.kinds]
    assert [] == list(refusals(target.info))


def test_the_words_of_a_denial(target: PolicyTarget) -> None:
    """The reason gives the type, a path at the front of the message the path; a message may be an expression."""
    found = told(target, pod("words", size=2, hostNetwork=True, hostPID=True, hostIPC=True))
    assert [
        ("Forbidden", "spec.hostNetwork", "not so", "words.validations[0]"),
        ("Invalid", "", "pod a", "words.validations[1]"),
        ("Invalid", "", "beware: no", "words.validations[2]"),
        ("TooLong", "", "failed expression: size(object.spec.containers) < 2", "words.validations[3]"),
    ] == found
    assert [] == told(target, pod("words"))


def test_an_expression_that_raises(target: PolicyTarget) -> None:
    """It denies with failurePolicy Fail, and is passed over with Ignore, while the others still count."""
    words = "expression 'object.spec.priority < 10' resulted in error: no such key: priority"
    assert [
        ("Invalid", "", words, "raising.validations[0] raises"), ("Invalid", "", "second", "ignoring.validations[1]"),
    ] == told(target, pod("raising"))  # fmt: skip
    [said] = target.ask([Case(1, "", "v1", "Pod", Operation.CREATE, pod("raising"), None, "pods")])
    assert [("ignoring.validations[0] raises", words)] == [(one.origin, one.detail) for one in said.ignored]
    assert ["ignoring.validations[1]"] == [one[3] for one in told(target, pod("raising", priority=1))]


def test_what_holds(target: PolicyTarget) -> None:
    """A validation that was asked and is true: not one that raised, even if that is ignored, nor one not asked."""
    cases = [pod("raising"), pod("raising", priority=1), pod("conditional", nodeName="b"), pod("words", hostPID=True)]
    answers = target.ask([Case(n, "", "v1", "Pod", Operation.CREATE, one, None, "pods") for n, one in enumerate(cases)])
    assert [
        ("raising.validations[1]",),
        ("raising.validations[0]", "raising.validations[1]", "ignoring.validations[0]"),
        (),
        ("words.validations[0]", "words.validations[2]", "words.validations[3]"),
    ] == [one.held for one in answers]


def test_match_conditions(target: PolicyTarget) -> None:
    """A policy is asked where they hold, and denies where one raises."""
    assert ["conditional.validations[0]"] == [one[3] for one in told(target, pod("conditional", nodeName="a"))]
    assert [] == told(target, pod("conditional", nodeName="b"))
    assert ["conditional.matchConditions raises"] == [one[3] for one in told(target, pod("conditional"))]
    assert ["lenient.validations[0]"] == [one[3] for one in told(target, pod("lenient", nodeName="a"))]
    [said] = target.ask([Case(1, "", "v1", "Pod", Operation.CREATE, pod("lenient"), None, "pods")])
    assert ((), ["lenient.matchConditions raises"]) == (said.declarative, [one.origin for one in said.ignored])


def test_the_budget(target: PolicyTarget) -> None:
    """Expressions that cost more than the server spends deny the object."""
    assert [] == told(target, pod("costly", size=3))
    [found] = told(target, pod("costly", size=60))
    assert ("costly.validations[0] raises", True) == (found[3], found[2].endswith("actual cost limit exceeded"))


def test_an_audit_annotation_that_raises(target: PolicyTarget) -> None:
    """It denies as well; one that does not says nothing."""
    assert ["annotated.auditAnnotations[0] raises"] == [one[3] for one in told(target, pod("annotated"))]
    assert [] == told(target, pod("annotated", nodeName="a"))


def test_an_update(target: PolicyTarget) -> None:
    """Expressions see the old object and the request."""
    old, new = pod("changing", nodeName="a"), pod("changing", nodeName="b")
    assert [] == told(target, old)
    assert [] == told(target, old, old)
    assert ["changing.validations[0]"] == [one[3] for one in told(target, new, old)]


def test_namespaces(target: PolicyTarget) -> None:
    """A namespace has the labels of its document, and its name as every namespace has."""
    origins = {space: [one[3] for one in told(target, pod("spaces", space))] for space in ("front", "back", "b")}
    assert {"front": ["spaces.validations[0]"], "back": [], "b": ["defaults.validations[0]"]} == origins


def test_names_that_are_excluded(target: PolicyTarget) -> None:
    """A policy is not asked about objects that a rule excludes by name."""
    assert [] == told(target, pod("excluded", name="free"))
    assert ["excluded.validations[0]"] == [one[3] for one in told(target, pod("excluded"))]


def test_bindings(target: PolicyTarget) -> None:
    """A policy denies where a binding matches that denies; two that match say it once, and a warning denies nothing."""
    origins = {space: [one[3] for one in told(target, pod("bound", space))] for space in ("front", "back", "b")}
    assert {"front": ["bound.validations[0]"], "back": ["bound.validations[0]"], "b": []} == origins


def test_params(target: PolicyTarget) -> None:
    """They are found by name in their namespace, or by labels in that of the object; none is no denial, if allowed."""
    denied = {
        (space, node) for space in ("front", "default") for node in ("x", "y", "z", "w")
        if told(target, pod("limited", space, nodeName=node))
    }  # fmt: skip
    assert {("front", "x"), ("front", "y"), ("default", "x"), ("default", "z")} == denied
    [missing] = told(target, pod("wanting"))
    assert ("wanting raises", True) == (missing[3], "no params found" in missing[2])


def test_what_a_server_refuses() -> None:
    """Every reason is told, with the document and the field: what does not compile, and what is misspelt."""
    wrong = policy("wrong", 'validations: [{expression: "object.("}, {expression: "1 + 1"}, {expresion: "true"}]')
    with PolicyTarget(
        loaded(policy("fine", DENY), wrong, binding("fine", actions="Shout")), KINDS, "x", jobs=1
    ) as opened:
        found = [(one.resource, one.field) for one in refusals(opened.info)]
        assert [("1", "spec.validations[2].expresion"), ("2", "spec.validationActions[0]")] == found
    wrong = wrong.replace(', {expresion: "true"}', "")
    with PolicyTarget(loaded(wrong), KINDS, "x", jobs=1) as opened:
        found = [(one.resource, one.field) for one in refusals(opened.info)]
    assert [("0", "spec.validations[0].expression"), ("0", "spec.validations[1].expression")] == found
