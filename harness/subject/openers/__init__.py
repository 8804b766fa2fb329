"""How each kind of target is opened: one file for each, and the list of all of them.

To add one, write its file with a `TargetKind`, and its line here. The option that names it on the command line, what a
report keeps of it and how `replay` opens it again follow from that.
"""

from harness.subject.openers.command import COMMAND
from harness.subject.openers.kubernetes import KUBERNETES
from harness.subject.openers.suite import SUITE
from harness.subject.openers.types import TYPES
from harness.subject.targetkind import TargetKind

TARGETS: tuple[TargetKind, ...] = (SUITE, KUBERNETES, COMMAND, TYPES)
