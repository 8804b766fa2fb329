"""Creates the template environment of all HTML pages.

It escapes all text, makes control characters visible, and raises an error for undefined variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jinja2
from markupsafe import Markup, escape

from harness.report.escaping import lines


def create_environment(package: str, filters: Mapping[str, Any], functions: Mapping[str, Any]) -> jinja2.Environment:
    """Return the environment for the folder `templates` of a package, with additional filters and functions."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package, "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters |= filters
    environment.globals |= functions
    return environment


def mark_code(words: str) -> Markup:
    """Escape a text, and show the parts between backquotes as code."""
    parts = [escape(lines(part)) for part in words.split("`")]
    return Markup("").join(Markup("<code>{}</code>").format(p) if n % 2 else p for n, p in enumerate(parts))


def _finalize(value: Any) -> Any:
    """Make control characters visible in a text; Jinja calls this for every value that it renders."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return lines(value)
    return value


def breakable(path: str) -> Markup:
    """Escape a path, and allow line breaks after its dots, not inside a name."""
    return Markup(".<wbr>").join(escape(lines(step)) for step in path.split("."))
