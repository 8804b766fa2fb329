"""What a subject knows of its kinds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from harness.subject.subject import Subject
from tests.compare.builders import info


def test_a_kind_of_another_group_is_the_same_kind_of_the_same_resource() -> None:
    """As events of two groups; a scale of another resource is another object."""
    core, events, older = (
        info(kind="Event", resource="events", group=group, version=version)
        for group, version in (("", "v1"), ("events.k8s.io", "v1"), ("events.k8s.io", "v1beta1"))
    )
    scale = info(kind="Event", resource="events", subresource="scale", group="apps")
    other = info(kind="Other", resource="events", group="apps")
    kinds = [core, events, older, scale, other]
    subject: Any = SimpleNamespace(target=SimpleNamespace(info=SimpleNamespace(kinds=kinds)))
    assert [events, older] == Subject.in_other_groups(subject, core)
    assert [core] == Subject.in_other_groups(subject, older)
