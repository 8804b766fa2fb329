"""The webhooks of a configuration: each is asked about what its rules name, and an object has the errors of all."""

from __future__ import annotations

import pytest

from harness.case import Case, KindInfo, Operation
from harness.targets.crd.webhooks import ConfiguredWebhook, WebhookGroup, WebhookRule
from tests.targets.crd.hooks import even, review, webhook

THINGS = KindInfo("example.com", "v1", "Thing", "things", "example.com/v1")
STATUS = KindInfo("example.com", "v1", "Thing", "things", "example.com/v1", subresource="status")


@pytest.mark.parametrize(
    ("rule", "kind", "operation", "asked"),
    [
        ((("CREATE",), ("example.com",), ("v1",), ("things",)), THINGS, Operation.CREATE, True),
        ((("CREATE",), ("example.com",), ("v1",), ("things",)), THINGS, Operation.UPDATE, False),
        ((("*",), ("*",), ("*",), ("*",)), THINGS, Operation.UPDATE, True),
        ((("*",), ("*",), ("*",), ("*",)), STATUS, Operation.UPDATE, False),
        ((("*",), ("*",), ("*",), ("things/*",)), STATUS, Operation.UPDATE, True),
        ((("*",), ("*",), ("*",), ("*/status",)), STATUS, Operation.UPDATE, True),
        ((("*",), ("*",), ("*",), ("*/*",)), THINGS, Operation.UPDATE, True),
        ((("*",), ("other.com",), ("*",), ("*",)), THINGS, Operation.CREATE, False),
        ((("*",), ("*",), ("v2",), ("*",)), THINGS, Operation.CREATE, False),
        ((("*",), ("*",), ("*",), ("others",)), THINGS, Operation.CREATE, False),
        ((("*",), ("*",), ("*",), ("*",), "Cluster"), THINGS, Operation.CREATE, False),
    ],
)
def test_what_a_rule_names(
    rule: tuple[tuple[str, ...], ...], kind: KindInfo, operation: Operation, asked: bool
) -> None:
    """Operation, group, version, resource and scope have to fit; a subresource is named or is not meant."""
    assert asked is WebhookRule(*rule).has(kind, operation)  # type: ignore[arg-type]


def case(number: int, old: int | None = None) -> Case:
    """A create, or an update, of an object."""
    new, was = ({"metadata": {"name": "a"}, "spec": {"n": n}} for n in (number, old))
    return THINGS.case(
        Operation.CREATE if old is None else Operation.UPDATE, new, None if old is None else was, id=number
    )


def test_each_is_asked_about_its_own() -> None:
    """Two webhooks answer one create, and an update that none names is asked of none."""
    rule = WebhookRule(("CREATE",), ("*",), ("*",), ("*",))
    with webhook(even) as (first, seen), webhook(lambda asked: review(asked, False)) as (second, others):
        hooks = [ConfiguredWebhook("a", first, "", (rule,)), ConfiguredWebhook("b", second, "", (rule,))]
        with WebhookGroup(hooks, [THINGS, STATUS]) as group:
            answers = group.ask([case(3), case(4), case(5, old=4)])
            kinds = [(kind.key, kind.operations) for kind in group.info.kinds]
    assert [["spec.n", "spec.why", ""], [""], []] == [[error.field for error in one.handwritten] for one in answers]
    assert [3, 4, 5] == [one.id for one in answers]
    assert (2, 2) == (len(seen), len(others))
    assert [(THINGS.key, (Operation.CREATE,))] == kinds
