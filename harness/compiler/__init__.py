"""Compiles the `+k8s:` tags of Go types to declarative validators in Python.

compiled = compile_types(universe, "example.com/api/v1")
compiled.validate("Widget", Operation.UPDATE, new, old, options={"Feature": True})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.compiler.build import Builder
from harness.compiler.emit import Emitter
from harness.compiler.plan import Plan, Root, options_of, reads_subresource
from harness.compiler.validators import Module, RootValidator, Validators, module_of
from harness.diagnostics import Diagnostic
from harness.tags.release import release_of
from harness.tags.rules import CheckFunction
from harness.tags.types import Declarations, Types

__all__ = ["Compiled", "Validators", "compile_plan", "compile_types"]


def compile_types(
    universe: Declarations,
    package: str,
    *,
    release: str = "1.37",
    custom: Mapping[str, CheckFunction] | None = None,
    criteria: Sequence[str] = (),
) -> Compiled:
    """Compile one package's root types.

    `release` chooses the catalogue of tags and their behaviour: 1.33 to 1.37. `custom` holds the functions of
    +k8s:customValidation by name; `criteria` select the root types (`*`, `TypesWithField=TypeMeta`, ...)
    instead of the package's own +k8s:validation-gen, if another package generates its code.
    Raises: InputError with all diagnostics, UsageError for an unknown release.
    """
    which = release_of(release)
    builder = Builder(universe, package, which, custom, criteria)
    plan = builder.build()
    return compile_plan(plan, universe, release=release, warnings=builder.reader.warnings)


def compile_plan(
    plan: Plan, universe: Declarations, *, release: str = "1.37", warnings: Sequence[Diagnostic] = ()
) -> Compiled:
    """Write and compile the validators of a plan: one that `compile_types` made, or a changed one."""
    emitter = Emitter(plan, Types(universe), release_of(release))
    source = emitter.emit()
    names = {root.type: emitter.entry(root.type) for root in plan.roots.values() if root.type in plan.types}
    entries = {name: _entry(plan, root, names.get(root.type, "")) for name, root in plan.roots.items()}
    module = module_of(source, plan.package, entries=entries, custom=tuple(emitter.custom), warnings=tuple(warnings))
    return Compiled(plan, module, emitter.custom)


def _entry(plan: Plan, root: Root, function: str) -> RootValidator:
    with_rules = plan.types.get(root.type)
    is_struct = with_rules is not None and with_rules.struct is not None
    return RootValidator(root, function, is_struct, options_of(plan, root.type), reads_subresource(plan, root.type))


class Compiled(Validators):
    """Validators with the plan that they were compiled from, for callers that read rules."""

    def __init__(self, plan: Plan, module: Module, custom: Mapping[str, CheckFunction] | None = None) -> None:
        super().__init__(module, custom)
        self.plan = plan
        self.module = module
