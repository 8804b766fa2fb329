"""The environment of every HTML page: nothing reaches one unescaped, undefined, or with a control character in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jinja2
from markupsafe import Markup, escape

from harness.reporting.text import lines


def environment(package: str, filters: Mapping[str, Any], functions: Mapping[str, Any]) -> jinja2.Environment:
    """Return the environment for the folder `templates` of a package, with its own filters and functions."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader(package, "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    made.filters |= filters
    made.globals |= functions
    return made


def marked(words: str) -> Markup:
    """Escape words and show what stands between backquotes as code."""
    parts = [escape(lines(part)) for part in words.split("`")]
    return Markup("").join(Markup("<code>{}</code>").format(p) if n % 2 else p for n, p in enumerate(parts))


def _finalize(value: Any) -> Any:
    """Every text that reaches a page goes through here, so that none can hide a control character."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return lines(value)
    return value
