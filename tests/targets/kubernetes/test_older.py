"""One release before 1.36, asked: 1.35.4, which has most rules of them. `tox -e older` asks it, as a worker of its own
takes longer to build than CI has time (docs/explanation/1.33-to-1.35.md has the others, and the results).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import cast

import msgspec
import pytest

from harness.case import Answer, Case, KindInfo, Operation
from harness.compare.comparator import Comparator
from harness.compare.composition import compose, settings
from harness.compare.recomposition import compare_composition
from harness.engine.plan import key_of
from harness.subject.goorder import in_order
from harness.targets.kubernetes import KubernetesTarget
from harness.targets.live.counters import read_counters
from harness.targets.live.target import LiveTarget
from harness.targets.target import Target
from tests.conformance.cases import cases_of
from tests.conformance.kinds import kinds_of
from tests.live.sample import compare, draw, predict
from tests.targets.kubernetes.asking import ask, info_of, keys, only

pytestmark = [pytest.mark.kubernetes, pytest.mark.older]

RELEASE = "1.35.4"
CREATE = Operation.CREATE
NUMBER = 100
"""How many cases are drawn for each kind, besides the objects that they are drawn around."""
KINDS = {
    ("", "v1", "ReplicationController"), ("autoscaling", "v1", "Scale"), ("storage.k8s.io", "v1", "StorageClass"),
    ("resource.k8s.io", "v1", "DeviceClass"), ("rbac.authorization.k8s.io", "v1", "RoleBinding"),
}  # fmt: skip

TOLERATION = {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "a", "tolerations": [{}]}}]}}
COUNTED = ask("v1", "ReplicationController", "replicationcontrollers", {"spec": {"replicas": -1}})
CLAIM = ask("resource.k8s.io/v1", "ResourceClaim", "resourceclaims", {"spec": TOLERATION})
SCALE = ask(
    "autoscaling/v1", "Scale", "replicationcontrollers", {"spec": {"replicas": -1}}, old={"spec": {"replicas": 1}},
    through=("", "v1"), subresource="scale",
)  # fmt: skip
UNCHANGED = ask("storage.k8s.io/v1", "StorageClass", "storageclasses", {}, old={})


@pytest.fixture(scope="module")
def older() -> Iterator[KubernetesTarget]:
    """The release with its default gates."""
    with KubernetesTarget(RELEASE, jobs=1) as opened:
        yield opened


@pytest.fixture(scope="module")
def drawn(older: KubernetesTarget) -> list[tuple[Case, Answer]]:
    """A few hundred objects of kinds with rules, as a server is asked for them, under every setting."""
    cases = [case for info in older.info.kinds if info.served and info.rules for case in served_cases(info)]
    return list(zip(cases, older.ask(cases), strict=True))


def served_cases(info: KindInfo) -> list[Case]:
    """Draw wrong objects of a kind: values that rules or handwritten code reject, alone and beside others."""
    random = Random(info.name)
    frame = {"apiVersion": info.api_version, "kind": info.kind, "metadata": {"name": "x", "namespace": "default"}}
    new = [{**frame, **body(random)} for _ in range(12)]
    return [
        info.case(operation, one, random.choice([one, frame]) if operation is not CREATE else None, served=True)
        for operation in info.operations
        for one in new
    ]


def body(random: Random) -> dict[str, object]:
    """Draw members of several kinds; those that a kind does not have are dropped when it is decoded."""
    parts: list[dict[str, object]] = [
        {"spec": random.choice([{"replicas": -1}, {"minReadySeconds": -1, "replicas": -2}, TOLERATION, {}])},
        {"provisioner": random.choice(["", "a", "A b"])},
        {"roleRef": random.choice([{}, {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": ""}])},
        {"subjects": random.choice([[], [{"kind": "User", "name": ""}], [{"kind": "Nobody"}]])},
        {"status": random.choice([{}, {"reservedFor": [{"uid": "a"}, {"uid": "a"}]}, {"replicas": -1}])},
    ]
    return {name: value for part in random.sample(parts, 3) for name, value in part.items()}


def test_what_it_tells_of_itself(older: KubernetesTarget) -> None:
    """Strategies compose in one way, path rules are found in their source, and no storage is missing."""
    assert {"takeover"} == {info.composition for info in older.info.kinds}
    assert 25 == sum(info.rules for info in older.info.kinds)
    assert [] == [excluded for excluded in older.info.excluded if "cannot be built" in excluded.reason]
    normalizing = {info.resource for info in older.info.kinds if info.normalization}
    assert {"resourceclaims", "resourceslices"} == normalizing
    assert (True, False) == tuple(older.info.gates[f"DeclarativeValidation{end}"] for end in ("", "Takeover"))


def test_rules_of_a_strategy_that_crashes_on_an_empty_object(older: KubernetesTarget) -> None:
    """Storage classes are validated through a pointer that defaults set; they have rules all the same."""
    assert info_of(older, UNCHANGED).rules


def test_both_sides(older: KubernetesTarget) -> None:
    """A covered handwritten error meets its counterpart, of a scale too; neither has a level."""
    for case in (COUNTED, SCALE):
        answer = only(older, case)
        assert [("spec.replicas", "FieldValueInvalid")] == keys(answer.declarative)
        covered = [error for error in answer.handwritten if error.covered]
        assert ("spec.replicas", "minimum") in {(error.field, error.origin) for error in covered}
        assert {""} == {error.level for error in (*answer.handwritten, *answer.declarative)}


def test_an_ordinary_object_is_rejected_where_rules_take_over() -> None:
    """A toleration without an effect is rejected by a rule alone; the release says so itself."""
    with KubernetesTarget(RELEASE, gates={"DRADeviceTaints": True}, jobs=1) as tainting:
        answer = only(tainting, msgspec.structs.replace(CLAIM, served=True))
    effect = "spec.devices.requests[0].exactly.tolerations[0].effect"
    served = {one.setting: effect in [error.field for error in one.errors] for one in answer.served}
    assert {"takeover": True, "validation-on": False} == served


def test_an_update_that_changes_nothing(older: KubernetesTarget) -> None:
    """Its rules are skipped, and the covered handwritten error goes where rules take over."""
    answer = only(older, msgspec.structs.replace(UNCHANGED, served=True))
    assert ([("provisioner", "FieldValueRequired")], ()) == (keys(answer.handwritten), answer.declarative)
    assert {"takeover": 0, "validation-on": 1} == {one.setting: len(one.errors) for one in answer.served}


def test_composition(older: KubernetesTarget, drawn: Sequence[tuple[Case, Answer]]) -> None:
    """Our composition of the two lists is the release's own, under every setting that its gates allow."""
    assert len(drawn) > 300
    rejected = different = 0
    for case, answer in drawn:
        if answer.failure is not None:
            continue
        info = info_of(older, case)
        assert ["takeover", "validation-on"] == [one.setting for one in answer.served]
        assert [] == list(compare_composition(Comparator(info).served(answer), answer.served, "takeover")), case
        rejected += bool(answer.handwritten or answer.declarative)
        different += len({len(one.errors) for one in answer.served}) > 1
    assert rejected > 100
    assert different > 20


def test_validation_is_off() -> None:
    """With the gate off no rule runs, and handwritten errors are served. This release lets no rules take over then."""
    with KubernetesTarget(RELEASE, gates={"DeclarativeValidation": False}, jobs=1) as off:
        for case in (COUNTED, SCALE, UNCHANGED):
            answer = only(off, msgspec.structs.replace(case, served=True))
            assert (True, ()) == (bool(answer.handwritten), answer.declarative)
            (setting,) = [one for one in settings("takeover") if one.name == "validation-off"]
            ours = compose(answer.handwritten, answer.declarative, info_of(off, case), setting)
            assert {setting.name: [e.text for e in ours]} == {
                one.setting: [error.text for error in one.errors] for one in answer.served
            }


def test_300_findings_are_confirmed_by_its_server(older: KubernetesTarget) -> None:
    """None is contradicted, under both settings, and its counters of mismatches rise by as much as we predict."""
    found = [msgspec.structs.replace(case, id=number) for number, case in enumerate(draw(RELEASE, {}, 1500)[1])]
    assert len(found) >= 300
    kinds = {info.key: info for info in older.info.kinds}
    with LiveTarget(RELEASE) as server:
        before = read_counters(server.access)
        both = list(zip(found, older.ask(found), server.ask(found), strict=True))
        rise = read_counters(server.access) - before
        asked = cast(Target, older), cast(Target, server)
        outcomes = [(why.outcome, case, why.reason) for case, _, why in compare(found, *asked)]
    assert {"takeover", "validation-on"} == {one.setting for _, _, its in both for one in its.served}
    assert [] == [one for one in outcomes if one[0] not in ("confirmed", "unreachable")]
    assert 250 < sum(outcome == "confirmed" for outcome, _, _ in outcomes)
    predicted = sum(predict(case, ours, its, kinds[key_of(case)])[1] for case, ours, its in both)
    assert 0 < predicted == rise["declarative_validation_mismatch_total", ""]


def test_generated_validators_equal_compiled_ones(older: KubernetesTarget) -> None:
    """Some kinds with rules: the same errors in all parts and in order (`tests/conformance` asks for all)."""
    ruled = [one for one in older.info.ruled if (one.group, one.version, one.kind) in KINDS]
    assert len(KINDS) == len(ruled)
    compared = 0
    for kind in kinds_of(RELEASE, ruled):
        cases = list(islice(cases_of(kind, 1, NUMBER, 200), 2 * NUMBER))
        for case, answer in zip(cases, older.ask(cases), strict=True):
            if answer.failure is None or answer.failure.stage == "declarative":
                assert in_order(answer.declarative, kind.shape) == in_order(kind.validate(case), kind.shape), case
                compared += len(answer.declarative)
    assert compared > 100
