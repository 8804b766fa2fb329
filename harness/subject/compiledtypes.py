"""Types that are compiled to Python when they are first needed, and what their rules say of an object of a target."""

from __future__ import annotations

from collections.abc import Callable, Collection

from harness.case import Operation, Validated
from harness.compiler import Validators
from harness.field import FieldError
from harness.fuzzers.shape import shape_of
from harness.gotypes.packages import Universe
from harness.subject.decode import decoder_of
from harness.targets.endpoint import Decoder
from harness.targets.wire import shortened

Compile = Callable[[str], Validators]
"""From the import path of a package to its validators. Raises: InputError."""


class CompiledTypes:
    """The validators of several packages, each compiled on first use. Other packages have no rules."""

    def __init__(self, universe: Universe, packages: Collection[str], compile_package: Compile) -> None:
        self._universe, self._packages, self._compile = universe, frozenset(packages), compile_package
        self._compiled: dict[str, Validators] = {}
        self._decoders: dict[str, Decoder] = {}

    def package(self, path: str) -> Validators:
        """Return the validators of a package. Raises: InputError."""
        if path not in self._compiled:
            self._compiled[path] = self._compile(path)
        return self._compiled[path]

    def has_rules(self, qualified: str) -> bool:
        """Whether a type has rules. Raises: InputError."""
        path, _, name = qualified.rpartition(".")
        if path not in self._packages or self._universe.find(qualified) is None:
            return False
        compiled = self.package(path)
        return name in compiled.types and compiled.has_rules(name)

    def validate(self, operation: Operation, given: Validated) -> list[FieldError]:
        """Return the declarative errors of an object that a target validated. Raises: DecodeError, InputError."""
        if not self.has_rules(given.type):
            return []
        if given.type not in self._decoders:
            self._decoders[given.type] = decoder_of(shape_of(self._universe, given.type), from_go=True)
        decode = self._decoders[given.type]
        path, _, name = given.type.rpartition(".")
        old = None if given.old is None else decode(given.old)
        new = decode(given.object)
        return shortened(self.package(path).validate(name, operation, new, old, given.options, given.subresource))
