"""The handwritten half of a migration as a user names it: a webhook, a Python function, a Go validator, a program."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

from harness.case import KindInfo
from harness.diagnostics import UsageError
from harness.gotypes.literals import NO_LITERALS, Literals, go_literals
from harness.subject.pyliterals import python_literals
from harness.subject.subject import Note
from harness.targets.target import Target

GO: Final = "go:"
"""Before a validator in Go, where a validator is named."""
CONFIG: Final = "config:"
"""Before the file of a ValidatingWebhookConfiguration, where a validator is named."""
CONFIG_PART: Final = "#"
"""Between that file, where services are reached, and the file of certificates."""
_FUNCTION = re.compile(r"(.+\.py):(\w+)")


def validator_name(validator: str) -> str:
    """Return what a validator is called in a sentence."""
    if validator.startswith(CONFIG):
        return "its webhooks"
    if "://" in validator:
        return "its webhook"
    if validator.startswith(GO):
        return f"the validator {validator.rpartition('.')[2]}"
    return f"the function {validator.rpartition(':')[2]}" if _FUNCTION.fullmatch(validator) else "the program"


def validator_literals(validator: str) -> Literals:
    """Return the literals of the code of a validator, where it is at hand."""
    # Imported here: commands that only read files need none of it.
    from harness.targets.crd.govalidator import folders_of

    if function := _FUNCTION.fullmatch(validator):
        return python_literals([Path(function[1])])
    return go_literals(folders_of(validator.removeprefix(GO))) if validator.startswith(GO) else NO_LITERALS


def function_file(validator: str) -> Path | None:
    """Return the file of a function in Python; None for another validator."""
    function = _FUNCTION.fullmatch(validator)
    return Path(function[1]) if function else None


def open_validator(
    validator: str, kinds: Sequence[KindInfo], note: Note, branches: str | None = None, counts_blocks: bool = False
) -> Target:
    """Start what validates objects of these kinds. Raises: TargetError, UsageError.

    The branches that a function in Python takes are written into the folder `branches`; with `counts_blocks`, a
    validator in Go says which blocks of its code a case reaches.
    """
    # Imported here: commands that only read files need none of it.
    from harness.targets.command import CommandTarget
    from harness.targets.crd.govalidator import build_validator
    from harness.targets.crd.webhook import WebhookTarget

    if validator.startswith(CONFIG):
        return _webhooks(validator, kinds)
    if "://" in validator:
        url, _, ca = validator.partition("#")
        kinds = [kind for kind in kinds if not kind.subresource]
        return cast(Target, WebhookTarget(url, kinds, Path(ca) if ca else None))
    if function := _FUNCTION.fullmatch(validator):
        if not Path(function[1]).is_file():
            raise UsageError(f"there is no file {function[1]}\n  fix: --function FILE.py:NAME")
        program = [sys.executable, "-m", "harness.targets.crd.function", function[1], function[2]]
        program += [branches] if branches is not None else []
        return cast(Target, CommandTarget(program, note=note))
    if validator.startswith(GO):
        program = [str(build_validator(validator.removeprefix(GO), note, counts_blocks))]
        return cast(Target, CommandTarget(program, note=note))
    return cast(Target, CommandTarget(shlex.split(validator), note=note))


def _webhooks(validator: str, kinds: Sequence[KindInfo]) -> Target:
    """Open the webhooks of a configuration. Raises: TargetError, UsageError."""
    # Imported here: commands that only read files need none of it.
    from harness.subject.webhookconfig import CONFIGURATION, read_webhooks
    from harness.targets.crd.webhooks import WebhookGroup

    file, at, ca = validator.removeprefix(CONFIG).rsplit(CONFIG_PART, 2)
    group = WebhookGroup(read_webhooks(file, at, ca), kinds)
    if not group.info.kinds:
        group.close()
        asked = ", ".join(sorted({kind.resource for kind in kinds}))
        raise UsageError(
            f"no {CONFIGURATION} of {file} is asked about {asked}\n"
            "  why: none of its rules names one of them, with its group, version and operations\n"
            "  fix: name the file that has the webhooks of these kinds"
        )
    return cast(Target, group)
