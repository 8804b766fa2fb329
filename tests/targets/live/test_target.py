"""A release's own API server, started for the test, answers what we say that users are served."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from harness.case import Answer, Case, Operation
from harness.errormatch.witness import Witness
from harness.stored.redaction import redact
from harness.targets.kubernetes import KubernetesTarget
from harness.targets.live.client import ServerTarget
from harness.targets.live.counters import read_counters
from harness.targets.live.target import LiveTarget
from harness.targets.target import Target
from tests.live.sample import compare, draw, predict, unique

pytestmark = pytest.mark.kubernetes
RELEASE = "1.37.1"
WITNESSES = sorted((Path(__file__).parents[3] / "exceptions").glob("*.json"))
POD = {"containers": [{"name": "a", "image": "a"}]}


@pytest.fixture(scope="module")
def server() -> Iterator[LiveTarget]:
    """A server with the default gates."""
    with LiveTarget(RELEASE) as opened:
        yield opened


@pytest.fixture(scope="module")
def validators() -> Iterator[Target]:
    """The validators of the same release."""
    with KubernetesTarget(RELEASE) as opened:
        yield cast(Target, opened)


def pod(spec: Any = POD, **metadata: Any) -> dict[str, Any]:
    """A pod; one without containers is refused."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", **metadata}, "spec": spec}


def ask(server: LiveTarget, new: Any, old: Any = None, resource: str = "pods", **more: Any) -> Answer:
    """Ask about a pod, or another object of the core group."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    return server.ask([Case(1, "", "v1", new["kind"], operation, new, old, resource, **more)])[0]


def said(answer: Answer) -> list[tuple[str, str]]:
    """Type and field of the errors under the default setting."""
    assert answer.failure is None, answer.failure
    assert ["beta-on", "beta-off", "graduated"] == [one.setting for one in answer.served]
    return [(error.type.removeprefix("FieldValue"), error.field) for error in answer.served[0].errors]


@pytest.fixture(scope="module")
def drawn() -> tuple[list[Case], list[Case]]:
    """Cases of a search, and those of its findings."""
    return draw(RELEASE, {}, 150)


def test_300_findings_are_confirmed(
    server: LiveTarget, validators: Target, drawn: tuple[list[Case], list[Case]]
) -> None:
    """Of the cases of findings, tolerated ones of the release and those of a search, none is contradicted."""
    read = msgspec.json.Decoder(Witness)
    found = [one for file in WITNESSES for one in read.decode(file.read_bytes()).cases]
    tolerated = [one.case for one in found if not one.gates and one.mode == "served" and one.object is not None]
    cases = unique([*tolerated, *drawn[1]])
    assert 300 <= len(cases)
    assert 220 < confirmed(server, validators, cases)


def test_random_objects_are_confirmed(
    server: LiveTarget, validators: Target, drawn: tuple[list[Case], list[Case]]
) -> None:
    """Of cases as a search asks them, none is contradicted: from decoding to the composed lists, we are right."""
    assert 50 < confirmed(server, validators, drawn[0])


def confirmed(server: LiveTarget, validators: Target, cases: Iterable[Case]) -> int:
    """Count the cases that the server confirms, and hold that it contradicts none."""
    numbered = [msgspec.structs.replace(case, id=number) for number, case in enumerate(cases)]
    compared = list(compare(numbered, validators, cast(Target, server)))
    assert [] == [(case, why) for case, _, why in compared if why.outcome not in ("confirmed", "unreachable")]
    return sum(why.outcome == "confirmed" for _, _, why in compared)


def test_the_lists_are_those_of_a_client(server: LiveTarget) -> None:
    """Accepted and rejected creates, with the text after the type; the gate of the migration makes a difference."""
    assert [] == said(ask(server, pod()))
    rejected = ask(server, pod({"containers": [{"name": "A", "image": "a"}]}))
    assert [("Invalid", "spec.containers[0].name")] == said(rejected)
    assert rejected.served[0].errors[0].detail.startswith('"A": a lowercase RFC 1123 label must')
    assert "" == rejected.served[0].status


def test_an_old_object_is_stored_as_it_is(server: LiveTarget) -> None:
    """Also one that no client could store; an update that leaves it unchanged is answered by its own rules."""
    bad = pod({"containers": [{"name": "A", "image": "a"}]})
    assert [("Invalid", "spec.containers[0].name")] == said(ask(server, bad, bad))
    assert [("Forbidden", "spec")] == said(ask(server, pod({**POD, "hostNetwork": True}), pod()))
    assert [] == said(ask(server, pod(labels={"a": "b"}), pod()))


def test_what_was_stored_is_put_back(server: LiveTarget) -> None:
    """The namespace of all other cases is still there after it was the old object of an update."""
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}
    assert [] == said(
        ask(server, {**space, "metadata": {"name": "default", "labels": {"a": "b"}}}, space, "namespaces")
    )
    assert [] == said(ask(server, pod()))


def test_what_validation_does_not_answer_has_a_status(server: LiveTarget) -> None:
    """A name that is not in the address, another uid, an object that does not decode, a version that is not served."""
    assert ask(server, pod(uid="b"), pod(uid="a")).served[0].status.startswith("409 Conflict")
    assert ask(server, pod({"containers": 1})).served[0].status.startswith("400 BadRequest")
    assert ask(server, pod(), resource="pots").served[0].status.startswith("404 NotFound")
    renamed = {**pod(), "metadata": {"name": "b"}}
    assert ask(server, renamed, pod()).served[0].status.startswith("400 BadRequest")
    assert "decode" == cast(Any, ask(server, {**pod(), "metadata": 1}, pod()).failure).stage


def test_what_the_validators_do_not_see_is_known(server: LiveTarget, validators: Target) -> None:
    """A name that is no part of a path, an owner that is told twice, and a scale that its parent rejects."""
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a", "labels": {"é": "é"}}}
    below, above = ({**scale, "spec": {"replicas": replicas}} for replicas in (-1, 1))
    cases = [
        Case(1, "", "v1", "Pod", Operation.UPDATE, pod(name=".."), pod(name=".."), "pods"),
        Case(2, "", "v1", "Pod", Operation.UPDATE, pod(name="%"), pod(name="%"), "pods"),
        Case(3, "", "v1", "Pod", Operation.CREATE, pod(ownerReferences=[{"name": "a"}, {"name": "a"}]), None, "pods"),
    ]
    for group, resource in (("apps", "deployments"), ("apps", "statefulsets"), ("", "replicationcontrollers")):
        update = Case(4, group, "v1", "Scale", Operation.UPDATE, below, above, resource, "scale")
        cases += [update, msgspec.structs.replace(update, object=above, old=below)]
    outcomes = [why.outcome for _, _, why in compare(cases, validators, cast(Target, server))]
    assert ["unreachable", "unreachable", *["confirmed"] * 7] == outcomes


def test_a_name_is_made_as_the_server_makes_it(server: LiveTarget, validators: Target) -> None:
    """Some kinds take the beginning of a name as the whole name: an address is accepted, and others are quoted."""
    spec = {"parentRef": {"resource": "pods", "name": "a", "group": "apps", "namespace": "a"}}
    address = {"apiVersion": "networking.k8s.io/v1", "kind": "IPAddress", "spec": spec}
    names = ("10.0.0.1", "a")
    addresses = [{**address, "metadata": {"generateName": name}} for name in names]
    key = "networking.k8s.io", "v1", "IPAddress", Operation.CREATE
    cases = [Case(number, *key, new, None, "ipaddresses") for number, new in enumerate(addresses)]
    assert [False, True] == [bool(answer.handwritten) for answer in validators.ask(cases)]
    generated = {**pod(), "metadata": {"generateName": "a"}}
    cases.append(Case(2, "", "v1", "Pod", Operation.CREATE, generated, None, "pods"))
    assert ["confirmed"] * 3 == [why.outcome for _, _, why in compare(cases, validators, cast(Target, server))]


def test_a_default_may_come_of_the_name_in_the_address(server: LiveTarget, validators: Target) -> None:
    """A namespace has a label with its name, also where the body of an update leaves the name out."""
    spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": one} for one in ({"name": "éé"}, {})]
    key = "", "v1", "Namespace", Operation.UPDATE
    cases = [
        Case(number, *key, new, old, "namespaces", subresource)
        for number, (new, old) in enumerate((spaces, spaces[::-1]))
        for subresource in ("", "status")
    ]
    told = [{error.field for error in answer.handwritten} for answer in validators.ask(cases)]
    assert ["metadata.labels" in fields for fields in told] == [True] * 4
    outcomes = {why.outcome for _, _, why in compare(cases, validators, cast(Target, server))}
    assert outcomes <= {"confirmed", "unreachable"}


def test_a_name_that_is_taken_is_no_error_of_validation(server: LiveTarget) -> None:
    """The object was validated before: a server looks for the name afterwards."""
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}
    answer = ask(server, space, resource="namespaces")
    assert ([], "") == (said(answer), answer.served[0].status)


def test_parts_of_other_objects_have_these_objects(server: LiveTarget) -> None:
    """A binding has its pod, a scale what it scales, and they are gone afterwards."""
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "a"}, "target": {"name": "node"}}
    assert [] == said(ask(server, binding, subresource="binding"))
    scale = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a"}, "spec": {"replicas": 2}}
    assert [] == said(ask(server, scale, scale, "replicationcontrollers", subresource="scale"))
    lower = {**scale, "spec": {"replicas": -1}}
    assert [("Invalid", "spec.replicas")] == said(
        ask(server, lower, scale, "replicationcontrollers", subresource="scale")
    )


def test_a_client_of_the_running_server_reads_the_same_lists(server: LiveTarget) -> None:
    """Creates and updates by dry run, through its address: the lists are those that the server gives from inside."""
    bad = pod({"containers": [{"name": "A", "image": "a"}]})
    with ServerTarget(server.access, RELEASE, rate=1000) as client:
        outside = cast(LiveTarget, client)
        assert ask(server, bad).served[0].errors == ask(outside, bad).served[0].errors
        assert () == ask(outside, pod()).served[0].errors
        spaces = next(kind for kind in client.info.kinds if kind.name == "v1 namespaces")
        [space] = [one for one in client.list_objects(spaces, redact) if one["metadata"]["name"] == "default"]
        labelled = {**space, "metadata": {**space["metadata"], "labels": {"a": "-"}}}
        changed, same = (ask(outside, new, space, "namespaces").served[0] for new in (labelled, space))
        assert ["metadata.labels"] == [error.field for error in changed.errors]
        assert ((), "") == (same.errors, same.status)
        assert [space] == [one for one in client.list_objects(spaces, redact) if one["metadata"]["name"] == "default"]


def test_counters_rise_as_predicted(server: LiveTarget, validators: Target) -> None:
    """Two rules without a handwritten check are two mismatches under each setting, of this kind and no other."""
    constraint = {"distinctAttribute": "a" * 33, "matchAttribute": "om/a"}
    claim = {
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "a"},
        "spec": {"devices": {"constraints": [constraint]}},
    }  # fmt: skip
    case = Case(1, "resource.k8s.io", "v1", "ResourceClaim", Operation.CREATE, claim, None, "resourceclaims")
    info = next(one for one in validators.info.kinds if one.key == ("resource.k8s.io", "v1", "resourceclaims", ""))
    before = read_counters(server.access)
    label, number = predict(case, validators.ask([case])[0], server.ask([case])[0], info)
    rise = read_counters(server.access) - before
    assert ("resourceclaim_create", 6) == (label, number)
    parity = "declarative_validation_parity_discrepancies_total"
    assert {("declarative_validation_mismatch_total", ""): 6, (parity, label): 6} == dict(rise)


def test_what_a_server_fills_in_is_not_told(server: LiveTarget) -> None:
    """A uid of its own, and managed fields of the request, in a text that quotes them."""
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "metadata": {"name": "a"}}
    kind = "SelfSubjectAccessReview"
    other = {
        "manager": "m", "operation": "Apply", "apiVersion": "authorization.k8s.io/v1", "fieldsType": "FieldsV1",
        "fieldsV1": {"f:a": {}},
    }  # fmt: skip
    for managed, told in (([], ""), ([{}], ""), ([other], f',"managedFields":[{json.dumps(other)}]')):
        sent = {**review, "metadata": {"name": "a", "managedFields": managed}}
        case = Case(1, "authorization.k8s.io", "v1", kind, Operation.CREATE, sent, None, "selfsubjectaccessreviews")
        errors = server.ask([case])[0].served[0].errors
        expected = f'{{"name":"a"{told.replace(": ", ":").replace(", ", ",")}}}: must be empty'
        assert [expected] == [error.detail for error in errors if error.field == "metadata"]
