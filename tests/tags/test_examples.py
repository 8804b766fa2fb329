"""Every example of every tag does what it says, and causes exactly the errors that the tag declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.case import Operation
from harness.compiler import Compiled, compile_types
from harness.field import FieldError
from harness.gotypes.packages import Universe
from harness.tags.registry import SPECS
from harness.tags.spec import TagExample, TagSpec

EXAMPLES = [
    pytest.param(spec, example, id=f"{spec.name}-{index}")
    for spec in SPECS.values()
    for index, example in enumerate(spec.examples)
]


def run(compiled: Compiled, example: TagExample) -> list[FieldError]:
    operation = Operation.UPDATE if example.update else Operation.CREATE
    old = example.object(example.old) if example.update else None
    return compiled.validate("T", operation, example.object(example.new), old, example.options)


@pytest.mark.parametrize(("spec", "example"), EXAMPLES)
def test_example(spec: TagSpec, example: TagExample, tmp_path: Path) -> None:
    """An example fails at the paths it names, with errors that the tag declares, and nowhere else."""
    file = tmp_path / "types.go"
    file.write_text(example.source(spec.name))
    compiled = compile_types(Universe.from_files({"example": [file]}), "example")
    errors = run(compiled, example)
    assert list(example.fails) == [error.field for error in errors]
    assert compiled.warnings == ()
    declared = {(emission.type, emission.origin) for emission in spec.emits}
    for error in errors if spec.payload is None or spec.payload.kind != "tag" else ():
        origin = "format=" if error.origin.startswith("format=") else error.origin
        assert (error.type, origin) in declared


@pytest.mark.parametrize("spec", SPECS.values(), ids=lambda spec: spec.name)
def test_every_declared_error_is_seen(spec: TagSpec, tmp_path: Path) -> None:
    """Each declared error of a tag appears in one of its examples, and one example passes."""
    seen = set()
    for index, example in enumerate(spec.examples):
        file = tmp_path / f"types{index}.go"
        file.write_text(example.source(spec.name))
        compiled = compile_types(Universe.from_files({"example": [file]}), "example")
        for error in run(compiled, example):
            seen.add((error.type, "format=" if error.origin.startswith("format=") else error.origin))
    assert {(e.type, e.origin) for e in spec.emits if e.declared} - seen == set()
    if spec.supported and spec.name != "k8s:validateFalse" and spec.examples:
        assert any(not example.fails for example in spec.examples)
