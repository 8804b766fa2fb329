"""Renders the site of campaigns: an index, a page for each release and API group, and badges. Pages have no scripts.

Names and findings come from reports and are not trusted. The template engine escapes them, control characters are made
visible, and a content security policy allows only the page's own style, by its hash. Links are relative, so that the
site opens from a folder.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import jinja2
import msgspec
from markupsafe import Markup

import harness
from harness.campaign.site.badges import badges, draw_badge
from harness.campaign.site.charts import BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH, draw_charts
from harness.campaign.site.history import (
    WHOLE_SITE,
    ReachedCount,
    SiteCounts,
    SiteFinding,
    SiteHistory,
    SiteScope,
    name_release,
)
from harness.compare.finding import SEVERITIES
from harness.report.escaping import bounded, count, encode_json, pretty
from harness.report.formats.html.environment import (
    breakable,
    create_environment,
    mark_code,
    read_source,
    report_style,
    style_policy,
)
from harness.report.words import SEVERITY, VERDICT

MAX_FINDINGS: Final = 500
"""At most this many findings are on a page; the reports of `campaign report --report` have all."""
MAX_CHANGES: Final = 200
"""At most this many findings that came, went or changed are on a page."""
MAX_OBJECT: Final = 4_000
"""At most this many characters of an object are on a page."""


def render_site(history: SiteHistory) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the site: their paths below its folder, and their content."""
    environment = _environment()
    template = environment.get_template("page.html.j2")
    style = report_style() + read_source(environment, "site.css")
    constants = {"style": Markup(style), "policy": style_policy(style), "history": history}
    for scope in history.scopes:
        page = template.render(**constants, **_variables(history, scope))
        yield page_name(scope), page.encode("utf-8", "backslashreplace")
        if scope.group is None:
            for name, badge in badges(history.points[-1].counts[scope]):
                path = f"badges/{badge_name(scope, name)}"
                yield f"{path}.json", msgspec.json.format(encode_json(badge), indent=2) + b"\n"
                yield f"{path}.svg", environment.get_template("badge.svg.j2").render(badge=draw_badge(badge)).encode()


def page_name(scope: SiteScope) -> str:
    """Return the file name of a page, which no name of a release or group can lead elsewhere."""
    if scope.release is not None:
        return f"release-{_slug(scope.release)}.html"
    return "index.html" if scope.group is None else f"group-{_slug(scope.group or 'core')}.html"


def badge_name(scope: SiteScope, name: str) -> str:
    """Return the name of the file of a badge, without what says its form."""
    return name if scope == WHOLE_SITE else f"{_slug(scope.release or '')}-{name}"


def _slug(name: str) -> str:
    """Return a name for files; one that had to be changed has a digest, so that two of them do not meet."""
    plain = re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")[:60]
    return plain if plain == name else f"{plain}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _variables(history: SiteHistory, scope: SiteScope) -> dict[str, Any]:
    """Return the template variables of a page."""
    rows = [(point, point.counts[scope]) for point in history.points if scope in point.counts]
    now = rows[-1][1]
    findings = [one for one in history.findings if scope.has(one.release, one.finding.group)]
    settings = [one for one in history.last.settings if scope.has(name_release(one.report))]
    in_reach = [] if scope == WHOLE_SITE else findings
    inside = [] if scope != WHOLE_SITE else history.scopes[1:]
    return {
        "scope": scope,
        "title": scope.release if scope.release is not None else _group_words(scope) or "Campaigns",
        "tone": _tone(history, now),
        "headline": _headline(now),
        "rows": rows,
        "now": now,
        "charts": draw_charts([one for _, one in rows]),
        "changes": history.changes_of(scope),
        "findings": in_reach,
        "settings": [] if scope.group is not None else settings,
        "surviving": [] if scope.release is None else sorted({it for one in settings for it in one.mutants.surviving}),
        "releases": [(one, history.points[-1].counts[one]) for one in inside if one.release is not None],
        "groups": [(one, history.points[-1].counts[one]) for one in inside if one.group is not None],
    }


def _group_words(scope: SiteScope) -> str:
    return "" if scope.group is None else scope.group or "core"


def _tone(history: SiteHistory, now: SiteCounts) -> str:
    if now.findings:
        return "different"
    return "incomplete" if history.last.missing else "equivalent"


def _headline(now: SiteCounts) -> str:
    if not now.findings:
        return "No open findings"
    words = ", ".join(f"{number:,} {name}" for name, number in now.severities.items())
    return f"{count(now.findings, 'open finding')}: {words}"


def _share(reached: ReachedCount) -> str:
    return f"{reached.reached:,} of {reached.total:,}" if reached.total else "–"


def _first(findings: list[SiteFinding]) -> list[SiteFinding]:
    return findings[:MAX_FINDINGS]


@cache
def _environment() -> jinja2.Environment:
    functions = {
        "bounded": bounded, "breakable": breakable, "count": count, "pretty": pretty, "share": _share,
        "first": _first, "page_name": page_name, "badge_name": badge_name, "group_words": _group_words,
        "only_group": lambda group: SiteScope(group=group), "version": harness.__version__,
        "severities": SEVERITIES, "severity_words": SEVERITY, "tones": VERDICT, "most": MAX_FINDINGS,
        "most_changes": MAX_CHANGES, "most_object": MAX_OBJECT,
        "chart": {"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": WIDTH - RIGHT, "bottom": HEIGHT - BOTTOM},
    }  # fmt: skip
    return create_environment("harness.campaign.site", {"prose": mark_code}, functions)
