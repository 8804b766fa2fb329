"""Renders the document as one HTML page with search. It makes no network request and can be read without its script.

Names, comments and values come from Go files and are not trusted. The template engine escapes them, control characters
are made visible, and a content security policy allows only the page's own style and script, by their hashes.
"""

from __future__ import annotations

from functools import cache
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from harness.apidocs.document import ApiReference, FieldRow, Key, Section
from harness.apidocs.gather import version_order
from harness.apidocs.positions import positions_text
from harness.report.escaping import count
from harness.report.formats.html.environment import breakable, create_environment, hash_source, mark_code, read_source


def render_page(document: ApiReference) -> str:
    """Render the document as one self-contained page."""
    environment = _environment()
    style, script = (read_source(environment, name) for name in ("api.css", "api.js"))
    sections = [section for group in document.groups for section in group.sections]
    return environment.get_template("api.html.j2").render(
        document=document,
        kinds={section.key: section for section in sections},
        versions=sorted({version for section in sections for version in section.versions}, key=version_order),
        style=Markup(style),
        script=Markup(script),
        policy=(
            f"default-src 'none'; style-src '{hash_source(style)}'; script-src '{hash_source(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )


def anchor(key: Key, path: str = "") -> str:
    """Return the id of the element of a section or row."""
    return "/".join((key.group, key.name, path) if path else (key.group, key.name))


def _href(key: Key, path: str = "") -> str:
    return "#" + quote(anchor(key, path), safe="/*.-_~")


def _levels(row: FieldRow) -> str:
    """Return the levels of a row's rules for the page's filters: `v1:beta v2:standard`."""
    found = {f"{v}:{state}" for one in row.statements for v, state in one.states.items() if state in _LEVELS}
    return " ".join(sorted(found))


_LEVELS = ("standard", "beta", "alpha")


def _branch(path: str) -> tuple[str, str]:
    """Split a path before its last step, so that the page can emphasise the step."""
    if path.endswith("]"):
        cut = path.rfind("[")
        return path[:cut], path[cut:]
    head, dot, tail = path.rpartition(".")
    return head + dot, tail


def _requests(section: Section) -> list[tuple[str, str]]:
    """Return the requests that are validated, with their versions; no versions if all have the same requests."""
    by_paths: dict[tuple[str, ...], list[str]] = {}
    for version, paths in section.requests.items():
        by_paths.setdefault(paths, []).append(version)
    is_same = len(by_paths) == 1
    return [("" if is_same else ", ".join(versions), _join_requests(paths)) for paths, versions in by_paths.items()]


def _join_requests(paths: tuple[str, ...]) -> str:
    return ", ".join("the object" if path == "/" else f"`{path}`" for path in paths)


@cache
def _environment() -> jinja2.Environment:
    filters = {
        "marked": mark_code,
        "branch": _branch,
        "breakable": breakable,
        "levels": _levels,
        "requests": _requests,
    }
    functions = {"anchor": anchor, "href": _href, "counted": count, "positions": positions_text}
    return create_environment("harness.apidocs", filters, functions)
