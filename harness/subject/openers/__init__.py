"""Lists the kinds of targets; each has a file that opens it.

To add one, write a file with its `TargetKind`, and add it to `TARGETS`. Its option on the command line, its entry in
reports and its opening by `replay` follow from the record.
"""

from harness.subject.openers.command import COMMAND
from harness.subject.openers.crd import CRD
from harness.subject.openers.kubernetes import KUBERNETES
from harness.subject.openers.policy import POLICY
from harness.subject.openers.server import SERVER
from harness.subject.openers.suite import SUITE
from harness.subject.openers.types import TYPES
from harness.subject.targetkind import TargetKind

TARGETS: tuple[TargetKind, ...] = (SUITE, KUBERNETES, CRD, POLICY, SERVER, COMMAND, TYPES)
