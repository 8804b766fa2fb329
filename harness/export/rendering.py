"""Jinja templates of exported tests. They write source code: no HTML escaping, and an undefined variable raises."""

from __future__ import annotations

from functools import cache

import jinja2


@cache
def template(name: str) -> jinja2.Template:
    """Load a template of this package."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("harness.export"), autoescape=False, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True,
    )  # fmt: skip
    return environment.get_template(name)
