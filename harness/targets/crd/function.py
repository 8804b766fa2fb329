"""A function in Python as the handwritten side: a program that imports it and speaks the wire protocol.

    python -m harness.targets.crd.function FILE.py NAME [FOLDER]

The function gets `(new, old)` or `(new, old, context)` and returns what is wrong: a list of errors or of texts such as
`spec.replicas: must be even`, one text, or nothing. What it raises is a panic, as a webhook's would be.
The branches that it takes, and those of what it imports from its folder, are written into FOLDER.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from harness.case import Answer, Case, Failure, TargetInfo
from harness.field import ErrorType, FieldError
from harness.field.read import read_errors
from harness.suite import Context
from harness.targets.branchwatch import BranchWatch
from harness.targets.wire import encode_greeting

_CASES = msgspec.json.Decoder(Case)


def load(file: Path, name: str) -> Callable[..., Any]:
    """Import a file and return its function. Raises: whatever the file raises, AttributeError, TypeError."""
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    function = getattr(module, name)
    if not callable(function):
        raise TypeError(f"{name} is a {type(function).__name__}, not a function")
    return function  # type: ignore[no-any-return]  # a function of somebody else's


def errors_of(result: Any) -> list[FieldError]:
    """Read what a function returned. Raises: TypeError for what says nothing."""
    if result is None or result is True:
        return []
    if result is False:
        return [FieldError(ErrorType.INVALID, "", "rejected")]
    if isinstance(result, str | FieldError):
        result = [result]
    if not isinstance(result, Iterable):
        raise TypeError(f"it returned a {type(result).__name__}, wanted a list of errors or of texts")
    return [error for one in result for error in _read(one)]


def _read(one: Any) -> list[FieldError]:
    if isinstance(one, FieldError):
        return [one]
    if isinstance(one, str):
        field, colon, words = one.partition(": ")
        plain = FieldError(ErrorType.INVALID, field, words) if colon else FieldError(ErrorType.INVALID, "", one)
        return read_errors(one) or [plain]
    if isinstance(one, tuple) and len(one) == 2 and all(isinstance(part, str) for part in one):
        return [FieldError(ErrorType.INVALID, one[0], one[1])]
    raise TypeError(f"it returned a list with a {type(one).__name__}, wanted errors, texts or pairs of texts")


def answer(function: Callable[..., Any], wants_context: bool, case: Case) -> Answer:
    """Ask a function about a case. Never raises."""
    context = (Context(case.operation, case.version, case.subresource),) if wants_context else ()
    try:
        return Answer(case.id, handwritten=tuple(errors_of(function(case.object, case.old, *context))))
    except Exception as error:
        return Answer(case.id, failure=Failure("handwritten", f"{type(error).__name__}: {error}", panic=True))


def main() -> None:
    """Answer cases on standard input until it ends; what the function prints goes to standard error."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    file, name, *folder = sys.argv[1:]
    path = Path(file).resolve()
    with BranchWatch(folder[0], (str(path.parent),))() if folder else nullcontext():
        _serve(path, name, out)


def _serve(file: Path, name: str, out: BinaryIO) -> None:
    function = load(file, name)
    wants_context = len(inspect.signature(function).parameters) > 2
    out.write(encode_greeting(TargetInfo(name, abilities=("update",))))
    out.flush()
    for line in sys.stdin.buffer:
        out.write(msgspec.json.encode(answer(function, wants_context, _CASES.decode(line))) + b"\n")
        out.flush()


if __name__ == "__main__":
    main()
