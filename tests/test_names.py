"""Every class of the package is found by its name alone."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent / "harness"

PUBLISHED = {
    "Cost": ["case.py", "report/model/cost.py"],
    "Part": ["power/document.py", "report/model/document.py"],
}
"""Names that two published schemas have: whoever generates code from either would lose the name."""


def test_no_class_name_is_defined_twice() -> None:
    """A class name stands for one class in the whole package, private ones and those in functions included."""
    places = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path.relative_to(ROOT).as_posix())
    assert PUBLISHED == {name: files for name, files in places.items() if len(files) > 1}
