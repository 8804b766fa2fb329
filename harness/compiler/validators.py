"""Runs compiled validators, without their types and tags.

`standalone` writes them as a module that is used without the compiler.
"""

from __future__ import annotations

import linecache
from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

from harness.case import Operation
from harness.compiler.plan import Root
from harness.compiler.source import literal
from harness.diagnostics import Diagnostic, UsageError, near_miss
from harness.field import ErrorType, FieldError, Path
from harness.tags.rules import CheckFunction
from harness.tags.runtime import EMPTY, NilDereferenceError

_NIL = "panic during declarative validation: runtime error: invalid memory address or nil pointer dereference"
_ROOT = Path()
_CREATE = Operation.CREATE  # a local name: looking up a member of an enum costs as much as a call
_DEPTH = "panic during declarative validation: the object is nested too deeply"


@dataclass(frozen=True, slots=True)
class RootValidator:
    """A root type: the function of its rules (empty without rules), whether it is a struct, the options they read.

    `reads_subresource`: rules depend on the subresource that a request comes through.
    """

    root: Root
    function: str
    is_struct: bool
    options: frozenset[str]
    reads_subresource: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """A compiled package as it is cached: its text, its code, its root types by name, and its warnings."""

    package: str
    source: str
    code: CodeType
    entries: Mapping[str, RootValidator]
    custom: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


class Validators:
    """The validators of one package. `source` is their text, `warnings` are about tags that were ignored."""

    def __init__(self, module: Module, custom: Mapping[str, CheckFunction] | None = None) -> None:
        self.package, self.source, self.warnings = module.package, module.source, module.warnings
        self._entries = module.entries
        functions = _execute(module, custom or {})
        self._validators = {
            name: (
                functions[entry.function],
                frozenset(path[1:] for path in entry.root.paths),
                entry.is_struct,
                entry.reads_subresource,
            )
            for name, entry in module.entries.items()
            if entry.function
        }

    @property
    def types(self) -> tuple[str, ...]:
        """The names of the root types, with and without rules."""
        return tuple(self._entries)

    def has_rules(self, type_name: str) -> bool:
        """Whether a type has rules."""
        self._entry(type_name)
        return type_name in self._validators

    def validates(self, type_name: str, subresource: str = "") -> bool:
        """Whether requests for this type and subresource are accepted: types without rules accept all.

        Source: semantics.md#1.6.
        """
        entry = self._entry(type_name)
        return type_name not in self._validators or f"/{subresource}" in entry.root.paths

    def options(self, type_name: str) -> frozenset[str]:
        """The validation options that rules of a type read."""
        return self._entry(type_name).options

    def validate(
        self,
        type_name: str,
        operation: Operation,
        new: Any,
        old: Any = None,
        options: Mapping[str, bool] = EMPTY,
        subresource: str = "",
    ) -> list[FieldError]:
        """Return the declarative errors of an object, in upstream's order. A panic is one Internal error.

        Source: semantics.md#7.2.
        """
        found = self._validators.get(type_name)
        if found is None:
            self._entry(type_name)
            return []
        validator, subresources, is_struct, reads_subresource = found
        if subresource not in subresources:
            root = self._entries[type_name].root
            detail = f"no validation found for {root.go_type}, subresource: /{subresource}"
            return [FieldError(ErrorType.INTERNAL, "<nil>", detail)]
        if operation.__class__ is not Operation:
            operation = Operation(operation)
        if operation is _CREATE:
            old = None
        if new is None and is_struct:
            new = EMPTY
        if reads_subresource:
            options = {**options, f"/{subresource}": True}
        try:
            errors: list[FieldError] = validator(operation, _ROOT, new, old, options)
        except NilDereferenceError:
            return [FieldError(ErrorType.INTERNAL, "<nil>", _NIL)]
        except RecursionError:
            return [FieldError(ErrorType.INTERNAL, "<nil>", _DEPTH)]
        return errors

    def _entry(self, type_name: str) -> RootValidator:
        try:
            return self._entries[type_name]
        except KeyError:
            hint = near_miss(type_name, tuple(self._entries))
            raise UsageError(f"{self.package} has no root type {type_name}. {hint}".rstrip()) from None


def module_of(source: str, package: str, **more: Any) -> Module:
    """Compile the text of a module."""
    return Module(package, source, compile(source, _file(package), "exec"), **more)


def _execute(module: Module, custom: Mapping[str, CheckFunction]) -> dict[str, Any]:
    """Run the code, with a file name under which tracebacks find its source."""
    name, source = _file(module.package), module.source
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    functions = {one: custom[one] for one in module.custom}
    namespace: dict[str, Any] = {"__name__": f"validators_of_{module.package}", **functions}
    exec(module.code, namespace)
    return namespace


def _file(package: str) -> str:
    return f"<validators of {package}>"


_PLACE = "\nUPDATE = Operation.UPDATE\n"
_ROOTS = """

# Root types by name: what to call with (operation, Path(), new, old or None, options), and for which subresources.
# An absent object is {{}}; a NilDereferenceError is what Go reports as a panic.
ROOTS = {{
{lines}}}
"""


def standalone(module: Module, origins: Mapping[str, str]) -> str:
    """Return the text of a standalone file.

    `origins` has the import statement of every handwritten function that is called.
    """
    needed = "".join(f"{origins[name]}\n" for name in dict.fromkeys(module.custom))
    before, place, after = module.source.partition(_PLACE)
    assert place, "every emitted module has one"
    text = f"{before}{place}{_statements(needed)}{after}"
    lines = [
        f"    {literal(name)}: ({entry.function}, {literal(frozenset(entry.root.paths))}),\n"
        for name, entry in sorted(module.entries.items())
        if entry.function
    ]
    return text.rstrip("\n") + "\n" + _ROOTS.format(lines="".join(lines))


def _statements(needed: str) -> str:
    return f"\n# Handwritten checks, called by +k8s:customValidation\n{needed}" if needed else ""
