"""The document as one page that people search: no request leaves it, and it can be read and printed without its script.

Names, comments and values were written by others. The template engine escapes them, control characters become visible,
and a content security policy allows only the page's own style and script, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from urllib.parse import quote

import jinja2
from markupsafe import Markup, escape

from harness.apidocs.document import ApiReference, FieldRow, Key, Section
from harness.apidocs.gather import age
from harness.apidocs.places import places_text
from harness.reporting.pages import environment, marked
from harness.reporting.text import count, lines


def render_page(document: ApiReference) -> str:
    """Write the document as one self-contained page."""
    environment = _environment()
    assert environment.loader is not None
    style, script = (environment.loader.get_source(environment, name)[0] for name in ("api.css", "api.js"))
    sections = [section for group in document.groups for section in group.sections]
    return environment.get_template("api.html.j2").render(
        document=document,
        kinds={section.key: section for section in sections},
        versions=sorted({version for section in sections for version in section.versions}, key=age),
        style=Markup(style),
        script=Markup(script),
        policy=(
            f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )


def breakable(path: str) -> Markup:
    """Escape a path and let it break after its dots."""
    return Markup(".<wbr>").join(escape(lines(step)) for step in path.split("."))


def anchor(key: Key, path: str = "") -> str:
    """Name the place of a section or row on the page."""
    return "/".join((key.group, key.name, path) if path else (key.group, key.name))


def _href(key: Key, path: str = "") -> str:
    return "#" + quote(anchor(key, path), safe="/*.-_~")


def _levels(row: FieldRow) -> str:
    """What the filters look through: each version with what it makes of a rule of the row."""
    found = {f"{v}:{state}" for one in row.statements for v, state in one.states.items() if state in _LEVELS}
    return " ".join(sorted(found))


_LEVELS = ("standard", "beta", "alpha")


def _branch(path: str) -> tuple[str, str]:
    """Split a path before its last step, so that the eye finds what differs."""
    if path.endswith("]"):
        cut = path.rfind("[")
        return path[:cut], path[cut:]
    head, dot, tail = path.rpartition(".")
    return head + dot, tail


def _requests(section: Section) -> list[tuple[str, str]]:
    """Which requests are validated, with the versions in which it is so."""
    by_paths: dict[tuple[str, ...], list[str]] = {}
    for version, paths in section.requests.items():
        by_paths.setdefault(paths, []).append(version)
    only = len(by_paths) == 1
    return [("" if only else ", ".join(versions), _asked(paths)) for paths, versions in by_paths.items()]


def _asked(paths: tuple[str, ...]) -> str:
    return ", ".join("the object" if path == "/" else f"`{path}`" for path in paths)


@cache
def _environment() -> jinja2.Environment:
    filters = {
        "marked": marked,
        "branch": _branch,
        "breakable": breakable,
        "levels": _levels,
        "requests": _requests,
    }
    functions = {"anchor": anchor, "href": _href, "counted": count, "places": places_text}
    return environment("harness.apidocs", filters, functions)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
