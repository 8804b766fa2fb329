"""Where versions differ in their shape, their lists are asked for on purpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from harness.case import Answer, Case, KindInfo
from harness.events import Result
from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.model import Struct
from tests.engine.test_run import search
from tests.engine.toys import ToySpec, ToySubject
from tests.fuzzers.toys import PACKAGE, WIDGETS, Toys, ToyTarget, error, struct, widget_shape

BEFORE = msgspec.structs.replace(WIDGETS, version="v0", api_version="toys.example.com/v0")


class Before(Toys):
    """The version before, which knows no title."""

    structs: ClassVar[dict[str, Struct]] = {
        **Toys.structs,
        "WidgetSpec": struct("WidgetSpec", {"mode": "Mode", "ports": "[]Port", "labels": "map[string]string"}),
    }


OLDER: Any = Before()


class Versioned(ToyTarget):
    """Answers for both versions; in the older one a title is an error that the newer does not know."""

    def __init__(self) -> None:
        super().__init__((msgspec.structs.replace(WIDGETS, versions=("v0",)), BEFORE))
        self.info = msgspec.structs.replace(self.info, abilities=("update", "versions"))
        self.wanted = 0

    def _answer(self, case: Case) -> Answer:
        answer = super()._answer(case)
        if not case.versions or case.version != "v1" or answer.failure is not None:
            return answer
        self.wanted += 1
        title = (case.object.get("spec") or {}).get("title")
        more = (error("Forbidden", "spec.title", level="beta"),) if title == "a b" else ()
        there = (*answer.declarative, *more)
        return msgspec.structs.replace(answer, versions={"v1": answer.declarative, "v0": there})


class VersionedSubject(ToySubject):
    """The toys in two versions."""

    def __init__(self, spec: Any) -> None:
        super().__init__(spec)
        self.target = Versioned()

    def shape(self, info: KindInfo) -> Shape:
        """Return the shape of the version."""
        return widget_shape() if info.version == "v1" else shape_of(OLDER, f"{PACKAGE}.Widget")


OPENED: list[VersionedSubject] = []


def _open(spec: Any, note: Callable[[str], None]) -> Any:
    OPENED.append(VersionedSubject(spec))
    return OPENED[-1]


def _searched(cases: int) -> Result:
    return search(cases, opener=_open, kinds=("*/v1/widgets",))


def test_a_difference_at_a_place_that_one_version_lacks_is_found_on_purpose() -> None:
    """The one value that shows it comes early among the probes, and rarely in a sample of one case in 31."""
    found = {(one.mismatch, one.path) for one in _searched(3000).findings}
    assert ("version", "spec.title") in found


def test_only_a_part_of_the_cases_asks_for_other_versions() -> None:
    """The lists of other versions cost as much again, so they are asked for where they may differ, and as a sample."""
    result = _searched(6000)
    assert 6000 / 31 < OPENED[-1].target.wanted < result.cases / 4


class EndedSubject(VersionedSubject):
    """The toys, whose older version comes first and is not served."""

    def __init__(self, spec: Any) -> None:
        super().__init__(spec)
        newer, older = self.target.info.kinds
        kinds = msgspec.structs.replace(older, through="v1"), newer
        self.target.info = msgspec.structs.replace(self.target.info, kinds=kinds)


def test_versions_are_compared_through_one_that_is_served() -> None:
    """What is asked through a version that nobody can send would show no request a difference."""
    subject = EndedSubject(ToySpec())
    result = search(3000, opener=lambda spec, note: subject)
    assert result.cases / 5 < subject.target.wanted
