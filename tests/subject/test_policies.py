"""Policies are read with what they are asked with; what keeps them from meaning something is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnostics import InputError, UsageError
from harness.subject.policies import BINDING, POLICY, left_out, of_kind, policy_literals, read_policies

HEAD = "---\napiVersion: admissionregistration.k8s.io/v1\nkind: "
ASKED = """\
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations:
  - expression: object.spec.containers.all(one, one.image.startsWith('registry.example.com/') && size(one.name) < 12)
"""
POD = f"{HEAD}{POLICY}\nmetadata: {{name: pods}}\n{ASKED}"
BOUND = f"{HEAD}{BINDING}\nmetadata: {{name: pods}}\nspec: {{policyName: pods, validationActions: [Deny]}}\n"
LIMITS = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits, namespace: policies}\ndata: {team: payments}\n"


def written(folder: Path, text: str) -> str:
    """The path of a file with this text."""
    file = folder / "policies.yaml"
    file.write_text(text)
    return str(file)


def test_what_is_read(tmp_path: Path) -> None:
    """Policies, bindings and every other object of the folder, which may be a param or a namespace."""
    found = read_policies(written(tmp_path, POD + BOUND + LIMITS))
    assert [POLICY, BINDING, "ConfigMap"] == [one.document["kind"] for one in found]
    assert [["pods"], ["pods"]] == [[one.name for one in of_kind(found, kind)] for kind in (POLICY, BINDING)]
    assert 10 == found[0].position("spec.validations[0].expression").line


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (POD.replace("k8s.io/v1", "k8s.io/v1beta1"), "policy-version", 2),
        (POD + POD, "policy-twice", 12),
        (POD + BOUND + BOUND, "policy-twice", 17),
        (POD + BOUND.replace("policyName: pods", "policyName: pod"), "policy-unbound", 15),
        (POD.replace("spec:\n", "spec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n"), "policy-unbound", 6),
        ("a: [", "manifest-syntax", 2),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str, code: str, line: int) -> None:
    """Where, what, and how to mend it."""
    with pytest.raises(InputError) as caught:
        read_policies(written(tmp_path, text))
    [diagnostic] = caught.value.diagnostics
    assert (code, line) == (diagnostic.code, diagnostic.position.line)
    assert diagnostic.fix or code == "manifest-syntax"


def test_everything_is_told_at_once(tmp_path: Path) -> None:
    """One command shows every problem of a folder."""
    wrong = POD + POD + BOUND.replace("policyName: pods", "policyName: pod")
    with pytest.raises(InputError) as caught:
        read_policies(written(tmp_path, wrong))
    assert ["policy-twice", "policy-unbound"] == [one.code for one in caught.value.diagnostics]


def test_a_folder_without_policies(tmp_path: Path) -> None:
    """A folder of something else is refused."""
    with pytest.raises(UsageError, match="has no ValidatingAdmissionPolicy"):
        read_policies(written(tmp_path, LIMITS))
    with pytest.raises(UsageError, match="a folder with policies"):
        read_policies(str(tmp_path / "nowhere"))


def test_what_has_no_effect(tmp_path: Path) -> None:
    """Nothing is left out without a word: operations, subresources, warnings, the authorizer, a missing binding."""
    assert [] == list(left_out(read_policies(written(tmp_path, POD + BOUND))))
    text = POD.replace("[CREATE]", "[CREATE, DELETE, CONNECT]").replace("[pods]", "[pods, pods/status]")
    text += BOUND.replace("[Deny]", "[Warn, Audit]") + POD.replace("name: pods}", "name: other}")
    text = text.replace("object.spec.containers", "authorizer.group('').resource('pods')", 1)
    said = list(left_out(read_policies(written(tmp_path, text))))
    assert [
        "pods denies nothing: its bindings only Audit and Warn",
        "pods is not asked about CONNECT and DELETE: only creates and updates are",
        "pods is not asked about pods/status: subresources are left out",
        "pods asks the authorizer, which allows everything here",
        "no binding names other: it is taken as bound to everything, and denies",
    ] == said


def test_values_to_try(tmp_path: Path) -> None:
    """Literals of expressions and values of params go with the names beside them."""
    literals = policy_literals([read_policies(written(tmp_path, POD + BOUND + LIMITS))])
    assert "registry.example.com/" in literals.near(["image"])
    assert 12 in literals.near(["containers"])
    assert "payments" in literals.near(["team"])
    assert () == literals.near(["namespace"])
