"""What a message teaches reaches the paths that were looked at before."""

from __future__ import annotations

from harness.field import FieldError
from harness.fuzzers.edits import sites_of
from harness.fuzzers.feedback import Harvest
from tests.fuzzers.toys import widget_shape


def test_a_new_number_is_tried_at_once() -> None:
    """A limit that an error names is tried at paths whose probes were made before it was known."""
    obj = {"apiVersion": "v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"title": "a"}}
    harvest = Harvest()
    (title,) = [site for site in sites_of(obj, widget_shape()) if site.path == ("spec", "title")]
    assert "a" * 21 not in title.values(harvest)
    harvest.learn([FieldError("FieldValueTooLong", "spec.title", "may not be more than 20 bytes")])
    assert {"a" * 20, "a" * 21} <= set(title.values(harvest))
