"""Real releases, asked: what they serve, how they answer, and what they say of themselves."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.case import Case
from harness.compare.composition import compose, settings
from harness.diagnostics import TargetError
from harness.targets.kubernetes import KubernetesTarget
from harness.targets.kubernetes.build import worker_for
from harness.targets.kubernetes.release import find_release
from harness.targets.kubernetes.target import check_gates, render_gates
from tests.targets.kubernetes.asking import CREATE, UPDATE, ask, info_of, keys, only, role
from tests.targets.kubernetes.places import program


def test_gates_are_rendered() -> None:
    """Gates are written as Kubernetes programs take them, in one order."""
    assert render_gates({"B": False, "A": True}) == "A=true,B=false"


def test_unknown_gate(tmp_path: Path) -> None:
    """A misspelt gate is refused with the name that was meant."""
    said = json.dumps({"error": "unrecognized feature gate: AllAlpa", "gates": {"AllAlpha": False}})
    binary = program(tmp_path / "worker", f"echo '{said}'")
    with pytest.raises(TargetError, match=r"no feature gate AllAlpa\n.*did you mean AllAlpha\?"):
        check_gates(binary, {"AllAlpa": True}, "1.37.1")


def test_locked_gate(tmp_path: Path) -> None:
    """A gate that may not be set is refused in the release's own words; one that may be is not."""
    refusing = json.dumps({"error": "cannot set feature gate X to false", "gates": {"X": True}})
    taking = json.dumps({"error": "", "gates": {"X": True}})
    with pytest.raises(TargetError, match="cannot set feature gate X to false"):
        check_gates(program(tmp_path / "refusing", f"echo '{refusing}'"), {"X": False}, "1.37.1")
    check_gates(program(tmp_path / "taking", f"echo '{taking}'"), {"X": True}, "1.37.1")


def test_broken_worker(tmp_path: Path) -> None:
    """A cached worker that does not run is named, so that it can be deleted."""
    with pytest.raises(TargetError, match=f"delete {tmp_path}"):
        check_gates(program(tmp_path / "worker", "exit 1"), {"X": False}, "1.37.1")


RELEASES = {"1.37.1": 124, "1.36.3": 115}
"""The releases that are tried, and how many served entries with storage each has at least."""


def raw_answers(lines: list[str]) -> list[Any]:
    """Send lines as they stand to a worker of the newest release."""
    worker = worker_for(find_release("1.37.1"), print)
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([str(worker)], input=text, capture_output=True, text=True, timeout=120, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()[1:]]


CASES = [
    role({}),
    role({}, name="not a name"),
    role({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}),
    ask("v1", "ReplicationController", "replicationcontrollers", {"spec": {"replicas": -1}}),
    ask("v1", "ConfigMap", "configmaps", {"data": {"a b": "c"}}),
    ask("storage.k8s.io/v1", "StorageClass", "storageclasses", {"provisioner": "p"}, old={"provisioner": "q"}),
    ask("resource.k8s.io/v1", "ResourceClaim", "resourceclaims", {"spec": {"devices": {"requests": [{"name": "A"}]}}}),
    ask("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {"spec": {"maxReplicas": -1}}),
    ask("batch/v1", "CronJob", "cronjobs", {"spec": {"schedule": "", "jobTemplate": {}}}),
    ask("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", {"handler": "A_"}, old={"handler": "b"}),
]


@pytest.mark.kubernetes
class TestEveryRelease:
    """What holds for each release."""

    def test_kinds(self, target: KubernetesTarget) -> None:
        """Nothing that the server serves is missing, and what is left out has a reason."""
        stored = [info for info in target.info.kinds if info.storage]
        assert len([info for info in stored if info.served]) >= RELEASES[target.info.release]
        assert len({info.key for info in target.info.kinds}) == len(target.info.kinds)
        assert all(excluded.reason for excluded in target.info.excluded)
        assert not [excluded for excluded in target.info.excluded if "cannot be built" in excluded.reason]
        elsewhere = {one.resource for one in target.info.excluded if "which is not linked" in one.reason}
        assert {"customresourcedefinitions", "apiservices"} <= elsewhere

    def test_core_and_functions(self, target: KubernetesTarget) -> None:
        """Core kinds with many parts are there, and kinds that are answered and not kept."""
        names = {info.name for info in target.info.kinds}
        wanted = {"v1 pods", "v1 pods/resize", "v1 pods/ephemeralcontainers", "v1 services/status", "v1 nodes"}
        wanted |= {"v1 namespaces/finalize", "v1 pods/binding", "v1 serviceaccounts/token", "apps/v1 deployments/scale"}
        assert wanted | {"authorization.k8s.io/v1 subjectaccessreviews"} <= names

    def test_unserved_versions(self, target: KubernetesTarget) -> None:
        """A version that no request reaches is asked through a served one, with all its subresources."""
        through = {info.name: info.through for info in target.info.kinds if not info.served}
        wanted = {"apps/v1beta1 deployments", "apps/v1beta1 deployments/status", "apps/v1beta2 statefulsets/scale"}
        assert {through[name] for name in wanted} == {"v1"}
        assert through["authorization.k8s.io/v1beta1 subjectaccessreviews"] == "v1"
        groups = {(info.group, info.version, info.resource) for info in target.info.kinds if info.served}
        assert not groups & {(i.group, i.version, i.resource) for i in target.info.kinds if not i.served}

    def test_versions_that_ended(self, target: KubernetesTarget) -> None:
        """What the release builds and serves no more is asked through the version that followed; others stay served."""
        ended = {
            "admissionregistration.k8s.io/v1beta1 validatingadmissionpolicies",
            "admissionregistration.k8s.io/v1beta1 validatingadmissionpolicies/status",
            "admissionregistration.k8s.io/v1beta1 validatingadmissionpolicybindings",
            "certificates.k8s.io/v1alpha1 clustertrustbundles", "networking.k8s.io/v1beta1 ipaddresses",
            "networking.k8s.io/v1beta1 servicecidrs", "networking.k8s.io/v1beta1 servicecidrs/status",
            "storage.k8s.io/v1beta1 volumeattributesclasses",
        }  # fmt: skip
        through = {info.name: info.through for info in target.info.kinds}
        if target.info.release == "1.37.1":
            assert {"v1"} == {through[name] for name in ended}
            assert 134 == sum(info.served for info in target.info.kinds)
        assert "" == through["resource.k8s.io/v1beta1 resourceclaims"] == through["storage.k8s.io/v1 csinodes"]

    def test_unserved_versions_have_their_own_defaults(self, target: KubernetesTarget) -> None:
        """apps/v1beta1 takes the selector from the labels of the template, where apps/v1 wants it to be written."""
        template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
        old, new = (
            only(target, ask(version, "Deployment", "deployments", {"spec": {"template": template}}))
            for version in ("apps/v1beta1", "apps/v1")
        )
        assert (old.failure, old.handwritten) == (None, ())
        assert ("spec.selector", "FieldValueRequired") in keys(new.handwritten)

    def test_unserved_scale(self, target: KubernetesTarget) -> None:
        """The scale of an old version has a type of its own."""
        old = {"spec": {"replicas": 1}}
        case = ask("apps/v1beta1", "Scale", "deployments", {"spec": {"replicas": -1}}, old=old, subresource="scale")
        assert keys(only(target, case).handwritten) == [("spec.replicas", "FieldValueInvalid")]

    def test_kind_tells_of_itself(self, target: KubernetesTarget) -> None:
        """A kind says where its type is, which versions it has, and which path rules its strategy passes along."""
        info = info_of(target, CASES[-1])
        assert (info.type, info.namespaced, info.rules) == ("k8s.io/api/node/v1.RuntimeClass", False, True)
        assert info.normalization[0] == (r"^spec\.runtimeHandler(.*)$", "handler$1")
        assert {"v1alpha1", "v1beta1"} == set(info.versions)

    def test_both_sides(self, target: KubernetesTarget) -> None:
        """A covered handwritten error meets its declarative twin."""
        answer = only(target, ask("v1", "ReplicationController", "replicationcontrollers", {"spec": {"replicas": -1}}))
        error = ("spec.replicas", "FieldValueInvalid")
        assert [error for e in answer.handwritten if e.covered and e.field == "spec.replicas"] == [error]
        assert keys(answer.declarative) == [error]
        assert (answer.declarative[0].origin, answer.declarative[0].value) == ("minimum", "-1")

    def test_composition(self, target: KubernetesTarget) -> None:
        """Our composition of the two lists is what the release serves, under every setting."""
        for case in CASES:
            asked = Case(**{**{name: getattr(case, name) for name in case.__struct_fields__}, "served": True})
            answer = only(target, asked)
            assert answer.failure is None
            info = info_of(target, case)
            served = {s.setting: [e.text for e in s.errors] for s in answer.served}
            ours = {
                setting.name: [e.text for e in compose(answer.handwritten, answer.declarative, info, setting)]
                for setting in settings(info.composition)
            }
            assert ours == served, case.kind

    def test_subresource(self, target: KubernetesTarget) -> None:
        """A scale is judged by what its parent's storage calls."""
        case = ask(
            "autoscaling/v1",
            "Scale",
            "replicationcontrollers",
            {"spec": {"replicas": -1}},
            old={"spec": {"replicas": 1}},
            through=("", "v1"),
            subresource="scale",
        )
        answer = only(target, case)
        assert keys(answer.handwritten) == keys(answer.declarative) == [("spec.replicas", "FieldValueInvalid")]

    @pytest.mark.parametrize("resource", ["deployments", "replicasets", "statefulsets", "replicationcontrollers"])
    def test_the_parent_of_a_scale(self, target: KubernetesTarget, resource: str) -> None:
        """What a scale would make of the object that has the replicas is validated too, and is valid otherwise.

        A covered check, which replication controllers have, stands for none that is served under every setting.
        """
        through = ("", "v1") if resource == "replicationcontrollers" else ("apps", "v1")
        wrong, right = (
            ask(
                "autoscaling/v1", "Scale", resource, {"spec": {"replicas": replicas}}, old={"spec": {"replicas": 1}},
                through=through, subresource="scale",
            )
            for replicas in (-1, 2)
        )  # fmt: skip
        expected = [("spec.replicas", "FieldValueInvalid")] if resource != "replicationcontrollers" else []
        assert expected == keys(only(target, wrong).parent)
        assert () == only(target, right).parent

    def test_repeat(self, target: KubernetesTarget) -> None:
        """Asked twice, the release gives one answer and leaves the object alone."""
        assert only(target, role({}, repeat=True)).failure is None

    def test_bad_input(self, target: KubernetesTarget) -> None:
        """What cannot be asked gets a failure with its stage, never a dead worker."""
        wrong_kind = Case(1, "", "v1", "Pod", CREATE, {"apiVersion": "v1", "kind": "Secret"}, resource="pods")
        no_object = Case(1, "", "v1", "Pod", CREATE, None, resource="pods")
        bad_type = ask("v1", "ConfigMap", "configmaps", {"data": 7})
        unserved = ask("v1", "Nothing", "nothings", {})
        no_old = Case(1, "", "v1", "Pod", UPDATE, {"apiVersion": "v1", "kind": "Pod"}, resource="pods")
        answers = target.ask([wrong_kind, no_object, bad_type, unserved, no_old])
        assert [a.failure and (a.failure.stage, a.failure.panic) for a in answers] == [("decode", False)] * 5
        assert target.restarts == 0


@pytest.mark.kubernetes
class TestNewest:
    """What is asked of the newest release alone."""

    def test_levels(self, newest: KubernetesTarget) -> None:
        """The beta rule shows with the gate on and hides with it off; when graduated its twin is gone."""
        answer = only(newest, role({}, served=True, versions=True))
        texts = {s.setting: [e.text for e in s.errors if e.field == "rules[0].verbs"] for s in answer.served}
        handwritten = "rules[0].verbs: Required value: verbs must contain at least one value"
        declarative = "rules[0].verbs: Required value"
        assert texts == {"beta-on": [declarative], "beta-off": [handwritten], "graduated": [declarative]}
        assert set(answer.versions) == {"v1alpha1", "v1beta1"}

    def test_hostile_objects(self, newest: KubernetesTarget) -> None:
        """Objects that are nested too deep, or far too large, get their answer and leave the worker alive."""
        deep: dict[str, Any] = {}
        for _ in range(700):
            deep = {"a": deep}
        nested = ask("v1", "ConfigMap", "configmaps", {"data": deep})
        large = ask("v1", "ConfigMap", "configmaps", {"data": {"k": "x" * 2_000_000}})
        first, second = newest.ask([nested, large])
        assert first.failure is not None
        assert ("decode", False) == (first.failure.stage, first.failure.panic)
        assert keys(second.handwritten) == [("[]", "FieldValueTooLong")]
        assert newest.restarts == 0

    def test_options(self, newest: KubernetesTarget) -> None:
        """An option that the strategy sets can be overridden for a single case."""
        spec = {"spec": {"minReplicas": 0, "maxReplicas": 1, "scaleTargetRef": {"kind": "D", "name": "d"}}}
        case = ask("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", spec)
        assert info_of(newest, case).options == {"HPAScaleToZero": True}
        assert only(newest, case).declarative == ()
        overridden = ask(
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            "horizontalpodautoscalers",
            spec,
            options={"HPAScaleToZero": False},
        )
        assert keys(only(newest, overridden).declarative) == [("spec.minReplicas", "FieldValueInvalid")]

    def test_mode(self, newest: KubernetesTarget) -> None:
        """As served, an update of the main resource cannot touch the status; as given, the change is seen."""
        body = {"spec": {"selector": {"a": "b"}, "template": pod_template()}}
        bad = {**body, "status": {"replicas": -1}}
        cases = [
            ask("v1", "ReplicationController", "replicationcontrollers", bad, old=body, mode=mode, subresource=sub)
            for mode, sub in (("served", ""), ("served", "status"))
        ]
        served, status = newest.ask(cases)
        assert keys(served.handwritten) == []
        assert ("status.replicas", "FieldValueInvalid") in keys(status.handwritten)
        missing = ask("v1", "Service", "services", {"spec": {"ports": [{"port": 80}]}}, mode="given")
        assert keys(only(newest, missing).handwritten) != []

    def test_order(self, newest: KubernetesTarget) -> None:
        """Answers come in the order of the cases, whatever the worker does at once."""
        cases = [config_map(f"bad name {number}") for number in range(500)]
        values = [answer.handwritten[0].value for answer in newest.ask(cases)]
        assert values == [f'"bad name {number}"' for number in range(500)]

    def test_spelling_of_a_case(self) -> None:
        """Lines of other writers mean the same: spaces, escapes, another order, unknown keys, the old object null."""
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": 'a"\\"b'}, "data": {"x y": "}]"}}
        case = {"id": 1, "group": "", "version": "v1", "kind": "ConfigMap", "operation": "create", "object": body}
        plain = json.dumps(case, separators=(",", ":"))
        spellings = [
            plain,
            json.dumps(case),
            json.dumps({**dict(reversed(case.items())), "old": None, "note": [1]}),
            plain.replace('"ConfigMap","operation"', '"Config\\u004dap","operation"'),
            plain.replace('"id":1', '"id":1,"options":{}'),
        ]
        answers = raw_answers(spellings)
        assert [e["field"] for e in answers[0]["handwritten"]] == ["metadata.name", "data[x y]"]
        assert answers == answers[:1] * len(spellings)

    def test_broken_lines(self) -> None:
        """A line that is no case, or whose object is broken inside, is a failure to decode, and keeps its number."""
        head = '{"id":7,"group":"","version":"v1","kind":"ConfigMap","operation":"create",'
        broken = ['"object":{"a":]}}', '"object":{"a":"', '"object":{}} x', '"object":{"kind":1}}', '"id":07}', "}", ""]
        answers = raw_answers([head + tail for tail in broken])
        assert {(a["id"], a["failure"]["stage"], a["failure"].get("panic")) for a in answers} == {(7, "decode", None)}

    def test_texts_that_come_again(self, newest: KubernetesTarget) -> None:
        """An object that was read before is judged as it was, whatever was done with it since."""
        again = [*CASES, *(msgspec.structs.replace(case, old=case.object, operation=UPDATE) for case in CASES)]
        first = newest.ask(again)
        assert newest.ask(again) == newest.ask(again) == first

    def test_long_value(self, newest: KubernetesTarget) -> None:
        """A bad value of any length stays short on the wire, and two of them stay apart."""
        first, second = (only(newest, config_map("A" * 5000 + end)).handwritten[0].value for end in "bc")
        assert len(first) < 350
        assert first != second

    def test_gates(self) -> None:
        """Feature gates bring kinds and options that are not there without them."""
        with KubernetesTarget("1.37.1", gates={"AllAlpha": True, "AllBeta": True}, jobs=1, measure=True) as target:
            assert len([info for info in target.info.kinds if info.storage]) >= 143
            assert target.info.gates["AllAlpha"]
            assert {"decode", "handwritten", "declarative"} <= set(only(target, role({})).nanoseconds)

    def test_unknown_gate(self) -> None:
        """The release itself says which gates it has."""
        with pytest.raises(TargetError, match=r"did you mean InPlacePodVerticalScaling"):
            KubernetesTarget("1.37.1", gates={"InPlacePodVerticalScalling": True})


@pytest.mark.kubernetes
def test_what_a_server_does_around_validation(target: KubernetesTarget) -> None:
    """Refused requests are told with their status, managed fields are decoded, a missing kind is that of the URL."""
    metadata = {"name": "a", "namespace": "b", "uid": "u", "resourceVersion": "5"}

    def update(**changed: Any) -> Case:
        frame = {"apiVersion": "v1", "kind": "ConfigMap"}
        new, old = {**frame, "metadata": {**metadata, **changed}}, {**frame, "metadata": metadata}
        return Case(1, "", "v1", "ConfigMap", UPDATE, new, old, resource="configmaps")

    refused = [{"uid": "v"}, {"name": "c"}, {"namespace": "c"}, {"resourceVersion": "x"}, {"resourceVersion": "6"}]
    said = [answer.unreachable[:3] for answer in target.ask([update(**changed) for changed in [{}, *refused]])]
    assert ["", "409", "400", "400", "500", "409"] == said
    wrong = {"managedFields": [{"operation": "é"}]}
    served, given = update(**wrong), msgspec.structs.replace(update(**wrong), mode="given")
    nameless = Case(1, "", "v1", "ConfigMap", CREATE, {"metadata": metadata}, resource="configmaps")
    answers = target.ask([served, given, nameless, msgspec.structs.replace(nameless, mode="given")])
    are_seen = [any("managedFields" in error.field for error in one.handwritten) for one in answers[:2]]
    assert [False, True] == are_seen
    assert [None, None, None, "decode"] == [one.failure and one.failure.stage for one in answers]


@pytest.mark.kubernetes
def test_a_crash_on_what_nobody_has_stored(newest: KubernetesTarget) -> None:
    """The allocators of services crash on a list of families that no service of this type can have."""
    old, new = ({"spec": {"type": "ExternalName", "ipFamilies": families}} for families in ([""], ["", ""]))
    answer = only(newest, ask("v1", "Service", "services", new, old=old))
    assert answer.failure is not None
    assert answer.failure.panic
    assert answer.unreachable.startswith(
        "422 to whoever stores the old object, because spec.ipFamilies: may not be set"
    )


def config_map(name: str) -> Case:
    """Ask for a ConfigMap of this name."""
    return ask("v1", "ConfigMap", "configmaps", {}, name=name)


def pod_template() -> dict[str, Any]:
    """A pod template that everybody accepts."""
    return {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


@pytest.mark.kubernetes
def test_a_kind_that_is_not_served_is_asked_declaratively(target: KubernetesTarget) -> None:
    """Every registered kind with rules: the object as it stands, no strategy, and no handwritten list."""
    ruled = {(kind.group, kind.version, kind.kind): kind.type for kind in target.info.ruled}
    assert "k8s.io/api/apps/v1beta1.Scale" == ruled["apps", "v1beta1", "Scale"]
    scale = {"apiVersion": "apps/v1beta1", "kind": "Scale", "spec": {"replicas": -1}}
    case = Case(1, "apps", "v1beta1", "Scale", CREATE, scale, subresource="scale", mode="declarative")
    other = Case(2, "apps", "v1beta2", "Scale", CREATE, scale, mode="declarative")
    update = Case(3, "apps", "v1beta1", "Scale", UPDATE, scale, scale, subresource="scale", mode="declarative")
    answer, refused, unchanged = target.ask([case, other, update])
    assert [("spec.replicas", "minimum")] == [(error.field, error.origin) for error in answer.declarative]
    assert ((), None) == (answer.handwritten, answer.failure)
    assert "decode" == (refused.failure and refused.failure.stage)
    assert ((), None) == (unchanged.declarative, unchanged.failure)
