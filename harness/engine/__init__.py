"""The engine of a run: draws cases, asks the target, calls the comparator and emits events.

`run` searches one subject, `run_parts` does so under several settings of feature gates. The findings depend on the seed
and the number of cases, not on processes or timing. Reports and the command line are built on top of it.
"""

from harness.engine.config import RunConfig
from harness.engine.focus import Focus
from harness.engine.parts import run, run_parts

__all__ = ["Focus", "RunConfig", "run", "run_parts"]
