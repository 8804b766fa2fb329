"""A subject around the toy target, in the shape that the engine opens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from harness.case import KindInfo, Mode
from harness.fuzzers.shape import Shape
from tests.fuzzers.toys import WIDGETS, ToyTarget, widget_shape

GADGETS = msgspec.structs.replace(WIDGETS, resource="gadgets")


class ToySpec(NamedTuple):
    """What a job process opens the toy subject from. `fault` names what goes wrong, `at` after how many cases."""

    mode: Mode = "served"
    fault: str = ""
    at: int = 0
    corpus: Path | None = None


class ToySubject:
    """The toy target with its types."""

    name = "toys"

    def __init__(self, spec: ToySpec) -> None:
        self.spec = spec
        self.target: Any = ToyTarget((WIDGETS, GADGETS), _faults(spec))
        self.corpus = spec.corpus

    def shape(self, info: KindInfo) -> Shape:
        """Return the shape of the toy kind."""
        return widget_shape()

    def is_known_path(self, info: KindInfo) -> Callable[[str], bool] | None:
        """Know no paths."""
        return None

    def close(self) -> None:
        """Nothing to free."""


def open_toys(spec: Any, note: Callable[[str], None]) -> Any:
    """Open the toy subject."""
    return ToySubject(spec)


def _faults(spec: ToySpec) -> Callable[[int], None]:
    def fails(asked: int) -> None:
        if spec.fault and asked >= spec.at:
            _FAULTS[spec.fault]()

    return fails


def _interrupt() -> None:
    raise KeyboardInterrupt


def _lose() -> None:
    from harness.diagnostics import TargetError

    raise TargetError("the worker does not come back")


def _die() -> None:
    import os

    os._exit(3)


_FAULTS: dict[str, Callable[[], None]] = {"interrupt": _interrupt, "lost": _lose, "die": _die}
