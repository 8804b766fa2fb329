"""Every cause of a difference, one file each: what shows it, in which words, how it is mended, and its page.

Of several that would explain one mismatch, the earlier in the list counts, step by step (`harness.compare.judge`).
"""

from __future__ import annotations

from harness.compare.cause import Cause
from harness.compare.causes.boundary import BOUNDARY
from harness.compare.causes.cel_error import CEL_ERROR
from harness.compare.causes.coercion import COERCION
from harness.compare.causes.composition import COMPOSITION
from harness.compare.causes.conditional import CONDITIONAL
from harness.compare.causes.conversion import CONVERSION
from harness.compare.causes.cost import COST
from harness.compare.causes.defaulting import DEFAULTING
from harness.compare.causes.duplicate import DUPLICATE
from harness.compare.causes.extra_field import EXTRA_FIELD
from harness.compare.causes.gate import GATE
from harness.compare.causes.generated import GENERATED
from harness.compare.causes.item_key import ITEM_KEY
from harness.compare.causes.masked import MASKED
from harness.compare.causes.new_rule import NEW_RULE
from harness.compare.causes.no_counterpart import NO_COUNTERPART
from harness.compare.causes.no_rule import NO_RULE
from harness.compare.causes.normalization import NORMALIZATION
from harness.compare.causes.not_explained import NOT_EXPLAINED
from harness.compare.causes.null import NULL
from harness.compare.causes.origin import ORIGIN
from harness.compare.causes.other_value import OTHER_VALUE
from harness.compare.causes.panic import PANIC
from harness.compare.causes.path import PATH
from harness.compare.causes.preparation import PREPARATION
from harness.compare.causes.pruned import PRUNED_FIELD
from harness.compare.causes.ratcheting import RATCHETING
from harness.compare.causes.rule_removed import RULE_REMOVED
from harness.compare.causes.schema import SCHEMA
from harness.compare.causes.short_circuit import SHORT_CIRCUIT
from harness.compare.causes.type import TYPE
from harness.compare.causes.unknown import UNKNOWN
from harness.compare.causes.unmarked import UNMARKED
from harness.compare.causes.unratcheted import UNRATCHETED
from harness.compare.causes.unreachable import UNREACHABLE
from harness.compare.causes.unstable import UNSTABLE
from harness.compare.causes.version import VERSION
from harness.compare.causes.wording import WORDING
from harness.compare.causes.wrong_path import WRONG_PATH

CAUSES: tuple[Cause, ...] = (
    # said by the answer itself
    PANIC, UNSTABLE, GENERATED, CONVERSION, COMPOSITION, WRONG_PATH, PRUNED_FIELD, CEL_ERROR, COST,
    # shown by another question of the first batch
    UNREACHABLE, RATCHETING, GATE, VERSION, UNRATCHETED, NULL, COERCION, EXTRA_FIELD,
    # shown by what two servers were given
    SCHEMA, PREPARATION, DEFAULTING,
    # shown by the two lists
    DUPLICATE, WORDING, NO_COUNTERPART, UNMARKED, ORIGIN, TYPE, PATH,
    # shown by changing what else is in the case, or its size
    SHORT_CIRCUIT, ITEM_KEY, MASKED, CONDITIONAL, BOUNDARY, OTHER_VALUE,
    # what remains
    NO_RULE, NEW_RULE, RULE_REMOVED, UNKNOWN,
    # told at other places
    NORMALIZATION, NOT_EXPLAINED,
)  # fmt: skip
"""In the order in which they count."""
