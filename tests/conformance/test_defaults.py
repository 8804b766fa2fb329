"""Who says the defaults of a release: its Go code, `+default` tags, and its published OpenAPI."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.conformance.conftest import Count
from tests.conformance.defaults import NOTHING, compare

RELEASE = "1.37.1"


@pytest.mark.kubernetes
def test_no_default_that_is_published_is_wrong(count: Count) -> None:
    """What a tag or OpenAPI says, Go does; most defaults are those of Go alone."""
    found = compare(RELEASE)
    count("defaults", {"members": len(found)})
    who = Counter(tuple(one is not NOTHING for one in values) for values in found.values())
    assert {(True, True, True): 24, (True, False, False): 206} == who
    assert [] == [
        place for place, values in found.items() if len({repr(one) for one in values if one is not NOTHING}) > 1
    ]
