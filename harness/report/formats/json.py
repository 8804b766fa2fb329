"""Renders the report document as JSON, the form in which it is saved.

`harness.report.model.reading` reads it, also in older versions of the schema; the other formats render the result.
"""

from __future__ import annotations

import msgspec

from harness.report.escaping import encode_json
from harness.report.model.document import Report


def encode(report: Report) -> bytes:
    """Return the document as indented JSON that ends with a newline."""
    return msgspec.json.format(encode_json(report), indent=1) + b"\n"
