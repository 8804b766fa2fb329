"""One module per family of tags. `FAMILIES` is the only registration, in reading order.

A new tag is a record in its family, a new family a module and a line here. Nothing else knows a tag by its name but
linting rules that are about it alone.
"""

from harness.tags.families import (
    custom,
    dependent,
    each,
    enum,
    equality,
    format,
    immutable,
    item,
    levels,
    limits,
    lists,
    mode,
    monotonic,
    opaque,
    options,
    requiredness,
    subfield,
    testing,
    union,
    update,
)

FAMILIES = (
    requiredness,
    limits,
    format,
    enum,
    equality,
    lists,
    each,
    item,
    subfield,
    union,
    mode,
    dependent,
    immutable,
    update,
    monotonic,
    levels,
    options,
    opaque,
    custom,
    testing,
)
