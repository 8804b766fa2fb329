"""From types.go with `+k8s:` tags to a declarative validator in Python.

compiled = compile_types(universe, "example.com/api/v1")
compiled.validate("Widget", Operation.UPDATE, new, old, options={"Feature": True})
"""

from __future__ import annotations

import linecache
from collections.abc import Mapping, Sequence
from typing import Any

from harness.case import Operation
from harness.compiler.build import Builder
from harness.compiler.emit import Emitter
from harness.compiler.plan import Plan, options_of
from harness.diagnostics import Diagnostic, UsageError, near_miss
from harness.field import ErrorType, FieldError, Path
from harness.tags.release import release_of
from harness.tags.rules import CheckFunction
from harness.tags.runtime import EMPTY, NilDereferenceError
from harness.tags.types import Declarations, Types

__all__ = ["Compiled", "compile_types"]

_NIL = "panic during declarative validation: runtime error: invalid memory address or nil pointer dereference"
_DEPTH = "panic during declarative validation: the object is nested too deeply"


def compile_types(
    universe: Declarations,
    package: str,
    *,
    release: str = "1.37",
    custom: Mapping[str, CheckFunction] | None = None,
    criteria: Sequence[str] = (),
) -> Compiled:
    """Compile one package's root types.

    `release` chooses the catalogue of tags and their behaviour: 1.34 to 1.37. `custom` holds the functions of
    +k8s:customValidation by name; `criteria` say what is a root (`*`, `TypesWithField=TypeMeta`, ...) in the
    place of the package's own +k8s:validation-gen: those of another package that generates for it.
    Raises: InputError with everything that is wrong, UsageError for a release that is not known.
    """
    which = release_of(release)
    builder = Builder(universe, package, which, custom, criteria)
    plan = builder.build()
    emitter = Emitter(plan, Types(universe), which)
    source = emitter.emit()
    names = {root.type: emitter.entry(root.type) for root in plan.roots.values() if root.type in plan.types}
    return Compiled(plan, source, names, builder.reader.warnings, emitter.custom)


class Compiled:
    """The validators of one package. `source` is their text, `warnings` what was ignored and should not be."""

    def __init__(
        self,
        plan: Plan,
        source: str,
        names: Mapping[str, str],
        warnings: tuple[Diagnostic, ...] = (),
        custom: Mapping[str, CheckFunction] | None = None,
    ) -> None:
        self.plan = plan
        self.source = source
        self.warnings = warnings
        self._functions = _execute(source, plan.package, custom or {})
        self._validators = {
            root.name: self._functions[names[root.type]] for root in plan.roots.values() if root.type in names
        }

    @property
    def types(self) -> tuple[str, ...]:
        """The names of the root types, rules or not."""
        return tuple(self.plan.roots)

    def has_rules(self, type_name: str) -> bool:
        """Whether anything is checked for a type."""
        self._root(type_name)
        return type_name in self._validators

    def validates(self, type_name: str, subresource: str = "") -> bool:
        """Whether requests for this type and subresource are accepted: types without rules accept all (DV 1.6)."""
        root = self._root(type_name)
        return type_name not in self._validators or f"/{subresource}" in root.paths

    def options(self, type_name: str) -> frozenset[str]:
        """The validation options that rules of a type look up."""
        return options_of(self.plan, self._root(type_name).type)

    def validate(
        self,
        type_name: str,
        operation: Operation,
        new: Any,
        old: Any = None,
        options: Mapping[str, bool] = EMPTY,
        subresource: str = "",
    ) -> list[FieldError]:
        """Return the declarative errors of an object, in upstream's order. A panic is one Internal error (DV 7.2)."""
        validator = self._validators.get(type_name)
        if validator is None:
            self._root(type_name)
            return []
        root = self.plan.roots[type_name]
        if f"/{subresource}" not in root.paths:
            detail = f"no validation found for {root.go_type}, subresource: /{subresource}"
            return [FieldError(ErrorType.INTERNAL, "<nil>", detail)]
        operation = Operation(operation)
        if operation is Operation.CREATE:
            old = None
        if new is None and self.plan.types[root.type].struct is not None:
            new = EMPTY
        try:
            errors: list[FieldError] = validator(operation, Path(), new, old, options)
        except NilDereferenceError:
            return [FieldError(ErrorType.INTERNAL, "<nil>", _NIL)]
        except RecursionError:
            return [FieldError(ErrorType.INTERNAL, "<nil>", _DEPTH)]
        return errors

    def _root(self, type_name: str) -> Any:
        try:
            return self.plan.roots[type_name]
        except KeyError:
            hint = near_miss(type_name, tuple(self.plan.roots))
            raise UsageError(f"{self.plan.package} has no root type {type_name}. {hint}".rstrip()) from None


def _execute(source: str, package: str, custom: Mapping[str, CheckFunction]) -> dict[str, Any]:
    """Run the source under a name that tracebacks can look up."""
    name = f"<validators of {package}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": f"validators_of_{package}", **custom}
    exec(compile(source, name, "exec"), namespace)
    return namespace
