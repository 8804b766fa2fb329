"""Which calls report at a field, and which of them a run reached for it."""

from __future__ import annotations

from harness.targets.kubernetes.errorpaths.follow import CallPlace, FollowedError, FollowedKind, OpenCall
from harness.targets.kubernetes.errorpaths.reporting import CallAtField, KindCalls

_FILE = "k8s.io/kubernetes/pkg/apis/toy/validation/validation.go"
_LIBRARY = "k8s.io/apimachinery/pkg/api/validation/generic.go"
# Validate (1) calls helper (2) at 10 and at 11, and a library (3) at 12; ValidateUpdate (4) calls helper too, at 20.
_SITES = (f"{_FILE}:10:2", f"{_FILE}:11:2", f"{_FILE}:12:2", f"{_FILE}:20:2", f"{_FILE}:30:3", f"{_LIBRARY}:5:9",
          "k8s.io/kubernetes/pkg/registry/toy/strategy.go:1:1")  # fmt: skip
_CALLS = ((1, 6, 0), (4, 6, 0), (2, 0, 1), (3, 2, 1), (2, 3, 4), (5, 1, 1))
_INVALID, _REQUIRED = "FieldValueInvalid", "FieldValueRequired"
_ERRORS = (
    FollowedError(2, 4, _REQUIRED, "spec.name", covered=True),
    FollowedError(5, 4, _REQUIRED, "spec.other"),
    FollowedError(3, 5, _INVALID, "spec.size", origin="minimum", covered=True),
    FollowedError(3, 5, _REQUIRED, "spec.size"),
    FollowedError(0, 6, _INVALID, "spec"),
    FollowedError(1, 2, _INVALID, "", vague=True, covered=True),
)
_KIND = FollowedKind(
    "k8s.io/api/toy/v1.Thing", "toy.Thing", (), _SITES, _CALLS, _ERRORS, (OpenCall(1, 0, "spec.deep", "not read"),)
)


def _calls(*reached: int) -> KindCalls:
    def was_reached(site: CallPlace) -> bool | None:
        return site.line in reached if site.file == _FILE else None

    return KindCalls(_KIND, was_reached)


def _site(line: int) -> CallPlace:
    return CallPlace(_FILE, line, 3 if line == 30 else 2)


def test_calls_are_told_by_field() -> None:
    """With all types of errors there; a library without counters is told by the line that calls it."""
    fields = {one.path: one for one in _calls(10, 12, 20, 30).fields()}
    assert ["spec", "spec.name", "spec.other", "spec.size"] == list(fields)
    assert (CallAtField(_site(12), (_INVALID, _REQUIRED), True, ()),) == fields["spec.size"].calls
    assert ((), 1) == (fields["spec"].calls, fields["spec"].uncounted)


def test_a_call_is_reached_for_a_field() -> None:
    """A helper that was reached for another field is not reached for this one; the call that was not is told."""
    fields = {one.path: one.calls for one in _calls(10, 20, 30).fields()}
    assert (CallAtField(_site(30), (_REQUIRED,), True, ()),) == fields["spec.name"]
    assert (CallAtField(_site(30), (_REQUIRED,), False, (_site(11),)),) == fields["spec.other"]


def test_each_way_to_a_call_counts() -> None:
    """One that was reached suffices for the call, and the others are told."""
    fields = {one.path: one.calls for one in _calls(20, 30).fields()}
    assert (CallAtField(_site(30), (_REQUIRED,), True, (_site(10),)),) == fields["spec.name"]
    fields = {one.path: one.calls for one in _calls(10, 20).fields()}
    assert (CallAtField(_site(30), (_REQUIRED,), False, (_site(30),)),) == fields["spec.name"]


def test_marked_errors_have_type_and_origin() -> None:
    """Errors without a mark are those of checks that stay; what is not known may be any."""
    calls = _calls(12)
    assert [12] == [one.site.line for one in calls.marked("spec.size", _INVALID, "minimum").calls]
    assert () == calls.marked("spec.size", _INVALID, "maximum").calls
    assert () == calls.marked("spec.size", _REQUIRED, "").calls
    assert [(_site(12), "its path is not known")] == calls.not_followed("spec.size", _INVALID, "")
    assert [(_site(10), "not read")] == calls.not_followed("spec.deep[*].name", _REQUIRED, "")
    assert [] == calls.not_followed("spec.size", _REQUIRED, "")
