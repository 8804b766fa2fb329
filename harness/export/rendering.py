"""The templates of exported tests: source code, in which nothing is escaped, and nothing may be missing."""

from __future__ import annotations

from functools import cache

import jinja2


@cache
def template(name: str) -> jinja2.Template:
    """Return a template."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("harness.export"), autoescape=False, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True,
    )  # fmt: skip
    return environment.get_template(name)
