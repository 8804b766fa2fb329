"""Creates the template environment of all HTML pages.

It escapes all text, makes control characters visible, and raises an error for undefined variables.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
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


def read_source(environment: jinja2.Environment, name: str) -> str:
    """Return a file of the folder `templates` as it is."""
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


@cache
def report_style() -> str:
    """Return the style of reports, which pages of other commands share."""
    return read_source(create_environment("harness.report.formats.html", {}, {}), "report.css")


def hash_source(text: str) -> str:
    """Return the hash by which a content security policy allows a style or script of the page itself."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def style_policy(style: str) -> str:
    """Return the content security policy of a page that has a style and nothing else."""
    return f"default-src 'none'; style-src '{hash_source(style)}'; base-uri 'none'; form-action 'none'"


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
