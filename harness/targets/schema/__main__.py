"""Writes the published schema of the protocol from the records it is made of: `python -m harness.targets.schema`."""

from __future__ import annotations

import json
from pathlib import Path

from harness.targets.wire import protocol_schema

Path(__file__).with_name("protocol.schema.json").write_text(
    json.dumps(protocol_schema(), indent=2) + "\n", encoding="utf-8"
)
