"""What an answer of a real release has besides its lists, when it is asked for: objects, costs, lines and calls."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from harness.case import Case, Measure
from harness.targets.kubernetes import KubernetesTarget
from harness.targets.kubernetes.release import find_release, find_toolchain, module_folder
from tests.targets.kubernetes.asking import CREATE, UPDATE, ask, only, role


def test_what_was_validated_is_shown_when_asked_for(target: KubernetesTarget) -> None:
    """After defaults and conversion, by version; the old object and the subresource too."""
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}}}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": spec}
    create = Case(1, "apps", "v1", "Deployment", CREATE, deployment, resource="deployments", validated=True)
    update = Case(
        2, "apps", "v1", "Deployment", UPDATE, deployment, deployment, "deployments", "status", validated=True,
        versions=True,
    )  # fmt: skip
    silent = Case(3, "apps", "v1", "Deployment", CREATE, deployment, resource="deployments")
    created, updated, nothing = target.ask([create, update, silent])
    seen = created.validated["v1"]
    assert ("k8s.io/api/apps/v1.Deployment", 1, None) == (seen.type, seen.object["spec"]["replicas"], seen.old)
    assert {"v1", "v1beta1", "v1beta2"} <= updated.validated.keys()
    assert "status" == updated.validated["v1"].subresource
    assert "a" == updated.validated["v1beta1"].old["metadata"]["name"]
    assert {} == nothing.validated


def test_a_brief_answer_says_what_was_validated_only_of_a_good_object(target: KubernetesTarget) -> None:
    """With errors it is left out where nobody would read it; without `brief` it is there all the same."""
    plain = Case(1, "", "v1", "ConfigMap", CREATE, {}, resource="configmaps", validated=True)
    good: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    bad = {**good, "metadata": {"name": "A B"}}
    cases = [msgspec.structs.replace(plain, object=obj, brief=brief) for obj in (good, bad) for brief in (True, False)]
    answers = target.ask(cases)
    assert [True, True, False, True] == ["v1" in answer.validated for answer in answers]
    assert [False, False, True, True] == [bool(answer.handwritten) for answer in answers]


def test_what_an_answer_costs_is_told_when_asked_for(target: KubernetesTarget) -> None:
    """Each part with its samples and what it allocates, and the same answer as without; elsewhere nothing is told."""
    wanted = Measure(rounds=5, nanoseconds=20_000)
    plain = role({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]})
    measured, silent = target.ask([msgspec.structs.replace(plain, measure=wanted), plain])
    assert silent.cost is None
    assert (measured.handwritten, measured.declarative) == (silent.handwritten, silent.declarative)
    assert measured.cost is not None
    parts = measured.cost.parts
    assert {"read", "handwritten", "convert", "declarative", "both"} == set(parts)
    assert {5} == {len(spent.nanoseconds) for spent in parts.values()}
    assert all((spent.objects or 0) > 0 and (spent.bytes or 0) > 0 for spent in parts.values())
    assert all(min(spent.nanoseconds) > 0 for name, spent in parts.items() if name != "handwritten")


def test_the_present_time_is_not_told(newest: KubernetesTarget) -> None:
    """A strategy sets it in a condition that has none; whoever quotes it would say something else every second."""
    spec = {"request": "", "signerName": "example.com/a", "usages": ["signing"]}
    old, new = ({"type": "Approved", "status": "True", "message": message} for message in ("", "a"))
    case = ask(
        "certificates.k8s.io/v1", "CertificateSigningRequest", "certificatesigningrequests",
        {"spec": spec, "status": {"conditions": [new]}}, old={"spec": spec, "status": {"conditions": [old]}},
        subresource="status",
    )  # fmt: skip
    (said,) = (error.detail for error in newest.ask([case])[0].handwritten if error.field == "status.conditions")
    assert '+  "LastUpdateTime": "2026-01-02T03:04:05Z"' in said


def test_a_traced_error_names_its_check(newest: KubernetesTarget) -> None:
    """The line makes the error and stands in the function that is named; nothing else changes."""
    body = {"rules": [{"verbs": [], "apiGroups": [""], "resources": ["pods"]}]}
    case = ask("rbac.authorization.k8s.io/v1", "Role", "roles", body)
    plain, traced = newest.ask([case, msgspec.structs.replace(case, id=2, trace=True)])
    assert "trace" in newest.info.abilities
    [error] = traced.handwritten
    assert plain.handwritten == (msgspec.structs.replace(error, source="", stack=""),)
    place = re.fullmatch(r"(\S+):(\d+) in (\w+)", error.source)
    assert place is not None
    file, line, function = place.groups()
    top = module_folder(find_release("1.37.1"), "k8s.io/kubernetes", find_toolchain())
    text = (top / file).read_text(encoding="utf-8").splitlines()
    assert "field.Required(" in text[int(line) - 1]
    before = [row for row in text[: int(line)] if row.startswith("func ")]
    assert before[-1].startswith(f"func {function}(")


def test_every_error_of_a_traced_case_has_a_source(newest: KubernetesTarget) -> None:
    """Those of object metadata too, which no code of the release's own groups reports, and those of helpers."""
    case = ask("resource.k8s.io/v1", "ResourceClaim", "resourceclaims", {"spec": {"devices": {"requests": [
        {"name": "A_", "exactly": {"deviceClassName": "-"}}, {"name": "A_"}]}}}, name="-", trace=True)  # fmt: skip
    errors = only(newest, case).handwritten
    assert len(errors) > 3
    assert [] == [error for error in errors if not re.match(r"(pkg|k8s\.io)/\S+\.go:\d+ in \S", error.source)]
    assert [] == [
        error for error in only(newest, msgspec.structs.replace(case, trace=False)).handwritten if error.source
    ]


def test_a_traced_error_has_the_calls_that_made_it(newest: KubernetesTarget) -> None:
    """From the line that makes it, of a rule too, up to what the worker calls; the source is one of them."""
    case = ask("resource.k8s.io/v1", "ResourceClaim", "resourceclaims", {"spec": {"devices": {"requests": [
        {"name": "a", "firstAvailable": [{"name": "b", "deviceClassName": "-"}]}]}}}, trace=True)  # fmt: skip
    answer = only(newest, case)
    assert answer.handwritten
    assert answer.declarative
    for error in answer.handwritten:
        assert f", called at {error.stack}".startswith(f", called at {error.source}") or error.source in error.stack
        assert re.search(r" in ValidateResourceClaim, called at \S+ in \(\*\w+Strategy\)\.", error.stack), error.stack
    for error in answer.declarative:
        assert error.stack.startswith("k8s.io/apimachinery/pkg/api/validate/")
        assert "zz_generated.validations.go" in error.stack
    plain = only(newest, msgspec.structs.replace(case, trace=False))
    assert {""} == {error.stack for error in (*plain.handwritten, *plain.declarative)}


def test_a_panic_names_the_line_that_panicked(newest: KubernetesTarget) -> None:
    """In handwritten code of the release, where the stack of the panic leads."""
    spec = {"completionMode": "Indexed", "parallelism": 0, "successPolicy": {"rules": [{"succeededCount": 0}]}}
    answer = only(newest, ask("batch/v1", "Job", "jobs", {"spec": spec}))
    assert answer.failure is not None
    assert answer.failure.panic
    assert re.fullmatch(r"pkg/apis/batch/validation/validation\.go:\d+ in validateSuccessPolicyRule", answer.failure.at)
