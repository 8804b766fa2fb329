"""A real release takes objects through its versions and back, and says what is left of those that change by it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case
from harness.compare.conversions import compare_round_trips
from harness.targets.kubernetes import KubernetesTarget
from tests.targets.kubernetes.asking import ask

pytestmark = pytest.mark.kubernetes

_AUTOSCALER = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}, "maxReplicas": 3}
_DESCRIBED: dict[str, Any] = {"metric": {"name": "m"}, "describedObject": {"kind": "Service", "name": "s"}}


@pytest.fixture(scope="module")
def target() -> Iterator[KubernetesTarget]:
    """The newest release."""
    with KubernetesTarget("1.37.1") as opened:
        yield opened


def autoscaler(**spec: Any) -> Case:
    """Ask for an autoscaler of the newer version, and what is left of it after the older one."""
    body = {"spec": {**_AUTOSCALER, **spec}}
    return ask(
        "autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", body, round_trip=True, brief=True
    )


def measuring(**target: Any) -> Case:
    """Ask for an autoscaler that measures another object."""
    return autoscaler(metrics=[{"type": "Object", "object": {**_DESCRIBED, "target": target}}])


def losses_of(answer: Answer) -> list[tuple[str, str]]:
    """Return version and path of what is lost."""
    assert answer.failure is None
    return [(one.origin, one.path) for one in compare_round_trips(answer, lambda version: True)]


def test_the_ability_is_named(target: KubernetesTarget) -> None:
    """So a run asks for it; a case that does not ask gets none."""
    assert "round trip" in target.info.abilities
    asked = measuring(type="Utilization", value="1")
    assert {} == target.ask([msgspec.structs.replace(asked, round_trip=False)])[0].round_trips


def test_what_a_conversion_keeps_in_annotations_comes_back(target: KubernetesTarget) -> None:
    """The older version has no field for metrics and behaviour, and loses none of them."""
    kept = measuring(type="Value", value="5"), autoscaler(behavior={"scaleDown": {"stabilizationWindowSeconds": 7}})
    assert [{}, {}] == [answer.round_trips for answer in target.ask(kept)]


def test_what_a_conversion_loses_is_shown_in_the_version_of_the_request(target: KubernetesTarget) -> None:
    """The older version takes every target of another object for a value or an average value."""
    [answer] = target.ask([measuring(type="Utilization", value="1", averageUtilization=4)])
    assert {"v1"} == set(answer.round_trips)
    path = "spec.metrics[0].object.target"
    assert {("v1", f"{path}.type"), ("v1", f"{path}.averageUtilization")} == set(losses_of(answer))
    turned = answer.round_trips["v1"]
    for side, word in ((turned.before, "Utilization"), (turned.after, "Value")):
        assert "autoscaling/v2" == side["apiVersion"]
        assert word == side["spec"]["metrics"][0]["object"]["target"]["type"]


def test_rejected_objects_are_left_out_where_that_is_enough(target: KubernetesTarget) -> None:
    """Only a comparison of versions wants to know what a conversion makes of them."""
    rejected = measuring(type="Utilization")
    brief, whole = target.ask([rejected, msgspec.structs.replace(rejected, brief=False)])
    assert brief.handwritten
    assert ({}, {"v1"}) == (brief.round_trips, set(whole.round_trips))


def test_an_object_of_one_version_comes_back(target: KubernetesTarget) -> None:
    """Its own version is tried too, and the one that the object is stored in."""
    data = ask("v1", "ConfigMap", "configmaps", {"data": {"a": "b"}, "immutable": False}, round_trip=True, brief=True)
    assert {} == target.ask([data])[0].round_trips
