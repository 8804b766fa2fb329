"""What a validator was given is asked through every request that can carry it."""

from __future__ import annotations

from typing import Any

from harness.case import Case, KindInfo, Operation
from harness.targets.kubernetes.gotests.cases import cases_of
from harness.targets.kubernetes.gotests.testrun import GoTestRecord

KINDS = (
    KindInfo("", "v1", "Thing", "things", "v1"),
    KindInfo("apps", "v1", "Thing", "things", "apps/v1"),
    KindInfo("apps", "v1", "Thing", "things", "apps/v1", "status", operations=(Operation.UPDATE,)),
    KindInfo("apps", "v1beta1", "Thing", "things", "apps/v1beta1"),
    KindInfo("apps", "v1", "Other", "others", "apps/v1"),
    KindInfo("apps", "v1", "Scale", "things", "autoscaling/v1", "scale", operations=(Operation.UPDATE,)),
)


def asked(record: GoTestRecord) -> dict[str, Case]:
    """The requests of a record, by operation, version, resource and subresource."""
    cases = cases_of(record, KINDS)
    return {f"{one.operation} {one.group}/{one.version} {one.resource}/{one.subresource}": one for one in cases}


def given(kind: str = "Thing", group: str = "apps", old: Any = None, **new: Any) -> GoTestRecord:
    """A record of version v1."""
    return GoTestRecord("x.Validate", group, "v1", kind, {"metadata": {"name": "a"}, **new}, old)


def test_an_object_is_created() -> None:
    """In its own version: a record is written for each."""
    cases = asked(given(spec=1))
    assert ["create apps/v1 things/"] == list(cases)
    assert ({"metadata": {"name": "a"}, "spec": 1}, None) == (
        cases["create apps/v1 things/"].object,
        cases["create apps/v1 things/"].old,
    )


def test_the_core_group_has_no_name() -> None:
    """Its API version is the version alone."""
    assert ["create /v1 things/"] == list(asked(given(group="")))


def test_an_update_is_asked_of_every_subresource_as_a_server_stores_it() -> None:
    """Without a revision each update has an error more, which hides others."""
    cases = asked(given(old={"metadata": {"name": "b"}}, spec=1))
    assert ["update apps/v1 things/", "update apps/v1 things/status"] == list(cases)
    for case in cases.values():
        assert {"b": "1", "a": "1"} == {
            one["metadata"]["name"]: one["metadata"]["resourceVersion"] for one in (case.old, case.object)
        }


def test_a_status_that_came_alone_is_written() -> None:
    """Creates reset it, so that its validators would not see it."""
    cases = asked(given(status={"phase": "x"}))
    assert ["create apps/v1 things/", "update apps/v1 things/status"] == list(cases)
    written = cases["update apps/v1 things/status"]
    assert ({"phase": "x"}, False) == (written.object["status"], "status" in written.old)


def test_an_object_of_another_group_goes_to_its_subresource() -> None:
    """A scale has its own version."""
    assert ["update apps/v1 things/scale"] == list(asked(given("Scale", "autoscaling", old={})))


def test_what_no_request_carries_is_not_asked() -> None:
    """A kind that is not served, and values that are left out."""
    assert not asked(given("Unserved"))
    assert not asked(GoTestRecord("x.V", left="no kind has it"))
