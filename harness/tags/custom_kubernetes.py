"""The handwritten functions that +k8s:customValidation calls in Kubernetes, in Python, because only types are compiled.

Source: pkg/apis/core/v1, pkg/apis/lifecycle/v1alpha1 and apimachinery pkg/apis/meta/v1/validation of 1.37.1 (2026-11).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from harness.case import Operation
from harness.field import FieldError, Path
from harness.field.make import invalid, required
from harness.tags.rules import CheckFunction
from harness.tags.runtime import ZERO_TIME, read_time
from harness.tags.translation import CelRule, SchemaForm

_SUFFIXES = (".k8s.io", ".kubernetes.io")
_RESERVED_BELOW = 1000
_SPACES = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
"""What Go's strings.TrimSpace removes; Python's strip would take four control characters more."""


def no_reserved_domain(_operation: Operation, path: Path, new: str | None, _old: str | None) -> Sequence[FieldError]:
    """Reject a prefix that is a domain of Kubernetes itself, however it is written."""
    if new is None:
        return []
    # One character becomes one character, as in Go: neither two for U+0130 nor another sigma at the end of a word.
    lowered = "".join(char.lower()[0] for char in new.partition("/")[0])
    domain = lowered.strip(_SPACES).rstrip(".")
    if not domain.endswith(_SUFFIXES) and domain not in [suffix.strip(".") for suffix in _SUFFIXES]:
        return []
    shown = ", ".join(f"*{suffix}" for suffix in _SUFFIXES)
    return [invalid(path, new, f"domain names {shown} are reserved")]


def no_reserved_priority(_operation: Operation, path: Path, new: int | None, _old: int | None) -> Sequence[FieldError]:
    """Reject a priority that only responders of Kubernetes itself may have."""
    if new is None or not 0 <= new < _RESERVED_BELOW:
        return []
    return [invalid(path, new, "priorities 0-999 are reserved for responders with *.k8s.io suffix")]


def time_set(_operation: Operation, path: Path, new: str | None, _old: str | None) -> Sequence[FieldError]:
    """Require a time: absent, null and the zero time are none."""
    return [required(path)] if not new or read_time(new) == ZERO_TIME else []


KUBERNETES: Mapping[str, CheckFunction] = {
    "ValidateCustom_EvictionResponder_Name": no_reserved_domain,
    "ValidateCustom_EvictionResponder_Priority": no_reserved_priority,
    "ValidateCustom_EvictionRequestSpec_Requester": no_reserved_domain,
    "ValidateCustom_Condition_LastTransitionTime": time_set,
}
"""Every function that a release is known to call, by the name that the generated code calls it by."""


CUSTOM_FORMS: Mapping[CheckFunction, SchemaForm] = {
    time_set: SchemaForm(
        lambda check, at: [CelRule(at.is_set, "is required", "FieldValueRequired", ratchet=f"!{at.was_set}")],
        of_member=True,
    ),
    no_reserved_priority: SchemaForm(
        lambda check, at: [
            CelRule(f"{at.new} < 0 || {at.new} >= {_RESERVED_BELOW}", "priorities 0-999 are reserved"),
        ]
    ),
}
"""How these functions are written in OpenAPI and CEL, where they can be."""


class CustomFunctions(Mapping[str, CheckFunction]):
    """The functions we have, and for every other name one that finds nothing, so that all other rules still work.

    `missing` are the names that were asked for and that we do not have: whoever compiles tells them.
    """

    def __init__(self, known: Mapping[str, CheckFunction] = KUBERNETES) -> None:
        self._known = known
        self._missing: dict[str, None] = {}

    @property
    def missing(self) -> tuple[str, ...]:
        """Names in the order in which they were first asked for."""
        return tuple(self._missing)

    def warnings(self) -> list[str]:
        """Return one message for every missing function."""
        return [
            f"{name} is handwritten in Go and has no counterpart in Python: what it would report is left out\n"
            "  fix: write it into harness/tags/custom_kubernetes.py"
            for name in self._missing
        ]

    def __getitem__(self, name: str) -> CheckFunction:
        if name in self._known:
            return self._known[name]
        self._missing[name] = None
        return _finds_nothing

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _finds_nothing(_operation: Operation, _path: Path, _new: object, _old: object) -> Sequence[FieldError]:
    return []
