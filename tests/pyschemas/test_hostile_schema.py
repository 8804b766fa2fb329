"""A JSON Schema that asks for too much is searched like any other: its bounds are not filled, its circles end."""

from __future__ import annotations

import json
from pathlib import Path

from harness.engine import RunConfig, run
from harness.events import Budget
from harness.subject import SubjectSpec

SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "minLength": 10**12},
        "list": {"type": "array", "minItems": 10**9, "items": {"type": "integer"}},
        "map": {"type": "object", "minProperties": 10**9},
        "number": {"type": "integer", "minimum": 10**400},
        "part": {"type": "number", "multipleOf": 1e-300},
        "same": {"$ref": "#"},
        "short": {"type": "string", "maxLength": 10**9},
    },
}
SUITE = '''"""Accepts everything."""
from harness.suite import Suite


def old(obj):
    return []


SUITE = Suite(old=old, new="schema.json")
'''


def test_huge_bounds_and_recursion(tmp_path: Path) -> None:
    """Each bound is seen to reject what is below it, an object is accepted, and no text or list is made that long."""
    (tmp_path / "suite.py").write_text(SUITE)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    result = run(SubjectSpec("suite", str(tmp_path)), RunConfig(seed=1, budget=Budget(max_cases=2000)))
    assert [True] == [kind.has_seed for kind in result.kinds]
    rejected = {one.path for one in result.findings if one.cause == "new-rule"}
    assert {"text", "list", "map", "number"} <= rejected
    assert all(len(json.dumps(one.case.object)) < 100_000 for one in result.findings)
