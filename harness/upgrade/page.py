"""Renders an upgrade check as one HTML page in the style of a report, without a script and without any request.

Names and errors come from a cluster and are not trusted. The template engine escapes them, control characters are made
visible, and a content security policy allows only the page's own style, by its hash.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import jinja2
from markupsafe import Markup

from harness.explain import pages_of
from harness.report.escaping import bounded, count
from harness.report.formats.html.environment import create_environment, read_source, report_style, style_policy
from harness.upgrade.document import EFFECTS, VERDICT_EFFECTS, Upgrade
from harness.upgrade.text import headline, lead, requests_text

MAX_OBJECTS: Final = 500
"""At most this many objects of a group are on the page."""
TONES: Final = {0: "equivalent", 1: "different", 2: "incomplete", 130: "incomplete"}
SEVERITY: Final = {effect: "verdict" if effect in VERDICT_EFFECTS else "visible" for effect in EFFECTS}


def render_page(document: Upgrade) -> bytes:
    """Render the check as one self-contained page."""
    environment = _environment()
    style = report_style() + read_source(environment, "upgrade.css")
    page = environment.get_template("upgrade.html.j2").render(
        document=document,
        headline=headline(document)[0],
        lead=lead(document),
        tone=TONES[document.exit_code] if document.objects else "nothing-compared",
        effects={effect: document.of_effect(effect) for effect in EFFECTS},
        meanings={group.cause: _meaning(group.cause) for group in document.groups},
        style=Markup(style),
        policy=style_policy(style),
    )
    return page.encode("utf-8", "backslashreplace")


def _meaning(cause: str) -> str:
    """Return what a cause means; one that is only of upgrades has its heading."""
    return next((page.summary for page in pages_of(cause) if page.category == "causes"), "")


@cache
def _environment() -> jinja2.Environment:
    functions = {
        "bounded": bounded, "count": count, "headings": EFFECTS, "severity": SEVERITY, "requests_text": requests_text,
        "most": MAX_OBJECTS,
    }  # fmt: skip
    return create_environment("harness.upgrade", {}, functions)
