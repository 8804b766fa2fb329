"""The functions of +k8s:customValidation that Kubernetes has, in Python."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import Operation
from harness.field import Path
from harness.subject.api import open_api
from harness.tags.custom_kubernetes import KUBERNETES, CustomFunctions


def said(name: str, value: Any) -> list[str]:
    return [e.text for e in KUBERNETES[f"ValidateCustom_{name}"](Operation.CREATE, Path().child("p"), value, None)]


@pytest.mark.parametrize(
    "value", ["k8s.io/a", "a.K8S.io/a", " b.kubernetes.io. /a", "kubernetes.io", "x.\u212a8s.\u0130o"]
)
def test_domains_of_kubernetes_are_reserved(value: str) -> None:
    """However it is written: a reserved domain is told by its last labels."""
    assert [f'p: Invalid value: "{value}": domain names *.k8s.io, *.kubernetes.io are reserved'] == said(
        "EvictionResponder_Name", value
    )
    assert said("EvictionRequestSpec_Requester", value) == said("EvictionResponder_Name", value)


@pytest.mark.parametrize("value", ["", "a/k8s.io", "xk8s.io/a", "k8s.io.example.com/a", "\x1ck8s.io/a", None])
def test_other_domains_are_not(value: str | None) -> None:
    """Only the part before the slash counts, and whole labels of it."""
    assert [] == said("EvictionResponder_Name", value)


def test_low_priorities_are_reserved() -> None:
    """From 0 to 999."""
    accepted = [value for value in (None, -1, 0, 999, 1000) if not said("EvictionResponder_Priority", value)]
    assert [None, -1, 1000] == accepted


def test_a_condition_wants_its_time() -> None:
    """Absent and zero are none, in any zone."""
    refused = [
        v for v in (None, "", "0001-01-01T00:00:00Z", "2026-01-01T00:00:00Z") if said("Condition_LastTransitionTime", v)
    ]
    assert [None, "", "0001-01-01T00:00:00Z"] == refused


def test_an_unknown_function_is_named_and_everything_else_works(tmp_path: Any) -> None:
    """A newer release may call more: the other rules of the type are still there."""
    (tmp_path / "types.go").write_text(
        "package v1\n\n// +k8s:validation-gen=true\ntype T struct {\n\t// +k8s:customValidation\n\t// +k8s:required\n"
        '\tName string `json:"name"`\n}\n'
    )
    functions = CustomFunctions()
    api = open_api(tmp_path)
    compiled = api.compile(api.packages[0], functions)
    assert ["name: Required value"] == [e.text for e in compiled.validate("T", Operation.CREATE, {})]
    assert ("ValidateCustom_T_Name",) == functions.missing
    assert "ValidateCustom_T_Name is handwritten in Go" in functions.warnings()[0]
