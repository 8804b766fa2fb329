"""Reads the counters of declarative validation that a server keeps."""

from __future__ import annotations

import http.client
import re
from collections import Counter
from urllib.parse import urlsplit

from harness.diagnostics import TargetError
from harness.targets.live.access import Access

_SECONDS = 30.0
_LINE = re.compile(
    r"^apiserver_validation_(?P<name>declarative_validation_\w+_total|duplicate_validation_error_total)"
    r'(?:\{validation_identifier="(?P<kind>\w+)"\})? (?P<number>[\d.e+]+)$',
    re.M,
)


def read_counters(access: Access) -> Counter[tuple[str, str]]:
    """Return the counters by name and by the kind and operation in their label, empty for the whole.

    Raises: TargetError if the server does not tell them.
    """
    parts = urlsplit(access.url)
    context = access.context()
    connection = http.client.HTTPSConnection(parts.hostname or "", parts.port, timeout=_SECONDS, context=context)
    try:
        connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {access.token}"})
        response = connection.getresponse()
        text = response.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise TargetError(f"{access.url} tells no metrics", str(error), "see whether it runs") from None
    finally:
        connection.close()
    if response.status != http.client.OK:
        raise TargetError(f"{access.url} tells no metrics", f"it answers {response.status}", "ask for permission")
    return Counter({(one["name"], one["kind"] or ""): round(float(one["number"])) for one in _LINE.finditer(text)})
