"""The document as a tree of Markdown: an index, and a page for every kind and every shared type.

Everything that others wrote is escaped: text so that it is no markup and no HTML, code so that it ends where it should.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.apidocs.document import ApiGroup, ApiReference, FieldRow, Key, Section, Statement
from harness.apidocs.places import places_text
from harness.reporting.text import count, visible

_SPECIAL = re.compile(r"([\\`*{}\[\]<>#|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LEGEND = """Each row is a field by its path; `[*]` is every item of a list or value of a map. The last columns say what
each version makes of a rule: *standard* rules hold always, *beta* rules while the gate `DeclarativeValidationBeta` is
on, of *alpha* rules only mismatches with handwritten validation are counted; – is a field without the rule, and
*no field* is none at all. Rules marked *first* are checked first: when one fails, the other rules of its field, and
those below it, do not run. Where a field *may be absent*, an absent one breaks no rule. An update forgives what did
not change, except in rules of the object itself, `(object)`.
"""


def text(words: str) -> str:
    """Escape a text of others for one line of Markdown."""
    return _SPECIAL.sub(r"\\\1", visible(" ".join(words.split()))).replace("\\<", "&lt;").replace("\\>", "&gt;")


def code(words: str) -> str:
    """Show a text of others as code in a table."""
    shown = visible(" ".join(words.split())).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if "`" in shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}" if shown else ""


def marked(words: str) -> str:
    """Escape words, and keep as code what stands between backquotes."""
    return "".join(code(part) if n % 2 else _loose(part) for n, part in enumerate(words.split("`")))


def _loose(part: str) -> str:
    lead, trail = part[:1].isspace(), part[-1:].isspace() and len(part) > 1
    return (" " if lead else "") + text(part) + (" " if trail else "")


def render_pages(document: ApiReference) -> dict[str, str]:
    """Write every page, by its path in the tree."""
    names = _file_names(document)
    pages = {"index.md": _index(document, names)}
    for group in document.groups:
        for section in group.sections:
            pages[names[section.key]] = _page(section, names)
    return pages


def _file_names(document: ApiReference) -> dict[Key, str]:
    """Give every section a file that any system can hold; names that differ in nothing else get a number."""
    names: dict[Key, str] = {}
    taken: set[str] = set()
    for group in document.groups:
        for section in group.sections:
            base = "/".join(_UNSAFE.sub("-", part).strip(".") or "-" for part in (group.name, section.key.name))
            name, number = base, 1
            while name.lower() in taken:
                number += 1
                name = f"{base}-{number}"
            taken.add(name.lower())
            names[section.key] = f"{name}.md"
    return names


def _index(document: ApiReference, names: dict[Key, str]) -> str:
    lines = [
        f"# What {text(document.name)} validates",
        "",
        f"{count(document.kinds, 'kind')} with {count(document.rules, 'declared rule')}, versions of a kind taken "
        "together. Handwritten validation checks more than is said here.",
        "",
        _LEGEND,
    ]
    for group in document.groups:
        lines += [f"## {text(group.name)}", "", *_group(group, names)]
    if document.updates:
        lines += ["## Updates, by tag", ""]
        lines += [f"- {code('+' + tag)}: {marked(words)}" for tag, words in document.updates.items()] + [""]
    if document.skipped:
        lines += ["## Left out", "", "These packages ask for no validation (`+k8s:validation-gen=false`):", ""]
        lines += [f"- {code(path)}" for path in document.skipped] + [""]
    return "\n".join(lines).rstrip() + "\n"


def _group(group: ApiGroup, names: dict[Key, str]) -> Iterator[str]:
    if group.sections:
        yield from ("| | versions | rules | |", "|---|---|---|---|")
        for one in group.sections:
            kind = "" if one.is_kind else "*shared type.* "
            yield (
                f"| [{text(one.key.name)}]({names[one.key]}) | {text(', '.join(one.versions))} | {one.total} "
                f"| {kind}{text(one.about)} |"
            )
        yield ""
    if group.silent:
        listed = ", ".join(f"{text(name)} ({text(', '.join(versions))})" for name, versions in group.silent)
        yield from (f"No rules are declared for {listed}.", "")


def _page(section: Section, names: dict[Key, str]) -> str:
    lines = [f"# {text(section.key.name)}", ""]
    what = "" if section.is_kind else " · shared type"
    lines += [f"{text(section.key.group)} · {text(', '.join(section.versions))}{what} · [index](../index.md)", ""]
    if section.about:
        lines += [text(section.about), ""]
    if section.is_kind:
        lines += [*_requests(section), ""]
    if section.parts:
        links = ", ".join(_link(part, names) for part in section.parts if part in names)
        lines += [f"Parts with rules of their own: {links}.", ""]
    if section.options:
        lines += [f"Options that decide: {', '.join(code(name) for name in section.options)}.", ""]
    lines += [f"Declared in {code(places_text(section.places))}.", "", *_table(section, names), ""]
    if section.used_by and not section.is_kind:
        lines += ["## Used by", ""]
        lines += [f"- {_link(key, names)}, {code(path or '(object)')}" for key, path in section.used_by] + [""]
    return "\n".join(lines).rstrip() + "\n"


def _requests(section: Section) -> Iterator[str]:
    by_paths: dict[tuple[str, ...], list[str]] = {}
    for version, paths in section.requests.items():
        by_paths.setdefault(paths, []).append(version)
    for paths, versions in by_paths.items():
        asked = ", ".join("the object" if path == "/" else code(path) for path in paths)
        yield (f"In {text(', '.join(versions))}: requests" if len(by_paths) > 1 else "Requests") + f" for {asked}."


def _link(key: Key, names: dict[Key, str]) -> str:
    return f"[{text(key.name)}](../{names[key]})" if key in names else text(key.name)


def _table(section: Section, names: dict[Key, str]) -> Iterator[str]:
    yield "| field | rule | " + " | ".join(text(version) for version in section.versions) + " | where |"
    yield "|---|---|" + "---|" * len(section.versions) + "---|"
    for row in section.rows:
        field = f"{code(row.path or '(object)')} {text(row.type)}"
        for one in row.statements:
            states = " | ".join("–" if one.states[v] == "absent" else one.states[v] for v in section.versions)
            yield f"| {field} | {_rule(one)} | {states} | {code(places_text(one.places))} |"
            field = ""
        for words in _also(row, names):
            yield f"| {field} | {words} |" + " |" * (len(section.versions) + 1)
            field = ""


def _also(row: FieldRow, names: dict[Key, str]) -> Iterator[str]:
    if row.link is not None:
        yield f"rules of {_link(row.link, names)}"
    for note in row.notes:
        yield f"*{marked(note)}*"


def _rule(one: Statement) -> str:
    condition = f" *{marked(one.condition)}*" if one.condition else ""
    first = " (*first*)" if one.stops and one.error else ""
    error = f"<br>{code(f'+{one.tag}')}: {text(one.error)}" if one.error and one.tag else ""
    return f"{marked(one.words)}{condition}{first}{error}"
