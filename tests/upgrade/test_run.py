"""An upgrade check: every object gets a verdict of both releases, and each change its cause and its gate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from harness.case import Case, Operation
from harness.diagnostics import Diagnostic, Position, TargetError
from harness.stored.storedobject import Reading, RequestAddress, StoredObject
from harness.subject import SubjectSpec
from harness.upgrade.document import ChangeGroup, Upgrade
from harness.upgrade.run import UpgradeRequest, check_upgrade
from tests.upgrade.fakes import AFTER, BEFORE, FakeReleases, widget

Check = Callable[..., Upgrade]


@pytest.fixture
def releases(monkeypatch: pytest.MonkeyPatch) -> FakeReleases:
    """Two releases without a process."""
    return FakeReleases().install(monkeypatch)


@pytest.fixture
def check(releases: FakeReleases) -> Check:
    """Checks objects."""

    def run(*objects: dict[str, Any], reading: Reading | None = None, **more: Any) -> Upgrade:
        spec = SubjectSpec("kubernetes", AFTER, against=BEFORE)
        stored = [StoredObject(one, f"dump.yaml:{number}") for number, one in enumerate(objects, 1)]
        return check_upgrade(
            UpgradeRequest(spec, ("dump.yaml",), **more), stored, reading or Reading(), lambda text: None
        )

    return run


def requests_about(cases: Iterable[Case], name: str) -> list[Case]:
    """The requests about an object, once for both releases."""
    found = {(case.operation, case.subresource, str(case.object)): case for case in cases}
    return [case for case in found.values() if case.object["metadata"]["name"] == name]


def only(document: Upgrade) -> ChangeGroup:
    """The only group."""
    [group] = document.groups
    return group


def test_an_object_that_can_no_longer_be_updated_is_named(check: Check) -> None:
    """With its errors, the requests that fail, the cause, and the gate whose default brought the rule."""
    document = check(widget("even"), widget("odd", size=3))
    group = only(document)
    assert ("stuck", "new-rule", 1, 1) == (group.effect, group.cause, group.count, document.exit_code)
    assert ("update", "annotate", "create") == group.requests
    assert ("spec.size: Invalid value: must be even",) == group.errors
    assert group.since.startswith("Strict=true, the default of 1.1.0: Strict=false brings back")
    [named] = group.objects
    assert ("shop/odd", "dump.yaml:2") == (named.name, named.source)


def test_a_change_of_creates_alone_leaves_updates_possible(check: Check) -> None:
    """It is an effect of its own, and no gate stands behind it."""
    group = only(check(widget("a-very-long-name")))
    assert ("rejected", ("create",), "") == (group.effect, group.requests, group.since)


def test_what_is_accepted_now_is_a_change(check: Check) -> None:
    """The rule of the release before is gone."""
    document = check(widget("a", spec={"color": ""}))
    assert ("accepted", "rule-removed") == (only(document).effect, only(document).cause)
    assert 1 == document.exit_code


def test_a_status_is_updated_too(check: Check) -> None:
    """A controller that cannot write a status is as stuck as a user."""
    group = only(check(widget("a", status={"phase": "bad"})))
    assert ("stuck", ("status",)) == (group.effect, group.requests)


def test_objects_are_asked_as_they_are_stored(check: Check, releases: FakeReleases) -> None:
    """An update has what the server wrote, a create has not, and nothing else differs."""
    held = widget("a")
    check(held)
    by_operation: dict[Operation, list[Case]] = {}
    for case in requests_about(releases.asked, "a"):
        by_operation.setdefault(case.operation, []).append(case)
    unchanged, annotated = by_operation[Operation.UPDATE]
    assert (held, held) == (unchanged.object, unchanged.old)
    assert held == annotated.old
    assert {"touched": "a"} == annotated.object["metadata"]["annotations"]
    [created] = by_operation[Operation.CREATE]
    assert {"name": "a", "namespace": "shop"} == created.object["metadata"]
    assert "served" == created.mode


def test_nothing_changes_is_exit_code_0(check: Check) -> None:
    """Each kind is counted."""
    document = check(widget("a"), widget("b"))
    assert (0, 2, ()) == (document.exit_code, document.objects, document.groups)
    assert [("example.io/v1 widgets", 2)] == [(one.kind, one.objects) for one in document.kinds]


def test_kinds_that_nobody_serves_are_counted_and_make_it_incomplete(check: Check) -> None:
    """Unless they are allowed to be left out."""
    other = {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "a"}}
    document = check(widget("a"), other, other)
    [left] = document.left_out
    assert (2, 2, "example.com/v1 Gadget") == (document.exit_code, left.count, left.kind)
    assert left.reason.startswith("neither 1.0.0 nor 1.1.0 serves it")
    assert 0 == check(widget("a"), other, allowed=("example.com/*",)).exit_code


def test_a_version_that_is_no_longer_served_is_a_change(check: Check) -> None:
    """It names the version that is."""
    group = only(check(widget("a", apiVersion="example.io/v1beta1")))
    assert ("not-served", "not served any more; served: example.io/v1") == (group.effect, group.errors[0])


def test_an_object_that_breaks_a_release_is_not_judged(check: Check) -> None:
    """It is no verdict, and the others are judged."""
    document = check(widget("crash"), widget("a"))
    assert (2, 1, "could not be asked: worker: it ended") == (
        document.exit_code, document.objects, document.left_out[0].reason
    )  # fmt: skip


def test_no_object_at_all_is_no_success(check: Check) -> None:
    """Whoever judged nothing knows nothing."""
    assert 2 == check().exit_code


def test_what_could_not_be_read_makes_it_incomplete(check: Check) -> None:
    """A change that was found weighs more."""
    reading = Reading()
    reading.fail(Diagnostic(Position("dump.yaml", 3), "dump-syntax", "not YAML"))
    document = check(widget("a"), reading=reading)
    assert (2, "dump.yaml:3") == (document.exit_code, document.unread[0].position)
    assert 1 == check(widget("a", size=3), reading=reading).exit_code


def test_objects_with_one_change_are_one_group(check: Check) -> None:
    """Whatever their number, the gate is looked for once, with few starts."""
    document = check(*(widget(f"w{number}", size=3) for number in range(30)))
    assert 30 == only(document).count == len(only(document).objects)


def test_only_the_kinds_that_were_named_are_judged(check: Check) -> None:
    """Others are not asked, and not missed."""
    document = check(widget("a"), {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}, kinds=("widgets",))
    assert (0, 1) == (document.exit_code, document.objects)


def test_an_interrupt_keeps_what_was_judged(releases: FakeReleases) -> None:
    """With the exit code of an interrupt."""

    def objects() -> Iterable[StoredObject]:
        for number in range(700):
            yield StoredObject(widget(f"w{number}", size=3), "-")
        raise KeyboardInterrupt

    spec = SubjectSpec("kubernetes", AFTER, against=BEFORE)
    document = check_upgrade(UpgradeRequest(spec, ("-",)), objects(), Reading(), lambda text: None)
    assert 130 == document.exit_code
    assert 0 < only(document).count <= 700


def test_requests_of_an_audit_log_are_asked_as_they_were_sent(check: Check, releases: FakeReleases) -> None:
    """An update with its old object, at its address; what is rejected now is an effect of its own."""
    address = RequestAddress("example.io", "v1", "widgets", "")
    sent = StoredObject(widget("a", size=3), "audit.log:2", widget("a"), Operation.UPDATE, address)
    spec = SubjectSpec("kubernetes", AFTER, against=BEFORE)
    document = check_upgrade(UpgradeRequest(spec, ("audit.log",)), [sent], Reading(), lambda text: None)
    assert ("sent-rejected", ("sent-update",), 1) == (
        only(document).effect,
        only(document).requests,
        document.exit_code,
    )
    assert (widget("a", size=3), widget("a")) == (releases.asked[0].object, releases.asked[0].old)


def test_requests_of_kinds_that_nobody_serves_are_counted(check: Check) -> None:
    """As objects of them are: an audit log of another release, or of a cluster with CRDs, has some."""
    address = RequestAddress("example.com", "v1", "gadgets", "")
    gadget = {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "a"}}
    sent = StoredObject(gadget, "audit.log:1", None, Operation.CREATE, address)
    known = StoredObject(
        widget("a"), "audit.log:2", None, Operation.CREATE, RequestAddress("example.io", "v1", "widgets", "")
    )
    spec = SubjectSpec("kubernetes", AFTER, against=BEFORE)
    document = check_upgrade(UpgradeRequest(spec, ("audit.log",)), [sent, known], Reading(), lambda text: None)
    [left] = document.left_out
    assert (2, 1, 1) == (document.exit_code, left.count, document.objects)


def test_encrypted_objects_make_it_incomplete(check: Check) -> None:
    """They are no object that was judged, unless they are allowed to be left out."""
    reading = Reading()
    reading.miss_encrypted("aescbc", "snapshot.db:/registry/secrets/a")
    document = check(widget("a"), reading=reading)
    assert (2, "encrypted", 1) == (document.exit_code, document.left_out[0].kind, document.left_out[0].count)
    assert 0 == check(widget("a"), reading=reading, allowed=("encrypted",)).exit_code


def test_a_release_that_is_lost_ends_the_check_with_what_was_judged(check: Check) -> None:
    """It is incomplete; if nothing was judged by then, the command fails."""
    many = [widget(f"w{number}") for number in range(700)]
    document = check(*many, widget("fatal"))
    assert (2, True) == (document.exit_code, 0 < document.objects <= 700)
    assert "a release was lost: the worker is given up" in document.notes[0]
    with pytest.raises(TargetError, match="given up"):
        check(widget("fatal"))
