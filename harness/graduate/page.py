"""Renders certificates as one HTML page in the style of a report, without a script and without any request.

Names, errors and objects come from a target and are not trusted. The template engine escapes them, control characters
are made visible, and a content security policy allows only the page's own style, by its hash.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import jinja2
from markupsafe import Markup

from harness.graduate.document import VERDICTS, Certificate, Certificates
from harness.graduate.view import (
    COUNTERS,
    calls_of,
    change_title,
    evidence_of,
    headline,
    left_of,
    missed_of,
    mutants_of,
    proof_of,
    rules_by_kind,
    server_of,
)
from harness.report.escaping import bounded, compact, count
from harness.report.formats.html.environment import (
    breakable,
    create_environment,
    read_source,
    report_style,
    style_policy,
)

MEANINGS: Final = {
    "changes": "an object shows that users would notice",
    "unknown": "no object shows a change, and something is missing that a safe rule has",
    "safe": "no object of the run shows a change, and every demand is met",
}
"""What each verdict means, worst first."""
TONES: Final = {"changes": "different", "unknown": "incomplete", "safe": "equivalent"}
COLOURS: Final = {"changes": "verdict", "unknown": "visible", "safe": "good"}
"""The classes of the shared style that verdicts have."""
MAX_OBJECT: Final = 4000
"""At most so many characters of an object are on the page."""
MAX_OPEN: Final = 10
"""With at most so many rules of a verdict their evidence is open."""


def render_page(document: Certificates) -> bytes:
    """Render the certificates as one self-contained page."""
    environment = _environment()
    style = report_style() + read_source(environment, "graduate.css")
    by_verdict = {verdict: [one for one in document.rules if one.verdict == verdict] for verdict in VERDICTS}
    page = environment.get_template("graduate.html.j2").render(
        document=document,
        headline=headline(document),
        tone=TONES[next((verdict for verdict in VERDICTS if by_verdict[verdict]), "unknown")],
        by_verdict=by_verdict,
        kinds=rules_by_kind(document),
        style=Markup(style),
        policy=style_policy(style),
    )
    return page.encode("utf-8", "backslashreplace")


def _objects(one: Certificate) -> list[tuple[str, str]]:
    """Return the objects that show a change, each with its name."""
    if one.change is None:
        return []
    pair = [("old object", one.change.old), ("new object", one.change.object)]
    return [
        (name, compact(value, MAX_OBJECT)) for name, value in pair[0 if one.change.operation == "update" else 1 :]
    ]  # fmt: skip


@cache
def _environment() -> jinja2.Environment:
    functions = {
        "bounded": bounded, "breakable": breakable, "count": count, "meanings": MEANINGS, "colours": COLOURS,
        "change_title": change_title, "evidence_of": evidence_of, "proof_of": proof_of,
        "calls_of": calls_of, "missed_of": missed_of,
        "mutants_of": mutants_of, "left_of": left_of, "server_of": server_of, "counters": COUNTERS,
        "objects": _objects, "most_open": MAX_OPEN,
    }  # fmt: skip
    return create_environment("harness.graduate", {}, functions)
